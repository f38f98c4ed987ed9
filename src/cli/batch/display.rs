//! What people see while a batch runs, on standard error: bars on a terminal, otherwise a line per result.

use crate::report::record::{Record, Unit};
use crate::report::summary;
use crate::verify::Progress;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How often the times that are shown go on.
const TICK: Duration = Duration::from_millis(200);

/// Shows how far a batch is.
#[derive(Debug)]
pub enum Display {
    /// Nothing.
    Silent,
    /// A line per result.
    Lines {
        /// So many are done.
        done: AtomicUsize,
        /// Of so many.
        total: usize,
    },
    /// A bar for all, and a line per worker with what it is doing.
    Bars {
        /// Everything.
        all: MultiProgress,
        /// The bar.
        bar: ProgressBar,
        /// The lines.
        workers: Vec<ProgressBar>,
    },
}

impl Display {
    /// For so many units and workers.
    pub fn new(quiet: bool, total: usize, workers: usize) -> Display {
        if quiet || total == 0 {
            return Display::Silent;
        }
        if !std::io::stderr().is_terminal() {
            return Display::Lines { done: AtomicUsize::new(0), total };
        }
        let style = |template: &str| ProgressStyle::with_template(template).expect("the template is well-formed");
        let all = MultiProgress::new();
        let bar = all.add(ProgressBar::new(total as u64));
        bar.set_style(style("{bar:40} {pos} of {len} done, {msg}, {elapsed}, about {eta} left"));
        bar.set_message("0 running");
        bar.enable_steady_tick(TICK);
        let line = || {
            let line = all.add(ProgressBar::new_spinner());
            line.set_style(style("  {wide_msg}"));
            line
        };
        let workers = (0..workers).map(|_| line()).collect();
        Display::Bars { all, bar, workers }
    }

    /// A worker begins.
    pub fn begin(&self, worker: usize, unit: &Unit) {
        if let Display::Bars { workers, .. } = self {
            let line = &workers[worker];
            line.reset_elapsed();
            line.set_prefix(format!("{} {}", unit.model, unit.label()));
            line.set_message(line.prefix());
            self.count_running();
        }
    }

    /// A worker gets on.
    pub fn progress(&self, worker: usize, progress: Progress) {
        if let Display::Bars { workers, .. } = self {
            let line = &workers[worker];
            let depth = progress.clear.map(|depth| format!(", clear up to {depth}")).unwrap_or_default();
            line.set_message(format!("{}: {}{depth}", line.prefix(), progress.engine));
        }
    }

    /// A worker is done; the result is missing if there will be none.
    pub fn end(&self, worker: usize, record: &Record) {
        match self {
            Display::Silent => {}
            Display::Lines { done, total } => {
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                let (model, label, result) = (&record.unit.model, record.unit.label(), summary::line(record));
                let seconds = record.seconds.wall;
                anstream::eprintln!("[{done}/{total}] {model} {label}: {result} ({seconds:.2} s)");
            }
            Display::Bars { bar, workers, all } => {
                workers[worker].set_message("");
                bar.inc(1);
                self.count_running();
                if summary::needs_attention(record) {
                    let (model, label, result) = (&record.unit.model, record.unit.label(), summary::line(record));
                    // A terminal that is gone needs no words.
                    let _ = all.println(format!("{model} {label}: {result}"));
                }
            }
        }
    }

    fn count_running(&self) {
        if let Display::Bars { bar, workers, .. } = self {
            let running = workers.iter().filter(|line| !line.message().is_empty()).count();
            bar.set_message(format!("{running} running"));
        }
    }

    /// Leaves nothing behind on the terminal.
    pub fn close(self) {
        if let Display::Bars { all, .. } = self {
            let _ = all.clear();
        }
    }
}
