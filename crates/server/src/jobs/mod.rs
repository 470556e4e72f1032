//! Simulations in child processes.

/// Simulations that run and wait.
#[derive(Debug)]
pub struct Jobs {
    /// How many run at once.
    pub slots: usize,
}

impl Jobs {
    /// With room for `slots` at once.
    pub fn new(slots: usize) -> Self {
        Jobs { slots }
    }
}
