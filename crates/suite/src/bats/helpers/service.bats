# Services run in their own process groups. The directory of a service, that of the suite or of the test, has these files:
# NAME.log is its output, NAME.port its port, NAME.pid its process, NAME.exit its exit code if it has ended, and NAME.failed
# says why it is not ready.

# casebook_choose_port NAME VARIABLE: chooses a port on which no program listens and that no other service of this run has. The
# range is below the one from which the system takes ports for connections.
casebook_choose_port() {
  local ports=$BATS_RUN_TMPDIR/casebook-ports port
  PATH=$casebook_path mkdir -p "$ports"
  while :; do
    port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
    if ! casebook_connects "$port" && PATH=$casebook_path mkdir "$ports/$port" 2>/dev/null; then
      break
    fi
  done
  export "$2=$port"
  printf -v "casebook_value_services_${1//-/_}_port" '%s' "$port"
}

# casebook_connects PORT: whether anybody listens.
casebook_connects() {
  (exec 9<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# casebook_has_status URL STATUS: whether a GET request has the status. Other protocols than http require curl.
casebook_has_status() {
  local rest=${1#http://} host port status=''
  if [[ $rest == "$1" ]]; then
    status=$(PATH=$casebook_path curl -s -o /dev/null -m 2 -w '%{http_code}' "$1") || :
    [[ $status == "$2" ]]
    return
  fi
  host=${rest%%[/?#]*}
  rest=${rest#"$host"}
  [[ $rest == /* ]] || rest=/$rest
  port=${host##*:}
  [[ $host == *:* ]] || port=80
  status=$(
    exec 9<>"/dev/tcp/${host%:*}/$port" || exit
    printf 'GET %s HTTP/1.0\r\nHost: %s\r\nConnection: close\r\n\r\n' "$rest" "$host" >&9
    read -r -t 2 _ status _ <&9 && printf '%s' "$status"
  ) 2>/dev/null || :
  [[ $status == "$2" ]]
}

# casebook_start_service DIRECTORY NAME SECONDS [NEEDED...]: starts the service and waits until it is ready.
casebook_start_service() {
  local dir=$1 name=$2 seconds=$3 start=$SECONDS id=${2//-/_} needed place port
  shift 3
  PATH=$casebook_path mkdir -p "$dir"
  port=casebook_value_services_${id}_port
  printf '%s' "${!port}" >|"$dir/$name.port"
  for needed in "$@"; do
    for place in "$dir" "$casebook_services"; do
      if [[ -e $place/$needed.failed ]]; then
        printf 'the service `%s` was not started: %s' "$name" "$(<"$place/$needed.failed")" >|"$dir/$name.failed"
        return
      fi
    done
  done
  if declare -F "casebook_busy_$id" >/dev/null && "casebook_busy_$id"; then
    printf 'the service `%s` was not started: its port is already in use by another process' "$name" >|"$dir/$name.failed"
    return
  fi
  casebook_run_service "$dir" "$name" "$id" </dev/null >/dev/null 2>&1 3>&- 4>&- 7>&- 8>&- &
  until [[ -s $dir/$name.pid ]]; do
    PATH=$casebook_path sleep 0.01
  done
  casebook_log=$dir/$name.log
  until (casebook_enter_service "$id" && "casebook_ready_$id") >/dev/null 2>&1; do
    if [[ -e $dir/$name.exit ]]; then
      break
    fi
    if ((SECONDS - start > seconds)); then
      casebook_describe "$dir" "$name" "is not ready after $seconds s" >|"$dir/$name.failed"
      return
    fi
    PATH=$casebook_path sleep 0.05
  done
  if [[ -e $dir/$name.exit ]]; then
    casebook_describe "$dir" "$name" 'is not ready: it' "$(casebook_end_of "$dir/$name.exit")" >|"$dir/$name.failed"
  fi
}

# casebook_run_service DIRECTORY NAME ID: runs the service, in the background, and waits for its end. If this shell is
# terminated, it kills the service.
casebook_run_service() {
  trap - DEBUG ERR EXIT
  set +e -m
  (
    export CASEBOOK_SERVICE=$1/$2.log
    casebook_enter_service "$3" || exit
    casebook_script "$casebook_command"
    exec -a bash "$BASH" -c -- "$casebook_script"
  ) >"$1/$2.log" 2>&1 &
  casebook_pid=$!
  trap 'kill -s KILL -- "-$casebook_pid" 2>/dev/null' INT TERM HUP
  printf '%s' "$casebook_pid" >|"$1/$2.pid"
  wait "$casebook_pid"
  printf '%s' "$?" >|"$1/$2.exiting"
  PATH=$casebook_path mv "$1/$2.exiting" "$1/$2.exit"
}

# casebook_enter_service ID: sets the command of a service, its environment and its working directory, in a subshell.
casebook_enter_service() {
  casebook_workdir=.
  "casebook_service_$1"
  case $casebook_workdir in
  . | /*) ;;
  *) casebook_workdir=$casebook_dir/$casebook_workdir ;;
  esac
  if ! cd -- "$casebook_workdir" 2>/dev/null; then
    printf 'working directory not found: %s\n' "$casebook_workdir"
    return 1
  fi
}

# casebook_log_matches PATTERN: whether a line of the log of the service being started matches.
casebook_log_matches() {
  LC_ALL=$CASEBOOK_LOCALE PATH=$casebook_path grep -aqE -e "$1" "$casebook_log"
}

# casebook_passes SECONDS COMMAND: whether the command has exit code 0 in time.
casebook_passes() {
  if command -v timeout >/dev/null; then
    timeout "$1" "$BASH" -c -- "$2"
  else
    "$BASH" -c -- "$2"
  fi
}

# casebook_end_of FILE: how a service ended, from its exit code.
casebook_end_of() {
  local code
  code=$(<"$1")
  if [[ $code -eq 0 ]]; then
    printf 'exited with code 0; the command of a service must stay in the foreground'
  elif [[ $code -gt 128 ]] && kill -l $((code - 128)) >/dev/null 2>&1; then
    printf 'was killed by SIG%s' "$(kill -l $((code - 128)))"
  else
    printf 'exited with code %s' "$code"
  fi
}

# casebook_describe DIRECTORY NAME TEXT...: what happened to a service, and the end of its log.
casebook_describe() {
  local dir=$1 name=$2 end
  shift 2
  end=$(PATH=$casebook_path tail -n 10 "$dir/$name.log" | PATH=$casebook_path tail -c 2000 | LC_ALL=C PATH=$casebook_path tr -d '\000')
  if [[ -n $end ]]; then
    printf 'the service `%s` %s\nthe end of its log:\n%s' "$name" "$*" "$end"
  else
    printf 'the service `%s` %s; it wrote nothing' "$name" "$*"
  fi
}

# casebook_check_services DIRECTORY WHEN [NAME...]: fails if one of the services is not ready or has died.
casebook_check_services() {
  local dir=$1 when=$2 name message
  shift 2
  for name in "$@"; do
    if [[ -e $dir/$name.failed ]]; then
      message=$(<"$dir/$name.failed")
    elif [[ -e $dir/$name.exit ]]; then
      message=$(casebook_describe "$dir" "$name" "$when: it" "$(casebook_end_of "$dir/$name.exit")")
    else
      continue
    fi
    printf '%s' "$message" >|"$casebook_service_results/service-failure"
    printf '%s:%s: %s\n' "$casebook_file" "$casebook_line" "$message"
    return 1
  done
}

# Starts the services of a test, after its setup. The test fails if one of those that it uses is not ready.
casebook_begin_services() {
  local name
  # A step has its own directory.
  casebook_service_results=$casebook_results
  for name in $casebook_uses; do
    PATH=$casebook_path wc -c <"$casebook_services/$name.log" >|"$casebook_service_results/$name.position" 2>/dev/null || :
  done
  # shellcheck disable=SC2086 # names of services contain no spaces
  casebook_check_services "$casebook_services" 'died before this test' $casebook_uses || exit 1
  for name in $casebook_own; do
    "casebook_start_${name//-/_}" "$casebook_service_results/services"
  done
  # shellcheck disable=SC2086
  casebook_check_services "$casebook_service_results/services" 'died before this test' $casebook_own || exit 1
}

# Fails the test if one of its services has died.
casebook_still_running() {
  # shellcheck disable=SC2086
  casebook_check_services "$casebook_services" 'died during this test' $casebook_uses || exit 1
  # shellcheck disable=SC2086
  casebook_check_services "$casebook_service_results/services" 'died during this test' $casebook_own || exit 1
}

# Stops the services of a test, before its teardown, and keeps what the services of the suite wrote during it.
casebook_end_services() {
  local name position
  # shellcheck disable=SC2086
  casebook_stop_services "$casebook_service_results/services" $casebook_own
  for name in $casebook_uses; do
    if [[ -s $casebook_service_results/$name.position ]]; then
      position=$(<"$casebook_service_results/$name.position")
      PATH=$casebook_path tail -c "+$((position + 1))" "$casebook_services/$name.log" >|"$casebook_service_results/$name.log" || :
    fi
  done
}

# casebook_stop_services DIRECTORY [NAME...]: stops services, the last one first.
casebook_stop_services() {
  local dir=$1 name names=''
  shift
  for name in "$@"; do
    names="$name $names"
  done
  for name in $names; do
    if [[ -s $dir/$name.pid ]]; then
      "casebook_stop_${name//-/_}" "$dir" || :
    fi
  done
}

# casebook_stop_service DIRECTORY NAME SIGNAL SECONDS: sends the signal. When the time is over, kills the process group and
# what has left it.
casebook_stop_service() {
  local pid start=$SECONDS left
  pid=$(<"$1/$2.pid")
  if [[ ! -e $1/$2.exit ]]; then
    kill -s "$3" -- "-$pid" 2>/dev/null || :
  fi
  while kill -s 0 -- "-$pid" 2>/dev/null && ((SECONDS - start <= $4)); do
    PATH=$casebook_path sleep 0.05
  done
  kill -s KILL -- "-$pid" 2>/dev/null || :
  for left in $(PATH=$casebook_path grep -slzFx "CASEBOOK_SERVICE=$1/$2.log" /proc/[0-9]*/environ 2>/dev/null | PATH=$casebook_path tr -cs '0-9' ' '); do
    kill -s KILL "$left" 2>/dev/null || :
  done
}
