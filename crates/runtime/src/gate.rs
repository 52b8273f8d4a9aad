//! The gate: one check for every operation, whichever door it came through.

use codewhale_protocol::operations::{Locate, Right, Row};
use codewhale_protocol::runtime::{ApprovalId, RoomId, ThreadId};
use codewhale_protocol::{Caller, Scope};
use codewhale_store::Located;
use serde_json::Value;

use crate::Error;
use crate::runtime::Core;

impl Core {
    /// Lets a call through when the token's scope and the caller's role in the room allow it. What
    /// the caller may not see does not exist for them.
    pub(crate) fn admit(&self, caller: &Caller, row: &Row, params: &Value) -> Result<(), Error> {
        require_scope(caller, row.scope)?;
        let text = |name: &str| params.get(name).and_then(Value::as_str);
        let named = |name: &'static str| text(name).ok_or(Error::Unnamed { name });
        match row.locate {
            Locate::Visible => Ok(()),
            Locate::Target => match text("workroom_id") {
                None => Ok(()),
                Some(id) => self.require_right(caller, row.right, Located::Room(&RoomId::from(id))),
            },
            Locate::Thread => {
                let id = ThreadId::from(named("thread_id")?);
                self.require_right(caller, row.right, Located::Thread(&id))
            }
            Locate::Session => {
                let id = ThreadId::from(named("session_id")?);
                let admitted = self.require_right(caller, row.right, Located::Thread(&id));
                match admitted {
                    // It may be a file of the operator's; the handler looks.
                    Err(Error::NotFound { .. }) if self.may_be_old(caller, &id)? => Ok(()),
                    Err(Error::NotFound { .. }) => Err(Error::NotFound { what: "session" }),
                    admitted => admitted,
                }
            }
            Locate::Approval => {
                let id = ApprovalId::from(named("approval_id")?);
                self.require_right(caller, row.right, Located::Approval(&id))
            }
        }
    }

    /// Lets a caller through who has the right in the room that something belongs to.
    pub(crate) fn require_right(
        &self,
        caller: &Caller,
        right: Right,
        located: Located<'_>,
    ) -> Result<(), Error> {
        let what = match located {
            Located::Room(_) => "workroom",
            Located::Thread(_) => "thread",
            Located::Approval(_) => "approval",
        };
        let role = self
            .store
            .read(|reader| reader.role(&caller.principal, located))?;
        match role {
            None => Err(Error::NotFound { what }),
            Some(role) if role.has(right) => Ok(()),
            Some(_) => Err(Error::Role),
        }
    }
}

/// Lets a caller through whose token has the scope.
pub(crate) fn require_scope(caller: &Caller, scope: Scope) -> Result<(), Error> {
    match caller.scopes.contains(scope) {
        true => Ok(()),
        false => Err(Error::Scope { scope }),
    }
}
