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
        self.lock().slots[slot] = Slot::Clear(depth);
    }

    /// The result of the spec in this slot; printed as soon as all before it are.
    pub fn done(&self, slot: usize, text: Vec<u8>, status: Status) {
        let mut inner = self.lock();
        inner.slots[slot] = Slot::Done(text);
        inner.status = inner.status.worst(status);
        while let Some(Slot::Done(text)) = inner.slots.get(inner.printed) {
            print(text);
            inner.printed += 1;
        }
    }

    /// The worst status so far.
    pub fn status(&self) -> Status {
        self.lock().status
    }

    /// Prints what is known of the specs that were not printed yet, in the words of `unknown` where that is no more
    /// than a clear depth, and keeps everybody else from printing from now on.
    pub fn give_up(&self, unknown: &InWords) {
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
        std::mem::forget(inner);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
