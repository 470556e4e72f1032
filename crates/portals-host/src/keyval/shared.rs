//! Memory that the processes share which ask for it at the same place of the source.

use super::Text;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::ffi::c_int;

/// File, line, and bytes asked for.
pub type Place = (Text, c_int, usize);

/// What is shared: by place, and how often it was asked for and not given back.
#[derive(Debug, Default)]
pub struct Shared {
    blocks: BTreeMap<Place, (Block, usize)>,
}

/// Zeroed memory, freed when it goes.
#[derive(Debug)]
struct Block {
    address: *mut u8,
    layout: Layout,
}

/// A boundary that suits any type and a line of a cache.
const ALIGNMENT: usize = 64;

impl Block {
    /// At least a byte; `None`: there is not so much memory.
    fn new(size: usize) -> Option<Self> {
        let layout = Layout::from_size_align(size.max(1), ALIGNMENT).ok()?;
        // SAFETY: the layout's size is not zero.
        let address = unsafe { alloc_zeroed(layout) };
        (!address.is_null()).then_some(Self { address, layout })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout, and freed here only.
        unsafe { dealloc(self.address, self.layout) }
    }
}

impl Shared {
    /// The address of the memory of a place, for one more that uses it; `None`: there is not so much memory.
    pub fn take(&mut self, place: Place) -> Option<usize> {
        if let Some((block, users)) = self.blocks.get_mut(&place) {
            *users += 1;
            return Some(block.address as usize);
        }
        let block = Block::new(place.2)?;
        let address = block.address as usize;
        self.blocks.insert(place, (block, 1));
        Some(address)
    }

    /// One fewer uses the memory; false: it is not ours.
    pub fn give_back(&mut self, address: usize) -> bool {
        let place = self
            .blocks
            .iter_mut()
            .find(|(_, (block, _))| block.address as usize == address)
            .map(|(place, (_, users))| {
                *users -= 1;
                (*users == 0).then(|| place.clone())
            });
        let ours = place.is_some();
        if let Some(place) = place.flatten() {
            self.blocks.remove(&place);
        }
        ours
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: c_int, size: usize) -> Place {
        (b"ring.c".to_vec(), line, size)
    }

    #[test]
    fn the_same_place_has_the_same_memory_until_the_last_gives_it_back() {
        let mut shared = Shared::default();
        let address = shared.take(place(7, 100)).expect("memory");
        assert_eq!(address % ALIGNMENT, 0);
        assert_eq!(shared.take(place(7, 100)), Some(address));
        assert_ne!(shared.take(place(8, 100)), Some(address));
        assert_ne!(shared.take(place(7, 200)), Some(address));
        assert!(shared.give_back(address) && shared.give_back(address));
        assert!(!shared.give_back(address));
        assert_eq!(shared.blocks.len(), 2);
    }

    #[test]
    fn what_cannot_be_is_told() {
        let mut shared = Shared::default();
        assert_eq!(shared.take(place(1, usize::MAX)), None);
        assert!(shared.take(place(1, 0)).is_some());
        assert!(!shared.give_back(0));
    }
}
