//! Long lists of numbers in certificates: as they are, or, if they have many numbers, as one text.
//!
//! The text is base64 of a zlib stream (RFC 1950) of all numbers, four bytes each, the lowest first, row after row: an object
//! with `width`, how many numbers a row has, and `packed`, the text.

use data_encoding::BASE64;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::io::{Read, Write};
use std::marker::PhantomData;
use std::sync::Arc;

/// Lists with more numbers are packed.
const LONG: usize = 100_000;
/// The most numbers of a row.
const WIDEST: usize = 1 << 20;

/// An element of a list: some numbers, equally many in each.
pub trait Row: Sized {
    /// The numbers.
    fn numbers(&self) -> &[u32];

    /// The element of some numbers.
    fn of(numbers: &[u32]) -> Option<Self>;
}

impl Row for u32 {
    fn numbers(&self) -> &[u32] {
        std::slice::from_ref(self)
    }

    fn of(numbers: &[u32]) -> Option<u32> {
        if let [number] = numbers { Some(*number) } else { None }
    }
}

impl Row for Vec<u32> {
    fn numbers(&self) -> &[u32] {
        self
    }

    fn of(numbers: &[u32]) -> Option<Vec<u32>> {
        Some(numbers.to_vec())
    }
}

impl<const N: usize> Row for [u32; N] {
    fn numbers(&self) -> &[u32] {
        self
    }

    fn of(numbers: &[u32]) -> Option<[u32; N]> {
        numbers.try_into().ok()
    }
}

/// Writes a list.
pub fn serialize<R: Row + Serialize, S: Serializer>(list: &[R], serializer: S) -> Result<S::Ok, S::Error> {
    let rows = list.iter();
    serialize_rows(list.len(), || rows.clone().map(|row| row.numbers().to_vec()), || list.iter(), serializer)
}

/// Writes so many rows, given as lists of numbers and as elements.
pub fn serialize_rows<S, N, E>(
    count: usize,
    numbers: impl Fn() -> N,
    elements: impl FnOnce() -> E,
    serializer: S,
) -> Result<S::Ok, S::Error>
where
    S: Serializer,
    N: Iterator<Item = Vec<u32>>,
    E: Iterator<Item: Serialize>,
{
    let width = numbers().next().map_or(0, |row| row.len());
    if count * width <= LONG || numbers().any(|row| row.len() != width) {
        return serializer.collect_seq(elements());
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in numbers() {
        let bytes: Vec<u8> = row.iter().flat_map(|number| number.to_le_bytes()).collect();
        encoder.write_all(&bytes).map_err(S::Error::custom)?;
    }
    let bytes = encoder.finish().map_err(S::Error::custom)?;
    let mut object = serializer.serialize_struct("Packed", 2)?;
    object.serialize_field("width", &width)?;
    object.serialize_field("packed", &BASE64.encode(&bytes))?;
    object.end()
}

/// Reads a list.
pub fn deserialize<'de, R: Row + Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<R>, D::Error> {
    deserializer.deserialize_any(Rows(PhantomData))
}

/// Reads a list that several owners share.
pub fn deserialize_shared<'de, R, D>(deserializer: D) -> Result<Arc<Vec<R>>, D::Error>
where
    R: Row + Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserialize(deserializer).map(Arc::new)
}

struct Rows<R>(PhantomData<R>);

impl<'de, R: Row + Deserialize<'de>> Visitor<'de> for Rows<R> {
    type Value = Vec<R>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of numbers, or of lists of them, or such a list as `width` and `packed`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<R>, A::Error> {
        let mut rows = Vec::new();
        while let Some(row) = list.next_element()? {
            rows.push(row);
        }
        Ok(rows)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Vec<R>, A::Error> {
        let (mut width, mut packed): (Option<usize>, Option<String>) = (None, None);
        while let Some(name) = object.next_key::<String>()? {
            match &name[..] {
                "width" => width = Some(object.next_value()?),
                "packed" => packed = Some(object.next_value()?),
                other => return Err(A::Error::unknown_field(other, &["width", "packed"])),
            }
        }
        let width = width.filter(|width| *width > 0).ok_or_else(|| A::Error::missing_field("width"))?;
        let packed = packed.ok_or_else(|| A::Error::missing_field("packed"))?;
        let bytes = BASE64.decode(packed.as_bytes()).map_err(A::Error::custom)?;
        if width > WIDEST {
            return Err(A::Error::custom(format_args!("a row has more than {WIDEST} numbers")));
        }
        let (mut decoder, mut row) = (ZlibDecoder::new(&bytes[..]), vec![0; 4 * width]);
        let mut rows = Vec::new();
        // One byte tells if there is another row.
        while decoder.read(&mut row[..1]).map_err(A::Error::custom)? == 1 {
            decoder.read_exact(&mut row[1..]).map_err(A::Error::custom)?;
            let numbers: Vec<u32> =
                row.chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect();
            rows.push(R::of(&numbers).ok_or_else(|| A::Error::custom("a row of another width"))?);
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Lists {
        #[serde(with = "super")]
        rows: Vec<Vec<u32>>,
        #[serde(with = "super")]
        nodes: Vec<[u32; 3]>,
        #[serde(with = "super")]
        ranks: Vec<u32>,
    }

    fn lists(count: u32) -> Lists {
        let rows = (0..count).map(|row| vec![row, u32::MAX - row]).collect();
        Lists { rows, nodes: (0..count).map(|row| [row, 1, row * 7]).collect(), ranks: (0..count).rev().collect() }
    }

    #[test]
    fn lists_are_read_as_they_were_written() {
        for count in [0, 3, LONG as u32 / 2 + 1, LONG as u32 + 1] {
            let text = serde_json::to_string(&lists(count)).expect("lists of numbers");
            assert_eq!(serde_json::from_str::<Lists>(&text).expect("it was written"), lists(count));
            let packed = text.matches("packed").count();
            assert_eq!(
                packed,
                [count as usize * 2, count as usize * 3, count as usize].iter().filter(|it| **it > LONG).count()
            );
        }
    }

    #[test]
    fn altered_texts_are_refused_or_read_as_other_lists() {
        let all = lists(LONG as u32 + 1);
        let value = serde_json::to_value(&all).expect("lists of numbers");
        let text = value["ranks"]["packed"].as_str().expect("a text").to_owned();
        let read = |width: serde_json::Value, packed: String| {
            let mut other = value.clone();
            other["ranks"] = serde_json::json!({ "width": width, "packed": packed });
            serde_json::from_value::<Lists>(other)
        };
        assert_eq!(read(1.into(), text.clone()).expect("as it was"), all);
        assert!(read(2.into(), text.clone()).is_err() && read(0.into(), text.clone()).is_err());
        assert!([1_u64 << 40, 1 << 62].into_iter().all(|width| read(width.into(), text.clone()).is_err()));
        assert!(read(1.into(), text[..text.len() / 2].to_owned()).is_err() && read(1.into(), "?".to_owned()).is_err());
        for place in (0..text.len()).step_by(text.len() / 50) {
            let mut other = text.clone();
            other.replace_range(place..=place, if &text[place..=place] == "A" { "B" } else { "A" });
            assert!(read(1.into(), other).map_or(true, |read| read != all), "{place}");
        }
    }
}
