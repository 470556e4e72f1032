//! One private copy of a program in memory.

use super::file::{File, Routines, ThreadLocal};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::{fs, io};

/// What the loader keeps of a loaded library: the part of `struct link_map` that is public.
#[repr(C)]
struct LinkMap {
    base: usize,
    name: *const c_char,
}

/// `tls_index`: what `__tls_get_addr` takes.
#[repr(C)]
struct ThreadLocalIndex {
    module: usize,
    offset: usize,
}

const RTLD_DI_LINKMAP: c_int = 2;
const RTLD_DI_TLS_MODID: c_int = 9;

unsafe extern "C" {
    fn dlinfo(handle: *mut c_void, request: c_int, into: *mut c_void) -> c_int;
    fn __tls_get_addr(index: *const ThreadLocalIndex) -> *mut c_void;
}

/// `main` with the environment as third argument, which most programs do not name.
pub type Main = unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char) -> c_int;
type Initialiser = unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char);
type Finaliser = unsafe extern "C" fn();

/// One library of an image.
struct Library {
    handle: *mut c_void,
    base: usize,
    start: Routines,
    end: Routines,
    thread_local: Option<(ThreadLocal, usize)>,
}

/// A private copy of a program and of the libraries of its folder. Unloaded when it is dropped.
pub struct Image {
    /// The program is the first
    libraries: Vec<Library>,
    main: Main,
}

impl Image {
    /// Has the loader load the copies with these names, the program's first.
    ///
    /// # Errors
    ///
    /// The loader's message.
    pub(super) fn open<'a>(
        names: &[CString],
        files: impl Iterator<Item = &'a File>,
    ) -> Result<(Self, Vec<usize>), String> {
        let mut libraries: Vec<Library> = Vec::with_capacity(names.len());
        for (name, file) in names.iter().zip(files) {
            // What the program needs has been loaded with it: only its handle is asked for.
            let how = if libraries.is_empty() {
                libc::RTLD_DEEPBIND
            } else {
                libc::RTLD_NOLOAD
            };
            let how = how | libc::RTLD_LAZY | libc::RTLD_LOCAL;
            // SAFETY: the initialisers of the copies are hidden from the loader, so that none of their code runs; those of
            // libraries that they need run, as when any program is started.
            let handle = unsafe { libc::dlopen(name.as_ptr(), how) };
            if handle.is_null() {
                let message = loader_message();
                libraries.drain(..).rev().for_each(close);
                return Err(message);
            }
            // SAFETY: the handle is valid.
            let (base, _) = unsafe { place_of(handle) };
            let thread_local = file.thread_local.clone().filter(|of| of.size > 0).map(|of| {
                let mut module = 0usize;
                // SAFETY: the handle is valid, and this request writes one size_t.
                unsafe { dlinfo(handle, RTLD_DI_TLS_MODID, (&raw mut module).cast()) };
                (of, module)
            });
            let (start, end) = (file.start.clone(), file.end.clone());
            libraries.push(Library {
                handle,
                base,
                start,
                end,
                thread_local,
            });
        }
        // SAFETY: the handle is valid.
        let main = unsafe { libc::dlsym(libraries[0].handle, c"main".as_ptr()) };
        if main.is_null() {
            let message = loader_message();
            libraries.drain(..).rev().for_each(close);
            return Err(message);
        }
        // SAFETY: `main` of a C program has this shape, or takes fewer arguments, which the calling convention allows.
        let main = unsafe { std::mem::transmute::<*mut c_void, Main>(main) };
        let bases = libraries.iter().map(|library| library.base).collect();
        Ok((Self { libraries, main }, bases))
    }

    /// The program's `main`.
    pub fn main(&self) -> Main {
        self.main
    }

    /// Whether the loader finds a symbol for the program.
    pub(super) fn finds(&self, name: &CStr) -> bool {
        // SAFETY: both handles are valid.
        self.libraries.iter().any(|library| unsafe { !libc::dlsym(library.handle, name.as_ptr()).is_null() })
            // SAFETY: as above.
            || unsafe { !libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()).is_null() }
    }

    /// The functions that run before `main`, in order: those of libraries before those of the program.
    pub fn initialisers(&self) -> Vec<Initialiser> {
        let mut all = Vec::new();
        for library in self.libraries.iter().rev() {
            all.extend(library.addresses(&library.start, false));
        }
        // SAFETY: the file names these as initialisers.
        all.into_iter()
            .map(|address| unsafe { std::mem::transmute::<usize, Initialiser>(address) })
            .collect()
    }

    /// The functions that run at the end, in order: those of the program before those of libraries.
    pub fn finalisers(&self) -> Vec<Finaliser> {
        let mut all = Vec::new();
        for library in &self.libraries {
            all.extend(library.addresses(&library.end, true));
        }
        // SAFETY: the file names these as finalisers.
        all.into_iter()
            .map(|address| unsafe { std::mem::transmute::<usize, Finaliser>(address) })
            .collect()
    }

    /// The values of thread-local variables that a new thread starts with.
    pub fn first_thread_local(&self) -> Vec<u8> {
        let mut all = Vec::new();
        for library in &self.libraries {
            if let Some((of, _)) = &library.thread_local {
                let from = (library.base + of.address as usize) as *const u8;
                // SAFETY: the header of the loaded file says that so many bytes are there, and they are never written.
                all.extend_from_slice(unsafe { std::slice::from_raw_parts(from, of.initial) });
                all.resize(all.len() + of.size - of.initial, 0);
            }
        }
        all
    }

    /// Exchanges the values of the thread-local variables with those in `values`, which came from
    /// [`Image::first_thread_local`] or from here.
    pub fn swap_thread_local(&self, values: &mut [u8]) {
        let mut rest = values;
        for library in &self.libraries {
            let Some((of, module)) = &library.thread_local else {
                continue;
            };
            let index = ThreadLocalIndex {
                module: *module,
                offset: 0,
            };
            let (mine, others) = rest.split_at_mut(of.size);
            rest = others;
            // SAFETY: the module is loaded; the loader gives the place of its variables of this thread of the system,
            // `size` bytes by the file's header, and none of the program's code runs now.
            let there = unsafe {
                let first = __tls_get_addr(&raw const index).cast::<u8>();
                std::slice::from_raw_parts_mut(first, of.size)
            };
            mine.swap_with_slice(there);
        }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        self.libraries.drain(..).rev().for_each(close);
    }
}

