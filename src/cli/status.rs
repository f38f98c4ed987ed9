//! Exit codes.

/// The outcome of a command for the shell, from best to worst; the worst of all results counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Nothing is violated.
    #[default]
    Clear,
    /// Something is unknown, and nothing violated.
    Unknown,
    /// Some spec is violated that is not expected to be, or a verdict contradicts its expectation.
    Violated,
    /// The input or the arguments make no sense.
    BadInput,
    /// The tool itself is wrong.
    Internal,
    /// It was stopped.
    Interrupted,
}

/// The exit code of internal errors.
pub const INTERNAL_ERROR: u8 = 3;

impl Status {
    /// The exit code, as documented in `--help`.
    pub fn code(self) -> u8 {
        match self {
            Status::Clear => 0,
            Status::Violated => 1,
            Status::BadInput => 2,
            Status::Internal => INTERNAL_ERROR,
            Status::Unknown => 4,
            // Shells expect this of a process that Ctrl-C ended.
            Status::Interrupted => 130,
        }
    }

    /// The worse of the two.
    pub fn worst(self, other: Status) -> Status {
        self.max(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_status_counts() {
        use Status::*;
        let by_severity = [(Clear, 0), (Unknown, 4), (Violated, 1), (BadInput, 2), (Internal, 3), (Interrupted, 130)];
        for (index, (worse, code)) in by_severity.into_iter().enumerate() {
            assert_eq!(worse.code(), code);
            for (better, _) in by_severity.into_iter().take(index + 1) {
                assert_eq!((worse.worst(better), better.worst(worse)), (worse, worse));
            }
        }
    }
}
