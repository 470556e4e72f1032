/* PtlLEAppend, PtlLEUnlink, PtlMEAppend, PtlMEUnlink: arguments, lists, and how long an entry lives. */
#include "suite.h"

static struct side side;

static void wrong_lists(void)
{
    ptl_handle_ni_t matching;
    ptl_handle_ct_t ct;
    ptl_handle_le_t leh = 44;
    ptl_pt_index_t index;
    ptl_le_t le = le_of(side.in, 8, PTL_LE_OP_PUT);
    ptl_me_t me = me_of(side.in, 8, PTL_ME_OP_PUT, 0);

    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &matching));
    NEED(PtlPTAlloc(matching, 0, PTL_EQ_NONE, 0, &index));
    NEED(PtlCTAlloc(matching, &ct));
    GIVES(PTL_ARG_INVALID, "PtlLEAppend: not a valid network interface handle",
          PtlLEAppend(PTL_INVALID_HANDLE, side.pt, &le, PTL_PRIORITY_LIST, NULL, &leh));
    GIVES(PTL_ARG_INVALID, "PtlLEAppend: not a valid portal table index",
          PtlLEAppend(side.ni, side.pt + 1, &le, PTL_PRIORITY_LIST, NULL, &leh));
    GIVES(PTL_ARG_INVALID, "PtlLEAppend: a portal table index out of range",
          PtlLEAppend(side.ni, 0x7fffffff, &le, PTL_PRIORITY_LIST, NULL, &leh));
    GIVES(PTL_ARG_INVALID, "PtlLEAppend: ptl_list is one of two",
          PtlLEAppend(side.ni, side.pt, &le, (ptl_list_t)2, NULL, &leh));
    GIVES(PTL_ARG_INVALID, "PtlLEAppend: le points to a list entry",
          PtlLEAppend(side.ni, side.pt, NULL, PTL_PRIORITY_LIST, NULL, &leh));
    GIVES(PTL_ARG_INVALID, "PtlLEAppend: le_handle is a place for the handle",
          PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, NULL));
    GIVES(PTL_ARG_INVALID, "PTL_NI_MATCHING: a matching interface has match list entries",
          PtlLEAppend(matching, index, &le, PTL_PRIORITY_LIST, NULL, &leh));
    GIVES(PTL_ARG_INVALID, "PTL_NI_NO_MATCHING: a non-matching interface has list entries",
          PtlMEAppend(side.ni, side.pt, &me, PTL_PRIORITY_LIST, NULL, &leh));
    le.options = PTL_LE_OP_PUT | PTL_ME_MANAGE_LOCAL;
    GIVES(PTL_ARG_INVALID, "PTL_LE_APPEND_OPTIONS_MASK: the offset of list entries is not managed locally",
          PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, &leh));
    le.options = 1u << 30;
    GIVES(PTL_ARG_INVALID, "PTL_LE_APPEND_OPTIONS_MASK: there are no other options",
          PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, &leh));
    le.options = PTL_LE_OP_PUT;
    le.ct_handle = ct;
    GIVES(PTL_ARG_INVALID, "ptl_le_t: the counting event is of the interface",
          PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, &leh));
    le.ct_handle = PTL_INVALID_HANDLE;
    GIVES(PTL_ARG_INVALID, "ptl_le_t: the counting event is valid",
          PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, &leh));

    GIVES(PTL_ARG_INVALID, "PtlMEAppend: not a valid network interface handle",
          PtlMEAppend(PTL_INVALID_HANDLE, index, &me, PTL_PRIORITY_LIST, NULL, &leh));
    GIVES(PTL_ARG_INVALID, "PtlMEAppend: not a valid portal table index",
          PtlMEAppend(matching, 9, &me, PTL_PRIORITY_LIST, NULL, &leh));
    GIVES(PTL_ARG_INVALID, "PtlMEAppend: ptl_list is one of two",
          PtlMEAppend(matching, index, &me, (ptl_list_t)7, NULL, &leh));
    GIVES(PTL_ARG_INVALID, "PtlMEAppend: me points to a match list entry",
          PtlMEAppend(matching, index, NULL, PTL_PRIORITY_LIST, NULL, &leh));
    GIVES(PTL_ARG_INVALID, "PtlMEAppend: me_handle is a place for the handle",
          PtlMEAppend(matching, index, &me, PTL_PRIORITY_LIST, NULL, NULL));
    me.options = 1u << 30;
    GIVES(PTL_ARG_INVALID, "PTL_ME_APPEND_OPTIONS_MASK: there are no other options",
          PtlMEAppend(matching, index, &me, PTL_PRIORITY_LIST, NULL, &leh));
    me.options = PTL_ME_OP_PUT;
    me.ct_handle = side.md_ct;
    GIVES(PTL_ARG_INVALID, "ptl_me_t: the counting event is of the interface",
          PtlMEAppend(matching, index, &me, PTL_PRIORITY_LIST, NULL, &leh));
    CHECK("PtlMEAppend: me_handle is written on successful return", leh == 44);
    me.ct_handle = ct;
    GIVES(PTL_OK, "PtlMEAppend: PTL_OK indicates success",
          PtlMEAppend(matching, index, &me, PTL_PRIORITY_LIST, NULL, &leh));
    GIVES(PTL_ARG_INVALID, "PtlMEUnlink: a memory descriptor is no match list entry", PtlMEUnlink(side.md));
    GIVES(PTL_ARG_INVALID, "PtlMEUnlink: not a valid match list entry handle", PtlMEUnlink(PTL_INVALID_HANDLE));
    GIVES(PTL_OK, "PtlMEUnlink: PTL_OK indicates success", PtlMEUnlink(leh));
    GIVES(PTL_ARG_INVALID, "PtlMEUnlink: it is an error to use the handle after it", PtlMEUnlink(leh));
    GIVES(PTL_ARG_INVALID, "PtlLEUnlink: not a valid list entry handle", PtlLEUnlink(PTL_INVALID_HANDLE));
    NEED(PtlNIFini(matching));
}

