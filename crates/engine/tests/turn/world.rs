//! A model, two tools and a host that do as they are told and remember what happened.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use codewhale_engine::{
    Answer, Chain, Closing, Compacted, Hooks, Host, Note, Opening, Outcome, Prefix, Question,
    RetryPolicy, TextKind, Turn, Unsettled, offered, run,
};
use codewhale_model::catalogue::Dialect;
use codewhale_model::{
    Chunk, ChunkStream, Error, ErrorKind, FinishReason, Media, Medium, Message, Model, Request,
    Route, RouteError, Senses, ToolCall,
};
use codewhale_policy::{Authority, Demand, Law};
use codewhale_protocol::runtime::{
    Attached, AttachmentId, ItemId, ItemKind, MediaType, Permission, Usage,
};
use codewhale_protocol::service::BoxFuture;
use codewhale_tools::{Context, Output, Prepared, Preview, Registry, Spec, Tool};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// One step of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Text(&'static str),
    Reasoning(&'static str),
    Call(ToolCall),
    Usage(u64),
    Finish(FinishReason),
    Fail(ErrorKind),
    Silence,
}

pub(crate) fn says(text: &'static str) -> Vec<Piece> {
    vec![Piece::Text(text)]
}

pub(crate) fn wants(calls: &[(&str, &str, &str)]) -> Vec<Piece> {
    let call = |(id, name, arguments): &(&str, &str, &str)| {
        let (id, name, arguments) = (
            (*id).to_owned(),
            (*name).to_owned(),
            (*arguments).to_owned(),
        );
        Piece::Call(ToolCall {
            id,
            name,
            arguments,
        })
    };
    calls.iter().map(call).collect()
}

#[derive(Default)]
struct State {
    script: VecDeque<Result<Vec<Piece>, ErrorKind>>,
    requests: Vec<Vec<Message>>,
    systems: Vec<String>,
    offered: Vec<Vec<String>>,
    told: Vec<String>,
    questions: Vec<Question>,
    answer: Option<Answer>,
    unsettled: bool,
    input: Vec<String>,
    input_after: Option<(usize, String)>,
    spent_after: Option<usize>,
    steps_max: Option<u32>,
    calls_max: Option<usize>,
    input_at_close: Option<String>,
    authority: Option<Authority>,
    authority_at: Option<(usize, Authority)>,
    stop_at: Option<String>,
    stop_next_call: bool,
    tool_log: Vec<String>,
    hooks: Option<Hooks>,
    fallbacks: Vec<Result<Route, RouteError>>,
    asked: Vec<String>,
    media: Media,
    shown: Vec<Vec<AttachmentId>>,
}

#[derive(Clone)]
pub(crate) struct World {
    state: Arc<Mutex<State>>,
    cancel: CancellationToken,
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            state: Arc::default(),
            cancel: CancellationToken::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(crate) fn model(&self, pieces: Vec<Piece>) {
        self.state().script.push_back(Ok(pieces));
    }

    pub(crate) fn fails(&self, kind: ErrorKind) {
        self.state().script.push_back(Err(kind));
    }

    pub(crate) fn answer(&self, answer: Answer) {
        self.state().answer = Some(answer);
    }

    pub(crate) fn fail_to_settle(&self) {
        self.state().unsettled = true;
    }

    pub(crate) fn authority(&self, authority: Authority) {
        self.state().authority = Some(authority);
    }

    /// Gives another authority while a request is answered.
    pub(crate) fn authority_at(&self, request: usize, authority: Authority) {
        self.state().authority_at = Some((request, authority));
    }

    pub(crate) fn bound_steps(&self, steps: u32) {
        self.state().steps_max = Some(steps);
    }

    pub(crate) fn bound_calls(&self, calls: usize) {
        self.state().calls_max = Some(calls);
    }

    pub(crate) fn spend_all_after(&self, requests: usize) {
        self.state().spent_after = Some(requests);
    }

    pub(crate) fn add_input_after(&self, requests: usize, text: &str) {
        self.state().input_after = Some((requests, text.to_owned()));
    }

