/* PtlInit and PtlFini are counted; without PtlInit each function says so. */
#include "suite.h"

#define NO_INIT(call) GIVES(PTL_NO_INIT, "PTL_NO_INIT: the portals API has not been successfully initialized", call)

static void nothing_works(void)
{
    ptl_handle_any_t handle = PTL_INVALID_HANDLE;
    ptl_process_t id = {0};
    ptl_ct_event_t count = {0, 0};
    ptl_sr_value_t value;
    ptl_pt_index_t index;
    ptl_event_t event;
    ptl_size_t size = 1;
    ptl_uid_t number;
    ptl_md_t md;
    ptl_le_t le = le_of(NULL, 0, 0);
    ptl_me_t me = me_of(NULL, 0, 0, 0);
    unsigned int which;
    uint64_t operand = 0;

    memset(&md, 0, sizeof md);
    md.eq_handle = PTL_EQ_NONE;
    md.ct_handle = PTL_CT_NONE;
    NO_INIT(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &handle));
    CHECK("PtlNIInit: ni_handle is written on successful return", handle == PTL_INVALID_HANDLE);
    NO_INIT(PtlNIFini(handle));
    NO_INIT(PtlNIStatus(handle, PTL_SR_DROP_COUNT, &value));
    NO_INIT(PtlNIHandle(handle, &handle));
    NO_INIT(PtlSetMap(handle, 1, &id));
    NO_INIT(PtlGetMap(handle, 1, &id, &size));
    NO_INIT(PtlPTAlloc(handle, 0, PTL_EQ_NONE, PTL_PT_ANY, &index));
    NO_INIT(PtlPTFree(handle, 0));
    NO_INIT(PtlPTDisable(handle, 0));
    NO_INIT(PtlPTEnable(handle, 0));
    NO_INIT(PtlGetUid(handle, &number));
    NO_INIT(PtlGetId(handle, &id));
    NO_INIT(PtlGetPhysId(handle, &id));
    NO_INIT(PtlGetJid(handle, &number));
    NO_INIT(PtlMDBind(handle, &md, &handle));
    NO_INIT(PtlMDRelease(handle));
    NO_INIT(PtlLEAppend(handle, 0, &le, PTL_PRIORITY_LIST, NULL, &handle));
    NO_INIT(PtlLEUnlink(handle));
    NO_INIT(PtlLESearch(handle, 0, &le, PTL_SEARCH_ONLY, NULL));
    NO_INIT(PtlMEAppend(handle, 0, &me, PTL_PRIORITY_LIST, NULL, &handle));
    NO_INIT(PtlMEUnlink(handle));
    NO_INIT(PtlMESearch(handle, 0, &me, PTL_SEARCH_ONLY, NULL));
    NO_INIT(PtlCTAlloc(handle, &handle));
    NO_INIT(PtlCTFree(handle));
    NO_INIT(PtlCTCancelTriggered(handle));
    NO_INIT(PtlCTGet(handle, &count));
    NO_INIT(PtlCTWait(handle, 1, &count));
    NO_INIT(PtlCTPoll(&handle, &size, 1, 1, &count, &which));
    NO_INIT(PtlCTSet(handle, count));
    NO_INIT(PtlCTInc(handle, count));
    NO_INIT(PtlPut(handle, 0, 0, PTL_NO_ACK_REQ, id, 0, 0, 0, NULL, 0));
    NO_INIT(PtlGet(handle, 0, 0, id, 0, 0, 0, NULL));
    NO_INIT(PtlAtomic(handle, 0, 0, PTL_NO_ACK_REQ, id, 0, 0, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
    NO_INIT(PtlFetchAtomic(handle, 0, handle, 0, 0, id, 0, 0, 0, NULL, 0, PTL_SUM, PTL_INT64_T));
    NO_INIT(PtlSwap(handle, 0, handle, 0, 0, id, 0, 0, 0, NULL, 0, &operand, PTL_SWAP, PTL_INT64_T));
    NO_INIT(PtlAtomicSync());
    NO_INIT(PtlEQAlloc(handle, 1, &handle));
    NO_INIT(PtlEQFree(handle));
    NO_INIT(PtlEQGet(handle, &event));
    NO_INIT(PtlEQWait(handle, &event));
    NO_INIT(PtlEQPoll(&handle, 1, 1, &event, &which));
    NO_INIT(PtlTriggeredPut(handle, 0, 0, PTL_NO_ACK_REQ, id, 0, 0, 0, NULL, 0, handle, 1));
    NO_INIT(PtlTriggeredGet(handle, 0, 0, id, 0, 0, 0, NULL, handle, 1));
    NO_INIT(PtlTriggeredAtomic(handle, 0, 0, PTL_NO_ACK_REQ, id, 0, 0, 0, NULL, 0, PTL_SUM, PTL_INT64_T, handle, 1));
    NO_INIT(PtlTriggeredFetchAtomic(handle, 0, handle, 0, 0, id, 0, 0, 0, NULL, 0, PTL_SUM, PTL_INT64_T, handle, 1));
    NO_INIT(PtlTriggeredSwap(handle, 0, handle, 0, 0, id, 0, 0, 0, NULL, 0, &operand, PTL_SWAP, PTL_INT64_T, handle, 1));
    NO_INIT(PtlTriggeredCTInc(handle, count, handle, 1));
    NO_INIT(PtlTriggeredCTSet(handle, count, handle, 1));
    NO_INIT(PtlStartBundle(handle));
    NO_INIT(PtlEndBundle(handle));
}

int main(void)
{
    const unsigned int options = PTL_NI_MATCHING | PTL_NI_PHYSICAL;
    ptl_handle_ni_t ni;
    ptl_handle_eq_t eq;
    ptl_sr_value_t value;

    suite_start();
    nothing_works();
    GIVES(PTL_OK, "PtlHandleIsEqual: the same number names the same object", PtlHandleIsEqual(5, 5));
    GIVES(PTL_FAIL, "PtlHandleIsEqual: other numbers name other objects", PtlHandleIsEqual(5, 6));
    PtlFini();
    GIVES(PTL_NO_INIT, "PtlFini: without PtlInit it changes nothing", PtlAtomicSync());

    GIVES(PTL_OK, "PtlInit: PTL_OK indicates success", PtlInit());
    GIVES(PTL_OK, "PtlInit: may be safely called more than once", PtlInit());
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, options, PTL_PID_ANY, NULL, NULL, &ni));
    NEED(PtlEQAlloc(ni, 4, &eq));
    PtlFini();
    GIVES(PTL_OK, "PtlFini: resources stay while the count is above zero", PtlNIStatus(ni, PTL_SR_DROP_COUNT, &value));
    GIVES(PTL_OK, "PtlFini: resources stay while the count is above zero", PtlEQFree(eq));
    PtlFini();
    GIVES(PTL_NO_INIT, "PtlFini: all is freed when the count reaches zero", PtlNIFini(ni));
    GIVES(PTL_NO_INIT, "PtlFini: all is freed when the count reaches zero", PtlEQFree(eq));

    GIVES(PTL_OK, "PtlInit: after the last PtlFini the API can be initialized again", PtlInit());
    GIVES(PTL_ARG_INVALID, "PtlFini: interfaces that it freed are not there again", PtlNIFini(ni));
    GIVES(PTL_OK, "PtlNIInit: works after a new PtlInit", PtlNIInit(PTL_IFACE_DEFAULT, options, PTL_PID_ANY, NULL, NULL, &ni));
    GIVES(PTL_OK, "PtlNIFini: PTL_OK indicates success", PtlNIFini(ni));
    PtlFini();
    return suite_end();
}
