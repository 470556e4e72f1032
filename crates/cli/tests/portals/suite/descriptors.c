/* PtlMDBind, PtlMDRelease: arguments, bounds, vectors, options, and when a descriptor is in use. */
#include "suite.h"

static struct side side;

static ptl_md_t md_of(void *start, ptl_size_t length, unsigned int options, ptl_handle_ct_t ct)
{
    ptl_md_t md;

    memset(&md, 0, sizeof md);
    md.start = start;
    md.length = length;
    md.options = options;
    md.eq_handle = side.md_eq;
    md.ct_handle = ct;
    return md;
}

static void arguments(void)
{
    ptl_handle_ni_t other;
    ptl_handle_eq_t eq;
    ptl_handle_ct_t ct;
    ptl_handle_md_t mdh = 55;
    ptl_md_t md = md_of(side.out, 8, 0, PTL_CT_NONE);

    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &other));
    NEED(PtlEQAlloc(other, 1, &eq));
    NEED(PtlCTAlloc(other, &ct));
    GIVES(PTL_ARG_INVALID, "PtlMDBind: not a valid network interface handle", PtlMDBind(PTL_INVALID_HANDLE, &md, &mdh));
    GIVES(PTL_ARG_INVALID, "PtlMDBind: md_handle cannot be NULL", PtlMDBind(side.ni, &md, NULL));
    GIVES(PTL_ARG_INVALID, "PtlMDBind: md is not a legal memory descriptor", PtlMDBind(side.ni, NULL, &mdh));
    md.options = 1u << 30;
    GIVES(PTL_ARG_INVALID, "PTL_MD_OPTIONS_MASK: there are no other options", PtlMDBind(side.ni, &md, &mdh));
    md.options = 0;
    md.eq_handle = PTL_INVALID_HANDLE;
    GIVES(PTL_ARG_INVALID, "PtlMDBind: the event queue is not valid", PtlMDBind(side.ni, &md, &mdh));
    md.eq_handle = eq;
    GIVES(PTL_ARG_INVALID, "PtlMDBind: the queue's interface is not ni_handle", PtlMDBind(side.ni, &md, &mdh));
    md.eq_handle = side.md_ct;
    GIVES(PTL_ARG_INVALID, "PtlMDBind: a counting event is no event queue", PtlMDBind(side.ni, &md, &mdh));
    md.eq_handle = PTL_EQ_NONE;
    md.ct_handle = PTL_INVALID_HANDLE;
    GIVES(PTL_ARG_INVALID, "PtlMDBind: the counting event is not valid", PtlMDBind(side.ni, &md, &mdh));
    md.ct_handle = ct;
    GIVES(PTL_ARG_INVALID, "PtlMDBind: the counting event's interface is not ni_handle", PtlMDBind(side.ni, &md, &mdh));
    CHECK("PtlMDBind: md_handle is written on successful return", mdh == 55);
    md.ct_handle = PTL_CT_NONE;
    GIVES(PTL_OK, "PTL_EQ_NONE, PTL_CT_NONE: neither logged nor counted", PtlMDBind(side.ni, &md, &mdh));
    GIVES(PTL_OK, "PtlMDRelease: PTL_OK indicates success", PtlMDRelease(mdh));
    GIVES(PTL_ARG_INVALID, "PtlMDRelease: not a valid memory descriptor handle any more", PtlMDRelease(mdh));
    GIVES(PTL_ARG_INVALID, "PtlMDRelease: not a valid memory descriptor handle", PtlMDRelease(PTL_INVALID_HANDLE));
    GIVES(PTL_ARG_INVALID, "PtlMDRelease: an event queue is no memory descriptor", PtlMDRelease(side.eq));
    md.start = NULL;
    md.length = 0;
    GIVES(PTL_OK, "ptl_md_t: a region of no bytes", PtlMDBind(side.ni, &md, &mdh));
    GIVES(PTL_ARG_INVALID, "PtlPut: inside the memory descriptor",
          PtlPut(mdh, 0, 1, PTL_NO_ACK_REQ, side.next, side.pt, 0, 0, NULL, 0));
    GIVES(PTL_ARG_INVALID, "PTL_ACK_REQ: needs an event queue",
          PtlPut(mdh, 0, 0, PTL_ACK_REQ, side.next, side.pt, 0, 0, NULL, 0));
    GIVES(PTL_ARG_INVALID, "PTL_CT_ACK_REQ: needs a counting event",
          PtlPut(mdh, 0, 0, PTL_CT_ACK_REQ, side.next, side.pt, 0, 0, NULL, 0));
    NEED(PtlMDRelease(mdh));
    GIVES(PTL_ARG_INVALID, "PtlPut: local_offset and length are inside the memory descriptor",
          PtlPut(side.md, 250, 7, PTL_NO_ACK_REQ, side.next, side.pt, 0, 0, NULL, 0));
    GIVES(PTL_ARG_INVALID, "PtlPut: an offset that wraps round is outside",
          PtlPut(side.md, ~(ptl_size_t)0, 2, PTL_NO_ACK_REQ, side.next, side.pt, 0, 0, NULL, 0));
    GIVES(PTL_ARG_INVALID, "PtlGet: local_offset and length are inside the memory descriptor",
          PtlGet(side.md, 257, 0, side.next, side.pt, 0, 0, NULL));
    NEED(PtlNIFini(other));
}

