//! Requests that must be refused.

use std::sync::Arc;

use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::ThreadId;
use codewhale_protocol::{Call, Caller, ErrorCode, Scope, Scopes, Service, Surface};
use serde_json::{Value, json};

use super::Driver;
use super::ask::note;
use crate::sim::Violation;

/// Requests at once that are more than the mailbox of a thread takes.
const TOO_MANY: usize = 80;

impl Driver {
    pub(super) fn ask_for_nonsense(&mut self) -> Result<(), Violation> {
        let thread = self.thread();
        let thread = thread.as_ref().map_or("thr_none", ThreadId::as_str);
        let calls = [
            (Op::ThreadsGet, json!({ "thread_id": "thr_none" })),
            (Op::ThreadsPatch, json!({ "thread_id": thread })),
            (
                Op::ThreadsPatch,
                json!({ "thread_id": thread, "mode": "swim" }),
            ),
            (
                Op::ThreadsPatch,
                json!({ "thread_id": thread, "workspace": "here" }),
            ),
            (Op::ThreadsList, json!({ "limit": "many" })),
            (
                Op::TurnsStart,
                json!({ "thread_id": thread, "prompt": " \n" }),
            ),
            (Op::TurnsStart, json!({ "thread_id": thread })),
            (
                Op::TurnsStart,
                json!({ "thread_id": thread, "prompt": "x", "mode": "swim" }),
            ),
            (
                Op::TurnsSteer,
                json!({ "thread_id": thread, "turn_id": "turn_none", "prompt": "x" }),
            ),
            (
                Op::TurnsInterrupt,
                json!({ "thread_id": thread, "turn_id": "turn_none" }),
            ),
            (
                Op::CallsStop,
                json!({ "thread_id": thread, "item_id": "item_none" }),
            ),
            (
                Op::ApprovalsDecide,
                json!({ "approval_id": "appr_none", "decision": "allow" }),
            ),
            (Op::ThreadsFork, json!({ "thread_id": 7 })),
            (Op::ThreadsCreate, json!({ "permission_posture": "never" })),
            (Op::ThreadsCreate, json!({ "reasoning_effort": "lots" })),
        ];
        let (op, params) = self.dice.pick(&calls).clone();
        self.ask(
            std::convert::identity,
            op,
            params.clone(),
            move |answer: Result<Value, _>, journal| {
                if let Ok(answer) = answer {
                    journal.complain(format!("{op:?} {params} gave {answer}"));
                }
            },
        );
        Ok(())
    }

    /// Someone who is in no room meets nothing.
    pub(super) fn ask_as_a_stranger(&mut self) -> Result<(), Violation> {
        let Some(thread) = self.thread() else {
            return Ok(());
        };
        let stranger = |operator| Caller {
            principal: "prn_stranger".into(),
            ..operator
        };
        let hidden = [Op::ThreadsGet, Op::ThreadsFork, Op::ThreadsResume];
        let (op, params) = match self.dice.percent(70) {
            true => (*self.dice.pick(&hidden), json!({ "thread_id": thread })),
            false => (Op::ThreadsList, json!({})),
        };
        self.ask(
            stranger,
            op,
            params,
            move |answer: Result<Value, _>, journal| {
                let blind = match &answer {
                    Ok(answer) => *answer == json!([]),
                    Err(error) => {
                        (error.code, error.message.as_str())
                            == (ErrorCode::NotFound, "no such thread")
                    }
                };
                if !blind {
                    journal.complain(format!("a stranger asked {op:?} and got {answer:?}"));
                }
            },
        );
        Ok(())
    }

    /// Whoever may only look can change nothing, and whoever may only run can loosen nothing.
    pub(super) fn ask_without_the_scope(&mut self) -> Result<(), Violation> {
        let Some(thread) = self.thread() else {
            return Ok(());
        };
        let calls = [
            (
                Scopes::of(&[Scope::Read]),
                Op::TurnsStart,
                json!({ "prompt": "x" }),
            ),
            (Scopes::of(&[Scope::Read]), Op::ThreadsFork, json!({})),
            (
                Scopes::of(&[Scope::Read, Scope::Run]),
                Op::ThreadsCreate,
                json!({ "auto_approve": true }),
            ),
        ];
        let (scopes, op, mut params) = self.dice.pick(&calls).clone();
        params["thread_id"] = json!(thread);
        let weak = move |operator| Caller { scopes, ..operator };
        self.ask(
            weak,
            op,
            params,
            move |answer: Result<Value, _>, journal| {
                let code = answer.as_ref().err().map(|error| error.code);
                if code != Some(ErrorCode::Forbidden) {
                    journal.complain(format!("{op:?} without its scope gave {answer:?}"));
                }
            },
        );
        Ok(())
    }

    /// Asks one thread for more at once than it takes.
    pub(super) fn hammer(&mut self) -> Result<(), Violation> {
        let Some(thread) = self.thread() else {
            return Ok(());
        };
        let index = self.dice.below(self.world.processes.len());
        let process = &self.world.processes[index];
        let (runtime, number) = (process.runtime.clone(), process.number);
        let journal = Arc::clone(&self.world.journal);
        process.spawn(async move {
            let caller = runtime.operator(Surface::Http);
            let params = json!({ "thread_id": thread });
            let call = Call::new(Op::ThreadsResume, params.clone());
            let calls = (0..TOO_MANY).map(|_| runtime.call(&caller, call.clone()));
            for answer in futures_util::future::join_all(calls).await {
                note(&journal, number, Op::ThreadsResume, &params, &answer);
            }
        });
        Ok(())
    }
}
