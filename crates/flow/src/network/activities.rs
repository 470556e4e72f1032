//! Transfers and sleeps under way, in slots that are used again.

/// A sleep, for [`Network::cancel_sleep`](super::Network::cancel_sleep).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SleepId {
    slot: u32,
    /// Tells it from others that had the slot before or after
    sequence: u64,
}

/// What an activity waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: the slot is free
    Free,
    /// The end of a sleep
    Sleep,
    /// The end of its latency, which is its end
    Wait,
    /// To be told that it has failed
    Doomed,
    /// The end of its latency, after which it shares
    Latency,
    /// Its last byte
    Sharing,
}

/// A transfer or a sleep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Activity {
    pub(super) token: u64,
    /// The how-many-th activity of the network it is
    pub(super) sequence: u64,
    pub(super) bytes: u64,
    pub(super) path: u32,
    pub(super) kind: Kind,
}

impl Activity {
    pub(super) fn new(token: u64, kind: Kind, path: u32, bytes: u64) -> Self {
        Self {
            token,
            sequence: 0,
            bytes,
            path,
            kind,
        }
    }
}

/// All activities.
#[derive(Debug, Default)]
pub(super) struct Activities {
    slots: Vec<Activity>,
    free: Vec<u32>,
    started: u64,
}

impl Activities {
    /// How many are under way.
    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// How many slots there are, free ones included.
    pub(super) fn slots(&self) -> u32 {
        self.slots.len() as u32
    }

    #[inline]
    pub(super) fn get(&self, slot: u32) -> &Activity {
        &self.slots[slot as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, slot: u32) -> &mut Activity {
        &mut self.slots[slot as usize]
    }

    /// Gives an activity a slot and its place in the order of starts.
    #[inline]
    pub(super) fn start(&mut self, mut activity: Activity) -> u32 {
        activity.sequence = self.started;
        self.started += 1;
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = activity;
            return slot;
        }
        self.slots.push(activity);
        u32::try_from(self.slots.len() - 1).expect("fewer than 2^31 activities at once fit into memory")
    }

    /// Takes an activity out of its slot.
    #[inline]
    pub(super) fn end(&mut self, slot: u32) -> Activity {
        self.free.push(slot);
        let activity = self.slots[slot as usize];
        self.slots[slot as usize].kind = Kind::Free;
        activity
    }

    /// What names the sleep in this slot.
    #[inline]
    pub(super) fn sleep_id(&self, slot: u32) -> SleepId {
        SleepId {
            slot,
            sequence: self.slots[slot as usize].sequence,
        }
    }

    /// The slot of a sleep that has not ended.
    #[inline]
    pub(super) fn slot_of(&self, sleep: SleepId) -> Option<u32> {
        let activity = self.slots.get(sleep.slot as usize)?;
        (activity.kind == Kind::Sleep && activity.sequence == sleep.sequence).then_some(sleep.slot)
    }
}