/* Vectors at both ends are each as one region. */
static void vectors(void)
{
    char parts[3][8], landing[2][16];
    ptl_iovec_t from[3], to[2];
    ptl_handle_md_t mdh;
    ptl_handle_le_t leh;
    ptl_event_t event;
    ptl_md_t md = md_of(from, 3, PTL_IOVEC, PTL_CT_NONE);
    ptl_le_t le = le_of(to, 2, PTL_IOVEC | PTL_LE_OP_PUT | PTL_LE_OP_GET | PTL_LE_EVENT_LINK_DISABLE);
    int place;

    memset(landing, '.', sizeof landing);
    for (place = 0; place < 3; place++) {
        memset(parts[place], 'a' + place, 8);
        from[place].iov_base = parts[place];
        from[place].iov_len = 8;
    }
    to[0].iov_base = landing[1];
    to[0].iov_len = 10;
    to[1].iov_base = landing[0];
    to[1].iov_len = 16;
    GIVES(PTL_OK, "PTL_IOVEC: start is an array of ptl_iovec_t, length its elements", PtlMDBind(side.ni, &md, &mdh));
    GIVES(PTL_OK, "PTL_IOVEC: of list entries as well", PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, &leh));
    barrier();
    /* Bytes 4 to 20 of 24 go to bytes 6 to 22 of 26: "aaaabbbbbbbbcccc". */
    NEED(PtlPut(mdh, 4, 16, PTL_ACK_REQ, side.next, side.pt, 0, 6, NULL, 0));
    EVENT("PTL_MD_EVENT_SEND_DISABLE: without it there is PTL_EVENT_SEND", side.md_eq, PTL_EVENT_SEND, PTL_NI_OK, event);
    EVENT("PTL_IOVEC: works as one contiguous region", side.md_eq, PTL_EVENT_ACK, PTL_NI_OK, event);
    CHECK("ptl_event_t: mlength counts over vectors", event.mlength == 16);
    barrier();
    CHECK("ptl_iovec_t: mixed with offsets it is as one region", memcmp(landing[1], "......aaaa......", 16) == 0);
    CHECK("ptl_iovec_t: the next vector goes on where the first ends", memcmp(landing[0], "bbbbbbbbcccc....", 16) == 0);
    EVENT("PTL_EVENT_PUT: of a vector", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("ptl_event_t: start is where the message was placed", event.start == landing[1] + 6);
    CHECK("ptl_iovec_t: is not modified", from[1].iov_base == parts[1] && to[0].iov_len == 10);
    GIVES(PTL_ARG_INVALID, "PTL_IOVEC: the descriptor ends with its last vector",
          PtlPut(mdh, 4, 21, PTL_ACK_REQ, side.next, side.pt, 0, 0, NULL, 0));
    barrier();
    NEED(PtlGet(mdh, 6, 12, side.next, side.pt, 0, 4, NULL));
    EVENT("PTL_EVENT_REPLY: into a vector", side.md_eq, PTL_EVENT_REPLY, PTL_NI_OK, event);
    barrier();
    CHECK("PtlGet: scattered over the vectors",
          memcmp(parts[0], "aaaaaa..", 8) == 0 && memcmp(parts[1], "aaaabbbb", 8) == 0 && memcmp(parts[2], "bbcccccc", 8) == 0);
    drain(side.eq);
    NEED(PtlLEUnlink(leh));
    NEED(PtlMDRelease(mdh));
    barrier();
}

