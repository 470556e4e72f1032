/* PtlPTAlloc, PtlPTFree, PtlPTEnable, PtlPTDisable. */
#include "suite.h"

static void arguments(void)
{
    ptl_handle_ni_t ni, other;
    ptl_handle_eq_t eq, foreign;
    ptl_handle_me_t meh;
    ptl_pt_index_t index = 99, second;
    ptl_me_t me = me_of(NULL, 0, PTL_ME_OP_PUT, 0);

    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &ni));
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &other));
    NEED(PtlEQAlloc(ni, 8, &eq));
    NEED(PtlEQAlloc(other, 8, &foreign));

    GIVES(PTL_ARG_INVALID, "PtlPTAlloc: ni_handle is not a valid interface handle",
          PtlPTAlloc(PTL_INVALID_HANDLE, 0, PTL_EQ_NONE, PTL_PT_ANY, &index));
    GIVES(PTL_ARG_INVALID, "PTL_PT_ALLOC_OPTIONS_MASK: there are no other options",
          PtlPTAlloc(ni, PTL_PT_ALLOC_OPTIONS_MASK + 1, PTL_EQ_NONE, PTL_PT_ANY, &index));
    GIVES(PTL_ARG_INVALID, "PtlPTAlloc: eq_handle names an event queue",
          PtlPTAlloc(ni, 0, PTL_INVALID_HANDLE, PTL_PT_ANY, &index));
    GIVES(PTL_ARG_INVALID, "PtlPTAlloc: eq_handle names an event queue of the interface",
          PtlPTAlloc(ni, 0, foreign, PTL_PT_ANY, &index));
    GIVES(PTL_ARG_INVALID, "PtlPTAlloc: pt_index must be a place", PtlPTAlloc(ni, 0, PTL_EQ_NONE, PTL_PT_ANY, NULL));
    GIVES(PTL_PT_EQ_NEEDED, "PtlPTAlloc: flow control is enabled and there is no EQ attached",
          PtlPTAlloc(ni, PTL_PT_FLOWCTRL, PTL_EQ_NONE, PTL_PT_ANY, &index));
    CHECK("PtlPTAlloc: pt_index is written on successful return", index == 99);

    GIVES(PTL_OK, "PtlPTAlloc: pt_index_req is the index requested", PtlPTAlloc(ni, 0, PTL_EQ_NONE, 1, &index));
    CHECK("PtlPTAlloc: pt_index is the index allocated", index == 1);
    GIVES(PTL_PT_IN_USE, "PtlPTAlloc: the portal table entry requested is in use",
          PtlPTAlloc(ni, 0, PTL_EQ_NONE, 1, &index));
    GIVES(PTL_OK, "PTL_PT_ANY: any index", PtlPTAlloc(ni, 0, eq, PTL_PT_ANY, &index));
    GIVES(PTL_OK, "PTL_PT_ANY: any index", PtlPTAlloc(ni, PTL_PT_FLOWCTRL, eq, PTL_PT_ANY, &second));
    CHECK("PTL_PT_ANY: an index that is free", index != 1 && second != 1 && index != second);
    GIVES(PTL_OK, "PtlPTAlloc: each interface has its own table", PtlPTAlloc(other, 0, foreign, 1, &index));
    CHECK("PtlPTAlloc: each interface has its own table", index == 1);
    GIVES(PTL_OK, "PTL_PT_ONLY_USE_ONCE, PTL_PT_ONLY_TRUNCATE: hints",
          PtlPTAlloc(ni, PTL_PT_ONLY_USE_ONCE | PTL_PT_ONLY_TRUNCATE, eq, 10, &index));
    GIVES(PTL_OK, "PTL_PT_MATCH_UNORDERED, PTL_PT_ALLOC_DISABLED: options",
          PtlPTAlloc(ni, PTL_PT_MATCH_UNORDERED | PTL_PT_ALLOC_DISABLED, eq, 11, &index));

    GIVES(PTL_ARG_INVALID, "PtlPTFree: pt_index is not a valid portal table index", PtlPTFree(ni, 20));
    GIVES(PTL_ARG_INVALID, "PtlPTFree: pt_index is not a valid portal table index", PtlPTFree(ni, 99999));
    GIVES(PTL_ARG_INVALID, "PtlPTFree: ni_handle is not a valid network interface handle", PtlPTFree(eq, 1));
    GIVES(PTL_ARG_INVALID, "PtlPTDisable: pt_index is not allocated", PtlPTDisable(ni, 20));
    GIVES(PTL_ARG_INVALID, "PtlPTDisable: pt_index is out of range", PtlPTDisable(ni, 99999));
    GIVES(PTL_ARG_INVALID, "PtlPTDisable: ni_handle is not a valid interface handle", PtlPTDisable(PTL_INVALID_HANDLE, 1));
    GIVES(PTL_ARG_INVALID, "PtlPTEnable: pt_index is not allocated", PtlPTEnable(ni, 20));
    GIVES(PTL_ARG_INVALID, "PtlPTEnable: pt_index is out of range", PtlPTEnable(ni, 99999));
    GIVES(PTL_ARG_INVALID, "PtlPTEnable: ni_handle is not a valid interface handle", PtlPTEnable(PTL_INVALID_HANDLE, 1));
    GIVES(PTL_OK, "PtlPTEnable: one that is enabled stays so", PtlPTEnable(ni, 1));
    GIVES(PTL_OK, "PtlPTDisable: PTL_OK indicates success", PtlPTDisable(ni, 1));
    GIVES(PTL_OK, "PtlPTDisable: one that is disabled stays so", PtlPTDisable(ni, 1));

    NEED(PtlMEAppend(ni, 1, &me, PTL_PRIORITY_LIST, NULL, &meh));
    GIVES(PTL_PT_IN_USE, "PtlPTFree: PTL_PT_IN_USE while a match list entry is attached", PtlPTFree(ni, 1));
    NEED(PtlMEUnlink(meh));
    GIVES(PTL_OK, "PtlPTFree: PTL_OK indicates success", PtlPTFree(ni, 1));
    GIVES(PTL_ARG_INVALID, "PtlPTFree: it is not allocated any more", PtlPTFree(ni, 1));
    GIVES(PTL_OK, "PtlPTFree: the index can be allocated again", PtlPTAlloc(ni, 0, PTL_EQ_NONE, 1, &index));
    NEED(PtlMEAppend(ni, 1, &me, PTL_OVERFLOW_LIST, NULL, &meh));
    GIVES(PTL_PT_IN_USE, "PtlPTFree: PTL_PT_IN_USE while the overflow list has an entry", PtlPTFree(ni, 1));
    NEED(PtlNIFini(ni));
    NEED(PtlNIFini(other));
}

