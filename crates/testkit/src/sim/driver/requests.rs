//! Requests of someone who knows what they are doing.

use std::sync::Arc;

use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::{
    ApprovalReceipt, ThreadId, ThreadRecord, TurnRecord, TurnWithThread, WorkspaceTrust,
};
use codewhale_protocol::{Call, ErrorBody, Service, Surface};
use serde_json::{Value, json};

use super::ask::note;
use super::{Driver, THREADS_MAX};
use crate::sim::Violation;
use crate::sim::evidence;
use crate::sim::journal::{ANSWER, Accepted, Journal, Patched, SECRET};
use crate::sim::tools::CLIENTS;

impl Driver {
    pub(super) fn create_thread(&mut self) -> Result<(), Violation> {
        if self.world.threads().len() >= THREADS_MAX {
            return Ok(());
        }
        let params = [
            (6, json!({})),
            (
                2,
                json!({ "title": format!("about {SECRET}"), "workspace": std::env::temp_dir() }),
            ),
            (1, json!({ "auto_approve": true })),
            (1, json!({ "mode": "plan" })),
            (
                1,
                json!({ "permission_posture": "auto_review", "trust_mode": true }),
            ),
            (
                1,
                json!({ "allow_shell": false, "system_prompt": "be brief" }),
            ),
            (1, json!({ "reasoning_effort": "low" })),
            (1, json!({ "workspace": "/nowhere" })),
        ];
        let params = self.dice.weighted(&params).clone();
        self.order(Op::ThreadsCreate, params);
        Ok(())
    }

    pub(super) fn start_turn(&mut self) -> Result<(), Violation> {
        let Some(thread) = self.thread() else {
            return Ok(());
        };
        let overrides = [
            (6, json!({})),
            (8, json!({ "dynamic_tools": [client_tool()] })),
            (1, json!({ "auto_approve": true })),
            (1, json!({ "mode": "plan" })),
            (1, json!({ "permission_posture": "auto_review" })),
            (1, json!({ "reasoning_effort": "max" })),
            (1, json!({ "allow_shell": false })),
        ];
        let overrides = self.dice.weighted(&overrides).clone();
        self.start_turn_of(thread, overrides, |_, _| {});
        Ok(())
    }

    pub(super) fn start_turn_of(
        &mut self,
        thread: ThreadId,
        mut params: Value,
        then: impl FnOnce(Result<(), ErrorBody>, &Journal) + Send + 'static,
    ) {
        let (tag, prompt) = self.words();
        params["thread_id"] = json!(thread);
        params["prompt"] = json!(prompt);
        let accept = move |answer: Result<TurnWithThread, _>, journal: &Journal| {
            then(
                answer.map(|started| accept(journal, tag, started.turn)),
                journal,
            );
        };
        self.ask(std::convert::identity, Op::TurnsStart, params, accept);
    }

    pub(super) fn steer(&mut self) -> Result<(), Violation> {
        let Some(turn) = self.turn() else {
            return Ok(());
        };
        let (tag, prompt) = self.words();
        let params = json!({ "thread_id": turn.thread_id, "turn_id": turn.id, "prompt": prompt });
        let accept = move |answer: Result<TurnRecord, _>, journal: &Journal| {
            if let Ok(turn) = answer {
                accept(journal, tag, turn);
            }
        };
        self.ask(std::convert::identity, Op::TurnsSteer, params, accept);
        Ok(())
    }

    pub(super) fn interrupt(&mut self) -> Result<(), Violation> {
        if let Some(turn) = self.turn() {
            let params = json!({ "thread_id": turn.thread_id, "turn_id": turn.id });
            self.order(Op::TurnsInterrupt, params);
        }
        Ok(())
    }

    /// Stops a call of a running turn, whether it runs already or still waits for an approval.
    pub(super) fn stop_call(&mut self) -> Result<(), Violation> {
        let store = &self.world.processes[0].store;
        let calls = store.read(|reader| {
            let mut all = Vec::new();
            for turn in reader.unfinished_turns()? {
                let thread = turn.record.thread_id;
                let items = reader.items(&thread, 0)?.into_iter().map(|it| it.record);
                let open = items.filter(|it| it.kind.is_tool() && !it.status.is_terminal());
                all.extend(open.map(|it| (thread.clone(), it.id)));
            }
            Ok(all)
        });
        let calls = calls.expect("what a simulation stored can be read");
        if !calls.is_empty() {
            let (thread, item) = self.dice.pick(&calls);
            let params = json!({ "thread_id": thread, "item_id": item });
            self.order(Op::CallsStop, params);
        }
        Ok(())
    }