/* Which events and counts an operation makes, by the options of its descriptor. */
static void options(void)
{
    static const struct {
        unsigned int options;
        int sends, acks; /* events */
        ptl_size_t count;
        const char *rule;
    } cases[] = {
        {0, 1, 1, 0, "ptl_md_t: without options events, and nothing is counted"},
        {PTL_MD_EVENT_SUCCESS_DISABLE, 0, 0, 0, "PTL_MD_EVENT_SUCCESS_DISABLE: no events that indicate success"},
        {PTL_MD_EVENT_SEND_DISABLE, 0, 1, 0, "PTL_MD_EVENT_SEND_DISABLE: no PTL_EVENT_SEND"},
        {PTL_MD_EVENT_CT_SEND, 1, 1, 1, "PTL_MD_EVENT_CT_SEND: counts PTL_EVENT_SEND"},
        {PTL_MD_EVENT_CT_ACK, 1, 1, 1, "PTL_MD_EVENT_CT_ACK: counts PTL_EVENT_ACK"},
        {PTL_MD_EVENT_CT_REPLY, 1, 1, 0, "PTL_MD_EVENT_CT_REPLY: a put has no reply"},
        {PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_ACK, 1, 1, 2, "PTL_MD_EVENT_CT_SEND, PTL_MD_EVENT_CT_ACK: both count"},
        {PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_BYTES, 1, 1, 40, "PTL_MD_EVENT_CT_BYTES: length of PTL_EVENT_SEND"},
        {PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_BYTES, 1, 1, 32, "PTL_MD_EVENT_CT_BYTES: mlength of other events"},
        {PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_SUCCESS_DISABLE, 0, 0, 1, "PTL_MD_EVENT_SUCCESS_DISABLE: counts go on"},
        {PTL_MD_UNORDERED | PTL_MD_UNRELIABLE, 1, 1, 0, "PTL_MD_UNORDERED, PTL_MD_UNRELIABLE: hints"},
    };
    ptl_handle_md_t mdh;
    ptl_handle_le_t leh;
    ptl_handle_ct_t ct;
    ptl_ct_event_t count;
    ptl_event_t event;
    ptl_le_t le = le_of(side.in, 32, PTL_LE_OP_PUT | PTL_LE_OP_GET | PTL_LE_EVENT_LINK_DISABLE);
    ptl_md_t md;
    size_t place;

    NEED(PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, &leh));
    barrier();
    for (place = 0; place < sizeof cases / sizeof *cases; place++) {
        int sends = 0, acks = 0;

        NEED(PtlCTAlloc(side.ni, &ct));
        md = md_of(side.out, 64, cases[place].options, ct);
        NEED(PtlMDBind(side.ni, &md, &mdh));
        NEED(PtlPut(mdh, 0, 40, PTL_ACK_REQ, side.next, side.pt, 0, 0, NULL, 0)); /* cut to 32 */
        usleep(50);
        while (PtlEQGet(side.md_eq, &event) == PTL_OK) {
            sends += event.type == PTL_EVENT_SEND;
            acks += event.type == PTL_EVENT_ACK;
        }
        NEED(PtlCTGet(ct, &count));
        CHECK(cases[place].rule, sends == cases[place].sends);
        CHECK(cases[place].rule, acks == cases[place].acks);
        CHECK(cases[place].rule, count.success == cases[place].count && count.failure == 0);
        NEED(PtlMDRelease(mdh));
        NEED(PtlCTFree(ct));
    }

    NEED(PtlCTAlloc(side.ni, &ct));
    md = md_of(side.out, 64, PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_BYTES | PTL_MD_EVENT_SUCCESS_DISABLE, ct);
    NEED(PtlMDBind(side.ni, &md, &mdh));
    NEED(PtlGet(mdh, 0, 24, side.next, side.pt, 0, 0, NULL));
    NEED(PtlCTWait(ct, 24, &count));
    CHECK("PTL_MD_EVENT_CT_REPLY: counts PTL_EVENT_REPLY", count.success == 24 && count.failure == 0);
    CHECK("PTL_MD_EVENT_SUCCESS_DISABLE: of PTL_EVENT_REPLY too", is_quiet(side.md_eq));
    NEED(PtlGet(mdh, 0, 24, side.next, 60, 0, 0, NULL));
    EVENT("PTL_MD_EVENT_SUCCESS_DISABLE: failures are told", side.md_eq, PTL_EVENT_REPLY, PTL_NI_DROPPED, event);
    NEED(PtlCTGet(ct, &count));
    CHECK("PTL_MD_EVENT_CT_BYTES: failure events always increment the count by one", count.success == 24 && count.failure == 1);
    NEED(PtlMDRelease(mdh));
    NEED(PtlCTFree(ct));
    barrier();
    drain(side.eq);
    NEED(PtlLEUnlink(leh));
    barrier();
}

