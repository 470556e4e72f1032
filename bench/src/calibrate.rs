//! A fixed small kernel that tells how fast the machine is at the moment.
//!
//! It must never change: figures of different days and machines are compared through it. It uses nothing of Packetloom, but
//! does what a simulator does: takes the least of a few thousand pending numbers, touches a random line of a table that fits
//! in the second-level cache, and puts a later number back.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

/// Steps of one run of the kernel.
pub const STEPS: u64 = 2_000_000;

/// Runs the kernel once.
pub fn kernel() -> u64 {
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut table = vec![0u64; 1 << 15];
    let mut pending: BinaryHeap<Reverse<u64>> = (0..2_000).map(|_| Reverse(random() >> 44)).collect();
    for _ in 0..STEPS {
        let Reverse(now) = pending.pop().expect("as many go in as come out");
        let draw = random();
        let place = (draw >> 49) as usize;
        table[place] = table[place].wrapping_add(now) ^ draw;
        pending.push(Reverse(now + 1 + (draw & 0xFFFFF)));
    }
    black_box(table.iter().fold(0, |sum: u64, line| sum.wrapping_add(*line)))
}
