//! One address of the server: where the program asks, and where tests see what came of it.

use std::net::SocketAddr;

use serde_json::Value;

use super::KEY;
use crate::app::{Answer, Request, within};

/// An address where the model answers.
#[derive(Clone, Copy, Debug)]
pub struct Voice {
    address: SocketAddr,
}

/// What was done for all answers that were finished, in tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Of conversations, as far as they were new.
    pub read: u64,
    /// Of conversations, as far as they were known.
    pub reused: u64,
    /// Of answers.
    pub said: u64,
}

impl Voice {
    pub(super) fn at(url: &str) -> Self {
        let address = url.strip_prefix("http://").map(str::parse);
        let address = address.expect("the server tells where it is");
        Self {
            address: address.expect("the server tells an address of this machine"),
        }
    }

    /// The address that a provider is configured with.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What the server has counted.
    pub async fn counts(&self) -> Counts {
        let answer = self.get("/metrics").await;
        Counts {
            read: counter(answer.text(), "llamacpp:prompt_tokens_total"),
            reused: counter(answer.text(), "llamacpp:prompt_tokens_cached_total"),
            said: counter(answer.text(), "llamacpp:tokens_predicted_total"),
        }
    }

    /// Waits until the server works on nothing. Tells how many tokens of conversation and answer
    /// it had come to.
    pub async fn until_idle(&self) -> u64 {
        let slot = within("the model to be idle", self.idle_slot()).await;
        let tokens = slot["n_prompt_tokens"].as_u64();
        tokens.expect("the server counts what it holds")
    }

    /// The one place that the server works at.
    async fn idle_slot(&self) -> Value {
        loop {
            let slot = self.get("/slots").await.json()[0].take();
            if slot["is_processing"] == false {
                return slot;
            }
        }
    }

    async fn get(&self, target: &str) -> Answer {
        let request = Request::new("GET", target).bearer(KEY);
        let answer = within(target, request.send(self.address)).await;
        assert_eq!(answer.status, 200, "{target}: {}", answer.text());
        answer
    }
}

fn counter(metrics: &str, name: &str) -> u64 {
    let values = metrics.lines().filter_map(|line| line.split_once(' '));
    let mut values = values.filter(|(key, _)| *key == name);
    let (_, value) = values.next().expect("the server counts it");
    value.parse().expect("tokens are whole")
}
