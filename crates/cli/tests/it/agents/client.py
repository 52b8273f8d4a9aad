"""Drives the program with the official client of the Agent Communication Protocol.

Called with the address, the token, the name of a scene below, and what that scene takes. Ends with 0
when everything was as it should be; what a later scene needs to know stands on standard output.
"""

import asyncio
import sys

import httpx
from acp_sdk.client import Client
from acp_sdk.models import ACPError, Message, MessageAwaitResume, MessagePart, Session
from acp_sdk.shared import ResourceLoader

AGENT = "codewhale-agent"


def says(text, content_type="text/plain"):
    part = MessagePart(content=text, content_type=content_type)
    return MessageAwaitResume(message=Message(role="user", parts=[part]))


def kinds(events):
    return [event.type for event in events if event.type != "message.part"]


async def refusal(call):
    try:
        await call
    except ACPError as error:
        return error.error
    raise AssertionError("it was not refused")


async def gathered(stream):
    return [event async for event in stream]


async def rested(client, run_id, *statuses):
    """Reads the run until it is in one of these states; the test bounds the time."""
    while True:
        run = await client.run_status(run_id=run_id)
        if run.status.value in statuses:
            return run


async def discovery(client, thread):
    await client.ping()
    names = [agent.name async for agent in client.agents()]
    assert names[:3] == [AGENT, "codewhale-plan", "codewhale-operate"], names
    assert names[3:] == [thread], names
    manifest = await client.agent(name=thread)
    assert "Walked" in manifest.description, manifest
    error = await refusal(client.agent(name="nobody"))
    assert (error.code, error.message) == ("not_found", "Agent nobody not found"), error
    run = await client.run_sync("go on", agent=thread)
    assert (run.agent_name, run.status.value) == (thread, "completed"), run
    assert str(run.session_id).replace("-", "") == thread.removeprefix("thread-"), run
    assert str(run.output[0]) == "Gone on.", run


async def sync(client):
    run = await client.run_sync("Say hello.", agent=AGENT)
    assert run.status.value == "completed", run
    assert [str(message) for message in run.output] == ["Hello, you."], run
    assert run.output[0].role == f"agent/{AGENT}", run
    assert run.finished_at >= run.created_at and run.error is None, run
    assert await client.run_status(run_id=run.run_id) == run


async def stream(client):
    events = await gathered(client.run_stream("Make it.", agent=AGENT))
    assert kinds(events) == [
        "run.created",
        "run.in-progress",
        "message.created",
        "message.completed",
        "run.awaiting",
    ], kinds(events)
    parts = [event.part.content for event in events if event.type == "message.part"]
    assert "".join(parts) == "Shall do.", parts
    run = events[-1].run
    asked = run.await_request.message
    assert "touch made.txt" in str(asked), asked
    assert asked.parts[1].name == "approval", asked
    assert (await client.run_status(run_id=run.run_id)) == run

    more = await gathered(client.run_resume_stream(says("allow"), run_id=run.run_id))
    assert kinds(more) == [
        "run.in-progress",
        "message.created",
        "message.completed",
        "message.created",
        "message.completed",
        "run.completed",
    ], kinds(more)
    assert more[0].run.await_request is not None
    step = more[2].part.metadata
    assert (step.kind, step.tool_name) == ("trajectory", "exec_shell"), step
    assert step.tool_input.command == "touch made.txt", step
    run = more[-1].run
    assert [str(message) for message in run.output] == ["Shall do.", "", "Made."], run
    assert await client.run_status(run_id=run.run_id) == run
    # The list is what the streams told, whenever it is read.
    assert await gathered(client.run_events(run_id=run.run_id)) == events + more


