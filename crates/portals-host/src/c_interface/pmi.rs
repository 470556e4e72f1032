//! PMI 1: ranks, barrier, keys and values.

use super::pointers::{In, Out};
use super::s4bxi::{peers, processes, rank};
use crate::current;
use crate::keyval::{self, Run, Text};
use std::ffi::{c_char, c_int, c_void};
use std::ops::Bound;

const SUCCESS: c_int = 0;
const FAIL: c_int = -1;
const ERR_INIT: c_int = 1;
const ERR_INVALID_ARG: c_int = 3;
const ERR_INVALID_KEY: c_int = 4;
const ERR_INVALID_KEY_LENGTH: c_int = 5;
const ERR_INVALID_VAL: c_int = 6;
const ERR_INVALID_VAL_LENGTH: c_int = 7;
const ERR_INVALID_LENGTH: c_int = 8;
const ERR_INVALID_KVS: c_int = 14;

/// Bytes that a name, a key and a value may have, their zero byte included.
const NAME_ROOM: usize = 256;
const KEY_ROOM: usize = 256;
const VALUE_ROOM: usize = 1024;

/// The job's name.
const JOB_NAME: &[u8] = b"packetloom";

/// Does what `ask` says once `PMI_Init` was called.
fn started(ask: impl FnOnce(&mut Run) -> Result<(), c_int>) -> c_int {
    let rank = rank();
    keyval::with(|run| {
        if !run.process(rank).started {
            return ERR_INIT;
        }
        ask(run).err().unwrap_or(SUCCESS)
    })
}

/// Writes a number, once `PMI_Init` was called.
fn tell(out: Out<c_int>, value: impl FnOnce() -> usize) -> c_int {
    if out.is_null() {
        return ERR_INVALID_ARG;
    }
    let code = started(|_| Ok(()));
    if code == SUCCESS {
        out.set(value() as c_int);
    }
    code
}

/// Writes text to room for so many bytes.
fn write(out: Out<c_char>, length: c_int, text: &[u8], too_short: c_int) -> Result<(), c_int> {
    if out.is_null() {
        return Err(ERR_INVALID_ARG);
    }
    let room = usize::try_from(length).map_err(|_| too_short)?;
    out.set_text(text, room).then_some(()).ok_or(too_short)
}

/// Text that is there, not empty, and fits with its zero byte.
fn text(given: In<c_char>, wrong: c_int, too_long: c_int, room: usize) -> Result<Text, c_int> {
    let text = given.text().filter(|text| !text.is_empty()).ok_or(wrong)?;
    (text.len() < room).then_some(text).ok_or(too_long)
}

fn key_of(key: In<c_char>) -> Result<Text, c_int> {
    text(key, ERR_INVALID_KEY, ERR_INVALID_KEY_LENGTH, KEY_ROOM)
}

