//! Bars on a terminal that say how far work is: one for all, and a line per worker with what it is doing.

use crate::cli::io::out;
use crate::cli::verify::known::Known;
use crate::escape::visible;
use crate::limits::lock;
use crate::verify::Progress;
use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// How often the times that are shown go on.
const TICK: Duration = Duration::from_millis(500);

/// Work that takes no longer shows no bars.
const PATIENCE: Duration = Duration::from_millis(300);

/// On standard error, which has to be a terminal.
#[derive(Debug)]
pub struct Bars {
    all: MultiProgress,
    bar: ProgressBar,
    workers: Vec<WorkerLine>,
    busy: AtomicUsize,
    /// Dropped when nothing more is to be shown.
    waiting: Mutex<Option<Sender<()>>>,
}

/// The line of a worker, with what it is doing.
#[derive(Debug)]
struct WorkerLine {
    bar: ProgressBar,
    /// The longest name, in columns.
    longest: usize,
    known: Mutex<Known>,
}

impl Bars {
    /// For so many pieces of work and workers; each piece takes no longer than `limit`.
    pub fn new(total: usize, workers: usize, limit: Option<Duration>) -> Bars {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        let bar = all.add(ProgressBar::new(total as u64));
        let shown = move |state: &ProgressState, out: &mut dyn Write| {
            let (done, all) = (state.pos() as usize, state.len().unwrap_or_default() as usize);
            // A terminal that is gone needs no words.
            let _ = match left(done, all, state.elapsed(), limit.map(|limit| (limit, workers))) {
                Some(left) => write!(out, ", about {} left", HumanDuration(left)),
                None => Ok(()),
            };
        };
        if total > 1 {
            bar.set_style(style("{bar:24} {pos} of {len} done, {msg}, {elapsed}{left}").with_key("left", shown));
            bar.set_message("0 running");
            bar.enable_steady_tick(TICK);
        } else {
            bar.set_style(style(""));
        }
        let longest = out::width().map_or(LONGEST_NAME, |width| LONGEST_NAME.min(width / 2));
        let line = |_| WorkerLine::new(all.add(ProgressBar::new_spinner()), longest);
        let workers = (0..workers.min(total)).map(line).collect();
        let waiting = Mutex::new(Some(show_later(all.clone())));
        Bars { workers, all, bar, busy: AtomicUsize::new(0), waiting }
    }

    /// A worker begins with something.
    pub fn begin(&self, worker: usize, what: &str) {
        if let Some(line) = self.workers.get(worker) {
            line.begin(what);
        }
        self.now_busy(self.busy.fetch_add(1, Ordering::Relaxed) + 1);
    }

    pub fn progress(&self, worker: usize, progress: Progress) {
        if let Some(line) = self.workers.get(worker) {
            line.add(progress);
        }
    }

    pub fn end(&self, worker: usize) {
        if let Some(line) = self.workers.get(worker) {
            line.end();
        }
        self.now_busy(self.busy.fetch_sub(1, Ordering::Relaxed) - 1);
        self.bar.inc(1);
    }

    fn now_busy(&self, busy: usize) {
        self.bar.set_message(format!("{busy} running"));
    }

    /// Other words above the bars.
    pub fn say(&self, say: impl FnOnce()) {
        self.all.suspend(say);
    }

    /// Leaves nothing behind on the terminal, and shows nothing from now on.
    pub fn close(&self) {
        lock(&self.waiting).take();
        self.workers.iter().for_each(WorkerLine::end);
        self.bar.disable_steady_tick();
        // A terminal that is gone needs no words.
        let _ = self.all.clear();
        self.all.set_draw_target(ProgressDrawTarget::hidden());
    }
}

/// Shows the bars in a while, unless they are closed before.
fn show_later(all: MultiProgress) -> Sender<()> {
    let (open, closed) = channel();
    thread::spawn(move || {
        if closed.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            all.set_draw_target(ProgressDrawTarget::stderr());
        }
    });
    open
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the template is well-formed")
}

/// How long the rest takes: as long per unit as what is done, but not longer than the limit of each of so many workers
/// allows. Before a tenth is done nothing is known: a single hard spec says nothing of the others.
fn left(done: usize, all: usize, elapsed: Duration, limit: Option<(Duration, usize)>) -> Option<Duration> {
    const FEWEST: usize = 3;
    let rest = all.checked_sub(done).filter(|_| done >= FEWEST.max(all / 10))?;
    let by_mean = elapsed.mul_f64(rest as f64 / done as f64);
    let most = limit.map(|(limit, workers)| limit.mul_f64(rest.div_ceil(workers.max(1)) as f64));
    let left = most.map_or(by_mean, |most| most.min(by_mean));
    (left >= Duration::from_secs(1)).then_some(left)
}

/// Names on a terminal have at most so many columns, and half of it.
const LONGEST_NAME: usize = 40;

/// The end of a name, which tells it from others.
fn end_of(name: &str, longest: usize) -> String {
    let length = name.chars().count();
    if length <= longest {
        return name.to_owned();
    }
    "...".chars().chain(name.chars().skip(length + 3 - longest.max(3))).collect()
}

impl WorkerLine {
    fn new(bar: ProgressBar, longest: usize) -> WorkerLine {
        bar.set_style(style(""));
        WorkerLine { bar, longest, known: Mutex::default() }
    }

    /// Shows that a piece of work begins. Its progress gives way if the terminal is narrow: without the name it says
    /// nothing.
    fn begin(&self, what: &str) {
        *lock(&self.known) = Known::default();
        self.bar.reset_elapsed();
        self.bar.set_prefix(end_of(&visible(what), self.longest));
        self.bar.set_message("");
        self.bar.set_style(style("  {prefix}  {wide_msg}  {elapsed:>3}"));
        self.bar.enable_steady_tick(TICK);
    }

    fn add(&self, progress: Progress) {
        let mut known = lock(&self.known);
        known.add(progress);
        self.bar.set_message(known.to_string());
    }

    fn end(&self) {
        self.bar.disable_steady_tick();
        self.bar.set_style(style(""));
        self.bar.tick();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::Engine;
    use indicatif::TermLike;
    use std::io;
    use std::sync::Arc;

    /// A terminal of 60 columns that keeps what is written.
    #[derive(Clone, Debug, Default)]
    struct Paper(Arc<Mutex<String>>);

    impl TermLike for Paper {
        fn width(&self) -> u16 {
            60
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            *lock(&self.0) += text;
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            lock(&self.0).clear();
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn names_stay_however_many_engines_report() {
        let paper = Paper::default();
        let target = ProgressDrawTarget::term_like(Box::new(paper.clone()));
        let line = WorkerLine::new(ProgressBar::with_draw_target(None, target), LONGEST_NAME);
        line.begin(&format!("a/folder/{}.rcp: spec 12 comes_down", "x".repeat(30)));
        for engine in Engine::ALL {
            line.add(Progress { states: Some(1_234_567), ..Progress::begin(engine) });
        }
        line.bar.force_draw();
        let shown = lock(&paper.0).clone();
        assert!(shown.contains("...") && shown.contains("x.rcp: spec 12 comes_down  explicit: 1 "), "{shown}");
        assert!(shown.chars().count() <= 60, "{shown}");
    }

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
