//! Something that is wrong, and where.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    severity: Severity,
    path: String,
    line: Option<usize>,
    message: String,
}

/// Ordered so that failures stand last, where a reader of the output looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    Warning,
    Failure,
}

impl Finding {
    /// Must not stay.
    pub(super) fn failure(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Failure, path.into(), message.into())
    }

    /// Worth a look.
    pub(super) fn warning(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, path.into(), message.into())
    }

    /// At this line, counted from 1.
    pub(super) fn at(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    pub(super) fn is_failure(&self) -> bool {
        self.severity == Severity::Failure
    }

    fn new(severity: Severity, path: String, message: String) -> Self {
        Self {
            severity,
            path,
            line: None,
            message,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.severity == Severity::Warning {
            to.write_str("warning: ")?;
        }
        to.write_str(&self.path)?;
        if let Some(line) = self.line {
            write!(to, ":{line}")?;
        }
        write!(to, ": {}", self.message)
    }
}

/// What a test compares: the findings as a person reads them.
#[cfg(test)]
pub(super) fn shown(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(ToString::to_string).collect()
}
