//! The memory that the states of all texts of a server may take together. It is an estimate and not what the system says, so
//! that it can be returned, and so that the same questions have the same answers everywhere.

use crate::model::{Model, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Bytes that are free.
#[derive(Debug)]
pub struct Room(AtomicI64);

impl Room {
    /// The number of megabytes.
    pub fn new(megabytes: u32) -> Arc<Room> {
        Arc::new(Room(AtomicI64::new(i64::from(megabytes) << 20)))
    }

    /// True if nothing is free.
    pub fn is_used_up(&self) -> bool {
        self.0.load(Ordering::Relaxed) <= 0
    }
}

/// A part of the room, which becomes free when it is dropped.
#[derive(Debug)]
pub struct TakenRoom {
    room: Arc<Room>,
    bytes: i64,
}

impl TakenRoom {
    /// Nothing so far.
    pub fn new(room: &Arc<Room>) -> TakenRoom {
        TakenRoom { room: room.clone(), bytes: 0 }
    }

    /// Takes more, whether it is free or not.
    pub fn take(&mut self, bytes: i64) {
        self.bytes += bytes;
        self.room.0.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// The room that it is a part of.
    pub fn room(&self) -> &Arc<Room> {
        &self.room
    }
}

impl Drop for TakenRoom {
    fn drop(&mut self) {
        self.room.0.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

/// The number of bytes that parts of a state space take, measured on what shipped models need.
#[derive(Clone, Copy, Debug)]
pub struct StateSizes {
    /// A state, kept twice: in order, and with its number.
    pub state: i64,
    /// A step between two states.
    pub step: i64,
    /// A state in an answer, which exists as a value, as JSON and as text.
    pub shown_state: i64,
    /// A step in an answer.
    pub shown_step: i64,
}

impl StateSizes {
    /// Those of the states of a model.
    pub fn of(model: &Model) -> StateSizes {
        let instances = model.instances.len();
        let locals: usize = model.instance_ids().map(|it| model.agent_of(it).locals.len()).sum();
        let bytes = |count: usize, each: usize| (count * each) as i64;
        StateSizes {
            state: 256 + bytes(instances, 16) + bytes(locals, 2 * size_of::<Value>()),
            step: 160 + bytes(instances, 8),
            shown_state: 1792 + bytes(2 * instances + locals, 160),
            shown_step: 1792 + bytes(instances, 160),
        }
    }
}