/* Without matching the first entry takes all. */
static void order(void)
{
    char first[8] = "", second[8] = "", late[8] = "";
    ptl_handle_le_t one, two, three;
    ptl_event_t event, ack;
    ptl_le_t le = le_of(first, 8, PTL_LE_OP_PUT | PTL_LE_USE_ONCE);

    GIVES(PTL_OK, "PtlLEAppend: PTL_OK indicates success",
          PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, first, &one));
    EVENT("PTL_EVENT_LINK: the entry is linked", side.eq, PTL_EVENT_LINK, PTL_NI_OK, event);
    CHECK("PTL_EVENT_LINK: user_ptr is that of the append, pt_index its index",
          event.user_ptr == first && event.pt_index == side.pt);
    le = le_of(second, 8, PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE);
    NEED(PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, second, &two));
    CHECK("PTL_LE_EVENT_LINK_DISABLE: no link event", is_quiet(side.eq));
    le = le_of(late, 8, PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE | PTL_LE_EVENT_UNLINK_DISABLE | PTL_LE_USE_ONCE);
    NEED(PtlLEAppend(side.ni, side.pt, &le, PTL_OVERFLOW_LIST, late, &three));
    CHECK("PtlLEAppend: handles of entries are different", one != two && two != three && one != three);
    barrier();

    memcpy(side.out, "message", 8);
    ack = put_to(&side, 8, 77, 0);
    CHECK("PtlLEAppend: appended to the end of the list, so the first is found first", strcmp(first, "message") == 0);
    CHECK("ptl_event_t: the acknowledgement tells the list", ack.ptl_list == PTL_PRIORITY_LIST);
    EVENT("PTL_EVENT_AUTO_UNLINK: PTL_LE_USE_ONCE unlinks after one use", side.eq, PTL_EVENT_AUTO_UNLINK, PTL_NI_OK, event);
    CHECK("PTL_EVENT_AUTO_UNLINK: user_ptr is the entry's", event.user_ptr == first);
    EVENT("PTL_EVENT_PUT: a put completed", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("PTL_EVENT_PUT: user_ptr is the entry's", event.user_ptr == first);
    CHECK("PTL_EVENT_PUT: hdr_data is the initiator's", event.hdr_data == 1077);
    CHECK("PTL_EVENT_PUT: initiator is the initiator",
          event.initiator.phys.nid == side.before.phys.nid && event.initiator.phys.pid == side.before.phys.pid);
    GIVES(PTL_ARG_INVALID, "PTL_LE_USE_ONCE: the handle names nothing after the use", PtlLEUnlink(one));

    put_to(&side, 8, 0, 0);
    put_to(&side, 8, 0, 0);
    CHECK("PtlLEAppend: then the second is found", strcmp(second, "message") == 0);
    EVENT("PTL_LE_USE_ONCE: without it the entry persists", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    EVENT("PTL_LE_USE_ONCE: without it the entry persists", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("PTL_EVENT_PUT: of the priority list", event.ptl_list == PTL_PRIORITY_LIST && event.user_ptr == second);
    GIVES(PTL_OK, "PtlLEUnlink: an entry that persists", PtlLEUnlink(two));
    CHECK("PtlLEUnlink: makes no event", is_quiet(side.eq));
    barrier();
    ack = put_to(&side, 8, 0, 0);
    CHECK("PTL_OVERFLOW_LIST: found when the priority list has nothing", strcmp(late, "message") == 0);
    CHECK("ptl_event_t: the acknowledgement tells the overflow list", ack.ptl_list == PTL_OVERFLOW_LIST);
    EVENT("PTL_EVENT_PUT: of the overflow list", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("PTL_EVENT_PUT: ptl_list", event.ptl_list == PTL_OVERFLOW_LIST && event.user_ptr == late);
    CHECK("PTL_LE_EVENT_UNLINK_DISABLE: no unlink event", is_quiet(side.eq));
    le = le_of(first, 8, PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE | PTL_LE_USE_ONCE);
    NEED(PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, second, &one));
    EVENT("PTL_EVENT_PUT_OVERFLOW: the list entry meets the message that was there", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    EVENT("PTL_EVENT_AUTO_UNLINK: it is used once by that", side.eq, PTL_EVENT_AUTO_UNLINK, PTL_NI_OK, event);
    CHECK("PTL_LE_EVENT_UNLINK_DISABLE: no free event either", is_quiet(side.eq));
    barrier();
    ack = put_to(&side, 8, 0, 0);
    CHECK("PTL_NI_DROPPED: no entry is left", ack.ni_fail_type == PTL_NI_DROPPED);
}

/* Which events and counts a message makes at its target, by the options of the entry. */
static void options(void)
{
    static const struct {
        unsigned int options;
        int puts, unlinks;
        ptl_size_t count;
        const char *rule;
    } cases[] = {
        {0, 1, 1, 0, "ptl_le_t: without options events, and nothing is counted"},
        {PTL_LE_EVENT_COMM_DISABLE, 0, 1, 0, "PTL_LE_EVENT_COMM_DISABLE: no events that indicate a communication"},
        {PTL_LE_EVENT_SUCCESS_DISABLE, 0, 1, 0, "PTL_LE_EVENT_SUCCESS_DISABLE: no events that indicate success"},
        {PTL_LE_EVENT_UNLINK_DISABLE, 1, 0, 0, "PTL_LE_EVENT_UNLINK_DISABLE: no unlink events"},
        {PTL_LE_EVENT_OVER_DISABLE, 1, 1, 0, "PTL_LE_EVENT_OVER_DISABLE: of overflow list events only"},
        {PTL_LE_EVENT_FLOWCTRL_DISABLE, 1, 1, 0, "PTL_LE_EVENT_FLOWCTRL_DISABLE: of flow control only"},
        {PTL_LE_EVENT_CT_COMM, 1, 1, 1, "PTL_LE_EVENT_CT_COMM: counts communication events"},
        {PTL_LE_EVENT_CT_COMM | PTL_LE_EVENT_CT_BYTES, 1, 1, 24, "PTL_LE_EVENT_CT_BYTES: counts successful bytes"},
        {PTL_LE_EVENT_CT_BYTES, 1, 1, 0, "PTL_LE_EVENT_CT_BYTES: alone counts nothing"},
        {PTL_LE_EVENT_CT_OVERFLOW, 1, 1, 0, "PTL_LE_EVENT_CT_OVERFLOW: counts no communication events"},
        {PTL_LE_EVENT_CT_COMM | PTL_LE_EVENT_COMM_DISABLE, 0, 1, 1, "PTL_LE_EVENT_COMM_DISABLE: counts go on"},
        {PTL_LE_IS_ACCESSIBLE, 1, 1, 0, "PTL_LE_IS_ACCESSIBLE: a hint"},
        {PTL_LE_UNEXPECTED_HDR_DISABLE, 1, 1, 0, "PTL_LE_UNEXPECTED_HDR_DISABLE: of the overflow list only"},
    };
    ptl_handle_le_t leh;
    ptl_handle_ct_t ct;
    ptl_ct_event_t count;
    ptl_event_t event, ack;
    ptl_le_t le;
    size_t place;

    for (place = 0; place < sizeof cases / sizeof *cases; place++) {
        int puts = 0, unlinks = 0, others = 0;

        NEED(PtlCTAlloc(side.ni, &ct));
        le = le_of(side.in, 24, cases[place].options | PTL_LE_OP_PUT | PTL_LE_USE_ONCE | PTL_LE_EVENT_LINK_DISABLE);
        le.ct_handle = ct;
        NEED(PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, &leh));
        barrier();
        ack = put_to(&side, 40, 0, 0);
        CHECK("ptl_le_t: messages are truncated to the region", ack.mlength == 24);
        usleep(20);
        while (PtlEQGet(side.eq, &event) == PTL_OK) {
            puts += event.type == PTL_EVENT_PUT;
            unlinks += event.type == PTL_EVENT_AUTO_UNLINK;
            others += event.type != PTL_EVENT_PUT && event.type != PTL_EVENT_AUTO_UNLINK;
        }
        NEED(PtlCTGet(ct, &count));
        CHECK(cases[place].rule, puts == cases[place].puts && others == 0);
        CHECK(cases[place].rule, unlinks == cases[place].unlinks);
        CHECK(cases[place].rule, count.success == cases[place].count && count.failure == 0);
        NEED(PtlCTFree(ct));
    }

    le = le_of(side.in, 24, PTL_LE_OP_PUT | PTL_LE_OP_GET | PTL_LE_ACK_DISABLE | PTL_LE_EVENT_LINK_DISABLE);
    NEED(PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, &leh));
    barrier();
    NEED(PtlCTSet(side.md_ct, (ptl_ct_event_t){0, 0}));
    NEED(PtlPut(side.md, 0, 8, PTL_ACK_REQ, side.next, side.pt, 0, 0, NULL, 0));
    EVENT("PTL_LE_ACK_DISABLE: the put is carried out", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("PTL_LE_ACK_DISABLE: no acknowledgement, even if requested", is_quiet(side.md_eq));
    NEED(PtlPut(side.md, 0, 8, PTL_CT_ACK_REQ, side.next, side.pt, 0, 0, NULL, 0));
    usleep(20);
    NEED(PtlCTGet(side.md_ct, &count));
    CHECK("PTL_LE_ACK_DISABLE: applies to counting events", count.success == 0 && count.failure == 0);
    NEED(PtlGet(side.md, 0, 8, side.next, side.pt, 0, 0, NULL));
    EVENT("PTL_LE_ACK_DISABLE: a reply is no acknowledgement", side.md_eq, PTL_EVENT_REPLY, PTL_NI_OK, event);
    barrier();
    drain(side.eq);
    NEED(PtlLEUnlink(leh));
    barrier();
}

static void nothing(void)
{
    ptl_handle_le_t leh;
    ptl_event_t event;
    ptl_le_t le = le_of(NULL, 0, PTL_LE_OP_PUT | PTL_LE_OP_GET | PTL_LE_EVENT_LINK_DISABLE);

    GIVES(PTL_OK, "ptl_le_t: start can be NULL provided that length is zero",
          PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, &leh));
    barrier();
    event = put_to(&side, 16, 0, 0);
    CHECK("ptl_le_t: messages outside the bounds are truncated to zero bytes",
          event.ni_fail_type == PTL_NI_OK && event.mlength == 0);
    EVENT("ptl_le_t: zero-length buffers are useful to record events", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("ptl_event_t: rlength is what was asked for, mlength what was moved", event.rlength == 16 && event.mlength == 0);
    event = get_from(&side, 16, 0, 0);
    CHECK("ptl_le_t: a get as well", event.ni_fail_type == PTL_NI_OK && event.mlength == 0);
    EVENT("PTL_EVENT_GET: a get completed", side.eq, PTL_EVENT_GET, PTL_NI_OK, event);
    CHECK("ptl_event_t: of a get", event.rlength == 16 && event.mlength == 0);
    barrier();
    NEED(PtlLEUnlink(leh));
}

int main(void)
{
    suite_start();
    side_open(&side, PTL_NI_NO_MATCHING, NULL, 0, 64);
    wrong_lists();
    order();
    options();
    nothing();
    side_close(&side);
    return suite_end();
}
