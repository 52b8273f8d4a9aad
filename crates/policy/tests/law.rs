//! The law from outside: tables of commands, tables of settings, and properties.

mod law {
    pub(crate) mod bench;
    mod bounds;
    mod bypass;
    mod client;
    mod harm;
    mod hooked;
    mod looking;
    mod mcp;
    mod properties;
    mod reading;
    mod rules;
    mod settings;
    mod variants;
}
