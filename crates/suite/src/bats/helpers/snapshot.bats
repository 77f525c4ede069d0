# casebook_expect_snapshot LINE FILE: records a failure if the output differs from the file, both without secrets and normalized. A missing file
# is written, except in CI or if an assertion failed.
casebook_expect_snapshot() {
  casebook_assertion=$((casebook_assertion + 1))
  local file=$casebook_dir/$2 text='' casebook_redacted=''
  casebook_redact "$casebook_output"
  local output=$casebook_redacted
  [[ -z ${casebook_normalizers-} ]] || output=$(casebook_normal "$output")
  if [[ -f $file && -z ${CASEBOOK_UPDATE-} ]]; then
    { text=$(<"$file"); } 2>/dev/null
    casebook_redact "$text"
    casebook_equals "$output" "$casebook_redacted" || casebook_fail "$1" snapshot "$2"
  elif [[ ${CI:-false} != false && -z ${CASEBOOK_UPDATE-} ]]; then
    casebook_fail "$1" snapshot "$2 does not exist"
  elif [[ $casebook_failures -eq 0 ]]; then
    PATH=$casebook_path mkdir -p "${file%/*}"
    printf '%s\n' "$output" >|"$file"
  fi
}

# casebook_redact TEXT: sets casebook_redacted to the text with the values of secret variables replaced, the longest first. Unlike
# Casebook, it does not find encoded values.
casebook_redact() {
  casebook_redacted=$1
  local name
  while read -r _ name; do
    casebook_redacted=${casebook_redacted//"${!name}"/[redacted]}
  done < <(casebook_secrets | PATH=$casebook_path sort -rn)
}

# Prints the length and the name of each secret variable. Short values are in too many texts that are not secret.
casebook_secrets() (
  shopt -s nocasematch
  for name in $(compgen -e); do
    value=${!name}
    if [[ ${#value} -ge 6 ]] && casebook_is_secret "$name"; then
      printf '%s %s\n' "${#value}" "$name"
    fi
  done
)
