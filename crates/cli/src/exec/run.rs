//! The run: starts turns, follows their events, answers what is asked, and stops when told to.
//!
//! ```text
//! prompt ──► turn ──► events ──► news ──► printer
//!              ▲         │
//!   lines ─────┤         └─ questions: yes, no, or whoever sends lines
//!   signals ───┘
//! ```

mod answers;
mod ending;

use std::ops::ControlFlow;

use codewhale_client::Client;
use codewhale_protocol::ErrorBody;
use codewhale_protocol::operations::{AttachmentsAdd, TurnsStart, TurnsSteer};
use codewhale_protocol::runtime::{
    AttachmentsAddParams, Event, InputPart, RuntimeEventEnvelope, ThreadId, TurnsStartParams,
    TurnsSteerParams,
};
use codewhale_protocol::service::Cursor;
use futures_util::StreamExt;

use super::input::{Input, Line};
use super::news::News;
use super::order::Order;
use super::printer::Printed;
use super::progress::Progress;
use super::session::{Session, told};
use crate::signals::Signals;

/// One run from its first prompt to its last word.
pub(super) struct Run<'a> {
    pub(super) client: Client,
    pub(super) order: &'a Order,
    pub(super) input: Input,
    pub(super) signals: Signals,
    pub(super) out: Printed,
}

/// Whether the run goes on.
enum Next {
    On,
    Over,
}

