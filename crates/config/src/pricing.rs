//! Prices of one's own, which go before the built-in ones.

use crate::layers::{Layer, Layers};
use crate::schema::{self, Key};
use crate::{Error, Origin};

/// What a model costs, in dollars per million tokens.
#[derive(Clone, PartialEq, Debug)]
pub struct Pricing {
    /// The model, in the spelling of its provider.
    pub model: String,
    /// Tokens sent.
    pub input: f64,
    /// Tokens sent that the provider had cached; as the others when nobody says.
    pub cached: f64,
    /// Tokens received.
    pub output: f64,
}

/// Every price in the file; one of the profile goes before one outside of it.
pub(crate) fn read(layers: &Layers<'_>) -> Result<Vec<Pricing>, Error> {
    let mut prices: Vec<Pricing> = Vec::new();
    for layer in &layers.files {
        for model in layer.names(schema::PRICING) {
            if !prices.iter().any(|known| known.model == model) {
                prices.push(price(layer, model)?);
            }
        }
    }
    Ok(prices)
}

fn price(layer: &Layer<'_>, model: &str) -> Result<Pricing, Error> {
    let dollars = |key: &Key<f64>| layer.get(key, model).map(|it| it.value);
    let half = || Error::HalfAPrice {
        model: model.to_owned(),
        origin: Origin::clone(&layer.origin),
    };
    let input = dollars(&schema::PRICE_INPUT).ok_or_else(half)?;
    Ok(Pricing {
        model: model.to_owned(),
        input,
        cached: dollars(&schema::PRICE_CACHED).unwrap_or(input),
        output: dollars(&schema::PRICE_OUTPUT).ok_or_else(half)?,
    })
}
