//! A real, small language model behind a real server, with the dialects that providers speak.
//!
//! ```text
//! let model = RealModel::start().await;
//! // … let the program talk to model.brief().base_url() …
//! assert_eq!(model.brief().counts().await.said, output_tokens);
//! ```
//!
//! What it says is beyond control, and no test asks for it. How much it says is not: the brief
//! voice ends each answer after a sentence, the endless voice ends none. What is counted is counted
//! by the server, apart from what it tells the program.

mod voice;

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, MutexGuard};

use crate::app::within;
pub use voice::{Counts, Voice};

/// The key that the server wants.
pub const KEY: &str = "key-of-the-model-0123456789";

/// The tokens that a conversation and its answer may have together, unless a test says otherwise: an
/// endless answer takes the better part of a minute.
pub const WINDOW: u32 = 4096;

/// Names the weights, behind the digest that `cargo xtask setup` compares.
const WEIGHTS: &str = include_str!("real_model/weights.sha256");

/// Two models at once would make each other slow, where the tests of a process run side by side.
/// Those that run as processes stand in a group of `.config/nextest.toml`.
static ALONE: Mutex<()> = Mutex::const_new(());

/// The server. Dropping it kills it, and it ends with its owner however that ends.
pub struct RealModel {
    child: Child,
    brief: Voice,
    endless: Voice,
    _alone: MutexGuard<'static, ()>,
}

impl RealModel {
    /// With room for a conversation.
    pub async fn start() -> Self {
        Self::with_window(WINDOW).await
    }

    /// With room for so many tokens.
    pub async fn with_window(tokens: u32) -> Self {
        let alone = ALONE.lock().await;
        let mut child = serve(tokens);
        let stdout = child.stdout.take().expect("standard output is a pipe");
        let mut line = String::new();
        let mut stdout = BufReader::new(stdout);
        let told = within("the model to be loaded", stdout.read_line(&mut line)).await;
        told.expect("what the model server tells is text");
        let Some((brief, endless)) = line.trim().split_once(' ') else {
            panic!("the model server ended; what it wrote to standard error says why");
        };
        Self {
            child,
            brief: Voice::at(brief),
            endless: Voice::at(endless),
            _alone: alone,
        }
    }

    /// Ends its answers after a sentence.
    pub fn brief(&self) -> Voice {
        self.brief
    }

    /// Ends no answer by itself.
    pub fn endless(&self) -> Voice {
        self.endless
    }

    /// Ends it at once, as a crash would.
    pub async fn kill(mut self) {
        let killed = within("the model server to end", self.child.kill()).await;
        killed.expect("it can be killed");
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests start the server themselves, and kill it when they are done"
)]
fn serve(window: u32) -> Child {
    let weights = WEIGHTS.split_whitespace().last();
    let weights = installed(weights.expect("the file names them"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/real_model/serve.py");
    Command::new(installed(".xtask/python/bin/python"))
        .arg(script)
        .arg(weights)
        .args([KEY, &window.to_string()])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the model server can be started")
}

/// A file of those that `cargo xtask setup` brings.
fn installed(path: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path);
    assert!(
        file.exists(),
        "{path} is not installed; run: cargo xtask setup"
    );
    file
}
