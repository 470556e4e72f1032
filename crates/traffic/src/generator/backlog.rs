//! The messages that wait in front of a connection's send buffer.

use packetloom_des::Ring;
use serde::{Deserialize, Serialize};

/// Requests or replies in the order they were made, without a limit to their number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Backlog {
    /// Size in bytes of each message that is not in the send buffer whole.
    sizes: Ring<u64>,
    /// Bytes of the first of them that are in it.
    gone: u64,
}

impl Backlog {
    /// Whether nothing waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Puts a message of `size` bytes behind the others.
    #[inline]
    pub fn push(&mut self, size: u64) {
        debug_assert!(size > 0, "a message without bytes would never be complete");
        self.sizes.push_back(size);
    }

    /// Takes out what fits into `room` bytes. Returns how many bytes that are, and of how many messages the first byte is
    /// among them.
    #[inline]
    pub fn feed(&mut self, room: u64) -> (u64, u64) {
        let (mut left, mut begun) = (room, 0);
        while left > 0
            && let Some(&size) = self.sizes.front()
        {
            begun += u64::from(self.gone == 0);
            let rest = size - self.gone;
            if rest > left {
                self.gone += left;
                return (room, begun);
            }
            left -= rest;
            self.gone = 0;
            self.sizes.drop_front();
        }
        (room - left, begun)
    }

    /// Lets go of the messages of which no byte is in the send buffer.
    pub fn discard(&mut self) {
        let begun = self.sizes.front().copied().filter(|_| self.gone > 0);
        if self.sizes.len() > usize::from(begun.is_some()) {
            self.sizes = Ring::new();
            if let Some(size) = begun {
                self.sizes.push_back(size);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_go_in_order_and_count_with_their_first_byte() {
        let mut backlog = Backlog::default();
        assert_eq!(backlog.feed(100), (0, 0), "nothing waits");
        backlog.push(10);
        backlog.push(5);
        backlog.push(7);
        assert_eq!(backlog.feed(0), (0, 0), "no room");
        assert_eq!(backlog.feed(4), (4, 1), "four bytes of the first");
        assert_eq!(backlog.feed(6), (6, 0), "its other six");
        assert_eq!(
            backlog.feed(6),
            (6, 2),
            "all of the second, one byte of the third"
        );
        assert!(!backlog.is_empty());
        assert_eq!(backlog.feed(100), (6, 0));
        assert!(backlog.is_empty());
    }

    #[test]
    fn discarding_keeps_the_message_that_has_begun() {
        let mut backlog = Backlog::default();
        for size in [10, 5, 7] {
            backlog.push(size);
        }
        backlog.feed(3);
        backlog.discard();
        assert_eq!(backlog.feed(100), (7, 0));
        backlog.push(5);
        backlog.discard();
        assert!(backlog.is_empty());
    }
}
