//! The decision over one call.

use std::path::Path;

use codewhale_protocol::runtime::Mode;

use crate::network::HostVerdict;
use crate::question::{Question, allow, deny};
use crate::ruling::{self, Ruling, Trust};
use crate::shell::Script;
use crate::{
    Act, Amendments, Answerer, Authority, Confinement, Decision, Demand, Execution, File, Host,
    Law, McpCall, NetworkDefault, NetworkPolicy, Verdict, Walls, harm, paths,
};

/// A call that is to be judged.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The tool.
    pub tool: &'a str,
    /// What it would do.
    pub demand: &'a Demand,
    /// The workspace of the thread. Rules count for it, and what leaves it is grave.
    pub workspace: &'a Path,
}

/// Whether a tool with this act is shown to the model at all.
pub fn offers(act: Act, authority: &Authority) -> bool {
    match act {
        Act::Inward | Act::Read | Act::Fetch | Act::McpLook => true,
        Act::Write | Act::McpCall | Act::Client => authority.permission.mode != Mode::Plan,
        Act::Execute => authority.permission.mode != Mode::Plan && authority.allow_shell,
    }
}

/// Decides over one call.
pub fn decide(call: Call<'_>, authority: &Authority, law: &Law) -> Decision {
    let refusal = inadmissible(call.demand, authority);
    if let Some(refusal) = refusal.or_else(|| out_of_bounds(call.demand, authority, law)) {
        return refusal;
    }
    match call.demand {
        Demand::Inward => allow("builtin:inward", "nothing leaves the turn"),
        Demand::Read(files) => read(call, files, authority, law),
        Demand::Write(files) => write(call, files, authority, law),
        Demand::Execute(execution) => execute(call, execution, authority, law),
        Demand::Fetch(host) => fetch(call, host, authority, law),
        Demand::Mcp(mcp_call) => mcp(call, mcp_call, authority, law),
        Demand::Client(input) => client(call, input, authority, law),
    }
}

/// The same decision where a hook wants a person asked. It only ever tightens: what the law refuses
/// or asks a person about stays as it is.
pub fn decide_with_person(decision: Decision, wish: &str, authority: &Authority) -> Decision {
    match decision.verdict {
        Verdict::Allow | Verdict::Ask(Answerer::AlwaysYes) => {
            Question::Hooked.put("hook:ask", wish, authority)
        }
        Verdict::Ask(Answerer::Person | Answerer::AlwaysNo) | Verdict::Deny => decision,
    }
}

/// What mode and thread do not admit, whatever the rules say.
fn inadmissible(demand: &Demand, authority: &Authority) -> Option<Decision> {
    let changes = matches!(
        demand.act(),
        Act::Write | Act::Execute | Act::McpCall | Act::Client
    );
    if authority.permission.mode == Mode::Plan && changes {
        return Some(deny(
            "mode:plan",
            "the thread is in plan mode, where nothing is written or run; describe the change instead",
        ));
    }
    if demand.is_outside() && !authority.trust_mode {
        return Some(deny(
            "builtin:stay-in-workspace",
            "the path is outside the workspace; use a path inside it, or ask the user to turn trust mode on",
        ));
    }
    if demand.act() == Act::Execute && !authority.allow_shell {
        return Some(deny(
            "thread:no-shell",
            "the shell is not enabled for this thread; the user can set allow_shell",
        ));
    }
    if demand.act() == Act::Write && authority.confinement == Confinement::ReadOnly {
        return Some(deny(
            "confinement:read-only",
            "the thread is held to reading; the user can configure a wider sandbox",
        ));
    }
    None
}

/// What the bounds of the work do not admit: where files change in some places only, so does
/// everything that could change them.
fn out_of_bounds(demand: &Demand, authority: &Authority, law: &Law) -> Option<Decision> {
    if !law.binds_writing() {
        return None;
    }
    let refuse = |reason: &str| Some(deny("bounds:writable-paths", reason));
    match demand {
        Demand::Write(files) => {
            let file = files.iter().find(|file| !law.is_writable(&file.path))?;
            let path = file.path.display();
            refuse(&format!(
                "{path} is outside the paths this work may change; change only those"
            ))
        }
        Demand::Execute(execution) if widens(execution.walls, authority) => {
            refuse("this work may change some paths only, so its commands stay within walls")
        }
        Demand::Execute(_) if !authority.holds() => refuse(
            "this work may change some paths only, and no walls hold a command to them here; use \
             the file tools",
        ),
        Demand::Mcp(call) if !call.only_looks => {
            refuse("this work may change some paths only, and nothing holds an MCP server to them")
        }
        Demand::Client(_) => {
            refuse("this work may change some paths only, and nothing holds a client to them")
        }
        Demand::Execute(_)
        | Demand::Mcp(_)
        | Demand::Inward
        | Demand::Read(_)
        | Demand::Fetch(_) => None,
    }
}

