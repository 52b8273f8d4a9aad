"""Drives a session with the Python SDK: client.py PROGRAM WORKSPACE."""

import asyncio
import os
import sys

import acp
from acp.schema import AllowedOutcome, ClientCapabilities


class Client(acp.Client):
    async def request_permission(self, session_id, tool_call, options, **kwargs):
        once = next(it for it in options if it.kind == "allow_once")
        outcome = AllowedOutcome(outcome="selected", option_id=once.option_id)
        return acp.RequestPermissionResponse(outcome=outcome)

    async def session_update(self, session_id, update, **kwargs):
        if update.session_update == "agent_message_chunk":
            print(update.content.text)


async def main(program, workspace):
    spawned = acp.spawn_agent_process(Client(), program, "serve", "--acp", env=dict(os.environ))
    async with spawned as (agent, _):
        await agent.initialize(protocol_version=1, client_capabilities=ClientCapabilities())
        session = await agent.new_session(cwd=workspace, mcp_servers=[])
        prompt = [acp.text_block("write it")]
        answer = await agent.prompt(session_id=session.session_id, prompt=prompt)
        print("stopped:", answer.stop_reason)
        listed = await agent.list_sessions(cwd=workspace)
        assert [it.session_id for it in listed.sessions] == [session.session_id]


asyncio.run(main(*sys.argv[1:]))
