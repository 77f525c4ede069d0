import json, sys
sys.path.insert(0, "..")
from agent import reply
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], "type": "response", **reply(request["messages"])}), flush=True)
