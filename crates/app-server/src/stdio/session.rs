//! One client from its first line to its last: what is read is answered, and the end is orderly.

use std::collections::HashMap;
use std::sync::Arc;

use codewhale_protocol::lines::Lines;
use codewhale_protocol::operations::TurnsInterrupt;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, BufReader};
use tokio::task::{Id as TaskId, JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::answer::{answer, idle_interrupt, interrupted};
use super::desk::Desk;
use super::limits::{FINISH, LINE_BYTES_MAX, REQUESTS_RUNNING_MAX, REQUESTS_WAITING_MAX, STOP};
use super::lines;
use super::live::Stop;
use super::methods::{Method, ThreadMethod};
use super::queue::{Pace, Place, Queue, Spot};
use super::rpc::{self, FAILED, Fault, Id, Request};

/// How far the end is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Lines are read.
    Reading,
    /// Nothing is read any more; what was asked is finished until then.
    Finishing(Instant),
    /// Turns were told to stop, and have until then.
    Stopping(Instant),
}

/// Something to be answered.
enum Work {
    Answer(Request, Method),
    /// It was read badly; this is the answer.
    Say(String),
}

/// Something that is being answered.
struct Running {
    id: Option<Id>,
    spot: Spot,
}

pub(super) struct Session {
    desk: Arc<Desk>,
    queue: Queue<Work>,
    jobs: JoinSet<()>,
    running: HashMap<TaskId, Running>,
    phase: Phase,
    /// The request for the end, which is answered last.
    farewell: Option<Id>,
}

impl Session {
    pub(super) fn new(desk: Arc<Desk>) -> Self {
        Self {
            desk,
            queue: Queue::new(),
            jobs: JoinSet::new(),
            running: HashMap::new(),
            phase: Phase::Reading,
            farewell: None,
        }
    }

    /// Serves until the client, `stop` or the loss of the client ends it.
    pub(super) async fn run(
        mut self,
        input: impl AsyncRead + Unpin,
        stop: CancellationToken,
        gone: CancellationToken,
    ) {
        let mut input = BufReader::new(input);
        let mut lines = Lines::new(LINE_BYTES_MAX);
        loop {
            self.begin_what_can();
            if self.phase != Phase::Reading && self.jobs.is_empty() {
                break;
            }
            let is_reading = self.phase == Phase::Reading;
            let is_stopping = matches!(self.phase, Phase::Stopping(_));
            tokio::select! {
                biased;
                () = stop.cancelled(), if !is_stopping => self.stop(),
                () = gone.cancelled(), if is_reading => self.finish(),
                () = deadline(self.phase), if !is_reading => {
                    if is_stopping {
                        break;
                    }
                    tracing::warn!("what was asked took too long after the end of input; turns are stopped");
                    self.stop();
                }
                Some(ended) = self.jobs.join_next_with_id() => self.ended(ended).await,
                line = lines::next(&mut input, &mut lines), if is_reading => match line {
                    Ok(Some(line)) => match rpc::read(&line) {
                        None => {}
                        Some(Ok(request)) => self.take(request).await,
                        Some(Err(reply)) => self.push(Place::IN_LINE, Work::Say(reply)).await,
                    },
                    Ok(None) => self.finish(),
                    Err(error) => {
                        tracing::warn!(%error, "the input broke off");
                        self.finish();
                    }
                },
            }
        }
        self.leave().await;
    }

    fn finish(&mut self) {
        self.phase = Phase::Finishing(Instant::now() + FINISH);
    }

    /// Tells every turn to stop. What waits is still answered; turns that wait do not begin.
    fn stop(&mut self) {
        self.phase = Phase::Stopping(Instant::now() + STOP);
        self.desk.closing.cancel();
        for (thread, turn) in self.desk.live.stop_all() {
            self.tell_stop(thread, turn.as_str());
        }
    }

    /// Takes a request in.
    async fn take(&mut self, request: Request) {
        let Some(method) = Method::named(&request.method) else {
            let message = format!("unsupported method: {}", request.method);
            let fault = Fault::new(rpc::UNKNOWN_METHOD, message);
            if let Some(id) = request.id {
                let reply = rpc::failed(Some(&id), &fault);
                self.push(Place::IN_LINE, Work::Say(reply)).await;
            }
            return;
        };
        if method == Method::Shutdown {
            self.farewell = request.id;
            return self.stop();
        }
        let place = place(&request, method);
        let is_behind = place
            .thread
            .as_deref()
            .is_some_and(|thread| self.queue.is_in_line(thread));
        match place.pace {
            Pace::Urgent if !is_behind => self.begin_beside(request, method).await,
            Pace::Urgent | Pace::Quick | Pace::Turn => {
                self.push(place, Work::Answer(request, method)).await;
            }
        }
    }

    async fn push(&mut self, place: Place, work: Work) {
        if self.queue.len() < REQUESTS_WAITING_MAX {
            return self.queue.push(place, work);
        }
        let too_many = format!("{REQUESTS_WAITING_MAX} requests wait already; send it again later");
        match work {
            Work::Answer(request, _) => self.refuse(request.id, too_many).await,
            Work::Say(reply) => self.desk.out.say(reply).await,
        }
    }

    async fn begin_beside(&mut self, request: Request, method: Method) {
        match self.jobs.len() < REQUESTS_RUNNING_MAX {
            true => self.begin(Spot::Beside, Work::Answer(request, method)),
            false => {
                let too_many = format!(
                    "{REQUESTS_RUNNING_MAX} requests are being answered; send it again later"
                );
                self.refuse(request.id, too_many).await;
            }
        }
    }

