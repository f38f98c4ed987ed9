//! The members of a closed set, packed.

use crate::claim::packed;
use crate::records::{Layout, Records};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

/// Members, each once: a local state per instance, the number of a set of receives, and that of a set of obligations.
/// The closed set says what these numbers stand for.
#[derive(Clone, Debug)]
pub struct Members {
    layout: Layout,
    /// Shared by those who hold the same evidence: there may be a hundred million.
    records: Arc<Records>,
    ranks: Ranks,
}

/// Numbers that never increase along a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranks {
    /// Each set of obligations has one.
    ByObligations(Vec<u32>),
    /// Each member has its own.
    Each(#[serde(with = "packed")] Vec<u32>),
}

impl Members {
    /// The records of this layout.
    pub fn new(layout: Layout, records: Records, ranks: Ranks) -> Members {
        Members { layout, records: Arc::new(records), ranks }
    }

    /// Of a list of members of the same length, each once.
    pub fn from_rows(rows: &[Vec<u32>], ranks: Ranks) -> Result<Members, &'static str> {
        let mut greatest = vec![0; rows.first().map_or(0, Vec::len)];
        for row in rows {
            if row.len() != greatest.len() {
                return Err("a member is too long or too short");
            }
            greatest.iter_mut().zip(row).for_each(|(greatest, number)| *greatest = (*greatest).max(*number));
        }
        let layout = Layout::up_to(&greatest);
        let (mut records, mut record) = (Records::new(layout.width()), Vec::new());
        for (number, row) in rows.iter().enumerate() {
            layout.pack(row, &mut record).ok_or("a number is too large")?;
            if records.insert(&record) as usize != number {
                return Err("a member stands there twice");
            }
        }
        Ok(Members::new(layout, records, ranks))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The layout of a record: the places of the numbers of a member in it.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The records, by the numbers of members.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// The numbers that each consists of.
    pub fn width(&self) -> usize {
        self.layout.len()
    }

    /// The numbers of a member.
    pub fn unpack(&self, member: u32, numbers: &mut Vec<u32>) {
        self.layout.unpack(self.records.get(member), numbers);
    }

    /// All members.
    pub fn rows(&self) -> impl Iterator<Item = Vec<u32>> {
        let row = |record: &[u64]| {
            let mut row = Vec::new();
            self.layout.unpack(record, &mut row);
            row
        };
        self.records.iter().map(row)
    }

    /// The member that consists of these numbers, packed in a record that is given for that.
    pub fn find(&self, numbers: &[u32], record: &mut Vec<u64>) -> Option<u32> {
        self.layout.pack(numbers, record)?;
        self.records.find(record)
    }

    /// The ranks.
    pub fn ranks(&self) -> &Ranks {
        &self.ranks
    }

    /// The number of different states among the members of sets with the same local states.
    pub fn different_states(sets: &[&Members]) -> usize {
        match sets {
            [] => 0,
            [set] if !set.varies(2) => set.len(),
            _ => {
                let width = sets.iter().map(|set| set.width()).max().unwrap_or_default().saturating_sub(2);
                let greatest = |field: usize| {
                    let fields = sets.iter().filter(|set| !set.is_empty());
                    fields.map(|set| set.layout.greatest(field)).max().unwrap_or_default()
                };
                let layout = Layout::up_to(&(0..width).map(greatest).collect::<Vec<_>>());
                let (mut states, mut record) = (Records::new(layout.width()), Vec::new());
                for row in sets.iter().flat_map(|set| set.rows()) {
                    layout.pack(&row[..width], &mut record).expect("it has room for all");
                    states.insert(&record);
                }
                states.len()
            }
        }
    }

    /// True if members differ in their last numbers.
    fn varies(&self, last: usize) -> bool {
        let fields = self.width().saturating_sub(last)..self.width();
        let Some(first) = (!self.is_empty()).then(|| self.records.get(0)) else { return false };
        let differs = |record: &[u64]| {
            fields.clone().any(|field| self.layout.get(record, field) != self.layout.get(first, field))
        };
        self.records.iter().any(differs)
    }

    /// About how many bytes they take.
    pub fn bytes(&self) -> usize {
        let ranks = match &self.ranks {
            Ranks::ByObligations(ranks) | Ranks::Each(ranks) => 4 * ranks.len(),
        };
        self.records.bytes() + ranks
    }
}

impl PartialEq for Members {
    fn eq(&self, other: &Members) -> bool {
        self.ranks == other.ranks && self.len() == other.len() && self.rows().eq(other.rows())
    }
}

impl Ranks {
    /// The rank of a member with this set of obligations.
    pub fn of(&self, member: u32, obligations: u32) -> Option<u32> {
        match self {
            Ranks::ByObligations(ranks) => ranks.get(obligations as usize).copied(),
            Ranks::Each(ranks) => ranks.get(member as usize).copied(),
        }
    }
}

/// Members as lists.
#[derive(Serialize)]
struct MemberLists<'m> {
    rows: Rows<'m>,
    ranks: &'m Ranks,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    #[serde(with = "packed")]
    rows: Vec<Vec<u32>>,
    ranks: Ranks,
}

struct Rows<'m>(&'m Members);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        packed::serialize_rows(self.0.len(), || self.0.rows(), || self.0.rows(), serializer)
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        MemberLists { rows: Rows(self), ranks: &self.ranks }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
        let Read { rows, ranks } = Read::deserialize(deserializer)?;
        Members::from_rows(&rows, ranks).map_err(D::Error::custom)
    }
}
