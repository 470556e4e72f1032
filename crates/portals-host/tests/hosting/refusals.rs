//! Files that are no programs, and programs that cannot run: one message each.

use super::compile::{compile, compile_with};
use super::{launches, run_with};
use packetloom_portals::{Call, Memory};
use packetloom_portals_host::{Options, ProcessMemory, Run, current};
use std::path::Path;

fn refusal(program: &Path, processes: u32) -> String {
    match Run::new(program, &launches(processes, &[]), Options::default()) {
        Ok(_) => panic!("{} was accepted", program.display()),
        Err(error) => error.to_string(),
    }
}

fn written(bytes: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    file
}

#[test]
fn what_is_no_library_is_refused() {
    let text = refusal(written(b"#!/bin/sh\n").path(), 1);
    assert!(
        text.contains("is not a shared library: it is not an ELF file; compile the program with"),
        "{text}"
    );
    let mut bytes = std::fs::read(compile("hello.c")).unwrap();
    let text = refusal(written(&bytes[..bytes.len() / 3]).path(), 1);
    assert!(
        text.contains("is not a shared library: the file is cut short"),
        "{text}"
    );
    // e_machine stands at byte 18; 8 is MIPS
    bytes[18..20].copy_from_slice(&8u16.to_le_bytes());
    let text = refusal(written(&bytes).path(), 1);
    assert!(text.contains("is for another machine (mips, 64 bits)"), "{text}");
    let text = refusal(Path::new("/nonexistent.so"), 1);
    assert!(
        text.starts_with("cannot read /nonexistent.so: No such file"),
        "{text}"
    );
    let text = refusal(Path::new("/"), 1);
    assert!(text.starts_with("cannot read /: "), "{text}");
    let text = refusal(&std::env::current_exe().unwrap(), 1);
    assert!(text.contains("is an executable, not a shared library"), "{text}");
}

#[test]
fn every_damaged_copy_is_refused_or_harmless() {
    // The headers of the file and of its segments: each byte is set to 255. Nothing is loaded, as there is no
    // `main`.
    let bytes = std::fs::read(compile("no_main.c")).unwrap();
    for place in 0..512 {
        let mut damaged = bytes.clone();
        damaged[place] = 0xff;
        let text = refusal(written(&damaged).path(), 1);
        assert!(text.len() > 20, "{text}");
    }
}

#[test]
fn a_library_without_main_is_refused() {
    let text = refusal(&compile("no_main.c"), 1);
    assert!(text.contains("has no function `main`"), "{text}");
}

#[test]
fn a_missing_function_is_named_before_anything_runs() {
    let text = refusal(&compile("missing.c"), 2);
    assert!(
        text.contains("needs `nowhere_to_be_found`, which no library that it names has"),
        "{text}"
    );
}

#[test]
fn a_missing_library_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("libgone.so");
    std::fs::copy(compile("no_main.c"), &library).unwrap();
    let program = compile_with(
        "cc",
        "hello.c",
        &["-Wl,--no-as-needed", library.to_str().unwrap()],
    );
    drop(folder);
    let text = refusal(&program, 1);
    assert!(
        text.contains("cannot load") && text.contains("libgone.so: cannot open shared object file"),
        "{text}"
    );
}

#[test]
fn too_many_copies_are_refused_before_loading() {
    let program = compile("fixed_tls.c");
    // Four bytes each: 420 fit.
    let text = refusal(&program, 421);
    assert!(
        text.contains("initial-exec") && text.contains("420 copies fit and 421 are asked for"),
        "{text}"
    );
    assert_eq!(
        run_with(&program, 50, &[], Options::default())
            .unwrap()
            .report
            .exit_code(),
        0
    );
    let text = refusal(&compile("hello.c"), 1_000_000);
    assert!(
        text.contains("vm.max_map_count") && text.contains("at most"),
        "{text}"
    );
}

/// Asks the kernel of these tests to write to an address, as Portals does.
extern "C" fn write_there(address: u64) -> i32 {
    current::call(Call::Poll);
    ProcessMemory::new(current::thread().process).write(address, b"x");
    current::call(Call::Poll);
    0
}

#[test]
fn an_address_that_portals_cannot_use_is_the_processs_fault() {
    let function = format!("{:x}", write_there as *const () as usize);
    let program = compile("calls_back.c");
    let done = run_with(&program, 2, &[&function, "20"], Options::default()).unwrap();
    assert_eq!(done.report.exit_code(), 128 + 11);
    let text = done.report.failures[0].to_string();
    assert!(
        text.starts_with("rank 0 on node0 gave Portals an address it does not own (0x20)"),
        "{text}"
    );
}

/// Asks for who runs, and for the kernel, as the Portals functions do.
extern "C" fn asks(_: u64) -> i32 {
    let name = current::with_kernel(|kernel| kernel.host_name(current::thread().process).to_owned());
    if name == format!("node{}", current::thread().process) {
        0
    } else {
        1
    }
}

/// Ends the process.
extern "C" fn exits(code: u64) -> i32 {
    current::exit(code as i32)
}

#[test]
fn functions_that_programs_call_act_in_the_name_of_the_thread() {
    let program = compile("calls_back.c");
    let function = format!("{:x}", asks as *const () as usize);
    assert_eq!(
        run_with(&program, 3, &[&function], Options::default())
            .unwrap()
            .report
            .exit_code(),
        0
    );
    let function = format!("{:x}", exits as *const () as usize);
    assert_eq!(
        run_with(&program, 1, &[&function, "11"], Options::default())
            .unwrap()
            .report
            .exit_code(),
        17
    );
}

#[test]
fn a_library_with_threads_of_its_own_is_refused() {
    let program = compile_with("cc", "hello.c", &["-fopenmp", "-Wl,--no-as-needed", "-lgomp"]);
    let text = refusal(&program, 1);
    assert!(
        text.contains("libgomp.so.1") && text.contains("without -fopenmp"),
        "{text}"
    );
}

#[test]
fn a_run_within_a_run_is_refused_and_the_next_one_is_not() {
    let program = compile("hello.c");
    let first = Run::new(&program, &launches(1, &["x"]), Options::default()).unwrap();
    assert!(refusal(&program, 1).contains("another run is under way"));
    drop(first);
    assert_eq!(
        run_with(&program, 1, &["x"], Options::default())
            .unwrap()
            .report
            .exit_code(),
        0
    );
}
