//! Verdicts: evidence is checked here, and only here verdicts are made. Knows no engine and no solver.

pub mod certificate_file;
pub mod check;

use rcheck_core::{claim, horn, model, product, trace_file, ts};
use rcheck_lang::{escape, limits, records};
