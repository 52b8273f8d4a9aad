//! The `codewhale` program: the one place that knows both halves.
//!
//! A command reads its flags and the configuration, opens the store, starts the runtime and puts a
//! door in front of it. What is composed of what stands in `compose.rs`, and nowhere else.
//!
//! Must not know: how any of them works. Start reading at [`Args`], then `compose.rs`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "talking to the terminal is what this crate is for"
)]

mod args;
mod auth;
mod compose;
mod config;
mod control;
mod doctor;
mod editor;
mod exec;
mod fleet;
mod hooks;
mod later;
mod log;
mod mcp;
mod mcp_server;
mod memory;
mod model;
mod models;
mod opening;
mod recordings;
mod sandbox;
mod serve;
mod settings;
mod signals;
mod view;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use clap_complete::Shell;

use crate::args::{Args, Command};

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            for cause in error.chain().skip(1) {
                eprintln!("  caused by: {cause}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { global, command } = args;
    match command {
        Some(Command::Web(web)) => serve::run(&global, web.into()),
        Some(Command::AppServer(server)) => server.run(&global, "app-server"),
        Some(Command::Serve(server)) => server.run(&global, "serve"),
        Some(Command::McpServer) => mcp_server::run(&global, 0),
        Some(Command::Config(command)) => config::run(&global, command),
        Some(Command::Completions { shell }) => Ok(completions(shell)),
        Some(Command::Exec(command)) => exec::run(global, *command),
        Some(Command::Doctor(command)) => doctor::run(&global, &command),
        Some(Command::Fleet(command)) => fleet::run(&global, command),
        Some(Command::Auth(command)) => auth::run(&global, command),
        Some(Command::Mcp(command)) => mcp::run(&global, command),
        Some(Command::Model(command)) => model::run(&global, command),
        Some(Command::Models(command)) => models::run(&global, &command),
        Some(Command::Sessions(command)) => recordings::sessions(&global, command),
        Some(Command::Thread(command)) => recordings::thread(&global, command),
        Some(Command::Sandbox(command)) => sandbox::run(&global, command),
        Some(Command::ViewCall(call)) => view::run(&call),
        Some(Command::Other(words)) => Err(later::command(&words)),
        None => Err(later::terminal()),
    }
}

/// What a shell needs to complete our words.
fn completions(shell: Shell) -> ExitCode {
    let mut command = Args::command();
    clap_complete::generate(shell, &mut command, "codewhale", &mut std::io::stdout());
    ExitCode::SUCCESS
}
