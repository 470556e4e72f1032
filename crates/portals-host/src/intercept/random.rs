//! Random numbers of the C library, with a state for each process: the same numbers as for a program of its own.

use crate::host;
use std::ffi::{c_char, c_double, c_int, c_long, c_uint, c_ushort};

/// Bytes of the state that `rand` has in glibc.
const STATE: usize = 128;

/// `struct random_data` of glibc.
#[repr(C)]
struct RandomData {
    pointers: [*mut c_int; 3],
    numbers: [c_int; 3],
    end: *mut c_int,
}

/// `struct drand48_data` of glibc.
#[repr(C)]
#[derive(Default)]
struct Data48 {
    numbers: [c_ushort; 8],
    factor: u64,
}

unsafe extern "C" {
    fn initstate_r(seed: c_uint, state: *mut c_char, size: usize, data: *mut RandomData) -> c_int;
    fn srandom_r(seed: c_uint, data: *mut RandomData) -> c_int;
    fn random_r(data: *mut RandomData, result: *mut c_int) -> c_int;
    fn drand48_r(data: *mut Data48, result: *mut c_double) -> c_int;
    fn lrand48_r(data: *mut Data48, result: *mut c_long) -> c_int;
    fn mrand48_r(data: *mut Data48, result: *mut c_long) -> c_int;
    fn srand48_r(seed: c_long, data: *mut Data48) -> c_int;
}

/// The state of a process.
pub struct Random {
    state: [c_char; STATE],
    data: RandomData,
    data_48: Data48,
}

/// Does something with the current process's state.
fn with<R>(ask: impl FnOnce(&mut Random) -> R) -> R {
    host::with_process(|process| {
        let random = process.random.get_or_insert_with(|| {
            let data = RandomData {
                pointers: [std::ptr::null_mut(); 3],
                numbers: [0; 3],
                end: std::ptr::null_mut(),
            };
            let mut random = Box::new(Random {
                state: [0; STATE],
                data,
                data_48: Data48::default(),
            });
            let place = random.state.as_mut_ptr();
            // SAFETY: the state stays where it is, in its box, as long as the data that point to it.
            unsafe { initstate_r(1, place, STATE, &raw mut random.data) };
            random
        });
        ask(random)
    })
}

pub unsafe extern "C" fn random() -> c_long {
    let mut result = 0;
    // SAFETY: made by the same library, see `with`.
    with(|of| unsafe { random_r(&raw mut of.data, &raw mut result) });
    c_long::from(result)
}

pub unsafe extern "C" fn rand() -> c_int {
    // SAFETY: no more is asked for. Its numbers have 31 bits.
    unsafe { random() as c_int }
}

pub unsafe extern "C" fn srandom(seed: c_uint) {
    // SAFETY: made by the same library, see `with`.
    with(|of| unsafe { srandom_r(seed, &raw mut of.data) });
}

pub unsafe extern "C" fn drand48() -> c_double {
    let mut result = 0.0;
    // SAFETY: zeroes are the state of a program that has not seeded.
    with(|of| unsafe { drand48_r(&raw mut of.data_48, &raw mut result) });
    result
}

pub unsafe extern "C" fn lrand48() -> c_long {
    let mut result = 0;
    // SAFETY: as in `drand48`.
    with(|of| unsafe { lrand48_r(&raw mut of.data_48, &raw mut result) });
    result
}

pub unsafe extern "C" fn mrand48() -> c_long {
    let mut result = 0;
    // SAFETY: as in `drand48`.
    with(|of| unsafe { mrand48_r(&raw mut of.data_48, &raw mut result) });
    result
}

pub unsafe extern "C" fn srand48(seed: c_long) {
    // SAFETY: as in `drand48`.
    with(|of| unsafe { srand48_r(seed, &raw mut of.data_48) });
}
