# Sets casebook_clock_now to the time in milliseconds. Bash before version 5 has no such clock, and the `date` of some systems has
# only seconds.
casebook_now() {
  local time=${EPOCHREALTIME-}
  if [[ -n $time ]]; then
    casebook_clock_now=$((${time/[.,]/} / 1000))
    return
  fi
  time=$(PATH=$casebook_path date +%s%N)
  case $time in
  *[!0-9]*) casebook_clock_now=$(PATH=$casebook_path date +%s)000 ;;
  *) casebook_clock_now=${time%??????} ;;
  esac
}
