//! A call that comes again, with the answers of the person it was sent back for.

use codewhale_protocol::operations::TurnsGet;
use codewhale_protocol::runtime::{TurnId, TurnParams};
use rmcp::model::{CallToolResponse, InputResponses};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use crate::Door;
use crate::catalogue::Called;
use crate::error::{answered, refused};
use crate::turn::Watch;
use crate::{agent, tool};

impl Door {
    /// Goes on with the turn that waits. The state that came back names it, and grants nothing: who may
    /// not see or drive the turn is refused as everywhere.
    pub(crate) async fn again(
        &self,
        called: &Called,
        state: &str,
        answers: InputResponses,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = self.client(context)?;
        let params = TurnParams {
            turn_id: TurnId::from(state),
        };
        let turn = client.call::<TurnsGet>(params).await.map_err(refused)?;
        let watch = Watch {
            door: self,
            client: &client,
            context,
            thread: turn.thread.id.clone(),
        };
        let outcome = watch.run_on(turn, answers).await;
        match called {
            Called::Begin | Called::Reply => answered(outcome, agent::result),
            Called::Tool(_) => tool::answer(&client, outcome).await,
        }
    }
}
