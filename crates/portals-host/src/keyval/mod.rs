//! What a run keeps for its processes together: keys and values, names, pointers, marks, and memory that they share.
//!
//! One run is under way on a thread of the operating system at a time; [`reset`] begins the next.

mod shared;

use shared::Shared;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Text as programs give it.
pub type Text = Vec<u8>;

/// The state of a run.
#[derive(Debug, Default)]
pub struct Run {
    /// Spaces of keys and values by name; [`Run::OWN_SPACE`] is always there
    spaces: BTreeMap<Text, BTreeMap<Text, Text>>,
    /// Spaces made so far
    made: u32,
    /// Published names and their ports
    pub published: BTreeMap<Text, Text>,
    /// Pointers by rank and key
    pub pointers: BTreeMap<(u32, Text), u64>,
    /// What is kept of each process
    pub processes: BTreeMap<u32, Process>,
    /// Memory that processes share
    pub shared: Shared,
}

/// What is kept of one process.
#[derive(Debug, Default)]
pub struct Process {
    /// `PMI_Init` was called
    pub started: bool,
    /// The mark of `s4bxi_set_polling`
    pub polling: c_int,
    /// The interface that stands for the process
    pub interface: Option<u32>,
    /// The key that an iteration came to
    pub reached: Option<Text>,
}

use std::ffi::c_int;

thread_local! {
    static RUN: RefCell<Run> = RefCell::default();
}

/// Forgets all, before a run begins and after it has ended.
pub fn reset() {
    RUN.replace(Run::default());
}

/// Does something with what the run keeps.
pub fn with<R>(ask: impl FnOnce(&mut Run) -> R) -> R {
    RUN.with_borrow_mut(ask)
}

impl Run {
    /// The space that all processes have from the start.
    pub const OWN_SPACE: &'static [u8] = b"packetloom";

    /// The space of this name; `None`: there is none.
    pub fn space(&mut self, name: &[u8]) -> Option<&mut BTreeMap<Text, Text>> {
        if name == Self::OWN_SPACE {
            return Some(self.spaces.entry(name.to_vec()).or_default());
        }
        self.spaces.get_mut(name)
    }

    /// A new space, by the name it has.
    pub fn make_space(&mut self) -> Text {
        self.made += 1;
        let name = format!("packetloom-{}", self.made).into_bytes();
        self.spaces.insert(name.clone(), BTreeMap::new());
        name
    }

    /// Ends a space that was made; false: there is none of this name.
    pub fn end_space(&mut self, name: &[u8]) -> bool {
        name != Self::OWN_SPACE && self.spaces.remove(name).is_some()
    }

    /// What is kept of a process.
    pub fn process(&mut self, rank: u32) -> &mut Process {
        self.processes.entry(rank).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_forgets_all() {
        with(|run| {
            run.process(1).started = true;
            run.space(Run::OWN_SPACE)
                .expect("always there")
                .insert(vec![1], vec![2]);
            run.make_space();
        });
        reset();
        with(|run| {
            assert!(!run.process(1).started);
            assert!(run.space(Run::OWN_SPACE).expect("always there").is_empty());
            assert!(run.space(b"packetloom-1").is_none());
        });
    }

    #[test]
    fn spaces_are_made_and_ended_but_not_the_first() {
        let mut run = Run::default();
        let (first, second) = (run.make_space(), run.make_space());
        assert_ne!(first, second);
        run.space(&first).expect("made").insert(vec![1], vec![2]);
        assert!(run.space(&second).expect("made").is_empty());
        assert!(run.end_space(&first) && !run.end_space(&first));
        assert!(run.space(&first).is_none());
        assert!(!run.end_space(Run::OWN_SPACE));
        assert!(run.space(Run::OWN_SPACE).is_some());
    }
}
