//! A program with the libraries of its own folder, of which each process gets its own copies.

use super::file::{File, FileError};
use super::loaded::Image;
use super::patch::{Patches, c_string};
use super::{limits, loaded};
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{fs, io};

/// Counts copies, so that no two that were ever loaded have one name.
static COPIES: AtomicU64 = AtomicU64::new(0);

/// Why a program cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each says what it is")]
pub enum LoadError {
    #[error("cannot read {}: {error}", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{} {error}", path.display())]
    File { path: PathBuf, error: FileError },
    #[error("{} has no function `main`: a program needs one, not `static` and not hidden", path.display())]
    NoMain { path: PathBuf },
    #[error(
        "{} has thread-local variables that are accessed without a call (initial-exec), of which {most} copies fit and {asked} are asked for; compile without -ftls-model=initial-exec, or start fewer processes",
        path.display()
    )]
    ThreadLocal {
        path: PathBuf,
        most: usize,
        asked: usize,
    },
    #[error(
        "{asked} processes need more memory mappings than the system allows a program ({allowed}): at most {most} fit; raise the limit with `sysctl vm.max_map_count`, or start fewer processes"
    )]
    Mappings { allowed: u64, most: u64, asked: usize },
    #[error(
        "{} needs {name} of its own folder, whose name is too short or shared with another name, so that private copies cannot be named; give the library a longer name of its own",
        path.display()
    )]
    Name { path: PathBuf, name: String },
    #[error("{} needs `{symbol}`, which no library that it names has", path.display())]
    Undefined { path: PathBuf, symbol: String },
    #[error("cannot copy the program to a temporary folder (TMPDIR names another one): {error}")]
    Copy { error: io::Error },
    #[error(
        "{} needs {library}, which makes threads of its own that the simulation cannot time; compile without -fopenmp",
        path.display()
    )]
    Threads { path: PathBuf, library: &'static str },
    #[error("cannot load {}: {message}", path.display())]
    Loader { path: PathBuf, message: String },
}

/// Libraries that make threads of the system, in which programs cannot run.
const WITH_THREADS: [&str; 3] = ["libgomp.so.1", "libomp.so.5", "libiomp5.so"];

/// One file of a program.
struct Part {
    path: PathBuf,
    file: File,
    /// Of the libraries that it needs, the private ones: where the name stands, and which part it is
    private: Vec<(std::ops::Range<usize>, usize)>,
    patches: Patches,
}

/// A program and the libraries of its folder, checked, ready to be loaded once for each process.
pub struct Program {
    /// The program is the first
    parts: Vec<Part>,
    folder: tempfile::TempDir,
    /// Whether an image has been loaded, and its undefined symbols were looked for
    checked: bool,
}

impl Program {
    /// Reads the file of a program and those of the libraries in its folder, and checks that `processes` copies can be
    /// loaded. `instead` says what takes the place of functions of the system's libraries.
    ///
    /// # Errors
    ///
    /// When a file is not a library, the program has no `main`, or the machine has no room for so many copies.
    pub fn open(
        path: &Path,
        processes: usize,
        instead: impl Fn(&str) -> Option<usize>,
    ) -> Result<Self, LoadError> {
        let mut parts = vec![read(path)?];
        if !parts[0].file.defined.contains("main") {
            return Err(LoadError::NoMain {
                path: path.to_owned(),
            });
        }
        let own_folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        let mut next = 0;
        while next < parts.len() {
            for needed in parts[next].file.needed.clone() {
                let Some(beside) = beside(&own_folder, &needed.name) else {
                    continue;
                };
                let known = parts.iter().position(|part| part.path == beside);
                let number = known.unwrap_or(parts.len());
                if known.is_none() {
                    parts.push(read(&beside)?);
                }
                check_name(&parts[next], &needed)?;
                parts[next].private.push((needed.place, number));
            }
            next += 1;
        }

        let names = || {
            parts
                .iter()
                .flat_map(|part| &part.file.needed)
                .map(|needed| needed.name.as_str())
        };
        if let Some(library) = WITH_THREADS
            .into_iter()
            .find(|of| names().any(|name| name == *of))
        {
            return Err(LoadError::Threads {
                path: path.to_owned(),
                library,
            });
        }
        let most = limits::by_thread_local(parts.iter().map(|part| &part.file));
        if let Some(most) = most.filter(|most| *most < processes) {
            return Err(LoadError::ThreadLocal {
                path: path.to_owned(),
                most,
                asked: processes,
            });
        }
        if let Some((most, allowed)) = limits::by_mappings(parts.iter().map(|part| &part.file))
            && most < processes as u64
        {
            return Err(LoadError::Mappings {
                allowed,
                most,
                asked: processes,
            });
        }

        let own: BTreeSet<String> = parts
            .iter()
            .flat_map(|part| part.file.defined.iter().cloned())
            .collect();
        for part in &mut parts {
            part.patches = Patches::of(&part.file, &own, &instead);
        }
        let folder = tempfile::Builder::new()
            .prefix("packetloom-")
            .tempdir()
            .map_err(|error| LoadError::Copy { error })?;
        Ok(Self {
            parts,
            folder,
            checked: false,
        })
    }

    /// Whether the program, or a library of its folder, needs a library of this name.
    pub fn needs(&self, name: &str) -> bool {
        self.parts
            .iter()
            .any(|part| part.file.needed.iter().any(|needed| needed.name == name))
    }

