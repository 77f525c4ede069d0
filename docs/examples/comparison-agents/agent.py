"""A pizza agent with a bug: it forgets the number that it has offered."""
import re


def reply(messages):
    said = [m["content"].lower() for m in messages if m["role"] == "user"]
    sizes = [word for text in said for word in ("small", "large") if word in text]
    last, calls = said[-1], []
    if not sizes:
        text = "Hello! Would you like a small or a large pizza?"
    elif "yes" in last:
        calls = [{"name": "order", "arguments": {"size": sizes[-1], "count": 1}, "result": {"minutes": 20}}]
        text = "It will be with you in 20 minutes."
    else:
        count = re.search(r"\d+", last)
        text = f"That makes {count[0] if count else 1} {sizes[-1]} pizza. Shall I order?"
    return {"text": text, "tool_calls": calls}
