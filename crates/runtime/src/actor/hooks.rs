//! What the actor of a thread tells hooks.

use codewhale_engine::Moment;
use codewhale_protocol::runtime::{AgentRun, Mode, TurnRecord, TurnStatus};
use serde_json::{Value, json};

use super::{Active, ThreadActor};
use crate::hooks::HookScene;

impl ThreadActor {
    /// A turn is over.
    pub(super) fn tell_of_end(&mut self, active: &Active, turn: &TurnRecord) {
        let (calls, latest_tokens, mode) = {
            let state = active.desk.state();
            let mode = state.authority.permission.mode;
            (state.calls, state.latest_input_tokens, mode)
        };
        let usage = turn.usage.unwrap_or_default();
        let agents = active.desk.agents();
        let route = &agents.route;
        self.session.spent.add(usage, turn.cost_usd);
        let spent = self.session.spent;
        let payload = json!({
            "created_at": turn.created_at,
            "model_backed": turn.effective_dispatched_at.is_some(),
            "provider": route.provider,
            "billing_surface": null,
            "model": route.model,
            "turn_id": turn.id,
            "status": turn.status,
            "error": turn.error,
            "duration_ms": turn.duration_ms,
            "usage": usage,
            "totals": {
                "session_tokens": spent.tokens(),
                "conversation_tokens": latest_tokens + usage.output_tokens,
                "input_tokens": spent.usage.input_tokens,
                "output_tokens": spent.usage.output_tokens,
            },
            "tool_count": calls,
            "queued_message_count": 0,
            "stop_hook_active": false,
        });
        let mut moments = Vec::new();
        if turn.status == TurnStatus::Failed {
            let error = turn.error.as_deref().unwrap_or_default();
            moments.push(Moment::on_error(mode, error));
        }
        moments.push(Moment::turn_end(mode, payload));
        let scene = HookScene {
            model: route.model.clone(),
            ..self.scene()
        };
        self.tell(scene, moments);
    }

    /// A sub-agent begins its work, in this thread.
    pub(super) fn tell_of_spawn(&mut self, run: &AgentRun) {
        let moment = Moment::subagent_spawn(self.state.thread.mode, facts_of(run));
        self.tell(self.scene(), vec![moment]);
    }

    /// A sub-agent has ended, in this thread.
    pub(super) fn tell_of_report(&mut self, run: &AgentRun) {
        let moment = Moment::subagent_complete(self.state.thread.mode, facts_of(run));
        self.tell(self.scene(), vec![moment]);
    }

    /// The settings of the thread changed; perhaps its mode did.
    pub(super) fn tell_of_mode(&mut self, before: Mode) {
        let now = self.state.thread.mode;
        if now != before {
            let moment = Moment::mode_change(before, now);
            self.tell(self.scene(), vec![moment]);
        }
    }

    /// The thread is put away.
    pub(super) fn end_session(&mut self) {
        if std::mem::take(&mut self.session.begun) {
            let moment = Moment::session_end(self.state.thread.mode);
            self.tell(self.scene(), vec![moment]);
        }
    }

    fn tell(&mut self, scene: HookScene, moments: Vec<Moment>) {
        let telling = &mut self.session.telling;
        self.core.tell_hooks(telling, scene, moments);
    }

    fn scene(&self) -> HookScene {
        HookScene::of(&self.state.thread, Some(self.session.spent))
    }
}

/// What hooks are told of a sub-agent.
fn facts_of(run: &AgentRun) -> Value {
    json!({
        "agent_id": run.spec.worker_id,
        "run_id": run.spec.run_id,
        "parent_run_id": run.parent_run_id,
        "thread_id": run.takeover.thread_id,
        "name": run.spec.session_name,
        "role": run.spec.agent_type,
        "model": run.spec.model,
        "objective": run.spec.objective,
        "status": run.status,
        "error": run.error,
        "result": run.result_summary,
        "usage": run.usage,
    })
}
