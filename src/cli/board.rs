//! Results that arrive in any order and are printed in theirs; on Ctrl-C, with what is known so far.

use super::Status;
use super::out::print;
use crate::model::Model;
use std::sync::Mutex;

/// What is known of one spec.
#[derive(Clone, Debug)]
enum Slot {
    /// No depth is clear yet.
    Waiting,
    /// Clear up to this depth so far.
    Clear(usize),
    /// The result as text.
    Done(Vec<u8>),
}

/// One slot per chosen spec.
pub struct Board {
    model: Model,
    specs: Vec<usize>,
    inner: Mutex<Inner>,
}

struct Inner {
    slots: Vec<Slot>,
    printed: usize,
    status: Status,
}

/// The words for a spec of a model that is clear up to a depth, if to any.
pub type InWords<'a> = dyn Fn(&Model, usize, Option<usize>) -> Vec<u8> + 'a;

impl Board {
    /// For these specs of the model, in this order.
    pub fn new(model: Model, specs: Vec<usize>) -> Board {
        let inner = Inner { slots: vec![Slot::Waiting; specs.len()], printed: 0, status: Status::Clear };
        Board { model, specs, inner: Mutex::new(inner) }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The specs, in the order of the slots.
    pub fn specs(&self) -> &[usize] {
        &self.specs
    }

    /// A depth of the spec in this slot is clear.
    pub fn clear(&self, slot: usize, depth: usize) {
        let mut inner = self.lock();
        if !matches!(inner.slots[slot], Slot::Done(_)) {
            inner.slots[slot] = Slot::Clear(depth);
        }
    }

    /// The result of the spec in this slot; printed as soon as all before it are.
    pub fn done(&self, slot: usize, text: Vec<u8>, status: Status) {
        let mut inner = self.lock();
        // Whoever was given up may come back.
        if matches!(inner.slots[slot], Slot::Done(_)) {
            return;
        }
        inner.slots[slot] = Slot::Done(text);
        inner.status = inner.status.worst(status);
        while let Some(Slot::Done(text)) = inner.slots.get(inner.printed) {
            print(text);
            inner.printed += 1;
        }
    }

    /// The spec in this slot is given up, unless its result is there; `unknown` has the words.
    pub fn give_up_on(&self, slot: usize, unknown: &InWords) {
        let clear = match self.lock().slots[slot] {
            Slot::Clear(depth) => Some(depth),
            Slot::Waiting | Slot::Done(_) => None,
        };
        self.done(slot, unknown(&self.model, self.specs[slot], clear), Status::Unknown);
    }

    /// Whether all results are there.
    pub fn is_complete(&self) -> bool {
        let inner = self.lock();
        inner.printed == inner.slots.len()
    }

    /// The worst status so far.
    pub fn status(&self) -> Status {
        self.lock().status
    }

    /// Prints what is known of the specs that were not printed yet, in the words of `unknown` where that is no more
    /// than a clear depth, and keeps everybody else from printing from now on. Returns the worst status.
    pub fn give_up(&self, unknown: &InWords) -> Status {
        let inner = self.lock();
        for (slot, spec) in inner.slots.iter().zip(&self.specs).skip(inner.printed) {
            let clear = match slot {
                Slot::Done(text) => {
                    print(text);
                    continue;
                }
                Slot::Clear(depth) => Some(*depth),
                Slot::Waiting => None,
            };
            print(unknown(&self.model, *spec, clear));
        }
        let status = inner.status.worst(Status::Unknown);
        std::mem::forget(inner);
        status
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