    pub(crate) fn add_input_at_close(&self, text: &str) {
        self.state().input_at_close = Some(text.to_owned());
    }

    pub(crate) fn hooks(&self, hooks: Hooks) {
        self.state().hooks = Some(hooks);
    }

    /// Stops the turn.
    pub(crate) fn stop(&self) {
        self.cancel.cancel();
    }

    /// Stops the turn when this is told.
    pub(crate) fn stop_at(&self, what: &str) {
        self.state().stop_at = Some(what.to_owned());
    }

    /// Has a person stop the next call that runs.
    pub(crate) fn stop_next_call(&self) {
        self.state().stop_next_call = true;
    }

    /// Declares another model that stands in.
    pub(crate) fn stands_in(&self, model: &str) {
        let route = self.route(model);
        self.state().fallbacks.push(Ok(route));
    }

    /// Declares one that cannot be used.
    pub(crate) fn stands_in_without_key(&self, provider: &str) {
        let (provider, hint) = (provider.to_owned(), "set KEY".to_owned());
        let problem = RouteError::MissingKey { provider, hint };
        self.state().fallbacks.push(Err(problem));
    }

    /// Attaches pictures to the prompt.
    pub(crate) fn attach(&self, ids: &[&str]) {
        let picture = |id: &&str| {
            let medium = Medium {
                form: MediaType::Png,
                data: "AAAA".to_owned(),
            };
            (AttachmentId::from(*id), medium)
        };
        self.state().media = ids.iter().map(picture).collect();
    }

    /// Which pictures each request showed.
    pub(crate) fn shown(&self) -> Vec<Vec<AttachmentId>> {
        self.state().shown.clone()
    }

    /// Which model each request went to.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.state().asked.clone()
    }

    fn route(&self, model: &str) -> Route {
        Route {
            senses: Senses::of(model, Dialect::Chat),
            ..Route::to("p", model, Arc::new(self.clone()))
        }
    }

    pub(crate) async fn run(&self, prompt: &str) -> Outcome {
        let route = self.route("m");
        let fallbacks = self.state().fallbacks.clone();
        let tool = |name, demand| -> Arc<dyn Tool> { Arc::new(Recorder::new(self, name, demand)) };
        let tools = Registry::new([
            tool("note", Demand::read("/file".into(), true)),
            tool("write", Demand::write("/file".into(), true)),
        ]);
        let hooks = self.state().hooks.clone();
        let steps_max = self.state().steps_max;
        let media = self.state().media.clone();
        run(Turn {
            chain: Chain::new(route, fallbacks),
            effort: codewhale_model::Effort::Auto,
            prefix: Prefix {
                system: "old".into(),
                tools: offered(&tools, &Host::authority(self)),
            },
            renewed_system: "new".into(),
            meta: None,
            conversation: vec![Message::User {
                text: prompt.to_owned(),
                attachments: media.ids().cloned().collect(),
            }],
            media,
            tools: &tools,
            context: Context::new("/", Arc::from([]), self.cancel.clone()),
            steps_max,
            retry: RetryPolicy::default(),
            hooks: hooks.as_ref(),
            host: self,
        })
        .await
    }

    pub(crate) fn told(&self) -> Vec<String> {
        self.state().told.clone()
    }

    pub(crate) fn statuses(&self) -> Vec<String> {
        let told = self.told();
        told.iter()
            .filter_map(|line| line.strip_prefix("status ").map(str::to_owned))
            .collect()
    }

    pub(crate) fn requests(&self) -> Vec<Vec<Message>> {
        self.state().requests.clone()
    }

    /// The instructions of each request.
    pub(crate) fn systems(&self) -> Vec<String> {
        self.state().systems.clone()
    }

    /// The tools of each request.
    pub(crate) fn offered(&self) -> Vec<Vec<String>> {
        self.state().offered.clone()
    }

    pub(crate) fn questions(&self) -> Vec<Question> {
        self.state().questions.clone()
    }

    pub(crate) fn tool_log(&self) -> Vec<String> {
        self.state().tool_log.clone()
    }

    /// What the model was told about its calls.
    pub(crate) fn results(&self) -> Vec<String> {
        let requests = self.requests();
        let last = requests.last().unwrap();
        let output = |message: &Message| match message {
            Message::Tool { output, .. } => Some(output.clone()),
            _ => None,
        };
        last.iter().filter_map(output).collect()
    }

    fn tell(&self, line: String) {
        let stop = self
            .state()
            .stop_at
            .as_ref()
            .is_some_and(|at| line.starts_with(at.as_str()));
        self.state().told.push(line);
        if stop {
            self.cancel.cancel();
        }
    }
}

