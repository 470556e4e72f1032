/* Every kind of event, and every field of it. Rank 0 initiates, rank 1 is the target. */
#include "suite2.h"

#define USER ((void *)0x1234)
#define ENTRY ((void *)0x5678)
#define BITS 0x0123456789abcdefULL

static char memory[256], landing[256];

static int from_rank_0(const ptl_event_t *event)
{
    return event->initiator.phys.nid == ids[0].phys.nid && event->initiator.phys.pid == ids[0].phys.pid;
}

/* What the event of a request that rank 0 made of rank 1 says in any case. */
static int common(const ptl_event_t *event, ptl_event_kind_t kind, ptl_pt_index_t index)
{
    ptl_uid_t uid;

    NEED(PtlGetUid(ni, &uid));
    return event->type == kind && event->user_ptr == ENTRY && event->match_bits == BITS && event->pt_index == index &&
           event->uid == uid && event->ni_fail_type == PTL_NI_OK && from_rank_0(event);
}

static void initiate(void)
{
    ptl_handle_eq_t eq = new_queue(64), get_eq = new_queue(64);
    ptl_handle_md_t md = new_md(memory, sizeof memory, 0, eq, PTL_CT_NONE);
    ptl_handle_md_t get = new_md(landing, sizeof landing, 0, get_eq, PTL_CT_NONE);
    ptl_event_t event;
    uint64_t operand = 5;

    barrier(); /* the priority entries are there */
    NEED(PtlPut(md, 16, 64, PTL_ACK_REQ, ids[1], 0, BITS, 80, USER, 42));
    event = next_event(eq);
    RULE("PTL_EVENT_SEND: comes first, with the user_ptr of the call",
         event.type == PTL_EVENT_SEND && event.user_ptr == USER && event.ni_fail_type == PTL_NI_OK);
    event = next_event(eq);
    RULE("PTL_EVENT_ACK: with the user_ptr of the call",
         event.type == PTL_EVENT_ACK && event.user_ptr == USER && event.ni_fail_type == PTL_NI_OK);
    RULE("PTL_EVENT_ACK: mlength is what the target took: 100 - 80", event.mlength == 20);
    RULE("PTL_EVENT_ACK: remote_offset is the offset used at the target", event.remote_offset == 80);
    RULE("PTL_EVENT_ACK: ptl_list is the list that matched", event.ptl_list == PTL_PRIORITY_LIST);
    NEED(PtlGet(get, 0, 64, ids[1], 0, BITS, 90, USER));
    event = next_event(get_eq);
    RULE("PTL_EVENT_REPLY: with the user_ptr of the call",
         event.type == PTL_EVENT_REPLY && event.user_ptr == USER && event.ni_fail_type == PTL_NI_OK);
    RULE("PTL_EVENT_REPLY: mlength 100 - 90 and the offset used", event.mlength == 10 && event.remote_offset == 90);
    NEED(PtlAtomic(md, 0, 16, PTL_ACK_REQ, ids[1], 0, BITS, 8, USER, 43, PTL_SUM, PTL_UINT64_T));
    event = next_event(eq);
    RULE("PTL_EVENT_SEND: of an atomic operation", event.type == PTL_EVENT_SEND && event.user_ptr == USER);
    event = next_event(eq);
    RULE("PTL_EVENT_ACK: of an atomic operation",
         event.type == PTL_EVENT_ACK && event.mlength == 16 && event.remote_offset == 8);
    NEED(PtlFetchAtomic(get, 0, md, 0, 8, ids[1], 0, BITS, 16, USER, 44, PTL_MAX, PTL_INT64_T));
    event = next_event(eq);
    RULE("PTL_EVENT_SEND: of a fetch-atomic, in the queue of put_md_handle",
         event.type == PTL_EVENT_SEND && event.user_ptr == USER);
    event = next_event(get_eq);
    RULE("PTL_EVENT_REPLY: of a fetch-atomic, in the queue of get_md_handle",
         event.type == PTL_EVENT_REPLY && event.user_ptr == USER && event.mlength == 8 && event.remote_offset == 16);
    NEED(PtlSwap(get, 0, md, 0, 8, ids[1], 0, BITS, 24, USER, 45, &operand, PTL_CSWAP, PTL_UINT64_T));
    RULE("PTL_EVENT_SEND: of a swap", next_event(eq).type == PTL_EVENT_SEND);
    event = next_event(get_eq);
    RULE("PTL_EVENT_REPLY: of a swap", event.type == PTL_EVENT_REPLY && event.mlength == 8 && event.remote_offset == 24);

    /* Failures. */
    NEED(PtlPut(md, 0, 8, PTL_ACK_REQ, ids[1], 9, BITS, 0, USER, 0));
    event = next_event(eq);
    RULE("PTL_EVENT_SEND: says nothing of the target", event.type == PTL_EVENT_SEND && event.ni_fail_type == PTL_NI_OK);
    event = next_event(eq);
    RULE("PTL_NI_DROPPED: there is no such portal table entry",
         event.type == PTL_EVENT_ACK && event.ni_fail_type == PTL_NI_DROPPED && event.mlength == 0);
    NEED(PtlGet(get, 0, 8, ids[1], 0, 1, 0, USER));
    event = next_event(get_eq);
    RULE("PTL_NI_DROPPED: nothing matched a get",
         event.type == PTL_EVENT_REPLY && event.ni_fail_type == PTL_NI_DROPPED && event.mlength == 0);
    barrier();

    /* To the overflow list. */
    barrier();
    NEED(PtlPut(md, 0, 12, PTL_ACK_REQ, ids[1], 1, BITS, 3, USER, 52));
    RULE("PTL_EVENT_SEND: of a put to the overflow list", next_event(eq).type == PTL_EVENT_SEND);
    event = next_event(eq);
    RULE("PTL_EVENT_ACK: ptl_list says that it was the overflow list",
         event.type == PTL_EVENT_ACK && event.ptl_list == PTL_OVERFLOW_LIST && event.mlength == 12);
    NEED(PtlGet(get, 0, 8, ids[1], 1, BITS, 4, USER));
    RULE("PTL_EVENT_REPLY: of a get from the overflow list", next_event(get_eq).mlength == 8);
    NEED(PtlAtomic(md, 0, 8, PTL_ACK_REQ, ids[1], 1, BITS, 0, USER, 53, PTL_BOR, PTL_UINT32_T));
    next_event(eq);
    next_event(eq);
    NEED(PtlFetchAtomic(get, 0, md, 0, 4, ids[1], 1, BITS, 0, USER, 54, PTL_MIN, PTL_INT32_T));
    next_event(eq);
    next_event(get_eq);
    barrier();

    /* To an entry with flow control and no room. */
    barrier();
    NEED(PtlPut(md, 0, 8, PTL_ACK_REQ, ids[1], 2, BITS, 0, USER, 0));
    next_event(eq);
    event = next_event(eq);
    RULE("PTL_NI_PT_DISABLED: flow control has disabled the portal table entry",
         event.type == PTL_EVENT_ACK && event.ni_fail_type == PTL_NI_PT_DISABLED);
    barrier();

    /* PTL_MD_EVENT_SUCCESS_DISABLE and PTL_MD_EVENT_SEND_DISABLE. */
    NEED(PtlMDRelease(md));
    md = new_md(memory, sizeof memory, PTL_MD_EVENT_SEND_DISABLE, eq, PTL_CT_NONE);
    barrier();
    NEED(PtlPut(md, 0, 8, PTL_ACK_REQ, ids[1], 3, BITS, 0, USER, 0));
    RULE("PTL_MD_EVENT_SEND_DISABLE: no PTL_EVENT_SEND", next_event(eq).type == PTL_EVENT_ACK && stays_empty(eq));
    NEED(PtlMDRelease(md));
    md = new_md(memory, sizeof memory, PTL_MD_EVENT_SUCCESS_DISABLE, eq, PTL_CT_NONE);
    NEED(PtlPut(md, 0, 8, PTL_ACK_REQ, ids[1], 3, BITS, 0, USER, 0));
    RULE("PTL_MD_EVENT_SUCCESS_DISABLE: successes are not told", stays_empty(eq));
    NEED(PtlPut(md, 0, 8, PTL_ACK_REQ, ids[1], 3, BITS + 1, 0, USER, 0));
    event = next_event(eq);
    RULE("PTL_MD_EVENT_SUCCESS_DISABLE: failures are told",
         event.type == PTL_EVENT_ACK && event.ni_fail_type == PTL_NI_DROPPED && stays_empty(eq));
    barrier();
}

