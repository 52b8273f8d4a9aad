//! `load_skill`: the text of a skill, and what lies beside it.

use std::fmt::Write;

use codewhale_policy::{Act, Demand};
use codewhale_protocol::runtime::ItemKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::blocking::{blocking, reading};
use crate::library::{Catalogue, Skill};
use crate::limits::{LISTING_BYTES_MAX, SKILL_NAME_BYTES_MAX};
use crate::results::fit;
use crate::typed::Typed;
use crate::{Context, Output, Prepared, Preview};

/// Reads a skill: instructions for a certain kind of task, kept by the user. When a task fits the
/// description of a skill, load it before you begin and do as it says. Without a name it lists all
/// skills.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The name of the skill. Default: none, which lists the skills.
    name: Option<String>,
}

pub(crate) struct LoadSkill;

impl Typed for LoadSkill {
    const NAME: &'static str = "load_skill";
    const ALIASES: &'static [&'static str] = &[];
    // What it reads is what the user has laid out for the thread, wherever it lies.
    const ACT: Act = Act::Inward;
    const KIND: ItemKind = ItemKind::ToolCall;
    type Input = Input;

    async fn prepare(input: Input, _: &Context) -> Result<Prepared, Output> {
        let name = input.name.map(|name| name.trim().to_owned());
        let name = name.filter(|name| !name.is_empty());
        if name
            .as_ref()
            .is_some_and(|name| name.len() > SKILL_NAME_BYTES_MAX)
        {
            return Err(Output::failure(format!(
                "no skill has a name of more than {SKILL_NAME_BYTES_MAX} bytes; call load_skill \
                 without a name to see those there are"
            )));
        }
        let description = match &name {
            Some(name) => format!("Load the skill {name}"),
            None => "List the skills".to_owned(),
        };
        let preview = Preview {
            description,
            ..Preview::default()
        };
        Ok(Prepared::new(
            Demand::Inward,
            Self::NAME,
            name,
            preview,
            run,
        ))
    }
}

async fn run(name: Option<String>, context: Context) -> Output {
    let library = context.library.clone();
    let Some(name) = name else {
        return reading(&context.cancel, move || Ok(listed(&library.skills()))).await;
    };
    match blocking(move || library.skill(&name)).await {
        Ok(skill) => shown(skill, &context).await,
        Err(error) => Output::failure(error.to_string()),
    }
}

fn listed(catalogue: &Catalogue) -> Output {
    let mut text = String::new();
    for (name, description) in &catalogue.skills {
        let _ = writeln!(text, "{name}: {description}");
    }
    for broken in &catalogue.broken {
        let _ = writeln!(text, "[not usable: {broken}]");
    }
    if text.is_empty() {
        text.push_str("there are no skills");
    }
    if text.len() > LISTING_BYTES_MAX {
        text.truncate(text.floor_char_boundary(LISTING_BYTES_MAX));
        text.push_str("\n[cut here; there are more]");
    }
    Output::success(text.trim_end()).with_metadata(json!({
        "skills": catalogue.skills.len(),
        "broken": catalogue.broken.len(),
    }))
}

async fn shown(skill: Skill, context: &Context) -> Output {
    let mut text = format!("Skill {} in {}\n", skill.name, skill.directory.display());
    if !skill.files.is_empty() {
        let more = if skill.more_files { ", and more" } else { "" };
        let _ = writeln!(text, "Files beside it: {}{more}", skill.files.join(", "));
    }
    let _ = write!(text, "\n{}", skill.body);
    let fitted = fit(text, context).await;
    Output::success(fitted.text).with_metadata(json!({
        "skill": skill.name,
        "files": skill.files,
        "truncated": fitted.truncated,
        "ref": fitted.reference,
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::testing::Bench;
    use crate::testing_library::Books;

    async fn load(input: Value) -> Output {
        let bench = Bench::new();
        match bench.prepare("load_skill", input).await {
            Ok(prepared) => {
                assert_eq!(prepared.demand, Demand::Inward);
                prepared
                    .run(bench.context().with_library(Books::shared()))
                    .await
            }
            Err(failure) => failure,
        }
    }

    #[tokio::test]
    async fn a_skill_comes_with_its_place_and_the_files_beside_it() {
        let output = load(json!({"name": " deploy "})).await;
        assert!(output.success);
        assert_eq!(
            output.text,
            "Skill deploy in /skills/deploy\nFiles beside it: check.sh, notes/a.md, and more\n\n\
             Push the button."
        );
    }

    #[tokio::test]
    async fn without_a_name_the_skills_are_listed_with_those_that_are_broken() {
        for input in [json!({}), json!({"name": "  "})] {
            let output = load(input).await;
            let expected = "deploy: Ships it.\n[not usable: /skills/bad/SKILL.md has no name]";
            assert_eq!((output.success, output.text.as_str()), (true, expected));
        }
    }

    #[tokio::test]
    async fn a_skill_that_is_not_there_says_how_to_see_the_others() {
        let output = load(json!({"name": "deplyo"})).await;
        assert!(
            !output.success && output.text.contains("without a name"),
            "{}",
            output.text
        );
        let output = load(json!({"name": "x".repeat(5_000)})).await;
        assert!(
            !output.success && output.text.len() < 200,
            "{}",
            output.text
        );
    }

    #[tokio::test]
    async fn a_turn_without_a_library_has_no_skills() {
        let bench = Bench::new();
        let output = bench.call("load_skill", json!({})).await;
        assert_eq!(output.text, "there are no skills");
        assert!(
            !bench
                .call("load_skill", json!({"name": "deploy"}))
                .await
                .success
        );
    }
}
