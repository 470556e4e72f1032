//! Compiles the programs under `tests/programs`, each once.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// The shared library that `compiler` makes of a source with these further arguments. Kept by what it is made of.
pub fn compile_with(compiler: &str, source: &str, further: &[&str]) -> PathBuf {
    let path = sources().join(source);
    let text = fs::read_to_string(&path).unwrap();
    let mut hasher = DefaultHasher::new();
    (compiler, &text, further).hash(&mut hasher);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{source}-{:016x}", hasher.finish()));
    let library = folder.join("program.so");
    if !library.exists() {
        fs::create_dir_all(&folder).unwrap();
        // Other tests may compile the same at the same time: the whole file takes its name at once.
        let part = tempfile::Builder::new()
            .tempfile_in(&folder)
            .unwrap()
            .into_temp_path();
        let output = Command::new(compiler)
            .args(["-shared", "-fPIC", "-g", "-O1", "-Wall", "-pthread", "-o"])
            .arg(&part)
            .arg(&path)
            .args(further)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        part.persist(&library).unwrap();
    }
    library
}

/// The library that the C compiler makes of a source.
pub fn compile(source: &str) -> PathBuf {
    compile_with("cc", source, &[])
}
