# casebook_expect_file LINE PATH HOW [TEXT]: records a failed assertion on a file and continues.
casebook_expect_file() {
  casebook_assertion=$((casebook_assertion + 1))
  local path=$2 text=''
  [[ $path == /* ]] || path=$casebook_workdir/$path
  case $3 in
  exists) [[ -e $path ]] ;;
  absent) [[ ! -e $path ]] ;;
  *) [[ -f $path ]] && { text=$(<"$path"); } 2>/dev/null && casebook_compare "$3" "$text" "$4" ;;
  esac || casebook_fail "$1" files "$2 $3 ${4-}"
}
