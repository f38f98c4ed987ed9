//! The bridge to the solvers, Z3 and CaDiCaL; the only module that names them.
//!
//! [`Solver`] answers with three values, never two ([`SolverAnswer`]): where it does not know, the reason
//! has to be handled wherever a question is asked. [`encode`] turns our terms into literals of one
//! step, [`unroll`] unrolls steps and reads traces back from models.
//!
//! A question in propositional logic ([`Theory::Finite`]) goes to CaDiCaL, any other one to Z3. [`Scripts`] puts the
//! questions of the check to Z3; so a claim about a finite system comes from one solver, and is checked by the other
//! one.
//!
//! A context of Z3 belongs to one thread. It costs 17 MB and 7 ms, so [`with_context`] uses the one of its thread, if
//! there is one, and [`keeping_context`] leaves it to later work. Z3 does not forget an interrupt: whatever it answers
//! after one is discarded, and so is the context. The thread that interrupts also keeps the time limits of questions,
//! since Z3's own timers took 15 to 20 % of the time of PDR.

pub mod encode;
mod formula;
pub mod horn;
pub mod literal;
pub mod proposals;
mod sat;
mod script;
pub mod solver;
pub mod unroll;
mod work;

pub use literal::Literal;
pub use script::Scripts;
pub use solver::{Model, Solver, SolverAnswer, Theory};

use crate::limits::{self, Budget, Reason, Stop, join, spawn};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Once, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// The facts known of the context of a thread.
#[derive(Debug, Default)]
struct Watch {
    /// When the present question has to end.
    deadline: Mutex<Option<Instant>>,
    /// True if a question was interrupted: Z3 does not forget that.
    interrupted: Arc<AtomicBool>,
    /// True if that was because the memory was full: it may have room again when it is asked for.
    was_full: AtomicBool,
}

impl Watch {
    fn set_deadline(&self, end: Option<Instant>) {
        *self.deadline.lock().expect("no thread panics with it") = end;
    }

    fn is_late(&self) -> bool {
        self.deadline.lock().expect("no thread panics with it").is_some_and(|end| limits::now() >= end)
    }
}

thread_local! {
    /// Of the threads that have a context.
    static WATCH: RefCell<Option<Arc<Watch>>> = const { RefCell::new(None) };
    /// True if the first piece of work that needs a context leaves it to the next ones in this thread.
    static KEEPS: Cell<bool> = const { Cell::new(false) };
}

/// Runs work of which many pieces, one after the other, ask for a context: these share one, which is made when the
/// first of them asks.
pub fn keeping_context<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| {
        let worker = spawn(scope, || {
            KEEPS.set(true);
            work()
        });
        join(worker)
    })
}

/// Runs `work` with a Z3 context, in a thread of its own; within `work` again, with the same as long as that is of
/// use. Once `stop` is set, or the budget of a question is over, whatever the solver is doing ends within a fraction
/// of a second; from then on the context answers nothing.
pub fn with_context<R: Send>(stop: &Stop, work: impl FnOnce() -> R + Send) -> R {
    let here = WATCH.with_borrow(Option::clone).filter(|watch| !watch.interrupted.load(Ordering::SeqCst));
    if let Some(watch) = here {
        return watched(&watch, stop, work);
    }
    // Models are read at a few places and thrown away.
    static CONFIGURED: Once = Once::new();
    CONFIGURED.call_once(|| z3::set_global_param("model.compact", "false"));
    let anew = || {
        let watch = Arc::new(Watch::default());
        WATCH.set(Some(watch.clone()));
        watched(&watch, stop, work)
    };
    if KEEPS.take() {
        return anew();
    }
    // A new thread has a new context; one that replaces the context of a thread would cost as much again.
    thread::scope(|scope| {
        let worker = spawn(scope, anew);
        join(worker)
    })
}

/// One thread for all questions: a timer of Z3 for each would take longer than many an answer.
fn watched<R>(watch: &Watch, stop: &Stop, work: impl FnOnce() -> R) -> R {
    const LOOK_EVERY: Duration = Duration::from_millis(5);
    room_for_a_context();
    let context = z3::Context::thread_local();
    let handle = context.handle();
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let watches = move || {
            while is_done.recv_timeout(LOOK_EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                let is_full = limits::is_full();
                if stop.is_set() || watch.is_late() || is_full {
                    watch.was_full.fetch_or(is_full, Ordering::SeqCst);
                    watch.interrupted.store(true, Ordering::SeqCst);
                    handle.interrupt();
                }
            }
        };
        drop(thread::Builder::new().spawn_scoped(scope, watches).unwrap_or_else(|_| limits::lack_memory()));
        let result = work();
        drop(done);
        result
    })
}

/// Gives up where Z3 would end the process, as it cannot have what a context begins with.
fn room_for_a_context() {
    const BYTES: usize = 128 << 20;
    let mut room: Vec<u8> = Vec::new();
    if std::hint::black_box(&mut room).try_reserve_exact(BYTES).is_err() {
        limits::lack_memory();
    }
}

/// A question to a solver, which ends when the budget is over if it is watched. The answer of an interrupted solver
/// is worth nothing: it may be anything.
fn ask<R>(budget: Budget, question: impl FnOnce() -> Result<R, limits::Exceeded>) -> Result<R, Reason> {
    limits::pass();
    let question = || question().map_err(Reason::from);
    let Some(watch) = WATCH.with_borrow(Option::clone) else { return question() };
    watch.set_deadline(budget.deadline());
    let answer = question();
    watch.set_deadline(None);
    if !watch.interrupted.load(Ordering::SeqCst) {
        return answer;
    }
    Err(match (budget.is_over(), watch.was_full.load(Ordering::SeqCst)) {
        (true, _) => Reason::Timeout,
        (false, true) => Reason::Memory,
        (false, false) => Reason::Interrupted,
    })
}

