#!/usr/bin/env python3
"""An agent that books rooms. It understands a few words, has three tools and remembers the conversation.

It uses the JSON lines protocol of docs/agents.md: one request per line on standard input; on standard output one line
per tool call as it happens, and then the response.
"""

import json
import re
import sys

ROOMS = {
    "Blue Room": {"capacity": 12, "price": 80, "taken": ["14:00"]},
    "Garden Room": {"capacity": 20, "price": 120, "taken": []},
    "Attic": {"capacity": 6, "price": 40, "taken": ["09:00"]},
}


class Agent:
    def __init__(self):
        self.people = self.time = self.room = self.booking = None
        self.calls = []

    # The tools. A real agent would use a database or a service.

    def check_availability(self, time, capacity, room=None):
        free = [
            {"room": name, "price": facts["price"]}
            for name, facts in ROOMS.items()
            if room in (None, name) and facts["capacity"] >= capacity and time not in facts["taken"]
        ]
        return sorted(free, key=lambda offer: offer["price"])

    def book_room(self, room, time, people):
        if people > ROOMS[room]["capacity"]:
            raise ValueError(f"{room} has {ROOMS[room]['capacity']} seats")
        ROOMS[room]["taken"].append(time)
        return {"number": "R-1", "room": room, "time": time}

    def cancel_booking(self, number):
        return {"cancelled": number}

    def call(self, tool, **arguments):
        call = {"name": tool, "arguments": arguments}
        try:
            call["result"] = getattr(self, tool)(**arguments)
        except ValueError as error:
            call["error"] = str(error)
        self.calls.append(call)
        send({"type": "tool_call", **call})
        return call.get("result")

    # The conversation.

    def answer(self, text):
        self.calls = []
        self.understand(text)
        if self.booking and re.search(r"\bcancel\b", text, re.I):
            self.call("cancel_booking", number=self.booking)
            return f"Your booking {self.booking} is cancelled."
        if self.people is None or self.time is None:
            missing = "how many people you are" if self.people is None else "what time you need it"
            return f"Welcome! I am happy to find a room for you. Please tell me {missing}."
        if self.room and re.search(r"\b(yes|book|take)\b", text, re.I):
            return self.book()
        return self.offer(text)

    def understand(self, text):
        if people := re.search(r"(\d+) (?:people|guests|persons)", text):
            self.people = int(people[1])
        if time := re.search(r"\b(\d{1,2}) ?(am|pm)\b", text, re.I):
            hour = int(time[1]) % 12 + (12 if time[2].lower() == "pm" else 0)
            self.time = f"{hour:02}:00"

    def offer(self, text):
        wish = next((room for room in ROOMS if room.lower() in text.lower()), None)
        arguments = {"time": self.time, "capacity": self.people, **({"room": wish} if wish else {})}
        free = self.call("check_availability", **arguments)
        if not free and wish:
            return f"I am sorry, the {wish} is not free at {self.time}. Shall I look for another room?"
        if not free:
            return f"I am sorry, no room for {self.people} people is free at {self.time}."
        self.room = free[0]["room"]
        return f"The {self.room} is free at {self.time} and costs {free[0]['price']} EUR. Shall I book it?"

    def book(self):
        booked = self.call("book_room", room=self.room, time=self.time, people=self.people)
        if booked is None:
            return f"I am sorry, the {self.room} could not be booked."
        self.booking = booked["number"]
        return f"Done: the {self.room} is yours at {self.time}. Your booking is {self.booking}."


def send(message):
    print(json.dumps(message), flush=True)


def main():
    agent = Agent()
    for line in sys.stdin:
        request = json.loads(line)
        text = agent.answer(request["messages"][-1]["content"])
        send({"id": request["id"], "type": "response", "text": text, "tool_calls": agent.calls})


if __name__ == "__main__":
    main()
