//! Questions of a server in the middle of a call, put to the person behind that call.

use codewhale_protocol::ext::{
    FREE_TEXT_LABEL, UserInputAnswer, UserInputOption, UserInputQuestion,
};
use codewhale_tools::{Person, Unanswered};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value, json};

use crate::callers::Caller;
use crate::limits::{ASKED_MAX, FORM_MEMBERS_MAX, QUESTION_BYTES_MAX, QUESTIONS_MAX};

/// Leaves a member out.
const LEAVE_OUT: &str = "Leave empty";
/// Refuses the whole form.
const DECLINE: &str = "Decline";
/// Says that a page was opened.
const OPENED: &str = "I opened it";

/// Why a question has no answer for the server.
#[derive(PartialEq, Debug, thiserror::Error)]
enum No {
    #[error("the user lets no MCP server ask")]
    Unheard,
    #[error("it asked more than {ASKED_MAX} times during one call")]
    TooOften,
    #[error("its form asks for more than {FORM_MEMBERS_MAX} things")]
    TooLong,
    #[error("it asks in a way that nobody here knows")]
    Unknown,
    #[error("the address it wants opened is neither https nor on this machine")]
    Address,
    #[error("the person declined")]
    Declined,
    #[error("the answer to {0:?} was not of the kind it asked for")]
    Unfit(String),
    #[error("{0:?} was left empty, which it needs")]
    Missing(String),
    #[error("nobody answered")]
    Nobody,
}

impl No {
    fn action(&self) -> ElicitationAction {
        match self {
            Self::Nobody => ElicitationAction::Cancel,
            Self::Unheard
            | Self::TooOften
            | Self::TooLong
            | Self::Unknown
            | Self::Address
            | Self::Declined
            | Self::Unfit(_)
            | Self::Missing(_) => ElicitationAction::Decline,
        }
    }
}

impl From<Unanswered> for No {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Declined => Self::Declined,
            Unanswered::NobodyHere | Unanswered::TooLate => Self::Nobody,
        }
    }
}

/// Puts a question to the person behind a call and answers for them. What cannot be put is
/// declined; the call tells why.
pub(crate) async fn put(
    server: &str,
    request: ElicitRequestParams,
    caller: &Caller,
) -> ElicitResult {
    match answer(server, request, caller).await {
        Ok(Some(content)) => {
            caller.answered();
            ElicitResult::new(ElicitationAction::Accept).with_content(content)
        }
        Ok(None) => ElicitResult::new(ElicitationAction::Accept),
        Err(no) => {
            caller.declined(no.to_string());
            ElicitResult::new(no.action())
        }
    }
}

async fn answer(
    server: &str,
    request: ElicitRequestParams,
    caller: &Caller,
) -> Result<Option<Value>, No> {
    let person = &*caller.person;
    if !person.hears_servers() {
        return Err(No::Unheard);
    }
    if !caller.may_ask() {
        return Err(No::TooOften);
    }
    match request {
        ElicitRequestParams::FormElicitationParams {
            message,
            requested_schema,
            ..
        } => {
            let schema = serde_json::to_value(&requested_schema).unwrap_or_default();
            let content = filled_in(server, &message, &schema, person).await;
            content.map(Some)
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            opened(server, &message, &url, person).await?;
            Ok(None)
        }
        _ => Err(No::Unknown),
    }
}

/// Shows an address to a person. What they do there stays between them and the page.
async fn opened(server: &str, message: &str, url: &str, person: &dyn Person) -> Result<(), No> {
    let is_fit = reqwest::Url::parse(url).is_ok_and(|url| {
        let is_near = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        url.scheme() == "https" || (url.scheme() == "http" && is_near)
    });
    if !is_fit || url.len() > QUESTION_BYTES_MAX {
        return Err(No::Address);
    }
    let question = UserInputQuestion {
        header: cut(server),
        id: "url".to_owned(),
        question: format!("{}\nThe server asks you to open: {url}", cut(message)),
        options: vec![option(OPENED, "go on"), option(DECLINE, "do not open it")],
        allow_free_text: false,
        multi_select: false,
    };
    let answers = person.ask(vec![question]).await?;
    let is_yes = answers.iter().any(|answer| answer.label == OPENED);
    is_yes.then_some(()).ok_or(No::Declined)
}

