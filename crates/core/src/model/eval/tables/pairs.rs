//! A map from pairs of numbers to numbers.

const FREE: u64 = u64::MAX;

/// Open addressing with linear probing; a power of two, at most half full. No pair consists of the greatest numbers.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    slots: Vec<(u64, u32)>,
    count: usize,
}

impl Default for Pairs {
    fn default() -> Pairs {
        Pairs { slots: vec![(FREE, 0); 64], count: 0 }
    }
}

impl Pairs {
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> Option<u32> {
        let (key, value) = self.slots[self.slot(key(left, right))];
        (key != FREE).then_some(value)
    }

    pub(super) fn insert(&mut self, left: u32, right: u32, value: u32) {
        let slot = self.slot(key(left, right));
        self.count += usize::from(self.slots[slot].0 == FREE);
        self.slots[slot] = (key(left, right), value);
        if 2 * self.count > self.slots.len() {
            let wider = vec![(FREE, 0); 2 * self.slots.len()];
            for (key, value) in std::mem::replace(&mut self.slots, wider) {
                if key != FREE {
                    let slot = self.slot(key);
                    self.slots[slot] = (key, value);
                }
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        16 * self.slots.len()
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask;
        while self.slots[slot].0 != key && self.slots[slot].0 != FREE {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}
