/* Data movement: lengths, offsets, vectors, acknowledgements, order. Rank 0 moves, rank 1 holds the memory. */
#include "suite2.h"

#define LARGE (1 << 20)

static unsigned char source[LARGE], target[LARGE];
static ptl_handle_eq_t eq;
static ptl_handle_me_t entry;

/* Takes what is still to come: a get's event at the target comes later than the initiator's. */
static void drain(void)
{
    ptl_event_t event;
    unsigned which;

    while (PtlEQPoll(&eq, 1, 1, &event, &which) == PTL_OK)
        ;
}

static unsigned char pattern(size_t i)
{
    return (unsigned char)(i * 7 + i / 251);
}

/* Whether n bytes from `at` on are those of the pattern from `first` on. */
static int holds(const unsigned char *at, size_t first, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (at[i] != pattern(first + i))
            return 0;
    return 1;
}

static int all(const unsigned char *at, unsigned char value, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (at[i] != value)
            return 0;
    return 1;
}

static void open_target(void *start, ptl_size_t length, unsigned options)
{
    memset(target, 0xee, sizeof target);
    entry = open_entry(0, start, length, PTL_ME_OP_PUT | PTL_ME_OP_GET | options, 1, PTL_CT_NONE);
}

/* Rank 0: puts, and waits until the target has it. Returns the event. */
static ptl_event_t put(ptl_handle_md_t md, ptl_size_t local, ptl_size_t length, ptl_size_t remote)
{
    ptl_event_t event;

    NEED(PtlPut(md, local, length, PTL_ACK_REQ, ids[1], 0, 1, remote, NULL, 0));
    event = next_event(eq);
    RULE("PtlPut: PTL_EVENT_SEND, then PTL_EVENT_ACK", event.type == PTL_EVENT_SEND);
    return next_event(eq);
}

static ptl_event_t get(ptl_handle_md_t md, ptl_size_t local, ptl_size_t length, ptl_size_t remote)
{
    NEED(PtlGet(md, local, length, ids[1], 0, 1, remote, NULL));
    return next_event(eq);
}

static void lengths(void)
{
    /* Inline, PIO's bound with matching, one MTU, 64 KiB and 1 MiB. */
    static const ptl_size_t some[] = {0, 1, 7, 8, 9, 64, 65, 408, 409, 2048, 65536, LARGE};
    ptl_handle_md_t md;
    unsigned i;
    size_t j;

    if (rank == 0) {
        for (j = 0; j < LARGE; j++)
            source[j] = pattern(j);
        md = new_md(source, LARGE, 0, eq, PTL_CT_NONE);
        barrier();
        for (i = 0; i < sizeof some / sizeof *some; i++) {
            ptl_event_t event = put(md, 0, some[i], 0);

            RULE("PtlPut: moves length bytes", event.ni_fail_type == PTL_NI_OK && event.mlength == some[i]);
            barrier();
            barrier();
        }
        memset(source, 0, LARGE);
        for (i = 0; i < sizeof some / sizeof *some; i++) {
            ptl_event_t event = get(md, 0, some[i], 0);

            RULE("PtlGet: brings length bytes",
                 event.type == PTL_EVENT_REPLY && event.mlength == some[i] && holds(source, 0, some[i]));
            RULE("PtlGet: and no more", all(source + some[i], 0, LARGE - some[i]));
        }
        NEED(PtlMDRelease(md));
        for (j = 0; j < LARGE; j++)
            source[j] = pattern(j);
        barrier();
    } else {
        open_target(target, LARGE, 0);
        barrier();
        for (i = 0; i < sizeof some / sizeof *some; i++) {
            ptl_event_t event = next_event(eq);

            barrier();
            RULE("PTL_EVENT_PUT: rlength and mlength", event.rlength == some[i] && event.mlength == some[i]);
            RULE("PtlPut: the bytes are there", holds(target, 0, some[i]));
            RULE("PtlPut: and no more", all(target + some[i], 0xee, LARGE - some[i]));
            if (some[i] < LARGE)
                memset(target, 0xee, LARGE);
            barrier();
        }
        for (i = 0; i < sizeof some / sizeof *some; i++)
            RULE("PTL_EVENT_GET: mlength", next_event(eq).mlength == some[i]);
        barrier();
        NEED(PtlMEUnlink(entry));
    }
}