fn space_name(name: In<c_char>) -> Result<Text, c_int> {
    name.text().ok_or(ERR_INVALID_ARG)
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Init(spawned: Out<c_int>) -> c_int {
    let rank = rank();
    keyval::with(|run| run.process(rank).started = true);
    spawned.set(0);
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Initialized(initialized: Out<c_int>) -> c_int {
    if initialized.is_null() {
        return ERR_INVALID_ARG;
    }
    let rank = rank();
    let started = keyval::with(|run| run.process(rank).started);
    initialized.set(started.into());
    SUCCESS
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Finalize() -> c_int {
    let rank = rank();
    started(|run| {
        run.process(rank).started = false;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Get_size(size: Out<c_int>) -> c_int {
    tell(size, || processes() as usize)
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Get_rank(out: Out<c_int>) -> c_int {
    tell(out, || rank() as usize)
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Get_universe_size(size: Out<c_int>) -> c_int {
    tell(size, || processes() as usize)
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Get_appnum(appnum: Out<c_int>) -> c_int {
    tell(appnum, || 0)
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Get_clique_size(size: Out<c_int>) -> c_int {
    tell(size, || peers().len())
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Get_clique_ranks(ranks: Out<c_int>, length: c_int) -> c_int {
    if ranks.is_null() {
        return ERR_INVALID_ARG;
    }
    let peers = peers();
    started(|_| {
        if usize::try_from(length).is_ok_and(|room| room >= peers.len()) {
            ranks.fill(peers.iter().map(|&rank| rank as c_int));
            Ok(())
        } else {
            Err(ERR_INVALID_LENGTH)
        }
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Barrier() -> c_int {
    let code = started(|_| Ok(()));
    if code == SUCCESS {
        current::barrier("PMI_Barrier");
    }
    code
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Abort(exit_code: c_int, error_msg: In<c_char>) -> c_int {
    if !error_msg.is_null() {
        // SAFETY: the stream is the program's, put there while its thread runs; the text is the program's to answer for.
        unsafe {
            fputs(error_msg.0, stderr);
            fputs(c"\n".as_ptr(), stderr);
        }
    }
    current::exit(exit_code)
}

// SAFETY: as the C library declares them.
unsafe extern "C" {
    static stderr: *mut c_void;
    fn fputs(text: *const c_char, stream: *mut c_void) -> c_int;
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Get_id(id: Out<c_char>, length: c_int) -> c_int {
    started(|_| write(id, length, JOB_NAME, ERR_INVALID_LENGTH))
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Get_kvs_domain_id(id: Out<c_char>, length: c_int) -> c_int {
    started(|_| write(id, length, JOB_NAME, ERR_INVALID_LENGTH))
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Get_id_length_max(length: Out<c_int>) -> c_int {
    tell(length, || NAME_ROOM)
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Get_my_name(name: Out<c_char>, length: c_int) -> c_int {
    started(|_| write(name, length, Run::OWN_SPACE, ERR_INVALID_LENGTH))
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Get_name_length_max(length: Out<c_int>) -> c_int {
    tell(length, || NAME_ROOM)
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Get_key_length_max(length: Out<c_int>) -> c_int {
    tell(length, || KEY_ROOM)
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Get_value_length_max(length: Out<c_int>) -> c_int {
    tell(length, || VALUE_ROOM)
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Create(name: Out<c_char>, length: c_int) -> c_int {
    started(|run| {
        let made = run.make_space();
        write(name, length, &made, ERR_INVALID_LENGTH).inspect_err(|_| {
            run.end_space(&made);
        })
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Destroy(name: In<c_char>) -> c_int {
    started(|run| {
        run.end_space(&space_name(name)?)
            .then_some(())
            .ok_or(ERR_INVALID_KVS)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Put(name: In<c_char>, key: In<c_char>, value: In<c_char>) -> c_int {
    started(|run| {
        let key = key_of(key)?;
        let value = value.text().ok_or(ERR_INVALID_VAL)?;
        if value.len() >= VALUE_ROOM {
            return Err(ERR_INVALID_VAL_LENGTH);
        }
        let space = run.space(&space_name(name)?).ok_or(ERR_INVALID_KVS)?;
        space.insert(key, value);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Commit(name: In<c_char>) -> c_int {
    started(|run| run.space(&space_name(name)?).map(|_| ()).ok_or(ERR_INVALID_KVS))
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Get(name: In<c_char>, key: In<c_char>, value: Out<c_char>, length: c_int) -> c_int {
    started(|run| {
        let key = key_of(key)?;
        let space = run.space(&space_name(name)?).ok_or(ERR_INVALID_KVS)?;
        let found = space.get(&key).ok_or(ERR_INVALID_KEY)?;
        write(value, length, found, ERR_INVALID_VAL_LENGTH)
    })
}

/// Tells the first key behind `after` with its value, or an empty key where there is none; `after` none: the first of all.
fn iterate(
    run: &mut Run,
    name: In<c_char>,
    after: Option<Text>,
    (key, key_room): (Out<c_char>, c_int),
    (value, value_room): (Out<c_char>, c_int),
) -> Result<(), c_int> {
    let start = after.map_or(Bound::Unbounded, Bound::Excluded);
    let space = run.space(&space_name(name)?).ok_or(ERR_INVALID_KVS)?;
    let found = space
        .range((start, Bound::Unbounded))
        .next()
        .map(|(key, value)| (key.clone(), value.clone()));
    let (found, its_value) = match &found {
        Some((key, value)) => (&key[..], &value[..]),
        None => (&[][..], &[][..]),
    };
    write(key, key_room, found, ERR_INVALID_KEY_LENGTH)?;
    write(value, value_room, its_value, ERR_INVALID_VAL_LENGTH)?;
    if !found.is_empty() {
        run.process(rank()).reached = Some(found.to_vec());
    }
    Ok(())
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Iter_first(
    name: In<c_char>,
    key: Out<c_char>,
    key_room: c_int,
    value: Out<c_char>,
    value_room: c_int,
) -> c_int {
    started(|run| iterate(run, name, None, (key, key_room), (value, value_room)))
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_KVS_Iter_next(
    name: In<c_char>,
    key: Out<c_char>,
    key_room: c_int,
    value: Out<c_char>,
    value_room: c_int,
) -> c_int {
    started(|run| {
        let after = run.process(rank()).reached.clone();
        iterate(run, name, after, (key, key_room), (value, value_room))
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Publish_name(service: In<c_char>, port: In<c_char>) -> c_int {
    started(|run| {
        let service = service.text().ok_or(ERR_INVALID_ARG)?;
        let port = port.text().ok_or(ERR_INVALID_ARG)?;
        if run.published.contains_key(&service) {
            return Err(FAIL);
        }
        run.published.insert(service, port);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Unpublish_name(service: In<c_char>) -> c_int {
    started(|run| {
        let service = service.text().ok_or(ERR_INVALID_ARG)?;
        run.published.remove(&service).map(|_| ()).ok_or(FAIL)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn PMI_Lookup_name(service: In<c_char>, port: Out<c_char>) -> c_int {
    started(|run| {
        let service = service.text().ok_or(ERR_INVALID_ARG)?;
        let found = run.published.get(&service).ok_or(FAIL)?;
        // The interface gives no length: the room is that of a value.
        write(port, VALUE_ROOM as c_int, found, FAIL)
    })
}