    /// Answers an approval, sometimes several times at once.
    pub(super) fn decide(&mut self) -> Result<(), Violation> {
        let store = &self.world.processes[0].store;
        let pending = store.read(|reader| {
            let mut all = Vec::new();
            for thread in evidence::visible(reader)? {
                all.extend(reader.pending_approvals(&thread)?);
            }
            Ok(all)
        });
        let pending = pending.expect("what a simulation stored can be read");
        if pending.is_empty() {
            return Ok(());
        }
        let id = self.dice.pick(&pending).id.clone();
        let words = [
            (5, "allow"),
            (3, "deny"),
            (3, "approved_for_session"),
            (1, "abort"),
        ];
        for _ in 0..*self.dice.weighted(&[(80, 1), (20, 3)]) {
            let word = *self.dice.weighted(&words);
            let params = json!({ "approval_id": id, "decision": word });
            let keep = |answer: Result<ApprovalReceipt, _>, journal: &Journal| {
                if let Ok(receipt) = answer {
                    let answer = (receipt.approval_id, receipt.decision);
                    journal.notes().answers.push(answer);
                }
            };
            self.ask(std::convert::identity, Op::ApprovalsDecide, params, keep);
        }
        Ok(())
    }

    /// Answers questions of an agent, mostly in a way that fits.
    pub(super) fn answer(&mut self) -> Result<(), Violation> {
        let store = &self.world.processes[0].store;
        let pending = store.read(|reader| {
            let mut all = Vec::new();
            for thread in evidence::visible(reader)? {
                let inputs = reader.pending_user_inputs(&thread)?;
                all.extend(inputs.into_iter().map(|input| (thread.clone(), input.id)));
            }
            Ok(all)
        });
        let pending = pending.expect("what a simulation stored can be read");
        if pending.is_empty() {
            return Ok(());
        }
        let (thread, input) = self.dice.pick(&pending).clone();
        let label = *self.dice.weighted(&[(8, "left"), (1, "up")]);
        for _ in 0..*self.dice.weighted(&[(80, 1), (20, 2)]) {
            let answers = json!([{ "id": "which", "label": label, "value": ANSWER }]);
            let params = json!({ "thread_id": thread, "input_id": input, "answers": answers });
            self.order(Op::UserInputAnswer, params);
        }
        Ok(())
    }

    /// Says what came of a call that a client runs, sometimes twice.
    pub(super) fn resolve(&mut self) -> Result<(), Violation> {
        let store = &self.world.processes[0].store;
        let pending = store.read(|reader| {
            let mut all = Vec::new();
            for thread in evidence::visible(reader)? {
                all.extend(reader.pending_client_calls(&thread)?);
            }
            Ok(all)
        });
        let pending = pending.expect("what a simulation stored can be read");
        if pending.is_empty() {
            return Ok(());
        }
        let about = self.dice.pick(&pending).about.clone();
        for _ in 0..*self.dice.weighted(&[(80, 1), (20, 2)]) {
            let text = format!("beeped {SECRET}");
            let params = json!({
                "thread_id": about.thread_id, "turn_id": about.turn_id, "call_id": about.call_id,
                "success": self.dice.percent(80), "content": [{ "type": "input_text", "text": text }],
            });
            self.order(Op::ToolCallsResult, params);
        }
        Ok(())
    }

    /// Looks at what a workspace brings along and which servers it has, or says whether it counts.
    pub(super) fn trust(&mut self) -> Result<(), Violation> {
        let workspace = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/luggage");
        let digest = self.world.journal.notes().luggage.clone();
        if digest.is_some() && self.dice.percent(70) {
            let trusted = self.dice.percent(70);
            let params = json!({ "workspace": workspace, "trusted": trusted, "digest": digest });
            self.order(Op::WorkspacesSetTrust, params);
            return Ok(());
        }
        let keep = |answer: Result<WorkspaceTrust, _>, journal: &Journal| {
            journal.notes().luggage = answer.ok().and_then(|trust| trust.digest);
        };
        let params = json!({ "workspace": workspace });
        self.ask(std::convert::identity, Op::WorkspacesTrust, params, keep);
        // There are no MCP servers, which is an answer too.
        self.order(Op::McpServers, json!({ "workspace": workspace }));
        self.order(Op::McpTools, json!({ "workspace": workspace }));
        Ok(())
    }

    pub(super) fn patch(&mut self) -> Result<(), Violation> {
        let Some(thread) = self.thread() else {
            return Ok(());
        };
        let either = self.dice.percent(50);
        let changes = [
            (1, json!({ "auto_approve": true })),
            (3, json!({ "auto_approve": false })),
            (1, json!({ "mode": "plan" })),
            (4, json!({ "mode": "agent" })),
            (1, json!({ "mode": "yolo" })),
            (1, json!({ "permission_posture": "auto_review" })),
            (6, json!({ "permission_posture": "ask" })),
            (2, json!({ "allow_shell": either })),
            (2, json!({ "trust_mode": either })),
            (3, json!({ "archived": either })),
            (
                3,
                json!({ "title": format!("title {} {SECRET}", self.said) }),
            ),
            (1, json!({ "title": "", "system_prompt": "speak up" })),
            (1, json!({ "reasoning_effort": "high" })),
            (1, json!({ "reasoning_effort": "" })),
            (1, json!({ "workspace": std::env::temp_dir() })),
        ];
        let mut params = self.dice.weighted(&changes).clone();
        params["thread_id"] = json!(thread);
        let since = self.head(&thread);
        let keep = move |answer: Result<ThreadRecord, _>, journal: &Journal| {
            if let Ok(thread) = answer {
                journal.notes().patched.push(Patched { thread, since });
            }
        };
        self.ask(std::convert::identity, Op::ThreadsPatch, params, keep);
        Ok(())
    }

