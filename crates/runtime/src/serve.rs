//! From a call to its handler. The table decides; a handler that is missing does not compile.

use std::sync::Arc;

use codewhale_protocol::operations::{self, Op, Operation};
use codewhale_protocol::{Call, Caller, Reply};
use serde_json::Value;
use serde_json::value::to_raw_value;

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
    let params = serde_json::from_value(params).map_err(Error::Shape)?;
    let output = Handler::<O>::handle(core, caller, params).await?;
    Ok(to_raw_value(&output).expect("answers are plain data with text keys"))
}