static void offsets(void)
{
    ptl_handle_md_t md;
    ptl_event_t event;

    if (rank == 1)
        open_target(target, 100, 0);
    barrier();
    if (rank == 0) {
        md = new_md(source + 1, 99, 0, eq, PTL_CT_NONE);
        event = put(md, 9, 20, 30);
        RULE("PtlPut: local_offset and remote_offset", event.mlength == 20 && event.remote_offset == 30);
        event = put(md, 0, 20, 90);
        RULE("ptl_le_t: messages beyond the end are truncated", event.mlength == 10 && event.ni_fail_type == PTL_NI_OK);
        event = put(md, 0, 20, 100);
        RULE("ptl_le_t: an offset at the end leaves no byte", event.mlength == 0 && event.ni_fail_type == PTL_NI_OK);
        event = put(md, 0, 20, 5000);
        RULE("ptl_le_t: an offset beyond the length leaves no byte", event.mlength == 0);
        event = put(md, 99, 0, 0);
        RULE("PtlPut: no bytes from the end of a descriptor", event.mlength == 0 && event.ni_fail_type == PTL_NI_OK);
        RETURNS("PtlPut: offset and length outside the descriptor", PTL_ARG_INVALID,
                PtlPut(md, 80, 20, PTL_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
        RETURNS("PtlPut: an offset outside the descriptor", PTL_ARG_INVALID,
                PtlPut(md, 100, 0, PTL_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
        RETURNS("PtlPut: offset and length that overflow", PTL_ARG_INVALID,
                PtlPut(md, UINT64_MAX, 2, PTL_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
        RETURNS("PtlGet: offset and length outside the descriptor", PTL_ARG_INVALID,
                PtlGet(md, 80, 20, ids[1], 0, 1, 0, NULL));
        memset(source, 0, 200);
        event = get(md, 10, 20, 30);
        RULE("PtlGet: offsets of both sides",
             holds(source + 11, 10, 20) && all(source, 0, 11) && all(source + 31, 0, 60) && event.remote_offset == 30);
        event = get(md, 0, 20, 95);
        RULE("PtlGet: truncated at the end of the entry", event.mlength == 5 && all(source + 6, 0, 5));
        NEED(PtlMDRelease(md));
        for (int j = 0; j < 200; j++)
            source[j] = pattern(j);
    }
    barrier();
    if (rank == 1) {
        RULE("PtlPut: bytes from local_offset at remote_offset", holds(target + 30, 10, 20));
        RULE("PtlPut: nothing before and behind", all(target, 0xee, 30) && all(target + 50, 0xee, 40));
        RULE("PtlPut: what fits of a truncated message, nothing behind the entry",
             holds(target + 90, 1, 10) && all(target + 100, 0xee, 100));
        NEED(PtlMEUnlink(entry));
    }
    if (rank == 1)
        drain();
    barrier();
}

static void vectors(void)
{
    ptl_iovec_t parts[4] = {{source, 5}, {source + 100, 0}, {source + 200, 11}, {source + 300, 4}};
    ptl_iovec_t places[3] = {{target, 3}, {target + 50, 9}, {target + 20, 8}};
    unsigned char expected[20];
    ptl_handle_md_t md;
    ptl_event_t event;
    int i;

    for (i = 0; i < 20; i++)
        expected[i] = pattern(i < 5 ? i : i < 16 ? 200 + i - 5 : 300 + i - 16);
    if (rank == 1)
        open_target(places, 3, PTL_IOVEC);
    barrier();
    if (rank == 0) {
        md = new_md(parts, 4, PTL_IOVEC, eq, PTL_CT_NONE);
        event = put(md, 0, 20, 0);
        RULE("PTL_IOVEC: behaves as one contiguous region: 5 + 0 + 11 + 4 bytes", event.mlength == 20);
        RETURNS("PTL_IOVEC: 21 bytes are outside", PTL_ARG_INVALID,
                PtlPut(md, 0, 21, PTL_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
        event = put(md, 3, 6, 18);
        RULE("PTL_IOVEC: truncated at the end of all elements: 20 - 18", event.mlength == 2);
        memset(source, 0, 400);
        event = get(md, 4, 12, 2);
        RULE("PTL_IOVEC: a get spreads over the elements", event.mlength == 12);
        RULE("PTL_IOVEC: into each element what belongs there",
             source[4] == expected[2] && memcmp(source + 200, expected + 3, 11) == 0 && source[300] == 0);
        RULE("PTL_IOVEC: nothing outside", all(source, 0, 4) && source[5] == 0 && all(source + 100, 0, 100));
        NEED(PtlMDRelease(md));
    }
    barrier();
    if (rank == 1) {
        event = next_event(eq);
        RULE("PTL_IOVEC: start of the event is the first element's", event.type == PTL_EVENT_PUT && event.mlength == 20);
        RULE("PTL_IOVEC: the first element", memcmp(target, expected, 3) == 0 && target[3] == 0xee);
        RULE("PTL_IOVEC: the second element", memcmp(target + 50, expected + 3, 9) == 0 && target[59] == 0xee);
        RULE("PTL_IOVEC: the third element, its last two bytes put again",
             memcmp(target + 20, expected + 12, 6) == 0 && memcmp(target + 26, expected + 3, 2) == 0 &&
                 target[28] == 0xee);
        NEED(PtlMEUnlink(entry));
        drain();
    }
    barrier();
}

/* Of 300 messages of different sizes each comes after the one sent before. */
static void order(void)
{
    static const ptl_size_t some[] = {8, 20000, 0, 409, 64, 3};
    ptl_handle_eq_t quiet = new_queue(4);
    ptl_handle_ct_t ct = new_counter();
    ptl_ct_event_t value;
    ptl_handle_md_t md;
    int i, ordered = 1;

    if (rank == 1)
        open_target(target, LARGE, 0);
    barrier();
    if (rank == 0) {
        md = new_md(source, LARGE, PTL_MD_EVENT_CT_ACK, quiet, ct);
        for (i = 0; i < 300; i++)
            NEED(PtlPut(md, 0, some[i % 6], PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, (ptl_hdr_data_t)i));
        NEED(PtlCTWait(ct, 300, &value));
        RULE("PTL_CT_ACK_REQ: one each", is(value, 300, 0));
        NEED(PtlMDRelease(md));
    } else {
        for (i = 0; i < 300; i++) {
            ptl_event_t event = next_event(eq);

            ordered &= event.hdr_data == (ptl_hdr_data_t)i && event.rlength == some[i % 6];
        }
        RULE("PtlPut: messages of a pair match in the order in which they were sent", ordered);
        NEED(PtlMEUnlink(entry));
    }
    barrier();
}

/* To oneself, physical, while the other does the same. */
static void to_oneself(void)
{
    ptl_handle_eq_t mine = new_queue(8);
    ptl_handle_md_t md = new_md(source, 64, 0, mine, PTL_CT_NONE);
    ptl_event_t event;

    open_target(target, 64, 0);
    memset(source, 0x40 + rank, 64);
    NEED(PtlPut(md, 0, 64, PTL_ACK_REQ, ids[rank], 0, 1, 0, (void *)1, 0));
    event = next_event(mine);
    RULE("PtlPut: to oneself: PTL_EVENT_SEND", event.type == PTL_EVENT_SEND);
    RULE("PtlPut: to oneself: PTL_EVENT_ACK", next_event(mine).type == PTL_EVENT_ACK);
    event = next_event(eq);
    RULE("PtlPut: to oneself: PTL_EVENT_PUT from oneself",
         event.type == PTL_EVENT_PUT && event.initiator.phys.nid == ids[rank].phys.nid &&
             event.initiator.phys.pid == ids[rank].phys.pid);
    s4bxi_compute_s(0.001);
    RULE("PtlPut: to oneself: the bytes", all(target, (unsigned char)(0x40 + rank), 64));
    memset(source, 0, 64);
    NEED(PtlGet(md, 0, 64, ids[rank], 0, 1, 0, NULL));
    RULE("PtlGet: from oneself", next_event(mine).type == PTL_EVENT_REPLY);
    RULE("PtlGet: from oneself: the bytes", all(source, (unsigned char)(0x40 + rank), 64));
    NEED(PtlMEUnlink(entry));
    NEED(PtlMDRelease(md));
}

static void acknowledgements(void)
{
    ptl_handle_ct_t ct = new_counter();
    ptl_handle_md_t md, plain, queued;
    ptl_ct_event_t value;
    ptl_handle_eq_t mine = new_queue(16);

    if (rank == 1)
        open_target(target, 64, PTL_ME_ACK_DISABLE);
    barrier();
    if (rank == 0) {
        md = new_md(source, 64, PTL_MD_EVENT_CT_ACK, mine, ct);
        plain = new_md(source, 64, 0, PTL_EQ_NONE, PTL_CT_NONE);
        queued = new_md(source, 64, 0, mine, PTL_CT_NONE);
        NEED(PtlPut(queued, 0, 8, PTL_NO_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
        RULE("PTL_NO_ACK_REQ: PTL_EVENT_SEND only", next_event(mine).type == PTL_EVENT_SEND && stays_empty(mine));
        NEED(PtlPut(queued, 0, 8, PTL_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
        RULE("PTL_ME_ACK_DISABLE: no acknowledgement from this entry",
             next_event(mine).type == PTL_EVENT_SEND && stays_empty(mine));
        NEED(PtlPut(md, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
        next_event(mine);
        s4bxi_compute_s(0.001);
        RULE("PTL_ME_ACK_DISABLE: nothing is counted", counts(ct, 0, 0));
        RETURNS("PtlPut: PTL_ACK_REQ needs an event queue", PTL_ARG_INVALID,
                PtlPut(plain, 0, 8, PTL_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
        RETURNS("PtlPut: PTL_CT_ACK_REQ needs a counting event", PTL_ARG_INVALID,
                PtlPut(plain, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
        RETURNS("PtlPut: PTL_CT_ACK_REQ needs a counting event, an event queue will not do", PTL_ARG_INVALID,
                PtlPut(queued, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
        RETURNS("PtlPut: ack_req is none of the four", PTL_ARG_INVALID,
                PtlPut(md, 0, 8, (ptl_ack_req_t)17, ids[1], 0, 1, 0, NULL, 0));
        NEED(PtlPut(plain, 0, 8, PTL_NO_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
        NEED(PtlPut(md, 0, 8, PTL_OC_ACK_REQ, ids[1], 33, 1, 0, NULL, 0));
        NEED(PtlCTWait(ct, 1, &value));
        RULE("PTL_OC_ACK_REQ: sent even for an index that is not there", is(value, 1, 0));
        NEED(PtlMDRelease(md));
        NEED(PtlMDRelease(plain));
        NEED(PtlMDRelease(queued));
    }
    barrier();
}

int main(void)
{
    suite_begin(1);
    eq = new_queue(400);
    if (rank == 1)
        new_index(eq, 0);
    lengths();
    offsets();
    vectors();
    order();
    if (rank == 0)
        new_index(eq, 0);
    to_oneself();
    acknowledgements();
    return suite_end();
}
