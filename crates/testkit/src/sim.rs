//! The whole runtime under a seed: threads, crashes, full disks and slow readers in seconds.
//!
//! ```text
//!   driver ──► processes ──► one home           a process: runtime, store, model, tools, disk,
//!     │            │            │               on tasks and a clock that die with it
//!     │ seed       └─ journal ──┤
//!     └──────────► looks ◄──────┘               invariants: sentences over log, rows and journal
//! ```
//!
//! Everything that could differ between two runs is drawn from the seed, so a failure is found
//! again by its number, and two runs of one seed write the same bytes. Start reading at [`run`],
//! then `driver.rs` and `invariants.rs`.

mod dice;
mod driver;
mod evidence;
mod follower;
mod invariants;
mod journal;
mod model;
mod process;
mod settings;
mod tools;
mod workers;
mod world;

use std::collections::BTreeMap;
use std::fmt;

use world::{Watch, World};

/// What came of a simulation.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// The stored text of every stream, by its name.
    pub logs: BTreeMap<String, Vec<String>>,
    /// What was done, in order.
    pub journal: Vec<String>,
    /// How often each operation gave each answer.
    pub outcomes: BTreeMap<String, u64>,
}

/// Something that must hold did not.
#[derive(Debug)]
pub struct Violation {
    seed: u64,
    why: String,
    /// What was done last.
    lines: Vec<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.lines.join("\n"))?;
        writeln!(f, "seed {}: {}", self.seed, self.why)?;
        write!(f, "run it again with: cargo xtask sim {}", self.seed)
    }
}

impl std::error::Error for Violation {}

/// Lives through the history of a seed and checks everything that must hold.
pub fn run(seed: u64) -> Result<Report, Violation> {
    live(World::new(seed, Watch::Looking))
}

/// Lives through the same history without looking, which is faster.
pub fn run_blindly(seed: u64) -> Result<Report, Violation> {
    live(World::new(seed, Watch::Blind))
}

fn live(world: World) -> Result<Report, Violation> {
    let world = driver::drive(world)?;
    let mut world = driver::start_everywhere(world)?;
    while world.processes.len() > 1 {
        world.shut_down(0)?;
    }
    world.shut_down(0)?;
    world.look(invariants::Moment::Rest)?;
    Ok(world.report())
}
