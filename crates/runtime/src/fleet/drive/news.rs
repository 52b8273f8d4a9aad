//! What workers say, as changes of their run.

use codewhale_protocol::runtime::FleetWorkerState;

use crate::fleet::attempt::{News, What};
use crate::fleet::change::Edit;

/// Whether someone relies on it.
pub(super) fn matters(news: &News) -> bool {
    match news.what {
        What::Ended(_) | What::Thread(_) => true,
        What::Runs(_) | What::Waits | What::Calls { .. } | What::Alive(..) | What::Trouble(_) => {
            false
        }
    }
}

/// Writes what a worker said into the run.
pub(super) fn apply(edit: &mut Edit, seat: usize, news: &News) {
    let at = edit.at;
    let status = {
        let view = &mut edit.seat(seat).view;
        view.latest_heartbeat_at = Some(at);
        view.runtime_state.get_or_insert_default()
    };
    match &news.what {
        What::Runs(log) => {
            status.agent_status = "running".to_owned();
            if let Some(log) = log {
                edit.seat(seat).view.artifacts.push(log.clone());
                edit.tell(seat, news.task, FleetWorkerState::Artifact(log.clone()));
            }
            edit.tell(seat, news.task, FleetWorkerState::Running);
        }
        What::Thread(thread) => {
            status.has_session = true;
            status.agent_status = "model_wait".to_owned();
            edit.thread(news.task, thread.clone());
            edit.tell(seat, news.task, FleetWorkerState::ModelWait { model: None });
        }
        What::Waits => {
            status.agent_status = "model_wait".to_owned();
            edit.tell(seat, news.task, FleetWorkerState::ModelWait { model: None });
        }
        What::Calls { tool, id } => {
            status.agent_status = "running_tool".to_owned();
            status.steps_taken += 1;
            let (tool, call_id) = (tool.clone(), id.clone());
            edit.tell(
                seat,
                news.task,
                FleetWorkerState::RunningTool { tool, call_id },
            );
        }
        What::Alive(message, steps) => {
            status.steps_taken = *steps;
            status.latest_message = Some(message.clone()).filter(|it| !it.is_empty());
            edit.tell(seat, news.task, FleetWorkerState::Heartbeat);
        }
        What::Trouble(words) => {
            status.error = Some(words.clone());
            edit.seat(seat).view.last_error = Some(words.clone());
        }
        What::Ended(finish) => {
            edit.finish(seat, news.task, (**finish).clone());
        }
    }
}
