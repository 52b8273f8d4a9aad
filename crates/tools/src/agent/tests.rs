use std::sync::{Arc, Mutex};

use codewhale_protocol::runtime::{AgentRun, AgentRunStatus};
use codewhale_protocol::service::BoxFuture;
use serde_json::{Value, json};

use super::*;
use crate::Agents;
use crate::testing::Bench;

/// A run as the owner of a turn would tell it.
fn run_of(name: &str, status: AgentRunStatus, report: Option<&str>) -> AgentRun {
    let status = serde_json::to_value(status).unwrap();
    serde_json::from_value(json!({
        "spec": {"worker_id": "agt_1", "run_id": "run_1", "session_name": name, "objective": "o",
            "agent_type": "scout", "model": "m", "workspace": "/w", "context_mode": "fresh",
            "fork_context": false, "tool_profile": "inherited", "runtime_profile": {},
            "max_steps": 1, "spawn_depth": 1, "max_spawn_depth": 3},
        "actor_kind": "subagent",
        "follow_up": {"tool": "agent", "agent_id": "agt_1", "accepted_statuses": []},
        "takeover": {"kind": "thread", "supported": true, "agent_id": "agt_1",
            "thread_id": "thr_1", "instructions": ""},
        "artifacts": [], "usage": {"status": "reported", "total_tokens": 30, "note": ""},
        "verification": {"status": "self_report_only", "summary": ""},
        "recommended_action": {"action": "wait", "reason": ""}, "status": status,
        "created_at_ms": 0, "updated_at_ms": 0, "steps_taken": 4, "events": [],
        "result_summary": report, "latest_message": "looking"
    }))
    .unwrap()
}

/// Remembers what it was asked.
#[derive(Default)]
struct Crew(Mutex<Vec<String>>);

impl Crew {
    fn note(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

impl Agents for Crew {
    fn start(&self, order: Order) -> BoxFuture<'_, Result<AgentRun, Refusal>> {
        self.note(format!("start {order:?}"));
        Box::pin(async { Ok(run_of("map", AgentRunStatus::Running, None)) })
    }

    fn look(&self, agent: Option<String>) -> BoxFuture<'_, Result<Vec<AgentRun>, Refusal>> {
        self.note(format!("look {agent:?}"));
        Box::pin(async { Ok(vec![run_of("map", AgentRunStatus::RunningTool, None)]) })
    }

    fn peek(&self, agent: String) -> BoxFuture<'_, Result<Vec<String>, Refusal>> {
        self.note(format!("peek {agent}"));
        Box::pin(async { Ok(vec!["one".to_owned(), "two".to_owned()]) })
    }

    fn say(
        &self,
        agent: String,
        text: String,
        manner: Manner,
    ) -> BoxFuture<'_, Result<AgentRun, Refusal>> {
        self.note(format!("say {agent} {text} {manner:?}"));
        Box::pin(async { Ok(run_of("map", AgentRunStatus::Running, None)) })
    }

    fn stop(&self, agent: String, halt: Halt) -> BoxFuture<'_, Result<AgentRun, Refusal>> {
        self.note(format!("stop {agent} {halt:?}"));
        Box::pin(async { Err("it has ended".into()) })
    }

    fn wait(
        &self,
        agent: Option<String>,
        until: Until,
    ) -> BoxFuture<'_, Result<Vec<AgentRun>, Refusal>> {
        self.note(format!("wait {agent:?} {until:?}"));
        Box::pin(async {
            Ok(vec![run_of(
                "map",
                AgentRunStatus::Completed,
                Some("All here."),
            )])
        })
    }
}

async fn call(crew: &Arc<Crew>, input: Value) -> Output {
    let bench = Bench::new();
    match bench.prepare("agent", input).await {
        Err(output) => output,
        Ok(prepared) => {
            let agents: Arc<dyn Agents> = Arc::clone(crew) as _;
            prepared.run(bench.context().with_agents(agents)).await
        }
    }
}

#[tokio::test]
async fn each_action_reaches_the_agents_as_it_was_meant() {
    let crew = Arc::new(Crew::default());
    for (input, asked, told) in [
        (
            json!({"action": "start", "prompt": "map it", "name": "map", "type": "explore"}),
            "start Order { prompt: \"map it\", name: Some(\"map\"), role: Scout, detached: false }",
            "agt_1 (map, scout) is running: 4 calls, 30 tokens",
        ),
        (
            json!({"action": "status"}),
            "look None",
            "It said last: looking",
        ),
        (
            json!({"action": "peek", "agent_id": "a"}),
            "peek a",
            "one\ntwo",
        ),
        (
            json!({"action": "message", "agent_id": "a", "message": "hurry"}),
            "say a hurry Add",
            "has your message",
        ),
        (
            json!({"action": "followup", "agent_id": "a", "message": "more"}),
            "say a more FollowUp",
            "has your message",
        ),
        (
            json!({"action": "interrupt", "agent_id": "a"}),
            "stop a Interrupt",
            "it has ended",
        ),
        (
            json!({"action": "cancel", "agent_id": "a"}),
            "stop a Cancel",
            "it has ended",
        ),
        (
            json!({"action": "wait", "until": "all"}),
            "wait None All",
            "Its report, not checked by anyone:\nAll here.",
        ),
    ] {
        let output = call(&crew, input.clone()).await;
        assert_eq!(crew.0.lock().unwrap().pop().unwrap(), asked, "{input}");
        assert!(output.text.contains(told), "{input}: {}", output.text);
    }
}

#[tokio::test]
async fn a_call_that_lacks_something_says_what() {
    let crew = Arc::new(Crew::default());
    let long = "x".repeat(AGENT_PROMPT_BYTES_MAX + 1);
    for (input, why) in [
        (json!({"action": "start"}), "give a `prompt`"),
        (json!({"action": "start", "prompt": " "}), "give a `prompt`"),
        (json!({"action": "start", "prompt": long}), "longer than"),
        (
            json!({"action": "start", "prompt": "x", "type": "boss"}),
            "is no type; use worker, scout",
        ),
        (json!({"action": "peek"}), "give the `agent_id`"),
        (
            json!({"action": "message", "agent_id": "a"}),
            "give a `message`",
        ),
        (json!({"action": "fly"}), "unknown variant"),
        (
            json!({"action": "start", "prompt": "x", "worktree": true}),
            "unknown field",
        ),
    ] {
        let output = call(&crew, input).await;
        assert!(
            !output.success && output.text.contains(why),
            "{}",
            output.text
        );
    }
    assert!(crew.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn where_there_are_no_agents_the_model_is_told_so() {
    let output = Bench::new()
        .call("agent", json!({"action": "status"}))
        .await;
    assert!(!output.success && output.text.contains("do the work yourself"));
}
