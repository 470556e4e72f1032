//! Rows about the machine the simulator runs on, as Linux tells it in `/proc`.
//!
//! What cannot be read is 0: a run never fails for it. None of it is the same in another run, so these rows are left out
//! wherever runs are compared.

use super::Reporter;
use packetloom_des::Time;
use packetloom_records::{CpuMemStatsRow, Megabytes, Record, RecordsError, Seconds};
use std::fs::read_to_string;
use std::time::{Duration, Instant};

/// What is read is good for this long: reading takes some 50 us, and intervals may be much shorter than that.
const FRESH: Duration = Duration::from_millis(10);

/// Clock ticks a second in `/proc`: 100 on every architecture that is still in use (proc(5), sysconf(3)).
const TICKS_A_SECOND: f64 = 100.0;

/// The machine and the process, as last looked at.
#[derive(Default)]
pub(super) struct Machine {
    host_name: String,
    looked_at: Option<Instant>,
    usage: Usage,
}

/// Sizes in bytes, times in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Usage {
    virtual_memory: u64,
    resident: u64,
    memory: u64,
    available: u64,
    swap: u64,
    free_swap: u64,
    user: u64,
    kernel: u64,
    elapsed: u64,
}

impl Machine {
    pub(super) fn new() -> Self {
        Machine {
            host_name: text("/proc/sys/kernel/hostname").trim().to_owned(),
            ..Machine::default()
        }
    }

    fn look(&mut self) {
        if self.looked_at.is_none_or(|at| at.elapsed() >= FRESH) {
            self.usage = Usage::parse(
                &text("/proc/self/status"),
                &text("/proc/self/stat"),
                &text("/proc/uptime"),
                &text("/proc/meminfo"),
            );
            self.looked_at = Some(Instant::now());
        }
    }
}

fn text(path: &str) -> String {
    read_to_string(path).unwrap_or_default()
}

/// The bytes behind `name`, in a file with lines such as `VmRSS:   123 kB`.
fn bytes(text: &str, name: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes.saturating_mul(1024))
}

impl Usage {
    fn parse(status: &str, stat: &str, uptime: &str, meminfo: &str) -> Usage {
        // The second field is the program's name in parentheses, which may hold blanks and parentheses itself.
        let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let field =
            |number: usize| -> Option<u64> { fields.split_whitespace().nth(number - 3)?.parse().ok() };
        let uptime: Option<f64> = uptime
            .split_whitespace()
            .next()
            .and_then(|seconds| seconds.parse().ok());
        let elapsed = |uptime: f64| Some(((uptime * TICKS_A_SECOND) as u64).saturating_sub(field(22)?));
        let memory = |name| bytes(meminfo, name);
        Usage {
            virtual_memory: bytes(status, "VmSize").unwrap_or(0),
            resident: bytes(status, "VmRSS").unwrap_or(0),
            memory: memory("MemTotal").unwrap_or(0),
            available: memory("MemAvailable").or(memory("MemFree")).unwrap_or(0),
            swap: memory("SwapTotal").unwrap_or(0),
            free_swap: memory("SwapFree").unwrap_or(0),
            user: field(14).unwrap_or(0),
            kernel: field(15).unwrap_or(0),
            elapsed: uptime.and_then(elapsed).unwrap_or(0),
        }
    }
}

/// `part` of `whole` in percent; 0 where there is no whole.
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 * 100.0 / whole as f64
    }
}

impl Reporter {
    /// A row of `cpu-mem-stats`.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn cpu_mem_stats(&mut self, at: Time) -> Result<(), RecordsError> {
        if !self.files.writes(Record::CpuMemStats) {
            return Ok(());
        }
        self.files.tick();
        self.machine.look();
        let usage = &self.machine.usage;
        let used = usage.memory.saturating_sub(usage.available);
        let total = usage.user + usage.kernel;
        self.files.write(&CpuMemStatsRow {
            sim_time_sec: Seconds::from_ps(at.ps()),
            host_name: &self.machine.host_name,
            pid: std::process::id() as u64,
            core_vm_usage_M: Megabytes::from_bytes(usage.virtual_memory),
            core_rss_M: Megabytes::from_bytes(usage.resident),
            core_vm_usage_pct: percent(usage.virtual_memory, usage.memory),
            core_rss_usage_pct: percent(usage.resident, usage.memory),
            sys_total_mem_M: Megabytes::from_bytes(usage.memory),
            sys_free_mem_M: Megabytes::from_bytes(usage.available),
            sys_used_mem_M: Megabytes::from_bytes(used),
            sys_mem_usage_pct: percent(used, usage.memory),
            sys_swap_usage_pct: percent(usage.swap.saturating_sub(usage.free_swap), usage.swap),
            user_time_ticks: usage.user,
            kernel_time_ticks: usage.kernel,
            total_time_ticks: total,
            elapse_time_ticks: usage.elapsed,
            user_time_pct: percent(usage.user, usage.elapsed),
            system_time_pct: percent(usage.kernel, usage.elapsed),
            total_time_pct: percent(total, usage.elapsed),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_tells_is_read() {
        let status = "Name:\tpacketloom\nVmPeak:\t   300 kB\nVmSize:\t   200 kB\nVmRSS:\t    50 kB\n";
        let stat = "7 (a (b) c) R 1 7 7 0 -1 4194304 95 0 0 0 1250 30 0 0 20 0 1 0 7000 200 12 0\n";
        let meminfo =
            "MemTotal:  1000 kB\nMemFree:  100 kB\nMemAvailable:  400 kB\nSwapTotal: 8 kB\nSwapFree: 6 kB\n";
        let found = Usage::parse(status, stat, "90.50 170.00\n", meminfo);
        let right = Usage {
            virtual_memory: 200 * 1024,
            resident: 50 * 1024,
            memory: 1_000 * 1024,
            available: 400 * 1024,
            swap: 8 * 1024,
            free_swap: 6 * 1024,
            user: 1_250,
            kernel: 30,
            elapsed: 9_050 - 7_000,
        };
        assert_eq!(found, right);
        // Kernels before 3.14 do not tell what is available.
        let old = Usage::parse("", "", "", "MemTotal:  1000 kB\nMemFree:  100 kB\n");
        assert_eq!((old.memory, old.available), (1_000 * 1024, 100 * 1024));
    }

    #[test]
    fn what_is_not_told_is_zero() {
        assert_eq!(Usage::parse("", "", "", ""), Usage::default());
        let rubbish = "VmRSS: x kB\nVmSize:\nMemTotal: -1 kB\n) 1 2 3";
        assert_eq!(Usage::parse(rubbish, rubbish, rubbish, rubbish), Usage::default());
        assert_eq!(percent(5, 0), 0.0);
    }
}
