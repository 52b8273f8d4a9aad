//! From a call to its handler. The table decides; a handler that is missing does not compile.

use std::sync::Arc;

use codewhale_protocol::operations::{self, Method, Op, Operation};
use codewhale_protocol::{Call, Caller, ErrorBody, Reply};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::Error;
use crate::runtime::Core;

/// Does one operation.
pub(crate) trait Handler<O: Operation> {
    fn handle(
        &self,
        caller: &Caller,
        params: O::Params,
    ) -> impl Future<Output = Result<O::Output, Error>> + Send;
}

macro_rules! dispatch {
    ($($operation:ident)*) => {
        /// Admits a call and hands it to its handler.
        pub(crate) async fn dispatch(
            core: &Arc<Core>,
            caller: &Caller,
            call: Call,
        ) -> Result<Reply, Error> {
            core.admit(caller, call.op.row(), &call.params)?;
            match call.op {
                $(Op::$operation => {
                    serve::<operations::$operation>(core, caller, call.params).await
                })*
            }
        }
    };
}

codewhale_protocol::for_each_operation!(dispatch);

async fn serve<O: Operation>(
    core: &Arc<Core>,
    caller: &Caller,
    params: Value,
) -> Result<Reply, Error>
where
    Arc<Core>: Handler<O>,
{
    let params = serde_path_to_error::deserialize(params).map_err(Error::Shape)?;
    let output = Handler::<O>::handle(core, caller, params).await?;
    let answer = match O::OP.row().method {
        // What is read comes from the store, which holds no secret.
        Method::Get => to_raw_value(&output),
        // What was just done is told from memory, where the caller's own words stand.
        Method::Post | Method::Patch | Method::Put | Method::Delete => {
            let sealed = core.store.redactor().seal_json(&output);
            RawValue::from_string(sealed.as_str().to_owned())
        }
    };
    Ok(answer.expect("answers are plain data with text keys"))
}

/// What the caller is told of a failure. It may repeat their own words, so it is masked too.
pub(crate) fn told(core: &Core, error: Error) -> ErrorBody {
    let body = ErrorBody::from(error);
    ErrorBody {
        message: core.store.redactor().mask(&body.message).into_owned(),
        ..body
    }
}
