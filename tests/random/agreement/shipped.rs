//! All engines on the specs that we ship.

use super::answers::{Effort, Who};
use super::inquiry::Inquiry;
use super::tally::Tally;
use crate::common::{model, shipped, source};
use rayon::prelude::*;
use rcheck_smt::check::Verdict;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

/// What does not fit together in the answers, for which every engine has so much time.
pub fn check(time: Duration, tally: &Mutex<Tally>) -> Vec<String> {
    shipped().par_iter().flat_map(|path| file(path, time, tally)).collect()
}

fn file(path: &Path, time: Duration, tally: &Mutex<Tally>) -> Vec<String> {
    let model = model(&source(path));
    let effort = Effort { alone: time, in_vain: time, together: time, bound: usize::MAX };
    let [first, rest @ ..] = Who::ALL;
    let others = |_, _: &Verdict| rest.to_vec();
    let inquiry = Inquiry { effort, first, others: &others, offers: Some(1) };
    let mut own = Tally::default();
    let wrong = inquiry.run(&model, &mut own);
    tally.lock().expect("no panic before").merge(&own);
    wrong.into_iter().map(|why| format!("{}: {why}", path.display())).collect()
}
