//! What became of tasks, and what happened to a run.

use std::path::Path;
use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::{
    FleetEvidence, FleetReceipt, FleetReceipts, FleetReplay, Right,
};
use codewhale_protocol::runtime::{
    self, FleetArtifact, FleetEvent, FleetReceiptParams, FleetReplayParams, FleetRunParams, Seq,
    StreamId,
};
use serde_json::Value;

use super::files::read_bounded;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::{Error, limits};

impl Handler<FleetReceipts> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: FleetRunParams,
    ) -> Result<runtime::FleetReceipts, Error> {
        let fleet = self.fleet_named(caller, Right::ReadThread, &params.run_id)?;
        let receipts = fleet.tasks.into_iter().filter_map(|task| task.receipt);
        Ok(runtime::FleetReceipts {
            run_id: params.run_id,
            receipts: receipts.collect(),
        })
    }
}

impl Handler<FleetReceipt> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: FleetReceiptParams,
    ) -> Result<runtime::FleetReceipt, Error> {
        let fleet = self.fleet_named(caller, Right::ReadThread, &params.run_id)?;
        let mut tasks = fleet.tasks.into_iter();
        let task = tasks.find(|task| task.spec.id == params.task_id);
        let receipt = task.and_then(|task| task.receipt);
        receipt.ok_or(Error::NotFound { what: "receipt" })
    }
}

impl Handler<FleetEvidence> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: FleetReceiptParams,
    ) -> Result<runtime::FleetEvidence, Error> {
        const NONE: Error = Error::NotFound { what: "evidence" };
        let receipt = Handler::<FleetReceipt>::handle(self, caller, params).await?;
        let settings = self.fleets.settings.as_ref();
        let root = settings.and_then(|settings| settings.directory.clone());
        let (Some(root), Some(artifact)) = (root, evidence(&receipt.artifacts)) else {
            return Err(NONE);
        };
        let path = artifact.path.clone();
        let root = root.join(receipt.run_id.as_str());
        let read = self.store.apart(move || {
            let inner = Path::new(&path).strip_prefix(&root).ok()?.to_str()?;
            let read = read_bounded(&root, inner, limits::FLEET_EVIDENCE_BYTES_MAX);
            read.ok()
        });
        let file = read.await?.ok_or(NONE)?;
        let truncated = file.size > file.bytes.len() as u64;
        let text = String::from_utf8_lossy(&file.bytes);
        let text = self.store.redactor().mask(&text).into_owned();
        let content = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Ok(runtime::FleetEvidence {
            run_id: receipt.run_id,
            task_id: receipt.task_id,
            path: artifact.path.clone(),
            checksum: artifact.checksum.clone(),
            size_bytes: file.size,
            truncated,
            content,
        })
    }
}

/// What tells most: what was asked for, then what was changed, then what was said.
fn evidence(artifacts: &[FleetArtifact]) -> Option<&FleetArtifact> {
    let files = artifacts.iter().filter(|it| it.checksum.is_some());
    files.min_by_key(|it| match it.kind.as_str() {
        "log" => 2,
        "patch" => 1,
        _ => 0,
    })
}

impl Handler<FleetReplay> for Arc<Core> {
    async fn handle(
        &self,
        caller: &Caller,
        params: FleetReplayParams,
    ) -> Result<runtime::FleetReplay, Error> {
        self.fleet_named(caller, Right::ReadThread, &params.run_id)?;
        let most = limits::FLEET_REPLAY_MAX;
        let limit = params.limit.unwrap_or(limits::FLEET_REPLAY);
        if !(1..=most).contains(&limit) {
            return Err(Error::Invalid(format!("limit must be 1 to {most}")));
        }
        let after = params.after.as_deref().map(place).transpose()?;
        let stream = StreamId::Run(params.run_id.clone());
        let page = self.store.read_apart(move |reader| {
            let start = match after {
                Some(after) => after,
                None => reader.before_newest(&stream, Seq::ZERO, limit)?,
            };
            // One more, to see whether there is one.
            let count = usize::try_from(limit).unwrap_or(usize::MAX);
            let texts = reader.log_behind(&stream, start, count + 1)?;
            Ok((after.is_none() && start > Seq::ZERO, texts, count))
        });
        let (history_truncated, texts, count) = page.await?;
        let has_more = texts.len() > count;
        let mut last = after;
        let mut events = Vec::new();
        for text in texts.iter().take(count) {
            let event = FleetEvent::read(text).map_err(Error::Unreadable)?;
            if let Some((seq, event)) = event {
                last = Some(seq);
                events.push(event);
            }
        }
        Ok(runtime::FleetReplay {
            run_id: params.run_id,
            events,
            has_more,
            history_truncated,
            next_cursor: last.map(|seq| seq.to_string()),
        })
    }
}

/// The place that a cursor names.
fn place(cursor: &str) -> Result<Seq, Error> {
    let seq = cursor.parse().map(Seq);
    seq.map_err(|_| Error::Invalid("the cursor is not one that an event had".into()))
}
