//! Intervals of numbers, in lists that find those that share a number with another one.

use std::collections::BTreeMap;

/// The numbers from one to another, both included; none if the first is larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least number.
    pub low: i64,
    /// The largest one.
    pub high: i64,
}

impl Interval {
    /// A number alone.
    pub fn only(number: i64) -> Interval {
        Interval { low: number, high: number }
    }

    /// All numbers up to one.
    pub fn up_to(high: i64) -> Interval {
        Interval { low: i64::MIN, high }
    }

    /// All numbers from one on.
    pub fn from(low: i64) -> Interval {
        Interval { low, high: i64::MAX }
    }

    /// True if it begins and ends somewhere.
    pub fn is_bounded(self) -> bool {
        self.low > i64::MIN && self.high < i64::MAX
    }

    /// The intersection.
    pub fn and(self, other: Interval) -> Interval {
        Interval { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// True if no number is in it.
    pub fn is_empty(self) -> bool {
        self.low > self.high
    }
}

/// The intervals in which things have to be for a condition to be true, each thing once.
#[derive(Debug, PartialEq, Eq)]
pub struct Bounds<L>(pub Vec<(L, Interval)>);

impl<L: Copy + Eq> FromIterator<(L, Interval)> for Bounds<L> {
    /// Things that stand there more than once have to be in all of their intervals.
    fn from_iter<T: IntoIterator<Item = (L, Interval)>>(list: T) -> Bounds<L> {
        let mut bounds: Vec<(L, Interval)> = Vec::new();
        for (thing, interval) in list {
            match bounds.iter_mut().find(|(known, _)| *known == thing) {
                Some((_, known)) => *known = known.and(interval),
                None => bounds.push((thing, interval)),
            }
        }
        Bounds(bounds)
    }
}

impl<L: Copy + Eq> Bounds<L> {
    /// The interval of a thing, if it begins and ends somewhere.
    pub fn of(&self, thing: L) -> Option<Interval> {
        self.bounded().find(|(known, _)| *known == thing).map(|(_, interval)| interval)
    }

    /// Those that begin and end somewhere.
    pub fn bounded(&self) -> impl Iterator<Item = (L, Interval)> {
        self.0.iter().copied().filter(|(_, interval)| interval.is_bounded())
    }

    /// True if one thing would have to be in two intervals that share no number.
    pub fn exclude(&self, other: &Bounds<L>) -> bool {
        self.0.iter().any(|(thing, interval)| {
            other.0.iter().any(|(known, another)| known == thing && interval.and(*another).is_empty())
        })
    }
}

/// A list of intervals.
#[derive(Debug, Default)]
pub struct Intervals {
    /// By where they begin: where each ends, and its number.
    by_low: BTreeMap<i64, Vec<(i64, usize)>>,
    /// The largest distance between the ends of one.
    longest: u64,
}

impl Intervals {
    /// Adds one with a number.
    pub fn add(&mut self, interval: Interval, number: usize) {
        if !interval.is_empty() {
            self.longest = self.longest.max(interval.high.abs_diff(interval.low));
            self.by_low.entry(interval.low).or_default().push((interval.high, number));
        }
    }

    /// The numbers of those that share a number with one, in any order. It takes as long as there are intervals that begin in
    /// it, or before it by no more than the longest one is long.
    pub fn overlapping(&self, interval: Interval) -> impl Iterator<Item = usize> {
        let first = interval.low.saturating_sub_unsigned(self.longest);
        let range = (!interval.is_empty()).then(|| self.by_low.range(first..=interval.high));
        let near = range.into_iter().flatten().flat_map(|(_, list)| list);
        near.filter(move |(high, _)| *high >= interval.low).map(|(_, number)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_overlap_exactly_if_they_share_a_number() {
        let all: Vec<Interval> = (-3..4).flat_map(|low| (low - 1..5).map(move |high| Interval { low, high })).collect();
        let mut list = Intervals::default();
        all.iter().enumerate().for_each(|(number, interval)| list.add(*interval, number));
        for interval in &all {
            let mut found: Vec<usize> = list.overlapping(*interval).collect();
            found.sort_unstable();
            let shares = |other: &Interval| {
                (-9..9).any(|number| [interval, other].iter().all(|it| (it.low..=it.high).contains(&number)))
            };
            let expected: Vec<usize> = (0..all.len()).filter(|number| shares(&all[*number])).collect();
            assert_eq!(found, expected, "{interval:?}");
        }
    }

    #[test]
    fn bounds_of_one_thing_are_joined() {
        let bounds =
            Bounds::from_iter([('x', Interval::from(2)), ('y', Interval::up_to(4)), ('x', Interval::up_to(7))]);
        assert_eq!(bounds.of('x'), Some(Interval { low: 2, high: 7 }));
        assert_eq!(bounds.of('y'), None);
        let other = |interval| Bounds::from_iter([('y', interval)]);
        assert!(bounds.exclude(&other(Interval::from(5))) && !bounds.exclude(&other(Interval::only(4))));
    }
}
