//! Names on this wire are UUIDs; ids of ours are a prefix and the digits of one. Each way leads to
//! exactly one of the other kind, so no table stands between them.

use std::borrow::Cow;
use std::fmt;

use codewhale_protocol::ErrorCode;
use codewhale_protocol::runtime::{ItemId, ThreadId, TurnId};
use http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

use crate::error::Failure;

/// What a run or a session is called on this wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Name(Uuid);

impl Name {
    /// Reads the part of a path that names something.
    pub(super) fn of_path(text: &str) -> Result<Self, Failure> {
        Uuid::try_parse(text).map(Self).map_err(|_| {
            let message = format!("{text:?} is no UUID; send the id as it was told");
            Failure::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                ErrorCode::InvalidShape,
                message,
            )
        })
    }

    /// The name of something of ours; none for an id from before ids were drawn like this.
    pub(super) fn of(id: &str) -> Option<Self> {
        let (_, digits) = id.rsplit_once('_')?;
        Uuid::try_parse(digits).ok().map(Self)
    }

    /// The thread that a session is.
    pub(super) fn thread(self) -> ThreadId {
        ThreadId::new(self.0)
    }

    /// The turn that a run is.
    pub(super) fn turn(self) -> TurnId {
        TurnId::new(self.0)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let uuid = Uuid::try_parse(&text);
        uuid.map(Self)
            .map_err(|_| serde::de::Error::custom(format!("{text:?} is no UUID")))
    }
}

impl JsonSchema for Name {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Uuid".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "uuid" })
    }
}

/// What a message of a session is called: the turn and the item, so that it is found without
/// reading the rest of the session.
pub(super) struct Resource {
    pub(super) turn: TurnId,
    pub(super) item: ItemId,
}

impl Resource {
    /// The name of an item.
    pub(super) fn of(turn: &TurnId, item: &ItemId) -> Option<String> {
        Some(format!(
            "{}.{}",
            Name::of(turn.as_str())?,
            Name::of(item.as_str())?
        ))
    }

    /// Reads it back.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (turn, item) = text.split_once('.')?;
        Some(Self {
            turn: TurnId::new(Uuid::try_parse(turn).ok()?),
            item: ItemId::new(Uuid::try_parse(item).ok()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: &str = "019a86c4f2b07d3e8c5a1b9d4e6f7082";
    const UUID: &str = "019a86c4-f2b0-7d3e-8c5a-1b9d4e6f7082";

    #[test]
    fn a_name_leads_to_the_id_and_back() {
        let turn = TurnId::from(&*format!("turn_{DIGITS}"));
        let name = Name::of(turn.as_str()).unwrap();
        assert_eq!(name.to_string(), UUID);
        assert_eq!(name.turn(), turn);
        assert_eq!(
            Name::of_path(UUID).unwrap().thread().as_str(),
            format!("thr_{DIGITS}")
        );
        let told = serde_json::to_string(&name).unwrap();
        assert_eq!(told, format!("\"{UUID}\""));
        assert_eq!(serde_json::from_str::<Name>(&told).unwrap(), name);
    }

    #[test]
    fn what_is_no_uuid_is_no_name() {
        for text in ["", "x", "turn_none", "../etc"] {
            assert!(Name::of_path(text).is_err(), "{text}");
            assert!(Name::of(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_resource_names_a_turn_and_an_item_of_it() {
        let turn = TurnId::from(&*format!("turn_{DIGITS}"));
        let item = ItemId::from(&*format!("item_{DIGITS}"));
        let named = Resource::of(&turn, &item).unwrap();
        let back = Resource::parse(&named).unwrap();
        assert_eq!((back.turn, back.item), (turn, item));
        assert!(Resource::parse(UUID).is_none());
    }
}
