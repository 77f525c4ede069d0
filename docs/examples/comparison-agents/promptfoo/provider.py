import json, sys
sys.path.insert(0, "..")
from agent import reply


def call_api(prompt, options, context):
    return {"output": reply(json.loads(prompt))}