fn read(call: Call<'_>, files: &[File], authority: &Authority, law: &Law) -> Decision {
    match ruling::of_files(call, files, law) {
        Ruling::Open(_) | Ruling::Looks if call.demand.is_outside() => {
            allow("trust-mode:read-outside", "nothing changes")
        }
        Ruling::Open(_) | Ruling::Looks => allow("builtin:read-in-workspace", "nothing changes"),
        ruling => by_rule(&ruling, authority),
    }
}

fn write(call: Call<'_>, files: &[File], authority: &Authority, law: &Law) -> Decision {
    let ruling = ruling::of_files(call, files, law);
    if let Ruling::Denied(_) = ruling {
        return by_rule(&ruling, authority);
    }
    if let Some(file) = files.iter().find(|file| paths::is_guarded(&file.path)) {
        let what = format!("{} decides what others run later", file.path.display());
        return Question::Grave.put("guard:settings", &what, authority);
    }
    match ruling {
        Ruling::Open(_) | Ruling::Looks => {
            let is_outside = call.demand.is_outside();
            let reason = match is_outside {
                true => "files outside the workspace would change",
                false => "files would change",
            };
            let question = Question::Unproven {
                is_held: !is_outside,
            };
            question.put("builtin:ask-before-write", reason, authority)
        }
        ruling => by_rule(&ruling, authority),
    }
}

fn execute(call: Call<'_>, execution: &Execution, authority: &Authority, law: &Law) -> Decision {
    let script = Script::read(&execution.script);
    let is_usual = !widens(execution.walls, authority);
    let trust = Trust {
        in_looking: is_usual && authority.holds(),
        outside: authority.trust_mode,
    };
    let ruling = ruling::of_script(call, execution, &script, law, trust);
    if let Ruling::Denied(_) = ruling {
        return by_rule(&ruling, authority);
    }
    if let Some(harm) = harm::of_script(&script, &execution.cwd, call.workspace) {
        return Question::Grave.put(harm.rule, &harm.what, authority);
    }
    if let Ruling::Suspect(_) = ruling {
        return by_rule(&ruling, authority);
    }
    if !is_usual {
        return wider_walls(execution.walls, authority, law);
    }
    match ruling {
        Ruling::Looks => allow(
            "builtin:only-looks",
            "the command only looks, and walls hold it",
        ),
        Ruling::Open(prefixes) => {
            let reason = match authority.confined || authority.is_full() {
                true => "a command would run",
                false => "a command would run, and this system cannot hold it in walls",
            };
            let question = Question::Unproven {
                is_held: authority.holds(),
            };
            let decision = question.put("builtin:ask-before-run", reason, authority);
            decision.proposing(Amendments {
                prefixes,
                ..Amendments::default()
            })
        }
        ruling => by_rule(&ruling, authority),
    }
}

/// Whether a call wants wider walls than its thread has.
pub fn wants_wider_walls(demand: &Demand, authority: &Authority) -> bool {
    match demand {
        Demand::Execute(execution) => widens(execution.walls, authority),
        Demand::Inward
        | Demand::Read(_)
        | Demand::Write(_)
        | Demand::Fetch(_)
        | Demand::Mcp(_)
        | Demand::Client(_) => false,
    }
}

fn widens(walls: Walls, authority: &Authority) -> bool {
    let is_open = authority.confinement == Confinement::FullAccess;
    match walls {
        Walls::Usual => false,
        Walls::Network => !authority.network && !is_open,
        Walls::Without => !is_open,
    }
}

