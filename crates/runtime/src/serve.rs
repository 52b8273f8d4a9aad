//! From a call to its handler. The table decides; a handler that is missing does not compile.

use std::sync::Arc;

use codewhale_protocol::operations::{self, Method, Op, Operation};
use codewhale_protocol::{Call, Caller, ErrorBody, Reply};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::Error;
use crate::once::Once;
use crate::runtime::Core;

/// Does one operation.
pub(crate) trait Handler<O: Operation> {
    fn handle(
        &self,
        caller: &Caller,
        params: O::Params,
    ) -> impl Future<Output = Result<O::Output, Error>> + Send;

    /// Does it for a request with a key: `once` is settled in the commit that does it. Every
    /// operation that the table says is done once has this.
    fn handle_once(
        &self,
        _: &Caller,
        _: O::Params,
        _: Once,
    ) -> impl Future<Output = Result<O::Output, Error>> + Send {
        let name = O::OP.row().name;
        let refused = Error::Invalid(format!("{name} takes no idempotency key"));
        std::future::ready(Err(refused))
    }

    /// Whether there is something now that was not there before.
    fn made(_: &O::Output) -> bool {
        false
    }
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
                    serve::<operations::$operation>(core, caller, call).await
                })*
            }
        }
    };
}

codewhale_protocol::for_each_operation!(dispatch);

async fn serve<O: Operation>(core: &Arc<Core>, caller: &Caller, call: Call) -> Result<Reply, Error>
where
    Arc<Core>: Handler<O>,
{
    let Call { op, params, key } = call;
    let Some(key) = key.filter(|_| op.row().once) else {
        let output = Handler::<O>::handle(core, caller, read(params)?).await?;
        return Ok(reply::<O>(core, &output));
    };
    let once = Once::new(core, caller, (op, key, &params))?;
    let _turn = core.lines.enter(&once).await?;
    if let Some(known) = once.reply(core)? {
        return Ok(known);
    }
    let done = Handler::<O>::handle_once(core, caller, read(params)?, once.clone()).await;
    match done {
        Ok(output) => Ok(reply::<O>(core, &output)),
        // It may be done all the same: in another process, or for someone who did not wait.
        Err(error) => once.reply(core)?.ok_or(error),
    }
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, Error> {
    serde_path_to_error::deserialize(params).map_err(Error::Shape)
}

fn reply<O: Operation>(core: &Core, output: &O::Output) -> Reply
where
    Arc<Core>: Handler<O>,
{
    let json = match O::OP.row().method {
        // What is read comes from the store, which holds no secret.
        Method::Get => to_raw_value(output),
        // What was just done is told from memory, where the caller's own words stand.
        Method::Post | Method::Patch | Method::Put | Method::Delete => {
            let sealed = core.store.redactor().seal_json(output);
            RawValue::from_string(sealed.as_str().to_owned())
        }
    };
    Reply {
        json: json.expect("answers are plain data with text keys"),
        made: <Arc<Core> as Handler<O>>::made(output),
    }
}

/// What the caller is told of a failure. It may repeat their own words, so it is masked too.
pub(crate) fn told(core: &Core, error: Error) -> ErrorBody {
    let body = ErrorBody::from(error);
    ErrorBody {
        message: core.store.redactor().mask(&body.message).into_owned(),
        ..body
    }
}
