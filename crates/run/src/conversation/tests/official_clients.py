"""The official clients of OpenAI and Anthropic: what they read from responses, and whether they could send a request.

Reads {"responses": [{"api", "url", "stream"}], "requests": [{"api", "body"}]} from standard input. Writes what each response
contains, and the problems of each request. A response that is not valid for the client is an error.
"""

import collections.abc
import json
import sys

import anthropic
import openai
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming, CompletionCreateParamsStreaming
from pydantic import TypeAdapter, ValidationError

MESSAGES = [{"role": "user", "content": "hello"}]


def chat(url):
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    response = client.chat.completions.with_raw_response.create(model="mine", messages=MESSAGES)
    completion = openai.types.chat.ChatCompletion.model_validate_json(response.text)
    (choice,) = response.parse().choices
    assert choice == completion.choices[0]
    message, usage = choice.message, completion.usage
    calls = [f"{call.function.name} {call.function.arguments}" for call in message.tool_calls or []]
    text = message.content or message.refusal or ""
    return {"text": text, "calls": calls, "reason": choice.finish_reason, "tokens": [usage.prompt_tokens, usage.completion_tokens]}


def chat_stream(url):
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    text, calls, reason, tokens = "", {}, None, None
    for chunk in client.chat.completions.create(model="mine", messages=MESSAGES, stream=True):
        openai.types.chat.ChatCompletionChunk.model_validate(chunk.to_dict())
        for choice in chunk.choices:
            text += choice.delta.content or ""
            reason = choice.finish_reason or reason
            for part in choice.delta.tool_calls or []:
                name, arguments = calls.get(part.index, ("", ""))
                calls[part.index] = (name + (part.function.name or ""), arguments + (part.function.arguments or ""))
        if chunk.usage:
            tokens = [chunk.usage.prompt_tokens, chunk.usage.completion_tokens]
    return {"text": text, "calls": [" ".join(call) for call in calls.values()], "reason": reason, "tokens": tokens}


def message(url):
    client = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)
    response = client.messages.with_raw_response.create(model="mine", max_tokens=9, messages=MESSAGES)
    message = anthropic.types.Message.model_validate_json(response.text())
    assert response.parse().content == message.content
    text = "".join(block.text for block in message.content if block.type == "text")
    calls = [f"{block.name} {json.dumps(block.input)}" for block in message.content if block.type == "tool_use"]
    usage = message.usage
    read = usage.input_tokens + (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    return {"text": text, "calls": calls, "reason": message.stop_reason, "tokens": [read, usage.output_tokens]}


def evaluated(value):
    """The value with all of its parts validated: lists are validated only when they are read."""
    if isinstance(value, dict):
        return {key: evaluated(part) for key, part in value.items()}
    if isinstance(value, collections.abc.Iterable) and not isinstance(value, (str, bytes)):
        return [evaluated(part) for part in value]
    return value


def problems(api, body):
    if api == "anthropic":
        parameters = MessageCreateParamsNonStreaming
    elif body.get("stream"):
        parameters = CompletionCreateParamsStreaming
    else:
        parameters = CompletionCreateParamsNonStreaming
    # It must exist for as long as the lists are read.
    adapter = TypeAdapter(parameters)
    try:
        valid = evaluated(adapter.validate_python(body))
    except ValidationError as error:
        return [str(error)]
    return [f"unknown: {name}" for name in body if name not in valid]


def main():
    work = json.load(sys.stdin)
    readers = {("openai", False): chat, ("openai", True): chat_stream, ("anthropic", False): message}
    responses = [readers[case["api"], case["stream"]](case["url"]) for case in work["responses"]]
    requests = [problems(case["api"], case["body"]) for case in work["requests"]]
    json.dump({"responses": responses, "requests": requests}, sys.stdout)


main()
