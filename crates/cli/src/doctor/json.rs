//! The report for programs: every field of the contract, and what else we know for sure.

use serde_json::{Value, json};

use super::facts::{Facts, McpFacts, SkillFacts};
use super::place::Place;
use crate::compose;
use codewhale_mcp_client::{Inspected, Verdict};

pub(super) fn report(facts: &Facts) -> Value {
    let route = &facts.route;
    json!({
        "version": compose::VERSION,
        "config_path": facts.config_path,
        "config_present": facts.config_present,
        "workspace": facts.workspace,
        "api_key": {
            "source": route.key.source,
            "source_detail": route.key.detail,
            "availability": route.key.availability,
        },
        "base_url": route.base_url,
        "default_text_model": route.model,
        "memory": {
            "enabled": facts.memory_enabled,
            "path": facts.memory_file,
            "file_present": facts.memory_file.is_file(),
        },
        "mcp": mcp(&facts.mcp),
        "skills": skills(&facts.skills),
        "tools": facts.tools.json(),
        "plugins": facts.plugins.json(),
        "sandbox": {
            "available": facts.sandbox.is_some(),
            "kind": facts.sandbox.map(|kind| kind.replace('-', "_")),
            "missing": facts.sandbox_missing,
        },
        "storage": { "spillover": facts.spillover.json(), "stash": facts.stash.json() },
        "paths": {
            "home": facts.home,
            "config": facts.config_path,
            "runtime_store": facts.store,
            "secrets": facts.keys,
        },
        "home_writable": facts.home_writable,
        "legacy_home": facts.legacy_home,
        "secret_backend": {
            "backend": "file",
            "inspection": "metadata_only",
            "path": facts.keys,
            "presence": if facts.keys.is_file() { "present" } else { "absent" },
        },
        "route_scope": "configured_at_launch",
        "model_resolution": match route.problem {
            None => "resolved",
            Some(_) => "configured_unresolved",
        },
        "route": {
            "provider": route.provider,
            "provider_source": route.provider_source,
            "model": route.model,
            "wire_protocol": route.wire,
            "base_url": { "redacted": route.base_url, "class": route.base_class },
            "auth": { "source": route.key.detail, "availability": route.key.availability },
            "context_window": { "tokens": route.context_window },
            "route_error": route.problem,
        },
        "permissions": {
            "allow_shell": facts.allow_shell,
            "approval_policy": facts.approval_policy,
            "sandbox_mode": facts.sandbox_mode,
        },
        "tls": { "certificate_verification": true, "insecure_skip_tls_verify": false },
        "platform": { "os": std::env::consts::OS, "arch": std::env::consts::ARCH },
        "api_connectivity": {
            "checked": false,
            "status": "not_probed",
            "note": "doctor --json contacts nobody",
        },
        "warnings": facts.warnings,
    })
}

fn mcp(facts: &McpFacts) -> Value {
    let servers = facts.servers.as_deref().unwrap_or_default();
    json!({
        "config_path": facts.file,
        "present": facts.present,
        "servers": servers.iter().map(server).collect::<Vec<_>>(),
        "error": facts.servers.as_ref().err().map(ToString::to_string),
        "project_config_path": facts.project_file,
        "project_present": facts.project_file.is_file(),
        "probe_scope": "configuration",
        "live_health_checked": false,
    })
}

fn server(server: &Inspected) -> Value {
    let configuration = match server.verdict {
        Verdict::Fine(_) => "valid",
        Verdict::Doubtful(_) => "warning",
        Verdict::Broken(_) => "invalid",
    };
    json!({
        "name": server.name,
        "enabled": server.enabled,
        "status": server.verdict.word(),
        "detail": server.verdict.detail(),
        "transport": server.transport,
        "args_count": server.args,
        "env_count": server.env,
        "headers_count": server.headers,
        "check_scope": "configuration",
        "checks": {
            "configuration": { "status": configuration, "detail": server.verdict.detail() },
            "process_reachable": "not_checked",
            "protocol_initialized": "not_checked",
            "backend_tool_health": "not_checked",
        },
    })
}

fn skills(facts: &SkillFacts) -> Value {
    let nowhere = || json!({ "path": null, "present": false, "count": 0 });
    json!({
        "selected": facts.selected,
        "global": facts.global.json(),
        "agents": facts.agents.json(),
        "agents_global": facts.agents_global.as_ref().map_or_else(nowhere, Place::json),
        "local": facts.local.json(),
        "opencode": facts.opencode.json(),
        "claude": facts.claude.json(),
    })
}
