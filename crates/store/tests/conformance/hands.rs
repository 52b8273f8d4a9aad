//! What hands leave in the store: questions that wait, effects that were meant, trust that was given.

use codewhale_protocol::ext::{UserInputOption, UserInputQuestion};
use codewhale_protocol::runtime::{
    ItemId, PendingUserInput, ThreadId, Timestamp, TurnId, UserInputRequest,
};
use codewhale_store::Intent;

use crate::world::{self, World};

fn question(id: &str, text: &str) -> PendingUserInput {
    let option = |label: &str| UserInputOption {
        label: label.into(),
        description: text.into(),
    };
    PendingUserInput {
        id: id.into(),
        turn_id: "turn_1".into(),
        request: UserInputRequest {
            questions: vec![UserInputQuestion {
                header: "Which".into(),
                id: "which".into(),
                question: text.into(),
                options: vec![option("a"), option("b")],
                allow_free_text: true,
                multi_select: false,
            }],
        },
        asked_by: None,
    }
}

#[tokio::test]
async fn questions_wait_in_the_snapshot_until_they_are_settled() {
    for engine in world::engines() {
        let world = engine.world();
        world.commit(world.new_thread("thr_a", 1)).await;
        let thread = ThreadId::from("thr_a");
        let (one, two) = (question("uinp_1", "One?"), question("uinp_2", "Two?"));
        let mut batch = world.batch();
        batch.put_user_input(&thread, &two);
        batch.put_user_input(&thread, &one);
        world.commit(batch).await;
        let pending = || {
            let detail = world.store.read(|reader| reader.detail(&thread));
            detail.unwrap().unwrap().pending_user_inputs
        };
        assert_eq!(pending(), [one.clone(), two.clone()], "{}", engine.name);
        let mut batch = world.batch();
        batch.settle_user_input(&one.id);
        world.commit(batch).await;
        assert_eq!(pending(), [two], "{}", engine.name);
    }
}

fn open_effects(world: &World, turn: &str) -> Vec<ItemId> {
    let turn = TurnId::from(turn);
    let open = world.store.read(|reader| reader.open_effects(&turn));
    open.unwrap()
}

#[tokio::test]
async fn an_effect_is_open_from_its_intent_to_its_settlement_and_again_when_meant_anew() {
    for engine in world::engines() {
        let world = engine.world();
        let item = ItemId::from("item_1");
        let intend = |digest: &str| {
            let mut batch = world.batch();
            batch.intend(Intent {
                item: item.clone(),
                turn: "turn_1".into(),
                digest: digest.into(),
                at: Timestamp::from_ms(1),
            });
            batch
        };
        let settle = || {
            let mut batch = world.batch();
            batch.settle_effect(&item, Timestamp::from_ms(2));
            batch
        };
        world.commit(settle()).await;
        assert!(open_effects(&world, "turn_1").is_empty(), "{}", engine.name);
        for digest in ["d1", "d2"] {
            world.commit(intend(digest)).await;
            assert_eq!(open_effects(&world, "turn_1"), std::slice::from_ref(&item));
            assert!(open_effects(&world, "turn_2").is_empty(), "{}", engine.name);
            world.commit(settle()).await;
            assert!(open_effects(&world, "turn_1").is_empty(), "{}", engine.name);
        }
    }
}

#[tokio::test]
async fn trust_is_given_for_a_digest_and_taken_back() {
    for engine in world::engines() {
        let world = engine.world();
        let trust = || world.store.read(|reader| reader.trust("/w")).unwrap();
        for digest in [Some("one"), Some("two"), None] {
            let mut batch = world.batch();
            batch.set_trust("/w", digest.map(str::to_owned));
            world.commit(batch).await;
            assert_eq!(trust().as_deref(), digest, "{}", engine.name);
        }
    }
}