impl Library {
    /// Addresses of routines in memory, in the order in which they are called.
    fn addresses(&self, of: &Routines, end: bool) -> Vec<usize> {
        let table = (self.base + of.table.0 as usize) as *const usize;
        // SAFETY: the file's dynamic section says that so many addresses are there; the loader has put them in place.
        let listed = (0..of.table.1).map(|number| unsafe { table.add(number).read_unaligned() });
        // 0 and -1 mark the ends of tables of old compilers.
        let mut all: Vec<usize> = listed
            .filter(|address| *address != 0 && *address != usize::MAX)
            .collect();
        let single = of
            .single
            .filter(|address| *address != 0)
            .map(|address| self.base + address as usize);
        if end {
            all.reverse();
            all.extend(single);
        } else {
            all.splice(0..0, single);
        }
        all
    }
}

/// Where a loaded library is, and its file.
///
/// # Safety
///
/// The handle is of a loaded library.
pub unsafe fn place_of(handle: *mut c_void) -> (usize, CString) {
    let mut map: *const LinkMap = std::ptr::null();
    // SAFETY: the handle is valid; this request writes a pointer to the loader's entry, which lives as long as the library.
    unsafe {
        dlinfo(handle, RTLD_DI_LINKMAP, (&raw mut map).cast());
        ((*map).base, CStr::from_ptr((*map).name).to_owned())
    }
}

/// Gives a handle back.
fn close(library: Library) {
    // SAFETY: the handle came from dlopen and is given back once.
    unsafe { libc::dlclose(library.handle) };
}

/// What the loader says about what it refused last.
fn loader_message() -> String {
    // SAFETY: dlerror gives a string that is valid until the next call of the loader, or null.
    let message = unsafe {
        let text = libc::dlerror();
        if text.is_null() {
            None
        } else {
            Some(CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    };
    message.unwrap_or_else(|| "the loader does not say why".to_owned())
}

/// Another working folder, until it is dropped.
pub struct WorkingFolder {
    before: fs::File,
}

impl WorkingFolder {
    /// Makes `folder` the working folder.
    ///
    /// # Errors
    ///
    /// When it, or the one before, cannot be opened.
    pub fn enter(folder: &Path) -> io::Result<Self> {
        let before = fs::File::open(".")?;
        std::env::set_current_dir(folder)?;
        Ok(Self { before })
    }
}

impl Drop for WorkingFolder {
    fn drop(&mut self) {
        // SAFETY: the descriptor is open.
        unsafe { libc::fchdir(self.before.as_raw_fd()) };
    }
}
