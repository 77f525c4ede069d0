#!/usr/bin/env bash
# An agent that books rooms. It understands a few words, has three tools and remembers the conversation.
#
# It uses the JSON lines protocol of docs/agents.md: one request per line on standard input; on standard output one line
# per tool call as it happens, and then the response. A real agent would use a JSON library, a database and a model.

# Name, seats, price and the times at which a room is taken; cheapest first.
names=("Attic" "Blue Room" "Garden Room")
seats=(6 12 20)
prices=(40 80 120)
taken=("09:00" "14:00" "")

people='' time='' room='' booking='' calls=''

# --- The tools: each sets `result`, or `error` ---

# check_availability TIME PEOPLE [ROOM]
check_availability() {
  local index offers=()
  for index in "${!names[@]}"; do
    if [[ (-z $3 || $3 == "${names[index]}") && ${seats[index]} -ge $2 && " ${taken[index]} " != *" $1 "* ]]; then
      offers+=("{\"room\":\"${names[index]}\",\"price\":${prices[index]}}")
    fi
  done
  local IFS=,
  result="[${offers[*]}]"
}

# book_room ROOM TIME PEOPLE
book_room() {
  local index
  for index in "${!names[@]}"; do
    if [[ ${names[index]} == "$1" ]]; then
      if (($3 > seats[index])); then
        error="$1 has ${seats[index]} seats"
        return
      fi
      taken[index]+=" $2"
      result="{\"number\":\"R-1\",\"room\":\"$1\",\"time\":\"$2\"}"
    fi
  done
}

# cancel_booking NUMBER
cancel_booking() {
  result="{\"cancelled\":\"$1\"}"
}

# call ARGUMENTS TOOL WORD…: calls a tool and reports the call, with its arguments as JSON.
call() {
  result='' error=''
  "${@:2}"
  local outcome="\"result\":$result"
  if [[ -n $error ]]; then
    outcome="\"error\":\"$error\""
  fi
  local call="\"name\":\"$2\",\"arguments\":$1,$outcome"
  echo "{\"type\":\"tool_call\",$call}"
  calls+="${calls:+,}{$call}"
}

# --- The conversation: each sets `reply` ---

answer() {
  calls=''
  understand "$1"
  if [[ -n $booking && " ${1,,} " == *[^a-z]cancel[^a-z]* ]]; then
    call "{\"number\":\"$booking\"}" cancel_booking "$booking"
    reply="Your booking $booking is cancelled."
  elif [[ -z $people ]]; then
    reply="Welcome! I am happy to find a room for you. Please tell me how many people you are."
  elif [[ -z $time ]]; then
    reply="Welcome! I am happy to find a room for you. Please tell me what time you need it."
  elif [[ -n $room && " ${1,,} " =~ [^a-z](yes|book|take)[^a-z] ]]; then
    book
  else
    offer "${1,,}"
  fi
}

understand() {
  if [[ $1 =~ ([0-9]+)\ (people|guests|persons) ]]; then
    people=${BASH_REMATCH[1]}
  fi
  if [[ ${1,,} =~ ([0-9]{1,2})\ ?(am|pm) ]]; then
    local hour=$((BASH_REMATCH[1] % 12))
    if [[ ${BASH_REMATCH[2]} == pm ]]; then
      hour=$((hour + 12))
    fi
    printf -v time '%02d:00' "$hour"
  fi
}

offer() {
  local name wish=''
  for name in "${names[@]}"; do
    if [[ $1 == *"${name,,}"* ]]; then
      wish=$name
    fi
  done
  call "{\"time\":\"$time\",\"capacity\":$people${wish:+,\"room\":\"$wish\"}}" check_availability "$time" "$people" "$wish"
  if [[ $result =~ \"room\":\"([^\"]*)\",\"price\":([0-9]+) ]]; then
    room=${BASH_REMATCH[1]}
    reply="The $room is free at $time and costs ${BASH_REMATCH[2]} EUR. Shall I book it?"
  elif [[ -n $wish ]]; then
    reply="I am sorry, the $wish is not free at $time. Shall I look for another room?"
  else
    reply="I am sorry, no room for $people people is free at $time."
  fi
}

book() {
  call "{\"room\":\"$room\",\"time\":\"$time\",\"people\":$people}" book_room "$room" "$time" "$people"
  if [[ -n $error ]]; then
    reply="I am sorry, the $room could not be booked."
  else
    booking=R-1
    reply="Done: the $room is yours at $time. Your booking is $booking."
  fi
}

string='"(([^"\\]|\\.)*)"'
while IFS= read -r request; do
  [[ $request =~ \"id\":([0-9]+|$string) ]]
  id=${BASH_REMATCH[1]}
  # The content of the last message.
  [[ $request =~ .*\"content\":$string ]]
  answer "${BASH_REMATCH[1]}"
  echo "{\"id\":$id,\"type\":\"response\",\"text\":\"$reply\",\"tool_calls\":[$calls]}"
done