fn wider_walls(walls: Walls, authority: &Authority, law: &Law) -> Decision {
    let is_shut = law.network().default == NetworkDefault::Deny;
    let (rule, reason) = match walls {
        Walls::Without => (
            "builtin:ask-before-leaving-walls",
            "the command wants to run without walls",
        ),
        Walls::Usual | Walls::Network => (
            "builtin:ask-before-network",
            "the command wants the network",
        ),
    };
    if is_shut && !authority.is_full() {
        return deny(
            "network:default=deny",
            "the network is shut for commands; the user can change the network policy",
        );
    }
    Question::Wider.put(rule, reason, authority)
}

fn fetch(call: Call<'_>, host: &Host, authority: &Authority, law: &Law) -> Decision {
    let ruling = ruling::of_host(call, host, law);
    let verdict = law.network().judge(&host.name);
    if let HostVerdict::Deny(rule) = &verdict {
        return deny(
            rule,
            "the network policy shuts this host; the user can change it",
        );
    }
    match (ruling, verdict) {
        (Ruling::Open(_) | Ruling::Looks, HostVerdict::Allow(rule)) => {
            allow(&rule, "the network policy opens this host")
        }
        (Ruling::Open(_) | Ruling::Looks, HostVerdict::Prompt | HostVerdict::Deny(_)) => {
            let question = Question::Unproven { is_held: false };
            let decision = question.put(
                "builtin:ask-before-fetch",
                "a host would be spoken to",
                authority,
            );
            decision.proposing(Amendments {
                network: NetworkPolicy::proposals(&host.name),
                ..Amendments::default()
            })
        }
        (ruling, _) => by_rule(&ruling, authority),
    }
}

fn mcp(call: Call<'_>, mcp: &McpCall, authority: &Authority, law: &Law) -> Decision {
    let ruling = ruling::of_mcp(call, mcp, law);
    if let Ruling::Denied(_) = ruling {
        return by_rule(&ruling, authority);
    }
    let verdict = mcp.host.as_deref().map(|host| law.network().judge(host));
    if let Some(HostVerdict::Deny(rule)) = verdict {
        return deny(
            &rule,
            "the network policy shuts the host of this server; the user can change it",
        );
    }
    match ruling {
        Ruling::Open(_) | Ruling::Looks if mcp.only_looks => {
            allow("builtin:mcp-only-looks", "nothing changes")
        }
        Ruling::Open(_) | Ruling::Looks => {
            let question = Question::Unproven { is_held: false };
            let reason = "an MCP server would do something";
            question.put("builtin:ask-before-mcp", reason, authority)
        }
        ruling => by_rule(&ruling, authority),
    }
}

/// Whoever runs the tool is asked by the call itself, and can refuse it. What rules say still counts.
fn client(call: Call<'_>, input: &str, authority: &Authority, law: &Law) -> Decision {
    match ruling::of_input(call, input, law) {
        Ruling::Open(_) | Ruling::Looks => allow(
            "builtin:client-tool",
            "the client offered the tool for this turn and runs it itself",
        ),
        ruling => by_rule(&ruling, authority),
    }
}

/// What a rule that someone laid down leads to.
fn by_rule(ruling: &Ruling<'_>, authority: &Authority) -> Decision {
    let (entry, decision) = match ruling {
        Ruling::Denied(entry) => (
            entry,
            deny(
                "",
                "a rule forbids it; do something else, or ask the user to change the rule",
            ),
        ),
        Ruling::Suspect(entry) => (
            entry,
            Question::Grave.put(
                "",
                "it may hold a command that a rule forbids; the text does not tell",
                authority,
            ),
        ),
        Ruling::Asked(entry) => (
            entry,
            Question::Ruled.put("", "a rule wants someone asked", authority),
        ),
        Ruling::Allowed(entry) => (entry, allow("", "a rule allows it")),
        Ruling::Looks | Ruling::Open(_) => return allow("builtin:only-looks", "nothing changes"),
    };
    let waived = decision.matched_rule.clone();
    let matched_rule = match waived.is_empty() {
        true => entry.rule.label(),
        false => waived,
    };
    Decision {
        matched_rule,
        matched_action: Some(entry.action()),
        ..decision
    }
}

impl Decision {
    /// The same with proposals, if a person is asked.
    fn proposing(self, amendments: Amendments) -> Self {
        match self.verdict {
            Verdict::Ask(Answerer::Person) => Self { amendments, ..self },
            Verdict::Ask(Answerer::AlwaysYes | Answerer::AlwaysNo)
            | Verdict::Allow
            | Verdict::Deny => self,
        }
    }
}
