//! What walls cost: a command that does nothing, without them and between them.

use anyhow::Result;
use codewhale_sandbox::{Confinement, Walls, measure, probe};

use super::Bench;
use super::report::Report;
use super::samples::Samples;
use super::watch::ms;

/// Commands per run; the figure of a run is their median.
const COMMANDS: usize = 40;

pub(super) async fn run(bench: &Bench, report: &mut Report) -> Result<()> {
    let support = probe();
    if !support.is_available() {
        let why = support.missing.join("; ");
        report.skip("walls.more", &why);
        return Ok(());
    }
    let walls = Walls::Confined(Confinement::workspace(bench.folder.path()));
    let (mut open, mut more) = (Samples::default(), Samples::default());
    for _ in 0..bench.scale.runs {
        let bare = measure(&Walls::Open, COMMANDS).await?;
        let held = measure(&walls, COMMANDS).await?;
        open.value(ms(bare));
        more.value(ms(held) - ms(bare));
    }
    report.add("walls.open", open, "");
    report.add("walls.more", more, support.kind());
    Ok(())
}
