//! The progress of engines on a unit while it is worked on.

use crate::verify::{Engine, Progress};
use crate::words::count;
use std::fmt;

/// Several engines may work on a unit; each speaks for itself.
#[derive(Clone, Debug, Default)]
pub struct Known {
    of: Vec<Progress>,
}

impl Known {
    pub fn add(&mut self, progress: Progress) {
        let place = self.of.iter().position(|known| known.engine == progress.engine);
        let place = place.unwrap_or_else(|| {
            self.of.push(Progress::begin(progress.engine));
            self.of.len() - 1
        });
        let known = &mut self.of[place];
        known.clear = known.clear.max(progress.clear);
        known.states = progress.states.or(known.states);
        known.depth = progress.depth.or(known.depth);
    }

    /// Up to how many steps there is no counterexample, if that is known of any number.
    pub fn clear(&self) -> Option<usize> {
        self.of.iter().filter_map(|known| known.clear).max()
    }

    /// How many states the exploration found.
    pub fn states(&self) -> Option<usize> {
        self.of.iter().find(|known| known.engine == Engine::Explicit)?.states
    }
}

/// `explicit: 12345 states, bmc: clear to 8, pdr: depth 3`; if there is no news, the engine that began last.
impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let words = |Progress { engine, clear, states, depth }: &Progress| match (states, clear, depth) {
            (Some(states), ..) => Some(format!("{engine}: {}", count(*states, "state"))),
            (None, Some(clear), _) => Some(format!("{engine}: clear to {clear}")),
            (None, None, Some(depth)) => Some(format!("{engine}: depth {depth}")),
            (None, None, None) => None,
        };
        let words: Vec<String> = self.of.iter().filter_map(words).collect();
        match self.of.last() {
            Some(last) if words.is_empty() => write!(f, "{}", last.engine),
            _ => f.write_str(&words.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_speak_for_themselves() {
        let mut known = Known::default();
        assert_eq!((known.to_string().as_str(), known.clear(), known.states()), ("", None, None));
        let [explicit, bmc, pdr] = [Engine::Explicit, Engine::Bmc, Engine::Pdr].map(Progress::begin);
        known.add(explicit);
        assert_eq!(known.to_string(), "explicit");
        for progress in [
            Progress { states: Some(7), ..explicit },
            bmc,
            Progress { clear: Some(3), ..bmc },
            Progress { states: Some(1024), ..explicit },
            explicit,
            Progress { depth: Some(9), ..pdr },
            Progress { depth: Some(2), ..pdr },
            bmc,
        ] {
            known.add(progress);
        }
        assert_eq!(known.to_string(), "explicit: 1024 states, bmc: clear to 3, pdr: depth 2");
        assert_eq!((known.clear(), known.states()), (Some(3), Some(1024)));
    }
}
