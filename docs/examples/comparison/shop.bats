bats_require_minimum_version 1.5.0

@test "lists the prices" {
  run ./shop list
  [ "$status" -eq 0 ]
  [ "$output" = "beer     3 EUR
bread    2 EUR
cheese   7 EUR" ]
}

@test "rejects an unknown item" {
  run --separate-stderr ./shop sell car
  [ "$status" -eq 2 ]
  [ "$output" = "" ]
  [[ "$stderr" == *"no such item: car"* ]]
}

@test "has a machine-readable list" {
  run ./shop list --json
  [ "$status" -eq 0 ]
  [ "$(jq .items[0].price <<<"$output")" = 3 ]
}

@test "sells what the list names first" {
  item=$(./shop list --json | jq -r .items[0].name)
  run ./shop sell "$item" 2
  [ "$status" -eq 0 ]
  [ "$output" = "sold 2 beer for 6 EUR" ]
}
