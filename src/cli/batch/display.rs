//! What people see while a batch runs, on standard error: bars on a terminal, otherwise a line per result.

use super::known::Known;
use crate::cli::out::remark;
use crate::escape::visible;
use crate::report::record::{Record, Unit};
use crate::report::summary;
use crate::verify::Progress;
use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How often the times that are shown go on.
const TICK: Duration = Duration::from_millis(500);

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
    Bars(Bars),
}

/// On a terminal.
#[derive(Debug)]
pub struct Bars {
    all: MultiProgress,
    bar: ProgressBar,
    workers: Vec<Line>,
    busy: AtomicUsize,
}

/// What a worker is doing.
#[derive(Debug)]
struct Line {
    bar: ProgressBar,
    known: Mutex<Known>,
}

impl Display {
    /// For so many units and workers; each unit takes no longer than `limit`.
    pub fn new(quiet: bool, total: usize, workers: usize, limit: Option<Duration>) -> Display {
        if quiet || total == 0 {
            Display::Silent
        } else if std::io::stderr().is_terminal() {
            Display::Bars(Bars::new(total, workers.min(total), limit))
        } else {
            Display::Lines { done: AtomicUsize::new(0), total }
        }
    }

    /// A worker begins.
    pub fn begin(&self, worker: usize, unit: &Unit) {
        if let Display::Bars(bars) = self {
            bars.begin(worker, unit);
        }
    }

    /// A worker gets on.
    pub fn progress(&self, worker: usize, progress: Progress) {
        if let Display::Bars(bars) = self
            && let Some(line) = bars.workers.get(worker)
        {
            line.add(progress);
        }
    }

    /// A worker is done.
    pub fn end(&self, worker: usize, record: &Record) {
        for warning in &record.refused {
            self.warn(warning);
        }
        match self {
            Display::Silent => {}
            Display::Lines { done, total } => {
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                remark(format_args!("[{done}/{total}] {} ({:.2} s)", words(record), record.seconds.wall));
            }
            Display::Bars(bars) => bars.end(worker, record),
        }
    }

    /// Says what has to be reported, even where nothing else is said.
    fn warn(&self, warning: &str) {
        let words = format!("warning: {}", visible(warning));
        match self {
            // A terminal that is gone needs no words.
            Display::Bars(bars) => drop(bars.all.println(words)),
            Display::Silent | Display::Lines { .. } => remark(words),
        }
    }

    /// Leaves nothing behind on the terminal.
    pub fn close(self) {
        if let Display::Bars(Bars { all, .. }) = self {
            let _ = all.clear();
        }
    }
}

fn words(record: &Record) -> String {
    let words = format!("{} {}: {}", record.unit.model, record.unit.label(), summary::line(record));
    visible(&words).into_owned()
}

impl Bars {
    fn new(total: usize, workers: usize, limit: Option<Duration>) -> Bars {
        let all = MultiProgress::new();
        let bar = all.add(ProgressBar::new(total as u64));
        let shown = move |state: &ProgressState, out: &mut dyn Write| {
            let (done, all) = (state.pos() as usize, state.len().unwrap_or_default() as usize);
            // A terminal that is gone needs no words.
            let _ = match left(done, all, state.elapsed(), limit.map(|limit| (limit, workers))) {
                Some(left) => write!(out, ", about {} left", HumanDuration(left)),
                None => Ok(()),
            };
        };
        bar.set_style(style("{bar:24} {pos} of {len} done, {msg}, {elapsed}{left}").with_key("left", shown));
        bar.set_message("0 running");
        bar.enable_steady_tick(TICK);
        let line = |_| Line::new(all.add(ProgressBar::new_spinner()));
        Bars { workers: (0..workers).map(line).collect(), all, bar, busy: AtomicUsize::new(0) }
    }

    fn begin(&self, worker: usize, unit: &Unit) {
        if let Some(line) = self.workers.get(worker) {
            line.begin(unit);
        }
        let busy = self.busy.fetch_add(1, Ordering::Relaxed) + 1;
        self.bar.set_message(format!("{busy} running"));
    }

    fn end(&self, worker: usize, record: &Record) {
        if let Some(line) = self.workers.get(worker) {
            line.end();
        }
        let busy = self.busy.fetch_sub(1, Ordering::Relaxed) - 1;
        self.bar.set_message(format!("{busy} running"));
        self.bar.inc(1);
        if summary::needs_attention(record) {
            // A terminal that is gone needs no words.
            let _ = self.all.println(words(record));
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is well-formed")
}

/// How long the rest takes: as long per unit as what is done, but not longer than the limit of each of so many workers
/// allows. Before a tenth is done nobody knows: a single hard spec says nothing of the others.
fn left(done: usize, all: usize, elapsed: Duration, limit: Option<(Duration, usize)>) -> Option<Duration> {
    const FEWEST: usize = 3;
    let rest = all.checked_sub(done).filter(|_| done >= FEWEST.max(all / 10))?;
    let by_mean = elapsed.mul_f64(rest as f64 / done as f64);
    let most = limit.map(|(limit, workers)| limit.mul_f64(rest.div_ceil(workers.max(1)) as f64));
    let left = most.map_or(by_mean, |most| most.min(by_mean));
    (left >= Duration::from_secs(1)).then_some(left)
}

impl Line {
    fn new(bar: ProgressBar) -> Line {
        bar.set_style(style(""));
        Line { bar, known: Mutex::default() }
    }

    /// The name gives way if the terminal is narrow.
    fn begin(&self, unit: &Unit) {
        *self.lock() = Known::default();
        self.bar.reset_elapsed();
        self.bar.set_prefix("");
        self.bar.set_message(visible(&format!("{}  {}", unit.label(), unit.model)).into_owned());
        self.bar.set_style(style("  {wide_msg}  {prefix}  {elapsed:>3}"));
        self.bar.enable_steady_tick(TICK);
    }

    fn add(&self, progress: Progress) {
        let mut known = self.lock();
        known.add(progress);
        self.bar.set_prefix(known.to_string());
    }

    fn end(&self) {
        self.bar.disable_steady_tick();
        self.bar.set_style(style(""));
        self.bar.tick();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_judged_by_what_is_done_and_by_the_limit() {
        let seconds = Duration::from_secs;
        assert_eq!(left(0, 50, seconds(600), None), None);
        assert_eq!(left(4, 50, seconds(600), None), None);
        assert_eq!(left(10, 50, seconds(100), None), Some(seconds(400)));
        assert_eq!(left(10, 50, seconds(1000), Some((seconds(10), 2))), Some(seconds(200)));
        assert_eq!(left(50, 50, seconds(100), None), None);
    }
}
