//! What clients are told of a run: the log's events, without what is nobody else's business.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::worker::cursor;
use super::{FleetNews, FleetWorkerNews, FleetWorkerState};
use crate::runtime::{FleetRunId, Seq, Timestamp};

/// Something that happened to a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetEvent {
    /// Its place; opaque.
    pub cursor: String,
    /// Its name.
    pub event: String,
    /// The run.
    pub run_id: FleetRunId,
    /// The worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_id: Option<String>,
    /// The task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// Its number among the events of the worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_seq: Option<u64>,
    /// What.
    pub payload: Value,
}

/// What `fleet/replay` takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetReplayParams {
    /// The run.
    #[serde(default = "nobody")]
    pub run_id: FleetRunId,
    /// Only events behind this one; the newest when left out.
    #[serde(default)]
    pub after: Option<String>,
    /// How many, 1 to 1000; 250 when left out.
    #[serde(default)]
    pub limit: Option<u64>,
}

/// A query is read before its path is known.
fn nobody() -> FleetRunId {
    FleetRunId::from("")
}

/// What `fleet/replay` answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetReplay {
    /// The run.
    pub run_id: FleetRunId,
    /// The events, oldest first.
    pub events: Vec<FleetEvent>,
    /// Whether there are more behind the last.
    pub has_more: bool,
    /// Whether there are older ones before the first.
    pub history_truncated: bool,
    /// Where to go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Longest reason for a failure that is told, in characters.
const REASON_CHARS_MAX: usize = 1_000;

/// An event as the store keeps it.
#[derive(Deserialize)]
struct Stored {
    seq: Seq,
    event: String,
    stream_id: FleetRunId,
    timestamp: Timestamp,
    payload: Value,
}

impl FleetEvent {
    /// Reads an event of a run's stream; `None` for one that this version does not know.
    pub fn read(text: &str) -> Result<Option<(Seq, FleetEvent)>, serde_json::Error> {
        let stored: Stored = serde_json::from_str(text)?;
        let Some(event) = FleetNews::decode(&stored.event, &stored.payload.to_string()) else {
            return Ok(None);
        };
        let told = told(&event?);
        let event = FleetEvent {
            cursor: cursor(stored.seq),
            event: stored.event,
            run_id: stored.stream_id,
            worker_id: told.worker,
            task_id: told.task,
            timestamp: Some(stored.timestamp),
            worker_seq: told.worker_seq,
            payload: told.payload,
        };
        Ok(Some((stored.seq, event)))
    }
}

#[derive(Default)]
struct Told {
    worker: Option<String>,
    task: Option<String>,
    worker_seq: Option<u64>,
    payload: Value,
}

fn told(news: &FleetNews) -> Told {
    let of_run = |payload| Told {
        payload,
        ..Told::default()
    };
    let of_task = |task: &str, payload| Told {
        task: Some(task.to_owned()),
        ..of_run(payload)
    };
    match news {
        FleetNews::RunCreated(it) => of_run(json!(it)),
        FleetNews::RunStatusChanged(it) => of_run(json!(it)),
        FleetNews::TaskEnqueued(it) => of_task(
            &it.task_id,
            json!({ "priority": it.priority, "attempts": it.attempts }),
        ),
        FleetNews::TaskLeased(it) => Told {
            worker: Some(it.worker_id.clone()),
            ..of_task(
                &it.task_id,
                json!({ "lease_expires_at": it.lease_expires_at }),
            )
        },
        FleetNews::TaskTerminal(it) => of_task(&it.task_id, json!({ "status": it.status })),
        FleetNews::ReceiptRecorded(it) => {
            let receipt = &it.receipt;
            let kinds: Vec<&str> = receipt.artifacts.iter().map(|it| &*it.kind).collect();
            Told {
                worker: Some(receipt.worker_id.clone()),
                ..of_task(
                    &receipt.task_id,
                    json!({
                        "attempt": receipt.attempt,
                        "result": receipt.result,
                        "failure_kind": receipt.failure_kind,
                        "score": receipt.score,
                        "artifact_kinds": kinds,
                    }),
                )
            }
        }
        FleetNews::Worker(news) => of_worker(news),
    }
}

fn of_worker(news: &FleetWorkerNews) -> Told {
    use FleetWorkerState as State;
    let state = news.state.as_str();
    let payload = match &news.state {
        State::Leased { lease_expires_at } => {
            json!({ "state": state, "lease_expires_at": lease_expires_at })
        }
        State::Starting | State::Running | State::Heartbeat => json!({ "state": state }),
        State::ModelWait { model } => json!({ "state": state, "model": model }),
        State::RunningTool { tool, .. } => json!({ "state": state, "tool": tool }),
        State::Artifact(artifact) => json!({
            "state": state, "kind": artifact.kind, "size_bytes": artifact.size_bytes,
            "checksum": artifact.checksum,
        }),
        State::Completed { exit_code, .. } => json!({ "state": state, "exit_code": exit_code }),
        State::Failed {
            reason,
            recoverable,
        } => {
            let reason: String = reason.chars().take(REASON_CHARS_MAX).collect();
            json!({ "state": state, "reason": reason, "recoverable": recoverable })
        }
        State::Cancelled { .. } => json!({ "state": state }),
        State::Interrupted { signal } => json!({ "state": state, "signal": signal }),
        State::Stale { last_heartbeat_at } => {
            json!({ "state": state, "last_heartbeat_at": last_heartbeat_at })
        }
        State::Restarted { restart_count } => {
            json!({ "state": state, "restart_count": restart_count })
        }
    };
    Told {
        worker: Some(news.worker_id.clone()),
        task: Some(news.task_id.clone()),
        worker_seq: Some(news.worker_seq),
        payload,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, payload: Value) -> FleetEvent {
        let text = json!({
            "schema_version": 1, "seq": 7, "previous_seq": 3, "event": name, "kind": name,
            "stream_id": "run_1", "turn_id": null, "item_id": null,
            "timestamp": "2026-08-20T10:00:00.000Z", "payload": payload,
        });
        let (seq, event) = FleetEvent::read(&text.to_string()).unwrap().unwrap();
        assert_eq!(seq, Seq(7));
        event
    }

    #[test]
    fn who_called_off_and_what_was_called_is_not_told() {
        let worker = json!({
            "worker_id": "run_1.w1", "task_id": "a", "attempt": 1, "worker_seq": 4,
            "state": "cancelled", "cancelled_by": "operator",
        });
        let event = read("fleet.worker.cancelled", worker);
        assert_eq!(event.payload, json!({ "state": "cancelled" }));
        assert_eq!((event.cursor.as_str(), event.worker_seq), ("7", Some(4)));
        let worker = json!({
            "worker_id": "run_1.w1", "task_id": "a", "attempt": 1, "worker_seq": 5,
            "state": "running_tool", "tool": "exec_shell", "call_id": "call_1",
        });
        let event = read("fleet.worker.running_tool", worker);
        assert_eq!(
            event.payload,
            json!({ "state": "running_tool", "tool": "exec_shell" })
        );
        assert_eq!(event.task_id.as_deref(), Some("a"));
    }

    #[test]
    fn a_long_reason_is_cut() {
        let worker = json!({
            "worker_id": "w", "task_id": "a", "attempt": 1, "worker_seq": 1,
            "state": "failed", "reason": "x".repeat(5_000), "recoverable": false,
        });
        let event = read("fleet.worker.failed", worker);
        let reason = event.payload["reason"].as_str().unwrap();
        assert_eq!(reason.len(), REASON_CHARS_MAX);
    }
}
