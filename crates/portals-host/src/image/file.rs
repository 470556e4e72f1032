//! What is in the file of a program or library, and the bytes of which private copies are made.
//!
//! In a copy, the entries that make the loader run initialisers and finalisers are hidden: the process runs them itself, in
//! its own name and time. Symbols that the loader would make one for all copies (`STB_GNU_UNIQUE`) become ordinary ones.

use goblin::elf::dynamic as tags;
use goblin::elf::program_header::{PT_DYNAMIC, PT_GNU_RELRO, PT_LOAD, PT_TLS};
use goblin::elf::{Elf, header};
use std::collections::BTreeSet;
use std::ops::Range;

/// A tag that the loader does not know, of the range for operating systems.
const HIDDEN_TAG: u64 = 0x6000_0001;

/// Binding of symbols that glibc makes one for all copies.
const STB_GNU_UNIQUE: u8 = 10;

/// What this machine's programs have in their header, and the relocations that hold the address of a symbol.
#[cfg(target_arch = "x86_64")]
mod machine {
    use goblin::elf::reloc;

    pub const NUMBER: u16 = goblin::elf::header::EM_X86_64;
    pub const JUMP_SLOT: u32 = reloc::R_X86_64_JUMP_SLOT;
    pub const ADDRESSES: [u32; 3] = [JUMP_SLOT, reloc::R_X86_64_GLOB_DAT, reloc::R_X86_64_64];
}
#[cfg(target_arch = "aarch64")]
mod machine {
    use goblin::elf::reloc;

    pub const NUMBER: u16 = goblin::elf::header::EM_AARCH64;
    pub const JUMP_SLOT: u32 = reloc::R_AARCH64_JUMP_SLOT;
    pub const ADDRESSES: [u32; 3] = [JUMP_SLOT, reloc::R_AARCH64_GLOB_DAT, reloc::R_AARCH64_ABS64];
}

/// Thread-local variables of an image.
#[derive(Clone, Debug)]
pub struct ThreadLocal {
    /// Address of their first values, from the start of the image
    pub address: u64,
    /// Bytes that have first values; the others start as 0
    pub initial: usize,
    /// Bytes in all
    pub size: usize,
    /// Alignment, bytes
    pub align: usize,
    /// They are in the part of the machine's thread-local storage that cannot grow
    pub fixed: bool,
}

/// Functions that run at the start or end, by their addresses from the start of the image.
#[derive(Clone, Debug, Default)]
pub struct Routines {
    /// A single function
    pub single: Option<u64>,
    /// A table of functions, and how many
    pub table: (u64, usize),
}

/// An undefined symbol and where its address is kept.
#[derive(Clone, Debug)]
pub struct Import {
    /// Its name
    pub name: String,
    /// Where its address is kept, from the start of the image
    pub slot: u64,
}

/// A library that a file needs.
#[derive(Clone, Debug)]
pub struct Needed {
    /// Its name, as it is written in the file
    pub name: String,
    /// Where the name stands in the file
    pub place: Range<usize>,
}

/// A file, prepared for being copied.
#[derive(Clone, Debug)]
pub struct File {
    /// The bytes of a copy
    pub bytes: Vec<u8>,
    /// Libraries it needs
    pub needed: Vec<Needed>,
    /// Its initialisers
    pub start: Routines,
    /// Its finalisers
    pub end: Routines,
    /// Its thread-local variables
    pub thread_local: Option<ThreadLocal>,
    /// Places that hold addresses of symbols of other libraries
    pub imports: Vec<Import>,
    /// Symbols it needs and that must be there
    pub required: BTreeSet<String>,
    /// Symbols it has
    pub defined: BTreeSet<String>,
    /// Memory that the loader makes read-only once addresses are in place, from the start of the image
    pub read_only: Option<Range<u64>>,
    /// Mappings that an image takes, at most
    pub mappings: u64,
}

/// Why a file cannot be a program.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each says what it is")]
pub enum FileError {
    #[error(
        "is not a shared library: {0}; compile the program with `packetloom portals cc` or `cc -shared -fPIC`"
    )]
    NotALibrary(String),
    #[error("is for another machine ({0}); this one needs {need}", need = std::env::consts::ARCH)]
    OtherMachine(String),
    #[error(
        "is an executable, not a shared library; compile the program with `packetloom portals cc` or `cc -shared -fPIC`"
    )]
    Executable,
}