async fn filled_in(
    server: &str,
    message: &str,
    schema: &Value,
    person: &dyn Person,
) -> Result<Value, No> {
    let members = schema["properties"].as_object();
    let members: Vec<(&String, &Value)> = members.into_iter().flatten().collect();
    if members.len() > FORM_MEMBERS_MAX {
        return Err(No::TooLong);
    }
    // A form without members asks for a yes.
    if members.is_empty() {
        let answers = person.ask(vec![consent(server, message)]).await?;
        let is_yes = answers.iter().any(|answer| answer.label == "Yes");
        return is_yes.then(|| json!({})).ok_or(No::Declined);
    }
    let mut content = Map::new();
    for some in members.chunks(QUESTIONS_MAX) {
        let questions: Vec<_> = some
            .iter()
            .map(|(name, member)| question(server, message, name, member))
            .collect();
        let answers = person.ask(questions).await?;
        for (name, member) in some {
            let answer = answers.iter().find(|answer| answer.id == **name);
            match answer.map(|answer| value_of(answer, member)) {
                Some(Meant::Value(value)) => drop(content.insert((*name).clone(), value)),
                Some(Meant::Nothing) | None => {}
                Some(Meant::Refusal) => return Err(No::Declined),
                Some(Meant::Nonsense) => return Err(No::Unfit((*name).clone())),
            }
        }
    }
    let required = schema["required"].as_array().into_iter().flatten();
    let mut required = required.filter_map(Value::as_str);
    match required.find(|name| !content.contains_key(*name)) {
        Some(name) => Err(No::Missing(name.to_owned())),
        None => Ok(Value::Object(content)),
    }
}

fn consent(server: &str, message: &str) -> UserInputQuestion {
    UserInputQuestion {
        header: cut(server),
        id: "consent".to_owned(),
        question: cut(message),
        options: vec![option("Yes", "go on"), option("No", "do not")],
        allow_free_text: false,
        multi_select: false,
    }
}

fn question(server: &str, message: &str, name: &str, member: &Value) -> UserInputQuestion {
    let described = ["title", "description"].map(|key| member[key].as_str().unwrap_or_default());
    let described = described.join(" ");
    let kind = member["type"].as_str().unwrap_or("value");
    let choices = choices(member);
    let listed = match choices.len() {
        3.. => format!(" One of: {}.", choices.join(", ")),
        _ => String::new(),
    };
    let mut options: Vec<_> = match choices.len() {
        1..=2 => choices.iter().map(|it| option(it, "")).collect(),
        _ => Vec::new(),
    };
    options.push(option(LEAVE_OUT, "send no value for it"));
    options.push(option(DECLINE, "send nothing at all"));
    UserInputQuestion {
        header: cut(server),
        id: name.to_owned(),
        question: cut(&format!(
            "{message}\n{name} ({kind}): {}{listed}",
            described.trim()
        )),
        options,
        allow_free_text: true,
        multi_select: false,
    }
}

/// The values a member may have, when they are few and named.
fn choices(member: &Value) -> Vec<String> {
    if member["type"] == "boolean" {
        return vec!["true".to_owned(), "false".to_owned()];
    }
    let member = match member["type"] == "array" {
        true => &member["items"],
        false => member,
    };
    let list = |key: &str| member[key].as_array().into_iter().flatten();
    let plain = list("enum");
    let titled = list("oneOf").chain(list("anyOf"));
    let titled = titled.map(|choice| &choice["const"]);
    let all = plain.chain(titled).filter_map(Value::as_str);
    all.map(str::to_owned).collect()
}

enum Meant {
    Value(Value),
    Nothing,
    Refusal,
    /// Not what was asked for.
    Nonsense,
}

fn value_of(answer: &UserInputAnswer, member: &Value) -> Meant {
    let text = match answer.label.as_str() {
        LEAVE_OUT => return Meant::Nothing,
        DECLINE => return Meant::Refusal,
        FREE_TEXT_LABEL => answer.value.as_str(),
        label => label,
    };
    let parts: Vec<&str> = match member["type"] == "array" {
        true => text.split(',').map(str::trim).collect(),
        false => vec![text],
    };
    let value = match member["type"].as_str() {
        Some("boolean") => text.parse().ok().map(Value::Bool),
        Some("integer") => text.trim().parse::<i64>().ok().map(Value::from),
        Some("number") => text.trim().parse::<f64>().ok().map(Value::from),
        Some("array") => Some(Value::from(parts.clone())),
        _ => Some(Value::from(text)),
    };
    let choices = choices(member);
    let is_one = |part: &&str| choices.iter().any(|choice| choice == part);
    let is_choice = choices.is_empty() || parts.iter().all(is_one);
    // What the server did not ask for is not sent to it.
    value
        .filter(|_| is_choice)
        .map_or(Meant::Nonsense, Meant::Value)
}

fn option(label: &str, description: &str) -> UserInputOption {
    UserInputOption {
        label: cut(label),
        description: description.to_owned(),
    }
}

fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(QUESTION_BYTES_MAX)].to_owned()
}

#[cfg(test)]
mod tests;