/// Set when the present question of this thread has to end, if it is watched.
fn end_signal() -> Option<Arc<AtomicBool>> {
    WATCH.with_borrow(|watch| watch.as_ref().map(|watch| watch.interrupted.clone()))
}

/// In megabytes; 0 for none.
static MEMORY_LIMIT: AtomicU32 = AtomicU32::new(0);

/// Limits the memory of all solvers of this process together; call it before the first one is made.
///
/// This is where they give up, not where they fail: Z3's hard limit (`memory_max_size`) makes any of
/// its functions fail from then on, even those that release memory, so it is not used. The memory of
/// formulas that are being built may exceed the limit until the next question is asked.
pub fn limit_memory(megabytes: u32) {
    MEMORY_LIMIT.store(megabytes, Ordering::Relaxed);
    z3::set_global_param("memory_high_watermark_mb", &megabytes.to_string());
}

/// The limit in megabytes, if there is one.
fn memory_limit() -> Option<u32> {
    Some(MEMORY_LIMIT.load(Ordering::Relaxed)).filter(|&limit| limit > 0)
}

/// The version of Z3 that the binary runs with, in Z3's words.
pub fn version() -> &'static str {
    z3::full_version()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{Exceeded, Work};

    const A_MOMENT: Duration = Duration::from_millis(100);

    /// False at once, whatever the theory.
    fn contradiction() -> Solver {
        let solver = Solver::new(Theory::Linear);
        let literal = Literal::fresh("x");
        solver.add(&literal);
        solver.add(&literal.not());
        solver
    }

    /// More pigeons than holes: not answered within a test.
    fn pigeons(theory: Theory) -> Solver {
        const HOLES: usize = 14;
        let solver = Solver::new(theory);
        let sits: Vec<Vec<Literal>> =
            (0..=HOLES).map(|_| (0..HOLES).map(|_| Literal::fresh("sits")).collect()).collect();
        for pigeon in &sits {
            solver.add(&Literal::or(pigeon.iter().cloned()));
        }
        for hole in 0..HOLES {
            for (index, one) in sits.iter().enumerate() {
                for other in &sits[..index] {
                    solver.add(&Literal::or([one[hole].not(), other[hole].not()]));
                }
            }
        }
        solver
    }

    #[test]
    fn questions_end_with_their_budget() {
        for theory in [Theory::Finite, Theory::Linear] {
            let answer = with_context(&Stop::new(), || {
                let unknown = |answer| matches!(answer, Err(Reason::Timeout));
                unknown(pigeons(theory).check(&[], Budget::new(Some(A_MOMENT))))
            });
            assert!(answer, "{theory:?}");
        }
    }

    #[test]
    fn questions_end_with_the_work_that_is_allowed() {
        let allowed = || limits::Limits { work: vec![Work::new(50_000)], ..limits::Limits::default() };
        let ask = |solver: &(dyn Fn() -> Solver + Sync)| {
            let refuted = || solver().check(&[], Budget::new(None)).map(|model| model.is_none());
            allowed().within(|| with_context(&Stop::new(), refuted)).expect("it is the question that gives up")
        };
        assert_eq!(ask(&contradiction), Ok(true));
        for theory in [Theory::Finite, Theory::Linear] {
            assert_eq!(ask(&|| pigeons(theory)), Err(Exceeded::Work.into()), "{theory:?}");
        }
    }

    #[test]
    fn questions_end_when_asked_to_stop() {
        for theory in [Theory::Finite, Theory::Linear] {
            let stop = Stop::new();
            let answer = thread::scope(|scope| {
                scope.spawn(|| {
                    stop.sleep(A_MOMENT);
                    stop.set();
                });
                with_context(&stop, || {
                    let answer = pigeons(theory).check(&[], Budget::new(None));
                    matches!(answer, Err(Reason::Interrupted))
                })
            });
            assert!(answer, "{theory:?}");
        }
    }

    /// Until the thread that watches this context has seen that it shall stop.
    fn wait_for_the_interrupt() {
        let watch = WATCH.with_borrow(Option::clone).expect("within a context");
        while !watch.interrupted.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Even where it would be right.
    #[test]
    fn an_interrupted_context_answers_nothing_and_is_replaced() {
        let stop = Stop::new();
        let (before, after, replaced) = with_context(&stop, || {
            let asked = || matches!(contradiction().check(&[], Budget::new(None)), Ok(None));
            let before = asked();
            stop.set();
            wait_for_the_interrupt();
            (before, asked(), with_context(&Stop::new(), asked))
        });
        assert_eq!((before, after, replaced), (true, false, true));
    }

    #[test]
    fn a_thread_keeps_its_context_until_it_is_interrupted() {
        let here = || thread::current().id();
        keeping_context(|| {
            let in_context = || with_context(&Stop::new(), here);
            assert_eq!([in_context(), in_context()], [here(), here()]);
            let stop = Stop::new();
            let unknown = with_context(&stop, || {
                stop.set();
                wait_for_the_interrupt();
                matches!(contradiction().check(&[], Budget::new(None)), Err(Reason::Interrupted))
            });
            assert!(unknown);
            let refuted = || matches!(contradiction().check(&[], Budget::new(None)), Ok(None));
            assert_ne!(in_context(), here());
            assert!(with_context(&Stop::new(), refuted));
        });
    }

    #[test]
    fn a_context_is_shared_by_what_runs_within() {
        let here = || thread::current().id();
        let (outer, inner) = with_context(&Stop::new(), || (here(), with_context(&Stop::new(), here)));
        assert_eq!(outer, inner);
        assert_ne!(outer, here());
    }
}