impl Run<'_> {
    /// Runs to the end. The exit code, or why nothing can be said about it.
    pub(super) async fn go(&mut self) -> anyhow::Result<u8> {
        let prompt = match self.first_prompt().await? {
            ControlFlow::Continue(prompt) => prompt,
            ControlFlow::Break(code) => return Ok(code),
        };
        let mut progress = self.begin(prompt).await?;
        loop {
            let next = tokio::select! {
                biased;
                code = self.signals.heard() => self.stop(&mut progress, code).await,
                envelope = progress.events.next() => match envelope {
                    Some(envelope) => self.take(&mut progress, envelope.map_err(told)?).await?,
                    None => anyhow::bail!("the runtime ended before the turn did"),
                },
                line = self.input.next() => self.read(&mut progress, line).await?,
            };
            match self.unread(&mut progress, next).await {
                Next::On => {}
                Next::Over => return Ok(self.end(progress).await),
            }
        }
    }

    /// What comes next where nobody reads any more: the turn stops, then the run.
    async fn unread(&mut self, progress: &mut Progress, next: Next) -> Next {
        if self.out.broken.is_none() {
            return next;
        }
        if progress.active.is_none() {
            return Next::Over;
        }
        if !std::mem::replace(&mut progress.is_unread, true) {
            self.interrupt(progress).await;
        }
        next
    }

    /// The prompt, or the first line that brings one; or the code to end with, when told to.
    async fn first_prompt(&mut self) -> anyhow::Result<ControlFlow<u8, String>> {
        if let Some(prompt) = self.input.prompt.take() {
            return Ok(ControlFlow::Continue(prompt));
        }
        loop {
            let line = tokio::select! {
                biased;
                code = self.signals.heard() => return Ok(ControlFlow::Break(code)),
                line = self.input.next() => line,
            };
            match line {
                None => anyhow::bail!("standard input ended before a user line; nothing was done"),
                Some(Ok(Line::User { content })) if !content.trim().is_empty() => {
                    return Ok(ControlFlow::Continue(content));
                }
                Some(Ok(Line::User { .. })) => self.complain("a user line is blank"),
                Some(Ok(Line::Approval { .. } | Line::Interrupt {})) => {
                    self.complain("no turn runs yet; the first line must be a user line");
                }
                Some(Err(problem)) => self.complain(&problem),
            }
        }
    }

    fn complain(&mut self, problem: &str) {
        self.out.news(&News::Error(problem.to_owned()));
    }

    /// Opens the session and starts the first turn. Where that fails, nothing is left behind.
    async fn begin(&mut self, prompt: String) -> anyhow::Result<Progress> {
        let session = Session::open(&self.client, self.order).await?;
        let thread = session.thread.id.clone();
        let cursor = Cursor::after(session.latest_seq);
        let events = self.client.follow(thread.clone(), cursor).await;
        let mut progress = Progress::new(session, events.map_err(told)?);
        if progress.session.is_resumed() {
            eprintln!("resumed session: {}", progress.session.thread.id);
        }
        if let Err(error) = self.start(&mut progress, prompt).await {
            progress.session.abandon(&self.client).await;
            return Err(told(error));
        }
        Ok(progress)
    }

    async fn start(&mut self, progress: &mut Progress, prompt: String) -> Result<(), ErrorBody> {
        let is_first = progress.ended.is_none();
        let attached = match is_first {
            true => self.attach(&progress.session.thread.id).await?,
            false => Vec::new(),
        };
        let params = TurnsStartParams {
            thread_id: progress.session.thread.id.clone(),
            prompt: prompt.clone(),
            input: Some(attached),
            overrides: self.order.overrides(progress.session.is_resumed()),
        };
        let started = match &self.order.authority {
            Some(authority) if is_first => {
                let key = format!("fleet/{}/turn", authority.dedupe_key());
                self.client.call_once::<TurnsStart>(&key, params).await?
            }
            Some(_) | None => self.client.call::<TurnsStart>(params).await?,
        };
        let (thread, turn) = (started.thread.id, started.turn.id);
        progress.active = Some(turn.clone());
        progress.prompt = prompt;
        progress.output.clear();
        progress.is_new_message = true;
        self.out.news(&News::Begun { thread, turn });
        Ok(())
    }

    /// Gives the thread what goes with the first prompt.
    async fn attach(&self, thread: &ThreadId) -> Result<Vec<InputPart>, ErrorBody> {
        let mut parts = Vec::new();
        for data in &self.order.attached {
            let params = AttachmentsAddParams {
                thread_id: thread.clone(),
                data: data.clone(),
            };
            let attached = self.client.call::<AttachmentsAdd>(params).await?;
            parts.push(InputPart::attached(attached.media_type.kind(), attached.id));
        }
        Ok(parts)
    }

    /// Takes an event of the thread.
    async fn take(
        &mut self,
        progress: &mut Progress,
        envelope: RuntimeEventEnvelope,
    ) -> anyhow::Result<Next> {
        let Some(event) = envelope.decode() else {
            return Ok(Next::On);
        };
        match event? {
            Event::ApprovalRequired(asked) => self.answer(progress, asked).await,
            Event::ApprovalDecided(decided) => progress.settled(&decided),
            Event::TurnCompleted(completed)
                if Some(&completed.turn.id) == progress.active.as_ref() =>
            {
                return Ok(self.turn_ended(progress, completed.turn).await);
            }
            event => {
                let is_ours = envelope.turn_id.is_none() || envelope.turn_id == progress.active;
                let news = match is_ours {
                    true => progress.ear.hear(event, &envelope),
                    false => Vec::new(),
                };
                for news in news {
                    progress.note(&news);
                    self.out.news(&news);
                }
            }
        }
        Ok(Next::On)
    }

    /// Takes a line of input, or that there is no more.
    async fn read(
        &mut self,
        progress: &mut Progress,
        line: Option<Result<Line, String>>,
    ) -> anyhow::Result<Next> {
        let Some(line) = line else {
            // Nobody says more. What runs may end.
            self.input.lines = None;
            return Ok(match progress.active {
                Some(_) => Next::On,
                None => Next::Over,
            });
        };
        let done = match line {
            Err(problem) => Err(problem),
            Ok(Line::User { content }) => self.say(progress, content).await,
            Ok(Line::Approval { id, decision }) => self.decide(&id, decision, None).await,
            Ok(Line::Interrupt {}) if progress.active.is_some() => {
                self.interrupt(progress).await;
                Ok(())
            }
            Ok(Line::Interrupt {}) => Err("no turn runs".to_owned()),
        };
        if let Err(problem) = done {
            self.complain(&problem);
        }
        Ok(Next::On)
    }

    /// Adds to the turn that runs, or starts another.
    async fn say(&mut self, progress: &mut Progress, content: String) -> Result<(), String> {
        if let Some(turn_id) = progress.active.clone() {
            let params = TurnsSteerParams {
                thread_id: progress.session.thread.id.clone(),
                turn_id,
                prompt: content,
            };
            let steered = self.client.call::<TurnsSteer>(params).await;
            return steered.map(drop).map_err(|error| error.message);
        }
        let started = self.start(progress, content).await;
        started.map_err(|error| error.message)
    }
}