impl Model for World {
    fn stream<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Result<ChunkStream, Error>> {
        let mut state = self.state();
        state.requests.push(request.messages.to_vec());
        state.systems.push(request.system.to_owned());
        state.asked.push(request.model.to_owned());
        state.shown.push(request.media.ids().cloned().collect());
        if let Some((at, authority)) = state.authority_at
            && at == state.requests.len()
        {
            state.authority = Some(authority);
        }
        let offered = request.tools.iter().map(|tool| tool.name.clone());
        state.offered.push(offered.collect());
        if let Some((after, text)) = state.input_after.clone()
            && after == state.requests.len()
        {
            state.input.push(text);
        }
        let answer = state.script.pop_front().unwrap_or(Ok(says("done")));
        Box::pin(async move {
            let mut pieces = answer.map_err(|kind| Error::new(kind, "no luck"))?;
            let called = pieces.iter().any(|piece| matches!(piece, Piece::Call(_)));
            if !pieces.iter().any(|piece| matches!(piece, Piece::Finish(_))) {
                let reason = if called {
                    FinishReason::ToolCalls
                } else {
                    FinishReason::Stop
                };
                pieces.push(Piece::Finish(reason));
            }
            let stream: ChunkStream = Box::pin(futures_util::stream::iter(pieces).then(chunk));
            Ok(stream)
        })
    }
}

async fn chunk(piece: Piece) -> Result<Chunk, Error> {
    Ok(match piece {
        Piece::Text(text) => Chunk::Text(text.to_owned()),
        Piece::Reasoning(text) => Chunk::Reasoning(text.to_owned()),
        Piece::Call(call) => Chunk::Call(call),
        Piece::Usage(input_tokens) => Chunk::Usage(Usage {
            input_tokens,
            ..Usage::default()
        }),
        Piece::Finish(reason) => Chunk::Finished(reason),
        Piece::Fail(kind) => return Err(Error::new(kind, "no luck")),
        Piece::Silence => std::future::pending().await,
    })
}

impl Host for World {
    fn open(&self, opening: Opening) -> ItemId {
        self.tell(match opening {
            Opening::Text {
                kind: TextKind::Message,
                step,
            } => format!("open message {step}"),
            Opening::Text {
                kind: TextKind::Reasoning,
                step,
            } => format!("open reasoning {step}"),
            Opening::Compaction { auto, step } => format!("open compaction {auto} {step}"),
            Opening::Tool { call, step, .. } => format!("open {} {step}", call.name),
        });
        ItemId::from("item_1")
    }

