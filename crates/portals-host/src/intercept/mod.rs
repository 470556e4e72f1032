//! Functions of the C library that programs call here instead.
//!
//! `table` lists them; `clock`, `process`, `files` and `random` are what stands there beside `threads`.

mod clock;
mod files;
mod process;
mod random;
mod table;

pub use clock::nanosleep;
pub use random::Random;
pub use table::{instead, shared_instead};

use crate::output::Stream;
use crate::{current, host, stdio, switch};
use std::io;

/// Tells the program that a function cannot work here, on its `stderr`. `errno` is then `ENOSYS`.
pub fn refuse(function: &str, why: &str) {
    let thread = current::thread();
    let text = format!(
        "packetloom: rank {}: {function} is refused: {why}\n",
        thread.process
    );
    host::with(|host| host.output.add(thread.process, Stream::Err, text.as_bytes()));
    switch::set_errno(libc::ENOSYS);
}

/// Loads the C++ library, which all processes share, so that what it writes goes to the process that writes it, and its
/// threads and clocks are ours.
///
/// # Errors
///
/// When the C library makes no more streams.
pub fn load_cplusplus() -> io::Result<()> {
    let before = switch::stdio();
    let name = c"libstdc++.so.6";
    // SAFETY: only asked for.
    let loaded = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    if loaded.is_null() {
        switch::set_stdio(stdio::routers()?);
        // SAFETY: its initialisers run, as when a program is started. Without success the program's own loading tells why.
        let library = unsafe {
            let how = libc::RTLD_NOW | libc::RTLD_LOCAL | libc::RTLD_NODELETE;
            libc::dlopen(name.as_ptr(), how)
        };
        if !library.is_null() {
            make_cplusplus_streams(library);
        }
        switch::set_stdio(before);
        // SAFETY: no C++ runs now, and the functions for it work without a simulated thread.
        unsafe { crate::image::patch_shared(name, shared_instead) };
    } else {
        // SAFETY: the handle was just taken.
        unsafe { libc::dlclose(loaded) };
    }
    Ok(())
}

/// Has the C++ library make its streams, `std::cout` and the others, on the standard streams in place: up to version 12 of
/// GCC the first program that includes `<iostream>` would, on its own. They are made once, and never taken apart.
fn make_cplusplus_streams(library: *mut std::ffi::c_void) {
    type Constructor = unsafe extern "C" fn(*mut u8);
    // SAFETY: the handle is valid; the name is that of the constructor of `std::ios_base::Init`, which takes the place of its
    // object: one byte without content.
    unsafe {
        let constructor = libc::dlsym(library, c"_ZNSt8ios_base4InitC1Ev".as_ptr());
        let constructor = std::mem::transmute::<*mut std::ffi::c_void, Option<Constructor>>(constructor);
        if let Some(constructor) = constructor {
            let mut object = 0;
            constructor(&raw mut object);
        }
    }
}