    async fn refuse(&self, id: Option<Id>, why: String) {
        if let Some(id) = id {
            let fault = Fault::new(FAILED, why);
            self.desk.out.say(rpc::failed(Some(&id), &fault)).await;
        }
    }

    fn begin_what_can(&mut self) {
        while let Some((spot, work)) = self.queue.next() {
            self.begin(spot, work);
        }
    }

    fn begin(&mut self, spot: Spot, work: Work) {
        let desk = Arc::clone(&self.desk);
        let (request, method) = match work {
            Work::Say(reply) => {
                let saying = async move { desk.out.say(reply).await };
                return self.spawn(None, spot, saying);
            }
            Work::Answer(request, method) => (request, method),
        };
        if method == Method::Interrupt {
            return self.interrupt(spot, request);
        }
        let place = place(&request, method);
        if let (Pace::Turn, Some(thread)) = (place.pace, &place.thread) {
            desk.live.begin(thread);
        }
        let id = request.id.clone();
        self.spawn(id, spot, answer(desk, request, method));
    }

    /// Stops a turn. Who asked for it hears of it behind the turn.
    fn interrupt(&mut self, spot: Spot, request: Request) {
        let desk = Arc::clone(&self.desk);
        let thread = place(&request, Method::Interrupt).thread;
        let Some(thread) = thread else {
            let reply = request.id.map(|id| {
                let fault = Fault::params("missing field `thread_id`");
                rpc::failed(Some(&id), &fault)
            });
            let saying = async move {
                if let Some(reply) = reply {
                    desk.out.say(reply).await;
                }
            };
            return self.spawn(None, spot, saying);
        };
        match desk.live.stop(&thread, request.id) {
            Ok(Stop::Tell(turn)) => self.tell_stop(thread, turn.as_str()),
            Ok(Stop::Noted) => {}
            Err(id) => self.spawn(id.clone(), spot, idle_interrupt(desk, thread, id)),
        }
    }

    fn tell_stop(&mut self, thread: String, turn: &str) {
        let desk = Arc::clone(&self.desk);
        let params = json!({ "thread_id": thread, "turn_id": turn });
        // One that has ended by itself in the meantime needs no stop.
        self.spawn(None, Spot::Beside, async move {
            if let Err(error) = desk.call::<TurnsInterrupt>(params).await {
                tracing::debug!(%error, "a turn could not be told to stop");
            }
        });
    }

    fn spawn(
        &mut self,
        id: Option<Id>,
        spot: Spot,
        job: impl Future<Output = ()> + Send + 'static,
    ) {
        let task = self.jobs.spawn(job).id();
        self.running.insert(task, Running { id, spot });
    }

    async fn ended(&mut self, ended: Result<(TaskId, ()), JoinError>) {
        let (task, is_lost) = match ended {
            Ok((task, ())) => (task, false),
            Err(error) => (error.id(), true),
        };
        let Some(running) = self.running.remove(&task) else {
            return;
        };
        if is_lost {
            let why = "a fault of ours ended this request; the log on standard error tells more";
            self.refuse(running.id.clone(), why.to_owned()).await;
        }
        self.forget_turn(&running.spot).await;
        if let Some(next) = self.queue.done(&running.spot) {
            self.begin(running.spot, next);
        }
    }

    /// Tells those who wanted a turn to stop that it is not there, when it has not told them itself.
    async fn forget_turn(&self, spot: &Spot) {
        if let Spot::Lane(thread) = spot {
            for id in self.desk.live.end(thread).into_iter().flatten() {
                let told = interrupted(thread, false);
                self.desk.out.say(rpc::result(&id, &told)).await;
            }
        }
    }

    /// The last lines.
    async fn leave(mut self) {
        self.jobs.abort_all();
        let left: Vec<Running> = self.running.drain().map(|(_, it)| it).collect();
        for running in left {
            let why = "the server stopped before this was answered";
            self.refuse(running.id, why.to_owned()).await;
            self.forget_turn(&running.spot).await;
        }
        if let Some(id) = self.farewell {
            let stopped = json!({ "ok": true, "status": "stopped" });
            self.desk.out.say(rpc::result(&id, &stopped)).await;
        }
    }
}

async fn deadline(phase: Phase) {
    match phase {
        Phase::Reading => std::future::pending().await,
        Phase::Finishing(until) | Phase::Stopping(until) => sleep_until(until).await,
    }
}

/// How a request stands to others.
fn place(request: &Request, method: Method) -> Place {
    let text = |name: &str| {
        let params = request.params.as_ref()?;
        params.get(name).and_then(Value::as_str)
    };
    let pace = match method {
        Method::Thread(ThreadMethod::Message) | Method::Prompt => Pace::Turn,
        Method::ThreadRequest if text("kind") == Some("message") => Pace::Turn,
        Method::AppRequest if text("kind") == Some("submit_user_input") => Pace::Urgent,
        Method::Interrupt
        | Method::Approve
        | Method::Steer
        | Method::Answer
        | Method::Operation(_) => Pace::Urgent,
        Method::Healthz
        | Method::Capabilities
        | Method::ThreadCapabilities
        | Method::Thread(_)
        | Method::ThreadRequest
        | Method::App(_)
        | Method::AppRequest
        | Method::PromptCapabilities
        | Method::Shutdown => Pace::Quick,
    };
    Place {
        thread: text("thread_id").map(str::to_owned),
        pace,
    }
}
