// Generated from generated/openapi.json by `npm run gen`; do not edit.

export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tells that the server lives. */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the receipts of sub-agents, the last changed first. */
        get: operations["agent-runs/list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agent-runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads the receipt of a sub-agent, by its run or by itself. */
        get: operations["agent-runs/get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answers an approval. The first answer wins. */
        post: operations["approvals/decide"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/mcp/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the MCP servers and how they are. Starts nothing. */
        get: operations["mcp/servers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apps/mcp/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the tools of MCP servers. Starts nothing unless asked to. */
        get: operations["mcp/tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/automations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists automations, the last changed first. */
        get: operations["automations/list"];
        put?: never;
        /** Makes an automation: a prompt that the clock puts into the queue of tasks. */
        post: operations["automations/create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/automations/{automation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads an automation. */
        get: operations["automations/get"];
        put?: never;
        post?: never;
        /** Takes an automation away, with its runs. */
        delete: operations["automations/delete"];
        options?: never;
        head?: never;
        /** Changes an automation. Another schedule or status counts from now on. */
        patch: operations["automations/patch"];
        trace?: never;
    };
    "/v1/automations/{automation_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pauses an automation. */
        post: operations["automations/pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/automations/{automation_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lets the clock count for an automation again. */
        post: operations["automations/resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/automations/{automation_id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begins a run now. The schedule stays as it is. */
        post: operations["automations/run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/automations/{automation_id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the runs of an automation, newest first. */
        get: operations["automations/runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the settings that count. Secrets are told as set. */
        get: operations["config/get"];
        put?: never;
        /** Gives a setting another value, for good or until the program ends. */
        post: operations["config/set"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/config/reload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Reads the configuration file again. A broken one changes nothing. */
        post: operations["config/reload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists fleet runs and counts their tasks. */
        get: operations["fleet/list"];
        put?: never;
        /** Makes a fleet run: independent tasks for workers of their own. Nothing runs before its start. */
        post: operations["fleet/create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a fleet run with what it was asked to do. */
        get: operations["fleet/get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/runs/{run_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follows a fleet run: what is already there, then what happens, without gap or repeat.
         * @description The same events as in fleet/replay. `fleet.replay.truncated` comes first when older events were left out. The stream does not end with the run.
         */
        get: operations["fleet/events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/runs/{run_id}/events/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads events of a fleet run: those behind a cursor, or the newest. */
        get: operations["fleet/replay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/runs/{run_id}/receipts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists what became of the tasks of a fleet run. */
        get: operations["fleet/receipts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/runs/{run_id}/receipts/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tells what became of a task of a fleet run. */
        get: operations["fleet/receipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/runs/{run_id}/receipts/{task_id}/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the beginning of what a task of a fleet run left. */
        get: operations["fleet/evidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/runs/{run_id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts a fleet run, or goes on with one whose process has ended. Workers begin behind the answer. */
        post: operations["fleet/start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/runs/{run_id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Calls off every task of a fleet run that has not ended. */
        post: operations["fleet/stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/runs/{run_id}/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the workers of a fleet run. */
        get: operations["fleet/workers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/workers/{worker_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tells how a worker of a fleet is. */
        get: operations["fleet/worker"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/workers/{worker_id}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Calls off the task that a worker has. The others go on. */
        post: operations["fleet/interrupt-worker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/workers/{worker_id}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Has the latest task of a worker done again, by the same worker. */
        post: operations["fleet/restart-worker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/workers/{worker_id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The same as interrupting a worker, under its other name. */
        post: operations["fleet/stop-worker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the notes that agents keep for later threads. */
        get: operations["memory/list"];
        put?: never;
        /** Keeps a note for later threads. */
        post: operations["memory/add"];
        /** Forgets all notes that hold somewhere. */
        delete: operations["memory/clear"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory/{memory_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads one note. */
        get: operations["memory/get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document. */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the providers of models, and tells which one new threads use. */
        get: operations["providers/list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/providers/{provider_id}/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the models that are known of a provider. */
        get: operations["providers/models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/providers/{provider_id}/switch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a provider the one that new threads use, and keeps that. Threads there are keep theirs. */
        post: operations["providers/switch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tells version, address and capabilities of the server. */
        get: operations["runtime/info"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists sessions: threads that have something in them, seen as recordings. */
        get: operations["sessions/list"];
        /** Hands out a whole session: the one named, or the last changed. */
        put: operations["sessions/export"];
        /** Tells under which id a thread is kept as a session, and gives it a title. */
        post: operations["sessions/save"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a session: all of it, or its last entries. */
        get: operations["sessions/get"];
        put?: never;
        post?: never;
        /** Deletes a session: no door shows it or its thread any more. The log stays whole. */
        delete: operations["sessions/delete"];
        options?: never;
        head?: never;
        /** Renames a session, puts it away or brings it back. */
        patch: operations["sessions/patch"];
        trace?: never;
    };
    "/v1/sessions/{session_id}/resume-thread": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Goes on with a session: its thread, loaded, with the model and mode that were asked for. */
        post: operations["sessions/resume-thread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists sessions as short lines. */
        get: operations["sessions/summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/skills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the skills that count in a workspace. */
        get: operations["skills/list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the restore points of a workspace, newest first. */
        get: operations["snapshots/list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/snapshots/{snapshot_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Brings the files of a workspace back to a snapshot, with the conversation that belongs to them. */
        post: operations["snapshots/restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs one prompt on a thread of its own and streams what happens; ends with the turn. */
        post: operations["stream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists background tasks, newest first, and counts them. */
        get: operations["tasks/list"];
        put?: never;
        /** Puts a prompt into the queue of background tasks. */
        post: operations["tasks/create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a background task with what its thread tells about it. */
        get: operations["tasks/get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Calls a background task off. One that runs is told to stop; its end arrives later. */
        post: operations["tasks/cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists threads, the last changed first. */
        get: operations["threads/list"];
        put?: never;
        /** Makes a thread. */
        post: operations["threads/create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a whole thread at one moment of the log. */
        get: operations["threads/get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Changes settings of a thread. */
        patch: operations["threads/patch"];
        trace?: never;
    };
    "/v1/threads/{thread_id}/compact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts a turn that shortens the conversation to a summary. */
        post: operations["threads/compact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follows a thread: what is already there, then what happens, without gap or repeat.
         * @description Goes on until the client leaves. Events: thread.started, thread.forked, thread.updated, turn.started, turn.lifecycle, turn.steered, turn.interrupt_requested, turn.completed, item.started, item.delta, item.completed, item.failed, item.interrupted, item.canceled, approval.required, approval.decided, approval.timeout, user_input.required, user_input.answered, user_input.canceled, tool_call.requested, tool_call.resolved, tool_call.timeout, tool_call.canceled, sandbox.denied, agent.spawned, agent.completed, thread_goal_updated, thread_goal_cleared, task.created, task.updated, automation.updated, coherence.state, workspace.trust, room.created, store.created.
         */
        get: operations["threads/events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Copies a thread with its turns and items. */
        post: operations["threads/fork"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/goal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tells what a thread works towards. */
        get: operations["goals/get"];
        /** Gives a thread a goal, in place of the one it has. Its agent goes on, turn after turn, until the goal is reached, blocked, paused, or out of its budget. */
        put: operations["goals/set"];
        post?: never;
        /** Takes the goal of a thread away. */
        delete: operations["goals/clear"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/goal/block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Calls the goal of a thread blocked: its agent does not go on by itself. */
        post: operations["goals/block"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/goal/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Calls the goal of a thread reached. */
        post: operations["goals/complete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/patch-undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The same as undo, under its other name. */
        post: operations["threads/patch-undo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Loads a thread, so that its next turn starts at once. */
        post: operations["threads/resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undoes the last turns and starts one in their place. */
        post: operations["threads/retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/tool-calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts a turn that runs one call of a tool and asks no model. Law, approvals, walls and the log are those of every turn. */
        post: operations["tools/call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts a turn. The answer comes once the turn is stored; the work goes on behind it. */
        post: operations["turns/start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/turns/{turn_id}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops a running turn. Its end arrives as an event. */
        post: operations["turns/interrupt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/turns/{turn_id}/steer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Adds to a running turn. */
        post: operations["turns/steer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/turns/{turn_id}/tool-calls/{call_id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answers a call of a tool that the client runs. The first answer counts. */
        post: operations["tool-calls/result"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Copies a thread without its last turns and puts their files back, both or neither. */
        post: operations["threads/undo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists threads as short lines with title, preview and the state of their workspace. */
        get: operations["threads/summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the tools that threads have in any case. Those of servers and workspaces come beside them. */
        get: operations["tools/list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/turns/{turn_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a turn with its items and what it waits for, at one moment of the log. */
        get: operations["turns/get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Adds up what turns used and what that cost. */
        get: operations["usage/report"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/user-input/{thread_id}/{input_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answers questions of the agent. The answers reach the model and are kept nowhere. */
        post: operations["user-input/answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tells how the repository of a workspace stands. */
        get: operations["workspaces/status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workspace/trust": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tells what a workspace brings along that could act, and whether it is trusted. */
        get: operations["workspaces/trust"];
        put?: never;
        /** Trusts what a workspace brings along, as it is now, or stops trusting it. */
        post: operations["workspaces/set-trust"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Who did something, as every event tells it. Token and device stay behind in the store. */
        Actor: {
            /** @description Which model, for agents. */
            agent?: components["schemas"]["AgentIdentity"] | null;
            /** @description Who: a principal, an agent, or the part of the runtime. */
            id: string;
            /** @description What kind of someone. */
            kind: components["schemas"]["ActorKind"];
            /** @description Through which door. */
            surface: components["schemas"]["Surface"];
        };
        /** @description Names one exact actor, token and device included: a digest of what the store keeps about it. */
        ActorId: string;
        /** @description What kind of someone acted. */
        ActorKind: "human" | "agent" | "automation" | "service" | "system";
        /** @description What to do next with a sub-agent. */
        AgentAdvice: {
            /** @description One word. */
            action: string;
            /** @description Why. */
            reason: string;
            /** @description The tool for it. */
            tool?: string | null;
        };
        /** @description Something a sub-agent left behind. */
        AgentArtifact: {
            /** @description What is in it. */
            description: string;
            /** @description What it is. */
            kind: string;
            /** @description Its name. */
            name: string;
            /** @description Where it is. */
            target: string;
        };
        /** @description How a parent speaks to its sub-agent again. */
        AgentFollowUp: {
            /** @description In which states it listens. */
            accepted_statuses: components["schemas"]["AgentRunStatus"][];
            /** @description The agent. */
            agent_id: string;
            /** @description Its name. */
            session_name?: string | null;
            /** @description The tool. */
            tool: string;
        };
        /** @description Which model an agent is. */
        AgentIdentity: {
            /** @description The agent; lasts as long as its thread. */
            agent_id: string;
            /** @description The model that served it. */
            model: string;
            /** @description The provider that served the call. */
            provider: string;
        };
        /** @description Payload of `agent.spawned` and `agent.completed`. */
        AgentNews: {
            /** @description The agent. */
            agent_id: string;
            /** @description Its thread. */
            agent_thread_id: components["schemas"]["ThreadId"];
            /** @description A line in the turn of the parent; none when no turn runs there. */
            item?: components["schemas"]["TurnItemRecord"] | null;
            /** @description The model it began with. */
            model: string;
            /** @description The thread that started it. */
            parent_thread_id: components["schemas"]["ThreadId"];
            /** @description The provider it began with. */
            provider: string;
            /** @description What it is for. */
            role: components["schemas"]["AgentRole"];
            /** @description Where it stands. */
            status: components["schemas"]["AgentRunStatus"];
        };
        /** @description What a sub-agent is for. Decides what it may do, within what its parent may. */
        AgentRole: "worker" | "scout" | "planner" | "reviewer" | "builder" | "verifier" | "consultant" | "custom";
        /** @description The receipt of a sub-agent. */
        AgentRun: {
            /** @description Always `subagent`. */
            actor_kind: string;
            /** @description What it left behind. */
            artifacts: components["schemas"]["AgentArtifact"][];
            /**
             * Format: uint64
             * @description When it ended.
             */
            completed_at_ms?: number | null;
            /**
             * Format: uint64
             * @description When it was made, in milliseconds since the epoch.
             */
            created_at_ms: number;
            /** @description Why it could not go on. */
            error?: string | null;
            /** @description What happened to it, the newest so many. */
            events: components["schemas"]["AgentRunEvent"][];
            /** @description How its parent speaks to it again. */
            follow_up: components["schemas"]["AgentFollowUp"];
            /** @description What it said last. */
            latest_message?: string | null;
            /** @description The thread at the top of its tree. */
            owner_session_id?: string | null;
            /** @description The run that started it, when that is a sub-agent too. */
            parent_run_id?: string | null;
            /** @description What to do next. */
            recommended_action: components["schemas"]["AgentAdvice"];
            /** @description What came of it, in its own words. */
            result_summary?: string | null;
            /** @description What it was asked to be and do. */
            spec: components["schemas"]["AgentSpec"];
            /**
             * Format: uint64
             * @description When it began.
             */
            started_at_ms?: number | null;
            /** @description Where it stands. */
            status: components["schemas"]["AgentRunStatus"];
            /**
             * Format: uint64
             * @description How many calls it has made.
             */
            steps_taken: number;
            /** @description How a person takes over. */
            takeover: components["schemas"]["AgentTakeover"];
            /**
             * Format: uint64
             * @description When it last changed.
             */
            updated_at_ms: number;
            /** @description What it cost. */
            usage: components["schemas"]["AgentUsage"];
            /** @description Who has checked its work. */
            verification: components["schemas"]["AgentVerification"];
        };
        /** @description Something that happened to a sub-agent. */
        AgentRunEvent: {
            /** @description In words. */
            message?: string | null;
            /**
             * Format: uint64
             * @description Its number in the run.
             */
            seq: number;
            /** @description Where it stood then. */
            status: components["schemas"]["AgentRunStatus"];
            /**
             * Format: uint64
             * @description When, in milliseconds since the epoch.
             */
            timestamp_ms: number;
            /** @description The agent. */
            worker_id: string;
        };
        /** @description What `agent-runs/get` takes. */
        AgentRunParams: {
            /** @description The run, or the agent. */
            run_id: string;
        };
        /** @description All runs that a caller may see. */
        AgentRuns: {
            /** @description The newest first. */
            runs: components["schemas"]["AgentRun"][];
        };
        /** @description What `agent-runs/list` takes. */
        AgentRunsListParams: {
            /**
             * Format: uint64
             * @description How many, brought into 1 to 500; 50 when absent.
             * @default 50
             */
            limit?: number | null;
            /** @description Only those below this thread. */
            thread_id?: components["schemas"]["ThreadId"] | null;
        };
        /** @description Where a sub-agent stands. */
        AgentRunStatus: "queued" | "starting" | "running" | "waiting_for_user" | "model_wait" | "running_tool" | "completed" | "failed" | "cancelled" | "interrupted";
        /** @description What a sub-agent was asked to be and do. */
        AgentSpec: {
            /** @description The same, under its older name. */
            agent_type: components["schemas"]["AgentRole"];
            /** @description What it knows at the start; always `fresh`. */
            context_mode: string;
            /** @description Whether it began with its parent's conversation. */
            fork_context: boolean;
            /**
             * Format: uint64
             * @description How far below the top agents may be.
             */
            max_spawn_depth: number;
            /**
             * Format: uint64
             * @description The most calls of the model in one turn.
             */
            max_steps: number;
            /** @description The model. */
            model: string;
            /** @description What it is to do. */
            objective: string;
            /** @description The run that started it, when that is a sub-agent too. */
            parent_run_id?: string | null;
            /** @description What it is for. */
            role?: components["schemas"]["AgentRole"] | null;
            /** @description The run. */
            run_id: string;
            /** @description What it may do. */
            runtime_profile: unknown;
            /** @description The name its parent gave it. */
            session_name?: string | null;
            /**
             * Format: uint64
             * @description How far below the top of its tree it is.
             */
            spawn_depth: number;
            /** @description Always `inherited`: its tools are those of its parent that its role leaves. */
            tool_profile: string;
            /** @description The agent; lasts as long as its thread. */
            worker_id: string;
            /** @description Where it works. */
            workspace: string;
        };
        /** @description How a person takes over from a sub-agent. */
        AgentTakeover: {
            /** @description The agent. */
            agent_id: string;
            /** @description What to do, in words. */
            instructions: string;
            /** @description Always `thread`: it has one like any other. */
            kind: string;
            /** @description Its name. */
            session_name?: string | null;
            /** @description Always true. */
            supported: boolean;
            /** @description The thread to open. */
            thread_id: components["schemas"]["ThreadId"];
        };
        /** @description What a sub-agent cost. */
        AgentUsage: {
            /**
             * Format: uint64
             * @description What is left of it.
             */
            budget_remaining_tokens?: number | null;
            /** @description Whose budget it is: `tree`. */
            budget_scope?: string | null;
            /**
             * Format: uint64
             * @description How many they have cost together, when this was written.
             */
            budget_spent_tokens?: number | null;
            /**
             * Format: uint64
             * @description Tokens read.
             */
            input_tokens?: number | null;
            /** @description A word for people. */
            note: string;
            /**
             * Format: uint64
             * @description Tokens written.
             */
            output_tokens?: number | null;
            /** @description `reported` once the provider has said something, `unknown` before. */
            status: string;
            /**
             * Format: uint64
             * @description How many tokens the sub-agents of its tree may cost together.
             */
            token_budget?: number | null;
            /**
             * Format: uint64
             * @description Both.
             */
            total_tokens?: number | null;
        };
        /** @description Who has checked the work of a sub-agent. */
        AgentVerification: {
            /** @description `self_report_only`: nobody but itself. */
            status: string;
            /** @description In words. */
            summary: string;
        };
        /** @description Payload of `approval.decided`. */
        ApprovalDecided: {
            /** @description The approval. */
            approval_id: components["schemas"]["ApprovalId"];
            /** @description True when no person answered. */
            auto?: boolean;
            /** @description The answer. */
            decision: components["schemas"]["ApprovalDecision"];
            /** @description True when the process that waited is gone. */
            expired?: boolean;
            /** @description The posture that answered by itself. */
            posture?: components["schemas"]["PermissionPosture"] | null;
            /** @description Whether it is to hold for the same call again. */
            remember: boolean;
            /** @description True when the time ran out. */
            timeout?: boolean;
        };
        /** @description Yes or no. */
        ApprovalDecision: "allow" | "deny";
        /**
         * @description A question to a person whether a tool call may run.
         * @example appr_019a86c4f2b07d3e8c5a1b9d4e6f7082
         */
        ApprovalId: string;
        /** @description The answer to an answer. */
        ApprovalReceipt: {
            /** @description The approval. */
            approval_id: components["schemas"]["ApprovalId"];
            /** @description What was recorded. */
            decision: components["schemas"]["ApprovalDecision"];
            /** @description Whether it reached the waiting call. */
            delivered: boolean;
            /** @description Always true; failures are errors. */
            ok: boolean;
        };
        /** @description Payload of `approval.required`. */
        ApprovalRequired: {
            /** @description The same, under its older name. */
            approval_id: components["schemas"]["ApprovalId"];
            /** @description Who asks, when it is a sub-agent of this thread. */
            asked_by?: components["schemas"]["AskedBy"] | null;
            /** @description The answers that are open. */
            available_decisions: unknown[];
            /** @description The model's id of the call. */
            call_id: string;
            /** @description The exact command, for a shell call. */
            command?: string | null;
            /** @description Where it would run. */
            cwd?: string | null;
            /** @description What would happen, in a sentence. */
            description: string;
            /** @description The change to that file as a unified diff, cut when long. */
            diff?: string | null;
            /** @description SHA-256 over exactly what will run; the answer holds for nothing else. */
            digest: string;
            /**
             * Format: date-time
             * @description When it counts as refused.
             */
            expires_at: string;
            /** @description The approval. */
            id: components["schemas"]["ApprovalId"];
            /** @description What it is for, when the model said so. */
            intent_summary?: string | null;
            /** @description The rule that demanded it. */
            matched_rule?: string | null;
            /** @description The file it would change. */
            path?: string | null;
            /** @description Beginnings of commands that could be allowed from now on, along with a yes. */
            proposed_execpolicy_amendment?: string[];
            /** @description Hosts that could be settled, along with a yes. */
            proposed_network_policy_amendments?: unknown[];
            /** @description Why a person is asked. */
            reason: string;
            /** @description The rule that `remember` would lay down; without one, `remember` is only recorded. */
            remembered_as?: string | null;
            /** @description The tool. */
            tool_name: string;
            /** @description Whether it wants wider walls than its thread has. */
            wider_walls?: boolean;
        };
        /** @description What `approvals/decide` takes. */
        ApprovalsDecideParams: {
            /** @description The approval. */
            approval_id: components["schemas"]["ApprovalId"];
            /**
             * @description `allow` or `deny`; the control protocol's words are understood too.
             * @example allow
             */
            decision: string;
            /** @description Why, where no person answers; the agent reads it. */
            reason?: string | null;
            /**
             * @description Whether to hold the same answer for the same call again.
             * @default null
             */
            remember?: boolean | null;
        };
        /** @description Payload of `approval.timeout`. */
        ApprovalTimeout: {
            /** @description The approval. */
            approval_id: components["schemas"]["ApprovalId"];
            /**
             * Format: uint64
             * @description How long it waited.
             */
            timeout_secs: number;
        };
        /** @description A sub-agent that asks a person, on the thread at the top of its tree. */
        AskedBy: {
            /** @description The agent. */
            agent_id: string;
            /** @description Its thread. */
            thread_id: components["schemas"]["ThreadId"];
            /** @description Its turn, which waits. */
            turn_id: components["schemas"]["TurnId"];
        };
        /** @description Who of a room may meet a thread. */
        Audience: "room" | "participants";
        /** @description What happened to an automation. */
        AutomationChange: "created" | "updated" | "due" | "deleted";
        /**
         * @description Work that begins by the clock.
         * @example auto_019a86c4f2b07d3e8c5a1b9d4e6f7082
         */
        AutomationId: string;
        /** @description Payload of `automation.updated`. */
        AutomationNews: {
            /** @description The automation as it stands now. */
            automation: components["schemas"]["AutomationRecord"];
            /** @description What happened. */
            change: components["schemas"]["AutomationChange"];
        };
        /** @description Names an automation. */
        AutomationParams: {
            /** @description The automation. */
            automation_id: components["schemas"]["AutomationId"];
        };
        /** @description Work that begins by the clock. */
        AutomationRecord: {
            /** @description Whether the shell is offered. */
            allow_shell?: boolean | null;
            /** @description Whether approvals are granted by themselves. */
            auto_approve?: boolean | null;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /** @description Who made it. */
            created_by: components["schemas"]["Actor"];
            /** @description Directories; the first is worked in. */
            cwds: string[];
            /** @description What becomes of the answers. */
            delivery_mode?: components["schemas"]["DeliveryMode"] | null;
            /** @description The automation. */
            id: components["schemas"]["AutomationId"];
            /**
             * Format: date-time
             * @description The end of the last finished run.
             */
            last_run_at?: string | null;
            /**
             * @description What becomes of missed moments.
             * @default run_once
             */
            missed_runs?: components["schemas"]["MissedRuns"];
            /** @description The mode; `agent` when left out. */
            mode?: string | null;
            /** @description Its name. */
            name: string;
            /**
             * Format: date-time
             * @description The next moment; none while it is paused.
             */
            next_run_at?: string | null;
            /** @description What the agent is asked. */
            prompt: string;
            /** @description When: `FREQ=…` and what belongs to it. */
            rrule: string;
            /**
             * Format: date-time
             * @description When it was given another `rrule`; moments are counted from there on.
             */
            rrule_since?: string | null;
            /**
             * Format: uint32
             * @description Version of this record's shape.
             */
            schema_version: number;
            /** @description Whether the clock counts. */
            status: components["schemas"]["AutomationStatus"];
            /** @description Whether a call may leave the sandbox. */
            trust_mode?: boolean | null;
            /**
             * Format: date-time
             * @description When it was last changed by someone.
             */
            updated_at: string;
        };
        /**
         * @description One beginning of an automation.
         * @example arun_019a86c4f2b07d3e8c5a1b9d4e6f7082
         */
        AutomationRunId: string;
        /** @description One beginning of an automation. It stands as its task does. */
        AutomationRunRecord: {
            /** @description The automation. */
            automation_id: components["schemas"]["AutomationId"];
            /**
             * Format: date-time
             * @description When it was written down.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ended.
             */
            ended_at?: string | null;
            /** @description Why it failed. */
            error?: string | null;
            /** @description The run. */
            id: components["schemas"]["AutomationRunId"];
            /**
             * Format: date-time
             * @description The moment it was due; when it was asked for, for one that a person started.
             */
            scheduled_for: string;
            /**
             * Format: uint32
             * @description Version of this record's shape.
             */
            schema_version: number;
            /**
             * Format: date-time
             * @description When a worker took it.
             */
            started_at?: string | null;
            /** @description Where it stands. */
            status: components["schemas"]["TaskStatus"];
            /** @description Its task. */
            task_id?: components["schemas"]["TaskId"] | null;
            /** @description The thread of the task. */
            thread_id?: components["schemas"]["ThreadId"] | null;
            /** @description The turn of the task. */
            turn_id?: components["schemas"]["TurnId"] | null;
        };
        /** @description What `automations/runs` takes. */
        AutomationRunsParams: {
            /**
             * @description The automation; where there is a path it stands there, and the query goes without.
             * @default
             */
            automation_id?: components["schemas"]["AutomationId"];
            /**
             * Format: uint64
             * @description How many, brought into 1 to 500; 20 when left out.
             * @default 20
             */
            limit?: number | null;
        };
        /** @description What `automations/create` takes. */
        AutomationsCreateParams: {
            /**
             * @description Whether the shell is offered.
             * @default null
             */
            allow_shell?: boolean | null;
            /**
             * @description Whether approvals are granted by themselves.
             * @default null
             */
            auto_approve?: boolean | null;
            /**
             * @description Directories; the first is worked in, the server's own when there is none.
             * @default []
             */
            cwds?: string[];
            /**
             * @description What becomes of the answers.
             * @default null
             */
            delivery_mode?: components["schemas"]["DeliveryMode"] | null;
            /**
             * @description What becomes of missed moments.
             * @default run_once
             */
            missed_runs?: components["schemas"]["MissedRuns"];
            /**
             * @description The mode.
             * @default null
             */
            mode?: string | null;
            /** @description Its name. */
            name: string;
            /** @description What the agent is asked. */
            prompt: string;
            /**
             * @description When.
             * @example FREQ=HOURLY;INTERVAL=6
             */
            rrule: string;
            /**
             * @description Whether the clock counts from the start.
             * @default null
             */
            status?: components["schemas"]["AutomationStatus"] | null;
            /**
             * @description Whether a call may leave the sandbox.
             * @default null
             */
            trust_mode?: boolean | null;
        };
        /** @description What `automations/list` takes: nothing. */
        AutomationsListParams: Record<string, never>;
        /** @description What `automations/patch` takes. */
        AutomationsPatchParams: {
            /**
             * @description Whether the shell is offered.
             * @default null
             */
            allow_shell?: boolean | null;
            /**
             * @description Whether approvals are granted by themselves.
             * @default null
             */
            auto_approve?: boolean | null;
            /** @description The automation. */
            automation_id: components["schemas"]["AutomationId"];
            /**
             * @description Other directories.
             * @default null
             */
            cwds?: string[] | null;
            /**
             * @description What becomes of the answers.
             * @default null
             */
            delivery_mode?: components["schemas"]["DeliveryMode"] | null;
            /**
             * @description What becomes of missed moments.
             * @default null
             */
            missed_runs?: components["schemas"]["MissedRuns"] | null;
            /**
             * @description Another mode.
             * @default null
             */
            mode?: string | null;
            /**
             * @description Another name.
             * @default null
             */
            name?: string | null;
            /**
             * @description Another prompt.
             * @default null
             */
            prompt?: string | null;
            /**
             * @description Other moments.
             * @default null
             */
            rrule?: string | null;
            /**
             * @description Whether the clock counts.
             * @default null
             */
            status?: components["schemas"]["AutomationStatus"] | null;
            /**
             * @description Whether a call may leave the sandbox.
             * @default null
             */
            trust_mode?: boolean | null;
        };
        /** @description Whether the clock counts for an automation. */
        AutomationStatus: "active" | "paused";
        /**
         * @description What a turn may not exceed. A member this version does not know is refused: a bound that nobody
         *     keeps would be none.
         */
        Bounds: {
            /** @description The only tools there are, by name. */
            allowed_tools?: string[] | null;
            /** @description Tools there are not, whatever else is said. */
            disallowed_tools?: string[];
            /**
             * Format: uint64
             * @description Seconds that a turn may take.
             */
            max_seconds?: number | null;
            /**
             * Format: uint32
             * @description Calls of the model in one turn.
             */
            max_steps?: number | null;
            /**
             * Format: uint64
             * @description Tokens that a turn and the agents below it may use, sent and received.
             */
            max_tokens?: number | null;
            /**
             * Format: uint64
             * @description Calls of tools that a turn and the agents below it may make.
             */
            max_tool_calls?: number | null;
            /** @description The only places where files change: absolute, or below the workspace. */
            writable_paths?: string[] | null;
        };
        /**
         * @description A call of a tool that a client runs.
         * @example ccall_019a86c4f2b07d3e8c5a1b9d4e6f7082
         */
        ClientCallId: string;
        /** @description Payload of `coherence.state`. */
        CoherenceChanged: {
            /** @description A sentence for people. */
            description: string;
            /** @description A word or two for people. */
            label: string;
            /** @description The state now. */
            state: components["schemas"]["CoherenceState"];
        };
        /** @description How well the conversation still fits the model. */
        CoherenceState: "healthy" | "getting_crowded" | "refreshing_context";
        /** @description What `config/set` did. */
        ConfigChanged: {
            /** @description The key. */
            key: string;
            /** @description What that means, for people. */
            message: string;
            /** @description Whether it stands in the configuration file. */
            persisted: boolean;
            /** @description Whether it counts only after the program has started anew. */
            requires_reload: boolean;
            /** @description The value; null when the key has fallen back to its default. */
            value?: string | null;
        };
        /** @description What `config/reload` did. */
        ConfigReloaded: {
            /** @description What that means, for people. */
            message: string;
        };
        /** @description What `config/set` takes. */
        ConfigSetParams: {
            /** @description The key, with its tables. */
            key: string;
            /**
             * @description Whether it is written into the configuration file; else it holds until the program ends.
             * @default false
             */
            persist?: boolean;
            /** @description The value, as a person would type it; null lets the key fall back to its default. */
            value?: string | null;
        };
        /** @description The settings that count, by name. A secret that is set is shown as eight stars. */
        ConfigView: {
            [key: string]: unknown;
        };
        /** @description What becomes of the answers. */
        DeliveryMode: "task" | "watcher";
        /** @description A tool that the client of a turn runs itself. */
        DynamicTool: {
            /**
             * @description Whether the model is told the schema only when it asks for it, by a call without arguments.
             * @default false
             */
            defer_loading?: boolean;
            /** @description What it does and when to use it, for the model. */
            description: string;
            /** @description JSON schema of its input: that of an object. */
            input_schema: {
                [key: string]: unknown;
            };
            /** @description Its name. */
            name: string;
            /** @description Set before the name, with two underscores between them. */
            namespace?: string | null;
        };
        /** @description Why a request was not done. */
        Error: {
            error: {
                /**
                 * @description What is wrong, for programs.
                 * @enum {unknown}
                 */
                code: "malformed" | "invalid_shape" | "invalid_params" | "unauthenticated" | "forbidden" | "not_found" | "conflict" | "overloaded" | "unavailable" | "unsupported" | "unknown_operation" | "internal";
                /** @description The present state, where that helps. */
                data?: unknown;
                /** @description What is wrong and what to do. */
                message: string;
                /** @description The HTTP status again. */
                status: number;
            };
        };
        /** @description Why a turn did not complete, in words a program can branch on. */
        FailureClass: "network" | "timeout" | "rate_limit" | "authentication" | "invalid_request" | "truncated" | "empty" | "limit" | "mcp_server" | "storage" | "restart" | "interrupted" | "internal";
        /** @description A file that an attempt left. */
        FleetArtifact: {
            /** @description `sha256:` and its digest. */
            checksum?: string | null;
            /** @description What it is: `log`, `patch`, `report`, `test_result`, `worktree` or another word. */
            kind: string;
            /** @description What is in it. */
            mime_type?: string | null;
            /** @description Where it is. */
            path: string;
            /**
             * Format: uint64
             * @description How long it is.
             */
            size_bytes?: number | null;
        };
        /** @description What an attempt may use. */
        FleetBudget: {
            /**
             * Format: uint64
             * @description Seconds.
             */
            max_seconds?: number | null;
            /**
             * Format: uint64
             * @description Tokens, in and out.
             */
            max_tokens?: number | null;
            /**
             * Format: uint64
             * @description Calls of tools.
             */
            max_tool_calls?: number | null;
        };
        /** @description What `fleet/create` answers. */
        FleetCreated: {
            /** @description Always `awaiting_start`. */
            execution: string;
            /** @description The run. */
            run: components["schemas"]["FleetDetail"];
            /** @description What of the request counts less than it may seem. */
            warnings: string[];
        };
        /** @description What `fleet/create` takes. Nothing runs before `fleet/start`. */
        FleetCreateParams: {
            /**
             * @description Words of one's own.
             * @default {}
             */
            labels?: {
                [key: string]: string;
            };
            /**
             * Format: uint64
             * @description Workers at once; as many as there are roles or tasks, whichever are fewer, when left out.
             * @default null
             */
            max_workers?: number | null;
            /**
             * @description One line for people; the id of the workflow when left out.
             * @default null
             */
            name?: string | null;
            /** @description Who works, each with at least one task. */
            roles: components["schemas"]["FleetRole"][];
            /**
             * @description Rules for workers elsewhere; there are none yet.
             * @default null
             */
            security_policy?: unknown;
            /**
             * Format: uint64
             * @description Seconds without a sign of life after which a worker is given up; 300 when left out.
             * @default null
             */
            stale_after_seconds?: number | null;
            /** @description Where the workers run: `this_computer`. */
            target: string;
            /**
             * @description Workers elsewhere; there are none yet.
             * @default null
             */
            worker_specs?: unknown[] | null;
            /**
             * @description The same, under its other name.
             * @default null
             */
            workers?: unknown[] | null;
            /** @description The tasks. */
            workflow: components["schemas"]["FleetWorkflowSpec"];
            /**
             * @description The directory to work in; the server's own when left out.
             * @default null
             */
            workspace?: string | null;
        };
        /** @description A run with what it was asked to do. */
        FleetDetail: {
            /**
             * Format: date-time
             * @description When its last task ended.
             */
            completed_at?: string | null;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /** @description The run. */
            id: components["schemas"]["FleetRunId"];
            /** @description Words of one's own. */
            labels: {
                [key: string]: string;
            };
            /** @description Where it stands. */
            lifecycle_status: components["schemas"]["FleetLifecycle"];
            /** @description One line for people. */
            name: string;
            /** @description Who works. */
            roles: string[];
            /** @description Its tasks, counted. */
            status: components["schemas"]["FleetStatus"];
            /** @description Where its workers are. */
            target?: string | null;
            /**
             * Format: uint64
             * @description How many tasks it has.
             */
            task_count: number;
            /** @description What was asked. */
            task_specs: components["schemas"]["FleetTaskSpec"][];
            /** @description Its tasks. */
            tasks: components["schemas"]["FleetTaskEntry"][];
            /**
             * Format: date-time
             * @description When something about it last changed.
             */
            updated_at?: string | null;
            /**
             * Format: uint64
             * @description How many workers.
             */
            worker_count: number;
            /** @description Who is to do it. */
            worker_specs: components["schemas"]["FleetWorkerSpec"][];
            /** @description Its workflow. */
            workflow?: components["schemas"]["FleetWorkflow"] | null;
            /** @description The directory it works in. */
            workspace: string;
        };
        /** @description Something that happened to a run. */
        FleetEvent: {
            /** @description Its place; opaque. */
            cursor: string;
            /** @description Its name. */
            event: string;
            /** @description What. */
            payload: unknown;
            /** @description The run. */
            run_id: components["schemas"]["FleetRunId"];
            /** @description The task. */
            task_id?: string | null;
            /**
             * Format: date-time
             * @description When.
             */
            timestamp?: string | null;
            /** @description The worker. */
            worker_id?: string | null;
            /**
             * Format: uint64
             * @description Its number among the events of the worker.
             */
            worker_seq?: number | null;
        };
        /** @description What `fleet/evidence` answers. */
        FleetEvidence: {
            /** @description Its digest when it was kept. */
            checksum?: string | null;
            /** @description What is in it: JSON, or else text. */
            content: unknown;
            /** @description Which file. */
            path: string;
            /** @description The run. */
            run_id: components["schemas"]["FleetRunId"];
            /**
             * Format: uint64
             * @description How long it is.
             */
            size_bytes: number;
            /** @description The task. */
            task_id: string;
            /** @description Whether the content is only its beginning. */
            truncated: boolean;
        };
        /** @description A file that is kept with the receipt. */
        FleetExpectedArtifact: string | {
            /** @description The kind. */
            kind: string;
            /** @description The path. */
            path: string;
        };
        /** @description What failed. */
        FleetFailureKind: "transport" | "task" | "verifier";
        /** @description Where a worker is. */
        FleetHost: {
            /** @constant */
            kind: "local";
        };
        /** @description A worker, seen from outside. */
        FleetInspection: {
            /** @description Whether someone was alerted; nobody is yet. */
            alert_state?: string | null;
            /** @description What its latest attempt left. */
            artifacts: components["schemas"]["FleetArtifact"][];
            /** @description Where it is. */
            host?: string | null;
            /** @description What went wrong last. */
            last_error?: string | null;
            /** @description The latest that is known. */
            latest_event?: components["schemas"]["FleetLatestEvent"] | null;
            /**
             * Format: date-time
             * @description The last sign of life.
             */
            latest_heartbeat_at?: string | null;
            /** @description What that is for. */
            objective?: string | null;
            /** @description As whom it works. */
            role?: string | null;
            /** @description The run. */
            run_id?: components["schemas"]["FleetRunId"] | null;
            /** @description How its agent does, while it has a task. */
            runtime_state?: components["schemas"]["FleetRuntimeState"] | null;
            /** @description How it is. */
            status: components["schemas"]["FleetWorkerStatus"];
            /** @description The task it has or had last. */
            task_id?: string | null;
            /** @description The worker. */
            worker_id: string;
        };
        /** @description The latest that is known of a worker. */
        FleetLatestEvent: {
            /** @description A line for people. */
            label: string;
            /** @description What, tagged by `state`. */
            payload: components["schemas"]["FleetWorkerState"];
            /** @description The run. */
            run_id: components["schemas"]["FleetRunId"];
            /**
             * Format: uint64
             * @description Its number among the events of the worker.
             */
            seq: number;
            /** @description The task. */
            task_id: string;
            /**
             * Format: date-time
             * @description When.
             */
            timestamp: string;
            /** @description The worker. */
            worker_id: string;
        };
        /** @description Where a run stands. */
        FleetLifecycle: "pending" | "queued" | "running" | "paused" | "completed" | "failed" | "cancelled";
        /** @description What `fleet/list` takes: nothing. */
        FleetListParams: Record<string, never>;
        /** @description What became of a task. Written in the commit that ends it. */
        FleetReceipt: {
            /** @description What was left. */
            artifacts: components["schemas"]["FleetArtifact"][];
            /**
             * Format: uint64
             * @description Which attempt it was.
             */
            attempt?: number | null;
            /**
             * Format: date-time
             * @description When it ended.
             */
            completed_at: string;
            /** @description Whether there is something to look at. */
            evidence_available: boolean;
            /** @description A word for how. */
            failure_class?: string | null;
            /** @description What failed. */
            failure_kind?: components["schemas"]["FleetFailureKind"] | null;
            /** @description How it was judged. */
            result: components["schemas"]["FleetResult"];
            /** @description Whether trying again may help: it was the worker that failed. */
            retry_eligible: boolean;
            /** @description The run. */
            run_id: components["schemas"]["FleetRunId"];
            /** @description How good the work is. */
            score?: components["schemas"]["FleetScore"] | null;
            /** @description The task. */
            task_id: string;
            /**
             * Format: uint64
             * @description The number of the event that ended it, among those of the worker.
             */
            terminal_seq?: number | null;
            /** @description The thread of the attempt. */
            thread_id?: components["schemas"]["ThreadId"] | null;
            /** @description The worker that had it. */
            worker_id: string;
        };
        /** @description Names the receipt of a task. */
        FleetReceiptParams: {
            /** @description The run. */
            run_id: components["schemas"]["FleetRunId"];
            /** @description The task. */
            task_id: string;
        };
        /** @description What `fleet/receipts` answers. */
        FleetReceipts: {
            /** @description Those of the tasks that have ended, in the order of the tasks. */
            receipts: components["schemas"]["FleetReceipt"][];
            /** @description The run. */
            run_id: components["schemas"]["FleetRunId"];
        };
        /** @description What `fleet/replay` answers. */
        FleetReplay: {
            /** @description The events, oldest first. */
            events: components["schemas"]["FleetEvent"][];
            /** @description Whether there are more behind the last. */
            has_more: boolean;
            /** @description Whether there are older ones before the first. */
            history_truncated: boolean;
            /** @description Where to go on. */
            next_cursor?: string | null;
            /** @description The run. */
            run_id: components["schemas"]["FleetRunId"];
        };
        /** @description What `fleet/replay` takes. */
        FleetReplayParams: {
            /**
             * @description Only events behind this one; the newest when left out.
             * @default null
             */
            after?: string | null;
            /**
             * Format: uint64
             * @description How many, 1 to 1000; 250 when left out.
             * @default null
             */
            limit?: number | null;
            /**
             * @description The run.
             * @default
             */
            run_id?: components["schemas"]["FleetRunId"];
        };
        /** @description What `fleet/restart-worker` answers. */
        FleetRestarted: {
            /** @description Always `restart`. */
            action: string;
            /** @description Always `scheduled`: the worker begins behind the answer. */
            execution: string;
            /** @description The run. */
            run_id: components["schemas"]["FleetRunId"];
            /** @description The worker. */
            worker: components["schemas"]["FleetInspection"];
        };
        /** @description How work was judged. */
        FleetResult: "pass" | "partial" | "fail" | "skip" | "timeout";
        /** @description How often a task is tried when its worker, not its work, fails. */
        FleetRetryPolicy: {
            /**
             * Format: double
             * @description By how much the wait grows.
             * @default 2
             */
            backoff_multiplier?: number;
            /**
             * Format: uint64
             * @description Seconds before the second.
             * @default 5
             */
            initial_backoff_seconds?: number;
            /**
             * Format: uint64
             * @description Attempts in all.
             * @default 3
             */
            max_attempts?: number;
            /**
             * Format: uint64
             * @description Seconds before any other at most.
             * @default 300
             */
            max_backoff_seconds?: number;
        };
        /** @description Who works on some of the tasks. */
        FleetRole: {
            /** @description The profile that its workers have. */
            agent_profile?: string | null;
            /** @description Its name, one of a kind in the run. */
            name: string;
        };
        /**
         * @description A fleet run.
         * @example run_019a86c4f2b07d3e8c5a1b9d4e6f7082
         */
        FleetRunId: string;
        /** @description Names a run. */
        FleetRunParams: {
            /** @description The run. */
            run_id: components["schemas"]["FleetRunId"];
        };
        /** @description What `fleet/list` answers. */
        FleetRuns: {
            /** @description The runs, by their ids. */
            runs: components["schemas"]["FleetSummary"][];
            /** @description All of them, counted. */
            status: components["schemas"]["FleetStatus"];
        };
        /** @description How the agent of a worker does, while it has a task. */
        FleetRuntimeState: {
            /** @description A word: `starting`, `running`, `model_wait`, `running_tool`. */
            agent_status: string;
            /** @description What went wrong last. */
            error?: string | null;
            /** @description Whether it has a thread. */
            has_session: boolean;
            /** @description The end of what it last said. */
            latest_message?: string | null;
            /** @description How it ended. */
            result_summary?: string | null;
            /**
             * Format: uint64
             * @description Calls of tools so far.
             */
            steps_taken: number;
        };
        /** @description How good the work is. */
        FleetScore: {
            /**
             * Format: double
             * @description Out of so much.
             */
            max: number;
            /** @description Why. */
            notes: string;
            /**
             * Format: double
             * @description So good.
             */
            value: number;
        };
        /** @description How work is judged. Paths are relative to where it was done. */
        FleetScorer: {
            /** @constant */
            kind: "exit_code";
        } | {
            /** @constant */
            kind: "file_exists";
            /** @description Which. */
            path: string;
        } | {
            /** @constant */
            kind: "regex_match";
            /** @description Which. */
            path: string;
            /** @description What fits. */
            pattern: string;
        } | {
            /** @description Where, as `$.a.b[0]`; it must be there and neither null nor false. */
            expression: string;
            /** @constant */
            kind: "json_path";
            /** @description Which. */
            path: string;
        } | {
            /**
             * @description Its arguments.
             * @default []
             */
            args?: string[];
            /** @description The program. */
            command: string;
            /** @constant */
            kind: "command";
        } | {
            /** @constant */
            kind: "code_whale_verifier_prompt";
            /** @description What it would be asked. */
            prompt: string;
        } | {
            /** @constant */
            kind: "manual";
        };
        /** @description What `fleet/start` answers. */
        FleetStarted: {
            /** @description Always `start`. */
            action: string;
            /** @description Always `scheduled`: workers begin behind the answer. */
            execution: string;
            /**
             * Format: uint64
             * @description Tasks that workers have.
             */
            leased: number;
            /**
             * Format: uint64
             * @description Tasks that wait.
             */
            queued: number;
            /** @description The run. */
            run_id: components["schemas"]["FleetRunId"];
            /** @description Where its workers are. */
            target: string;
            /** @description The workers. */
            worker_ids: string[];
        };
        /** @description What `fleet/start` takes. */
        FleetStartParams: {
            /** @description The run. */
            run_id: components["schemas"]["FleetRunId"];
            /**
             * Format: uint64
             * @description Another patience with silent workers.
             * @default null
             */
            stale_after_seconds?: number | null;
        };
        /** @description Counts of tasks, and how the workers are. */
        FleetStatus: {
            /**
             * Format: uint64
             * @description Tasks that were called off.
             */
            cancelled: number;
            /**
             * Format: uint64
             * @description Tasks that are done.
             */
            completed: number;
            /**
             * Format: uint64
             * @description Tasks that someone was alerted of.
             */
            escalated: number;
            /**
             * Format: uint64
             * @description Tasks that failed.
             */
            failed: number;
            /**
             * Format: uint64
             * @description Tasks that are done, and a person has to judge.
             */
            partial: number;
            /**
             * Format: uint64
             * @description Tasks that wait.
             */
            queued: number;
            /**
             * Format: uint64
             * @description Tasks that were begun again by someone.
             */
            restarted: number;
            /**
             * Format: uint64
             * @description Tasks whose worker gives signs of life.
             */
            running: number;
            /**
             * Format: uint64
             * @description Runs that are counted.
             */
            runs: number;
            /**
             * Format: uint64
             * @description Tasks whose worker has been silent for too long.
             */
            stale: number;
            /**
             * Format: uint64
             * @description Tasks whose work failed.
             */
            task_failed: number;
            /**
             * Format: uint64
             * @description Tasks whose worker failed.
             */
            transport_failed: number;
            /**
             * Format: uint64
             * @description Tasks whose work was judged bad.
             */
            verifier_failed: number;
            /** @description How each worker is. */
            workers: {
                [key: string]: components["schemas"]["FleetWorkerStatus"];
            };
        };
        /** @description What `fleet/stop` answers. */
        FleetStopped: {
            /** @description Always `stop`. */
            action: string;
            /** @description The run. */
            run_id: components["schemas"]["FleetRunId"];
            /** @description The tasks of the run, counted. */
            status: components["schemas"]["FleetStatus"];
            /**
             * Format: uint64
             * @description How many tasks were called off.
             */
            stopped: number;
        };
        /** @description A run, in short. */
        FleetSummary: {
            /**
             * Format: date-time
             * @description When its last task ended.
             */
            completed_at?: string | null;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /** @description The run. */
            id: components["schemas"]["FleetRunId"];
            /** @description Words of one's own. */
            labels: {
                [key: string]: string;
            };
            /** @description Where it stands. */
            lifecycle_status: components["schemas"]["FleetLifecycle"];
            /** @description One line for people. */
            name: string;
            /** @description Who works. */
            roles: string[];
            /** @description Its tasks, counted. */
            status: components["schemas"]["FleetStatus"];
            /** @description Where its workers are. */
            target?: string | null;
            /**
             * Format: uint64
             * @description How many tasks it has.
             */
            task_count: number;
            /** @description Its tasks. */
            tasks: components["schemas"]["FleetTaskEntry"][];
            /**
             * Format: date-time
             * @description When something about it last changed.
             */
            updated_at?: string | null;
            /**
             * Format: uint64
             * @description How many workers.
             */
            worker_count: number;
            /** @description Its workflow. */
            workflow?: components["schemas"]["FleetWorkflow"] | null;
            /** @description The directory it works in. */
            workspace: string;
        };
        /** @description A task of a run, in a line. */
        FleetTaskEntry: {
            /**
             * Format: uint64
             * @description Attempts so far.
             */
            attempts: number;
            /** @description The worker that has it. */
            leased_to?: string | null;
            /** @description Where it stands. */
            status: components["schemas"]["FleetTaskStatus"];
            /** @description The task. */
            task_id: string;
            /** @description The thread of the latest attempt. */
            thread_id?: components["schemas"]["ThreadId"] | null;
        };
        /** @description Variables of a worker. */
        FleetTaskEnvironment: {
            /** @description Those it would like. */
            allowlist?: string[];
            /** @description Those without which the task cannot be done. */
            required?: string[];
        };
        /** @description One task. */
        FleetTaskSpec: {
            /** @description Whom to alert; kept, and not acted on. */
            alert_policy?: unknown;
            /** @description What an attempt may use. */
            budget?: components["schemas"]["FleetBudget"] | null;
            /** @description What else the worker is told: text, or anything that reads as JSON. */
            context?: unknown[];
            /** @description More about it, for people. */
            description?: string | null;
            /** @description Files that are kept with the receipt. */
            expected_artifacts?: components["schemas"]["FleetExpectedArtifact"][];
            /** @description Its id, one of a kind in the run. */
            id: string;
            /** @description Files the worker is pointed to, relative to the workspace. */
            input_files?: string[];
            /** @description What the worker is told to do. */
            instructions: string;
            /** @description Words of one's own; `priority`, a number, sorts the tasks, lower first. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description One line for people. */
            name: string;
            /** @description What it is for. */
            objective?: string | null;
            /** @description How often it is tried. */
            retry_policy?: components["schemas"]["FleetRetryPolicy"] | null;
            /** @description How the work is judged; by the exit of the worker when left out. */
            scorer?: components["schemas"]["FleetScorer"] | null;
            /** @description Words of one's own. */
            tags?: string[];
            /**
             * Format: uint64
             * @description How long an attempt may take.
             */
            timeout_seconds?: number | null;
            /** @description Who does it. */
            worker?: components["schemas"]["FleetTaskWorker"] | null;
            /** @description Where. */
            workspace?: components["schemas"]["FleetTaskWorkspace"] | null;
        };
        /** @description Where a task of a run stands. */
        FleetTaskStatus: "enqueued" | "leased" | "completed" | "failed" | "cancelled";
        /** @description Who does a task. */
        FleetTaskWorker: {
            /** @description The profile; that of the role. */
            agent_profile?: string | null;
            /** @description Words of one's own. */
            capabilities?: string[];
            /** @description A word for a set of tools; kept. */
            loadout?: string | null;
            /** @description The model. */
            model?: string | null;
            /** @description A word for a kind of model; kept. */
            model_class?: string | null;
            /** @description The provider. */
            provider?: string | null;
            /** @description The role. */
            role?: string | null;
            /** @description How hard it thinks. */
            thinking?: string | null;
            /** @description A word for a set of tools; kept. */
            tool_profile?: string | null;
            /** @description The only tools it has; all when empty. */
            tools?: string[];
        };
        /** @description Where a task is done. All paths are relative. */
        FleetTaskWorkspace: {
            /** @description Variables. */
            environment?: components["schemas"]["FleetTaskEnvironment"] | null;
            /** @description Files without which the task does not begin. */
            required_files?: string[];
            /** @description A directory in the workspace of the run. */
            root?: string | null;
            /** @description What it may write. Those of different tasks do not overlap. */
            writable_paths?: string[];
        };
        /** @description What `fleet/interrupt-worker` and `fleet/stop-worker` answer. */
        FleetWorkerActed: {
            /** @description `interrupt` or `stop`. */
            action: string;
            /** @description The worker. */
            worker: components["schemas"]["FleetInspection"];
        };
        /** @description Names a worker. */
        FleetWorkerParams: {
            /** @description The worker. */
            worker_id: string;
        };
        /** @description What `fleet/workers` answers. */
        FleetWorkers: {
            /** @description The run. */
            run_id: components["schemas"]["FleetRunId"];
            /** @description Its workers, in their order. */
            workers: components["schemas"]["FleetInspection"][];
        };
        /** @description A place where tasks are done, one after the other. */
        FleetWorkerSpec: {
            /** @description Words of one's own. */
            capabilities: string[];
            /** @description Where it is. */
            host: components["schemas"]["FleetHost"];
            /** @description Its id: that of the run, and its own name. */
            id: string;
            /** @description Words of one's own. */
            labels: {
                [key: string]: string;
            };
            /**
             * Format: uint64
             * @description Tasks at once.
             */
            max_concurrent_tasks: number;
            /** @description Its name in the run. */
            name: string;
        };
        /** @description What happens to a worker. */
        FleetWorkerState: {
            /**
             * Format: date-time
             * @description When it is given up without a sign of life.
             */
            lease_expires_at?: string | null;
            /** @constant */
            state: "leased";
        } | {
            /** @constant */
            state: "starting";
        } | {
            /** @constant */
            state: "running";
        } | {
            /** @description Which. */
            model?: string | null;
            /** @constant */
            state: "model_wait";
        } | {
            /** @description The model's id of the call. */
            call_id?: string | null;
            /** @constant */
            state: "running_tool";
            /** @description Which. */
            tool: string;
        } | {
            /** @constant */
            state: "heartbeat";
        } | components["schemas"]["FleetArtifact"] | {
            /**
             * Format: int32
             * @description How its process ended.
             */
            exit_code?: number | null;
            /** @constant */
            state: "completed";
            /** @description What it said last. */
            summary?: string | null;
        } | {
            /** @description Why. */
            reason: string;
            /** @description Whether the task is tried again. */
            recoverable: boolean;
            /** @constant */
            state: "failed";
        } | {
            /** @description By whom. */
            cancelled_by?: string | null;
            /** @constant */
            state: "cancelled";
        } | {
            /** @description How. */
            signal?: string | null;
            /** @constant */
            state: "interrupted";
        } | {
            /**
             * Format: date-time
             * @description Since then.
             */
            last_heartbeat_at?: string | null;
            /** @constant */
            state: "stale";
        } | {
            /**
             * Format: uint64
             * @description The how-manieth time.
             */
            restart_count: number;
            /** @constant */
            state: "restarted";
        };
        /** @description How a worker is. */
        FleetWorkerStatus: "unknown" | "online" | "busy" | "offline" | "unhealthy" | "draining" | "retired";
        /** @description The workflow of a run, in short. */
        FleetWorkflow: {
            /** @description Its id. */
            id: string;
            /** @description How the tasks follow each other: `parallel`. */
            kind: string;
        };
        /** @description The tasks of a run. */
        FleetWorkflowSpec: {
            /** @description Its id. */
            id: string;
            /** @description How the tasks follow each other: `parallel`. */
            kind: string;
            /** @description The tasks. */
            tasks: components["schemas"]["FleetTaskSpec"][];
        };
        /** @description The goal of a thread and what it has cost so far, its sub-agents included. */
        Goal: {
            /**
             * Format: uint64
             * @description How many turns the agent started by itself to get there.
             * @default 0
             */
            continuation_count?: number;
            /**
             * Format: uint64
             * @description When it was set, in seconds since the epoch.
             */
            created_at: number;
            /** @description Its own id; another goal has another. */
            goal_id: components["schemas"]["GoalId"];
            /** @description What should be true in the end. */
            objective: string;
            /** @description Whether it is still pursued, and if not, why. */
            status: components["schemas"]["ThreadGoalStatus"];
            /** @description The thread that pursues it. */
            thread_id: components["schemas"]["ThreadId"];
            /**
             * Format: uint64
             * @description How many seconds of work it has cost.
             */
            time_used_seconds: number;
            /**
             * Format: uint64
             * @description How many tokens it may cost; no limit when absent.
             */
            token_budget?: number | null;
            /**
             * Format: uint64
             * @description How many tokens it has cost.
             */
            tokens_used: number;
            /**
             * Format: uint64
             * @description When it last changed, in seconds since the epoch.
             */
            updated_at: number;
        };
        /** @description Payload of `thread_goal_cleared`. */
        GoalCleared: {
            /** @description Always the name of the event. */
            kind: components["schemas"]["GoalClearedKind"];
            /** @description The thread that has no goal any more. */
            thread_id: components["schemas"]["ThreadId"];
        };
        /** @description The name of the event, which its payload repeats. */
        GoalClearedKind: "thread_goal_cleared";
        /**
         * @description What a thread works towards.
         * @example goal-019a86c4f2b07d3e8c5a1b9d4e6f7082
         */
        GoalId: string;
        /** @description What `goals/set` answers: the goal. */
        GoalSet: components["schemas"]["Goal"];
        /** @description What `goals/set` takes. */
        GoalsSetParams: {
            /** @description What should be true in the end; not blank. */
            objective: string;
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /**
             * Format: uint64
             * @description How many tokens it may cost; no limit when absent.
             */
            token_budget?: number | null;
        };
        /** @description Payload of `thread_goal_updated`. */
        GoalUpdated: {
            /** @description The goal as it is now. */
            goal: components["schemas"]["Goal"];
            /** @description Always the name of the event. */
            kind: components["schemas"]["GoalUpdatedKind"];
        };
        /** @description The name of the event, which its payload repeats. */
        GoalUpdatedKind: "thread_goal_updated";
        /**
         * @description One part of the input of a turn. Text is the only kind so far; links, references, artifacts and
         *     images join it as variants.
         */
        InputPart: {
            /** @description The text. */
            text: string;
            /** @constant */
            type: "text";
        };
        /** @description Payload of the events that end an item. */
        ItemChanged: {
            /** @description For a conversation that was shortened: whether nobody asked for it. */
            auto?: boolean | null;
            /** @description The item in its final state. */
            item: components["schemas"]["TurnItemRecord"];
            /**
             * Format: uint64
             * @description How many it has.
             */
            messages_after?: number | null;
            /**
             * Format: uint64
             * @description How many messages it had.
             */
            messages_before?: number | null;
        };
        /** @description Payload of `item.delta`. */
        ItemDelta: {
            /** @description Text that follows what the item has so far. */
            delta: string;
            /** @description The kind of the item. */
            kind: components["schemas"]["ItemKind"];
        };
        /**
         * @description An item: one visible piece of a turn.
         * @example item_019a86c4f2b07d3e8c5a1b9d4e6f7082
         */
        ItemId: string;
        /** @description What an item shows. */
        ItemKind: "user_message" | "agent_message" | "agent_reasoning" | "tool_call" | "command_execution" | "file_change" | "context_compaction" | "status" | "error";
        /** @description Payload of `item.started`. */
        ItemStarted: {
            /** @description For a conversation that is shortened: whether nobody asked for it. */
            auto?: boolean | null;
            /** @description The item. */
            item: components["schemas"]["TurnItemRecord"];
            /** @description What is called, for tool items. */
            tool?: components["schemas"]["ToolInvocation"] | null;
        };
        /** @description Where an item stands. */
        ItemStatus: "queued" | "in_progress" | "completed" | "failed" | "interrupted" | "canceled";
        /** @description An MCP server. Variables, headers and tokens are never shown. */
        McpServerInfo: {
            /** @description The program, without its arguments. */
            command?: string | null;
            /** @description Whether it answers now. */
            connected: boolean;
            /** @description Tools that are not offered. */
            disabled_tools: string[];
            /** @description Whether it is started. */
            enabled: boolean;
            /** @description The only tools that are offered, unless empty. */
            enabled_tools: string[];
            /** @description What went wrong last, if it is not ready. */
            error?: string | null;
            /** @description Its name. */
            name: string;
            /**
             * Format: uint
             * @description How many of its tools were put aside because no provider would take them.
             */
            quarantined: number;
            /** @description Whether turns fail without it. */
            required: boolean;
            /**
             * @description How far it has come: `disabled`, `starting`, `slow`, `ready`, `disconnected`, `needs_auth`,
             *     `failed` or `stopped`.
             */
            status: string;
            /**
             * Format: uint
             * @description How many tools it offers.
             */
            tools: number;
            /** @description `stdio`, `http` or `sse`. */
            transport: string;
            /** @description The address, without what may be secret in it. */
            url?: string | null;
        };
        /** @description The MCP servers there are. */
        McpServerList: {
            /** @description By their names. */
            servers: components["schemas"]["McpServerInfo"][];
        };
        /** @description What `mcp/servers` takes. */
        McpServersParams: {
            /**
             * @description The workspace whose own servers are listed too, if it is trusted; the server's own when left
             *     out.
             * @default null
             */
            workspace?: string | null;
        };
        /** @description A tool of an MCP server. */
        McpToolInfo: {
            /** @description What it does, in the words of the server. */
            description?: string | null;
            /** @description The JSON schema of its input. */
            input_schema: unknown;
            /** @description What the server calls it. */
            name: string;
            /** @description What the model calls it, and rules too. */
            prefixed_name: string;
            /** @description Whose it is. */
            server: string;
        };
        /** @description The tools of MCP servers. */
        McpToolList: {
            /** @description By server and name. */
            tools: components["schemas"]["McpToolInfo"][];
        };
        /** @description What `mcp/tools` takes. */
        McpToolsParams: {
            /**
             * @description Whether servers that are away are started and waited for. Takes the scope `run`.
             * @default false
             */
            connect?: boolean;
            /**
             * @description Only those of this server.
             * @default null
             */
            server?: string | null;
            /**
             * @description The workspace whose own servers count too, if it is trusted; the server's own when left out.
             * @default null
             */
            workspace?: string | null;
        };
        /** @description What `memory/add` answers. */
        MemoryAdded: {
            /** @description The note. */
            entry: components["schemas"]["MemoryEntry"];
        };
        /** @description What `memory/add` takes. */
        MemoryAddParams: {
            /** @description Where it holds; everywhere when absent. */
            scope?: components["schemas"]["MemoryScope"] | null;
            /** @description The note, a sentence or two. */
            text: string;
        };
        /** @description What `memory/clear` answers. */
        MemoryCleared: {
            /** @description That they are gone. */
            cleared: boolean;
        };
        /** @description What `memory/clear` takes. */
        MemoryClearParams: {
            /** @description Which notes go. */
            scope: components["schemas"]["MemoryReach"];
        };
        /** @description A note. */
        MemoryEntry: {
            /**
             * Format: uint64
             * @description Made of its text, so that it stays as long as the text does.
             */
            id: number;
            /**
             * Format: uint64
             * @description Its last line.
             */
            line_end: number;
            /**
             * Format: uint64
             * @description Its first line in the file.
             */
            line_start: number;
            /** @description Where it holds. */
            scope: components["schemas"]["MemoryScope"];
            /** @description Whether it no longer holds. Such notes are removed, so none does. */
            stale: boolean;
            /** @description The same as `stale`, in a word: `active`. */
            status: string;
            /** @description What it says, at most 300 characters of it. */
            summary: string;
            /** @description Which workspace that is. */
            workspace_id?: string | null;
        };
        /** @description One note, as `memory/get` answers. */
        MemoryFound: {
            /** @description The note. */
            entry: components["schemas"]["MemoryEntry"];
        };
        /** @description What `memory/get` takes. */
        MemoryGetParams: {
            /** @description The id of the note. */
            memory_id: string;
        };
        /** @description What `memory/list` answers. */
        MemoryList: {
            /** @description The notes, in the order of their files. */
            entries: components["schemas"]["MemoryEntry"][];
            /**
             * Format: uint64
             * @description How many there are without the limit.
             */
            total: number;
        };
        /** @description What `memory/list` takes. */
        MemoryListParams: {
            /**
             * Format: uint64
             * @description How many at most, 1 to 200; 50 when absent.
             * @default 50
             */
            limit?: number | null;
            /** @description Only notes with all of these words. */
            q?: string | null;
            /** @description Which notes; all when absent. */
            scope?: components["schemas"]["MemoryReach"] | null;
        };
        /** @description Which notes are meant. */
        MemoryReach: "all" | "global" | "workspace";
        /** @description Where a note holds. */
        MemoryScope: "global" | "workspace";
        /** @description What becomes of moments at which nobody was there to begin the work. */
        MissedRuns: "run_once" | "skip";
        /** @description What kind of work a thread is set to. */
        Mode: "agent" | "plan" | "operate";
        /** @description A model. */
        ModelInfo: {
            /** @description Its id, in the provider's spelling. */
            id: string;
            /** @description Whether it can be asked to think first. */
            supports_reasoning: boolean;
            /** @description Whether it calls tools. */
            supports_tools: boolean;
        };
        /** @description Nothing to say. */
        NoParams: Record<string, never>;
        /** @description Where a thread or turn came from. */
        Origin: {
            /**
             * @description Names the piece of work it is for, where someone counts them: run, task and attempt of a
             *     fleet.
             */
            dedupe_key?: string | null;
            /** @description The thread that the work was given out from. */
            parent_thread_id?: components["schemas"]["ThreadId"] | null;
            /** @description The door. */
            surface: components["schemas"]["Surface"];
            /** @description Who does that work. */
            worker_id?: string | null;
        };
        /** @description What became of the files. */
        PatchResult: {
            /** @description The files that moved, relative to the workspace; the first thousand. */
            files: string[];
            /** @description Whether files went back. */
            files_restored: boolean;
            /** @description The snapshot of how files were before, to go back to. */
            previous?: string | null;
            /** @description The label of the snapshot before what was undone. */
            snapshot_label?: string | null;
            /** @description The same in words, with the reason when they did not. */
            summary?: string | null;
        };
        /** @description One entry of the end of a session. */
        PeekEntry: {
            /** @description `user`, `assistant`, `reasoning` or `tool`. */
            kind: string;
            /** @description Whether something in it is not shown. */
            redacted: boolean;
            /** @description The words; of a tool only how much there is. */
            text: string;
            /** @description Whether there is more of it. */
            truncated: boolean;
        };
        /** @description A question that waits, as the snapshot of a thread shows it. */
        PendingApproval: {
            /** @description Who asks, when it is a sub-agent of the thread. */
            asked_by?: components["schemas"]["AskedBy"] | null;
            /** @description The answers that are open. */
            available_decisions: unknown[];
            /** @description The model's id of the call. */
            call_id: string;
            /** @description The exact command, for a shell call. */
            command?: string | null;
            /** @description Where it would run. */
            cwd?: string | null;
            /** @description What would happen, in a sentence. */
            description: string;
            /** @description The change to that file as a unified diff, cut when long. */
            diff?: string | null;
            /** @description SHA-256 over exactly what will run; the answer holds for nothing else. */
            digest: string;
            /**
             * Format: date-time
             * @description When it counts as refused.
             */
            expires_at: string;
            /** @description The approval. */
            id: components["schemas"]["ApprovalId"];
            /** @description What it is for, when the model said so. */
            intent_summary?: string | null;
            /** @description The rule that demanded it. */
            matched_rule?: string | null;
            /** @description The file it would change. */
            path?: string | null;
            /** @description Beginnings of commands that could be allowed from now on, along with a yes. */
            proposed_execpolicy_amendment?: string[];
            /** @description Hosts that could be settled, along with a yes. */
            proposed_network_policy_amendments?: unknown[];
            /** @description Why a person is asked. */
            reason: string;
            /** @description The rule that `remember` would lay down; without one, `remember` is only recorded. */
            remembered_as?: string | null;
            /** @description The tool. */
            tool_name: string;
            /** @description The turn that waits. */
            turn_id: components["schemas"]["TurnId"];
            /** @description Whether it wants wider walls than its thread has. */
            wider_walls?: boolean;
        };
        /** @description A request that waits, as the snapshot of a thread shows it. */
        PendingUserInput: {
            /** @description Who asks, when it is a sub-agent of the thread. */
            asked_by?: components["schemas"]["AskedBy"] | null;
            /** @description The request. */
            id: components["schemas"]["UserInputId"];
            /** @description What is asked. */
            request: components["schemas"]["UserInputRequest"];
            /** @description The turn that waits. */
            turn_id: components["schemas"]["TurnId"];
        };
        /** @description Who answers when a call needs approval. */
        PermissionPosture: "ask" | "auto_review" | "full_access";
        /** @description A provider. */
        ProviderInfo: {
            /** @description Where it is, unless configured otherwise. */
            default_base_url: string;
            /** @description The model to use when none is asked for. */
            default_model: string;
            /** @description Its name for people. */
            display_name: string;
            /** @description The variables that may hold its key: names, never values. */
            env_vars: string[];
            /** @description Whether some of its models are known by name. */
            has_model_catalog: boolean;
            /** @description Its id. */
            id: string;
        };
        /** @description The providers there are. */
        ProviderList: {
            /** @description The one that new threads use when nobody says which. */
            current: string;
            /** @description All that are known or configured. */
            providers: components["schemas"]["ProviderInfo"][];
        };
        /** @description The models that are known of a provider. */
        ProviderModels: {
            /** @description Its models; none when it is not configured. */
            models: components["schemas"]["ModelInfo"][];
            /** @description The provider. */
            provider: string;
        };
        /** @description A provider named by the path. */
        ProviderParams: {
            /** @description The provider. */
            provider_id: string;
        };
        /** @description What `providers/switch` takes. */
        ProvidersSwitchParams: {
            /**
             * @description The model, if not the provider's default.
             * @default null
             */
            model?: string | null;
            /** @description The provider. */
            provider_id: string;
        };
        /** @description What `providers/switch` did. */
        ProviderSwitched: {
            /** @description What that means, for people. */
            message: string;
            /** @description The model. */
            model: string;
            /** @description Whether it stands in the configuration file. */
            persisted: boolean;
            /** @description The provider. */
            provider: string;
        };
        /** @description A turn that is tried again. */
        Retried: {
            /** @description What became of the files. */
            patch_result: components["schemas"]["PatchResult"];
            /** @description The copy that ends before what was undone, with the new turn. */
            thread: components["schemas"]["ThreadRecord"];
            /** @description The new turn. */
            turn: components["schemas"]["TurnRecord"];
        };
        /** @description Payload of `room.created`. */
        RoomCreated: {
            /** @description The room. */
            id: components["schemas"]["RoomId"];
            /** @description Its title. */
            title: string;
            /** @description The workspace it was made for. */
            workspace?: string | null;
        };
        /**
         * @description A workroom. Every thread lives in exactly one.
         * @example wr_019a86c4f2b07d3e8c5a1b9d4e6f7082
         */
        RoomId: string;
        /**
         * @description An event as a reader meets it. The store writes this text itself, byte by byte, because the
         *     hash chain runs over it; this type is for reading it back.
         */
        RuntimeEventEnvelope: {
            /** @description Who did it, on all events but deltas. */
            actor?: components["schemas"]["Actor"] | null;
            /** @description Who did it, by id alone, on deltas. */
            actor_id?: components["schemas"]["ActorId"] | null;
            /**
             * Format: date-time
             * @description The same, under another name.
             */
            created_at?: string | null;
            /** @description The name of the event. */
            event: string;
            /**
             * @description The item; null for events of the turn or thread itself.
             * @default null
             */
            item_id?: components["schemas"]["ItemId"] | null;
            /** @description The same, under its newer name. */
            kind: string;
            /** @description What happened. */
            payload: unknown;
            /** @description The place of the event before it in the same stream; zero for the first. */
            previous_seq?: components["schemas"]["Seq"] | null;
            /**
             * Format: uint32
             * @description Version of the envelope.
             * @default 1
             */
            schema_version?: number;
            /** @description The place in the log. */
            seq: components["schemas"]["Seq"];
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /**
             * Format: date-time
             * @description When it happened.
             */
            timestamp: string;
            /**
             * @description The turn; null for events of the thread itself.
             * @default null
             */
            turn_id?: components["schemas"]["TurnId"] | null;
        } & {
            [key: string]: unknown;
        };
        /** @description Payload of `sandbox.denied`. */
        SandboxDenied: {
            /** @description What was denied. */
            reason: string;
            /** @description The model's id of the call. */
            tool_id: string;
            /** @description The tool. */
            tool_name: string;
        };
        /**
         * Format: uint64
         * @description A position in the log. One counter for the whole store: it only grows and is never reused.
         */
        Seq: number;
        /** @description A session with everything said in it. */
        Session: {
            /** @description What was said and done, in order. */
            messages: components["schemas"]["SessionMessage"][];
            /** @description What there is to know of it. */
            metadata: components["schemas"]["SessionMetadata"];
            /** @description Standing instructions beside the built-in ones. */
            system_prompt?: string | null;
        };
        /** @description A part of a message. */
        SessionBlock: {
            /** @description The words. */
            text: string;
            /** @constant */
            type: "text";
        } | {
            /** @description The words. */
            text: string;
            /** @constant */
            type: "thinking";
        } | {
            /** @description The call. */
            id: string;
            /** @description What it was given. */
            input: unknown;
            /** @description The tool. */
            name: string;
            /** @constant */
            type: "tool_use";
        } | {
            /** @description The result. */
            content: string;
            /** @description Whether it failed. */
            is_error: boolean;
            /** @description The call. */
            tool_use_id: string;
            /** @constant */
            type: "tool_result";
        };
        /** @description What a session cost. */
        SessionCost: {
            /**
             * Format: uint64
             * @description Model calls, by turn and model, whose price is not known.
             */
            unpriced: number;
            /**
             * Format: double
             * @description Dollars, as far as prices are known.
             */
            usd: number;
        };
        /** @description A whole session under its id. */
        SessionExport: {
            /** @description All of it. */
            session: components["schemas"]["Session"];
            /** @description The session. */
            session_id: components["schemas"]["ThreadId"];
        };
        /** @description A list of sessions. */
        SessionList: {
            /** @description The sessions. */
            sessions: components["schemas"]["SessionMetadata"][];
        };
        /** @description One message of a session. */
        SessionMessage: {
            /** @description Its parts. */
            content: components["schemas"]["SessionBlock"][];
            /** @description `user` or `assistant`; results of tools are the user's. */
            role: string;
        };
        /** @description What there is to know of a session without reading it. */
        SessionMetadata: {
            /** @description Whether lists leave it out. */
            archived?: boolean;
            /** @description What it cost. */
            cost: components["schemas"]["SessionCost"];
            /**
             * Format: date-time
             * @description When it began.
             */
            created_at: string;
            /**
             * Format: uint64
             * @description How long its turns took together.
             */
            cumulative_turn_secs: number;
            /** @description The session, which is a thread of the same id. */
            id: components["schemas"]["ThreadId"];
            /**
             * Format: uint64
             * @description What people and agents said in it.
             */
            message_count: number;
            /** @description The mode. */
            mode?: components["schemas"]["Mode"] | null;
            /** @description The model. */
            model: string;
            /** @description The kind of provider that serves it. */
            model_provider: string;
            /** @description The configured provider, where it has a name of its own. */
            model_provider_id?: string | null;
            /** @description The session that started it. */
            parent_session_id?: components["schemas"]["ThreadId"] | null;
            /**
             * Format: uint64
             * @description How far below a session of a person it is.
             */
            spawn_depth: number;
            /** @description Its title, or the start of its latest prompt. */
            title: string;
            /**
             * Format: uint64
             * @description Tokens sent and received.
             */
            total_tokens: number;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
            /** @description The directory. */
            workspace: string;
        };
        /** @description A session named by the path. */
        SessionParams: {
            /** @description The session. */
            session_id: components["schemas"]["ThreadId"];
        };
        /** @description What `sessions/patch` did. */
        SessionPatched: {
            /** @description What was asked for. */
            changes: {
                [key: string]: unknown;
            };
            /** @description The session. */
            session: components["schemas"]["SessionMetadata"];
        };
        /** @description The end of a session, in short. */
        SessionPeek: {
            /** @description Whether lists leave it out. */
            archived: boolean;
            /** @description The last entries, oldest first. */
            entries: components["schemas"]["PeekEntry"][];
            /** @description Whether it changes while one looks. */
            live: boolean;
            /**
             * Format: uint64
             * @description What people and agents said in it.
             */
            message_count: number;
            /** @description The mode. */
            mode: components["schemas"]["Mode"];
            /** @description The model. */
            model: string;
            /**
             * Format: uint64
             * @description How many there are before them.
             */
            omitted_before: number;
            /** @description The session. */
            session_id: components["schemas"]["ThreadId"];
            /** @description Its title. */
            title: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
            /** @description The directory. */
            workspace: string;
        };
        /** @description A session that can be gone on with. */
        SessionResumed: {
            /**
             * Format: uint64
             * @description What people and agents said in it.
             */
            message_count: number;
            /** @description The session. */
            session_id: components["schemas"]["ThreadId"];
            /** @description That in a sentence. */
            summary: string;
            /** @description The thread to go on in. */
            thread_id: components["schemas"]["ThreadId"];
        };
        /** @description A thread that is a session. */
        SessionSaved: {
            /**
             * Format: uint64
             * @description What people and agents said in it.
             */
            message_count: number;
            /** @description The session. */
            session_id: components["schemas"]["ThreadId"];
            /** @description The thread it is. */
            thread_id: components["schemas"]["ThreadId"];
            /** @description Its title. */
            title: string;
        };
        /** @description What `sessions/export` takes; without any, the last changed one. */
        SessionsExportParams: {
            /**
             * @description The session.
             * @default null
             */
            session_id?: components["schemas"]["ThreadId"] | null;
            /**
             * @description The thread.
             * @default null
             */
            thread_id?: components["schemas"]["ThreadId"] | null;
        };
        /** @description What `sessions/get` takes. */
        SessionsGetParams: {
            /**
             * Format: uint64
             * @description How many of them, brought into 1 to 12; 6 when left out.
             * @default 6
             */
            entries?: number | null;
            /**
             * @description Whether the last entries are enough.
             * @default null
             */
            peek?: boolean | null;
            /**
             * @description The session.
             * @default
             */
            session_id?: components["schemas"]["ThreadId"];
        };
        /** @description What `sessions/list` and `sessions/summary` take. */
        SessionsListParams: {
            /**
             * @description Whether only archived ones are shown.
             * @default null
             */
            archived_only?: boolean | null;
            /**
             * @description Whether archived ones are shown too.
             * @default null
             */
            include_archived?: boolean | null;
            /**
             * Format: uint64
             * @description How many, brought into 1 to 500; 50 when left out.
             * @default 50
             */
            limit?: number | null;
            /**
             * @description Text that must occur in title, id, workspace, preview or model.
             * @default null
             */
            search?: string | null;
            /**
             * @description `recent`, `name` or `size`; anything else means `recent`.
             * @default null
             */
            sort?: string | null;
            /**
             * @description Only those of this directory.
             * @default null
             */
            workspace?: string | null;
        };
        /** @description What `sessions/patch` takes: at least one member. */
        SessionsPatchParams: {
            /** @description Whether lists leave it out. */
            archived?: boolean | null;
            /** @description The session. */
            session_id: components["schemas"]["ThreadId"];
            /** @description A title, of 1 to 100 characters. */
            title?: string | null;
        };
        /** @description What `sessions/resume-thread` takes. */
        SessionsResumeParams: {
            /**
             * @description The mode to go on in.
             * @default null
             */
            mode?: string | null;
            /**
             * @description The model to go on with.
             * @default null
             */
            model?: string | null;
            /** @description The session. */
            session_id: components["schemas"]["ThreadId"];
        };
        /** @description What `sessions/save` takes. */
        SessionsSaveParams: {
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /** @description A title, of 1 to 100 characters. */
            title?: string | null;
        };
        /** @description One line of a list of sessions. */
        SessionSummary: {
            /** @description Whether lists leave it out. */
            archived: boolean;
            /**
             * Format: date-time
             * @description When it began.
             */
            created_at: string;
            /** @description The session. */
            id: components["schemas"]["ThreadId"];
            /** @description Whether a turn of it runs. */
            is_current: boolean;
            /**
             * Format: uint64
             * @description What people and agents said in it.
             */
            message_count: number;
            /** @description The mode. */
            mode: components["schemas"]["Mode"];
            /** @description The model. */
            model: string;
            /** @description The session that started it. */
            parent_session_id?: components["schemas"]["ThreadId"] | null;
            /** @description The newest message. */
            preview: string;
            /** @description Its title, or the start of its latest prompt. */
            title: string;
            /**
             * Format: uint64
             * @description Tokens sent and received.
             */
            total_tokens: number;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
            /** @description The directory. */
            workspace: string;
        };
        /** @description A session, whole or its end. */
        SessionView: components["schemas"]["Session"] | components["schemas"]["SessionPeek"];
        /** @description A skill that counts. */
        SkillInfo: {
            /** @description What it is for. */
            description: string;
            /** @description Whether agents may use it. */
            enabled: boolean;
            /** @description Whether it came with the program. */
            is_bundled: boolean;
            /** @description Its name. */
            name: string;
            /** @description Its file. */
            path?: string | null;
            /** @description The content of the plugin, where that is known. */
            plugin_content_hash?: string | null;
            /**
             * Format: uint64
             * @description Counts the versions of the plugin, where that is known.
             */
            plugin_generation?: number | null;
            /** @description The plugin that brings it. */
            plugin_id?: string | null;
            /** @description Where it is from; `native` for all there are. */
            source: string;
        };
        /** @description What `skills/list` answers. */
        SkillList: {
            /** @description All directories that were looked into, the first one of a name counts. */
            directories: string[];
            /** @description Where the user's own skills belong. */
            directory: string;
            /** @description The skills. */
            skills: components["schemas"]["SkillInfo"][];
            /** @description What should be a skill and is none, a sentence each. */
            warnings: string[];
        };
        /** @description What `snapshots/restore` did. */
        SnapshotRestored: {
            /** @description The files that moved, relative to the workspace; the first thousand. */
            files: string[];
            /** @description The snapshot of how they were before, to go back to. */
            previous: string;
            /** @description The snapshot that the files are as now. */
            restored: string;
            /** @description The conversation that belongs to the files, as a copy, when they are those of a turn. */
            thread?: components["schemas"]["ThreadRecord"] | null;
        };
        /** @description What `snapshots/list` takes. */
        SnapshotsListParams: {
            /**
             * Format: uint64
             * @description How many, 1 to 100; 20 when left out.
             * @default 20
             */
            limit?: number | null;
            /**
             * @description The directory; the server's own when left out.
             * @default null
             */
            workspace?: string | null;
        };
        /** @description What `snapshots/restore` takes. */
        SnapshotsRestoreParams: {
            /** @description The snapshot. */
            snapshot_id: string;
        };
        /** @description A restore point of a workspace. */
        SnapshotSummary: {
            /** @description The snapshot; opaque. */
            id: string;
            /** @description What it was taken for: `pre-turn:<n>`, `post-turn:<n>` or `pre-restore:<id>`. */
            label: string;
            /**
             * Format: int64
             * @description When, in seconds since the epoch.
             */
            timestamp: number;
        };
        /** @description Payload of `store.created`. */
        StoreCreated: {
            /** @description The version that made it. */
            version: string;
        };
        /** @description The door a request came through. */
        Surface: "http" | "stdio" | "acp" | "acp_rest" | "mcp" | "web" | "mobile" | "tui" | "cli" | "bridge" | "scheduler" | "fleet" | "runtime";
        /** @description Something a task made that is too long for its record. */
        TaskArtifact: {
            /**
             * Format: uint64
             * @description How long it is, in bytes.
             */
            bytes: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /** @description What its text hashes to: `sha256:` and 64 hex digits. */
            digest: string;
            /** @description What it is. */
            label: string;
            /** @description Where it is: an item of the thread, as `threads/{id}/items/{id}`. */
            path: string;
            /** @description What is in it. */
            summary: string;
        };
        /** @description A call of a tool. */
        TaskCall: {
            /** @description Where all it gave stands, when that is long. */
            detail_path?: string | null;
            /**
             * Format: uint64
             * @description How long it took.
             */
            duration_ms?: number | null;
            /**
             * Format: date-time
             * @description When it ended.
             */
            ended_at?: string | null;
            /** @description The item that shows it in the thread. */
            id: string;
            /** @description What it was given. */
            input_summary?: string | null;
            /** @description The tool. */
            name: string;
            /** @description What it gave. */
            output_summary?: string | null;
            /** @description Where the change stands that it made to files. */
            patch_ref?: string | null;
            /**
             * Format: date-time
             * @description When it began.
             */
            started_at: string;
            /** @description How it stands. */
            status: components["schemas"]["TaskCallStatus"];
        };
        /** @description How a call stands. */
        TaskCallStatus: "running" | "success" | "failed" | "canceled";
        /** @description What an agent wants to do and has done. */
        TaskChecklist: {
            /**
             * Format: uint64
             * @description How much is done, in percent.
             */
            completion_pct: number;
            /**
             * Format: uint64
             * @description Which line is under way.
             */
            in_progress_id?: number | null;
            /** @description The lines. */
            items: components["schemas"]["TaskTodo"][];
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at?: string | null;
        };
        /** @description How many tasks there are. */
        TaskCounts: {
            /**
             * Format: uint64
             * @description Those that were called off.
             */
            canceled: number;
            /**
             * Format: uint64
             * @description Those that completed.
             */
            completed: number;
            /**
             * Format: uint64
             * @description Those that failed.
             */
            failed: number;
            /**
             * Format: uint64
             * @description Those that wait.
             */
            queued: number;
            /**
             * Format: uint64
             * @description Those that run.
             */
            running: number;
        };
        /** @description A line of the timeline. */
        TaskEntry: {
            /** @description Where all of it stands: an item of the thread, as `threads/{id}/items/{id}`. */
            detail_path?: string | null;
            /** @description What about. */
            kind: components["schemas"]["TaskEntryKind"];
            /** @description What happened, in a sentence. */
            summary: string;
            /**
             * Format: date-time
             * @description When.
             */
            timestamp: string;
        };
        /** @description What a line of the timeline is about. */
        TaskEntryKind: "queued" | "running" | "runtime_link" | "status" | "message" | "tool_started" | "tool_completed" | "patch_ref" | "runtime_event" | "checklist" | "result_ref" | "error" | "cancel_requested" | "canceled" | "finished" | "recovered" | "omitted";
        /**
         * @description A background task.
         * @example task_019a86c4f2b07d3e8c5a1b9d4e6f7082
         */
        TaskId: string;
        /** @description What `tasks/list` answers. */
        TaskList: {
            /** @description How many there are of each status, whatever the request leaves out. */
            counts: components["schemas"]["TaskCounts"];
            /** @description The tasks, newest first. */
            tasks: components["schemas"]["TaskSummary"][];
        };
        /** @description Payload of `task.created` and `task.updated`. */
        TaskNews: {
            /** @description The task as it stands now. */
            task: components["schemas"]["TaskSummary"];
        };
        /** @description Names a task. */
        TaskParams: {
            /** @description The task, or the start of its id if no other has the same. */
            task_id: string;
        };
        /** @description A task with everything its thread tells about it. */
        TaskRecord: {
            /** @description Whether the shell is offered. */
            allow_shell: boolean;
            /** @description What it made that is long. */
            artifacts: components["schemas"]["TaskArtifact"][];
            /** @description Attempts at a change that were kept. */
            attempts: unknown[];
            /** @description Whether approvals are granted by themselves. */
            auto_approve: boolean;
            /** @description The automation that made it. */
            automation_id?: components["schemas"]["AutomationId"] | null;
            /** @description What the agent wants to do and has done. */
            checklist: components["schemas"]["TaskChecklist"];
            /**
             * Format: date-time
             * @description When it was accepted.
             */
            created_at: string;
            /** @description Who made it. */
            created_by: components["schemas"]["Actor"];
            /**
             * Format: uint64
             * @description From `started_at` to `ended_at`; zero for one that never began.
             */
            duration_ms?: number | null;
            /**
             * Format: date-time
             * @description When it ended.
             */
            ended_at?: string | null;
            /** @description Why it did not complete. */
            error?: string | null;
            /** @description Checks that were run over it. */
            gates: unknown[];
            /** @description What it did elsewhere. */
            github_events: unknown[];
            /** @description The task. */
            id: components["schemas"]["TaskId"];
            /**
             * Format: uint64
             * @description How often its state changed; one from the start.
             */
            lifecycle_seq: number;
            /** @description What kind of work. */
            mode: components["schemas"]["Mode"];
            /** @description The model. */
            model: string;
            /** @description The session it was made in, in the words of whoever made it. */
            owner_session_id?: string | null;
            /** @description What the agent is asked. */
            prompt: string;
            /** @description Where the whole answer stands, when it is long: an item of the thread. */
            result_detail_path?: string | null;
            /** @description The start of the answer; a fixed phrase when there is none. */
            result_summary?: string | null;
            /**
             * Format: uint64
             * @description How many events its thread has.
             */
            runtime_event_count: number;
            /**
             * Format: uint32
             * @description Version of this record's shape.
             */
            schema_version: number;
            /**
             * Format: date-time
             * @description When a worker took it.
             */
            started_at?: string | null;
            /** @description Where it stands. */
            status: components["schemas"]["TaskStatus"];
            /** @description That it is to stop. */
            stopping?: components["schemas"]["TaskStopping"] | null;
            /** @description Why it ended. */
            terminal_reason?: components["schemas"]["TerminalReason"] | null;
            /** @description Its thread, once it began. */
            thread_id?: components["schemas"]["ThreadId"] | null;
            /** @description What happened to it. */
            timeline: components["schemas"]["TaskEntry"][];
            /** @description The calls it made. */
            tool_calls: components["schemas"]["TaskCall"][];
            /** @description Whether a call may leave the sandbox. */
            trust_mode: boolean;
            /** @description Its turn, once it began. */
            turn_id?: components["schemas"]["TurnId"] | null;
            /** @description Whether it waits for a person: an approval, or questions. */
            waiting?: boolean;
            /** @description The directory the agent works in. */
            workspace: string;
        };
        /** @description What `tasks/create` takes. */
        TasksCreateParams: {
            /**
             * @description Whether the shell is offered.
             * @default null
             */
            allow_shell?: boolean | null;
            /**
             * @description Whether approvals are granted by themselves; they are not when left out.
             * @default null
             */
            auto_approve?: boolean | null;
            /**
             * @description The mode; `agent` when left out.
             * @default null
             */
            mode?: string | null;
            /**
             * @description The model; the default when left out.
             * @default null
             */
            model?: string | null;
            /**
             * @description The session it belongs to.
             * @default null
             */
            owner_session_id?: string | null;
            /** @description What the agent is asked; must not be blank. */
            prompt: string;
            /**
             * @description Whether a call may leave the sandbox.
             * @default null
             */
            trust_mode?: boolean | null;
            /**
             * @description The directory to work in; the server's own when left out.
             * @default null
             */
            workspace?: string | null;
        };
        /** @description What `tasks/list` takes. */
        TasksListParams: {
            /**
             * Format: uint64
             * @description How many, brought into 1 to 5000; as many as that when left out.
             * @default 5000
             */
            limit?: number | null;
            /**
             * @description Only those that work in this directory.
             * @default null
             */
            workspace?: string | null;
        };
        /** @description Where a task stands. */
        TaskStatus: "queued" | "running" | "completed" | "failed" | "canceled";
        /** @description That a running task is to stop. */
        TaskStopping: {
            /**
             * Format: date-time
             * @description Since when.
             */
            at: string;
            /** @description Why. */
            reason: components["schemas"]["TerminalReason"];
        };
        /** @description A task in a line. */
        TaskSummary: {
            /** @description The automation that made it. */
            automation_id?: components["schemas"]["AutomationId"] | null;
            /**
             * Format: date-time
             * @description When it was accepted.
             */
            created_at: string;
            /** @description Who made it. */
            created_by: components["schemas"]["Actor"];
            /**
             * Format: uint64
             * @description How long it worked.
             */
            duration_ms?: number | null;
            /**
             * Format: date-time
             * @description When it ended.
             */
            ended_at?: string | null;
            /** @description Why it did not complete. */
            error?: string | null;
            /** @description The task. */
            id: components["schemas"]["TaskId"];
            /**
             * Format: uint64
             * @description How often its state changed.
             */
            lifecycle_seq: number;
            /** @description What kind of work. */
            mode: components["schemas"]["Mode"];
            /** @description The model. */
            model: string;
            /** @description The session it was made in. */
            owner_session_id?: string | null;
            /** @description The start of what the agent is asked. */
            prompt_summary: string;
            /**
             * Format: date-time
             * @description When a worker took it.
             */
            started_at?: string | null;
            /** @description Where it stands. */
            status: components["schemas"]["TaskStatus"];
            /** @description Why it ended. */
            terminal_reason?: components["schemas"]["TerminalReason"] | null;
            /** @description Its thread. */
            thread_id?: components["schemas"]["ThreadId"] | null;
            /** @description Its turn. */
            turn_id?: components["schemas"]["TurnId"] | null;
            /** @description Whether it waits for a person. */
            waiting?: boolean;
            /** @description The directory the agent works in. */
            workspace: string;
        };
        /** @description One thing that an agent wants to do or has done. */
        TaskTodo: {
            /** @description What is to be done. */
            content: string;
            /**
             * Format: uint64
             * @description Its number, from one on.
             */
            id: number;
            /** @description How far it is: `pending`, `in_progress`, `completed` or `cancelled`. */
            status: string;
        };
        /** @description Why a task ended, in words a program can branch on. */
        TerminalReason: "completed" | "canceled" | "cancel_timeout" | "shutdown" | "wall_timeout" | "idle_timeout" | "failed";
        /** @description A whole thread at one moment of the log. */
        ThreadDetail: {
            /** @description Their items, by turn, in the order they began. */
            items: components["schemas"]["TurnItemRecord"][];
            /** @description The last event of this thread that the answer shows; a stream continues behind it. */
            latest_seq: components["schemas"]["Seq"];
            /** @description Questions that wait for a person. */
            pending_approvals: components["schemas"]["PendingApproval"][];
            /** @description Tool calls that wait for a client to execute them. */
            pending_dynamic_tool_calls: components["schemas"]["ToolCallRequested"][];
            /** @description Questions of the agent that wait for an answer. */
            pending_user_inputs: components["schemas"]["PendingUserInput"][];
            /** @description The thread. */
            thread: components["schemas"]["ThreadRecord"];
            /** @description Its turns, oldest first. */
            turns: components["schemas"]["TurnRecord"][];
        };
        /** @description Payload of `thread.forked`. The copied turns and items have no events of their own. */
        ThreadForked: {
            /**
             * Format: uint64
             * @description For a copy that leaves turns out: how many messages of people before the newest it goes back.
             */
            backtrack_depth_from_tail?: number | null;
            /** @description The first turn of the source that it leaves out. */
            dropped_turn_id?: components["schemas"]["TurnId"] | null;
            /** @description The last event of the source that the copy contains. */
            source_seq: components["schemas"]["Seq"];
            /** @description What it was copied from. */
            source_thread_id: components["schemas"]["ThreadId"];
            /** @description The copy. */
            thread: components["schemas"]["ThreadRecord"];
        };
        /** @description Whether a goal is still pursued, and if not, why. */
        ThreadGoalStatus: "active" | "paused" | "blocked" | "usage_limited" | "budget_limited" | "complete";
        /**
         * @description A thread: one conversation with an agent.
         * @example thr_019a86c4f2b07d3e8c5a1b9d4e6f7082
         */
        ThreadId: string;
        /** @description What a thread is in its room. */
        ThreadKind: "agent_task" | "channel" | "direct_message";
        /** @description A thread named by the path. */
        ThreadParams: {
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
        };
        /** @description A conversation with an agent. */
        ThreadRecord: {
            /** @description What its agent is for, when another spawned it. */
            agent_role?: components["schemas"]["AgentRole"] | null;
            /** @description Whether the shell is offered. */
            allow_shell: boolean;
            /** @description The approval policy that follows from the posture, in configuration words. */
            approval_policy?: string | null;
            /** @description Whether lists leave it out. */
            archived: boolean;
            /**
             * @description Who may meet it there.
             * @default room
             */
            audience?: components["schemas"]["Audience"];
            /** @description Whether approvals are granted by themselves. */
            auto_approve: boolean;
            /** @description What its turns may not exceed. */
            bounds?: components["schemas"]["Bounds"] | null;
            /**
             * @description How well the conversation still fits the model.
             * @default healthy
             */
            coherence_state?: components["schemas"]["CoherenceState"];
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was deleted: no door shows it any more, and its log stays.
             */
            deleted_at?: string | null;
            /** @description The thread. */
            id: components["schemas"]["ThreadId"];
            /**
             * @description What it is there.
             * @default agent_task
             */
            kind?: components["schemas"]["ThreadKind"];
            /** @description The last final message of the agent. */
            latest_response_bookmark?: components["schemas"]["ItemId"] | null;
            /** @description The newest turn. */
            latest_turn_id?: components["schemas"]["TurnId"] | null;
            /** @description What kind of work. */
            mode: components["schemas"]["Mode"];
            /** @description The model its turns use. */
            model: string;
            /** @description The kind of provider that serves the model. */
            model_provider?: string | null;
            /** @description The configured provider, where it has a name of its own. */
            model_provider_id?: string | null;
            /** @description Through which door it came. */
            origin: components["schemas"]["Origin"];
            /** @description The thread that spawned it. */
            parent_id?: components["schemas"]["ThreadId"] | null;
            /** @description Who answers approvals. */
            permission_posture?: components["schemas"]["PermissionPosture"] | null;
            /** @description The thread at the top of its tree, when another spawned it. */
            root_id?: components["schemas"]["ThreadId"] | null;
            /** @description How commands are confined. */
            sandbox_mode?: string | null;
            /**
             * Format: uint32
             * @description Version of this record's shape.
             */
            schema_version: number;
            /** @description A saved session that is linked to the thread. */
            session_id?: string | null;
            /** @description Standing instructions beside the built-in ones. */
            system_prompt?: string | null;
            /** @description The background task that owns the thread. */
            task_id?: string | null;
            /** @description A title that a person gave. */
            title?: string | null;
            /** @description Whether a call may leave the sandbox. */
            trust_mode: boolean;
            /**
             * Format: date-time
             * @description When it last changed; lists are ordered by it.
             */
            updated_at: string;
            /** @description The room it lives in. */
            workroom_id: components["schemas"]["RoomId"];
            /** @description The directory the agent works in. */
            workspace: string;
        };
        /** @description What `threads/compact` takes. */
        ThreadsCompactParams: {
            /**
             * @description Why, in the words that lists show for the turn.
             * @default null
             */
            reason?: string | null;
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
        };
        /** @description What `threads/create` takes; everything has a default. */
        ThreadsCreateParams: {
            /**
             * @description Whether the shell is offered.
             * @default null
             */
            allow_shell?: boolean | null;
            /**
             * @description Whether lists leave the thread out from the start.
             * @default null
             */
            archived?: boolean | null;
            /**
             * @description Whether approvals are granted by themselves.
             * @default null
             */
            auto_approve?: boolean | null;
            /**
             * @description What its turns may not exceed. It stays so: whoever makes a thread binds all who work on it.
             * @default null
             */
            bounds?: components["schemas"]["Bounds"] | null;
            /**
             * @description Names the piece of work it is for, where someone counts them.
             * @default null
             */
            dedupe_key?: string | null;
            /**
             * @description The id to give it, `thr_` and 32 hexadecimal digits, for who names things elsewhere too; one
             *     is drawn when left out.
             * @default null
             */
            id?: components["schemas"]["ThreadId"] | null;
            /**
             * @description The mode; `agent` when left out.
             * @default null
             */
            mode?: string | null;
            /**
             * @description The model; blank means the default, `auto` lets each turn choose.
             * @default null
             */
            model?: string | null;
            /**
             * @description The kind of provider.
             * @default null
             */
            model_provider?: string | null;
            /**
             * @description The configured provider, by its own name.
             * @default null
             */
            model_provider_id?: string | null;
            /**
             * @description The thread that the work was given out from.
             * @default null
             */
            parent_thread_id?: components["schemas"]["ThreadId"] | null;
            /**
             * @description Who answers approvals.
             * @default null
             */
            permission_posture?: string | null;
            /**
             * @description Standing instructions beside the built-in ones.
             * @default null
             */
            system_prompt?: string | null;
            /**
             * @description The background task that owns the thread.
             * @default null
             */
            task_id?: string | null;
            /**
             * @description A title.
             * @default null
             */
            title?: string | null;
            /**
             * @description Whether a call may leave the sandbox.
             * @default null
             */
            trust_mode?: boolean | null;
            /**
             * @description Who does that work.
             * @default null
             */
            worker_id?: string | null;
            /**
             * @description The room to put it in; that of the workspace when left out.
             * @default null
             */
            workroom_id?: components["schemas"]["RoomId"] | null;
            /**
             * @description The directory to work in; the server's own when left out.
             * @default null
             */
            workspace?: string | null;
        };
        /** @description What `threads/list` takes. */
        ThreadsListParams: {
            /**
             * @description Whether only archived threads are shown.
             * @default null
             */
            archived_only?: boolean | null;
            /**
             * @description Whether archived threads are shown too.
             * @default null
             */
            include_archived?: boolean | null;
            /**
             * Format: uint64
             * @description How many, brought into 1 to 500; 50 when left out.
             * @default 50
             */
            limit?: number | null;
        };
        /** @description What `threads/patch` takes: at least one member; an empty title or system prompt clears it. */
        ThreadsPatchParams: {
            /** @description Whether the shell is offered. */
            allow_shell?: boolean | null;
            /** @description Whether lists leave it out. */
            archived?: boolean | null;
            /** @description Whether approvals are granted by themselves. */
            auto_approve?: boolean | null;
            /** @description The mode. */
            mode?: string | null;
            /** @description The model. */
            model?: string | null;
            /** @description Who answers approvals. */
            permission_posture?: string | null;
            /** @description Standing instructions. */
            system_prompt?: string | null;
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /** @description A title. */
            title?: string | null;
            /** @description Whether a call may leave the sandbox. */
            trust_mode?: boolean | null;
            /** @description The directory to work in. */
            workspace?: string | null;
        };
        /** @description What `threads/retry` takes. */
        ThreadsRetryParams: {
            /**
             * Format: uint64
             * @description How many messages of people before the newest to go back; the newest when left out.
             * @default 0
             */
            depth?: number;
            /**
             * @description Tools that the client runs itself, for the new turn only.
             * @default null
             */
            dynamic_tools?: components["schemas"]["DynamicTool"][] | null;
            /**
             * @description Whether files go back that were changed since by someone else. What they are now is kept.
             * @default false
             */
            force?: boolean;
            /**
             * @description What the agent is asked instead; the same again when left out.
             * @default null
             */
            prompt?: string | null;
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
        };
        /** @description What `threads/summary` takes. */
        ThreadsSummaryParams: {
            /**
             * @description Whether only archived threads are shown.
             * @default null
             */
            archived_only?: boolean | null;
            /**
             * @description Whether archived threads are shown too.
             * @default null
             */
            include_archived?: boolean | null;
            /**
             * Format: uint64
             * @description How many, brought into 1 to 500; 50 when left out.
             * @default 50
             */
            limit?: number | null;
            /**
             * @description Text that must occur in id, title, preview or model.
             * @default null
             */
            search?: string | null;
        };
        /** @description Payload of `thread.started`. */
        ThreadStarted: {
            /** @description The thread as it began. */
            thread: components["schemas"]["ThreadRecord"];
        };
        /** @description One line of a thread list. */
        ThreadSummary: {
            /** @description Whether lists leave it out. */
            archived: boolean;
            /** @description The branch that directory is on. */
            branch?: string | null;
            /** @description Whether files there differ from that commit. */
            dirty: boolean;
            /** @description The commit it is at, shortened. */
            head?: string | null;
            /** @description The thread. */
            id: components["schemas"]["ThreadId"];
            /** @description The newest turn. */
            latest_turn_id?: components["schemas"]["TurnId"] | null;
            /** @description Where that turn stands. */
            latest_turn_status?: components["schemas"]["TurnStatus"] | null;
            /** @description The mode. */
            mode: components["schemas"]["Mode"];
            /** @description The model. */
            model: string;
            /** @description The newest message. */
            preview: string;
            /** @description Its title, or the start of its latest prompt. */
            title: string;
            /**
             * Format: date-time
             * @description When it last changed.
             */
            updated_at: string;
            /** @description The directory. */
            workspace: string;
        };
        /** @description What `threads/undo` and `threads/patch-undo` take. */
        ThreadsUndoParams: {
            /**
             * Format: uint64
             * @description How many messages of people before the newest to go back; the newest when left out.
             * @default 0
             */
            depth?: number;
            /**
             * @description Whether files go back that were changed since by someone else. What they are now is kept.
             * @default false
             */
            force?: boolean;
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
        };
        /** @description Payload of `thread.updated`. */
        ThreadUpdated: {
            /** @description Just the members that changed; a cleared one is null. */
            changes: {
                [key: string]: unknown;
            };
            /** @description Why, where nobody asked for just that. */
            reason?: string | null;
            /** @description The thread as it is now. */
            thread: components["schemas"]["ThreadRecord"];
        };
        /** @description Payload of `tool_call.canceled`. */
        ToolCallCanceled: {
            /** @description The call. */
            call_id: components["schemas"]["ClientCallId"];
            /** @description Why. */
            reason: components["schemas"]["ToolCallCancelReason"];
            /** @description True when a later process ended it. */
            recovered?: boolean;
            /** @description Always `canceled`. */
            status: string;
            /** @description Always true: the turn has ended too. */
            terminal: boolean;
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /** @description The turn that waits. */
            turn_id: components["schemas"]["TurnId"];
        };
        /** @description Why a call waits no more. */
        ToolCallCancelReason: "turn_terminal" | "process_restart";
        /** @description A part of a result. */
        ToolCallContent: {
            /** @description The words. */
            text: string;
            /** @constant */
            type: "input_text";
        } | {
            /** @description Where it is, or itself as a `data:` address. */
            image_url: string;
            /** @constant */
            type: "input_image";
        };
        /** @description Payload of `tool_call.requested`: a call that waits for the client. */
        ToolCallRequested: {
            /** @description What it is called with. */
            arguments: unknown;
            /** @description The call. */
            call_id: components["schemas"]["ClientCallId"];
            /** @description The namespace of the tool, where it has one. */
            namespace?: string | null;
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /** @description The name of the tool. */
            tool: string;
            /** @description The turn that waits. */
            turn_id: components["schemas"]["TurnId"];
        };
        /** @description Payload of `tool_call.resolved`. The result itself is in the item of the call. */
        ToolCallResolved: {
            /** @description The call. */
            call_id: components["schemas"]["ClientCallId"];
            /** @description Always true. */
            result_accepted: boolean;
            /** @description Always `resolved`. */
            status: string;
            /** @description Whether the tool did what it was asked. */
            success: boolean;
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /** @description The turn that waits. */
            turn_id: components["schemas"]["TurnId"];
        };
        /** @description What `tool-calls/result` takes. */
        ToolCallsResultParams: {
            /** @description The call. */
            call_id: components["schemas"]["ClientCallId"];
            /**
             * @description What the model is told.
             * @default []
             */
            content?: components["schemas"]["ToolCallContent"][];
            /** @description Whether the tool did what it was asked. */
            success: boolean;
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /** @description The turn that waits. */
            turn_id: components["schemas"]["TurnId"];
        };
        /** @description Payload of `tool_call.timeout`. */
        ToolCallTimeout: {
            /** @description The call. */
            call_id: components["schemas"]["ClientCallId"];
            /** @description Always `timeout`. */
            status: string;
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /**
             * Format: uint64
             * @description How long it waited.
             */
            timeout_secs: number;
            /** @description The turn that waits. */
            turn_id: components["schemas"]["TurnId"];
        };
        /** @description A tool as whoever calls it needs to know it. */
        ToolInfo: {
            /** @description Other names it answers to. */
            aliases?: string[];
            /** @description What it does and when to use it. */
            description: string;
            /** @description JSON schema of its input. */
            input_schema: unknown;
            /** @description Its name. */
            name: string;
            /** @description Whether it only looks. */
            read_only: boolean;
        };
        /** @description A call of a tool. */
        ToolInvocation: {
            /** @description The model's id of the call. */
            id: string;
            /** @description Its arguments. */
            input: unknown;
            /** @description The tool. */
            name: string;
        };
        /** @description What `tools/list` answers. */
        ToolList: {
            /** @description The tools, ordered by name. */
            tools: components["schemas"]["ToolInfo"][];
        };
        /** @description What `tools/call` takes. */
        ToolsCallParams: {
            /**
             * @description Whether a person is asked first, also where the law would not ask.
             * @default false
             */
            ask?: boolean;
            /**
             * @description What it is called with.
             * @default {}
             */
            input?: {
                [key: string]: unknown;
            };
            /** @description The thread it happens on, under the permissions and walls of that thread. */
            thread_id: components["schemas"]["ThreadId"];
            /**
             * @description The tool, by its name or another one it answers to.
             * @example list_dir
             */
            tool: string;
        };
        /** @description Payload of `turn.completed`, which ends every turn. */
        TurnCompleted: {
            /** @description True when a later process ended it. */
            recovered?: boolean;
            /** @description The turn in its final state. */
            turn: components["schemas"]["TurnRecord"];
        };
        /** @description A turn at one moment of the log, for who knows nothing but its id. */
        TurnDetail: {
            /** @description Its items, in the order they began. */
            items: components["schemas"]["TurnItemRecord"][];
            /** @description The last event of the thread that the answer shows; a stream continues behind it. */
            latest_seq: components["schemas"]["Seq"];
            /** @description Questions that keep it waiting for a person, its own and those of agents below it. */
            pending_approvals: components["schemas"]["PendingApproval"][];
            /** @description Questions of the agent that keep it waiting for an answer. */
            pending_user_inputs: components["schemas"]["PendingUserInput"][];
            /** @description What the turn led to stands behind this place of the log, in the stream of the thread. */
            since_seq: components["schemas"]["Seq"];
            /** @description The thread it belongs to. */
            thread: components["schemas"]["ThreadRecord"];
            /** @description The turn. */
            turn: components["schemas"]["TurnRecord"];
        };
        /**
         * @description A turn: one request to the agent and everything it led to.
         * @example turn_019a86c4f2b07d3e8c5a1b9d4e6f7082
         */
        TurnId: string;
        /** @description Payload of `turn.interrupt_requested`. */
        TurnInterruptRequested: {
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /** @description The turn. */
            turn_id: components["schemas"]["TurnId"];
        };
        /** @description One visible piece of a turn. */
        TurnItemRecord: {
            /** @description Who made it; the events of the item tell more. */
            actor_id: components["schemas"]["ActorId"];
            /**
             * @description Files that belong to the item.
             * @default []
             */
            artifact_refs?: string[];
            /** @description The full text: what was said, or the input and later the output of a tool. */
            detail?: string | null;
            /**
             * Format: date-time
             * @description When it ended.
             */
            ended_at?: string | null;
            /** @description The item. */
            id: components["schemas"]["ItemId"];
            /** @description The parts of a user message that is more than its text. */
            input?: components["schemas"]["InputPart"][] | null;
            /** @description What it shows. */
            kind: components["schemas"]["ItemKind"];
            /** @description Facts that depend on the kind: `tool` for tool calls, `error` for failures. */
            metadata?: unknown;
            /**
             * Format: uint32
             * @description Version of this record's shape.
             */
            schema_version: number;
            /**
             * Format: date-time
             * @description When it began.
             */
            started_at?: string | null;
            /** @description Where it stands. */
            status: components["schemas"]["ItemStatus"];
            /** @description A short text, at most 280 characters. */
            summary: string;
            /** @description The turn it belongs to. */
            turn_id: components["schemas"]["TurnId"];
        };
        /** @description Payload of `turn.lifecycle`. */
        TurnLifecycle: {
            /**
             * Format: date-time
             * @description When the engine took the turn up.
             */
            started_at: string;
            /** @description Always `in_progress`. */
            status: string;
        };
        /**
         * @description What the model is told about a turn behind each message of a person. Kept as it was told, so that
         *     the conversation reads the same whenever it is told anew.
         */
        TurnMeta: {
            /** @description The day it was accepted, where the program runs. */
            local_date: string;
            /** @description The mode it began in. */
            mode: components["schemas"]["Mode"];
            /** @description The provider and model it began with. */
            route: string;
            /** @description The directory it began in. */
            workspace: string;
        };
        /** @description What `turns/get` takes. */
        TurnParams: {
            /** @description The turn. */
            turn_id: components["schemas"]["TurnId"];
        };
        /** @description One request to the agent and what became of it. */
        TurnRecord: {
            /** @description Which agent answered. */
            answered_by?: components["schemas"]["Actor"] | null;
            /** @description The approval policy it ran under, in configuration words. */
            approval_policy?: string | null;
            /**
             * Format: uint64
             * @description How many tokens the conversation had in its last request, as the provider counts them.
             */
            context_tokens?: number | null;
            /**
             * Format: uint64
             * @description How many the model has room for.
             */
            context_window?: number | null;
            /**
             * Format: double
             * @description What they cost, as far as prices are known; by the prices of the time it began.
             */
            cost_usd?: number | null;
            /**
             * Format: date-time
             * @description When it was accepted.
             */
            created_at: string;
            /**
             * Format: uint64
             * @description From `started_at` to `ended_at`.
             */
            duration_ms?: number | null;
            /**
             * Format: date-time
             * @description When the first request went to the provider.
             */
            effective_dispatched_at?: string | null;
            /** @description The model that served it. */
            effective_model?: string | null;
            /** @description The kind of provider that served it. */
            effective_provider?: string | null;
            /** @description The configured provider that served it, where it has a name of its own. */
            effective_provider_id?: string | null;
            /**
             * Format: date-time
             * @description When it ended.
             */
            ended_at?: string | null;
            /** @description Who or what ended it. */
            ended_by?: components["schemas"]["Actor"] | null;
            /** @description Why it did not complete. */
            error?: string | null;
            /** @description The same for programs. */
            failure_class?: components["schemas"]["FailureClass"] | null;
            /** @description The last message of the agent, when the turn completed with one. */
            final_item_id?: components["schemas"]["ItemId"] | null;
            /** @description The turn. */
            id: components["schemas"]["TurnId"];
            /** @description The first characters of the prompt, or the caller's own words for it. */
            input_summary: string;
            /** @description Its items in the order they began. */
            item_ids: components["schemas"]["ItemId"][];
            /** @description What the model was told about it; none for turns from before this was kept. */
            meta?: components["schemas"]["TurnMeta"] | null;
            /** @description Through which door it came. */
            origin: components["schemas"]["Origin"];
            /**
             * Format: uint32
             * @description Calls whose effect is not known, after a crash in the middle of them.
             */
            outcome_unknown?: number;
            /** @description Who answered approvals while it ran. */
            permission_posture?: components["schemas"]["PermissionPosture"] | null;
            /** @description How hard the model was asked to think. */
            reasoning_effort?: string | null;
            /** @description Who asked for it. */
            requested_by: components["schemas"]["Actor"];
            /** @description Whether the same request may well succeed later. */
            retryable?: boolean | null;
            /** @description How its commands were confined. */
            sandbox_mode?: string | null;
            /**
             * Format: uint32
             * @description Version of this record's shape.
             */
            schema_version: number;
            /**
             * Format: date-time
             * @description When the engine began.
             */
            started_at?: string | null;
            /** @description Where it stands. */
            status: components["schemas"]["TurnStatus"];
            /**
             * Format: uint32
             * @description How often it was steered.
             */
            steer_count: number;
            /** @description Sources of its input that are not to be trusted. */
            taint?: string[];
            /** @description The thread it belongs to. */
            thread_id: components["schemas"]["ThreadId"];
            /** @description Tokens used, set at the end. */
            usage?: components["schemas"]["Usage"] | null;
        };
        /** @description What `turns/interrupt` takes. */
        TurnsInterruptParams: {
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /** @description Its running turn. */
            turn_id: components["schemas"]["TurnId"];
        };
        /** @description What `turns/start` takes. */
        TurnsStartParams: {
            /**
             * @description Whether the shell is offered, for this turn only.
             * @default null
             */
            allow_shell?: boolean | null;
            /**
             * @description Instructions behind those of the thread, for this turn only.
             * @default null
             */
            append_system_prompt?: string | null;
            /**
             * @description Whether approvals are granted by themselves, for this turn only.
             * @default null
             */
            auto_approve?: boolean | null;
            /**
             * @description What the turn may not exceed, beside what its thread may not.
             * @default null
             */
            bounds?: components["schemas"]["Bounds"] | null;
            /**
             * @description Tools that the client runs itself, for this turn only.
             * @default null
             */
            dynamic_tools?: components["schemas"]["DynamicTool"][] | null;
            /**
             * @description What else it is given, behind the prompt.
             * @default null
             */
            input?: components["schemas"]["InputPart"][] | null;
            /**
             * @description Words to show instead of the start of the prompt.
             * @default null
             */
            input_summary?: string | null;
            /**
             * @description Another mode, for this turn only.
             * @default null
             */
            mode?: string | null;
            /**
             * @description Another model, for this turn only.
             * @default null
             */
            model?: string | null;
            /**
             * @description Another provider, for this turn only; with its default model where none is named.
             * @default null
             */
            model_provider?: string | null;
            /**
             * @description Another posture, for this turn only.
             * @default null
             */
            permission_posture?: string | null;
            /** @description What the agent is asked; must not be blank. */
            prompt: string;
            /**
             * @description How hard the model thinks, for this turn only.
             * @default null
             */
            reasoning_effort?: string | null;
            /**
             * @description How commands are confined, for this turn only: `read-only`, `workspace-write`,
             *     `danger-full-access` or `external-sandbox`. The configuration may hold it to less.
             * @default null
             */
            sandbox_mode?: string | null;
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /**
             * @description Whether the sandbox may be left, for this turn only.
             * @default null
             */
            trust_mode?: boolean | null;
        };
        /** @description What `turns/steer` takes. */
        TurnsSteerParams: {
            /** @description What to add; must not be blank. */
            prompt: string;
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /** @description Its running turn. */
            turn_id: components["schemas"]["TurnId"];
        };
        /** @description Payload of `turn.started`. */
        TurnStarted: {
            /** @description True when all it does is shorten the conversation. */
            manual_compaction?: boolean;
            /** @description The turn. */
            turn: components["schemas"]["TurnRecord"];
        };
        /** @description Where a turn stands. */
        TurnStatus: "queued" | "in_progress" | "completed" | "failed" | "interrupted" | "canceled";
        /** @description Payload of `turn.steered`. */
        TurnSteered: {
            /** @description What was added. */
            input: string;
            /** @description The thread. */
            thread_id: components["schemas"]["ThreadId"];
            /** @description The turn. */
            turn_id: components["schemas"]["TurnId"];
        };
        /** @description A turn together with the thread it changed. */
        TurnWithThread: {
            /** @description The thread. */
            thread: components["schemas"]["ThreadRecord"];
            /** @description The turn. */
            turn: components["schemas"]["TurnRecord"];
        };
        /** @description A thread without its last turns, and the files as they were before them. */
        Undone: {
            /** @description What had been asked. */
            original_user_text?: string | null;
            /** @description What became of the files. */
            patch_result: components["schemas"]["PatchResult"];
            /** @description The copy that ends before what was undone. The thread itself is as it was. */
            thread: components["schemas"]["ThreadRecord"];
        };
        /** @description Totals of the model calls of one turn. Members a provider did not report are left out. */
        Usage: {
            /**
             * Format: uint64
             * @description All tokens sent, cached ones included.
             */
            input_tokens: number;
            /**
             * Format: uint64
             * @description All tokens received, reasoning included.
             */
            output_tokens: number;
            /**
             * Format: uint64
             * @description Sent tokens that the provider had cached.
             */
            prompt_cache_hit_tokens?: number | null;
            /**
             * Format: uint64
             * @description Sent tokens that it had not.
             */
            prompt_cache_miss_tokens?: number | null;
            /**
             * Format: uint64
             * @description Tokens written to the provider's cache.
             */
            prompt_cache_write_tokens?: number | null;
            /**
             * Format: uint64
             * @description The part of the output that was reasoning.
             */
            reasoning_tokens?: number | null;
        };
        /** @description One part of the sums. */
        UsageBucket: {
            /**
             * Format: uint64
             * @description Sent tokens that it put into its cache.
             */
            cache_write_tokens: number;
            /**
             * Format: uint64
             * @description Sent tokens that the provider had cached.
             */
            cached_tokens: number;
            /** @description Whether all have one. */
            cost_complete: boolean;
            /**
             * Format: double
             * @description What that cost in dollars, as far as prices are known.
             */
            cost_usd: number;
            /**
             * Format: uint64
             * @description Tokens sent, without those that the provider had cached or put into its cache.
             */
            input_tokens: number;
            /** @description Which: a day as `YYYY-MM-DD`, a model, a provider or a thread. */
            key: string;
            /**
             * Format: uint64
             * @description Tokens received.
             */
            output_tokens: number;
            /**
             * Format: uint64
             * @description How many of those have a known price.
             */
            priced_turns: number;
            /**
             * Format: uint64
             * @description The part of the output that was reasoning.
             */
            reasoning_tokens: number;
            /**
             * Format: uint64
             * @description How often something was used: once for each agent that worked on a turn.
             */
            turns: number;
            /**
             * Format: uint64
             * @description How many have not.
             */
            unpriced_turns: number;
        };
        /** @description What sums are kept apart by. */
        UsageGrouping: "day" | "model" | "provider" | "thread";
        /** @description What `usage/report` answers. */
        UsageReport: {
            /** @description One by one, in the order of their keys; those without any use are left out. */
            buckets: components["schemas"]["UsageBucket"][];
            /** @description What is kept apart. */
            group_by: components["schemas"]["UsageGrouping"];
            /**
             * Format: date-time
             * @description From when on.
             */
            since?: string | null;
            /** @description All together. */
            totals: components["schemas"]["UsageTotals"];
            /**
             * Format: date-time
             * @description Until when.
             */
            until?: string | null;
        };
        /** @description What `usage/report` takes. */
        UsageReportParams: {
            /** @description What is kept apart; days when absent. */
            group_by?: components["schemas"]["UsageGrouping"] | null;
            /**
             * Format: date-time
             * @description Only what began at this moment or later.
             */
            since?: string | null;
            /**
             * Format: date-time
             * @description Only what began at this moment or before.
             */
            until?: string | null;
        };
        /** @description What several turns used together. */
        UsageTotals: {
            /**
             * Format: uint64
             * @description Sent tokens that it put into its cache.
             */
            cache_write_tokens: number;
            /**
             * Format: uint64
             * @description Sent tokens that the provider had cached.
             */
            cached_tokens: number;
            /** @description Whether all have one. */
            cost_complete: boolean;
            /**
             * Format: double
             * @description What that cost in dollars, as far as prices are known.
             */
            cost_usd: number;
            /**
             * Format: uint64
             * @description Tokens sent, without those that the provider had cached or put into its cache.
             */
            input_tokens: number;
            /**
             * Format: uint64
             * @description Tokens received.
             */
            output_tokens: number;
            /**
             * Format: uint64
             * @description How many of those have a known price.
             */
            priced_turns: number;
            /**
             * Format: uint64
             * @description The part of the output that was reasoning.
             */
            reasoning_tokens: number;
            /**
             * Format: uint64
             * @description How often something was used: once for each agent that worked on a turn.
             */
            turns: number;
            /**
             * Format: uint64
             * @description How many have not.
             */
            unpriced_turns: number;
        };
        /** @description What was answered to one question. */
        UserInputAnswer: {
            /** @description The question. */
            id: string;
            /** @description The option that was chosen, or [`FREE_TEXT_LABEL`]. */
            label: string;
            /** @description The answer as the agent is to read it. */
            value: string;
        };
        /** @description Payload of `user_input.answered`. The answers are not in it. */
        UserInputAnswered: {
            /** @description The request. */
            id: components["schemas"]["UserInputId"];
            /** @description The same, under its other name. */
            input_id: components["schemas"]["UserInputId"];
        };
        /** @description What `user-input/answer` takes. */
        UserInputAnswerParams: {
            /** @description One entry per chosen option; free text has the label `Other`. */
            answers: components["schemas"]["UserInputAnswer"][];
            /** @description The request. */
            input_id: components["schemas"]["UserInputId"];
            /** @description The thread that waits. */
            thread_id: components["schemas"]["ThreadId"];
        };
        /** @description Payload of `user_input.canceled`. */
        UserInputCanceled: {
            /** @description The request. */
            id: components["schemas"]["UserInputId"];
            /** @description The same, under its other name. */
            input_id: components["schemas"]["UserInputId"];
            /** @description True when the turn ended; false when only the time to answer did. */
            terminal: boolean;
        };
        /**
         * @description Questions of an agent to a person, asked in one go.
         * @example uinp_019a86c4f2b07d3e8c5a1b9d4e6f7082
         */
        UserInputId: string;
        /** @description An answer to choose from. */
        UserInputOption: {
            /** @description What choosing it means. */
            description: string;
            /** @description The answer in a few words. */
            label: string;
        };
        /** @description One question. */
        UserInputQuestion: {
            /**
             * @description Whether something else may be typed.
             * @default false
             */
            allow_free_text?: boolean;
            /** @description A word or two to head it with. */
            header: string;
            /** @description Its id, which the answer repeats. */
            id: string;
            /**
             * @description Whether more than one may be chosen.
             * @default false
             */
            multi_select?: boolean;
            /** @description Two to four answers to choose from. */
            options: components["schemas"]["UserInputOption"][];
            /** @description The whole question. */
            question: string;
        };
        /** @description The answer to an answer. */
        UserInputReceipt: {
            /** @description Whether the turn has it. */
            delivered: boolean;
            /** @description The request. */
            input_id: components["schemas"]["UserInputId"];
            /** @description Always true; failures are errors. */
            ok: boolean;
        };
        /** @description What the agent asks in one go. */
        UserInputRequest: {
            /** @description One to three questions. */
            questions: components["schemas"]["UserInputQuestion"][];
        };
        /** @description Payload of `user_input.required`. */
        UserInputRequired: {
            /** @description Who asks, when it is a sub-agent of this thread. */
            asked_by?: components["schemas"]["AskedBy"] | null;
            /** @description The request. */
            id: components["schemas"]["UserInputId"];
            /** @description What is asked. */
            request: components["schemas"]["UserInputRequest"];
        };
        /** @description Names a workspace. */
        WorkspaceParams: {
            /** @description Its absolute path; the workspace of the server when absent. */
            workspace?: string | null;
        };
        /** @description What `workspaces/set-trust` takes. */
        WorkspaceSetTrustParams: {
            /**
             * @description The digest that was looked at; needed to say yes.
             * @default null
             */
            digest?: string | null;
            /** @description Whether what it brings along counts from now on. */
            trusted: boolean;
            /**
             * @description The directory; the server's own when left out.
             * @default null
             */
            workspace?: string | null;
        };
        /** @description How the repository of a workspace stands. */
        WorkspaceStatus: {
            /**
             * Format: uint64
             * @description Commits that the upstream branch lacks; none without one.
             */
            ahead?: number | null;
            /**
             * Format: uint64
             * @description Commits of the upstream branch that are lacking here; none without one.
             */
            behind?: number | null;
            /** @description The branch, or `detached@` and the commit. */
            branch?: string | null;
            /** @description Whether anything is staged, changed or new. */
            dirty: boolean;
            /** @description Whether it is part of a repository. Without one everything below is empty. */
            git_repo: boolean;
            /** @description The commit, shortened. */
            head?: string | null;
            /**
             * Format: uint64
             * @description Files with changes that the next commit takes.
             */
            staged: number;
            /**
             * Format: uint64
             * @description Files with changes that it does not take.
             */
            unstaged: number;
            /**
             * Format: uint64
             * @description Files that are new.
             */
            untracked: number;
            /** @description The workspace. */
            workspace: string;
        };
        /** @description What a workspace brings along, and whether the user has said yes to exactly that. */
        WorkspaceTrust: {
            /** @description SHA-256 over everything it brings along; nothing when that is nothing. */
            digest?: string | null;
            /** @description The files that count, relative to the workspace. */
            files: string[];
            /** @description Whether what it brings along counts. Always false when it brings nothing. */
            trusted: boolean;
            /** @description The directory. */
            workspace: string;
        };
        /** @description Payload of `workspace.trust`. */
        WorkspaceTrustChanged: {
            /** @description What is trusted from now on; nothing any more when absent. */
            digest?: string | null;
            /** @description The directory. */
            workspace: string;
        };
        /** @description What `workspaces/trust` takes. */
        WorkspaceTrustParams: {
            /**
             * @description The directory; the server's own when left out.
             * @default null
             */
            workspace?: string | null;
        };
    };
    responses: {
        /** @description The present state does not allow it; `data` tells that state where it helps. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "conflict",
                 *         "message": "The present state does not allow it; `data` tells that state where it helps.",
                 *         "status": 409
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The token, the role, the Host or the Origin of the request does not allow it. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "forbidden",
                 *         "message": "The token, the role, the Host or the Origin of the request does not allow it.",
                 *         "status": 403
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A fault of the server; the message names the id under which it was logged. */
        Internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "internal",
                 *         "message": "A fault of the server; the message names the id under which it was logged.",
                 *         "status": 500
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request does not read, or a value in it is not acceptable. */
        Invalid: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "malformed",
                 *         "message": "The request does not read, or a value in it is not acceptable.",
                 *         "status": 400
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such thing, or the caller may not know of it. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "not_found",
                 *         "message": "There is no such thing, or the caller may not know of it.",
                 *         "status": 404
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is not said to be JSON. */
        NotJson: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "malformed",
                 *         "message": "The body is not said to be JSON.",
                 *         "status": 415
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Too much at once; the same request may succeed in a moment. */
        Overloaded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "overloaded",
                 *         "message": "Too much at once; the same request may succeed in a moment.",
                 *         "status": 429
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than is taken. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "malformed",
                 *         "message": "The body is larger than is taken.",
                 *         "status": 413
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no valid token. */
        Unauthenticated: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "unauthenticated",
                 *         "message": "There is no valid token.",
                 *         "status": 401
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The store or another part cannot serve now. */
        Unavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "unavailable",
                 *         "message": "The store or another part cannot serve now.",
                 *         "status": 503
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description This server cannot do it, and says so rather than something less. */
        Unsupported: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "unsupported",
                 *         "message": "This server cannot do it, and says so rather than something less.",
                 *         "status": 501
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is JSON, but a member is missing or has the wrong type. */
        WrongShape: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "error": {
                 *         "code": "invalid_shape",
                 *         "message": "The body is JSON, but a member is missing or has the wrong type.",
                 *         "status": 422
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mode": "text",
                     *       "service": "text",
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": {
                        mode: string;
                        service: string;
                        /** @constant */
                        status: "ok";
                    };
                };
            };
            403: components["responses"]["Forbidden"];
        };
    };
    "agent-runs/list": {
        parameters: {
            query?: {
                /** @description How many, brought into 1 to 500; 50 when absent. */
                limit?: number;
                /** @description Only those below this thread. */
                thread_id?: components["schemas"]["ThreadId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "runs": [
                     *         {
                     *           "actor_kind": "text",
                     *           "artifacts": [
                     *             {
                     *               "description": "text",
                     *               "kind": "text",
                     *               "name": "text",
                     *               "target": "text"
                     *             }
                     *           ],
                     *           "created_at_ms": 0,
                     *           "events": [
                     *             {
                     *               "seq": 0,
                     *               "status": "queued",
                     *               "timestamp_ms": 0,
                     *               "worker_id": "text"
                     *             }
                     *           ],
                     *           "follow_up": {
                     *             "accepted_statuses": [
                     *               "queued"
                     *             ],
                     *             "agent_id": "text",
                     *             "tool": "text"
                     *           },
                     *           "recommended_action": {
                     *             "action": "text",
                     *             "reason": "text"
                     *           },
                     *           "spec": {
                     *             "agent_type": "worker",
                     *             "context_mode": "text",
                     *             "fork_context": false,
                     *             "max_spawn_depth": 0,
                     *             "max_steps": 0,
                     *             "model": "text",
                     *             "objective": "text",
                     *             "run_id": "text",
                     *             "runtime_profile": {},
                     *             "spawn_depth": 0,
                     *             "tool_profile": "text",
                     *             "worker_id": "text",
                     *             "workspace": "text"
                     *           },
                     *           "status": "queued",
                     *           "steps_taken": 0,
                     *           "takeover": {
                     *             "agent_id": "text",
                     *             "instructions": "text",
                     *             "kind": "text",
                     *             "supported": false,
                     *             "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *           },
                     *           "updated_at_ms": 0,
                     *           "usage": {
                     *             "note": "text",
                     *             "status": "text"
                     *           },
                     *           "verification": {
                     *             "status": "text",
                     *             "summary": "text"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AgentRuns"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "agent-runs/get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run, or the agent. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "actor_kind": "text",
                     *       "artifacts": [
                     *         {
                     *           "description": "text",
                     *           "kind": "text",
                     *           "name": "text",
                     *           "target": "text"
                     *         }
                     *       ],
                     *       "created_at_ms": 0,
                     *       "events": [
                     *         {
                     *           "seq": 0,
                     *           "status": "queued",
                     *           "timestamp_ms": 0,
                     *           "worker_id": "text"
                     *         }
                     *       ],
                     *       "follow_up": {
                     *         "accepted_statuses": [
                     *           "queued"
                     *         ],
                     *         "agent_id": "text",
                     *         "tool": "text"
                     *       },
                     *       "recommended_action": {
                     *         "action": "text",
                     *         "reason": "text"
                     *       },
                     *       "spec": {
                     *         "agent_type": "worker",
                     *         "context_mode": "text",
                     *         "fork_context": false,
                     *         "max_spawn_depth": 0,
                     *         "max_steps": 0,
                     *         "model": "text",
                     *         "objective": "text",
                     *         "run_id": "text",
                     *         "runtime_profile": {},
                     *         "spawn_depth": 0,
                     *         "tool_profile": "text",
                     *         "worker_id": "text",
                     *         "workspace": "text"
                     *       },
                     *       "status": "queued",
                     *       "steps_taken": 0,
                     *       "takeover": {
                     *         "agent_id": "text",
                     *         "instructions": "text",
                     *         "kind": "text",
                     *         "supported": false,
                     *         "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *       },
                     *       "updated_at_ms": 0,
                     *       "usage": {
                     *         "note": "text",
                     *         "status": "text"
                     *       },
                     *       "verification": {
                     *         "status": "text",
                     *         "summary": "text"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AgentRun"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "approvals/decide": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The approval. */
                approval_id: components["schemas"]["ApprovalId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "allow"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description `allow` or `deny`; the control protocol's words are understood too.
                     * @example allow
                     */
                    decision: string;
                    /** @description Why, where no person answers; the agent reads it. */
                    reason?: string | null;
                    /**
                     * @description Whether to hold the same answer for the same call again.
                     * @default null
                     */
                    remember?: boolean | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval_id": "appr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "decision": "allow",
                     *       "delivered": false,
                     *       "ok": false
                     *     }
                     */
                    "application/json": components["schemas"]["ApprovalReceipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "mcp/servers": {
        parameters: {
            query?: {
                /**
                 * @description The workspace whose own servers are listed too, if it is trusted; the server's own when left
                 *     out.
                 */
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "servers": [
                     *         {
                     *           "connected": false,
                     *           "disabled_tools": [
                     *             "text"
                     *           ],
                     *           "enabled": false,
                     *           "enabled_tools": [
                     *             "text"
                     *           ],
                     *           "name": "text",
                     *           "quarantined": 0,
                     *           "required": false,
                     *           "status": "text",
                     *           "tools": 0,
                     *           "transport": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["McpServerList"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "mcp/tools": {
        parameters: {
            query?: {
                /** @description Whether servers that are away are started and waited for. Takes the scope `run`. */
                connect?: boolean;
                /** @description Only those of this server. */
                server?: string;
                /** @description The workspace whose own servers count too, if it is trusted; the server's own when left out. */
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tools": [
                     *         {
                     *           "input_schema": {},
                     *           "name": "text",
                     *           "prefixed_name": "text",
                     *           "server": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["McpToolList"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "automations/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "created_by": {
                     *           "id": "text",
                     *           "kind": "human",
                     *           "surface": "http"
                     *         },
                     *         "cwds": [
                     *           "text"
                     *         ],
                     *         "id": "auto_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "name": "text",
                     *         "prompt": "text",
                     *         "rrule": "text",
                     *         "schema_version": 0,
                     *         "status": "active",
                     *         "updated_at": "2026-05-02T09:15:04.123Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AutomationRecord"][];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "automations/create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "text",
                 *       "prompt": "text",
                 *       "rrule": "FREQ=HOURLY;INTERVAL=6"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Whether the shell is offered.
                     * @default null
                     */
                    allow_shell?: boolean | null;
                    /**
                     * @description Whether approvals are granted by themselves.
                     * @default null
                     */
                    auto_approve?: boolean | null;
                    /**
                     * @description Directories; the first is worked in, the server's own when there is none.
                     * @default []
                     */
                    cwds?: string[];
                    /**
                     * @description What becomes of the answers.
                     * @default null
                     */
                    delivery_mode?: components["schemas"]["DeliveryMode"] | null;
                    /**
                     * @description What becomes of missed moments.
                     * @default run_once
                     */
                    missed_runs?: components["schemas"]["MissedRuns"];
                    /**
                     * @description The mode.
                     * @default null
                     */
                    mode?: string | null;
                    /** @description Its name. */
                    name: string;
                    /** @description What the agent is asked. */
                    prompt: string;
                    /**
                     * @description When.
                     * @example FREQ=HOURLY;INTERVAL=6
                     */
                    rrule: string;
                    /**
                     * @description Whether the clock counts from the start.
                     * @default null
                     */
                    status?: components["schemas"]["AutomationStatus"] | null;
                    /**
                     * @description Whether a call may leave the sandbox.
                     * @default null
                     */
                    trust_mode?: boolean | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "created_by": {
                     *         "id": "text",
                     *         "kind": "human",
                     *         "surface": "http"
                     *       },
                     *       "cwds": [
                     *         "text"
                     *       ],
                     *       "id": "auto_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "name": "text",
                     *       "prompt": "text",
                     *       "rrule": "text",
                     *       "schema_version": 0,
                     *       "status": "active",
                     *       "updated_at": "2026-05-02T09:15:04.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AutomationRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "automations/get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The automation. */
                automation_id: components["schemas"]["AutomationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "created_by": {
                     *         "id": "text",
                     *         "kind": "human",
                     *         "surface": "http"
                     *       },
                     *       "cwds": [
                     *         "text"
                     *       ],
                     *       "id": "auto_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "name": "text",
                     *       "prompt": "text",
                     *       "rrule": "text",
                     *       "schema_version": 0,
                     *       "status": "active",
                     *       "updated_at": "2026-05-02T09:15:04.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AutomationRecord"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "automations/delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The automation. */
                automation_id: components["schemas"]["AutomationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "created_by": {
                     *         "id": "text",
                     *         "kind": "human",
                     *         "surface": "http"
                     *       },
                     *       "cwds": [
                     *         "text"
                     *       ],
                     *       "id": "auto_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "name": "text",
                     *       "prompt": "text",
                     *       "rrule": "text",
                     *       "schema_version": 0,
                     *       "status": "active",
                     *       "updated_at": "2026-05-02T09:15:04.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AutomationRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "automations/patch": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The automation. */
                automation_id: components["schemas"]["AutomationId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "allow_shell": false
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Whether the shell is offered.
                     * @default null
                     */
                    allow_shell?: boolean | null;
                    /**
                     * @description Whether approvals are granted by themselves.
                     * @default null
                     */
                    auto_approve?: boolean | null;
                    /**
                     * @description Other directories.
                     * @default null
                     */
                    cwds?: string[] | null;
                    /**
                     * @description What becomes of the answers.
                     * @default null
                     */
                    delivery_mode?: components["schemas"]["DeliveryMode"] | null;
                    /**
                     * @description What becomes of missed moments.
                     * @default null
                     */
                    missed_runs?: components["schemas"]["MissedRuns"] | null;
                    /**
                     * @description Another mode.
                     * @default null
                     */
                    mode?: string | null;
                    /**
                     * @description Another name.
                     * @default null
                     */
                    name?: string | null;
                    /**
                     * @description Another prompt.
                     * @default null
                     */
                    prompt?: string | null;
                    /**
                     * @description Other moments.
                     * @default null
                     */
                    rrule?: string | null;
                    /**
                     * @description Whether the clock counts.
                     * @default null
                     */
                    status?: components["schemas"]["AutomationStatus"] | null;
                    /**
                     * @description Whether a call may leave the sandbox.
                     * @default null
                     */
                    trust_mode?: boolean | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "created_by": {
                     *         "id": "text",
                     *         "kind": "human",
                     *         "surface": "http"
                     *       },
                     *       "cwds": [
                     *         "text"
                     *       ],
                     *       "id": "auto_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "name": "text",
                     *       "prompt": "text",
                     *       "rrule": "text",
                     *       "schema_version": 0,
                     *       "status": "active",
                     *       "updated_at": "2026-05-02T09:15:04.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AutomationRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "automations/pause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The automation. */
                automation_id: components["schemas"]["AutomationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "created_by": {
                     *         "id": "text",
                     *         "kind": "human",
                     *         "surface": "http"
                     *       },
                     *       "cwds": [
                     *         "text"
                     *       ],
                     *       "id": "auto_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "name": "text",
                     *       "prompt": "text",
                     *       "rrule": "text",
                     *       "schema_version": 0,
                     *       "status": "active",
                     *       "updated_at": "2026-05-02T09:15:04.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AutomationRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "automations/resume": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The automation. */
                automation_id: components["schemas"]["AutomationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "created_by": {
                     *         "id": "text",
                     *         "kind": "human",
                     *         "surface": "http"
                     *       },
                     *       "cwds": [
                     *         "text"
                     *       ],
                     *       "id": "auto_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "name": "text",
                     *       "prompt": "text",
                     *       "rrule": "text",
                     *       "schema_version": 0,
                     *       "status": "active",
                     *       "updated_at": "2026-05-02T09:15:04.123Z"
                     *     }
                     */
                    "application/json": components["schemas"]["AutomationRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "automations/run": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The automation. */
                automation_id: components["schemas"]["AutomationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "automation_id": "auto_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "id": "arun_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "scheduled_for": "2026-05-02T09:15:04.123Z",
                     *       "schema_version": 0,
                     *       "status": "queued"
                     *     }
                     */
                    "application/json": components["schemas"]["AutomationRunRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "automations/runs": {
        parameters: {
            query?: {
                /** @description How many, brought into 1 to 500; 20 when left out. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The automation; where there is a path it stands there, and the query goes without. */
                automation_id: components["schemas"]["AutomationId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "automation_id": "auto_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "arun_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "scheduled_for": "2026-05-02T09:15:04.123Z",
                     *         "schema_version": 0,
                     *         "status": "queued"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AutomationRunRecord"][];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "config/get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["ConfigView"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "config/set": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "key": "text"
                 *     }
                 */
                "application/json": {
                    /** @description The key, with its tables. */
                    key: string;
                    /**
                     * @description Whether it is written into the configuration file; else it holds until the program ends.
                     * @default false
                     */
                    persist?: boolean;
                    /** @description The value, as a person would type it; null lets the key fall back to its default. */
                    value?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "text",
                     *       "message": "text",
                     *       "persisted": false,
                     *       "requires_reload": false
                     *     }
                     */
                    "application/json": components["schemas"]["ConfigChanged"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "config/reload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["ConfigReloaded"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "runs": [
                     *         {
                     *           "created_at": "2026-05-02T09:15:04.123Z",
                     *           "id": "run_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "labels": {},
                     *           "lifecycle_status": "pending",
                     *           "name": "text",
                     *           "roles": [
                     *             "text"
                     *           ],
                     *           "status": {
                     *             "cancelled": 0,
                     *             "completed": 0,
                     *             "escalated": 0,
                     *             "failed": 0,
                     *             "partial": 0,
                     *             "queued": 0,
                     *             "restarted": 0,
                     *             "running": 0,
                     *             "runs": 0,
                     *             "stale": 0,
                     *             "task_failed": 0,
                     *             "transport_failed": 0,
                     *             "verifier_failed": 0,
                     *             "workers": {}
                     *           },
                     *           "task_count": 0,
                     *           "tasks": [
                     *             {
                     *               "attempts": 0,
                     *               "status": "enqueued",
                     *               "task_id": "text"
                     *             }
                     *           ],
                     *           "worker_count": 0,
                     *           "workspace": "text"
                     *         }
                     *       ],
                     *       "status": {
                     *         "cancelled": 0,
                     *         "completed": 0,
                     *         "escalated": 0,
                     *         "failed": 0,
                     *         "partial": 0,
                     *         "queued": 0,
                     *         "restarted": 0,
                     *         "running": 0,
                     *         "runs": 0,
                     *         "stale": 0,
                     *         "task_failed": 0,
                     *         "transport_failed": 0,
                     *         "verifier_failed": 0,
                     *         "workers": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["FleetRuns"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "roles": [
                 *         {
                 *           "name": "text"
                 *         }
                 *       ],
                 *       "target": "text",
                 *       "workflow": {
                 *         "id": "text",
                 *         "kind": "text",
                 *         "tasks": [
                 *           {
                 *             "id": "text",
                 *             "instructions": "text",
                 *             "name": "text"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Words of one's own.
                     * @default {}
                     */
                    labels?: {
                        [key: string]: string;
                    };
                    /**
                     * Format: uint64
                     * @description Workers at once; as many as there are roles or tasks, whichever are fewer, when left out.
                     * @default null
                     */
                    max_workers?: number | null;
                    /**
                     * @description One line for people; the id of the workflow when left out.
                     * @default null
                     */
                    name?: string | null;
                    /** @description Who works, each with at least one task. */
                    roles: components["schemas"]["FleetRole"][];
                    /**
                     * @description Rules for workers elsewhere; there are none yet.
                     * @default null
                     */
                    security_policy?: unknown;
                    /**
                     * Format: uint64
                     * @description Seconds without a sign of life after which a worker is given up; 300 when left out.
                     * @default null
                     */
                    stale_after_seconds?: number | null;
                    /** @description Where the workers run: `this_computer`. */
                    target: string;
                    /**
                     * @description Workers elsewhere; there are none yet.
                     * @default null
                     */
                    worker_specs?: unknown[] | null;
                    /**
                     * @description The same, under its other name.
                     * @default null
                     */
                    workers?: unknown[] | null;
                    /** @description The tasks. */
                    workflow: components["schemas"]["FleetWorkflowSpec"];
                    /**
                     * @description The directory to work in; the server's own when left out.
                     * @default null
                     */
                    workspace?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "execution": "text",
                     *       "run": {
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "run_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "labels": {},
                     *         "lifecycle_status": "pending",
                     *         "name": "text",
                     *         "roles": [
                     *           "text"
                     *         ],
                     *         "status": {
                     *           "cancelled": 0,
                     *           "completed": 0,
                     *           "escalated": 0,
                     *           "failed": 0,
                     *           "partial": 0,
                     *           "queued": 0,
                     *           "restarted": 0,
                     *           "running": 0,
                     *           "runs": 0,
                     *           "stale": 0,
                     *           "task_failed": 0,
                     *           "transport_failed": 0,
                     *           "verifier_failed": 0,
                     *           "workers": {}
                     *         },
                     *         "task_count": 0,
                     *         "task_specs": [
                     *           {
                     *             "id": "text",
                     *             "instructions": "text",
                     *             "name": "text"
                     *           }
                     *         ],
                     *         "tasks": [
                     *           {
                     *             "attempts": 0,
                     *             "status": "enqueued",
                     *             "task_id": "text"
                     *           }
                     *         ],
                     *         "worker_count": 0,
                     *         "worker_specs": [
                     *           {
                     *             "capabilities": [
                     *               "text"
                     *             ],
                     *             "host": {
                     *               "kind": "local"
                     *             },
                     *             "id": "text",
                     *             "labels": {},
                     *             "max_concurrent_tasks": 0,
                     *             "name": "text"
                     *           }
                     *         ],
                     *         "workspace": "text"
                     *       },
                     *       "warnings": [
                     *         "text"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FleetCreated"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            501: components["responses"]["Unsupported"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                run_id: components["schemas"]["FleetRunId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "id": "run_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "labels": {},
                     *       "lifecycle_status": "pending",
                     *       "name": "text",
                     *       "roles": [
                     *         "text"
                     *       ],
                     *       "status": {
                     *         "cancelled": 0,
                     *         "completed": 0,
                     *         "escalated": 0,
                     *         "failed": 0,
                     *         "partial": 0,
                     *         "queued": 0,
                     *         "restarted": 0,
                     *         "running": 0,
                     *         "runs": 0,
                     *         "stale": 0,
                     *         "task_failed": 0,
                     *         "transport_failed": 0,
                     *         "verifier_failed": 0,
                     *         "workers": {}
                     *       },
                     *       "task_count": 0,
                     *       "task_specs": [
                     *         {
                     *           "id": "text",
                     *           "instructions": "text",
                     *           "name": "text"
                     *         }
                     *       ],
                     *       "tasks": [
                     *         {
                     *           "attempts": 0,
                     *           "status": "enqueued",
                     *           "task_id": "text"
                     *         }
                     *       ],
                     *       "worker_count": 0,
                     *       "worker_specs": [
                     *         {
                     *           "capabilities": [
                     *             "text"
                     *           ],
                     *           "host": {
                     *             "kind": "local"
                     *           },
                     *           "id": "text",
                     *           "labels": {},
                     *           "max_concurrent_tasks": 0,
                     *           "name": "text"
                     *         }
                     *       ],
                     *       "workspace": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["FleetDetail"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/events": {
        parameters: {
            query?: {
                /** @description Only events behind this cursor. */
                after?: string;
                /** @description Without a cursor: of the events that are already there, the newest so many; 250 when left out. */
                limit?: number;
            };
            header?: {
                /** @description Where a broken stream is resumed; wins over after. */
                "Last-Event-ID"?: string;
            };
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Frames, each with `id` (the cursor), `event` and one line `data` with the event; comments while nothing happens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 7
                     *     event: fleet.run.status_changed
                     *     data: {"cursor":"7"}
                     */
                    "text/event-stream": {
                        data: string;
                        /** @constant */
                        event: "fleet.run.created";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.run.status_changed";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.task.enqueued";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.task.leased";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.task.terminal";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.task.receipt_recorded";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.worker.leased";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.worker.starting";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.worker.running";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.worker.model_wait";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.worker.running_tool";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.worker.heartbeat";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.worker.artifact";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.worker.completed";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.worker.failed";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.worker.cancelled";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.worker.interrupted";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.worker.stale";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "fleet.worker.restarted";
                        id?: string;
                    };
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/replay": {
        parameters: {
            query?: {
                /** @description Only events behind this one; the newest when left out. */
                after?: string;
                /** @description How many, 1 to 1000; 250 when left out. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The run. */
                run_id: components["schemas"]["FleetRunId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "events": [
                     *         {
                     *           "cursor": "text",
                     *           "event": "text",
                     *           "payload": {},
                     *           "run_id": "run_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         }
                     *       ],
                     *       "has_more": false,
                     *       "history_truncated": false,
                     *       "run_id": "run_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *     }
                     */
                    "application/json": components["schemas"]["FleetReplay"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/receipts": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                run_id: components["schemas"]["FleetRunId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "receipts": [
                     *         {
                     *           "artifacts": [
                     *             {
                     *               "kind": "text",
                     *               "path": "text"
                     *             }
                     *           ],
                     *           "completed_at": "2026-05-02T09:15:04.123Z",
                     *           "evidence_available": false,
                     *           "result": "pass",
                     *           "retry_eligible": false,
                     *           "run_id": "run_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "task_id": "text",
                     *           "worker_id": "text"
                     *         }
                     *       ],
                     *       "run_id": "run_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *     }
                     */
                    "application/json": components["schemas"]["FleetReceipts"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                run_id: components["schemas"]["FleetRunId"];
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "artifacts": [
                     *         {
                     *           "kind": "text",
                     *           "path": "text"
                     *         }
                     *       ],
                     *       "completed_at": "2026-05-02T09:15:04.123Z",
                     *       "evidence_available": false,
                     *       "result": "pass",
                     *       "retry_eligible": false,
                     *       "run_id": "run_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "task_id": "text",
                     *       "worker_id": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["FleetReceipt"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                run_id: components["schemas"]["FleetRunId"];
                /** @description The task. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "content": {},
                     *       "path": "text",
                     *       "run_id": "run_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "size_bytes": 0,
                     *       "task_id": "text",
                     *       "truncated": false
                     *     }
                     */
                    "application/json": components["schemas"]["FleetEvidence"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/start": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The run. */
                run_id: components["schemas"]["FleetRunId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "stale_after_seconds": 0
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uint64
                     * @description Another patience with silent workers.
                     * @default null
                     */
                    stale_after_seconds?: number | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "action": "text",
                     *       "execution": "text",
                     *       "leased": 0,
                     *       "queued": 0,
                     *       "run_id": "run_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "target": "text",
                     *       "worker_ids": [
                     *         "text"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FleetStarted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            501: components["responses"]["Unsupported"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/stop": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                run_id: components["schemas"]["FleetRunId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "action": "text",
                     *       "run_id": "run_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "status": {
                     *         "cancelled": 0,
                     *         "completed": 0,
                     *         "escalated": 0,
                     *         "failed": 0,
                     *         "partial": 0,
                     *         "queued": 0,
                     *         "restarted": 0,
                     *         "running": 0,
                     *         "runs": 0,
                     *         "stale": 0,
                     *         "task_failed": 0,
                     *         "transport_failed": 0,
                     *         "verifier_failed": 0,
                     *         "workers": {}
                     *       },
                     *       "stopped": 0
                     *     }
                     */
                    "application/json": components["schemas"]["FleetStopped"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/workers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                run_id: components["schemas"]["FleetRunId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "run_id": "run_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "workers": [
                     *         {
                     *           "artifacts": [
                     *             {
                     *               "kind": "text",
                     *               "path": "text"
                     *             }
                     *           ],
                     *           "status": "unknown",
                     *           "worker_id": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FleetWorkers"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/worker": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The worker. */
                worker_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "artifacts": [
                     *         {
                     *           "kind": "text",
                     *           "path": "text"
                     *         }
                     *       ],
                     *       "status": "unknown",
                     *       "worker_id": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["FleetInspection"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/interrupt-worker": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The worker. */
                worker_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "action": "text",
                     *       "worker": {
                     *         "artifacts": [
                     *           {
                     *             "kind": "text",
                     *             "path": "text"
                     *           }
                     *         ],
                     *         "status": "unknown",
                     *         "worker_id": "text"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["FleetWorkerActed"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/restart-worker": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The worker. */
                worker_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "action": "text",
                     *       "execution": "text",
                     *       "run_id": "run_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "worker": {
                     *         "artifacts": [
                     *           {
                     *             "kind": "text",
                     *             "path": "text"
                     *           }
                     *         ],
                     *         "status": "unknown",
                     *         "worker_id": "text"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["FleetRestarted"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "fleet/stop-worker": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The worker. */
                worker_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "action": "text",
                     *       "worker": {
                     *         "artifacts": [
                     *           {
                     *             "kind": "text",
                     *             "path": "text"
                     *           }
                     *         ],
                     *         "status": "unknown",
                     *         "worker_id": "text"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["FleetWorkerActed"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "memory/list": {
        parameters: {
            query?: {
                /** @description How many at most, 1 to 200; 50 when absent. */
                limit?: number;
                /** @description Only notes with all of these words. */
                q?: string;
                /** @description Which notes; all when absent. */
                scope?: components["schemas"]["MemoryReach"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "entries": [
                     *         {
                     *           "id": 0,
                     *           "line_end": 0,
                     *           "line_start": 0,
                     *           "scope": "global",
                     *           "stale": false,
                     *           "status": "text",
                     *           "summary": "text"
                     *         }
                     *       ],
                     *       "total": 0
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryList"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "memory/add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "text"
                 *     }
                 */
                "application/json": {
                    /** @description Where it holds; everywhere when absent. */
                    scope?: components["schemas"]["MemoryScope"] | null;
                    /** @description The note, a sentence or two. */
                    text: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "entry": {
                     *         "id": 0,
                     *         "line_end": 0,
                     *         "line_start": 0,
                     *         "scope": "global",
                     *         "stale": false,
                     *         "status": "text",
                     *         "summary": "text"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryAdded"];
                };
            };
            /** @description Made: there was none before. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "entry": {
                     *         "id": 0,
                     *         "line_end": 0,
                     *         "line_start": 0,
                     *         "scope": "global",
                     *         "stale": false,
                     *         "status": "text",
                     *         "summary": "text"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryAdded"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "memory/clear": {
        parameters: {
            query: {
                /** @description Which notes go. */
                scope: components["schemas"]["MemoryReach"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "cleared": false
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryCleared"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "memory/get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the note. */
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "entry": {
                     *         "id": 0,
                     *         "line_end": 0,
                     *         "line_start": 0,
                     *         "scope": "global",
                     *         "stale": false,
                     *         "status": "text",
                     *         "summary": "text"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MemoryFound"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "info": {},
                     *       "openapi": "3.1.0",
                     *       "paths": {}
                     *     }
                     */
                    "application/json": Record<string, never>;
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
        };
    };
    "providers/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "current": "text",
                     *       "providers": [
                     *         {
                     *           "default_base_url": "text",
                     *           "default_model": "text",
                     *           "display_name": "text",
                     *           "env_vars": [
                     *             "text"
                     *           ],
                     *           "has_model_catalog": false,
                     *           "id": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProviderList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "providers/models": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The provider. */
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "models": [
                     *         {
                     *           "id": "text",
                     *           "supports_reasoning": false,
                     *           "supports_tools": false
                     *         }
                     *       ],
                     *       "provider": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["ProviderModels"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "providers/switch": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The provider. */
                provider_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "model": "text"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The model, if not the provider's default.
                     * @default null
                     */
                    model?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "text",
                     *       "model": "text",
                     *       "persisted": false,
                     *       "provider": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["ProviderSwitched"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "runtime/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "auth_required": false,
                     *       "bind_host": "text",
                     *       "capabilities": {},
                     *       "limits": {},
                     *       "port": 1,
                     *       "runtime_api_version": "text",
                     *       "sandbox": {
                     *         "available": false,
                     *         "kind": "text"
                     *       },
                     *       "service": "text",
                     *       "transports": [
                     *         "text"
                     *       ],
                     *       "version": "text"
                     *     }
                     */
                    "application/json": {
                        account?: Record<string, never>;
                        /** @description Whether the token is asked for. */
                        auth_required: boolean;
                        bind_host: string;
                        /** @description What this server has, and what it has not: clients need not probe. */
                        capabilities: {
                            [key: string]: boolean;
                        };
                        codewhale_commit?: string;
                        codewhale_version?: string;
                        experimental?: {
                            [key: string]: boolean;
                        };
                        /** @description Bounds that clients meet. */
                        limits: {
                            [key: string]: number;
                        };
                        port: number;
                        runtime_api_version: string;
                        sandbox: {
                            available: boolean;
                            kind: string | null;
                        };
                        service: string;
                        transports: string[];
                        version: string;
                    };
                };
            };
            403: components["responses"]["Forbidden"];
        };
    };
    "sessions/list": {
        parameters: {
            query?: {
                /** @description Whether only archived ones are shown. */
                archived_only?: boolean;
                /** @description Whether archived ones are shown too. */
                include_archived?: boolean;
                /** @description How many, brought into 1 to 500; 50 when left out. */
                limit?: number;
                /** @description Text that must occur in title, id, workspace, preview or model. */
                search?: string;
                /** @description `recent`, `name` or `size`; anything else means `recent`. */
                sort?: string;
                /** @description Only those of this directory. */
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessions": [
                     *         {
                     *           "cost": {
                     *             "unpriced": 0,
                     *             "usd": 0.5
                     *           },
                     *           "created_at": "2026-05-02T09:15:04.123Z",
                     *           "cumulative_turn_secs": 0,
                     *           "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "message_count": 0,
                     *           "model": "text",
                     *           "model_provider": "text",
                     *           "spawn_depth": 0,
                     *           "title": "text",
                     *           "total_tokens": 0,
                     *           "updated_at": "2026-05-02T09:15:04.123Z",
                     *           "workspace": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "sessions/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "session_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The session.
                     * @default null
                     */
                    session_id?: components["schemas"]["ThreadId"] | null;
                    /**
                     * @description The thread.
                     * @default null
                     */
                    thread_id?: components["schemas"]["ThreadId"] | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "session": {
                     *         "messages": [
                     *           {
                     *             "content": [
                     *               {
                     *                 "text": "text",
                     *                 "type": "text"
                     *               }
                     *             ],
                     *             "role": "text"
                     *           }
                     *         ],
                     *         "metadata": {
                     *           "cost": {
                     *             "unpriced": 0,
                     *             "usd": 0.5
                     *           },
                     *           "created_at": "2026-05-02T09:15:04.123Z",
                     *           "cumulative_turn_secs": 0,
                     *           "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "message_count": 0,
                     *           "model": "text",
                     *           "model_provider": "text",
                     *           "spawn_depth": 0,
                     *           "title": "text",
                     *           "total_tokens": 0,
                     *           "updated_at": "2026-05-02T09:15:04.123Z",
                     *           "workspace": "text"
                     *         }
                     *       },
                     *       "session_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *     }
                     */
                    "application/json": components["schemas"]["SessionExport"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "sessions/save": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                 *     }
                 */
                "application/json": {
                    /** @description The thread. */
                    thread_id: components["schemas"]["ThreadId"];
                    /** @description A title, of 1 to 100 characters. */
                    title?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message_count": 0,
                     *       "session_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "title": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["SessionSaved"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "sessions/get": {
        parameters: {
            query?: {
                /** @description How many of them, brought into 1 to 12; 6 when left out. */
                entries?: number;
                /** @description Whether the last entries are enough. */
                peek?: boolean;
            };
            header?: never;
            path: {
                /** @description The session. */
                session_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "messages": [
                     *         {
                     *           "content": [
                     *             {
                     *               "text": "text",
                     *               "type": "text"
                     *             }
                     *           ],
                     *           "role": "text"
                     *         }
                     *       ],
                     *       "metadata": {
                     *         "cost": {
                     *           "unpriced": 0,
                     *           "usd": 0.5
                     *         },
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "cumulative_turn_secs": 0,
                     *         "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "message_count": 0,
                     *         "model": "text",
                     *         "model_provider": "text",
                     *         "spawn_depth": 0,
                     *         "title": "text",
                     *         "total_tokens": 0,
                     *         "updated_at": "2026-05-02T09:15:04.123Z",
                     *         "workspace": "text"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "sessions/delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "sessions/patch": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "archived": false
                 *     }
                 */
                "application/json": {
                    /** @description Whether lists leave it out. */
                    archived?: boolean | null;
                    /** @description A title, of 1 to 100 characters. */
                    title?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "changes": {},
                     *       "session": {
                     *         "cost": {
                     *           "unpriced": 0,
                     *           "usd": 0.5
                     *         },
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "cumulative_turn_secs": 0,
                     *         "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "message_count": 0,
                     *         "model": "text",
                     *         "model_provider": "text",
                     *         "spawn_depth": 0,
                     *         "title": "text",
                     *         "total_tokens": 0,
                     *         "updated_at": "2026-05-02T09:15:04.123Z",
                     *         "workspace": "text"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SessionPatched"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "sessions/resume-thread": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                session_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "mode": "text"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The mode to go on in.
                     * @default null
                     */
                    mode?: string | null;
                    /**
                     * @description The model to go on with.
                     * @default null
                     */
                    model?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message_count": 0,
                     *       "session_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "summary": "text",
                     *       "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *     }
                     */
                    "application/json": components["schemas"]["SessionResumed"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "sessions/summary": {
        parameters: {
            query?: {
                /** @description Whether only archived ones are shown. */
                archived_only?: boolean;
                /** @description Whether archived ones are shown too. */
                include_archived?: boolean;
                /** @description How many, brought into 1 to 500; 50 when left out. */
                limit?: number;
                /** @description Text that must occur in title, id, workspace, preview or model. */
                search?: string;
                /** @description `recent`, `name` or `size`; anything else means `recent`. */
                sort?: string;
                /** @description Only those of this directory. */
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "archived": false,
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "is_current": false,
                     *         "message_count": 0,
                     *         "mode": "agent",
                     *         "model": "text",
                     *         "preview": "text",
                     *         "title": "text",
                     *         "total_tokens": 0,
                     *         "updated_at": "2026-05-02T09:15:04.123Z",
                     *         "workspace": "text"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SessionSummary"][];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "skills/list": {
        parameters: {
            query?: {
                /** @description Its absolute path; the workspace of the server when absent. */
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "directories": [
                     *         "text"
                     *       ],
                     *       "directory": "text",
                     *       "skills": [
                     *         {
                     *           "description": "text",
                     *           "enabled": false,
                     *           "is_bundled": false,
                     *           "name": "text",
                     *           "source": "text"
                     *         }
                     *       ],
                     *       "warnings": [
                     *         "text"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SkillList"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "snapshots/list": {
        parameters: {
            query?: {
                /** @description How many, 1 to 100; 20 when left out. */
                limit?: number;
                /** @description The directory; the server's own when left out. */
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "text",
                     *         "label": "text",
                     *         "timestamp": 0
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["SnapshotSummary"][];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "snapshots/restore": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The snapshot. */
                snapshot_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "files": [
                     *         "text"
                     *       ],
                     *       "previous": "text",
                     *       "restored": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["SnapshotRestored"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    stream: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "Say hello."
                 *     }
                 */
                "application/json": {
                    allow_shell?: boolean | null;
                    auto_approve?: boolean | null;
                    mode?: string | null;
                    model?: string | null;
                    model_provider?: string | null;
                    permission_posture?: string | null;
                    /**
                     * @description What the agent is asked; not blank.
                     * @example Say hello.
                     */
                    prompt: string;
                    trust_mode?: boolean | null;
                    workspace?: string | null;
                };
            };
        };
        responses: {
            /** @description Frames with `event` and one line `data`; the last one is `done`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: message.delta
                     *     data: {"content":"Hello"}
                     */
                    "text/event-stream": {
                        data: string;
                        /** @enum {unknown} */
                        event: "turn.started" | "message.delta" | "tool.started" | "tool.completed" | "status" | "error" | "approval.required" | "approval.decided" | "approval.timeout" | "user_input.required" | "user_input.answered" | "user_input.canceled" | "sandbox.denied" | "turn.completed" | "done";
                        id?: string;
                    };
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "tasks/list": {
        parameters: {
            query?: {
                /** @description How many, brought into 1 to 5000; as many as that when left out. */
                limit?: number;
                /** @description Only those that work in this directory. */
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "counts": {
                     *         "canceled": 0,
                     *         "completed": 0,
                     *         "failed": 0,
                     *         "queued": 0,
                     *         "running": 0
                     *       },
                     *       "tasks": [
                     *         {
                     *           "created_at": "2026-05-02T09:15:04.123Z",
                     *           "created_by": {
                     *             "id": "text",
                     *             "kind": "human",
                     *             "surface": "http"
                     *           },
                     *           "id": "task_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "lifecycle_seq": 0,
                     *           "mode": "agent",
                     *           "model": "text",
                     *           "prompt_summary": "text",
                     *           "status": "queued",
                     *           "workspace": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TaskList"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "tasks/create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "text"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Whether the shell is offered.
                     * @default null
                     */
                    allow_shell?: boolean | null;
                    /**
                     * @description Whether approvals are granted by themselves; they are not when left out.
                     * @default null
                     */
                    auto_approve?: boolean | null;
                    /**
                     * @description The mode; `agent` when left out.
                     * @default null
                     */
                    mode?: string | null;
                    /**
                     * @description The model; the default when left out.
                     * @default null
                     */
                    model?: string | null;
                    /**
                     * @description The session it belongs to.
                     * @default null
                     */
                    owner_session_id?: string | null;
                    /** @description What the agent is asked; must not be blank. */
                    prompt: string;
                    /**
                     * @description Whether a call may leave the sandbox.
                     * @default null
                     */
                    trust_mode?: boolean | null;
                    /**
                     * @description The directory to work in; the server's own when left out.
                     * @default null
                     */
                    workspace?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "allow_shell": false,
                     *       "artifacts": [
                     *         {
                     *           "bytes": 0,
                     *           "created_at": "2026-05-02T09:15:04.123Z",
                     *           "digest": "text",
                     *           "label": "text",
                     *           "path": "text",
                     *           "summary": "text"
                     *         }
                     *       ],
                     *       "attempts": [
                     *         {}
                     *       ],
                     *       "auto_approve": false,
                     *       "checklist": {
                     *         "completion_pct": 0,
                     *         "items": [
                     *           {
                     *             "content": "text",
                     *             "id": 0,
                     *             "status": "text"
                     *           }
                     *         ]
                     *       },
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "created_by": {
                     *         "id": "text",
                     *         "kind": "human",
                     *         "surface": "http"
                     *       },
                     *       "gates": [
                     *         {}
                     *       ],
                     *       "github_events": [
                     *         {}
                     *       ],
                     *       "id": "task_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "lifecycle_seq": 0,
                     *       "mode": "agent",
                     *       "model": "text",
                     *       "prompt": "text",
                     *       "runtime_event_count": 0,
                     *       "schema_version": 0,
                     *       "status": "queued",
                     *       "timeline": [
                     *         {
                     *           "kind": "queued",
                     *           "summary": "text",
                     *           "timestamp": "2026-05-02T09:15:04.123Z"
                     *         }
                     *       ],
                     *       "tool_calls": [
                     *         {
                     *           "id": "text",
                     *           "name": "text",
                     *           "started_at": "2026-05-02T09:15:04.123Z",
                     *           "status": "running"
                     *         }
                     *       ],
                     *       "trust_mode": false,
                     *       "workspace": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["TaskRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "tasks/get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task, or the start of its id if no other has the same. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "allow_shell": false,
                     *       "artifacts": [
                     *         {
                     *           "bytes": 0,
                     *           "created_at": "2026-05-02T09:15:04.123Z",
                     *           "digest": "text",
                     *           "label": "text",
                     *           "path": "text",
                     *           "summary": "text"
                     *         }
                     *       ],
                     *       "attempts": [
                     *         {}
                     *       ],
                     *       "auto_approve": false,
                     *       "checklist": {
                     *         "completion_pct": 0,
                     *         "items": [
                     *           {
                     *             "content": "text",
                     *             "id": 0,
                     *             "status": "text"
                     *           }
                     *         ]
                     *       },
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "created_by": {
                     *         "id": "text",
                     *         "kind": "human",
                     *         "surface": "http"
                     *       },
                     *       "gates": [
                     *         {}
                     *       ],
                     *       "github_events": [
                     *         {}
                     *       ],
                     *       "id": "task_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "lifecycle_seq": 0,
                     *       "mode": "agent",
                     *       "model": "text",
                     *       "prompt": "text",
                     *       "runtime_event_count": 0,
                     *       "schema_version": 0,
                     *       "status": "queued",
                     *       "timeline": [
                     *         {
                     *           "kind": "queued",
                     *           "summary": "text",
                     *           "timestamp": "2026-05-02T09:15:04.123Z"
                     *         }
                     *       ],
                     *       "tool_calls": [
                     *         {
                     *           "id": "text",
                     *           "name": "text",
                     *           "started_at": "2026-05-02T09:15:04.123Z",
                     *           "status": "running"
                     *         }
                     *       ],
                     *       "trust_mode": false,
                     *       "workspace": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["TaskRecord"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "tasks/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The task, or the start of its id if no other has the same. */
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "allow_shell": false,
                     *       "artifacts": [
                     *         {
                     *           "bytes": 0,
                     *           "created_at": "2026-05-02T09:15:04.123Z",
                     *           "digest": "text",
                     *           "label": "text",
                     *           "path": "text",
                     *           "summary": "text"
                     *         }
                     *       ],
                     *       "attempts": [
                     *         {}
                     *       ],
                     *       "auto_approve": false,
                     *       "checklist": {
                     *         "completion_pct": 0,
                     *         "items": [
                     *           {
                     *             "content": "text",
                     *             "id": 0,
                     *             "status": "text"
                     *           }
                     *         ]
                     *       },
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "created_by": {
                     *         "id": "text",
                     *         "kind": "human",
                     *         "surface": "http"
                     *       },
                     *       "gates": [
                     *         {}
                     *       ],
                     *       "github_events": [
                     *         {}
                     *       ],
                     *       "id": "task_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "lifecycle_seq": 0,
                     *       "mode": "agent",
                     *       "model": "text",
                     *       "prompt": "text",
                     *       "runtime_event_count": 0,
                     *       "schema_version": 0,
                     *       "status": "queued",
                     *       "timeline": [
                     *         {
                     *           "kind": "queued",
                     *           "summary": "text",
                     *           "timestamp": "2026-05-02T09:15:04.123Z"
                     *         }
                     *       ],
                     *       "tool_calls": [
                     *         {
                     *           "id": "text",
                     *           "name": "text",
                     *           "started_at": "2026-05-02T09:15:04.123Z",
                     *           "status": "running"
                     *         }
                     *       ],
                     *       "trust_mode": false,
                     *       "workspace": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["TaskRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "threads/list": {
        parameters: {
            query?: {
                /** @description Whether only archived threads are shown. */
                archived_only?: boolean;
                /** @description Whether archived threads are shown too. */
                include_archived?: boolean;
                /** @description How many, brought into 1 to 500; 50 when left out. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "allow_shell": false,
                     *         "archived": false,
                     *         "auto_approve": false,
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "mode": "agent",
                     *         "model": "text",
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "trust_mode": false,
                     *         "updated_at": "2026-05-02T09:15:04.123Z",
                     *         "workroom_id": "wr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "workspace": "text"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ThreadRecord"][];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "threads/create": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "allow_shell": false
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Whether the shell is offered.
                     * @default null
                     */
                    allow_shell?: boolean | null;
                    /**
                     * @description Whether lists leave the thread out from the start.
                     * @default null
                     */
                    archived?: boolean | null;
                    /**
                     * @description Whether approvals are granted by themselves.
                     * @default null
                     */
                    auto_approve?: boolean | null;
                    /**
                     * @description What its turns may not exceed. It stays so: whoever makes a thread binds all who work on it.
                     * @default null
                     */
                    bounds?: components["schemas"]["Bounds"] | null;
                    /**
                     * @description Names the piece of work it is for, where someone counts them.
                     * @default null
                     */
                    dedupe_key?: string | null;
                    /**
                     * @description The id to give it, `thr_` and 32 hexadecimal digits, for who names things elsewhere too; one
                     *     is drawn when left out.
                     * @default null
                     */
                    id?: components["schemas"]["ThreadId"] | null;
                    /**
                     * @description The mode; `agent` when left out.
                     * @default null
                     */
                    mode?: string | null;
                    /**
                     * @description The model; blank means the default, `auto` lets each turn choose.
                     * @default null
                     */
                    model?: string | null;
                    /**
                     * @description The kind of provider.
                     * @default null
                     */
                    model_provider?: string | null;
                    /**
                     * @description The configured provider, by its own name.
                     * @default null
                     */
                    model_provider_id?: string | null;
                    /**
                     * @description The thread that the work was given out from.
                     * @default null
                     */
                    parent_thread_id?: components["schemas"]["ThreadId"] | null;
                    /**
                     * @description Who answers approvals.
                     * @default null
                     */
                    permission_posture?: string | null;
                    /**
                     * @description Standing instructions beside the built-in ones.
                     * @default null
                     */
                    system_prompt?: string | null;
                    /**
                     * @description The background task that owns the thread.
                     * @default null
                     */
                    task_id?: string | null;
                    /**
                     * @description A title.
                     * @default null
                     */
                    title?: string | null;
                    /**
                     * @description Whether a call may leave the sandbox.
                     * @default null
                     */
                    trust_mode?: boolean | null;
                    /**
                     * @description Who does that work.
                     * @default null
                     */
                    worker_id?: string | null;
                    /**
                     * @description The room to put it in; that of the workspace when left out.
                     * @default null
                     */
                    workroom_id?: components["schemas"]["RoomId"] | null;
                    /**
                     * @description The directory to work in; the server's own when left out.
                     * @default null
                     */
                    workspace?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "allow_shell": false,
                     *       "archived": false,
                     *       "auto_approve": false,
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "mode": "agent",
                     *       "model": "text",
                     *       "origin": {
                     *         "surface": "http"
                     *       },
                     *       "schema_version": 0,
                     *       "trust_mode": false,
                     *       "updated_at": "2026-05-02T09:15:04.123Z",
                     *       "workroom_id": "wr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "workspace": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["ThreadRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "threads/get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "actor_id": "text",
                     *           "id": "item_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "kind": "user_message",
                     *           "schema_version": 0,
                     *           "status": "queued",
                     *           "summary": "text",
                     *           "turn_id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         }
                     *       ],
                     *       "latest_seq": 0,
                     *       "pending_approvals": [
                     *         {
                     *           "available_decisions": [
                     *             {}
                     *           ],
                     *           "call_id": "text",
                     *           "description": "text",
                     *           "digest": "text",
                     *           "expires_at": "2026-05-02T09:15:04.123Z",
                     *           "id": "appr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "reason": "text",
                     *           "tool_name": "text",
                     *           "turn_id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         }
                     *       ],
                     *       "pending_dynamic_tool_calls": [
                     *         {
                     *           "arguments": {},
                     *           "call_id": "ccall_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "tool": "text",
                     *           "turn_id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         }
                     *       ],
                     *       "pending_user_inputs": [
                     *         {
                     *           "id": "uinp_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "request": {
                     *             "questions": [
                     *               {
                     *                 "header": "text",
                     *                 "id": "text",
                     *                 "options": [
                     *                   {
                     *                     "description": "text",
                     *                     "label": "text"
                     *                   }
                     *                 ],
                     *                 "question": "text"
                     *               }
                     *             ]
                     *           },
                     *           "turn_id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         }
                     *       ],
                     *       "thread": {
                     *         "allow_shell": false,
                     *         "archived": false,
                     *         "auto_approve": false,
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "mode": "agent",
                     *         "model": "text",
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "trust_mode": false,
                     *         "updated_at": "2026-05-02T09:15:04.123Z",
                     *         "workroom_id": "wr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "workspace": "text"
                     *       },
                     *       "turns": [
                     *         {
                     *           "created_at": "2026-05-02T09:15:04.123Z",
                     *           "id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "input_summary": "text",
                     *           "item_ids": [
                     *             "item_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *           ],
                     *           "origin": {
                     *             "surface": "http"
                     *           },
                     *           "requested_by": {
                     *             "id": "text",
                     *             "kind": "human",
                     *             "surface": "http"
                     *           },
                     *           "schema_version": 0,
                     *           "status": "queued",
                     *           "steer_count": 0,
                     *           "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ThreadDetail"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "threads/patch": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "allow_shell": false
                 *     }
                 */
                "application/json": {
                    /** @description Whether the shell is offered. */
                    allow_shell?: boolean | null;
                    /** @description Whether lists leave it out. */
                    archived?: boolean | null;
                    /** @description Whether approvals are granted by themselves. */
                    auto_approve?: boolean | null;
                    /** @description The mode. */
                    mode?: string | null;
                    /** @description The model. */
                    model?: string | null;
                    /** @description Who answers approvals. */
                    permission_posture?: string | null;
                    /** @description Standing instructions. */
                    system_prompt?: string | null;
                    /** @description A title. */
                    title?: string | null;
                    /** @description Whether a call may leave the sandbox. */
                    trust_mode?: boolean | null;
                    /** @description The directory to work in. */
                    workspace?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "allow_shell": false,
                     *       "archived": false,
                     *       "auto_approve": false,
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "mode": "agent",
                     *       "model": "text",
                     *       "origin": {
                     *         "surface": "http"
                     *       },
                     *       "schema_version": 0,
                     *       "trust_mode": false,
                     *       "updated_at": "2026-05-02T09:15:04.123Z",
                     *       "workroom_id": "wr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "workspace": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["ThreadRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "threads/compact": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "text"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Why, in the words that lists show for the turn.
                     * @default null
                     */
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "thread": {
                     *         "allow_shell": false,
                     *         "archived": false,
                     *         "auto_approve": false,
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "mode": "agent",
                     *         "model": "text",
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "trust_mode": false,
                     *         "updated_at": "2026-05-02T09:15:04.123Z",
                     *         "workroom_id": "wr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "workspace": "text"
                     *       },
                     *       "turn": {
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "input_summary": "text",
                     *         "item_ids": [
                     *           "item_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         ],
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "requested_by": {
                     *           "id": "text",
                     *           "kind": "human",
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "status": "queued",
                     *         "steer_count": 0,
                     *         "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TurnWithThread"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "threads/events": {
        parameters: {
            query?: {
                /** @description Of the events that are already there, only the newest so many. */
                replay_limit?: number;
                /** @description Only events behind this one. */
                since_seq?: number;
            };
            header?: {
                /** @description Where a broken stream is resumed; wins over since_seq. */
                "Last-Event-ID"?: number;
            };
            path: {
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Frames, each with `id` (the seq), `event` and one line `data` with the envelope; comments while nothing happens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 7
                     *     event: turn.completed
                     *     data: {"seq":7,"event":"turn.completed"}
                     */
                    "text/event-stream": {
                        data: string;
                        /** @constant */
                        event: "thread.started";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "thread.forked";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "thread.updated";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "turn.started";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "turn.lifecycle";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "turn.steered";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "turn.interrupt_requested";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "turn.completed";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "item.started";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "item.delta";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "item.completed";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "item.failed";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "item.interrupted";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "item.canceled";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "approval.required";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "approval.decided";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "approval.timeout";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "user_input.required";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "user_input.answered";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "user_input.canceled";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "tool_call.requested";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "tool_call.resolved";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "tool_call.timeout";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "tool_call.canceled";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "sandbox.denied";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "agent.spawned";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "agent.completed";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "thread_goal_updated";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "thread_goal_cleared";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "task.created";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "task.updated";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "automation.updated";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "coherence.state";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "workspace.trust";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "room.created";
                        id?: string;
                    } | {
                        data: string;
                        /** @constant */
                        event: "store.created";
                        id?: string;
                    };
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "threads/fork": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "allow_shell": false,
                     *       "archived": false,
                     *       "auto_approve": false,
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "mode": "agent",
                     *       "model": "text",
                     *       "origin": {
                     *         "surface": "http"
                     *       },
                     *       "schema_version": 0,
                     *       "trust_mode": false,
                     *       "updated_at": "2026-05-02T09:15:04.123Z",
                     *       "workroom_id": "wr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "workspace": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["ThreadRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "goals/get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": 0,
                     *       "goal_id": "goal-019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "objective": "text",
                     *       "status": "active",
                     *       "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "time_used_seconds": 0,
                     *       "tokens_used": 0,
                     *       "updated_at": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Goal"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "goals/set": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "objective": "text"
                 *     }
                 */
                "application/json": {
                    /** @description What should be true in the end; not blank. */
                    objective: string;
                    /**
                     * Format: uint64
                     * @description How many tokens it may cost; no limit when absent.
                     */
                    token_budget?: number | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": 0,
                     *       "goal_id": "goal-019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "objective": "text",
                     *       "status": "active",
                     *       "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "time_used_seconds": 0,
                     *       "tokens_used": 0,
                     *       "updated_at": 0
                     *     }
                     */
                    "application/json": components["schemas"]["GoalSet"];
                };
            };
            /** @description Made: there was none before. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": 0,
                     *       "goal_id": "goal-019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "objective": "text",
                     *       "status": "active",
                     *       "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "time_used_seconds": 0,
                     *       "tokens_used": 0,
                     *       "updated_at": 0
                     *     }
                     */
                    "application/json": components["schemas"]["GoalSet"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "goals/clear": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "goals/block": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": 0,
                     *       "goal_id": "goal-019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "objective": "text",
                     *       "status": "active",
                     *       "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "time_used_seconds": 0,
                     *       "tokens_used": 0,
                     *       "updated_at": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Goal"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "goals/complete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": 0,
                     *       "goal_id": "goal-019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "objective": "text",
                     *       "status": "active",
                     *       "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "time_used_seconds": 0,
                     *       "tokens_used": 0,
                     *       "updated_at": 0
                     *     }
                     */
                    "application/json": components["schemas"]["Goal"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "threads/patch-undo": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "depth": 0
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uint64
                     * @description How many messages of people before the newest to go back; the newest when left out.
                     * @default 0
                     */
                    depth?: number;
                    /**
                     * @description Whether files go back that were changed since by someone else. What they are now is kept.
                     * @default false
                     */
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "patch_result": {
                     *         "files": [
                     *           "text"
                     *         ],
                     *         "files_restored": false
                     *       },
                     *       "thread": {
                     *         "allow_shell": false,
                     *         "archived": false,
                     *         "auto_approve": false,
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "mode": "agent",
                     *         "model": "text",
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "trust_mode": false,
                     *         "updated_at": "2026-05-02T09:15:04.123Z",
                     *         "workroom_id": "wr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "workspace": "text"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Undone"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "threads/resume": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "allow_shell": false,
                     *       "archived": false,
                     *       "auto_approve": false,
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "mode": "agent",
                     *       "model": "text",
                     *       "origin": {
                     *         "surface": "http"
                     *       },
                     *       "schema_version": 0,
                     *       "trust_mode": false,
                     *       "updated_at": "2026-05-02T09:15:04.123Z",
                     *       "workroom_id": "wr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "workspace": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["ThreadRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "threads/retry": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "depth": 0
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uint64
                     * @description How many messages of people before the newest to go back; the newest when left out.
                     * @default 0
                     */
                    depth?: number;
                    /**
                     * @description Tools that the client runs itself, for the new turn only.
                     * @default null
                     */
                    dynamic_tools?: components["schemas"]["DynamicTool"][] | null;
                    /**
                     * @description Whether files go back that were changed since by someone else. What they are now is kept.
                     * @default false
                     */
                    force?: boolean;
                    /**
                     * @description What the agent is asked instead; the same again when left out.
                     * @default null
                     */
                    prompt?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "patch_result": {
                     *         "files": [
                     *           "text"
                     *         ],
                     *         "files_restored": false
                     *       },
                     *       "thread": {
                     *         "allow_shell": false,
                     *         "archived": false,
                     *         "auto_approve": false,
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "mode": "agent",
                     *         "model": "text",
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "trust_mode": false,
                     *         "updated_at": "2026-05-02T09:15:04.123Z",
                     *         "workroom_id": "wr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "workspace": "text"
                     *       },
                     *       "turn": {
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "input_summary": "text",
                     *         "item_ids": [
                     *           "item_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         ],
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "requested_by": {
                     *           "id": "text",
                     *           "kind": "human",
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "status": "queued",
                     *         "steer_count": 0,
                     *         "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Retried"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "tools/call": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The thread it happens on, under the permissions and walls of that thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tool": "list_dir"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Whether a person is asked first, also where the law would not ask.
                     * @default false
                     */
                    ask?: boolean;
                    /**
                     * @description What it is called with.
                     * @default {}
                     */
                    input?: {
                        [key: string]: unknown;
                    };
                    /**
                     * @description The tool, by its name or another one it answers to.
                     * @example list_dir
                     */
                    tool: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "thread": {
                     *         "allow_shell": false,
                     *         "archived": false,
                     *         "auto_approve": false,
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "mode": "agent",
                     *         "model": "text",
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "trust_mode": false,
                     *         "updated_at": "2026-05-02T09:15:04.123Z",
                     *         "workroom_id": "wr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "workspace": "text"
                     *       },
                     *       "turn": {
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "input_summary": "text",
                     *         "item_ids": [
                     *           "item_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         ],
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "requested_by": {
                     *           "id": "text",
                     *           "kind": "human",
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "status": "queued",
                     *         "steer_count": 0,
                     *         "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TurnWithThread"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "turns/start": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "text"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Whether the shell is offered, for this turn only.
                     * @default null
                     */
                    allow_shell?: boolean | null;
                    /**
                     * @description Instructions behind those of the thread, for this turn only.
                     * @default null
                     */
                    append_system_prompt?: string | null;
                    /**
                     * @description Whether approvals are granted by themselves, for this turn only.
                     * @default null
                     */
                    auto_approve?: boolean | null;
                    /**
                     * @description What the turn may not exceed, beside what its thread may not.
                     * @default null
                     */
                    bounds?: components["schemas"]["Bounds"] | null;
                    /**
                     * @description Tools that the client runs itself, for this turn only.
                     * @default null
                     */
                    dynamic_tools?: components["schemas"]["DynamicTool"][] | null;
                    /**
                     * @description What else it is given, behind the prompt.
                     * @default null
                     */
                    input?: components["schemas"]["InputPart"][] | null;
                    /**
                     * @description Words to show instead of the start of the prompt.
                     * @default null
                     */
                    input_summary?: string | null;
                    /**
                     * @description Another mode, for this turn only.
                     * @default null
                     */
                    mode?: string | null;
                    /**
                     * @description Another model, for this turn only.
                     * @default null
                     */
                    model?: string | null;
                    /**
                     * @description Another provider, for this turn only; with its default model where none is named.
                     * @default null
                     */
                    model_provider?: string | null;
                    /**
                     * @description Another posture, for this turn only.
                     * @default null
                     */
                    permission_posture?: string | null;
                    /** @description What the agent is asked; must not be blank. */
                    prompt: string;
                    /**
                     * @description How hard the model thinks, for this turn only.
                     * @default null
                     */
                    reasoning_effort?: string | null;
                    /**
                     * @description How commands are confined, for this turn only: `read-only`, `workspace-write`,
                     *     `danger-full-access` or `external-sandbox`. The configuration may hold it to less.
                     * @default null
                     */
                    sandbox_mode?: string | null;
                    /**
                     * @description Whether the sandbox may be left, for this turn only.
                     * @default null
                     */
                    trust_mode?: boolean | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "thread": {
                     *         "allow_shell": false,
                     *         "archived": false,
                     *         "auto_approve": false,
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "mode": "agent",
                     *         "model": "text",
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "trust_mode": false,
                     *         "updated_at": "2026-05-02T09:15:04.123Z",
                     *         "workroom_id": "wr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "workspace": "text"
                     *       },
                     *       "turn": {
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "input_summary": "text",
                     *         "item_ids": [
                     *           "item_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         ],
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "requested_by": {
                     *           "id": "text",
                     *           "kind": "human",
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "status": "queued",
                     *         "steer_count": 0,
                     *         "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TurnWithThread"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "turns/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
                /** @description Its running turn. */
                turn_id: components["schemas"]["TurnId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "input_summary": "text",
                     *       "item_ids": [
                     *         "item_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *       ],
                     *       "origin": {
                     *         "surface": "http"
                     *       },
                     *       "requested_by": {
                     *         "id": "text",
                     *         "kind": "human",
                     *         "surface": "http"
                     *       },
                     *       "schema_version": 0,
                     *       "status": "queued",
                     *       "steer_count": 0,
                     *       "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *     }
                     */
                    "application/json": components["schemas"]["TurnRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "turns/steer": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
                /** @description Its running turn. */
                turn_id: components["schemas"]["TurnId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "text"
                 *     }
                 */
                "application/json": {
                    /** @description What to add; must not be blank. */
                    prompt: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "created_at": "2026-05-02T09:15:04.123Z",
                     *       "id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "input_summary": "text",
                     *       "item_ids": [
                     *         "item_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *       ],
                     *       "origin": {
                     *         "surface": "http"
                     *       },
                     *       "requested_by": {
                     *         "id": "text",
                     *         "kind": "human",
                     *         "surface": "http"
                     *       },
                     *       "schema_version": 0,
                     *       "status": "queued",
                     *       "steer_count": 0,
                     *       "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *     }
                     */
                    "application/json": components["schemas"]["TurnRecord"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "tool-calls/result": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The call. */
                call_id: components["schemas"]["ClientCallId"];
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
                /** @description The turn that waits. */
                turn_id: components["schemas"]["TurnId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "success": false
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What the model is told.
                     * @default []
                     */
                    content?: components["schemas"]["ToolCallContent"][];
                    /** @description Whether the tool did what it was asked. */
                    success: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "threads/undo": {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's own for this request. Whatever is sent with the same name and the same content within 24 hours is done once and answered alike. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The thread. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "depth": 0
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uint64
                     * @description How many messages of people before the newest to go back; the newest when left out.
                     * @default 0
                     */
                    depth?: number;
                    /**
                     * @description Whether files go back that were changed since by someone else. What they are now is kept.
                     * @default false
                     */
                    force?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "patch_result": {
                     *         "files": [
                     *           "text"
                     *         ],
                     *         "files_restored": false
                     *       },
                     *       "thread": {
                     *         "allow_shell": false,
                     *         "archived": false,
                     *         "auto_approve": false,
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "mode": "agent",
                     *         "model": "text",
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "trust_mode": false,
                     *         "updated_at": "2026-05-02T09:15:04.123Z",
                     *         "workroom_id": "wr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "workspace": "text"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Undone"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "threads/summary": {
        parameters: {
            query?: {
                /** @description Whether only archived threads are shown. */
                archived_only?: boolean;
                /** @description Whether archived threads are shown too. */
                include_archived?: boolean;
                /** @description How many, brought into 1 to 500; 50 when left out. */
                limit?: number;
                /** @description Text that must occur in id, title, preview or model. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "archived": false,
                     *         "dirty": false,
                     *         "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "mode": "agent",
                     *         "model": "text",
                     *         "preview": "text",
                     *         "title": "text",
                     *         "updated_at": "2026-05-02T09:15:04.123Z",
                     *         "workspace": "text"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ThreadSummary"][];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "tools/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "tools": [
                     *         {
                     *           "description": "text",
                     *           "input_schema": {},
                     *           "name": "text",
                     *           "read_only": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "turns/get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The turn. */
                turn_id: components["schemas"]["TurnId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "actor_id": "text",
                     *           "id": "item_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "kind": "user_message",
                     *           "schema_version": 0,
                     *           "status": "queued",
                     *           "summary": "text",
                     *           "turn_id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         }
                     *       ],
                     *       "latest_seq": 0,
                     *       "pending_approvals": [
                     *         {
                     *           "available_decisions": [
                     *             {}
                     *           ],
                     *           "call_id": "text",
                     *           "description": "text",
                     *           "digest": "text",
                     *           "expires_at": "2026-05-02T09:15:04.123Z",
                     *           "id": "appr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "reason": "text",
                     *           "tool_name": "text",
                     *           "turn_id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         }
                     *       ],
                     *       "pending_user_inputs": [
                     *         {
                     *           "id": "uinp_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *           "request": {
                     *             "questions": [
                     *               {
                     *                 "header": "text",
                     *                 "id": "text",
                     *                 "options": [
                     *                   {
                     *                     "description": "text",
                     *                     "label": "text"
                     *                   }
                     *                 ],
                     *                 "question": "text"
                     *               }
                     *             ]
                     *           },
                     *           "turn_id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         }
                     *       ],
                     *       "since_seq": 0,
                     *       "thread": {
                     *         "allow_shell": false,
                     *         "archived": false,
                     *         "auto_approve": false,
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "mode": "agent",
                     *         "model": "text",
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "trust_mode": false,
                     *         "updated_at": "2026-05-02T09:15:04.123Z",
                     *         "workroom_id": "wr_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "workspace": "text"
                     *       },
                     *       "turn": {
                     *         "created_at": "2026-05-02T09:15:04.123Z",
                     *         "id": "turn_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *         "input_summary": "text",
                     *         "item_ids": [
                     *           "item_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *         ],
                     *         "origin": {
                     *           "surface": "http"
                     *         },
                     *         "requested_by": {
                     *           "id": "text",
                     *           "kind": "human",
                     *           "surface": "http"
                     *         },
                     *         "schema_version": 0,
                     *         "status": "queued",
                     *         "steer_count": 0,
                     *         "thread_id": "thr_019a86c4f2b07d3e8c5a1b9d4e6f7082"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TurnDetail"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "usage/report": {
        parameters: {
            query?: {
                /** @description What is kept apart; days when absent. */
                group_by?: components["schemas"]["UsageGrouping"];
                /** @description Only what began at this moment or later. */
                since?: string;
                /** @description Only what began at this moment or before. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "buckets": [
                     *         {
                     *           "cache_write_tokens": 0,
                     *           "cached_tokens": 0,
                     *           "cost_complete": false,
                     *           "cost_usd": 0.5,
                     *           "input_tokens": 0,
                     *           "key": "text",
                     *           "output_tokens": 0,
                     *           "priced_turns": 0,
                     *           "reasoning_tokens": 0,
                     *           "turns": 0,
                     *           "unpriced_turns": 0
                     *         }
                     *       ],
                     *       "group_by": "day",
                     *       "totals": {
                     *         "cache_write_tokens": 0,
                     *         "cached_tokens": 0,
                     *         "cost_complete": false,
                     *         "cost_usd": 0.5,
                     *         "input_tokens": 0,
                     *         "output_tokens": 0,
                     *         "priced_turns": 0,
                     *         "reasoning_tokens": 0,
                     *         "turns": 0,
                     *         "unpriced_turns": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "user-input/answer": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The request. */
                input_id: components["schemas"]["UserInputId"];
                /** @description The thread that waits. */
                thread_id: components["schemas"]["ThreadId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "answers": [
                 *         {
                 *           "id": "text",
                 *           "label": "text",
                 *           "value": "text"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description One entry per chosen option; free text has the label `Other`. */
                    answers: components["schemas"]["UserInputAnswer"][];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "delivered": false,
                     *       "input_id": "uinp_019a86c4f2b07d3e8c5a1b9d4e6f7082",
                     *       "ok": false
                     *     }
                     */
                    "application/json": components["schemas"]["UserInputReceipt"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "workspaces/status": {
        parameters: {
            query?: {
                /** @description Its absolute path; the workspace of the server when absent. */
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dirty": false,
                     *       "git_repo": false,
                     *       "staged": 0,
                     *       "unstaged": 0,
                     *       "untracked": 0,
                     *       "workspace": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceStatus"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "workspaces/trust": {
        parameters: {
            query?: {
                /** @description The directory; the server's own when left out. */
                workspace?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "files": [
                     *         "text"
                     *       ],
                     *       "trusted": false,
                     *       "workspace": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceTrust"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    "workspaces/set-trust": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "trusted": false
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The digest that was looked at; needed to say yes.
                     * @default null
                     */
                    digest?: string | null;
                    /** @description Whether what it brings along counts from now on. */
                    trusted: boolean;
                    /**
                     * @description The directory; the server's own when left out.
                     * @default null
                     */
                    workspace?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "files": [
                     *         "text"
                     *       ],
                     *       "trusted": false,
                     *       "workspace": "text"
                     *     }
                     */
                    "application/json": components["schemas"]["WorkspaceTrust"];
                };
            };
            400: components["responses"]["Invalid"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["NotJson"];
            422: components["responses"]["WrongShape"];
            429: components["responses"]["Overloaded"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
}
