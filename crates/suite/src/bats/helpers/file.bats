# casebook_expect_file LINE PATH HOW [TEXT]: notes what does not hold of a file, and goes on.
casebook_expect_file() {
  casebook_assertion=$((casebook_assertion + 1))
  local path=$2 text=''
  [[ $path == /* ]] || path=$casebook_workdir/$path
  case $3 in
  exists) [[ -e $path ]] ;;
  absent) [[ ! -e $path ]] ;;
  *) [[ -f $path ]] && { text=$(<"$path"); } 2>/dev/null && casebook_holds "$3" "$text" "$4" ;;
  esac || casebook_fail "$1" files "$2 $3 ${4-}"
}
