//! Tools that the client of a turn runs itself. Declared with the turn, offered to the model beside the
//! others; a call waits until the client has answered, its time is over or its turn ends.

mod check;
mod tool;

use std::sync::Arc;

use codewhale_protocol::Caller;
use codewhale_protocol::operations::ToolCallsResult;
use codewhale_protocol::runtime::{ToolCallContent, ToolCallsResultParams};

use crate::actor::Command;
use crate::runtime::Core;
use crate::serve::Handler;
use crate::{Error, limits};

pub(crate) use check::check;
pub(crate) use tool::ClientTool;

impl Handler<ToolCallsResult> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: ToolCallsResultParams) -> Result<(), Error> {
        check_content(&params.content)?;
        let (id, caller) = (params.thread_id.clone(), caller.clone());
        self.ask_thread(&id, |reply| Command::Resolve {
            caller,
            params,
            reply,
        })
        .await
    }
}

fn check_content(content: &[ToolCallContent]) -> Result<(), Error> {
    let bytes = content.iter().map(|part| match part {
        ToolCallContent::InputText { text } => text.len(),
        ToolCallContent::InputImage { image_url } => image_url.len(),
    });
    let bytes: usize = bytes.sum();
    let (parts_max, bytes_max) = (
        limits::CLIENT_RESULT_PARTS_MAX,
        limits::CLIENT_RESULT_BYTES_MAX,
    );
    if content.len() > parts_max || bytes > bytes_max {
        return Err(Error::Invalid(format!(
            "a result has at most {parts_max} parts and {bytes_max} bytes; send less, and say where the rest is"
        )));
    }
    let is_address = |url: &str| {
        let url = url.trim();
        ["data:", "https://", "http://"]
            .iter()
            .any(|it| url.starts_with(it))
    };
    for part in content {
        if let ToolCallContent::InputImage { image_url } = part
            && !is_address(image_url)
        {
            let message = "an image_url begins with data:, https:// or http://";
            return Err(Error::Invalid(message.into()));
        }
    }
    Ok(())
}
