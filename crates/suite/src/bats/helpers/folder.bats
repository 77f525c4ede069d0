# casebook_equals_folder PATH FOLDER: whether both folders have the same entries, with the same types, contents and executable
# bits. FOLDER is relative to the suite's directory.
casebook_equals_folder() {
  local folder=$2 entry status=0
  [[ $folder == /* ]] || folder=$casebook_dir/$folder
  [[ -d $1 && -d $folder ]] || return
  while IFS= read -r entry; do
    casebook_equal_entries "$1/$entry" "$folder/$entry" && continue
    if [[ ! -e $1/$entry && ! -L $1/$entry ]]; then
      printf 'missing: %s\n' "${entry#./}"
    elif [[ ! -e $folder/$entry && ! -L $folder/$entry ]]; then
      printf 'new: %s\n' "${entry#./}"
    else
      printf 'different: %s\n' "${entry#./}"
    fi
    status=1
  done < <({ casebook_entries "$1" && casebook_entries "$folder"; } | PATH=$casebook_path sort -u)
  return "$status"
}

# casebook_entries FOLDER: prints the paths of all entries of a folder.
casebook_entries() {
  local PATH=$casebook_path
  (cd -- "$1" && find . ! -name .)
}

# casebook_equal_entries PATH PATH: whether two entries have the same type, content and executable bit.
casebook_equal_entries() {
  local PATH=$casebook_path
  if [[ -L $1 || -L $2 ]]; then
    [[ -L $1 && -L $2 && $(readlink -- "$1") == "$(readlink -- "$2")" ]]
  elif [[ -d $1 && -d $2 ]]; then
    return 0
  elif [[ -f $1 && -f $2 ]]; then
    [[ -x $1 && -x $2 || ! -x $1 && ! -x $2 ]] && casebook_equal_files "$1" "$2"
  else
    return 1
  fi
}

# casebook_equal_files PATH PATH: whether the contents are equal, or equal after normalizing.
casebook_equal_files() {
  local PATH=$casebook_path
  cmp -s -- "$1" "$2" && return
  [[ -n ${casebook_normalizers-} ]] &&
    cmp -s <(casebook_normalized "${casebook_normalizers[@]}" <"$1") <(casebook_normalized "${casebook_normalizers[@]}" <"$2")
}
