# casebook_expect_snapshot LINE FILE: records a failure if the output differs from the file. A missing file is written,
# except in CI or if an assertion failed.
casebook_expect_snapshot() {
  casebook_assertion=$((casebook_assertion + 1))
  local file=$casebook_dir/$2 text=''
  if [[ -f $file && -z ${CASEBOOK_UPDATE-} ]]; then
    { text=$(<"$file"); } 2>/dev/null
    [[ $casebook_output == "$text" ]] || casebook_fail "$1" snapshot "$2"
  elif [[ ${CI:-false} != false && -z ${CASEBOOK_UPDATE-} ]]; then
    casebook_fail "$1" snapshot "$2 does not exist"
  elif [[ $casebook_failures -eq 0 ]]; then
    PATH=$casebook_path mkdir -p "${file%/*}"
    printf '%s\n' "$casebook_output" >|"$file"
  fi
}