    /// Loads one more private copy. None of its code runs by this.
    ///
    /// # Errors
    ///
    /// When the files cannot be copied, or the loader refuses them.
    pub fn load(&mut self, instead: impl Fn(&str) -> Option<usize>) -> Result<Image, LoadError> {
        let first = COPIES.fetch_add(self.parts.len() as u64, Ordering::Relaxed);
        let number = |part: usize| first + part as u64;
        // The name by which the loader shall find a part: as long as the one written in the files that need it.
        let mut names = vec![format!("./{}", base_36(number(0), 8))];
        names.resize(self.parts.len(), String::new());
        for part in &self.parts {
            for (place, of) in &part.private {
                names[*of] = format!("./{}", base_36(number(*of), place.len() - 2));
            }
        }
        let mut bytes = Vec::new();
        for (part, name) in self.parts.iter().zip(&names) {
            bytes.clear();
            bytes.extend_from_slice(&part.file.bytes);
            for (place, of) in &part.private {
                bytes[place.clone()].copy_from_slice(names[*of].as_bytes());
            }
            fs::write(self.folder.path().join(name), &bytes).map_err(|error| LoadError::Copy { error })?;
        }
        let loaded = self.open_copies(&names);
        for name in &names {
            // A copy that stays behind goes with its folder.
            let _ = fs::remove_file(self.folder.path().join(name));
        }
        let (image, bases) = loaded?;
        for (part, base) in self.parts.iter().zip(bases) {
            // SAFETY: the loader just put a copy of this part's file at this place, and nothing of it runs before the
            // process is started.
            let applied = unsafe { part.patches.apply(base) };
            applied.map_err(|error| LoadError::Loader {
                path: part.path.clone(),
                message: format!("its table of addresses cannot be written ({error})"),
            })?;
        }
        if !self.checked {
            self.check_symbols(&image, instead)?;
            self.checked = true;
        }
        Ok(image)
    }

    /// Has the loader load the copies with these names from the temporary folder.
    fn open_copies(&self, names: &[String]) -> Result<(Image, Vec<usize>), LoadError> {
        let refuse = |message: String| LoadError::Loader {
            path: self.parts[0].path.clone(),
            message: tell(message),
        };
        let files = || self.parts.iter().map(|part| &part.file);
        if names.len() == 1 {
            let path = self.folder.path().join(&names[0][2..]);
            return Image::open(&[c_string(path.as_os_str().as_bytes())], files()).map_err(refuse);
        }
        // Names in files that need others have no room for a whole path: the loader finds them in the working folder.
        let _there =
            loaded::WorkingFolder::enter(self.folder.path()).map_err(|error| LoadError::Copy { error })?;
        let names: Vec<_> = names.iter().map(|name| c_string(name.as_bytes())).collect();
        Image::open(&names, files()).map_err(refuse)
    }

    /// Looks for the symbols that the program needs: otherwise the first call of a missing one would end everything.
    fn check_symbols(&self, image: &Image, instead: impl Fn(&str) -> Option<usize>) -> Result<(), LoadError> {
        for part in &self.parts {
            for symbol in &part.file.required {
                if instead(symbol).is_none() && !image.finds(&c_string(symbol.as_bytes())) {
                    return Err(LoadError::Undefined {
                        path: part.path.clone(),
                        symbol: symbol.clone(),
                    });
                }
            }
        }
        Ok(())
    }
}

/// Reads and checks one file.
fn read(path: &Path) -> Result<Part, LoadError> {
    let bytes = fs::read(path).map_err(|error| LoadError::Unreadable {
        path: path.to_owned(),
        error,
    })?;
    let file = File::parse(bytes).map_err(|error| LoadError::File {
        path: path.to_owned(),
        error,
    })?;
    Ok(Part {
        path: path.to_owned(),
        file,
        private: Vec::new(),
        patches: Patches::default(),
    })
}

/// The file in the program's folder that a needed name means, if it means one.
fn beside(folder: &Path, name: &str) -> Option<PathBuf> {
    let name = Path::new(name);
    let file = folder.join(name.file_name()?);
    let elsewhere = match name.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => fs::canonicalize(parent).ok()? != fs::canonicalize(folder).ok()?,
        None => false,
    };
    (!elsewhere && file.is_file()).then_some(file)
}

/// Checks that a needed name can be written over: it is long enough, and stands for itself.
fn check_name(part: &Part, needed: &super::file::Needed) -> Result<(), LoadError> {
    let alone = needed
        .place
        .start
        .checked_sub(1)
        .and_then(|before| part.file.bytes.get(before))
        == Some(&0);
    if needed.name.len() < "./00000".len() || !alone {
        return Err(LoadError::Name {
            path: part.path.clone(),
            name: needed.name.clone(),
        });
    }
    Ok(())
}

/// A number in letters and digits, `digits` of them.
fn base_36(mut number: u64, digits: usize) -> String {
    let mut text = vec![b'0'; digits];
    for place in text.iter_mut().rev() {
        *place = b"0123456789abcdefghijklmnopqrstuvwxyz"[(number % 36) as usize];
        number /= 36;
    }
    String::from_utf8(text).expect("letters and digits")
}

/// The loader's message, with what to do where it is known.
fn tell(message: String) -> String {
    if message.contains("static TLS block") {
        return format!("{message}; compile without -ftls-model=initial-exec, or start fewer processes");
    }
    if message.contains("failed to map segment") || message.contains("Operation not permitted") {
        return format!("{message}; if the temporary folder forbids executing, name another one with TMPDIR");
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_copies_have_the_length_that_is_asked_for() {
        assert_eq!(base_36(0, 4), "0000");
        assert_eq!(base_36(35, 4), "000z");
        // 36 * 36 + 2
        assert_eq!(base_36(1298, 4), "0102");
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Program::open(Path::new("/nonexistent/program.so"), 1, |_| None)
            .err()
            .unwrap();
        assert!(
            error
                .to_string()
                .starts_with("cannot read /nonexistent/program.so: "),
            "{error}"
        );
    }
}
