/* Flow control: what disables a portal table entry, who is told what, and how it goes on. */
#include "suite.h"

static struct side side;

static void nothing_matches(void)
{
    ptl_handle_me_t handle;
    ptl_event_t event;
    ptl_ct_event_t count;
    ptl_me_t me;

    side_open(&side, PTL_NI_MATCHING, NULL, PTL_PT_FLOWCTRL, 16);
    event = put_to(&side, 8, 1, 0);
    CHECK("PTL_NI_FLOW_CTRL: the remote node has exhausted its resources",
          event.type == PTL_EVENT_ACK && event.ni_fail_type == PTL_NI_PT_DISABLED);
    CHECK("PTL_NI_FLOW_CTRL: is the code of a disabled entry", event.ni_fail_type == PTL_NI_FLOW_CTRL);
    EVENT("PTL_EVENT_PT_DISABLED: resource exhaustion has occurred", side.eq, PTL_EVENT_PT_DISABLED, PTL_NI_PT_DISABLED, event);
    CHECK("PTL_EVENT_PT_DISABLED: pt_index is the entry's", event.pt_index == side.pt);
    NEED(PtlCTGet(side.md_ct, &count));
    CHECK("PTL_MD_EVENT_CT_ACK: the failure counts", count.success == 0 && count.failure == 1);

    me = me_of(side.in, 64, PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_LINK_DISABLE, 1);
    NEED(PtlMEAppend(side.ni, side.pt, &me, PTL_PRIORITY_LIST, NULL, &handle));
    barrier();
    event = put_to(&side, 8, 1, 0);
    CHECK("PTL_PT_FLOWCTRL: the entry stays disabled, though resources are there again", event.ni_fail_type == PTL_NI_PT_DISABLED);
    event = get_from(&side, 8, 1, 0);
    CHECK("PTL_PT_FLOWCTRL: for a get as well", event.type == PTL_EVENT_REPLY && event.ni_fail_type == PTL_NI_PT_DISABLED);
    CHECK("PTL_EVENT_PT_DISABLED: is told once", is_quiet(side.eq));
    CHECK("PTL_SR_DROP_COUNT: counts what was refused", sr(&side, PTL_SR_DROP_COUNT) == 3);
    GIVES(PTL_OK, "PtlPTEnable: enables entries that were automatically disabled", PtlPTEnable(side.ni, side.pt));
    barrier();
    event = put_to(&side, 8, 1, 0);
    CHECK("PtlPTEnable: messages are accepted again", event.ni_fail_type == PTL_NI_OK);
    EVENT("PtlPTEnable: events come again", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    put_to(&side, 8, 2, 0);
    EVENT("PTL_EVENT_PT_DISABLED: it can happen again", side.eq, PTL_EVENT_PT_DISABLED, PTL_NI_PT_DISABLED, event);
    CHECK("PTL_NI_DROPPED: without flow control nothing is disabled", sr(&side, PTL_SR_DROP_COUNT) == 4);
    side_close(&side);
}

static void headers_run_out(void)
{
    ptl_ni_limits_t desired;
    ptl_handle_me_t over, plain_over;
    ptl_pt_index_t plain;
    ptl_event_t event;
    ptl_me_t me;
    int place;

    memset(&desired, 0, sizeof desired);
    desired.max_unexpected_headers = 2;
    side_open(&side, PTL_NI_MATCHING, &desired, PTL_PT_FLOWCTRL, 16);
    me = me_of(side.in, 64, PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE, 1);
    NEED(PtlMEAppend(side.ni, side.pt, &me, PTL_OVERFLOW_LIST, NULL, &over));
    NEED(PtlPTAlloc(side.ni, 0, side.eq, PTL_PT_ANY, &plain));
    NEED(PtlMEAppend(side.ni, plain, &me, PTL_OVERFLOW_LIST, NULL, &plain_over));
    barrier();
    for (place = 0; place < 2; place++) {
        event = put_to(&side, 8, 1, 0);
        CHECK("max_unexpected_headers: so many can be queued", event.ni_fail_type == PTL_NI_OK);
        EVENT("PTL_EVENT_PUT: of the overflow list", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    }
    event = put_to(&side, 8, 1, 0);
    CHECK("max_unexpected_headers: one more sets flow control off", event.ni_fail_type == PTL_NI_PT_DISABLED);
    EVENT("PTL_EVENT_PT_DISABLED: the target is told", side.eq, PTL_EVENT_PT_DISABLED, PTL_NI_PT_DISABLED, event);
    NEED(PtlPut(side.md, 0, 8, PTL_ACK_REQ, side.next, plain, 1, 0, NULL, 0));
    EVENT("max_unexpected_headers: without flow control the message is dropped", side.md_eq, PTL_EVENT_ACK, PTL_NI_DROPPED, event);
    barrier();
    me.options |= PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE;
    NEED(PtlMEAppend(side.ni, side.pt, &me, PTL_PRIORITY_LIST, NULL, &plain_over));
    EVENT("PtlMEAppend: takes unexpected messages while the entry is disabled", side.eq, PTL_EVENT_PUT_OVERFLOW, PTL_NI_OK, event);
    NEED(PtlPTEnable(side.ni, side.pt));
    barrier();
    event = put_to(&side, 8, 1, 0);
    CHECK("max_unexpected_headers: one was taken, so there is room for one", event.ni_fail_type == PTL_NI_OK);
    side_close(&side);

    side_open(&side, PTL_NI_MATCHING, &desired, PTL_PT_FLOWCTRL, 16);
    me.options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_FLOWCTRL_DISABLE | PTL_ME_EVENT_COMM_DISABLE;
    NEED(PtlMEAppend(side.ni, side.pt, &me, PTL_OVERFLOW_LIST, NULL, &over));
    barrier();
    put_to(&side, 8, 1, 0);
    put_to(&side, 8, 1, 0);
    event = put_to(&side, 8, 1, 0);
    CHECK("PTL_ME_EVENT_FLOWCTRL_DISABLE: the initiator is told", event.ni_fail_type == PTL_NI_PT_DISABLED);
    CHECK("PTL_ME_EVENT_FLOWCTRL_DISABLE: no event that indicates a flow control failure", is_quiet(side.eq));
    side_close(&side);
}

static void queue_is_full(void)
{
    ptl_handle_le_t handle;
    ptl_event_t event;
    ptl_le_t le;
    int place, kept = 0;

    side_open(&side, PTL_NI_NO_MATCHING, NULL, PTL_PT_FLOWCTRL, 3);
    le = le_of(side.in, 64, PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE);
    NEED(PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, &handle));
    barrier();
    for (place = 0; place < 3; place++) {
        event = put_to(&side, 8, 0, 0);
        CHECK("PtlEQAlloc: room for at least count events", event.ni_fail_type == PTL_NI_OK);
    }
    memset(side.in, '.', 8);
    barrier();
    memcpy(side.out, "too much", 8);
    event = put_to(&side, 8, 0, 0);
    CHECK("PTL_PT_FLOWCTRL: no room for the event sets flow control off", event.ni_fail_type == PTL_NI_PT_DISABLED);
    CHECK("PTL_NI_FLOW_CTRL: this message was dropped", side.in[0] == '.');
    for (place = 0; place < 3; place++)
        EVENT("PTL_PT_FLOWCTRL: no event is lost", side.eq, PTL_EVENT_PUT, PTL_NI_OK, event);
    EVENT("PtlEQAlloc: one space is reserved for PTL_EVENT_PT_DISABLED", side.eq, PTL_EVENT_PT_DISABLED, PTL_NI_PT_DISABLED, event);
    NEED(PtlPTEnable(side.ni, side.pt));
    barrier();
    event = put_to(&side, 8, 0, 0);
    CHECK("PtlPTEnable: the initiator sends again what failed", event.ni_fail_type == PTL_NI_OK && memcmp(side.in, "too much", 8) == 0);
    side_close(&side);

    side_open(&side, PTL_NI_NO_MATCHING, NULL, 0, 3);
    NEED(PtlLEAppend(side.ni, side.pt, &le, PTL_PRIORITY_LIST, NULL, &handle));
    barrier();
    for (place = 0; place < 5; place++) {
        event = put_to(&side, 8, 0, 0);
        CHECK("PTL_PT_FLOWCTRL: without it messages are taken though events are lost", event.ni_fail_type == PTL_NI_OK);
    }
    GIVES(PTL_EQ_DROPPED, "PTL_EQ_DROPPED: an event has been dropped due to limited space", PtlEQGet(side.eq, &event));
    CHECK("PTL_EQ_DROPPED: an event is returned", event.type == PTL_EVENT_PUT);
    GIVES(PTL_OK, "PTL_EQ_DROPPED: is told once", PtlEQGet(side.eq, &event));
    for (kept = 2; PtlEQGet(side.eq, &event) == PTL_OK; kept++)
        ;
    CHECK("PtlEQAlloc: room for at least count events", kept >= 3 && kept < 5);
    side_close(&side);
}

int main(void)
{
    suite_start();
    nothing_matches();
    headers_run_out();
    queue_is_full();
    return suite_end();
}
