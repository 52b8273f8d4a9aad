"""The official client for Python, with a program or an address: lists, reads, calls, is asked, stops."""

import asyncio
import os
import sys

import httpx2
from mcp import ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult, InputRequiredResult, ResourceUpdatedNotification

PROGRAM, LIFECYCLE, *TOKEN = sys.argv[1:]

asked = []
changed = []


async def hear(message):
    if isinstance(message, ResourceUpdatedNotification):
        changed.append(str(message.params.uri))


async def agree(context, params):
    asked.append(params.message)
    return ElicitResult(action="accept", content={"decision": "allow"})


async def call(session, name, arguments):
    """Calls a tool, and again with the answers where it asks by its result."""
    more = {}
    while True:
        result = await session.call_tool(name, arguments, allow_input_required=True, **more)
        if not isinstance(result, InputRequiredResult):
            return result
        assert LIFECYCLE == "discover", result
        requests = result.input_requests.items()
        answers = {key: await agree(None, request.params) for key, request in requests}
        more = {"input_responses": answers, "request_state": result.request_state}


async def look(session):
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert "file_read" in tools and "codewhale-reply" in tools, tools
    read = await session.call_tool("file_read", {"path": "notes.txt"})
    assert not read.is_error and "first line" in read.content[0].text, read
    try:
        await session.call_tool("nothing", {})
        raise AssertionError("a tool that is not there was called")
    except MCPError as error:
        assert error.error.code == -32602, error


async def prompt(session):
    told = []

    async def progress(progress, total, message):
        told.append(message)

    said = await session.call_tool("codewhale", {"prompt": "hello"}, progress_callback=progress)
    assert not said.is_error and said.structured_content["threadId"], said
    assert told, "no progress was told"
    thread = said.structured_content["threadId"]
    again = await session.call_tool("codewhale-reply", {"thread_id": thread, "prompt": "more"})
    assert again.structured_content["threadId"] == thread, again
    return thread


async def read(session, thread):
    resources = (await session.list_resources()).resources
    found = next(it for it in resources if thread in str(it.uri))
    text = (await session.read_resource(str(found.uri))).contents[0].text
    assert "hello" in text, text
    assert (await session.list_resource_templates()).resource_templates
    assert {"review", "explain_thread"} <= {it.name for it in (await session.list_prompts()).prompts}
    explained = await session.get_prompt("explain_thread", {"thread_id": thread})
    assert "hello" in explained.messages[0].content.text, explained


async def follow(session, thread):
    uri = f"codewhale://thread/{thread}"
    await session.subscribe_resource(uri)
    await session.call_tool("codewhale-reply", {"thread_id": thread, "prompt": "and more"})
    while uri not in changed:
        await session.list_prompts()
    await session.unsubscribe_resource(uri)


async def change(session):
    wrote = await call(session, "file_write", {"path": "new.txt", "content": "made\n"})
    assert not wrote.is_error, wrote
    assert len(asked) == 1 and "new.txt" in asked[0], asked


async def stop(session):
    command = {"command": "touch begun; sleep 600"}
    running = asyncio.ensure_future(call(session, "shell", command))
    while not os.path.exists("begun"):
        await session.list_prompts()
    running.cancel()
    resources = (await session.list_resources()).resources
    thread = next(str(it.uri) for it in resources if it.name.startswith("Tool calls of"))
    while "interrupted" not in (await session.read_resource(thread)).contents[0].text:
        pass


async def talk(session):
    await (session.discover() if LIFECYCLE == "discover" else session.initialize())
    print("version", session.protocol_version)
    await look(session)
    thread = await prompt(session)
    await read(session, thread)
    # Later versions follow resources in another way.
    if LIFECYCLE == "initialize":
        await follow(session, thread)
    await change(session)
    await stop(session)
    print("done")


def pipes():
    server = StdioServerParameters(command=PROGRAM, args=["serve", "--mcp"], env=dict(os.environ))
    return stdio_client(server)


def http():
    client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN[0]}"}, timeout=60)
    return streamable_http_client(PROGRAM, http_client=client)


async def main():
    async with http() if TOKEN else pipes() as (reading, writing):
        async with ClientSession(reading, writing, elicitation_callback=agree, message_handler=hear) as session:
            await talk(session)


asyncio.run(main())
