/* The variants that do not wait, bundles, and wrong arguments of PtlPut and PtlGet. Rank 0 initiates, rank 1 is the target. */
#include "suite2.h"

static uint64_t source[64], landing[64], target[64];
static ptl_handle_ct_t sent, counter, trigger;
static ptl_handle_md_t md, get;
static ptl_handle_eq_t eq;

/* The operations so far are complete: so many, none failed. */
static int complete(ptl_size_t so_many)
{
    ptl_ct_event_t value;

    NEED(PtlCTWait(sent, so_many, &value));
    return is(value, so_many, 0);
}

static void movements(void)
{
    uint64_t operand = 3;

    source[0] = 1;
    RETURNS("PtlPutNB: as PtlPut when there is a place", PTL_OK,
            PtlPutNB(md, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
    RULE("PtlPutNB: completes", complete(1));
    source[0] = 2;
    RETURNS("PtlAtomicNB: as PtlAtomic", PTL_OK,
            PtlAtomicNB(md, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0, PTL_SUM, PTL_UINT64_T));
    RULE("PtlAtomicNB: completes", complete(2));
    RETURNS("PtlGetNB: as PtlGet", PTL_OK, PtlGetNB(get, 0, 8, ids[1], 0, 1, 0, NULL));
    RULE("PtlGetNB: completes: 1 + 2", complete(3) && landing[0] == 3);
    source[0] = 40;
    RETURNS("PtlSwapNB: as PtlSwap", PTL_OK,
            PtlSwapNB(get, 0, md, 0, 8, ids[1], 0, 1, 0, NULL, 0, &operand, PTL_CSWAP, PTL_UINT64_T));
    RULE("PtlSwapNB: completes", complete(4) && landing[0] == 3);
    RETURNS("PtlFetchAtomicNB: as PtlFetchAtomic", PTL_OK,
            PtlFetchAtomicNB(get, 0, md, 0, 8, ids[1], 0, 1, 0, NULL, 0, PTL_SUM, PTL_UINT64_T));
    RULE("PtlFetchAtomicNB: completes", complete(5) && landing[0] == 40);
    RETURNS("PtlPutNB: wrong arguments", PTL_ARG_INVALID,
            PtlPutNB(PTL_INVALID_HANDLE, 0, 8, PTL_NO_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
    RETURNS("PtlGetNB: wrong arguments", PTL_ARG_INVALID, PtlGetNB(get, 0, 8000, ids[1], 0, 1, 0, NULL));
    RETURNS("PtlAtomicNB: wrong arguments", PTL_ARG_INVALID,
            PtlAtomicNB(md, 0, 8, PTL_NO_ACK_REQ, ids[1], 0, 1, 0, NULL, 0, PTL_CSWAP, PTL_UINT64_T));
}

static void triggered(void)
{
    uint64_t operand = 80;

    source[0] = 77;
    NEED(PtlTriggeredPutNB(md, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0, trigger, 1));
    s4bxi_compute_s(0.0001);
    RULE("PtlTriggeredPutNB: waits for its threshold", counts(sent, 5, 0));
    NEED(PtlCTInc(trigger, both(1, 0)));
    RULE("PtlTriggeredPutNB: is triggered", complete(6));
    source[0] = 3;
    NEED(PtlTriggeredAtomicNB(md, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0, PTL_SUM, PTL_UINT64_T, trigger, 2));
    NEED(PtlCTInc(trigger, both(1, 0)));
    RULE("PtlTriggeredAtomicNB: is triggered", complete(7));
    NEED(PtlTriggeredGetNB(get, 0, 8, ids[1], 0, 1, 0, NULL, trigger, 3));
    NEED(PtlCTInc(trigger, both(1, 0)));
    RULE("PtlTriggeredGetNB: is triggered: 77 + 3", complete(8) && landing[0] == 80);
    source[0] = 5;
    NEED(PtlTriggeredSwapNB(get, 0, md, 0, 8, ids[1], 0, 1, 0, NULL, 0, &operand, PTL_CSWAP, PTL_UINT64_T, trigger, 4));
    NEED(PtlCTInc(trigger, both(1, 0)));
    RULE("PtlTriggeredSwapNB: is triggered", complete(9) && landing[0] == 80);
    NEED(PtlTriggeredFetchAtomicNB(get, 0, md, 0, 8, ids[1], 0, 1, 0, NULL, 0, PTL_PROD, PTL_UINT64_T, trigger, 5));
    NEED(PtlCTInc(trigger, both(1, 0)));
    RULE("PtlTriggeredFetchAtomicNB: is triggered", complete(10) && landing[0] == 5);
    NEED(PtlTriggeredCTIncNB(counter, both(4, 0), trigger, 6));
    NEED(PtlTriggeredCTSetNB(counter, both(9, 1), trigger, 7));
    NEED(PtlCTInc(trigger, both(1, 0)));
    RULE("PtlTriggeredCTIncNB: is triggered", counts(counter, 4, 0));
    NEED(PtlCTInc(trigger, both(1, 0)));
    RULE("PtlTriggeredCTSetNB: is triggered", counts(counter, 9, 1));
}

/* A command queue has 16 places; rank 1 gets so many that it does not take a place at once. */
static void full(void)
{
    int code = PTL_OK, posted = 0, refused = 0;
    ptl_ct_event_t value;

    NEED(PtlCTSet(sent, both(0, 0)));
    for (posted = 0; posted < 1000 && code == PTL_OK; posted += code == PTL_OK)
        code = PtlPutNB(md, 0, 512, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0);
    RULE("PtlPutNB: PTL_TRY_AGAIN when no place is free", code == PTL_TRY_AGAIN && posted >= 16 && posted < 1000);
    code = PtlGetNB(get, 0, 8, ids[1], 0, 1, 0, NULL);
    RULE("PtlGetNB: PTL_TRY_AGAIN as well", code == PTL_TRY_AGAIN);
    while ((code = PtlPutNB(md, 0, 512, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0)) == PTL_TRY_AGAIN)
        refused++;
    RULE("PtlPutNB: trying again in a loop succeeds", code == PTL_OK && refused > 0);
    RETURNS("PtlPut: waits for a place", PTL_OK, PtlPut(md, 0, 512, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
    NEED(PtlCTWait(sent, posted + 2, &value));
    s4bxi_compute_s(0.001);
    RULE("PtlPutNB: what is refused is not sent", counts(sent, posted + 2, 0));
}

static void tables(void)
{
    ptl_handle_md_t handle;
    ptl_handle_me_t me;
    ptl_md_t spec = {source, 8, 0, PTL_EQ_NONE, PTL_CT_NONE};
    ptl_me_t entry = an_entry(landing, 8, PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE, 9, PTL_CT_NONE);
    ptl_pt_index_t index = new_index(eq, 0);
    ptl_event_t event;

    RETURNS("PtlMDBindNB: as PtlMDBind", PTL_OK, PtlMDBindNB(ni, &spec, &handle));
    RETURNS("PtlMDBindNB: ni_handle is not valid", PTL_ARG_INVALID, PtlMDBindNB(PTL_INVALID_HANDLE, &spec, &handle));
    NEED(PtlMDRelease(handle));
    RETURNS("PtlMEAppendNB: as PtlMEAppend", PTL_OK,
            PtlMEAppendNB(ni, index, &entry, PTL_PRIORITY_LIST, NULL, &me));
    NEED(PtlMEUnlink(me));
    RETURNS("PtlMESearchNB: as PtlMESearch", PTL_OK, PtlMESearchNB(ni, index, &entry, PTL_SEARCH_ONLY, (void *)4));
    event = next_event(eq);
    RULE("PtlMESearchNB: tells what it found", event.type == PTL_EVENT_SEARCH && event.ni_fail_type == PTL_NI_NO_MATCH);
    RETURNS("PtlPTDisableNB: as PtlPTDisable", PTL_OK, PtlPTDisableNB(ni, index));
    RETURNS("PtlPTEnableNB: as PtlPTEnable", PTL_OK, PtlPTEnableNB(ni, index));
    RETURNS("PtlPTEnableNB: an index that is none", PTL_ARG_INVALID, PtlPTEnableNB(ni, 200));
    RETURNS("PtlLEAppendNB: not on a matching interface", PTL_ARG_INVALID,
            PtlLEAppendNB(ni, index, &(ptl_le_t){0}, PTL_PRIORITY_LIST, NULL, &me));
    RETURNS("PtlLESearchNB: not on a matching interface", PTL_ARG_INVALID,
            PtlLESearchNB(ni, index, &(ptl_le_t){0}, PTL_SEARCH_ONLY, NULL));
}

static void bundles(void)
{
    RETURNS("PtlStartBundle: indicates success", PTL_OK, PtlStartBundle(ni));
    RETURNS("PtlStartBundle: more than once", PTL_OK, PtlStartBundle(ni));
    NEED(PtlCTSet(sent, both(0, 0)));
    NEED(PtlPut(md, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
    NEED(PtlPut(md, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
    RETURNS("PtlEndBundle: indicates success", PTL_OK, PtlEndBundle(ni));
    RULE("PtlEndBundle: operations that were deferred are initiated at each", complete(2));
    RETURNS("PtlEndBundle: once for each PtlStartBundle", PTL_OK, PtlEndBundle(ni));
    RETURNS("PtlEndBundle: more often than PtlStartBundle", PTL_ARG_INVALID, PtlEndBundle(ni));
    RETURNS("PtlStartBundle: ni_handle is not valid", PTL_ARG_INVALID, PtlStartBundle(PTL_INVALID_HANDLE));
    RETURNS("PtlEndBundle: ni_handle is not valid", PTL_ARG_INVALID, PtlEndBundle(PTL_INVALID_HANDLE));
    RETURNS("PtlStartBundle: a descriptor is no interface", PTL_ARG_INVALID, PtlStartBundle(md));
}

static void arguments(void)
{
    ptl_process_t any = ids[1];
    ptl_ni_limits_t limits;
    ptl_handle_ni_t small;
    ptl_handle_md_t wide;
    ptl_md_t spec = {source, 64, 0, PTL_EQ_NONE, PTL_CT_NONE};

    RETURNS("PtlPut: md_handle is a counting event", PTL_ARG_INVALID,
            PtlPut(sent, 0, 8, PTL_NO_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
    RETURNS("PtlGet: md_handle is not valid", PTL_ARG_INVALID,
            PtlGet(PTL_INVALID_HANDLE, 0, 8, ids[1], 0, 1, 0, NULL));
    any.phys.nid = PTL_NID_ANY;
    RETURNS("PtlPut: PTL_NID_ANY is no process", PTL_ARG_INVALID,
            PtlPut(md, 0, 8, PTL_NO_ACK_REQ, any, 0, 1, 0, NULL, 0));
    any = ids[1];
    any.phys.pid = PTL_PID_ANY;
    RETURNS("PtlGet: PTL_PID_ANY is no process", PTL_ARG_INVALID, PtlGet(get, 0, 8, any, 0, 1, 0, NULL));
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, &limits, &small));
    NEED(PtlNIFini(small));
    limits.max_msg_size = 32;
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, &limits, &limits, &small));
    NEED(PtlMDBind(small, &spec, &wide));
    RETURNS("PtlPut: max_msg_size bytes", PTL_OK, PtlPut(wide, 0, 32, PTL_NO_ACK_REQ, ids[1], 9, 0, 0, NULL, 0));
    RETURNS("PtlPut: more than max_msg_size bytes", PTL_ARG_INVALID,
            PtlPut(wide, 0, 33, PTL_NO_ACK_REQ, ids[1], 9, 0, 0, NULL, 0));
    RETURNS("PtlGet: more than max_msg_size bytes", PTL_ARG_INVALID,
            PtlGet(wide, 0, 33, ids[1], 9, 0, 0, NULL));
    s4bxi_compute_s(0.001);
    NEED(PtlNIFini(small));
}

int main(void)
{
    RETURNS("PtlPut: PTL_NO_INIT before PtlInit", PTL_NO_INIT,
            PtlPut(0, 0, 8, PTL_NO_ACK_REQ, ids[1], 0, 1, 0, NULL, 0));
    RETURNS("PtlGet: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlGet(0, 0, 8, ids[1], 0, 1, 0, NULL));
    RETURNS("PtlStartBundle: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlStartBundle(0));
    RETURNS("PtlEndBundle: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlEndBundle(0));
    suite_begin(1);
    eq = new_queue(16);
    sent = new_counter();
    counter = new_counter();
    trigger = new_counter();
    new_index(PTL_EQ_NONE, 0);
    if (rank == 1)
        open_entry(0, target, sizeof target, PTL_ME_OP_PUT | PTL_ME_OP_GET, 1, PTL_CT_NONE);
    barrier();
    if (rank == 0) {
        md = new_md(source, sizeof source, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, sent);
        get = new_md(landing, sizeof landing, PTL_MD_EVENT_CT_REPLY, PTL_EQ_NONE, sent);
        movements();
        triggered();
        full();
        tables();
        bundles();
        arguments();
    }
    barrier();
    return suite_end();
}
