//! The discrete-event engine of Packetloom. It knows time, events, nodes and the links between them, and nothing of
//! networking.
//!
//! Nodes implement [`Node`] and meet only through links. An [`Engine`] cuts them into partitions and runs these window by
//! window; the order of a node's events, and so every result, does not depend on the cut.

pub mod engine;
pub mod key;
pub mod node;
pub mod partition;
pub mod queue;
pub mod random;
pub mod ring;
pub mod time;
pub mod timer;

pub use engine::{Alone, End, Engine, Exchange, Link};
pub use key::Key;
pub use node::{Context, Event, NoProbe, Node, Probe};
pub use ring::Ring;
pub use time::{Bytes, Rate, Span, Time};
pub use timer::LazyTimer;