static void disabled(void)
{
    struct side side;
    ptl_pt_index_t closed;
    ptl_handle_le_t leh, second;
    ptl_event_t event;
    ptl_le_t le;

    side_open(&side, PTL_NI_NO_MATCHING, NULL, 0, 16);
    le = le_of(side.in, sizeof side.in, PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE);
    NEED(PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, &leh));
    NEED(PtlPTAlloc(side.ni, PTL_PT_ALLOC_DISABLED, side.eq, PTL_PT_ANY, &closed));
    NEED(PtlLEAppend(side.ni, closed, &le, PTL_PRIORITY_LIST, NULL, &second));
    barrier();

    event = put_to(&side, 8, 0, 0);
    CHECK("PtlPTAlloc: a portal table entry is enabled", event.ni_fail_type == PTL_NI_OK);
    EVENT("PtlPTAlloc: operations are logged in eq_handle", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    GIVES(PTL_OK, "PtlPTDisable: no new messages are accepted", PtlPTDisable(side.ni, side.pt));
    barrier();
    event = put_to(&side, 8, 0, 0);
    CHECK("PtlPTDisable: PTL_NI_PT_DISABLED at the initiator",
          event.type == PTL_EVENT_ACK && event.ni_fail_type == PTL_NI_PT_DISABLED);
    CHECK("PtlPTDisable: does not generate PTL_EVENT_PT_DISABLED, and no more events come", is_quiet(side.eq));
    CHECK("PTL_SR_DROP_COUNT: counts the dropped requests", sr(&side, PTL_SR_DROP_COUNT) == 1);
    barrier();
    GIVES(PTL_OK, "PtlPTEnable: enables one that was disabled", PtlPTEnable(side.ni, side.pt));
    barrier();
    event = put_to(&side, 8, 0, 0);
    CHECK("PtlPTEnable: messages are accepted again", event.ni_fail_type == PTL_NI_OK);
    EVENT("PtlPTEnable: events come again", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);

    NEED(PtlPut(side.md, 0, 8, PTL_ACK_REQ, side.next, closed, 0, 0, NULL, 0));
    EVENT("PTL_PT_ALLOC_DISABLED: disabled from the start", side.md_eq, PTL_EVENT_ACK, PTL_NI_PT_DISABLED, event);
    barrier();
    NEED(PtlPTEnable(side.ni, closed));
    barrier();
    NEED(PtlPut(side.md, 0, 8, PTL_ACK_REQ, side.next, closed, 0, 0, NULL, 0));
    EVENT("PTL_PT_ALLOC_DISABLED: until PtlPTEnable", side.md_eq, PTL_EVENT_ACK, PTL_NI_OK, event);
    EVENT("ptl_event_t: pt_index is where the message arrived", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    CHECK("ptl_event_t: pt_index is where the message arrived", event.pt_index == closed);

    NEED(PtlPut(side.md, 0, 8, PTL_ACK_REQ, side.next, 60, 0, 0, NULL, 0));
    EVENT("PTL_NI_DROPPED: a message to an index that nobody allocated", side.md_eq, PTL_EVENT_ACK, PTL_NI_DROPPED, event);
    NEED(PtlGet(side.md, 0, 8, side.next, 60, 0, 0, NULL));
    EVENT("PTL_NI_DROPPED: of a get as well", side.md_eq, PTL_EVENT_REPLY, PTL_NI_DROPPED, event);
    barrier();
    CHECK("PTL_SR_DROP_COUNT: counts all of them", sr(&side, PTL_SR_DROP_COUNT) == 4);
    CHECK("PTL_SR_PERMISSIONS_VIOLATIONS: a drop is no violation", sr(&side, PTL_SR_PERMISSIONS_VIOLATIONS) == 0);
    side_close(&side);
}

int main(void)
{
    suite_start();
    NEED(PtlInit());
    arguments();
    PtlFini();
    disabled();
    return suite_end();
}
