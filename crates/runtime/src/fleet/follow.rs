//! Following a run: the stream of the log, in the words of fleets.

use bytes::Bytes;
use codewhale_protocol::frame::{Decoder, Frames, write_event};
use codewhale_protocol::operations::Right;
use codewhale_protocol::runtime::{FleetEvent, FleetRunId, StreamId};
use codewhale_protocol::service::Cursor;
use codewhale_protocol::{Caller, ErrorBody, EventStream};
use codewhale_store::Subscription;

use crate::Error;
use crate::runtime::Core;

impl Core {
    /// Follows a run, when the caller may.
    pub(crate) fn follow_fleet(
        &self,
        caller: &Caller,
        run: FleetRunId,
        cursor: Cursor,
    ) -> Result<EventStream, Error> {
        self.fleet_named(caller, Right::ReadThread, &run)?;
        let subscription = self.store.subscribe(StreamId::Run(run), cursor)?;
        Ok(Box::pin(futures_util::stream::unfold(
            Some(subscription),
            |subscription| async {
                let mut subscription = subscription?;
                match next(&mut subscription).await {
                    Ok(frames) => Some((Ok(frames), Some(subscription))),
                    Err(error) => Some((Err(ErrorBody::from(error)), None)),
                }
            },
        )))
    }
}

/// The next frames that have something to tell.
async fn next(subscription: &mut Subscription) -> Result<Frames, Error> {
    loop {
        let frames = subscription.next().await?;
        let told = translate(&frames).map_err(Error::Unreadable)?;
        if !told.bytes.is_empty() {
            return Ok(told);
        }
    }
}

/// The same frames in the words of fleets. Events this version does not know are passed over.
fn translate(frames: &Frames) -> Result<Frames, serde_json::Error> {
    let mut decoder = Decoder::new();
    decoder.push(&frames.bytes);
    let mut text = String::new();
    while let Ok(Some(frame)) = decoder.next_frame() {
        if let Some((seq, event)) = FleetEvent::read(&frame.data)? {
            let data = serde_json::to_string(&event)?;
            write_event(&mut text, seq, &event.event, &data);
        }
    }
    Ok(Frames {
        bytes: Bytes::from(text),
        last: frames.last,
    })
}
