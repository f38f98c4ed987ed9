//! All engines on the specs that we ship.

use super::answers::{Effort, Who};
use super::inquiry::Inquiry;
use super::tally::Tally;
use crate::common::{model, shipped, source};
use rayon::prelude::*;
use rcheck_smt::check::Verdict;
use std::path::Path;
use std::sync::Mutex;

/// The contradictions in the answers, for which every engine may do so much work.
pub fn check(work: u64, tally: &Mutex<Tally>) -> Vec<String> {
    shipped().par_iter().flat_map(|path| file(path, work, tally)).collect()
}

fn file(path: &Path, work: u64, tally: &Mutex<Tally>) -> Vec<String> {
    let model = model(&source(path));
    let effort = Effort { alone: work, in_vain: work, together: work, bound: usize::MAX };
    let [first, rest @ ..] = Who::ALL;
    let others = |_, _: Option<&Verdict>| rest.to_vec();
    let inquiry = Inquiry { effort, first, others: &others, shortens: true, offers: Some(1) };
    let mut own = Tally::default();
    let wrong = inquiry.run(&model, &mut own);
    tally.lock().expect("no panic before").merge(&own);
    wrong.into_iter().map(|why| format!("{}: {why}", path.display())).collect()
}
