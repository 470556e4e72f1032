//! The machine's time that programs spend between their calls, for `--cpu-factor`.

/// The least that is counted, seconds of simulated time.
pub const THRESHOLD: f64 = 1e-9;

/// Processor time of this thread of the system, seconds.
pub fn thread_time() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes the structure given.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[cfg(test)]
mod tests {
    #[test]
    fn work_takes_processor_time() {
        let start = super::thread_time();
        let mut sum = 0u64;
        while super::thread_time() < start + 0.001 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(super::thread_time() - start < 1.0);
    }
}
