# casebook_trimmed TEXT: the text without the newlines at its end, which "$(…)" removes.
casebook_trimmed() {
  printf '%s' "$1"
}

# casebook_json_text TEXT: the text as it is written inside a JSON string.
casebook_json_text() {
  PATH=$casebook_path jq -nr --arg text "$1" '$text | tojson[1:-1]'
}
