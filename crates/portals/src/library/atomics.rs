//! What the library needs of atomic operations.

pub(super) use crate::atomics::{apply, is_valid, size_of};
