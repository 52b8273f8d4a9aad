//! A command that tells the test that it runs, and runs until the test is done with it. It holds
//! a connection to the test, so that its end, however it comes, shows as the end of that.

use codewhale_testkit::app::within;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct HeldCommand(TcpListener);

/// The command at work.
pub(crate) struct Running(TcpStream);

impl HeldCommand {
    pub(crate) async fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    /// The arguments of a call that runs it.
    pub(crate) fn arguments(&self) -> String {
        let port = self.0.local_addr().unwrap().port();
        let command = format!("exec 3<>/dev/tcp/127.0.0.1/{port}; echo up >&3; cat <&3; echo done");
        json!({ "command": command }).to_string()
    }

    /// Waits until it runs.
    pub(crate) async fn running(&self) -> Running {
        let arrived = within("the command to start", self.0.accept());
        let mut stream = arrived.await.unwrap().0;
        let mut word = [0; 3];
        let said = within("the command to speak", stream.read_exact(&mut word));
        said.await.unwrap();
        assert_eq!(&word, b"up\n");
        Running(stream)
    }
}

impl Running {
    /// Has it print this.
    pub(crate) async fn print(&mut self, text: &str) {
        let written = within("the command to listen", self.0.write_all(text.as_bytes()));
        written.await.unwrap();
    }

    /// Lets it go on to its own end.
    pub(crate) fn release(self) {}

    /// Waits until no process of it is left.
    pub(crate) async fn killed(mut self) {
        let mut nothing = [0; 1];
        let read = within("the command to be gone", self.0.read(&mut nothing));
        assert!(matches!(read.await, Ok(0) | Err(_)));
    }
}