static void be_target(void)
{
    ptl_handle_eq_t eq = new_queue(64);
    ptl_me_t me = an_entry(memory, 100, PTL_ME_OP_PUT | PTL_ME_OP_GET, BITS, PTL_CT_NONE);
    ptl_handle_me_t entry;
    ptl_event_t event;
    int i;

    RULE("PtlPTAlloc: indices from 0", new_index(eq, 0) == 0);
    entry = new_entry(0, me, PTL_PRIORITY_LIST, ENTRY);
    event = next_event(eq);
    RULE("PTL_EVENT_LINK: the entry is linked, with its user_ptr and index",
         event.type == PTL_EVENT_LINK && event.user_ptr == ENTRY && event.pt_index == 0 &&
             event.ni_fail_type == PTL_NI_OK);
    barrier();
    event = next_event(eq);
    RULE("PTL_EVENT_PUT: user_ptr, match_bits, pt_index, uid, initiator", common(&event, PTL_EVENT_PUT, 0));
    RULE("PTL_EVENT_PUT: hdr_data of the call", event.hdr_data == 42);
    RULE("PTL_EVENT_PUT: rlength is requested, mlength manipulated", event.rlength == 64 && event.mlength == 20);
    RULE("PTL_EVENT_PUT: start is that of the entry and the offset", event.start == memory + 80);
    RULE("PTL_EVENT_PUT: remote_offset is the offset requested", event.remote_offset == 80);
    RULE("PTL_EVENT_PUT: ptl_list", event.ptl_list == PTL_PRIORITY_LIST);
    event = next_event(eq);
    RULE("PTL_EVENT_GET: user_ptr, match_bits, pt_index, uid, initiator", common(&event, PTL_EVENT_GET, 0));
    RULE("PTL_EVENT_GET: lengths, start and offset",
         event.rlength == 64 && event.mlength == 10 && event.start == memory + 90 && event.remote_offset == 90);
    event = next_event(eq);
    RULE("PTL_EVENT_ATOMIC: user_ptr, match_bits, pt_index, uid, initiator", common(&event, PTL_EVENT_ATOMIC, 0));
    RULE("PTL_EVENT_ATOMIC: operation and type",
         event.atomic_operation == PTL_SUM && event.atomic_type == PTL_UINT64_T);
    RULE("PTL_EVENT_ATOMIC: the other fields",
         event.hdr_data == 43 && event.rlength == 16 && event.mlength == 16 && event.start == memory + 8);
    event = next_event(eq);
    RULE("PTL_EVENT_FETCH_ATOMIC: user_ptr, match_bits, pt_index, uid, initiator",
         common(&event, PTL_EVENT_FETCH_ATOMIC, 0));
    RULE("PTL_EVENT_FETCH_ATOMIC: operation and type",
         event.atomic_operation == PTL_MAX && event.atomic_type == PTL_INT64_T);
    RULE("PTL_EVENT_FETCH_ATOMIC: the other fields",
         event.hdr_data == 44 && event.mlength == 8 && event.start == memory + 16 && event.remote_offset == 16);
    event = next_event(eq);
    RULE("PTL_EVENT_FETCH_ATOMIC: of a swap, with its operation",
         common(&event, PTL_EVENT_FETCH_ATOMIC, 0) && event.atomic_operation == PTL_CSWAP &&
             event.atomic_type == PTL_UINT64_T && event.hdr_data == 45 && event.start == memory + 24);
    barrier();
    RULE("PTL_NI_DROPPED: what is dropped is no event at the target", stays_empty(eq));
    NEED(PtlMEUnlink(entry));
    RULE("PTL_EVENT_AUTO_UNLINK: not for PtlMEUnlink", stays_empty(eq));

    /* Overflow: a locally managed entry, used up by 12 + 8 + 8 + 4 of 34 bytes with min_free 4. */
    RULE("PtlPTAlloc: the next index", new_index(eq, 0) == 1);
    me = an_entry(landing, 34, PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_MANAGE_LOCAL, BITS, PTL_CT_NONE);
    me.min_free = 4;
    new_entry(1, me, PTL_OVERFLOW_LIST, USER);
    event = next_event(eq);
    RULE("PTL_EVENT_LINK: also in the overflow list", event.type == PTL_EVENT_LINK && event.user_ptr == USER);
    barrier();
    barrier(); /* all have come */
    event = next_event(eq);
    RULE("PTL_EVENT_PUT: of an unexpected message, with the overflow entry's user_ptr",
         event.type == PTL_EVENT_PUT && event.ptl_list == PTL_OVERFLOW_LIST && event.user_ptr == USER &&
             event.start == landing && event.mlength == 12);
    event = next_event(eq);
    RULE("PTL_EVENT_GET: of an unexpected get", event.type == PTL_EVENT_GET && event.ptl_list == PTL_OVERFLOW_LIST);
    event = next_event(eq);
    RULE("PTL_EVENT_ATOMIC: of an unexpected operation",
         event.type == PTL_EVENT_ATOMIC && event.ptl_list == PTL_OVERFLOW_LIST);
    event = next_event(eq);
    RULE("PTL_EVENT_AUTO_UNLINK: fewer than min_free bytes are left",
         event.type == PTL_EVENT_AUTO_UNLINK && event.user_ptr == USER && event.pt_index == 1);
    event = next_event(eq);
    RULE("PTL_EVENT_FETCH_ATOMIC: of an unexpected operation",
         event.type == PTL_EVENT_FETCH_ATOMIC && event.ptl_list == PTL_OVERFLOW_LIST);
    me = an_entry(memory, 256, PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_USE_ONCE | PTL_ME_EVENT_LINK_DISABLE, BITS,
                  PTL_CT_NONE);
    NEED(PtlMESearch(ni, 1, &me, PTL_SEARCH_ONLY, ENTRY));
    event = next_event(eq);
    RULE("PTL_EVENT_SEARCH: found, with the fields of the put and the searcher's user_ptr",
         common(&event, PTL_EVENT_SEARCH, 1) && event.hdr_data == 52 && event.rlength == 12 && event.mlength == 12 &&
             event.start == landing);
    me.match_bits = 1;
    NEED(PtlMESearch(ni, 1, &me, PTL_SEARCH_ONLY, ENTRY));
    event = next_event(eq);
    RULE("PTL_EVENT_SEARCH: PTL_NI_NO_MATCH when nothing is found",
         event.type == PTL_EVENT_SEARCH && event.ni_fail_type == PTL_NI_NO_MATCH && event.user_ptr == ENTRY);
    me.match_bits = BITS;
    new_entry(1, me, PTL_PRIORITY_LIST, ENTRY);
    event = next_event(eq);
    RULE("PTL_EVENT_PUT_OVERFLOW: user_ptr of the appended entry, and the rest", common(&event, PTL_EVENT_PUT_OVERFLOW, 1));
    RULE("PTL_EVENT_PUT_OVERFLOW: start is in the overflow list",
         event.start == landing && event.mlength == 12 && event.rlength == 12 && event.hdr_data == 52);
    event = next_event(eq);
    RULE("PTL_EVENT_AUTO_UNLINK: of the entry with PTL_ME_USE_ONCE that has found its message",
         event.type == PTL_EVENT_AUTO_UNLINK && event.user_ptr == ENTRY && event.pt_index == 1);
    me.options |= PTL_ME_EVENT_UNLINK_DISABLE;
    new_entry(1, me, PTL_PRIORITY_LIST, ENTRY);
    event = next_event(eq);
    RULE("PTL_EVENT_GET_OVERFLOW: user_ptr, match_bits, pt_index, uid, initiator",
         common(&event, PTL_EVENT_GET_OVERFLOW, 1));
    RULE("PTL_EVENT_GET_OVERFLOW: start is behind what came before", event.start == landing + 12 && event.mlength == 8);
    new_entry(1, me, PTL_PRIORITY_LIST, ENTRY);
    event = next_event(eq);
    RULE("PTL_EVENT_ATOMIC_OVERFLOW: with operation and type",
         common(&event, PTL_EVENT_ATOMIC_OVERFLOW, 1) && event.atomic_operation == PTL_BOR &&
             event.atomic_type == PTL_UINT32_T && event.start == landing + 20 && event.hdr_data == 53);
    RULE("PTL_EVENT_AUTO_FREE: not while a message is left", stays_empty(eq));
    new_entry(1, me, PTL_PRIORITY_LIST, ENTRY);
    event = next_event(eq);
    RULE("PTL_EVENT_FETCH_ATOMIC_OVERFLOW: with operation and type",
         common(&event, PTL_EVENT_FETCH_ATOMIC_OVERFLOW, 1) && event.atomic_operation == PTL_MIN &&
             event.atomic_type == PTL_INT32_T && event.start == landing + 28 && event.hdr_data == 54);
    event = next_event(eq);
    RULE("PTL_EVENT_AUTO_FREE: the last message of an unlinked overflow entry is consumed",
         event.type == PTL_EVENT_AUTO_FREE && event.user_ptr == USER && event.pt_index == 1);

    /* Flow control. */
    RULE("PtlPTAlloc: PTL_PT_FLOWCTRL", new_index(eq, PTL_PT_FLOWCTRL) == 2);
    barrier();
    event = next_event(eq);
    RULE("PTL_EVENT_PT_DISABLED: resources are exhausted on this index",
         event.type == PTL_EVENT_PT_DISABLED && event.pt_index == 2 && event.ni_fail_type == PTL_NI_PT_DISABLED);
    barrier();

    RULE("PtlPTAlloc: one more", new_index(eq, 0) == 3);
    me.options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE;
    new_entry(3, me, PTL_PRIORITY_LIST, ENTRY);
    barrier();
    barrier();
    for (i = 0; PtlEQGet(eq, &event) == PTL_OK; i++)
        ;
    RULE("PTL_MD_EVENT_SUCCESS_DISABLE: the target's events are its own matter", i == 2);
}

int main(void)
{
    suite_begin(1);
    if (rank == 0)
        initiate();
    else
        be_target();
    barrier();
    return suite_end();
}
