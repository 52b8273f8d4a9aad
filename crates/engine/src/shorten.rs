//! The part of a turn that shortens its conversation.

use codewhale_model::{ErrorKind, Request};
use codewhale_protocol::runtime::FailureClass;

use crate::compaction::{self, Gauge, Occasion, bytes_of, replacement, to_summarize};
use crate::{Closing, Compacted, Failure, Note, Opening, Purpose, Turn, TurnEnd, limits};

impl Turn<'_> {
    pub(crate) async fn shorten_on_request(&mut self) -> Result<(), TurnEnd> {
        if self.conversation.len() < 2 {
            let short = "There is nothing to shorten: the conversation has hardly begun.";
            self.host.note(Note::Status(short.to_owned()));
            return Ok(());
        }
        let mut gauge = self.gauge();
        self.shorten(&mut gauge, 1, Occasion::Asked).await
    }

    /// Shortens the conversation when it fills the window. Where that makes no room, the turn ends.
    pub(crate) async fn make_room(&mut self, gauge: &mut Gauge, step: u32) -> Result<(), TurnEnd> {
        // A lone message cannot be told more shortly than it is.
        if self.conversation.len() < 2 || !gauge.is_crowded(&self.prefix, &self.conversation) {
            return Ok(());
        }
        self.shorten(gauge, step, Occasion::Crowded).await
    }

    pub(crate) async fn shorten(
        &mut self,
        gauge: &mut Gauge,
        step: u32,
        occasion: Occasion,
    ) -> Result<(), TurnEnd> {
        let auto = occasion == Occasion::Crowded;
        let item = self.host.open(Opening::Compaction { auto, step });
        let summary = self.summarize(gauge).await;
        let summary = match summary {
            Ok(summary) => summary,
            Err(end) => {
                if let TurnEnd::Failed(failure) = &end {
                    let closing = Closing::Abandoned(failure.message.clone());
                    self.host.close(item, closing);
                }
                return Err(end);
            }
        };
        let (text, attachments) = replacement(&summary, &self.conversation, occasion);
        let shorter = vec![self.user(&text, attachments.clone())];
        let prefix = self.renewed();
        gauge.forget();
        let is_shorter = bytes_of(&shorter) < bytes_of(&self.conversation);
        if !is_shorter || gauge.is_crowded(&prefix, &shorter) {
            let message = occasion.in_vain();
            self.host
                .close(item, Closing::Abandoned(message.to_owned()));
            return Err(TurnEnd::Failed(Failure::new(FailureClass::Limit, message)));
        }
        let messages_before = self.conversation.len();
        self.conversation = shorter;
        // What was told of changes is gone with the conversation, so they stand before it now.
        self.prefix = prefix;
        let compacted = Compacted {
            text,
            attachments,
            messages_before,
            messages_after: 1,
        };
        self.host.close(item, Closing::Compacted(compacted));
        Ok(())
    }

    /// The model's own summary of the conversation, tried again as the policy allows.
    async fn summarize(&mut self, gauge: &mut Gauge) -> Result<String, TurnEnd> {
        let mut bytes_max = gauge.bytes_max();
        let mut messages = to_summarize(&self.conversation, bytes_max);
        let (mut failed, mut halved) = (0, 0);
        loop {
            let route = self.chain.now();
            let media = self.media.shown(route.senses, &messages);
            let request = Request {
                model: &route.model,
                system: &self.prefix.system,
                messages: &messages,
                tools: &self.prefix.tools,
                effort: self.effort,
                media: &media,
            };
            self.host.note(Note::Dispatched);
            let asked = async { compaction::read(route.client.stream(request).await?).await };
            let answer = tokio::select! {
                biased;
                () = self.context.cancel.cancelled() => return Err(TurnEnd::Interrupted),
                answer = asked => answer,
            };
            let error = match answer {
                Ok((summary, usage)) => {
                    if let Some(usage) = usage {
                        self.host.note(Note::Usage(usage, Purpose::Compaction));
                    }
                    return Ok(summary);
                }
                // What does not fit cannot be asked about as a whole either.
                Err(error)
                    if error.kind == ErrorKind::ContextOverflow
                        && halved < limits::SUMMARY_HALVINGS_MAX =>
                {
                    halved += 1;
                    bytes_max = bytes_max.min(bytes_of(&self.conversation)) / 2;
                    messages = to_summarize(&self.conversation, bytes_max);
                    continue;
                }
                Err(error) => error,
            };
            if self.looks_away(&media, &error) {
                continue;
            }
            failed += 1;
            if let Some(wait) = self.retry.wait(failed, &error) {
                self.wait_for_retry(wait, failed, &error).await?;
                continue;
            }
            let Some(next) = self.chain.next(&error, self.host) else {
                return Err(TurnEnd::Failed(Failure::from(&error)));
            };
            self.chain.switch(next, &error, self.host);
            *gauge = self.gauge();
            bytes_max = gauge.bytes_max();
            messages = to_summarize(&self.conversation, bytes_max);
            (failed, halved) = (0, 0);
        }
    }
}
