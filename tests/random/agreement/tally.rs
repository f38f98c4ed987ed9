//! How many answers there were, of whom, and how long they took.

use super::answers::Who;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The outcomes of questions.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Per name: holds, violated, unknown.
    answers: BTreeMap<String, [u64; 3]>,
    times: BTreeMap<String, Duration>,
    /// Certificates that were accepted for their own spec, and refused for one with the opposite verdict.
    pub certified: u64,
    /// See above.
    pub refused: u64,
    /// Specs of which an oracle said the same as the engines.
    pub oracle: u64,
    /// Per shape the specs that hold and those that are violated.
    pub shapes: BTreeMap<&'static str, [u64; 2]>,
}

impl Tally {
    /// Adds an answer.
    pub fn add(&mut self, who: Who, answer: Option<bool>, time: Duration) {
        let column = match answer {
            Some(true) => 0,
            Some(false) => 1,
            None => 2,
        };
        self.answers.entry(who.to_string()).or_default()[column] += 1;
        *self.times.entry(who.to_string()).or_default() += time;
    }

    /// The number of answers other than unknown.
    pub fn verdicts(&self) -> u64 {
        self.answers.values().map(|[holds, violated, _]| holds + violated).sum()
    }

    /// Adds another one.
    pub fn merge(&mut self, other: &Tally) {
        for (name, counts) in &other.answers {
            let sums = self.answers.entry(name.clone()).or_default();
            (0..counts.len()).for_each(|column| sums[column] += counts[column]);
            *self.times.entry(name.clone()).or_default() += other.times[name];
        }
        self.certified += other.certified;
        self.refused += other.refused;
        self.oracle += other.oracle;
        for (shape, counts) in &other.shapes {
            let sums = self.shapes.entry(*shape).or_default();
            (0..counts.len()).for_each(|column| sums[column] += counts[column]);
        }
    }

    /// Counts a spec of these shapes.
    pub fn note(&mut self, shapes: impl IntoIterator<Item = &'static str>, holds: bool) {
        shapes.into_iter().for_each(|shape| self.shapes.entry(shape).or_default()[usize::from(!holds)] += 1);
    }

    /// How often this engine said that a spec holds, and that one is violated.
    pub fn of(&self, name: &str) -> [u64; 2] {
        self.answers.get(name).map_or([0, 0], |[holds, violated, _]| [*holds, *violated])
    }
}

/// One line per name, and one for all; scripts read it.
impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        for (name, [holds, violated, unknown]) in &self.answers {
            let seconds = self.times[name].as_secs_f64();
            writeln!(out, "tally {name} holds {holds} violated {violated} unknown {unknown} seconds {seconds:.1}")?;
        }
        for (shape, [holds, violated]) in &self.shapes {
            writeln!(out, "tally shape {shape}: holds {holds} violated {violated}")?;
        }
        let Tally { certified, refused, oracle, .. } = self;
        write!(out, "tally all verdicts {} oracle {oracle} certified {certified} refused {refused}", self.verdicts())
    }
}
