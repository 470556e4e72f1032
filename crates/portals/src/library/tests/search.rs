//! Searches for unexpected headers.

use super::unexpected::{LOUD, QUIET, Scene, exact};
use super::world::{MATCHING, entry};
use crate::constants::*;
use crate::{Code, Command, EntrySpec, Event, NiFail, SearchMode};

#[test]
fn search_only_tells_and_leaves() {
    let mut scene = Scene::new(MATCHING, PTL_ME_MANAGE_LOCAL);
    scene.put(1);
    scene.put(1);
    let puts = scene.events();
    scene
        .to
        .search(scene.index, exact(1, PTL_ME_USE_ONCE), SearchMode::Only, 6);
    let expected = Event {
        kind: PTL_EVENT_SEARCH,
        user_ptr: 6,
        ..puts[0]
    };
    assert_eq!(
        scene.events(),
        [expected],
        "filled in as if it were an overflow event"
    );
    scene.to.search(scene.index, exact(1, 0), SearchMode::Only, 6);
    assert_eq!(scene.kinds(), [PTL_EVENT_SEARCH; 2], "one for every match");
    scene.to.search(scene.index, exact(2, 0), SearchMode::Only, 7);
    let events = scene.events();
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].kind, events[0].user_ptr), (PTL_EVENT_SEARCH, 7));
    assert_eq!(
        (events[0].fail, events[0].pt_index),
        (NiFail::NoMatch, scene.index)
    );
    assert_eq!(
        scene.to.status(),
        [0; 3],
        "never causes a status register to be incremented"
    );
}

#[test]
fn search_delete_consumes() {
    let mut scene = Scene::new(MATCHING, 0);
    for bits in [1, 2, 1, 1] {
        scene.put(bits);
    }
    scene.events();
    scene
        .to
        .search(scene.index, exact(1, PTL_ME_USE_ONCE), SearchMode::Delete, 6);
    assert_eq!(scene.kinds(), [PTL_EVENT_PUT_OVERFLOW]);
    scene.to.search(scene.index, exact(1, 0), SearchMode::Delete, 6);
    assert_eq!(scene.kinds(), [PTL_EVENT_PUT_OVERFLOW; 2]);
    scene.to.search(scene.index, exact(1, 0), SearchMode::Delete, 6);
    let events = scene.events();
    assert_eq!(
        (events[0].kind, events[0].fail),
        (PTL_EVENT_SEARCH, NiFail::NoMatch)
    );
    assert_eq!(
        scene.to.code(&Command::Unlink(scene.overflow)),
        Code::InUse,
        "2 is still there"
    );
}

#[test]
fn searches_can_be_silent_and_count() {
    let once = PTL_ME_USE_ONCE;
    // Mode, bits, options; counted then, and whether an event tells of it.
    for (mode, bits, options, counts, heard) in [
        (SearchMode::Only, 1, once, (1, 0), true),
        (SearchMode::Only, 2, once, (0, 1), true),
        // "Failure = 1 to indicate search completed."
        (SearchMode::Only, 1, 0, (3, 1), true),
        (SearchMode::Only, 2, 0, (0, 1), true),
        (SearchMode::Only, 1, PTL_ME_EVENT_CT_BYTES, (24, 1), true),
        (SearchMode::Only, 1, PTL_ME_EVENT_COMM_DISABLE, (3, 1), false),
        (SearchMode::Only, 2, PTL_ME_EVENT_COMM_DISABLE, (0, 1), false),
        (SearchMode::Delete, 1, once, (1, 0), true),
        (SearchMode::Delete, 2, once, (0, 1), true),
        (SearchMode::Delete, 1, 0, (3, 1), true),
        (SearchMode::Delete, 1, PTL_ME_EVENT_OVER_DISABLE, (3, 1), false),
    ] {
        let mut scene = Scene::new(MATCHING, 0);
        for bits in [1, 3, 1, 1] {
            scene.put(bits);
        }
        scene.events();
        let ct = scene.to.ct();
        let wanted = EntrySpec {
            ct,
            ..exact(bits, options | PTL_ME_EVENT_CT_OVERFLOW)
        };
        scene.to.search(scene.index, wanted, mode, 6);
        assert_eq!(scene.to.counts(ct), counts, "{mode:?} {bits} {options:#x}");
        assert_eq!(!scene.kinds().is_empty(), heard, "{mode:?} {bits} {options:#x}");
    }
}

#[test]
fn a_local_offset_can_move_with_the_headers_found() {
    let mut scene = Scene::new(MATCHING, 0);
    for _ in 0..3 {
        scene.put(1);
    }
    scene.events();
    let options = LOUD | PTL_ME_MANAGE_LOCAL | PTL_ME_LOCAL_INC_UH_RLENGTH;
    let spec = EntrySpec {
        match_bits: 1,
        min_free: 8,
        ..entry(700, 20, options)
    };
    // 20 B less 8 leave 12, less 8 leave 4: below 8, so the third header stays.
    scene.append(spec, 6);
    assert_eq!(
        scene.kinds(),
        [
            PTL_EVENT_PUT_OVERFLOW,
            PTL_EVENT_PUT_OVERFLOW,
            PTL_EVENT_AUTO_UNLINK
        ]
    );
    scene.append(exact(1, QUIET), 7);
    assert_eq!(scene.kinds(), [PTL_EVENT_PUT_OVERFLOW]);
}