impl File {
    /// Reads the bytes of a file.
    ///
    /// # Errors
    ///
    /// When it is not a shared library for this machine, or damaged.
    pub fn parse(mut bytes: Vec<u8>) -> Result<Self, FileError> {
        let elf = check(&bytes)?;
        let damaged = |what: &str| FileError::NotALibrary(format!("its {what} is damaged"));
        let dynamic = elf
            .dynamic
            .as_ref()
            .ok_or_else(|| FileError::NotALibrary("it has no dynamic section".to_owned()))?;
        let table = elf
            .program_headers
            .iter()
            .find(|segment| segment.p_type == PT_DYNAMIC);
        let table = table.ok_or_else(|| damaged("dynamic section"))?.p_offset as usize;
        let in_file = |address: u64| {
            elf.program_headers.iter().find_map(|segment| {
                let inside = segment.p_type == PT_LOAD
                    && (segment.p_vaddr..segment.p_vaddr + segment.p_filesz).contains(&address);
                inside.then(|| (address - segment.p_vaddr + segment.p_offset) as usize)
            })
        };
        let strings = in_file(dynamic.info.strtab as u64).ok_or_else(|| damaged("table of names"))?;
        let symbols = in_file(dynamic.info.symtab as u64).ok_or_else(|| damaged("table of symbols"))?;

        let mut changes: Vec<(usize, u64)> = Vec::new();
        let (mut start, mut end) = (Routines::default(), Routines::default());
        let mut needed = Vec::new();
        for (number, entry) in dynamic.dyns.iter().enumerate() {
            let value = entry.d_val;
            let count = value as usize / size_of::<u64>();
            match entry.d_tag {
                tags::DT_INIT => start.single = Some(value),
                tags::DT_INIT_ARRAY => start.table.0 = value,
                tags::DT_INIT_ARRAYSZ => start.table.1 = count,
                tags::DT_FINI => end.single = Some(value),
                tags::DT_FINI_ARRAY => end.table.0 = value,
                tags::DT_FINI_ARRAYSZ => end.table.1 = count,
                tags::DT_NEEDED => {
                    let name = elf
                        .dynstrtab
                        .get_at(value as usize)
                        .ok_or_else(|| damaged("table of names"))?;
                    let first = strings + value as usize;
                    needed.push(Needed {
                        name: name.to_owned(),
                        place: first..first + name.len(),
                    });
                    continue;
                }
                _ => continue,
            }
            changes.push((table + number * size_of::<[u64; 2]>(), HIDDEN_TAG));
        }

        let mut unique = Vec::new();
        let mut defined = BTreeSet::new();
        let mut required = BTreeSet::new();
        for (number, symbol) in elf.dynsyms.iter().enumerate() {
            let name = elf
                .dynstrtab
                .get_at(symbol.st_name)
                .ok_or_else(|| damaged("table of symbols"))?;
            if !symbol.is_import() && symbol.st_shndx != 0 {
                defined.insert(name.to_owned());
            } else if symbol.st_bind() == goblin::elf::sym::STB_GLOBAL && !name.is_empty() {
                required.insert(name.to_owned());
            }
            if symbol.st_bind() == STB_GNU_UNIQUE {
                unique.push(symbols + number * size_of::<libc::Elf64_Sym>() + 4);
            }
        }
        let mut imports = Vec::new();
        for entry in elf.dynrelas.iter().chain(elf.pltrelocs.iter()) {
            let plain = entry.r_type == machine::JUMP_SLOT || entry.r_addend.unwrap_or(0) == 0;
            if !plain || !machine::ADDRESSES.contains(&entry.r_type) {
                continue;
            }
            let symbol = elf
                .dynsyms
                .get(entry.r_sym)
                .ok_or_else(|| damaged("table of symbols"))?;
            let name = elf
                .dynstrtab
                .get_at(symbol.st_name)
                .ok_or_else(|| damaged("table of symbols"))?;
            imports.push(Import {
                name: name.to_owned(),
                slot: entry.r_offset,
            });
        }

        let fixed = dynamic.info.flags & tags::DF_STATIC_TLS != 0;
        let of_kind = |kind| {
            elf.program_headers
                .iter()
                .find(move |segment| segment.p_type == kind)
        };
        let thread_local = of_kind(PT_TLS).map(|segment| ThreadLocal {
            address: segment.p_vaddr,
            initial: segment.p_filesz as usize,
            size: segment.p_memsz as usize,
            align: segment.p_align.max(1) as usize,
            fixed,
        });
        let read_only = of_kind(PT_GNU_RELRO).map(|part| part.p_vaddr..part.p_vaddr + part.p_memsz);
        // One mapping a segment; one more where a part becomes read-only, and one for what starts as 0.
        let segments = elf
            .program_headers
            .iter()
            .filter(|segment| segment.p_type == PT_LOAD)
            .count() as u64;
        let mappings = segments + 2;

        drop(elf);
        for (place, value) in changes {
            bytes[place..place + size_of::<u64>()].copy_from_slice(&value.to_ne_bytes());
        }
        for place in unique {
            bytes[place] = bytes[place] & 0x0f | goblin::elf::sym::STB_GLOBAL << 4;
        }
        Ok(Self {
            bytes,
            needed,
            start,
            end,
            thread_local,
            imports,
            required,
            defined,
            read_only,
            mappings,
        })
    }
}