static void pending(void)
{
    static char large[100000], landing[100000];
    ptl_handle_md_t mdh, second;
    ptl_handle_le_t leh;
    ptl_event_t event;
    ptl_le_t le = le_of(landing, sizeof landing, PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE);
    ptl_md_t md = md_of(large, sizeof large, PTL_MD_EVENT_SEND_DISABLE, PTL_CT_NONE);
    uint32_t word = 1;
    int code;

    memset(large, 'x', sizeof large);
    NEED(PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, &leh));
    NEED(PtlMDBind(side.ni, &md, &mdh));
    GIVES(PTL_OK, "PtlMDBind: descriptors of the same region that differ in little are possible",
          PtlMDBind(side.ni, &md, &second));
    CHECK("PtlMDBind: they have handles of their own", second != mdh);
    NEED(PtlMDRelease(second));
    barrier();
    NEED(PtlPut(mdh, 0, sizeof large, PTL_ACK_REQ, side.next, side.pt, 0, 0, NULL, 0));
    GIVES(PTL_IN_USE, "PtlMDRelease: PTL_IN_USE while operations are pending", PtlMDRelease(mdh));
    EVENT("PtlMDRelease: the pending operation is not disturbed", side.md_eq, PTL_EVENT_ACK, PTL_NI_OK, event);
    while ((code = PtlMDRelease(mdh)) == PTL_IN_USE)
        usleep(1);
    CHECK("PtlMDRelease: PTL_OK once nothing is pending", code == PTL_OK);
    barrier();
    CHECK("PtlPut: all bytes are there", memcmp(large, landing, sizeof large) == 0);

    md = md_of(&word, sizeof word, PTL_MD_VOLATILE | PTL_MD_EVENT_SEND_DISABLE, PTL_CT_NONE);
    GIVES(PTL_OK, "PTL_MD_VOLATILE: an option", PtlMDBind(side.ni, &md, &mdh));
    barrier();
    NEED(PtlPut(mdh, 0, sizeof word, PTL_ACK_REQ, side.next, side.pt, 0, 0, NULL, 0));
    word = 2;
    EVENT("PTL_MD_VOLATILE: the operation goes on", side.md_eq, PTL_EVENT_ACK, PTL_NI_OK, event);
    barrier();
    memcpy(&word, landing, sizeof word);
    CHECK("PTL_MD_VOLATILE: the buffer may be modified at once", word == 1);
    drain(side.eq);
}

int main(void)
{
    suite_start();
    side_open(&side, PTL_NI_NO_MATCHING, NULL, 0, 64);
    arguments();
    vectors();
    options();
    pending();
    side_close(&side);
    return suite_end();
}
