//! The transfers on one path, by who ends first.

use super::twofold::Twofold;

/// A transfer that shares.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// What the path's count is at its end
    pub(super) end: Twofold,
    pub(super) slot: u32,
}

/// A binary heap, the first to end at its root.
#[derive(Debug, Default)]
pub(super) struct Members(Vec<Member>);

impl Members {
    /// All of them, the first to end first, the others in no order.
    #[inline]
    pub(super) fn all(&self) -> &[Member] {
        &self.0
    }

    /// Adds one.
    #[inline]
    pub(super) fn push(&mut self, member: Member) {
        let mut place = self.0.len();
        self.0.push(member);
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.0[parent].end.order(member.end).is_le() {
                break;
            }
            self.0[place] = self.0[parent];
            place = parent;
        }
        self.0[place] = member;
    }

    /// Takes the first to end out.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Member> {
        let last = self.0.pop()?;
        let Some(&root) = self.0.first() else {
            return Some(last);
        };
        let len = self.0.len();
        let mut place = 0;
        loop {
            let mut child = place * 2 + 1;
            if child >= len {
                break;
            }
            if child + 1 < len && self.0[child + 1].end.order(self.0[child].end).is_lt() {
                child += 1;
            }
            if last.end.order(self.0[child].end).is_le() {
                break;
            }
            self.0[place] = self.0[child];
            place = child;
        }
        self.0[place] = last;
        Some(root)
    }
}
