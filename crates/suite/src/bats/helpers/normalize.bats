# casebook_normalize DIRECTORY|LOCALE COMMAND...: sets the normalizers: a locale and a command of sed for each.
casebook_normalize() {
  casebook_normalizers=()
  while [[ $# -gt 0 ]]; do
    case $1 in
    home) casebook_normalize_directory home "${HOME-}" ;;
    tempdir) casebook_normalize_directory tempdir "$TEST_TEMP_DIR" ;;
    workdir) casebook_normalize_directory workdir "$(cd -- "$casebook_workdir" && pwd)" ;;
    *) casebook_normalizers+=("$1" "$2") && shift ;;
    esac
    shift
  done
}

# casebook_normalize_directory NAME PATH: adds normalizers for the path and for the one without symbolic links, the longer one first.
casebook_normalize_directory() {
  local PATH=$casebook_path path pattern physical
  physical=$(cd -P -- "$2" 2>/dev/null && pwd -P) || physical=$2
  if [[ ${#physical} -gt ${#2} ]]; then
    set -- "$1" "$physical" "$2"
  elif [[ $physical != "$2" ]]; then
    set -- "$1" "$2" "$physical"
  fi
  for path in "${@:2}"; do
    printf '%s\n' "$path" >>"$casebook_results/$1"
    [[ -n ${path%/} ]] || continue
    pattern=$(printf '%s' "$path" | LC_ALL=C sed 's/[][\\.*^$()+?{}|]/\\&/g')
    casebook_normalizers+=(C "s"$'\001'"$pattern(\$|[^0-9A-Za-z_-])"$'\001'"<$1>\\1"$'\001'"g")
  done
}

# casebook_normalized LOCALE COMMAND...: normalizes standard input.
casebook_normalized() {
  local PATH=$casebook_path
  if [[ $# -eq 0 ]]; then
    cat
  else
    LC_ALL=$1 sed -E -e "$2" | casebook_normalized "${@:3}"
  fi
}

# casebook_normal TEXT: prints the text as its normalizers change it.
casebook_normal() {
  printf '%s\n' "$1" | casebook_normalized "${casebook_normalizers[@]}"
}
