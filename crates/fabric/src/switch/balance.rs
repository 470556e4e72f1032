//! What a switch gave to each member of its equal-cost sets, for the load balancing record.

use crate::topology::Routes;
use packetloom_des::Time;
use serde::{Deserialize, Serialize};

/// What one member of a set has been given since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Packets admitted to its queue.
    pub packets: u64,
    /// Their bytes on the wire.
    pub bytes: u64,
}

/// A set of several members that a packet has been routed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group<'a> {
    /// The set's number in the switch's routes.
    pub set: u16,
    /// When the first packet took it.
    pub formed: Time,
    /// Its members in the order of their ports.
    pub members: &'a [Member],
}

/// The counters of all sets of a switch. It exists only where the record wants it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Balance {
    /// Members of set s are `starts[s]..starts[s + 1]`.
    starts: Vec<u32>,
    members: Vec<Member>,
    /// When a set's first packet came; [`Time::NEVER`] before.
    formed: Vec<Time>,
    /// Sets in the order in which their first packets came.
    seen: Vec<u16>,
}

impl Balance {
    /// Counters for every set of `routes`.
    pub fn new(routes: &Routes) -> Self {
        let mut starts = vec![0];
        for set in 0..routes.sets() as u16 {
            starts.push(starts[set as usize] + routes.set(set).len() as u32);
        }
        Balance {
            members: vec![Member::default(); starts[routes.sets()] as usize],
            formed: vec![Time::NEVER; routes.sets()],
            seen: Vec::with_capacity(routes.sets()),
            starts,
        }
    }

    /// A packet is to take a set, whether or not it will be admitted.
    #[inline]
    pub fn see(&mut self, set: u16, now: Time) {
        if self.formed[set as usize] == Time::NEVER {
            self.formed[set as usize] = now;
            self.seen.push(set);
        }
    }

    /// A packet of `bytes` on the wire was admitted to the `member`-th member of a set.
    #[inline]
    pub fn admit(&mut self, set: u16, member: u16, bytes: u64) {
        let member = &mut self.members[self.starts[set as usize] as usize + member as usize];
        member.packets += 1;
        member.bytes += bytes;
    }

    /// Sets that a packet has taken, in the order in which that came about.
    pub fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        self.seen.iter().map(|&set| {
            let place = set as usize;
            Group {
                set,
                formed: self.formed[place],
                members: &self.members[self.starts[place] as usize..self.starts[place + 1] as usize],
            }
        })
    }
}
