# casebook_new_workdir FOLDER: makes the working directory of the command, as a copy of the folder; empty if the name is empty.
# Symbolic links and permissions are kept.
casebook_new_workdir() {
  local PATH=$casebook_path workdir=$BATS_TEST_TMPDIR/workdir folder=$1
  rm -rf -- "$workdir"
  mkdir -- "$workdir"
  [[ -n $folder ]] || return 0
  [[ $folder == /* ]] || folder=$casebook_dir/$folder
  if [[ ! -d $folder ]]; then
    printf '%s: directory not found: %s\n' "$casebook_file" "$folder"
    return 1
  fi
  cp -RPp -- "$folder/." "$workdir"
}
