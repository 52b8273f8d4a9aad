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

/// A printer, and whether anyone reads it.
pub(super) struct Printed {
    printer: Box<dyn Printer>,
    /// Why nobody reads any more.
    pub(super) broken: Option<io::Error>,
}

impl Printed {
    pub(super) fn new(printer: Box<dyn Printer>) -> Self {
        Self {
            printer,
            broken: None,
        }
    }

    /// Tells it, as long as anyone reads.
    pub(super) fn tell(&mut self, how: impl FnOnce(&mut dyn Printer) -> io::Result<()>) {
        if self.broken.is_none() {
            self.broken = how(&mut *self.printer).err();
        }
    }

    pub(super) fn news(&mut self, news: &News) {
        self.tell(|printer| printer.news(news));
    }

    /// Tells that there is nothing to sum up.
    pub(super) fn lost(&mut self, why: &str) {
        self.tell(|printer| printer.lost(why));
    }
}
