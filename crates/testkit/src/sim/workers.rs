//! Workers of a simulation: a seed decides what they say, how long it takes, and how it ends.

use std::sync::Mutex;

use codewhale_protocol::service::BoxFuture;
use codewhale_runtime::{FleetWorkers, WorkEnd, WorkOrder};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::dice::Dice;

pub(crate) struct SeededWorkers(Mutex<Dice>);

impl SeededWorkers {
    pub(crate) fn new(dice: Dice) -> Self {
        Self(Mutex::new(dice))
    }
}

impl FleetWorkers for SeededWorkers {
    fn work(
        &self,
        _: WorkOrder,
        said: mpsc::Sender<String>,
        stop: CancellationToken,
    ) -> BoxFuture<'static, WorkEnd> {
        let mut dice = self.0.lock().expect("nothing panics while it holds it");
        let mut dice = Dice::new(dice.draw(), &[]);
        Box::pin(async move {
            tokio::select! {
                biased;
                () = stop.cancelled() => WorkEnd::Stopped,
                end = live(&mut dice, &said) => end,
            }
        })
    }
}

async fn live(dice: &mut Dice, said: &mpsc::Sender<String>) -> WorkEnd {
    let say = async |line: serde_json::Value| {
        let _ = said.send(line.to_string()).await;
    };
    if dice.percent(5) {
        let reason = "there is no room for it".to_owned();
        return WorkEnd::NotStarted { reason };
    }
    say(json!({ "type": "thread", "thread_id": "thr_worker", "turn_id": "turn_worker" })).await;
    for call in 0..dice.below(4) {
        tokio::time::sleep(dice.ms(1, 40_000)).await;
        say(json!({ "type": "tool_use", "name": "look", "id": format!("c{call}"), "input": {} }))
            .await;
        tokio::time::sleep(dice.ms(1, 2_000)).await;
        say(json!({ "type": "tool_result", "id": format!("c{call}"), "name": "look" })).await;
    }
    if dice.percent(5) {
        // Says nothing more, and does not end.
        std::future::pending::<()>().await;
    }
    say(json!({ "type": "content", "content": "done" })).await;
    let errors = String::new();
    match *dice.weighted(&[(6, 0), (1, 1), (2, 75), (1, -9)]) {
        -9 => WorkEnd::Signaled { signal: 9, errors },
        code => WorkEnd::Exited { code, errors },
    }
}
