//! Fleets: independent tasks, each done by a worker process of its own, under one run.
//!
//! A run is a stream of the log. Its rows say how it stands, its events how it came to stand so.

mod event;
mod news;
mod receipt;
mod run;
mod spec;
mod worker;

pub use event::{FleetEvent, FleetReplay, FleetReplayParams};
pub use news::{
    FleetNews, FleetReceiptRecorded, FleetRunCreated, FleetRunStatusChanged, FleetTaskEnqueued,
    FleetTaskLeased, FleetTaskTerminal, FleetWorkerNews, FleetWorkerState,
};
pub use receipt::{
    FleetEvidence, FleetFailureKind, FleetReceipt, FleetReceiptParams, FleetReceipts, FleetResult,
    FleetScore,
};
pub use run::{
    FleetCreated, FleetDetail, FleetLifecycle, FleetListParams, FleetRunParams, FleetRuns,
    FleetStartParams, FleetStarted, FleetStatus, FleetStopped, FleetSummary, FleetTaskEntry,
    FleetTaskStatus, FleetWorkflow,
};
pub use spec::{
    FleetBudget, FleetCreateParams, FleetExpectedArtifact, FleetHost, FleetRetryPolicy, FleetRole,
    FleetScorer, FleetTaskEnvironment, FleetTaskSpec, FleetTaskWorker, FleetTaskWorkspace,
    FleetWorkerSpec, FleetWorkflowSpec,
};
pub use worker::{
    FleetArtifact, FleetInspection, FleetLatestEvent, FleetRestarted, FleetRuntimeState,
    FleetWorkerActed, FleetWorkerParams, FleetWorkerStatus, FleetWorkerView, FleetWorkers,
};
