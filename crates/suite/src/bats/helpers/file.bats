# casebook_expect_file LINE PATH HOW [VALUE...]: records a failed assertion on a file and continues.
casebook_expect_file() {
  casebook_assertion=$((casebook_assertion + 1))
  local path=$2 text=''
  [[ $path == /* ]] || path=$casebook_workdir/$path
  case $3 in
  exists) [[ -e $path ]] ;;
  absent) [[ ! -e $path ]] ;;
  mode) casebook_has_mode "$path" "$4" ;;
  json) [[ -f $path ]] && { text=$(<"$path"); } 2>/dev/null && casebook_json_equals "$5" "$6" "$text" ;;
  EqualsFolder) casebook_equals_folder "$path" "$4" ;;
  *) [[ -f $path ]] && { text=$(<"$path"); } 2>/dev/null && casebook_compare "$3" "$text" "$4" ;;
  esac || casebook_fail "$1" files "${*:2}"
}

# casebook_has_mode PATH OCTAL: whether the file has these permissions. GNU and BSD have different options for `stat`.
casebook_has_mode() {
  local PATH=$casebook_path mode
  [[ -e $1 ]] || return
  mode=$(stat -L -c %a -- "$1" 2>/dev/null || stat -L -f %Mp%Lp -- "$1") || return
  [[ $((8#$mode)) -eq $((8#$2)) ]]
}
