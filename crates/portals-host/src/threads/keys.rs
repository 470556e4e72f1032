//! Values that each thread has of its own under a key, and what is done once.

use super::{wait, wake_one};
use crate::host;
use std::ffi::{c_int, c_uint, c_void};

/// The most keys of a process, as glibc has it.
const MOST: usize = 1024;

/// How often destructors are called again when they set values anew, as POSIX asks at least.
const ROUNDS: usize = 4;

type Destructor = extern "C" fn(*mut c_void);

/// The keys of a process: each in use with its destructor, if it has one.
#[derive(Default)]
pub struct Keys(Vec<Option<Option<Destructor>>>);

pub unsafe extern "C" fn create(into: *mut c_uint, destructor: Option<Destructor>) -> c_int {
    let key = host::with_process(|process| {
        let keys = &mut process.keys.0;
        let free = keys.iter().position(Option::is_none).unwrap_or(keys.len());
        if free == MOST {
            return None;
        }
        if free == keys.len() {
            keys.push(None);
        }
        keys[free] = Some(destructor);
        for thread in &mut process.threads {
            if let Some(value) = thread.values.get_mut(free) {
                *value = std::ptr::null_mut();
            }
        }
        Some(free)
    });
    let Some(key) = key else { return libc::EAGAIN };
    // SAFETY: the program gave room for a key.
    unsafe { *into = key as c_uint };
    0
}

pub unsafe extern "C" fn delete(key: c_uint) -> c_int {
    host::with_process(|process| match process.keys.0.get_mut(key as usize) {
        Some(place) if place.is_some() => {
            *place = None;
            0
        }
        _ => libc::EINVAL,
    })
}

pub unsafe extern "C" fn get(key: c_uint) -> *mut c_void {
    host::with_thread(|thread| {
        thread
            .values
            .get(key as usize)
            .copied()
            .unwrap_or(std::ptr::null_mut())
    })
}

pub unsafe extern "C" fn set(key: c_uint, value: *const c_void) -> c_int {
    let known = host::with_process(|process| process.keys.0.get(key as usize).is_some_and(Option::is_some));
    if !known {
        return libc::EINVAL;
    }
    host::with_thread(|thread| {
        let key = key as usize;
        if thread.values.len() <= key {
            thread.values.resize(key + 1, std::ptr::null_mut());
        }
        thread.values[key] = value.cast_mut();
    });
    0
}

/// Calls the destructors of the current thread's C++ variables.
pub fn destroy_variables() {
    while let Some((function, object)) = host::with_thread(|thread| thread.at_exit.pop()) {
        function(object);
    }
}

/// Calls the destructors of what the current thread holds.
pub fn destroy_values() {
    destroy_variables();
    for _ in 0..ROUNDS {
        let values = host::with_thread(|thread| std::mem::take(&mut thread.values));
        let mut any = false;
        for (key, value) in values
            .into_iter()
            .enumerate()
            .filter(|(_, value)| !value.is_null())
        {
            let destructor =
                host::with_process(|process| process.keys.0.get(key).copied().flatten().flatten());
            if let Some(destructor) = destructor {
                any = true;
                destructor(value);
            }
        }
        if !any {
            return;
        }
    }
}

/// A `pthread_once_t`: not done, being done, done.
const NOT_DONE: c_int = 0;
const UNDER_WAY: c_int = 1;
const DONE: c_int = 2;

pub unsafe extern "C" fn once(control: *mut c_int, routine: extern "C" fn()) -> c_int {
    // SAFETY: the program's control, read and written only while no other thread runs.
    unsafe {
        match *control {
            NOT_DONE => {
                *control = UNDER_WAY;
                routine();
                *control = DONE;
                while wake_one(control as usize).is_some() {}
            }
            UNDER_WAY => {
                wait(control as usize, None, "pthread_once");
            }
            _ => (),
        }
    }
    0
}
