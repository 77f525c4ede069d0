import json


def call_api(prompt, options, context):
    return {"output": json.dumps({"pass": True, "score": 1, "reason": "scripted"})}
