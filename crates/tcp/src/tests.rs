//! Two connections on a link: what goes in at one end comes out at the other, once.

mod losses;
pub mod pair;
