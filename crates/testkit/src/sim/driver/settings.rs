//! Requests about settings.

use codewhale_protocol::operations::Op;
use serde_json::json;

use super::Driver;
use crate::sim::Violation;
use crate::sim::journal::SECRET;

impl Driver {
    /// Looks at settings, or changes some.
    pub(super) fn configure(&mut self) -> Result<(), Violation> {
        let named = json!({ "provider_id": "simulated" });
        let value = json!({ "key": "note", "value": SECRET });
        let ways = [
            (Op::ProvidersList, json!({})),
            (Op::ProvidersModels, named.clone()),
            (Op::ProvidersSwitch, named),
            (Op::ConfigGet, json!({})),
            (Op::ConfigSet, value),
            (Op::ConfigReload, json!({})),
        ];
        for _ in 0..3 {
            let (op, params) = self.dice.pick(&ways).clone();
            self.order(op, params);
        }
        Ok(())
    }
}
