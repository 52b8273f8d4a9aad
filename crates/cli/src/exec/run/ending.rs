//! Endings: of a turn, of the run, and of both because someone said so.

use std::io;

use codewhale_protocol::ErrorCode;
use codewhale_protocol::operations::{ThreadsGet, TurnsInterrupt};
use codewhale_protocol::runtime::{TurnRecord, TurnStatus, TurnsInterruptParams};

use super::super::exit::{Ending, PIPE_CLOSED};
use super::super::news::News;
use super::super::progress::Progress;
use super::super::receipt::Receipt;
use super::super::session::of;
use super::{Next, Run};

impl Run<'_> {
    pub(super) async fn turn_ended(&mut self, progress: &mut Progress, turn: TurnRecord) -> Next {
        progress.active = None;
        progress.duration_ms += turn.duration_ms.unwrap_or_default();
        if let Some(usage) = turn.usage {
            progress.usage.get_or_insert_default().add(usage);
        }
        let (status, id) = (turn.status, turn.id.clone());
        progress.ended = Some(turn);
        let is_watched = progress.stopped.is_none() && self.out.broken.is_none();
        if status == TurnStatus::Completed && is_watched && self.repair(progress).await {
            return Next::On;
        }
        if self.order.is_attended {
            let status = status.as_str();
            self.out.news(&News::TurnEnded { turn: id, status });
        }
        match self.input.lines.is_some() && is_watched {
            true => Next::On,
            false => Next::Over,
        }
    }

    /// Asks once more for an answer that does not fit. False when there is nothing more to do.
    async fn repair(&mut self, progress: &mut Progress) -> bool {
        let schema = self.order.schema.as_ref();
        progress.unfit = schema.and_then(|schema| schema.problem_with(&progress.output));
        let Some(problem) = &progress.unfit else {
            return false;
        };
        if std::mem::replace(&mut progress.is_repaired, true) {
            return false;
        }
        let (asked, prompt) = (progress.prompt.clone(), again(problem));
        match self.start(progress, prompt).await {
            Ok(()) => {
                progress.prompt = asked;
                true
            }
            Err(error) => {
                self.complain(&error.message);
                false
            }
        }
    }

    /// Someone told the program to end. The second time counts at once.
    pub(super) async fn stop(&mut self, progress: &mut Progress, code: u8) -> Next {
        if progress.stopped.replace(code).is_some() {
            std::process::exit(i32::from(code));
        }
        match progress.active {
            Some(_) => {
                self.interrupt(progress).await;
                Next::On
            }
            None => Next::Over,
        }
    }

    pub(super) async fn interrupt(&self, progress: &Progress) {
        let Some(turn_id) = progress.active.clone() else {
            return;
        };
        let params = TurnsInterruptParams {
            thread_id: progress.session.thread.id.clone(),
            turn_id,
        };
        // It may have ended by itself meanwhile, which its event tells.
        match self.client.call::<TurnsInterrupt>(params).await {
            Ok(_) => {}
            Err(error) if error.code == ErrorCode::Conflict => {}
            Err(error) => eprintln!("error: {}", error.message),
        }
    }

    /// Sums up.
    pub(super) async fn end(&mut self, progress: Progress) -> u8 {
        let Some(turn) = progress.ended else {
            return progress.stopped.unwrap_or(1);
        };
        let ending = Ending::of(&turn, progress.refused, progress.tool_failed);
        let ending = match &progress.unfit {
            Some(why) if turn.status == TurnStatus::Completed => ending.unfit(why),
            Some(_) | None => ending,
        };
        let code = progress.stopped.unwrap_or(ending.code);
        let thread = progress.session.thread.id;
        let detail = self.client.call::<ThreadsGet>(of(&thread)).await.ok();
        let receipt = Receipt {
            thread,
            turn,
            ending: Ending { code, ..ending },
            prompt: progress.prompt,
            output: progress.output,
            usage: progress.usage,
            duration_ms: progress.duration_ms,
            posture: self.order.posture(),
            detail,
            is_told: progress.error_told,
        };
        self.out.tell(|printer| printer.end(&receipt));
        match &self.out.broken {
            None => code,
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => PIPE_CLOSED,
            Some(error) => {
                eprintln!("error: standard output cannot be written: {error}");
                1
            }
        }
    }
}

/// What an agent is told whose answer does not fit.
fn again(problem: &str) -> String {
    format!(
        "Your answer does not fit the schema: {problem}. Answer again with nothing but one JSON value that fits it."
    )
}
