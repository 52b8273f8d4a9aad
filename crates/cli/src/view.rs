//! `codewhale view-call`: shows one call in a terminal while it runs, and ends as its command does.
//!
//! Editors are asked to start this in theirs. The command itself runs where it always does, inside its
//! walls; this reads the log of the home and writes nothing but what it shows. It has no hands on the
//! signals that end it: whoever stops it learns that it was stopped.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, anyhow};
use codewhale_protocol::frame::Decoder;
use codewhale_protocol::runtime::{
    Event, ItemDelta, ItemId, RuntimeEventEnvelope, StreamId, ThreadId, TurnItemRecord, exit_code,
    untold,
};
use codewhale_protocol::service::Cursor;
use codewhale_store::Store;
use tokio::time::timeout;

use crate::compose;

/// How often it is looked whether somebody still runs the call, when nothing happens.
const LOOK: Duration = Duration::from_secs(1);

/// Looks in a row that find nobody until the view gives up: others on the home, if there are any, have
/// written by then how the call ended.
const LOOKS_MAX: u32 = 3;

/// What is shown when the process that ran the call is gone and nobody wrote its end.
const ORPHANED: &str = "[the program that ran this command has ended]\n";

/// Which call to show.
#[derive(clap::Args)]
pub(crate) struct ViewCall {
    /// The home it is kept in.
    #[arg(long, value_name = "DIR")]
    home: PathBuf,
    /// Its thread.
    #[arg(long, value_name = "ID")]
    thread: String,
    /// Its item.
    #[arg(long, value_name = "ID")]
    item: String,
}

pub(crate) fn run(call: &ViewCall) -> anyhow::Result<ExitCode> {
    let database = call.home.join("runtime.db");
    if !database.is_file() {
        return Err(anyhow!("{} is not there", database.display()));
    }
    let store = compose::store_at(&call.home)?;
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the async runtime could not start")?;
    let (thread, item) = (call.thread.as_str().into(), call.item.as_str().into());
    let view = View {
        store,
        thread,
        item,
        out: io::stdout().lock(),
        told: String::new(),
    };
    tokio.block_on(view.show()).map(ExitCode::from)
}

/// A call as far as it was shown.
struct View<W> {
    store: Store,
    thread: ThreadId,
    item: ItemId,
    out: W,
    told: String,
}

impl<W: Write> View<W> {
    /// Shows the call to its end, and gives the code to end with.
    async fn show(mut self) -> anyhow::Result<u8> {
        let stored = self.store.read(|it| it.item(&self.thread, &self.item))?;
        let stored = stored.ok_or_else(|| anyhow!("there is no such call"))?;
        let stream = StreamId::Thread(self.thread.clone());
        let mut events = self
            .store
            .subscribe(stream, Cursor::after(stored.since_seq))?;
        let mut decoder = Decoder::new();
        let mut orphaned = 0;
        loop {
            let frames = match timeout(LOOK, events.next()).await {
                Ok(frames) => frames?,
                Err(_) if self.is_run()? => {
                    orphaned = 0;
                    continue;
                }
                Err(_) => {
                    orphaned += 1;
                    match orphaned < LOOKS_MAX {
                        true => continue,
                        false => return self.give_up(),
                    }
                }
            };
            decoder.push(&frames.bytes);
            while let Some(frame) = decoder.next_frame()? {
                let envelope: RuntimeEventEnvelope = serde_json::from_str(&frame.data)?;
                if envelope.item_id.as_ref() != Some(&self.item) {
                    continue;
                }
                let shown = self.take(envelope);
                match shown {
                    Ok(Some(code)) => return Ok(code),
                    Ok(None) => {}
                    // Nobody looks any more.
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(1),
                    Err(error) => return Err(error).context("the terminal cannot be written to"),
                }
            }
        }
    }

    /// Shows what happened to the call; its end gives the code.
    fn take(&mut self, envelope: RuntimeEventEnvelope) -> io::Result<Option<u8>> {
        match envelope.decode() {
            Some(Ok(Event::ItemDelta(delta))) => self.print(delta).map(|()| None),
            Some(Ok(
                Event::ItemCompleted(changed)
                | Event::ItemFailed(changed)
                | Event::ItemInterrupted(changed)
                | Event::ItemCanceled(changed),
            )) => self.end(&changed.item).map(Some),
            // What a newer program tells of a call is not for this one.
            Some(Ok(_) | Err(_)) | None => Ok(None),
        }
    }

    fn print(&mut self, delta: ItemDelta) -> io::Result<()> {
        self.told.push_str(&delta.delta);
        self.out.write_all(delta.delta.as_bytes())?;
        self.out.flush()
    }

    /// Shows what was not told by then. The exit code is told by ending with it.
    fn end(&mut self, call: &TurnItemRecord) -> io::Result<u8> {
        let code = exit_code(call);
        let rest = untold(&self.told, call.detail.as_deref().unwrap_or_default());
        let exit = format!("[exit code {code}]");
        let rest = rest.strip_suffix(&exit).unwrap_or(rest).trim_matches('\n');
        if !rest.is_empty() {
            writeln!(self.out, "{}{rest}", self.gap())?;
        }
        self.out.flush()?;
        Ok(code)
    }

    /// What must stand before the next line.
    fn gap(&self) -> &'static str {
        match self.told.is_empty() || self.told.ends_with('\n') {
            true => "",
            false => "\n",
        }
    }

    /// Whether a living process runs a turn of the thread.
    fn is_run(&self) -> anyhow::Result<bool> {
        let lease = self.store.read(|reader| reader.lease(&self.thread))?;
        Ok(lease.owner.is_some_and(|owner| self.store.is_alive(&owner)))
    }

    fn give_up(mut self) -> anyhow::Result<u8> {
        let gap = self.gap();
        // That nobody looks any more does not matter here.
        let _ = write!(self.out, "{gap}{ORPHANED}");
        Ok(1)
    }
}
