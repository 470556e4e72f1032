//! `packetloom portals cc`: the C compiler, told where the headers are and what to build.

use super::include_folder;
use crate::failure::Failure;
use crate::output;
use clap::Args;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

const EXAMPLES: &str = "\
Examples:
  packetloom portals cc hello.c                   build hello.so
  packetloom portals cc -O2 -g -o ring.so ring.c  options and outputs as the compiler has them
  packetloom portals cc main.c util.c -lm         several sources, one library: main.so
  packetloom portals cc halo.cpp                  C++, by the name of the first source
  CC=clang packetloom portals cc hello.c          another compiler
  packetloom portals cc --show hello.c            the command, without running it
  packetloom portals cc --include-dir             where the headers are, for a build of your own

The exit code is the compiler's, and 2 if there is no compiler.";

/// Endings of the names of C++ sources.
const CXX_ENDINGS: [&str; 6] = ["cpp", "cc", "cxx", "c++", "C", "cp"];

/// Endings of the names of sources and objects that give a library its name.
const INPUT_ENDINGS: [&str; 4] = ["c", "o", "a", "s"];

/// Options with which the compiler makes no library.
const NO_LIBRARY: [&str; 6] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"];

/// Compile a Portals program: a shared library that `packetloom portals run` runs as simulated processes.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Cc {
    /// Print the compiler's command instead of running it
    #[arg(long)]
    show: bool,

    /// Print the folder with the headers, and do nothing else
    #[arg(long)]
    include_dir: bool,

    /// Use the C++ compiler, whatever the sources are called
    #[arg(long)]
    cxx: bool,

    /// What the compiler is told: sources, options, `-o NAME.so`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

impl Cc {
    /// Runs the compiler.
    pub fn execute(self) -> Result<(), Failure> {
        if self.include_dir {
            return output::print(&format!("{}\n", include_folder::install()?.display()));
        }
        if self.arguments.is_empty() {
            return Err(Failure::Input(
                "no sources; name them, as in \"packetloom portals cc hello.c\"".to_owned(),
            ));
        }
        let cxx = self.cxx || is_cxx(&self.arguments);
        let compiler = compiler(cxx);
        let options = options(&include_folder::install()?, &self.arguments);
        if self.show {
            let words = compiler.iter().chain(&options).map(|word| quoted(word));
            return output::print(&(words.collect::<Vec<_>>().join(" ") + "\n"));
        }
        run(&compiler, &options, cxx)
    }
}

/// Runs the compiler, and passes its exit code on.
fn run(compiler: &[OsString], options: &[OsString], cxx: bool) -> Result<(), Failure> {
    let program = &compiler[0];
    let status = Command::new(program)
        .args(&compiler[1..])
        .args(options)
        .status()
        .map_err(|error| {
            let (language, variable) = if cxx { ("C++", "CXX") } else { ("C", "CC") };
            let program = program.display();
            Failure::Input(if error.kind() == ErrorKind::NotFound {
                format!(
                    "there is no {language} compiler \"{program}\"; install one (gcc or clang), or name it in the \
                     environment variable {variable}"
                )
            } else {
                format!("cannot run the {language} compiler \"{program}\": {error}; name another in {variable}")
            })
        })?;
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(()),
        // Exit codes are below 256.
        (Some(code), _) => Err(Failure::Child(code as u8)),
        (None, signal) => Err(Failure::Child(128 + signal.unwrap_or(0) as u8)),
    }
}

/// The compiler with the options that its variable gives it: `$CC` or `cc`, `$CXX` or `c++`.
fn compiler(cxx: bool) -> Vec<OsString> {
    let (variable, usual) = if cxx { ("CXX", "c++") } else { ("CC", "cc") };
    let named: Vec<OsString> = env::var(variable)
        .unwrap_or_default()
        .split_whitespace()
        .map(OsString::from)
        .collect();
    if named.is_empty() {
        vec![usual.into()]
    } else {
        named
    }
}

/// What the compiler is told: a shared library unless the user wants none, the headers, the user's arguments, and a name for
/// the library unless the user gave one.
fn options(include: &Path, arguments: &[OsString]) -> Vec<OsString> {
    let library = !arguments
        .iter()
        .any(|argument| NO_LIBRARY.iter().any(|option| argument == option));
    let mut options: Vec<OsString> = Vec::new();
    if library {
        options.push("-shared".into());
    }
    options.push("-fPIC".into());
    // A large frame touches the guard below the stack, and does not jump over it.
    options.push("-fstack-clash-protection".into());
    options.push("-I".into());
    options.push(include.into());
    options.extend_from_slice(arguments);
    let named = arguments
        .iter()
        .any(|argument| argument.as_encoded_bytes().starts_with(b"-o"));
    if library
        && !named
        && let Some(input) = inputs(arguments).next()
    {
        options.push("-o".into());
        options.push(output_name(input));
    }
    options
}

/// The library that a source gives its name: in the folder where the compiler runs, as that of the compiler's own `a.out`.
fn output_name(input: &Path) -> OsString {
    let mut name = input.file_stem().unwrap_or(OsStr::new("a")).to_owned();
    name.push(".so");
    name
}

/// The sources and objects among the arguments.
fn inputs(arguments: &[OsString]) -> impl Iterator<Item = &Path> {
    arguments
        .iter()
        .filter(|argument| !argument.as_encoded_bytes().starts_with(b"-"))
        .map(Path::new)
        .filter(|path| {
            ending(path)
                .is_some_and(|ending| INPUT_ENDINGS.contains(&ending) || CXX_ENDINGS.contains(&ending))
        })
}

/// Whether the first source is one of C++.
fn is_cxx(arguments: &[OsString]) -> bool {
    inputs(arguments)
        .next()
        .and_then(ending)
        .is_some_and(|ending| CXX_ENDINGS.contains(&ending))
}

fn ending(path: &Path) -> Option<&str> {
    path.extension()?.to_str()
}

/// A word as a shell reads it back.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+=,:@%".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[track_caller]
    fn told(arguments: &str, expected: &str) {
        let options = options(Path::new("/inc"), &words(arguments));
        assert_eq!(options, words(expected), "{arguments}");
    }

    #[test]
    fn the_library_is_named_after_the_first_source_unless_the_user_names_it() {
        told(
            "a/ring.c b.c -lm",
            "-shared -fPIC -fstack-clash-protection -I /inc a/ring.c b.c -lm -o ring.so",
        );
        told(
            "-O2 -o x.so ring.c",
            "-shared -fPIC -fstack-clash-protection -I /inc -O2 -o x.so ring.c",
        );
        told(
            "ring.c -ox.so",
            "-shared -fPIC -fstack-clash-protection -I /inc ring.c -ox.so",
        );
    }

    #[test]
    fn no_library_is_made_where_the_user_wants_an_object() {
        told("-c ring.c", "-fPIC -fstack-clash-protection -I /inc -c ring.c");
        told(
            "-fsyntax-only ring.c",
            "-fPIC -fstack-clash-protection -I /inc -fsyntax-only ring.c",
        );
    }

    #[test]
    fn the_first_source_tells_the_language() {
        assert!(is_cxx(&words("-O2 ring.cpp util.c")));
        assert!(!is_cxx(&words("-O2 ring.c util.cc")));
        assert!(!is_cxx(&words("-lm")));
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted(OsStr::new("-I/a_b/c.so")), "-I/a_b/c.so");
        assert_eq!(quoted(OsStr::new("a b")), "'a b'");
        assert_eq!(quoted(OsStr::new("it's")), r"'it'\''s'");
        assert_eq!(quoted(OsStr::new("")), "''");
    }
}
