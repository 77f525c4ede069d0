"""An agent that books rooms. It reads one request per line and responds with a text and its tool calls."""

import json
import re
import sys


def book_room(capacity):
    room = "Blue Room" if capacity <= 10 else "Great Hall"
    return {"name": "book_room", "arguments": {"room": room, "capacity": capacity}, "result": {"booked": True}}


for line in sys.stdin:
    chat = json.loads(line)
    people = re.search(r"(\d+) people", chat["messages"][-1]["content"])
    calls = [book_room(int(people[1]))] if people else []
    text = "Welcome! For how many people do you need a room?"
    if calls:
        text = f"Done: the {calls[0]['arguments']['room']} is yours."
    print(json.dumps({"id": chat["id"], "type": "response", "text": text, "tool_calls": calls}), flush=True)
