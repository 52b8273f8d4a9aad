//! The seam of the printers: each tells the same news in its own form.

use std::io;

use super::news::News;
use super::receipt::Receipt;

/// Tells what happens. An error means that nobody reads any more.
pub(super) trait Printer {
    /// Something happened.
    fn news(&mut self, news: &News) -> io::Result<()>;

    /// The run is over.
    fn end(&mut self, receipt: &Receipt) -> io::Result<()>;

    /// It could not begin, or was lost on the way: there is nothing to sum up.
    fn lost(&mut self, why: &str) -> io::Result<()>;
}
