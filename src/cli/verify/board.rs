//! Results that arrive in any order and are printed in theirs; on Ctrl-C, with what is known so far.

use crate::cli::arguments::Format;
use crate::cli::io::out::{document, print, remark};
use crate::cli::results::form;
use crate::cli::status::Status;
use crate::cli::verify::bars::Bars;
use crate::limits::lock;
use crate::model::Model;
use crate::report::human;
use crate::report::record::{Record, Verdict};
use crate::report::results;
use crate::report::summary;
use crate::verify::Progress;
use std::fmt::Display;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The state of one spec.
#[derive(Clone, Debug, Default)]
struct BoardSlot {
    begun: Option<Instant>,
    /// No counterexample up to this depth, if to any.
    clear: Option<usize>,
    /// The result as text, once there is one.
    text: Option<Vec<u8>>,
}

/// One slot per chosen spec.
pub struct Board {
    model: Model,
    specs: Vec<usize>,
    inner: Mutex<BoardState>,
    /// How far the specs are, on a terminal.
    bars: Option<Bars>,
    /// If it is that of a review, the texts are lines of results, and the review is printed at the end.
    format: Format,
    begun: Instant,
}

struct BoardState {
    slots: Vec<BoardSlot>,
    printed: usize,
    status: Status,
    /// The questions of the slots; their answers as far as they are known.
    records: Vec<Record>,
    /// The lines that a review will be made of.
    lines: Vec<u8>,
    is_closed: bool,
}

/// How far a spec is that is given up.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    /// No counterexample up to this depth, if to any.
    pub clear: Option<usize>,
    /// The time since it was begun.
    pub time: Duration,
}

/// The words for a spec of a model that is given up.
pub type InWords<'a> = dyn Fn(&Model, usize, Reached) -> Vec<u8> + 'a;

impl BoardState {
    fn reached(&self, slot: usize) -> Reached {
        let BoardSlot { begun, clear, .. } = &self.slots[slot];
        Reached { clear: *clear, time: begun.map(|begun| begun.elapsed()).unwrap_or_default() }
    }
}

/// Of more specs, those that need attention are listed in the end.
const MANY: usize = 10;

/// The answer to a question that was given up.
fn given_up(question: &Record, reached: Reached) -> Record {
    let unanswered = Record { cause: None, reason: None, depth: reached.clear, ..question.clone() };
    unanswered.with_verdict(Verdict::Unknown)
}

impl Board {
    /// For these specs of the model, in this order. The bars, if there are any, have a line for each worker. For people, a
    /// line sums several specs up in the end; reviews are made of lines of results when all are there.
    pub fn new(model: Model, (specs, records): (Vec<usize>, Vec<Record>), bars: Option<Bars>, format: Format) -> Board {
        let (slots, status) = (vec![BoardSlot::default(); specs.len()], Status::Clear);
        let inner = BoardState { slots, printed: 0, status, records, lines: Vec::new(), is_closed: false };
        Board { model, specs, inner: Mutex::new(inner), bars, format, begun: Instant::now() }
    }

    pub fn model(&self) -> &Model {
        &self.model
    }

    pub fn specs(&self) -> &[usize] {
        &self.specs
    }

    /// A worker begins with the spec in this slot.
    pub fn begin(&self, worker: usize, slot: usize) {
        lock(&self.inner).slots[slot].begun = Some(Instant::now());
        if let Some(bars) = &self.bars {
            bars.begin(worker, &human::title(&self.model, self.specs[slot]));
        }
    }

    /// A worker gets on with the spec in this slot.
    pub fn progress(&self, worker: usize, slot: usize, progress: Progress) {
        if progress.clear.is_some() {
            lock(&self.inner).slots[slot].clear = progress.clear;
        }
        if let Some(bars) = &self.bars {
            bars.progress(worker, progress);
        }
    }

    /// A worker is done with a spec.
    pub fn end(&self, worker: usize) {
        if let Some(bars) = &self.bars {
            bars.end(worker);
        }
    }

    /// A line on standard error.
    pub fn remark(&self, words: impl Display) {
        self.above(|| remark(words));
    }

    fn above(&self, say: impl FnOnce()) {
        match &self.bars {
            Some(bars) => bars.say(say),
            None => say(),
        }
    }

    /// The result of the spec in this slot; printed as soon as all before it are.
    pub fn done(&self, slot: usize, text: Vec<u8>, record: Record, status: Status) {
        let mut inner = lock(&self.inner);
        // A spec that was given up may come back.
        if inner.slots[slot].text.is_some() {
            return;
        }
        inner.slots[slot].text = Some(text);
        inner.status = inner.status.worst(status).worst(Status::of(&record));
        inner.records[slot] = record;
        self.above(|| {
            while let Some(text) = inner.slots.get(inner.printed).and_then(|slot| slot.text.clone()) {
                self.say(&mut inner, text);
                inner.printed += 1;
            }
        });
    }

    /// The spec in this slot is given up, unless its result is there; `unknown` has the words.
    pub fn give_up_on(&self, slot: usize, unknown: &InWords) {
        let (reached, record) = {
            let inner = lock(&self.inner);
            let reached = inner.reached(slot);
            (reached, given_up(&inner.records[slot], reached))
        };
        self.done(slot, unknown(&self.model, self.specs[slot], reached), record, Status::Clear);
    }

    /// All results are printed, and so are these words about them; sums them up. Returns the worst status.
    pub fn close(&self, words: &str) -> Status {
        if let Some(bars) = &self.bars {
            bars.close();
        }
        let mut inner = lock(&self.inner);
        print(words);
        self.sum_up(&mut inner);
        inner.status
    }

    /// Prints a result, or keeps it for the review.
    fn say(&self, inner: &mut BoardState, text: Vec<u8>) {
        match self.format.review() {
            Some(_) => inner.lines.extend(text),
            None => print(text),
        }
    }

    /// Once, for the first that comes.
    fn sum_up(&self, inner: &mut BoardState) {
        if std::mem::replace(&mut inner.is_closed, true) {
            return;
        }
        if self.format.review().is_some() {
            document(&form::records(self.format, &results::read(&inner.lines).records));
        }
        if self.format == Format::Human && self.specs.len() > 1 {
            let mut text = Vec::new();
            if self.specs.len() > MANY {
                summary::write_attention(&mut text, &inner.records).expect("writing to memory works");
            }
            text.extend((summary::of_one_model(&inner.records, self.begun.elapsed()) + "\n").bytes());
            print(text);
        }
    }

    /// Prints what is known of the specs that were not printed yet, in the words of `unknown` where that is no more
    /// than a clear depth, and keeps all others from printing from now on. Returns the worst status.
    pub fn give_up(&self, unknown: &InWords) -> Status {
        if let Some(bars) = &self.bars {
            bars.close();
        }
        let mut inner = lock(&self.inner);
        for slot in inner.printed..self.specs.len() {
            if let Some(text) = inner.slots[slot].text.clone() {
                self.say(&mut inner, text);
                continue;
            }
            let reached = inner.reached(slot);
            self.say(&mut inner, unknown(&self.model, self.specs[slot], reached));
            let record = given_up(&inner.records[slot], reached);
            inner.status = inner.status.worst(Status::of(&record));
            inner.records[slot] = record;
        }
        self.sum_up(&mut inner);
        let status = inner.status;
        std::mem::forget(inner);
        status
    }
}
