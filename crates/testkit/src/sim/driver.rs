//! The driver: a random history of requests, readers, crashes and waits, all from one seed.

mod ask;
mod attachments;
mod automations;
mod calls;
mod fleets;
mod goals;
mod requests;
mod settings;
mod tasks;
mod trouble;

use std::sync::Arc;

use codewhale_protocol::Surface;
use codewhale_protocol::operations::Op;
use codewhale_protocol::runtime::Seq;
use codewhale_protocol::service::Cursor;
use serde_json::json;

use super::Violation;
use super::dice::Dice;
use super::follower::{Habits, Session, follow};
use super::invariants::Moment;
use super::world::World;

/// Steps of a history.
const STEPS: usize = 120;

/// Threads beyond which no more are made.
const THREADS_MAX: usize = 14;

/// Lives through one history.
pub(crate) fn drive(world: World) -> Result<World, Violation> {
    let mut driver = Driver {
        dice: Dice::new(world.seed, &[4]),
        said: 0,
        world,
    };
    for _ in 0..2 {
        driver.create_thread()?;
        driver.let_time_pass();
    }
    for _ in 0..STEPS {
        for _ in 0..1 + driver.dice.below(3) {
            let act = *driver.dice.weighted(ACTIONS);
            act(&mut driver)?;
        }
        driver.let_time_pass();
    }
    driver.world.rest()?;
    if let Some(turn) = driver.turn() {
        driver.order(Op::TurnsGet, json!({ "turn_id": turn.id }));
    }
    driver.world.rest()?;
    Ok(driver.world)
}

/// Starts a turn in every thread: whatever is at rest can begin anew.
pub(crate) fn start_everywhere(world: World) -> Result<World, Violation> {
    let mut driver = Driver {
        dice: Dice::new(world.seed, &[5]),
        said: 1_000_000,
        world,
    };
    driver.world.calm_down();
    let threads = driver.world.threads();
    for thread in &threads {
        driver.start_turn_of(thread.clone(), json!({}), |answer, journal| {
            if let Err(error) = answer {
                journal.complain(format!("a thread at rest could not start: {error:?}"));
            }
        });
    }
    driver.world.rest()?;
    Ok(driver.world)
}

type Action = fn(&mut Driver) -> Result<(), Violation>;

const ACTIONS: &[(usize, Action)] = &[
    (7, Driver::create_thread),
    (22, Driver::start_turn),
    (12, Driver::steer),
    (7, Driver::interrupt),
    (5, Driver::stop_call),
    (26, Driver::decide),
    (10, Driver::answer),
    (11, Driver::resolve),
    (2, Driver::trust),
    (12, Driver::patch),
    (3, Driver::fork),
    (2, Driver::undo),
    (3, Driver::resume),
    (2, Driver::keep_sessions),
    (2, Driver::compact),
    (4, Driver::call_tool),
    (4, Driver::show_a_picture),
    (7, Driver::pursue),
    (2, Driver::count_agents),
    (5, Driver::queue),
    (5, Driver::automate),
    (2, Driver::configure),
    (9, Driver::fleet),
    (6, Driver::look_around),
    (6, Driver::ask_for_nonsense),
    (4, Driver::ask_as_a_stranger),
    (3, Driver::ask_without_the_scope),
    (14, Driver::follow),
    (1, Driver::hammer),
    (2, Driver::fill_or_free_the_disk),
    (3, Driver::crash),
    (2, Driver::shut_down),
    (2, Driver::start_another),
    (1, Driver::look),
];

struct Driver {
    world: World,
    dice: Dice,
    /// Numbers what people say, so that it is found again.
    said: u64,
}

impl Driver {
    fn let_time_pass(&mut self) {
        let ways = [
            (25, (0, 0)),
            (25, (1, 30)),
            (25, (30, 1_500)),
            (17, (1_500, 12_000)),
            (6, (12_000, 45_000)),
            (2, (121_000, 260_000)),
        ];
        match *self.dice.weighted(&ways) {
            // A few steps of some processes, so that what follows comes in the middle of things.
            (0, 0) => {
                for process in &self.world.processes {
                    process.run_steps(self.dice.below(12));
                }
            }
            (from, to) => {
                let time = self.dice.ms(from, to);
                self.world.pass(time);
            }
        }
    }

    fn follow(&mut self) -> Result<(), Violation> {
        let Some(thread) = self.thread() else {
            return Ok(());
        };
        let head = self.head(&thread);
        let anywhere = self.dice.draw() % (head.0 + 2);
        let after = *self
            .dice
            .pick(&[Seq::ZERO, Seq(anywhere), Seq(anywhere), head]);
        let replay_limit = self.dice.percent(15).then_some(5);
        let cursor = Cursor {
            after,
            replay_limit,
        };
        let habits = Habits {
            pause_ms: *self.dice.pick(&[0, 0, 50, 5_000]),
            patience: *self.dice.pick(&[3, 20, usize::MAX]),
            dice: Dice::new(self.dice.draw(), &[]),
        };
        let index = self.dice.below(self.world.processes.len());
        let process = &self.world.processes[index];
        let steady_in = habits.are_steady().then_some(process.number);
        let session = Session::new(thread, cursor, steady_in);
        self.world.sessions.push(Arc::clone(&session));
        let runtime = process.runtime.clone();
        let caller = runtime.operator(Surface::Http);
        let journal = Arc::clone(&self.world.journal);
        process.spawn(follow(runtime, caller, session, habits, journal));
        Ok(())
    }

    fn fill_or_free_the_disk(&mut self) -> Result<(), Violation> {
        // In most worlds the disk is fine, so that what a full one hides is seen.
        if !self.world.seed.is_multiple_of(4) {
            return Ok(());
        }
        let index = self.dice.below(self.world.processes.len());
        let process = &self.world.processes[index];
        let word = match process.condition.is_disk_full() {
            false => {
                process.condition.fill_disk();
                "is full"
            }
            true => {
                process.condition.free_disk();
                "has room again"
            }
        };
        let number = process.number;
        self.world
            .journal
            .line(format!("the disk of process {number} {word}"));
        Ok(())
    }

    fn crash(&mut self) -> Result<(), Violation> {
        let index = self.dice.below(self.world.processes.len());
        self.world.processes[index].run_steps(self.dice.below(30));
        self.world.crash(index);
        if self.world.processes.is_empty() || self.dice.percent(50) {
            self.world.start_process();
            return self.world.look(Moment::Restarted);
        }
        Ok(())
    }

    fn shut_down(&mut self) -> Result<(), Violation> {
        let index = self.dice.below(self.world.processes.len());
        self.world.processes[index].run_steps(self.dice.below(30));
        self.world.shut_down(index)
    }

    fn start_another(&mut self) -> Result<(), Violation> {
        if self.world.processes.len() < 2 {
            self.world.start_process();
            return self.world.look(Moment::Restarted);
        }
        Ok(())
    }

    fn look(&mut self) -> Result<(), Violation> {
        self.world.look(Moment::Any)
    }
}
