"""The official client for Python, with the program that is named: lists, reads, calls, asks."""

import asyncio
import os
import sys

from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import ElicitResult

PROGRAM, LIFECYCLE = sys.argv[1:3]


async def agree(context, params):
    return ElicitResult(action="accept", content={"decision": "allow"})


async def talk(session):
    await (session.discover() if LIFECYCLE == "discover" else session.initialize())
    print("version", session.protocol_version)
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert "file_read" in tools and "codewhale-reply" in tools, tools
    read = await session.call_tool("file_read", {"path": "notes.txt"})
    assert not read.is_error and "first line" in read.content[0].text, read
    if LIFECYCLE == "initialize":
        wrote = await session.call_tool("file_write", {"path": "new.txt", "content": "made\n"})
        assert not wrote.is_error, wrote
    said = await session.call_tool("codewhale", {"prompt": "hello"})
    assert not said.is_error and said.structured_content["threadId"], said
    resources = (await session.list_resources()).resources
    thread = next(it for it in resources if said.structured_content["threadId"] in str(it.uri))
    assert "hello" in (await session.read_resource(str(thread.uri))).contents[0].text
    assert (await session.list_resource_templates()).resource_templates
    assert (await session.list_prompts()).prompts
    assert (await session.get_prompt("review", {})).messages
    try:
        await session.call_tool("nothing", {})
        raise AssertionError("a tool that is not there was called")
    except MCPError as error:
        assert error.error.code == -32602, error
    print("done")


async def main():
    server = StdioServerParameters(command=PROGRAM, args=["serve", "--mcp"], env=dict(os.environ))
    async with stdio_client(server) as (reading, writing):
        async with ClientSession(reading, writing, elicitation_callback=agree) as session:
            await talk(session)


asyncio.run(main())