    fn text<'a>(&'a self, _: &'a ItemId, text: &'a str) -> Option<BoxFuture<'a, ()>> {
        self.tell(format!("text {text}"));
        None
    }

    fn close(&self, _: ItemId, closing: Closing) {
        self.tell(match closing {
            Closing::Complete => "close".to_owned(),
            Closing::Abandoned(reason) => format!("abandon {reason}"),
            Closing::Tool(output) => format!("result {}", output.success),
            Closing::Compacted(it) => {
                let Compacted {
                    messages_before,
                    messages_after,
                    attachments,
                    ..
                } = it;
                format!("compacted {messages_before} to {messages_after} with {attachments:?}")
            }
        });
    }

    fn note(&self, note: Note) {
        self.tell(match note {
            Note::Status(text) => format!("status {text}"),
            Note::Dispatched => "dispatched".to_owned(),
            Note::Usage(usage, _) => format!("usage {}", usage.input_tokens),
        });
    }

    fn switch(&self, route: &Route) {
        self.tell(format!("switch {}", route.label()));
    }

    fn intend<'a>(
        &'a self,
        _: &'a ItemId,
        digest: &'a str,
    ) -> BoxFuture<'a, Result<(), Unsettled>> {
        assert_eq!(digest.len(), 64);
        self.tell("intend".to_owned());
        let result = if self.state().unsettled {
            Err(Unsettled)
        } else {
            Ok(())
        };
        Box::pin(async move { result })
    }

    fn running(&self, _: &ItemId, stop: &CancellationToken) {
        let mut state = self.state();
        if std::mem::take(&mut state.stop_next_call) {
            stop.cancel();
        }
    }

    fn ran(&self, _: &ItemId) {}

    fn ask(&self, question: Question) -> BoxFuture<'_, Answer> {
        self.state().questions.push(question);
        self.tell("ask".to_owned());
        let answer = self.state().answer.clone();
        Box::pin(async move {
            match answer {
                Some(answer) => answer,
                None => std::future::pending().await,
            }
        })
    }

    fn law(&self) -> Arc<Law> {
        Arc::default()
    }

    fn authority(&self) -> Authority {
        let open = Authority::plain(Permission::DEFAULT).with_shell();
        self.state().authority.unwrap_or(open)
    }

    fn spent(&self) -> Option<String> {
        let state = self.state();
        let after = state.spent_after?;
        (state.requests.len() >= after).then(|| "the budget is used up".to_owned())
    }

    fn calls_spent(&self) -> Option<String> {
        let state = self.state();
        let calls = state.told.iter().filter(|it| it.starts_with("open note"));
        let calls_max = state.calls_max?;
        (calls.count() > calls_max).then(|| "the calls are used up".to_owned())
    }

    fn take_input(&self) -> Vec<String> {
        std::mem::take(&mut self.state().input)
    }

    fn close_input(&self) -> BoxFuture<'_, bool> {
        let late = self.state().input_at_close.take();
        if let Some(text) = late {
            self.state().input.push(text);
            return Box::pin(async { false });
        }
        self.tell("closed input".to_owned());
        Box::pin(async { true })
    }
}

/// A tool that remembers what it was given.
/// The beginning of a PNG picture.
const PICTURE: &str = "iVBORw0KGgoAAAAA";

struct Recorder {
    world: World,
    spec: Spec,
    demand: Demand,
}

impl Recorder {
    fn new(world: &World, name: &'static str, demand: Demand) -> Self {
        let spec = Spec {
            name: name.into(),
            aliases: &[],
            description: "remembers a text".into(),
            input_schema: json!({ "type": "object" }).into(),
            act: demand.act(),
            kind: ItemKind::ToolCall,
        };
        Self {
            world: world.clone(),
            spec,
            demand,
        }
    }
}

impl Tool for Recorder {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn prepare<'a>(
        &'a self,
        input: Value,
        _: &'a Context,
    ) -> BoxFuture<'a, Result<Prepared, Output>> {
        Box::pin(async move {
            let Some(text) = input["text"].as_str().map(str::to_owned) else {
                return Err(Output::failure("the member text is missing"));
            };
            let world = self.world.clone();
            let run = |text: String, context: Context| async move {
                if let Some(printed) = text.strip_prefix("print ") {
                    for word in printed.split(' ') {
                        context.live.say(word).await;
                    }
                }
                world.state().tool_log.push(text.clone());
                let attached = (text == "picture").then(|| Attached::read(PICTURE).unwrap());
                let attached = attached.into_iter().collect();
                Output::success(format!("noted {text}")).with_attached(attached)
            };
            Ok(Prepared::new(
                self.demand.clone(),
                &self.spec.name,
                text,
                Preview::default(),
                run,
            ))
        })
    }
}
