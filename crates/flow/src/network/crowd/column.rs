//! What the transfers that one link holds up take of other links.

/// Where a path stands in no column.
pub(super) const NOWHERE: u32 = u32::MAX;

/// The place of a path in the column of the link that holds it up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Its place among the blocks
    number: u32,
    first: u32,
    count: u32,
}

impl Block {
    pub(super) const NONE: Self = Self {
        number: NOWHERE,
        first: 0,
        count: 0,
    };
}

/// One entry for each other link of each path that is held up here: two flat lists, read from end to end whenever the level
/// changes. What a path leaves behind stays as entries that do nothing, until these are more than half.
#[derive(Debug, Default)]
pub(super) struct Column {
    links: Vec<u32>,
    shares: Vec<f64>,
    /// The path of each block, or none any more
    owners: Vec<u32>,
    dead: usize,
}

impl Column {
    /// How many entries there are, dead ones included.
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// Each link with what the paths take of it at a level of 1.
    #[inline]
    pub(super) fn entries(&self) -> impl Iterator<Item = (u32, f64)> {
        self.links.iter().copied().zip(self.shares.iter().copied())
    }

    /// The paths that are held up here.
    pub(super) fn owners(&self) -> impl Iterator<Item = u32> {
        self.owners.iter().copied().filter(|&p| p != NOWHERE)
    }

    pub(super) fn clear(&mut self) {
        self.links.clear();
        self.shares.clear();
        self.owners.clear();
        self.dead = 0;
    }

    /// Adds a path with these entries.
    pub(super) fn add(&mut self, path: u32, entries: impl Iterator<Item = (u32, f64)>) -> Block {
        let first = self.links.len() as u32;
        for (link, share) in entries {
            self.links.push(link);
            self.shares.push(share);
        }
        self.owners.push(path);
        Block {
            number: self.owners.len() as u32 - 1,
            first,
            count: self.links.len() as u32 - first,
        }
    }

    /// Takes a path out; its entries go to the link `nobody`.
    pub(super) fn remove(&mut self, block: Block, nobody: u32) {
        let range = block.first as usize..(block.first + block.count) as usize;
        self.links[range.clone()].fill(nobody);
        self.shares[range].fill(0.0);
        self.owners[block.number as usize] = NOWHERE;
        self.dead += 1;
    }

    /// Whether most of it is dead.
    pub(super) fn is_sparse(&self) -> bool {
        self.dead > 8 && self.dead * 2 > self.owners.len()
    }

    /// Closes the gaps; `blocks` are those of all paths.
    pub(super) fn compact(&mut self, blocks: &mut [Block]) {
        let (mut entries, mut numbers) = (0, 0);
        for number in 0..self.owners.len() {
            let owner = self.owners[number];
            if owner == NOWHERE {
                continue;
            }
            let block = &mut blocks[owner as usize];
            let (first, count) = (block.first as usize, block.count as usize);
            self.links.copy_within(first..first + count, entries);
            self.shares.copy_within(first..first + count, entries);
            self.owners[numbers] = owner;
            block.number = numbers as u32;
            block.first = entries as u32;
            entries += count;
            numbers += 1;
        }
        self.links.truncate(entries);
        self.shares.truncate(entries);
        self.owners.truncate(numbers);
        self.dead = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_stays_in_order_when_gaps_are_closed() {
        let mut column = Column::default();
        let mut blocks = vec![Block::NONE; 20];
        for path in 0..20 {
            // Path p has p % 3 entries: its number as link, a tenth of it as share.
            let entries = (0..path % 3).map(|_| (path, f64::from(path) / 10.0));
            blocks[path as usize] = column.add(path, entries);
        }
        for path in (0..20).filter(|p| p % 5 != 0) {
            column.remove(blocks[path as usize], 99);
        }
        assert!(column.entries().all(|(link, share)| link == 99 || share > 0.0));
        assert!(column.is_sparse());
        column.compact(&mut blocks);
        assert_eq!(column.owners().collect::<Vec<_>>(), [0, 5, 10, 15]);
        // 0 and 15 have none, 5 has two, 10 has one.
        assert_eq!(
            column.entries().collect::<Vec<_>>(),
            [(5, 0.5), (5, 0.5), (10, 1.0)]
        );
        column.remove(blocks[10], 99);
        assert_eq!(
            column.entries().collect::<Vec<_>>(),
            [(5, 0.5), (5, 0.5), (99, 0.0)]
        );
    }
}