    /// Copies a thread, and looks at the copy before anyone can touch it.
    pub(super) fn fork(&mut self) -> Result<(), Violation> {
        let Some(thread) = self.thread() else {
            return Ok(());
        };
        if self.world.threads().len() >= THREADS_MAX {
            return Ok(());
        }
        let index = self.dice.below(self.world.processes.len());
        let process = &self.world.processes[index];
        let (runtime, number) = (process.runtime.clone(), process.number);
        let (store, journal) = (process.store.clone(), Arc::clone(&self.world.journal));
        process.spawn(async move {
            let params = json!({ "thread_id": thread });
            let call = Call::new(Op::ThreadsFork, params.clone());
            let caller = runtime.operator(Surface::Http);
            let answer = runtime.call(&caller, call).await;
            note(&journal, number, Op::ThreadsFork, &params, &answer);
            if let Ok(reply) = answer {
                let copy: ThreadRecord = serde_json::from_str(reply.get()).expect("it is a thread");
                let detail = store.read(|reader| reader.detail(&copy.id));
                let detail = detail.expect("a copy can be read").expect("a copy exists");
                journal.notes().forks.insert(copy.id, detail);
            }
        });
        Ok(())
    }

    /// Goes back in a thread. The files of a simulation are nowhere, so only conversations move.
    pub(super) fn undo(&mut self) -> Result<(), Violation> {
        self.order(Op::SnapshotsList, json!({}));
        let Some(thread) = self.thread() else {
            return Ok(());
        };
        if self.world.threads().len() >= THREADS_MAX {
            return Ok(());
        }
        let ways = [
            (2, Op::ThreadsUndo),
            (3, Op::ThreadsPatchUndo),
            (2, Op::ThreadsRetry),
        ];
        let way = *self.dice.weighted(&ways);
        let depth = self.dice.below(3);
        let params = json!({ "thread_id": thread, "depth": depth });
        self.order(way, params);
        Ok(())
    }

    /// Looks at threads as recordings; now and then one is deleted.
    pub(super) fn keep_sessions(&mut self) -> Result<(), Violation> {
        self.order(Op::SessionsList, json!({ "sort": "size" }));
        self.order(Op::SessionsSummary, json!({ "search": "a" }));
        self.order(Op::SessionsExport, json!({}));
        let Some(thread) = self.thread() else {
            return Ok(());
        };
        let named = json!({ "session_id": thread });
        self.order(Op::SessionsGet, named.clone());
        self.order(Op::SessionsResume, named.clone());
        let title = json!({ "session_id": thread, "title": format!("kept {SECRET}") });
        self.order(Op::SessionsPatch, title);
        self.order(Op::SessionsSave, json!({ "thread_id": thread }));
        if self.dice.below(3) == 0 {
            let mut going = self.world.below(&thread);
            going.push(thread);
            self.world.journal.notes().deleting.extend(going);
            self.order(Op::SessionsDelete, named);
        }
        Ok(())
    }

    pub(super) fn resume(&mut self) -> Result<(), Violation> {
        if let Some(thread) = self.thread() {
            self.order(Op::ThreadsResume, json!({ "thread_id": thread }));
        }
        Ok(())
    }

    pub(super) fn compact(&mut self) -> Result<(), Violation> {
        if let Some(thread) = self.thread() {
            self.order(Op::ThreadsCompact, json!({ "thread_id": thread }));
        }
        Ok(())
    }

    pub(super) fn look_around(&mut self) -> Result<(), Violation> {
        if let Some(thread) = self.thread() {
            self.order(Op::ThreadsGet, json!({ "thread_id": thread }));
        }
        let all = json!({ "include_archived": true });
        self.order(Op::ThreadsList, all.clone());
        self.order(Op::ThreadsSummary, all);
        let group = self.dice.pick(&["day", "model", "provider", "thread"]);
        let group = json!({ "group_by": group });
        self.order(Op::UsageReport, group);
        self.order(Op::WorkspacesStatus, json!({}));
        self.order(Op::SkillsList, json!({}));
        Ok(())
    }
}

/// A tool that whoever drives runs.
fn client_tool() -> Value {
    json!({ "name": CLIENTS, "description": "beeps", "input_schema": {} })
}

fn accept(journal: &Journal, tag: String, turn: TurnRecord) {
    journal.notes().accepted.push(Accepted {
        tag,
        thread: turn.thread_id,
        turn: turn.id,
    });
}
