/* Messages that came before an entry wanted them: the overflow list, what appended entries make of it, and its end. */
#include "suite.h"

static struct side side;
static char room[256];

static ptl_handle_me_t append(ptl_me_t me, ptl_list_t list, void *user_ptr)
{
    ptl_handle_me_t handle;

    me.options |= PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE;
    NEED(PtlMEAppend(side.ni, side.pt, &me, list, user_ptr, &handle));
    return handle;
}

/* An overflow entry over all of `room`, which takes every message, with its events disabled. */
static ptl_handle_me_t overflow(unsigned int options)
{
    ptl_me_t me = me_of(room, sizeof room, options, 0);
    ptl_handle_me_t handle;

    memset(room, '.', sizeof room);
    me.ignore_bits = ~(ptl_match_bits_t)0;
    handle = append(me, PTL_OVERFLOW_LIST, room);
    barrier();
    return handle;
}

static void one(void)
{
    ptl_handle_me_t over, handle;
    ptl_event_t event;
    ptl_me_t me = me_of(side.in, 16, PTL_ME_USE_ONCE, 2);

    over = overflow(PTL_ME_MANAGE_LOCAL);
    memcpy(side.out, "0123456789abcdef", 16);
    event = put_to(&side, 4, 1, 40);
    CHECK("ptl_event_t: the acknowledgement tells the overflow list", event.ptl_list == PTL_OVERFLOW_LIST);
    put_to(&side, 8, 2, 50);
    EVENT("PTL_EVENT_PUT: a message in the overflow list makes its event", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    EVENT("PTL_EVENT_PUT: a message in the overflow list makes its event", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("PTL_EVENT_PUT: with the overflow entry's user_ptr", event.user_ptr == room && event.ptl_list == PTL_OVERFLOW_LIST);
    GIVES(PTL_IN_USE, "PtlMEUnlink: PTL_IN_USE while messages of the entry are unexpected", PtlMEUnlink(over));

    handle = append(me, PTL_PRIORITY_LIST, side.in);
    EVENT("PTL_EVENT_PUT_OVERFLOW: an entry matched a message that had arrived", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    CHECK("PTL_EVENT_PUT_OVERFLOW: user_ptr is that of the append", event.user_ptr == side.in);
    CHECK("PTL_EVENT_PUT_OVERFLOW: start is where the message resides in the overflow list",
          event.start == room + 4 && memcmp(event.start, "01234567", 8) == 0);
    CHECK("PTL_EVENT_PUT_OVERFLOW: lengths, match bits and hdr_data are the message's",
          event.rlength == 8 && event.mlength == 8 && event.match_bits == 2 && event.hdr_data == 1002);
    CHECK("PTL_EVENT_PUT_OVERFLOW: initiator and remote_offset are the message's",
          event.initiator.phys.nid == side.before.phys.nid && event.initiator.phys.pid == side.before.phys.pid &&
              event.remote_offset == 50);
    EVENT("PTL_EVENT_AUTO_UNLINK: PTL_ME_USE_ONCE is used up by an unexpected message", side.eq, PTL_EVENT_AUTO_UNLINK, PTL_NI_OK, event);
    CHECK("PTL_EVENT_AUTO_UNLINK: user_ptr is that of the append", event.user_ptr == side.in);
    GIVES(PTL_ARG_INVALID, "PTL_ME_USE_ONCE: the entry is not linked", PtlMEUnlink(handle));
    CHECK("PtlMEAppend: no data is copied by it", is_quiet(side.eq));
    me.match_bits = 3;
    handle = append(me, PTL_PRIORITY_LIST, side.in);
    CHECK("PtlMEAppend: without a match nothing is told", is_quiet(side.eq));
    GIVES(PTL_OK, "PtlMEAppend: without a match the entry is linked", PtlMEUnlink(handle));
    me.match_bits = 1;
    handle = append(me, PTL_OVERFLOW_LIST, side.in);
    CHECK("PtlMEAppend: no searching is performed for the overflow list", is_quiet(side.eq));
    NEED(PtlMEUnlink(handle));
    append(me, PTL_PRIORITY_LIST, side.in);
    EVENT("PtlMEAppend: the message is still there", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    CHECK("PTL_EVENT_PUT_OVERFLOW: the first message", event.start == room && event.mlength == 4);
    GIVES(PTL_OK, "PtlMEUnlink: once no message is unexpected", PtlMEUnlink(over));
    barrier();
    drain(side.eq);
}

/* An entry that persists takes all that match, in the order in which they came. */
static void several(void)
{
    ptl_handle_me_t over, handle;
    ptl_handle_ct_t ct;
    ptl_ct_event_t count;
    ptl_event_t event;
    ptl_me_t me = me_of(side.in, 16, PTL_ME_EVENT_CT_OVERFLOW, 7);
    int place;

    over = overflow(PTL_ME_MANAGE_LOCAL | PTL_ME_EVENT_COMM_DISABLE);
    for (place = 0; place < 4; place++)
        put_to(&side, (ptl_size_t)place + 3, place == 1 ? 8 : 7, 0);
    CHECK("PTL_ME_EVENT_COMM_DISABLE: of the overflow entry", is_quiet(side.eq));
    NEED(PtlCTAlloc(side.ni, &ct));
    me.ct_handle = ct;
    handle = append(me, PTL_PRIORITY_LIST, side.in);
    EVENT("PtlMEAppend: an entry that persists matches several messages", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    CHECK("PtlMEAppend: in the order of their arrival", event.mlength == 3 && event.start == room);
    EVENT("PtlMEAppend: the second", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    CHECK("PtlMEAppend: others are left out", event.mlength == 5 && event.start == room + 7);
    EVENT("PtlMEAppend: the third", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    CHECK("PtlMEAppend: the third", event.mlength == 6 && event.start == room + 12);
    CHECK("PtlMEAppend: no more", is_quiet(side.eq));
    NEED(PtlCTGet(ct, &count));
    CHECK("PTL_ME_EVENT_CT_OVERFLOW: the count is incremented by the mlength", count.success == 3 + 5 + 6 && count.failure == 0);
    barrier();
    event = put_to(&side, 8, 7, 0);
    CHECK("PtlMEAppend: then it is linked to the priority list", event.ptl_list == PTL_PRIORITY_LIST);
    EVENT("PTL_EVENT_PUT: what comes now is expected", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("PTL_EVENT_PUT: what comes now is expected", event.user_ptr == side.in && event.start == side.in);
    NEED(PtlCTGet(ct, &count));
    CHECK("PTL_ME_EVENT_CT_OVERFLOW: counts no communication events", count.success == 14);
    NEED(PtlMEUnlink(handle));
    me.match_bits = 8;
    me.options = PTL_ME_EVENT_OVER_DISABLE | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE;
    me.ct_handle = PTL_CT_NONE;
    append(me, PTL_PRIORITY_LIST, side.in);
    CHECK("PTL_ME_EVENT_OVER_DISABLE: no overflow list events", is_quiet(side.eq));
    GIVES(PTL_OK, "PTL_ME_EVENT_OVER_DISABLE: the message was taken", PtlMEUnlink(over));
    NEED(PtlCTFree(ct));
    barrier();
}

/* Which entry an unexpected message agrees with is as for one that comes. */
static void agreement(void)
{
    ptl_handle_me_t over, handle;
    ptl_event_t event;
    ptl_me_t me = me_of(side.in, 4, PTL_ME_NO_TRUNCATE, 1);

    over = overflow(PTL_ME_MANAGE_LOCAL | PTL_ME_EVENT_COMM_DISABLE);
    put_to(&side, 8, 1, 0);
    handle = append(me, PTL_PRIORITY_LIST, side.in);
    CHECK("PTL_ME_NO_TRUNCATE: an unexpected message that does not fit does not match", is_quiet(side.eq));
    NEED(PtlMEUnlink(handle));
    me.options = PTL_ME_USE_ONCE;
    me.match_id = side.before;
    me.match_id.phys.pid ^= 1;
    handle = append(me, PTL_PRIORITY_LIST, side.in);
    CHECK("ptl_me_t: match_id of another process does not match", is_quiet(side.eq));
    NEED(PtlMEUnlink(handle));
    me.match_id = side.before;
    me.match_bits = 0xf1;
    me.ignore_bits = 0xf0;
    append(me, PTL_PRIORITY_LIST, side.in);
    EVENT("ptl_me_t: match_id and ignore_bits count", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    CHECK("PTL_EVENT_PUT_OVERFLOW: the overflow entry has the whole message, however long the new one is", event.mlength == 8);
    drain(side.eq);
    NEED(PtlMEUnlink(over));
    barrier();

    /* An overflow entry for headers only. */
    me = me_of(NULL, 0, 0, 1);
    over = append(me, PTL_OVERFLOW_LIST, NULL);
    barrier();
    put_to(&side, 100, 1, 0);
    EVENT("PTL_EVENT_PUT: of a header", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    me = me_of(side.in, 128, PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE, 1);
    append(me, PTL_PRIORITY_LIST, NULL);
    EVENT("PTL_EVENT_PUT_OVERFLOW: an overflow entry can accept headers but not bodies", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    CHECK("PTL_EVENT_PUT_OVERFLOW: rlength and mlength tell how much is there", event.rlength == 100 && event.mlength == 0);
    NEED(PtlMEUnlink(over));
    barrier();

    over = overflow(PTL_ME_UNEXPECTED_HDR_DISABLE);
    put_to(&side, 8, 1, 0);
    EVENT("PTL_ME_UNEXPECTED_HDR_DISABLE: the message is taken", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    handle = append(me_of(side.in, 16, 0, 1), PTL_PRIORITY_LIST, NULL);
    CHECK("PTL_ME_UNEXPECTED_HDR_DISABLE: no header is kept", is_quiet(side.eq));
    NEED(PtlMEUnlink(handle));
    GIVES(PTL_OK, "PTL_ME_UNEXPECTED_HDR_DISABLE: nothing keeps the entry in use", PtlMEUnlink(over));
    barrier();
}

/* The other operations. */
static void kinds(void)
{
    ptl_handle_me_t over, handle;
    ptl_event_t event;
    ptl_me_t me = me_of(side.in, 64, 0, 0);
    int64_t one = 1, found;

    over = overflow(0);
    memset(room, 0, 16);
    memcpy(side.out, &one, 8);
    barrier();
    NEED(PtlAtomic(side.md, 0, 8, PTL_ACK_REQ, side.next, side.pt, 1, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
    EVENT("PtlAtomic: in the overflow list", side.md_eq, PTL_EVENT_ACK, PTL_NI_OK, event);
    NEED(PtlFetchAtomic(side.md, 64, side.md, 0, 8, side.next, side.pt, 2, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
    EVENT("PtlFetchAtomic: in the overflow list", side.md_eq, PTL_EVENT_REPLY, PTL_NI_OK, event);
    NEED(PtlGet(side.md, 128, 8, side.next, side.pt, 3, 0, NULL));
    EVENT("PtlGet: in the overflow list", side.md_eq, PTL_EVENT_REPLY, PTL_NI_OK, event);
    CHECK("ptl_event_t: the reply tells the overflow list", event.ptl_list == PTL_OVERFLOW_LIST);
    memcpy(&found, side.out + 128, 8);
    CHECK("PtlAtomic: is carried out in the overflow entry's memory", found == 2);
    barrier();
    drain(side.eq);
    me.ignore_bits = ~(ptl_match_bits_t)0;
    handle = append(me, PTL_PRIORITY_LIST, side.in);
    EVENT("PTL_EVENT_ATOMIC_OVERFLOW: an atomic operation that had arrived", side.eq, PTL_EVENT_ATOMIC_OVERFLOW, PTL_NI_OK, event);
    CHECK("ptl_event_t: atomic_operation and atomic_type",
          event.atomic_operation == PTL_SUM && event.atomic_type == PTL_INT64_T && event.user_ptr == side.in);
    EVENT("PTL_EVENT_FETCH_ATOMIC_OVERFLOW: a fetching operation that had arrived", side.eq, PTL_EVENT_FETCH_ATOMIC_OVERFLOW, PTL_NI_OK, event);
    EVENT("PTL_EVENT_GET_OVERFLOW: a get that had arrived", side.eq, PTL_EVENT_GET_OVERFLOW, PTL_NI_OK, event);
    NEED(PtlMEUnlink(handle));
    NEED(PtlMEUnlink(over));
    barrier();
}

/* PTL_EVENT_AUTO_FREE */
static void freed(void)
{
    ptl_handle_me_t over, handle;
    ptl_event_t event;
    ptl_me_t me = me_of(room, 16, PTL_ME_MANAGE_LOCAL, 5);

    over = overflow(PTL_ME_USE_ONCE);
    put_to(&side, 8, 1, 0);
    EVENT("PTL_EVENT_AUTO_UNLINK: of an overflow entry", side.eq, PTL_EVENT_AUTO_UNLINK, PTL_NI_OK, event);
    CHECK("PTL_EVENT_AUTO_UNLINK: ptl_list and user_ptr are the entry's", event.ptl_list == PTL_OVERFLOW_LIST && event.user_ptr == room);
    EVENT("PTL_EVENT_PUT: the message", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("PTL_EVENT_AUTO_FREE: not while the message is unexpected", is_quiet(side.eq));
    GIVES(PTL_ARG_INVALID, "PTL_ME_USE_ONCE: the overflow entry cannot be unlinked again", PtlMEUnlink(over));
    handle = append(me_of(side.in, 16, PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE, 1), PTL_PRIORITY_LIST, side.in);
    EVENT("PTL_EVENT_PUT_OVERFLOW: the message is taken", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    EVENT("PTL_EVENT_AUTO_FREE: the overflow entry's memory is free to be reused", side.eq, PTL_EVENT_AUTO_FREE, PTL_NI_OK, event);
    CHECK("PTL_EVENT_AUTO_FREE: user_ptr is the overflow entry's", event.user_ptr == room);
    CHECK("PTL_ME_EVENT_UNLINK_DISABLE: of the entry that took it", is_quiet(side.eq));
    GIVES(PTL_ARG_INVALID, "PTL_ME_USE_ONCE: of the entry that took it", PtlMEUnlink(handle));
    barrier();

    me.min_free = 8;
    over = append(me, PTL_OVERFLOW_LIST, room);
    barrier();
    put_to(&side, 6, 5, 0);
    put_to(&side, 6, 5, 0);
    EVENT("PTL_EVENT_PUT: room is left", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    EVENT("ptl_me_t: min_free of an overflow entry", side.eq, PTL_EVENT_AUTO_UNLINK, PTL_NI_OK, event);
    EVENT("PTL_EVENT_PUT: the last message", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    append(me_of(side.in, 16, PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE, 5), PTL_PRIORITY_LIST, NULL);
    EVENT("PTL_EVENT_PUT_OVERFLOW: the first of two", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    CHECK("PTL_EVENT_AUTO_FREE: not before the last message is taken", is_quiet(side.eq));
    append(me_of(side.in, 16, PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE, 5), PTL_PRIORITY_LIST, NULL);
    EVENT("PTL_EVENT_PUT_OVERFLOW: the last", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    EVENT("PTL_EVENT_AUTO_FREE: then", side.eq, PTL_EVENT_AUTO_FREE, PTL_NI_OK, event);
    barrier();

    overflow(PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE);
    put_to(&side, 8, 1, 0);
    EVENT("PTL_ME_EVENT_UNLINK_DISABLE: of an overflow entry", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    append(me_of(side.in, 16, PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE, 1), PTL_PRIORITY_LIST, NULL);
    EVENT("PTL_EVENT_PUT_OVERFLOW: is not concerned", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    CHECK("PTL_ME_EVENT_UNLINK_DISABLE: no PTL_EVENT_AUTO_FREE", is_quiet(side.eq));
    barrier();
}

/* PTL_ME_LOCAL_INC_UH_RLENGTH: unexpected messages move the local offset. */
static void counted_in(void)
{
    ptl_handle_me_t over, handle;
    ptl_event_t event;
    ptl_me_t me = me_of(side.in, 32, PTL_ME_MANAGE_LOCAL, 1);

    over = overflow(PTL_ME_MANAGE_LOCAL | PTL_ME_EVENT_COMM_DISABLE);
    put_to(&side, 6, 1, 0);
    handle = append(me, PTL_PRIORITY_LIST, side.in);
    EVENT("PTL_EVENT_PUT_OVERFLOW: without the option", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    barrier();
    event = put_to(&side, 4, 1, 0);
    CHECK("PTL_ME_LOCAL_INC_UH_RLENGTH: without it unexpected messages leave the local offset", event.remote_offset == 0);
    drain(side.eq);
    NEED(PtlMEUnlink(handle));
    barrier();
    put_to(&side, 6, 1, 0);
    put_to(&side, 5, 1, 0);
    me.options |= PTL_ME_LOCAL_INC_UH_RLENGTH;
    handle = append(me, PTL_PRIORITY_LIST, side.in);
    EVENT("PTL_EVENT_PUT_OVERFLOW: with the option", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    EVENT("PTL_EVENT_PUT_OVERFLOW: with the option", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    barrier();
    event = put_to(&side, 4, 1, 0);
    CHECK("PTL_ME_LOCAL_INC_UH_RLENGTH: the local offset grows by the rlength of unexpected messages",
          event.ptl_list == PTL_PRIORITY_LIST && event.remote_offset == 11);
    drain(side.eq);
    NEED(PtlMEUnlink(handle));
    barrier();
    put_to(&side, 20, 1, 0);
    put_to(&side, 20, 1, 0);
    me.min_free = 16;
    append(me, PTL_PRIORITY_LIST, side.in);
    EVENT("PTL_EVENT_PUT_OVERFLOW: the first", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    EVENT("PTL_ME_LOCAL_INC_UH_RLENGTH: min_free counts what unexpected messages used", side.eq, PTL_EVENT_AUTO_UNLINK, PTL_NI_OK, event);
    CHECK("PTL_ME_LOCAL_INC_UH_RLENGTH: then no more messages are taken", is_quiet(side.eq));
    GIVES(PTL_IN_USE, "PtlMEUnlink: one message is left", PtlMEUnlink(over));
    me = me_of(NULL, 0, 0, 1);
    NEED(PtlMESearch(side.ni, side.pt, &me, PTL_SEARCH_DELETE, NULL));
    drain(side.eq);
    NEED(PtlMEUnlink(over));
    barrier();
}

int main(void)
{
    suite_start();
    side_open(&side, PTL_NI_MATCHING, NULL, 0, 64);
    one();
    several();
    agreement();
    kinds();
    freed();
    counted_in();
    side_close(&side);
    return suite_end();
}
