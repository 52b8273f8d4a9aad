//! A call of a tool that a user added.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codewhale_policy::{Act, Demand, Execution};
use codewhale_protocol::runtime::ItemKind;
use codewhale_protocol::service::BoxFuture;
use codewhale_sandbox::{Command, End, Limits, Outcome, Stdin, WALL_TIME};
use serde::Serialize;
use serde_json::{Value, json};

use super::manifest::{Effect as Claim, Manifest};
use crate::blocking::blocking;
use crate::digest::sha256_of;
use crate::limits::{
    CHILD_OUTPUT_BYTES_MAX, PROBLEM_BYTES_MAX, PROGRAM_BYTES_MAX, TIMEOUT_MS_MAX, TIMEOUT_MS_MIN,
};
use crate::paths::Place;
use crate::results::fit;
use crate::{Context, Output, Prepared, Preview, Spec, Tool};

/// A program with what its manifest says.
pub(super) struct UserTool {
    spec: Spec,
    program: PathBuf,
    arguments: Vec<String>,
    claim: Claim,
    timeout: Duration,
}

impl UserTool {
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let manifest = Manifest::read(path)?;
        let program = manifest.program(path)?;
        let timeout_ms = manifest.timeout_ms.map_or(WALL_TIME, |timeout_ms| {
            Duration::from_millis(timeout_ms.clamp(TIMEOUT_MS_MIN, TIMEOUT_MS_MAX))
        });
        Ok(Self {
            spec: Spec {
                name: manifest.name.into(),
                aliases: &[],
                description: manifest.description.into(),
                input_schema: manifest.input_schema.into(),
                act: Act::Execute,
                kind: ItemKind::CommandExecution,
            },
            program,
            arguments: manifest.arguments,
            claim: manifest.effect,
            timeout: timeout_ms,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.spec.name
    }

    /// The command as a shell would be given it.
    fn script(&self) -> String {
        let program = self.program.to_str().unwrap_or_default();
        let words = [program]
            .into_iter()
            .chain(self.arguments.iter().map(String::as_str));
        words.map(quoted).collect::<Vec<_>>().join(" ")
    }

    async fn prepare_call(&self, input: Value, context: &Context) -> Result<Prepared, Output> {
        check_input(&self.spec, &input)?;
        let (roots, program) = (context.roots(), self.program.clone());
        let (cwd, hash) = blocking(move || {
            let cwd = Place::find(&roots, ".")?;
            Ok((cwd, hash_of(&program)?))
        })
        .await?;
        let script = self.script();
        let preview = Preview {
            description: format!(
                "Run the user's tool {}, which says {}, with {}",
                self.spec.name,
                self.claim.claim(),
                cut(&input.to_string())
            ),
            command: Some(script.clone()),
            cwd: Some(cwd.path.display().to_string()),
            ..Preview::default()
        };
        let demand = Demand::Execute(Execution::within(script, &cwd.path));
        let effect = Call {
            program: self.program.display().to_string(),
            hash,
            arguments: self.arguments.clone(),
            cwd,
            environment: context.environment.to_vec(),
            input: input.to_string(),
            timeout: self.timeout,
        };
        Ok(Prepared::new(demand, self.name(), effect, preview, run))
    }
}

impl Tool for UserTool {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn prepare<'a>(
        &'a self,
        input: Value,
        context: &'a Context,
    ) -> BoxFuture<'a, Result<Prepared, Output>> {
        Box::pin(self.prepare_call(input, context))
    }
}

#[derive(Serialize)]
struct Call {
    program: String,
    /// SHA-256 of the program: another one would not be what was approved.
    hash: String,
    arguments: Vec<String>,
    cwd: Place,
    environment: Vec<(String, String)>,
    input: String,
    timeout: Duration,
}

/// The schema is for the model; here only what would waste a start of the program is looked at.
fn check_input(spec: &Spec, input: &Value) -> Result<(), Output> {
    let refused = |why: String| Output::failure(format!("{} was not run: {why}", spec.name));
    let Some(members) = input.as_object() else {
        return Err(refused("the input is not a JSON object".to_owned()));
    };
    let required = spec.input_schema["required"].as_array();
    let mut required = required.into_iter().flatten().filter_map(Value::as_str);
    match required.find(|name| !members.contains_key(*name)) {
        Some(name) => Err(refused(format!("missing field `{name}`"))),
        None => Ok(()),
    }
}

fn hash_of(program: &Path) -> Result<String, Output> {
    let failed = |error| {
        let shown = program.display();
        Output::failure(format!(
            "the program {shown} of the tool cannot be read: {error}"
        ))
    };
    let file = fs::File::open(program).map_err(failed)?;
    sha256_of(&mut file.take(PROGRAM_BYTES_MAX)).map_err(failed)
}

async fn run(call: Call, context: Context) -> Output {
    let ready = blocking(move || {
        call.cwd.check_unmoved()?;
        match hash_of(Path::new(&call.program))? == call.hash {
            true => Ok(call),
            false => Err(Output::failure(
                "the program of the tool changed since the call was prepared; it was not run. \
                 Repeat the call if it is still wanted",
            )),
        }
    });
    let call = match ready.await {
        Ok(call) => call,
        Err(failure) => return failure,
    };
    let timeout = call.timeout;
    // What belongs to the tool lies beside it.
    let directory = Path::new(&call.program).parent().unwrap_or(Path::new("/"));
    let directory = directory.to_owned();
    let command = Command {
        arguments: call.arguments.into_iter().map(Into::into).collect(),
        environment: call.environment,
        walls: context.walls.clone().renewed().showing(directory),
        stdin: Stdin::Bytes(call.input.into_bytes()),
        limits: Limits {
            wall_time: timeout,
            output_bytes_max: CHILD_OUTPUT_BYTES_MAX,
            ..Limits::default()
        },
        ..Command::new(call.program, call.cwd.path)
    };
    match context.live.clone().run(command, &context.cancel).await {
        Ok(outcome) => shown(outcome, timeout, &context).await,
        Err(error) => Output::failure(format!("the tool did not run: {error}")),
    }
}

async fn shown(outcome: Outcome, timeout: Duration, context: &Context) -> Output {
    let Outcome {
        end,
        output,
        duration,
        errors: _,
        denial: _,
    } = outcome;
    let note = match end {
        End::Exited(0) if output.text.is_empty() => Some("it wrote nothing".to_owned()),
        End::Exited(0) => None,
        End::Exited(code) => Some(format!("exit code {code}")),
        End::Signaled(signal) => Some(format!("ended by signal {signal}")),
        End::TimedOut => Some(format!(
            "stopped after {} s, its time limit",
            timeout.as_secs_f64()
        )),
        End::Cancelled => Some("stopped before its end".to_owned()),
    };
    let fitted = fit(output.text, context).await;
    let mut text = fitted.text;
    if let Some(note) = note {
        let newline = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        text.push_str(&format!("{newline}[{note}]"));
    }
    let output_of = match end == End::Exited(0) {
        true => Output::success,
        false => Output::failure,
    };
    output_of(text).with_metadata(json!({
        "exit_code": if let End::Exited(code) = end { Some(code) } else { None },
        "duration_ms": duration.as_millis() as u64,
        "truncated": fitted.truncated || output.bytes_left_out > 0,
        "ref": fitted.reference,
    }))
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(PROBLEM_BYTES_MAX)]
}