/// Checks that the bytes are a shared library for this machine.
fn check(bytes: &[u8]) -> Result<Elf<'_>, FileError> {
    if bytes.len() < header::SELFMAG || &bytes[..header::SELFMAG] != header::ELFMAG {
        let what = if bytes.is_empty() {
            "the file is empty"
        } else {
            "it is not an ELF file"
        };
        return Err(FileError::NotALibrary(what.to_owned()));
    }
    let elf = Elf::parse(bytes)
        .map_err(|error| FileError::NotALibrary(format!("the file is cut short or damaged ({error})")))?;
    let number = elf.header.e_machine;
    if !elf.is_64 || number != machine::NUMBER || elf.little_endian != cfg!(target_endian = "little") {
        let name = header::machine_to_str(number)
            .trim_start_matches("EM_")
            .to_lowercase();
        let bits = if elf.is_64 { 64 } else { 32 };
        return Err(FileError::OtherMachine(format!("{name}, {bits} bits")));
    }
    let whole = elf.program_headers.iter().all(|part| {
        part.p_offset
            .checked_add(part.p_filesz)
            .is_some_and(|end| end <= bytes.len() as u64)
    });
    if !whole {
        return Err(FileError::NotALibrary("the file is cut short".to_owned()));
    }
    match elf.header.e_type {
        header::ET_DYN if elf.interpreter.is_some() && !elf.dynamic.as_ref().is_some_and(is_library) => {
            Err(FileError::Executable)
        }
        header::ET_DYN => Ok(elf),
        header::ET_EXEC => Err(FileError::Executable),
        header::ET_REL => Err(FileError::NotALibrary(
            "it is an object file that is not linked yet".to_owned(),
        )),
        header::ET_CORE => Err(FileError::NotALibrary("it is a core dump".to_owned())),
        _ => Err(FileError::NotALibrary("its kind is unknown".to_owned())),
    }
}

/// Whether a file that names a loader is a library all the same: only executables have the mark.
fn is_library(dynamic: &tags::Dynamic) -> bool {
    dynamic.info.flags_1 & tags::DF_1_PIE == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Vec<u8> {
        std::fs::read("/proc/self/exe").unwrap()
    }

    fn refusal(bytes: Vec<u8>) -> String {
        File::parse(bytes).unwrap_err().to_string()
    }

    #[test]
    fn text_is_refused() {
        assert!(refusal(b"int main() {}".to_vec()).contains("not an ELF file"));
        assert!(refusal(Vec::new()).contains("the file is empty"));
    }

    #[test]
    fn an_executable_is_refused() {
        assert!(refusal(own()).contains("is an executable"));
    }

    #[test]
    fn half_a_file_is_refused() {
        let mut bytes = own();
        bytes.truncate(bytes.len() / 2);
        assert!(refusal(bytes).contains("is not a shared library"));
        assert!(refusal(own()[..30].to_vec()).contains("damaged"));
    }

    #[test]
    fn another_machine_is_refused_by_name() {
        let mut bytes = own();
        // e_machine stands at byte 18: 0xf3 is RISC-V
        bytes[18] = 0xf3;
        assert!(refusal(bytes).contains("riscv, 64 bits"));
    }
}
