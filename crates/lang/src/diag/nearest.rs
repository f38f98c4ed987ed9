//! The declared name that a misspelt one was probably meant to be.

/// The candidate that is nearest to the name by edit distance, if one is near enough to be meant:
/// about one edit per three characters, and upper and lower case are the same.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    near(name, candidates).min().map(|(_, candidate)| candidate)
}

/// All candidates that are as near as the nearest one, in their order.
pub fn all_nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let near: Vec<_> = near(name, candidates).collect();
    let least = near.iter().map(|(distance, _)| *distance).min();
    near.into_iter().filter(|(distance, _)| Some(*distance) == least).map(|(_, candidate)| candidate).collect()
}

/// The candidates that may be meant, with their distances.
fn near<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = (usize, &'a str)> {
    let limit = (name.chars().count() / 3).max(1);
    let lower = name.to_lowercase();
    let others = candidates.into_iter().filter(move |candidate| *candidate != name);
    let measured = others.map(move |candidate| (distance(&lower, &candidate.to_lowercase()), candidate, lower.len()));
    measured
        .filter(move |(distance, _, length)| distance <= &limit && distance < length)
        .map(|(distance, it, _)| (distance, it))
}

/// How many characters must be inserted, deleted, replaced or swapped with their neighbour
/// (the optimal string alignment distance).
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut before_last = vec![0; right.len() + 1];
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for i in 1..=left.len() {
        let mut row = vec![i; right.len() + 1];
        for j in 1..=right.len() {
            let replaced = last[j - 1] + usize::from(left[i - 1] != right[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits_and_swaps() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("cLnik", "cLink"), 1);
    }

    #[test]
    fn nearest_takes_what_is_near_and_nothing_else() {
        let names = ["cLink", "mLink", "role"];
        assert_eq!(nearest("clink", names), Some("cLink"));
        assert_eq!(nearest("mLnik", names), Some("mLink"));
        assert_eq!(nearest("counter", names), None);
        assert_eq!(nearest("z", ["x", "y"]), None);
    }
}