async def asynchronous(client):
    run = await client.run_async("Make it.", agent=AGENT)
    assert run.status.value == "created", run
    run = await rested(client, run.run_id, "awaiting")
    error = await refusal(client.run_resume_async(says("perhaps"), run_id=run.run_id))
    assert error.code == "invalid_input" and "allow" in error.message, error
    accepted = await client.run_resume_async(
        says('{"decision": "deny"}', "application/json"), run_id=run.run_id
    )
    assert accepted.status.value == "in-progress", accepted
    run = await rested(client, run.run_id, "completed")
    assert str(run.output[-1]) == "Then not.", run
    error = await refusal(client.run_resume_sync(says("allow"), run_id=run.run_id))
    assert error.code == "server_error" and "waits for nothing" in error.message, error


async def question(client):
    run = await client.run_sync("Choose.", agent=AGENT)
    assert run.status.value == "awaiting", run
    assert "Which one?" in str(run.await_request.message), run
    run = await client.run_resume_sync(says("sqlite"), run_id=run.run_id)
    assert (run.status.value, str(run.output[-1])) == ("completed", "As you wish."), run


async def cancel(client):
    run = await client.run_async("Take your time.", agent=AGENT)
    while "message.part" not in [event.type async for event in client.run_events(run_id=run.run_id)]:
        pass
    cancelling = await client.run_cancel(run_id=run.run_id)
    assert cancelling.status.value == "cancelling", cancelling
    run = await rested(client, run.run_id, "cancelled")
    assert str(run.output[0]) == "Hello" and run.finished_at is not None, run
    events = await gathered(client.run_events(run_id=run.run_id))
    assert events[-1].type == "run.cancelled", events[-1]
    error = await refusal(client.run_cancel(run_id=run.run_id))
    assert error.code == "server_error" and "ended" in error.message, error


async def sessions(client):
    async with client.session() as talk:
        first = await talk.run_sync("My name is Ada.", agent=AGENT)
        second = await talk.run_sync("What is my name?", agent="codewhale-plan")
        assert first.session_id == second.session_id, (first, second)
        assert (first.agent_name, second.agent_name) == (AGENT, "codewhale-plan"), second
        session = await talk.refresh_session()
        assert session.id == first.session_id and session.state is None, session
        loader = ResourceLoader(client=client.client)
        history = [message async for message in session.load_history(loader=loader)]
        told = [(message.role, str(message)) for message in history]
        assert told == [
            ("user", "My name is Ada."),
            (f"agent/{AGENT}", "Hello, Ada."),
            ("user", "What is my name?"),
            ("agent/codewhale-plan", "Ada."),
        ], told
    strange = Session(history=["http://127.0.0.1:9/elsewhere"])
    async with client.session(strange) as talk:
        error = await refusal(talk.run_sync("Go on.", agent=AGENT))
        assert error.code == "invalid_input" and "another server" in error.message, error


async def begin(client):
    async with client.session() as talk:
        run = await talk.run_async("Take your time.", agent=AGENT)
        print(run.run_id, run.session_id)


async def after(client, run_id, session_id):
    run = await client.run_status(run_id=run_id)
    assert run.status.value == "failed" and "restart" in run.error.message, run
    assert str(run.session_id) == session_id, run
    assert [str(message) for message in run.output] == ["Hello"], run
    events = await gathered(client.run_events(run_id=run_id))
    assert events[-1].type == "run.failed" and events[-1].run == run, events[-1]
    async with client.session(Session(id=session_id)) as talk:
        run = await talk.run_sync("Go on.", agent=AGENT)
        assert (run.status.value, str(run.session_id)) == ("completed", session_id), run


async def stranger(client):
    error = await refusal(client.run_sync("Hello?", agent=AGENT))
    assert error.code == "server_error" and "token" in error.message, error


SCENES = [discovery, sync, stream, asynchronous, question, cancel, sessions, begin, after, stranger]


async def main(address, token, scene, *arguments):
    headers = {"Authorization": f"Bearer {token}"}
    timeout = httpx.Timeout(60)
    base = f"http://{address}/acp"
    async with Client(base_url=base, headers=headers, timeout=timeout, trust_env=False) as client:
        chosen = {scene.__name__: scene for scene in SCENES}[scene]
        await chosen(client, *arguments)


asyncio.run(main(*sys.argv[1:]))
