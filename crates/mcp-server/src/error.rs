//! What calls are answered with: results, and failed operations in the numbers of JSON-RPC.

use codewhale_protocol::{ErrorBody, ErrorCode as Code};
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, ErrorCode};

use crate::way::{Ended, Outcome};

/// The server cannot do it now.
const UNAVAILABLE: ErrorCode = ErrorCode(-32000);

/// The caller may not do it.
const FORBIDDEN: ErrorCode = ErrorCode(-32003);

/// A failed operation as an error of the protocol.
pub(crate) fn refused(error: ErrorBody) -> ErrorData {
    let code = match error.code {
        Code::Malformed | Code::InvalidShape | Code::InvalidParams | Code::NotFound => {
            ErrorCode::INVALID_PARAMS
        }
        Code::Unauthenticated | Code::Forbidden => FORBIDDEN,
        Code::Conflict | Code::Overloaded | Code::Unavailable | Code::Unsupported => UNAVAILABLE,
        Code::UnknownOperation => ErrorCode::METHOD_NOT_FOUND,
        Code::Internal => ErrorCode::INTERNAL_ERROR,
    };
    ErrorData::new(code, error.message, error.data)
}

/// A failed operation behind a call of a tool. What the request got wrong is an error of the protocol;
/// what stands in the way is a result, because models read results only.
pub(crate) fn failed(error: ErrorBody) -> Result<CallToolResult, ErrorData> {
    match error.code {
        Code::Conflict
        | Code::Overloaded
        | Code::Unavailable
        | Code::Unsupported
        | Code::Forbidden => Ok(CallToolResult::error(vec![ContentBlock::text(
            error.message,
        )])),
        Code::Malformed
        | Code::InvalidShape
        | Code::InvalidParams
        | Code::NotFound
        | Code::Unauthenticated
        | Code::UnknownOperation
        | Code::Internal => Err(refused(error)),
    }
}

/// What a call is answered with.
pub(crate) fn answered(
    outcome: Result<Outcome, ErrorBody>,
    show: impl FnOnce(Ended) -> CallToolResult,
) -> Result<CallToolResponse, ErrorData> {
    match outcome {
        Ok(Outcome::Ended(ended)) => Ok(show(*ended).into()),
        Ok(Outcome::Asks(asks)) => Ok(asks.into()),
        Err(error) => failed(error).map(CallToolResponse::from),
    }
}

/// What a request got wrong.
pub(crate) fn invalid(message: impl Into<String>) -> ErrorData {
    ErrorData::invalid_params(message.into(), None)
}
