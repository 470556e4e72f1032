//! S4BXI's helpers.

use super::numbers::{OK, number};
use super::pointers::{In, Out};
use super::types::CProcess;
use crate::{current, keyval};
use packetloom_portals::{Call, Code, Handle, Process};
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::AtomicI32;

/// No rank.
const NONE: u32 = u32::MAX;

/// S4BXI's switch for polling; polls cost the same whatever it says.
#[unsafe(no_mangle)]
pub static _s4bxi_should_allow_polling: AtomicI32 = AtomicI32::new(1);

/// The caller's rank.
pub fn rank() -> u32 {
    current::thread().process
}

/// The number of processes.
pub fn processes() -> u32 {
    current::with_kernel(|kernel| kernel.processes())
}

/// Ranks of the processes on the caller's node, in order.
pub fn peers() -> Vec<u32> {
    let rank = rank();
    current::with_kernel(|kernel| {
        let nid = kernel.nid(rank);
        (0..kernel.processes())
            .filter(|&process| kernel.nid(process) == nid)
            .collect()
    })
}

/// The process of this number, if there is one.
fn known(rank: c_int) -> Option<u32> {
    u32::try_from(rank).ok().filter(|&rank| rank < processes())
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_compute(flops: f64) {
    if flops > 0.0 {
        current::call(Call::Compute(flops));
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_compute_s(seconds: f64) {
    if seconds > 0.0 {
        current::call(Call::ComputeSeconds(seconds));
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_execute(seconds: f64) {
    s4bxi_compute_s(seconds);
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_execute_flops(flops: f64) {
    s4bxi_compute(flops);
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_get_my_rank() -> u32 {
    rank()
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_get_my_local_rank() -> u32 {
    let rank = rank();
    peers().iter().take_while(|&&peer| peer < rank).count() as u32
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_get_rank_number() -> u32 {
    processes()
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_num_local_peers() -> u32 {
    peers().len() as u32 - 1
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_num_nodes() -> u32 {
    current::with_kernel(|kernel| {
        let mut nodes: Vec<u32> = (0..kernel.processes())
            .map(|process| kernel.nid(process))
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.len() as u32
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_local_peers_list(list: Out<c_char>, maxlen: usize) {
    list.set_text(&joined(&peers(), maxlen), maxlen);
}

/// The ranks with commas between, as many as leave room for a zero byte in `room` bytes.
fn joined(ranks: &[u32], room: usize) -> Vec<u8> {
    let mut text = String::new();
    for rank in ranks {
        let comma = if text.is_empty() { "" } else { "," };
        let next = format!("{comma}{rank}");
        if text.len() + next.len() >= room {
            break;
        }
        text.push_str(&next);
    }
    text.into_bytes()
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_get_hostname_from_rank(hostname: Out<c_char>, rank: c_int) {
    // The longest name of a host that POSIX allows.
    const ROOM: usize = 256;
    if let Some(rank) = known(rank) {
        let name = current::with_kernel(|kernel| kernel.host_name(rank).as_bytes().to_vec());
        hostname.set_text(&name[..name.len().min(ROOM - 1)], ROOM);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_global_rank_from_local(local: u32) -> u32 {
    peers().get(local as usize).copied().unwrap_or(NONE)
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_get_ptl_process_from_rank(rank: c_int, out: Out<CProcess>) -> c_int {
    let (Some(rank), false) = (known(rank), out.is_null()) else {
        return number(Code::ArgInvalid);
    };
    let interface = keyval::with(|run| run.process(rank).interface);
    let id = current::with_kernel(|kernel| match interface {
        Some(interface) => kernel.library(rank).id(Handle(interface)).map(CProcess::from),
        None => {
            let nid = kernel.nid(rank);
            let pid = kernel.library(rank).pid().ok_or(Code::NoInit)?;
            Ok(CProcess::from(Process { nid, pid }))
        }
    });
    match id {
        Ok(id) => {
            out.set(id);
            OK
        }
        Err(code) => number(code),
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_set_ptl_process_for_rank(ni: u32) {
    let rank = rank();
    keyval::with(|run| run.process(rank).interface = Some(ni));
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_simtime() -> f64 {
    current::call(Call::Poll);
    current::with_kernel(|kernel| kernel.now())
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_is_polling() -> c_int {
    let rank = rank();
    keyval::with(|run| run.process(rank).polling)
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_set_polling(polling: c_int) {
    let rank = rank();
    keyval::with(|run| run.process(rank).polling = polling);
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_barrier() {
    current::barrier("s4bxi_barrier");
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_keyval_store_pointer(key: In<c_char>, value: u64) {
    let rank = rank();
    if let Some(key) = key.text() {
        keyval::with(|run| run.pointers.insert((rank, key), value));
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_keyval_fetch_pointer(rank: c_int, key: In<c_char>) -> *mut c_void {
    let (Some(rank), Some(key)) = (known(rank), key.text()) else {
        return null_mut();
    };
    let value = keyval::with(|run| run.pointers.get(&(rank, key)).copied());
    value.map_or(null_mut(), |value| value as *mut c_void)
}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_set_loglevel(_level: c_int) {}

#[unsafe(no_mangle)]
pub extern "C" fn s4bxi_use_smpi_implem(_use: c_int) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// "0,1,2" and a zero byte are 6 bytes.
    #[test]
    fn ranks_are_joined_as_far_as_there_is_room() {
        assert_eq!(joined(&[0, 1, 2], 6), b"0,1,2");
        assert_eq!(joined(&[0, 1, 2], 5), b"0,1");
        assert_eq!(joined(&[10], 2), b"");
        assert_eq!(joined(&[], 0), b"");
    }
}
