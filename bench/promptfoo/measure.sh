#!/usr/bin/env bash
# Prints promptfoo's version and the size of its HTML export in bytes per test, for tests with as much output as those of
# the benchmark `report`, which starts this script. promptfoo is installed only into the target directory.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

tests=300
bytes=8800
folder=$(realpath -m "${CARGO_TARGET_DIR:-target}")/promptfoo

main() {
  install 1>&2
  suite >"$folder/suite.json"
  evaluate 1>&2
  echo "$(node -p "require('$folder/node_modules/promptfoo/package.json').version") $(($(stat -c %s "$folder/out.html") / tests))"
}

# Does not run package scripts. Of the optional packages only the native database library is needed.
install() {
  mkdir -p "$folder"
  if [[ -x $folder/node_modules/.bin/promptfoo ]]; then
    return
  fi
  npm_install promptfoo
  local version
  version=$(node -p "require('$folder/node_modules/libsql/package.json').version")
  npm_install "@libsql/linux-x64-gnu@$version"
}

npm_install() {
  npm install --prefix "$folder" --omit=optional --omit=peer --ignore-scripts --no-audit --no-fund --loglevel=error "$1"
}

# Prints a configuration with one prompt for the echo provider, and tests whose variable is the output.
suite() {
  jq -n --argjson tests "$tests" --argjson bytes "$bytes" '
    def line($test; $line): "checking item \($test * 7919 + $line * 104729) of batch \($line) took \($test * $line % 4096) µs\n";
    {prompts: ["{{output}}"], providers: ["echo"], tests: [range($tests) as $test | {
      vars: {output: ([range($bytes / 50 | floor) as $line | line($test; $line)] | add)},
      assert: [{type: "contains", value: "took"}]
    }]}'
}

evaluate() {
  rm -f "$folder/out.html"
  env HOME="$folder" PROMPTFOO_CONFIG_DIR="$folder/config" PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 \
    timeout 300 "$folder/node_modules/.bin/promptfoo" eval -c "$folder/suite.json" -o "$folder/out.html" \
    --no-cache --no-table --no-progress-bar
}

main
