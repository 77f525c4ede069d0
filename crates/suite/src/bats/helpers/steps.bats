# casebook_step NUMBER: starts a step of a test, with its own directory of results.
casebook_step() {
  casebook_results=$casebook_test_results/$1
  PATH=$casebook_path mkdir -p "$casebook_results"
  PATH=$casebook_path mkfifo "$casebook_results/done"
}
