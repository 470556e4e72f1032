//! The same puts by a program in C: what hosting it costs besides.

use crate::portals::files;
use anyhow::{Context, Result, ensure};
use cpu_time::ProcessTime;
use packetloom_flow::{Deployment, Platform};
use packetloom_portals_host::headers::HEADERS;
use packetloom_portals_host::{
    Launch, Options as HostOptions, ProcessMemory, Run, SimulatedMachine, Terminal, c_interface,
};
use packetloom_sim::portals::{Machine, Options, World};
use std::fs;
use std::hint::black_box;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// The program, compiled.
pub struct Program {
    library: PathBuf,
    _folder: TempDir,
}

/// Compiles it.
pub fn build() -> Result<Program> {
    // Programs find these functions in this one by name.
    black_box(c_interface::exports());
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    for (path, text) in HEADERS {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().context("a folder")?)?;
        fs::write(path, text)?;
    }
    let source = folder.path().join("puts.c");
    fs::write(&source, include_str!("../programs/puts.c"))?;
    let library = folder.path().join("puts.so");
    let status = Command::new("cc")
        .args(["-O2", "-shared", "-fPIC", "-I"])
        .arg(folder.path())
        .arg(&source)
        .arg("-o")
        .arg(&library)
        .status()
        .context("cannot start cc; install a C compiler")?;
    ensure!(status.success(), "the program in C cannot be compiled");
    Ok(Program {
        library,
        _folder: folder,
    })
}

impl Program {
    /// Puts with acknowledgement per CPU second, of `puts` by each sender of so many pairs of nodes. Loading does not count.
    pub fn puts_per_second(&self, pairs: u32, puts: u32) -> Result<f64> {
        let (platform, deployment) = files(2 * pairs);
        let platform = Platform::parse(&platform, "platform", None)?;
        let deployment = Deployment::parse(&deployment, "deployment")?;
        let options = Options::default();
        let machine = Machine::new(&platform, &deployment, &options)?;
        let memories = (0..2 * pairs).map(ProcessMemory::new).collect();
        let world = World::new(platform, &machine, &options, memories)?;
        let launch = Launch {
            name: "puts".to_owned(),
            arguments: vec![puts.to_string()],
        };
        let launches = vec![launch; 2 * pairs as usize];
        let run = Run::new(&self.library, &launches, HostOptions::default())?;
        let mut kernel = SimulatedMachine::new(world, |_| ());
        let mut output = Terminal::new(io::sink(), io::stderr(), true);
        let begun = ProcessTime::now();
        let report = run.run(&mut kernel, &mut output)?;
        let took = begun.elapsed().as_secs_f64();
        ensure!(report.exit_code() == 0, "the program in C fails: {report:?}");
        Ok(f64::from(pairs * puts) / took)
    }
}
