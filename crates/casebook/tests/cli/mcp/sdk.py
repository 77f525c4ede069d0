"""Uses the server as the official client for Python does, which validates every message and every result against its schema.

Arguments: the version of the protocol, the server, its directory. Prints what the test compares.
"""

import asyncio
import json
import os
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

MODES = {"2025-11-25": "legacy", "2026-07-28": "2026-07-28"}


async def main(version, server, directory):
    parameters = StdioServerParameters(
        command=server, args=["mcp"], cwd=directory, env=dict(os.environ)
    )
    async with Client(stdio_client(parameters), mode=MODES[version]) as client:
        seen = {"version": client.protocol_version}
        tools = (await client.list_tools()).tools
        seen["tools"] = [tool.name for tool in tools]
        checked = await client.call_tool("check", {})
        seen["problems"] = checked.structured_content["result"]["problems"]
        progress = []

        async def on_progress(done, total, message):
            progress.append([done, total])

        ran = await client.call_tool("run", {}, progress_callback=on_progress)
        seen["failed"] = ran.structured_content["result"]["failed_count"]
        seen["progress"] = progress
        link = next(block for block in ran.content if block.type == "resource_link")
        contents = (await client.read_resource(link.uri)).contents
        seen["tests"] = len(json.loads(contents[0].text)["tests"])
        outside = await client.call_tool("check", {"paths": ["../x.yaml"]})
        seen["outside"] = outside.is_error
        seen["resources"] = [str(one.uri) for one in (await client.list_resources()).resources]
        templates = await client.list_resource_templates()
        seen["templates"] = len(templates.resource_templates)
        prompts = (await client.list_prompts()).prompts
        seen["prompts"] = [prompt.name for prompt in prompts]
        prompt = await client.get_prompt("cover_method", {"method": "lib/a.rb#b"})
        seen["prompt"] = "lib/a.rb#b" in prompt.messages[0].content.text
        await cancel(client)
        print(json.dumps(seen))


async def cancel(client):
    """A canceled request is not answered, and the next one is."""
    slow = asyncio.create_task(client.call_tool("run", {"paths": ["slow/slow.casebook.yaml"]}))
    await asyncio.sleep(0.3)
    slow.cancel()
    try:
        await slow
    except asyncio.CancelledError:
        pass
    await client.call_tool("list", {})


asyncio.run(main(*sys.argv[1:]))
