# casebook_isolate NAMES: removes the inherited variables, except these names and those that every program needs, and gives the
# test its own directories.
casebook_isolate() {
  local name kept=" $1 " dir=$BATS_TEST_TMPDIR/isolated PATH=$casebook_path
  rm -rf -- "$dir"
  mkdir "$dir" "$dir/home" "$dir/tmp"
  mkdir -m 700 "$dir/runtime"
  for name in $CASEBOOK_INHERITED; do
    case $kept in
    *" $name "*) continue ;;
    esac
    case $name in
    PATH | LANG | LC_* | TERM | BATS_* | CASEBOOK_*) ;;
    *) unset "$name" ;;
    esac
  done
  unset CASEBOOK_INHERITED
  casebook_own HOME "$dir/home" "$kept"
  casebook_own XDG_CONFIG_HOME "$dir/home/.config" "$kept"
  casebook_own XDG_DATA_HOME "$dir/home/.local/share" "$kept"
  casebook_own XDG_STATE_HOME "$dir/home/.local/state" "$kept"
  casebook_own XDG_CACHE_HOME "$dir/home/.cache" "$kept"
  casebook_own XDG_RUNTIME_DIR "$dir/runtime" "$kept"
  casebook_own TMPDIR "$dir/tmp" "$kept"
}

# casebook_own VARIABLE VALUE NAMES: exports the variable unless it is one of the names.
casebook_own() {
  case $3 in
  *" $1 "*) ;;
  *) export "$1=$2" ;;
  esac
}
