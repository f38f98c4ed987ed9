//! The progress of a batch on standard error: bars on a terminal, otherwise a line per result.

use crate::cli::io::out::remark;
use crate::cli::verify::bars::Bars;
use crate::escape::visible;
use crate::report::record::{Record, Unit};
use crate::report::summary;
use crate::verify::Progress;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Shows how far a batch is.
#[derive(Debug)]
pub enum Display {
    Silent,
    /// A line per result.
    Lines {
        /// The number of those that are done.
        done: AtomicUsize,
        /// Of so many.
        total: usize,
    },
    /// A bar for all, and a line per worker with what it is doing.
    Bars(Bars),
}

impl Display {
    /// For so many units and workers; each unit takes no longer than `limit`.
    pub fn new(quiet: bool, total: usize, workers: usize, limit: Option<Duration>) -> Display {
        if quiet || total == 0 {
            Display::Silent
        } else if std::io::stderr().is_terminal() {
            Display::Bars(Bars::new(total, workers, limit))
        } else {
            Display::Lines { done: AtomicUsize::new(0), total }
        }
    }

    pub fn begin(&self, worker: usize, unit: &Unit) {
        if let Display::Bars(bars) = self {
            bars.begin(worker, &format!("{}  {}", unit.label(), unit.model));
        }
    }

    pub fn progress(&self, worker: usize, progress: Progress) {
        if let Display::Bars(bars) = self {
            bars.progress(worker, progress);
        }
    }

    pub fn end(&self, worker: usize, record: &Record) {
        for warning in &record.refused {
            self.say(&format!("warning: {}", visible(warning)));
        }
        match self {
            Display::Silent => {}
            Display::Lines { done, total } => {
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                remark(format_args!("[{done}/{total}] {} ({:.2} s)", words(record), record.seconds.wall));
            }
            Display::Bars(bars) => {
                bars.end(worker);
                if summary::needs_attention(record) {
                    self.say(&words(record));
                }
            }
        }
    }

    fn say(&self, words: &str) {
        match self {
            Display::Bars(bars) => bars.say(|| remark(words)),
            Display::Silent | Display::Lines { .. } => remark(words),
        }
    }

    /// Leaves nothing behind on the terminal.
    pub fn close(self) {
        if let Display::Bars(bars) = self {
            bars.close();
        }
    }
}

fn words(record: &Record) -> String {
    let words = format!("{} {}: {}", record.unit.model, record.unit.label(), summary::line(record));
    visible(&words).into_owned()
}
