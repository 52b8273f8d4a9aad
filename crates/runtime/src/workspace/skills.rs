//! The skills that count in a workspace.

use std::path::Path;
use std::sync::Arc;

use codewhale_engine::ListedSkill;
use codewhale_protocol::Caller;
use codewhale_protocol::operations::SkillsList;
use codewhale_protocol::runtime::{SkillInfo, SkillList, WorkspaceParams};

use crate::Error;
use crate::runtime::Core;
use crate::serve::Handler;

impl Handler<SkillsList> for Arc<Core> {
    async fn handle(&self, caller: &Caller, params: WorkspaceParams) -> Result<SkillList, Error> {
        let workspace = self.visible_workspace(caller, params.workspace.as_deref())?;
        let workspace = Path::new(&workspace);
        let is_trusted = self.trusted_content(workspace).await.is_some();
        let Some(sources) = self.sources_for(workspace, is_trusted) else {
            return Ok(SkillList::default());
        };
        let listed = self.store.apart(move || sources.list_skills()).await?;
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Ok(SkillList {
            directory: text(&listed.own),
            directories: listed.directories.iter().map(|it| text(it)).collect(),
            warnings: listed.problems.iter().map(ToString::to_string).collect(),
            skills: listed.skills.into_iter().map(info).collect(),
        })
    }
}

fn info(skill: ListedSkill) -> SkillInfo {
    SkillInfo {
        name: skill.name,
        description: skill.description,
        path: Some(skill.file.to_string_lossy().into_owned()),
        source: "native".to_owned(),
        plugin_id: skill.plugin,
        plugin_generation: None,
        plugin_content_hash: None,
        enabled: true,
        is_bundled: false,
    }
}
