/* PtlNIInit, PtlNIFini, PtlNIStatus, PtlNIHandle: options, identifiers, limits, counting. */
#include "suite.h"

static const unsigned int MATCH = PTL_NI_MATCHING | PTL_NI_PHYSICAL;
static const unsigned int PLAIN = PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL;

static void wrong_arguments(void)
{
    ptl_handle_ni_t ni = 77;
    const char *rule = "PtlNIInit: either PTL_NI_MATCHING or PTL_NI_NO_MATCHING must be set, but not both";

    GIVES(PTL_ARG_INVALID, rule, PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &ni));
    GIVES(PTL_ARG_INVALID, rule, PtlNIInit(PTL_IFACE_DEFAULT, MATCH | PTL_NI_NO_MATCHING, PTL_PID_ANY, NULL, NULL, &ni));
    rule = "PtlNIInit: either PTL_NI_LOGICAL or PTL_NI_PHYSICAL must be set, but not both";
    GIVES(PTL_ARG_INVALID, rule, PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING, PTL_PID_ANY, NULL, NULL, &ni));
    GIVES(PTL_ARG_INVALID, rule, PtlNIInit(PTL_IFACE_DEFAULT, MATCH | PTL_NI_LOGICAL, PTL_PID_ANY, NULL, NULL, &ni));
    GIVES(PTL_ARG_INVALID, "PTL_NI_INIT_OPTIONS_MASK: there are no other options",
          PtlNIInit(PTL_IFACE_DEFAULT, MATCH | (PTL_NI_INIT_OPTIONS_MASK + 1), PTL_PID_ANY, NULL, NULL, &ni));
    GIVES(PTL_ARG_INVALID, "PtlNIInit: iface is not a valid network interface",
          PtlNIInit(12345, MATCH, PTL_PID_ANY, NULL, NULL, &ni));
    GIVES(PTL_ARG_INVALID, "PtlNIInit: pid is not a valid process identifier",
          PtlNIInit(PTL_IFACE_DEFAULT, MATCH, PTL_PID_ANY + 1, NULL, NULL, &ni));
    GIVES(PTL_ARG_INVALID, "PtlNIInit: ni_handle must be a place for the handle",
          PtlNIInit(PTL_IFACE_DEFAULT, MATCH, PTL_PID_ANY, NULL, NULL, NULL));
    CHECK("PtlNIInit: ni_handle is written on successful return", ni == 77);
    GIVES(PTL_ARG_INVALID, "PtlNIFini: not a valid network interface handle", PtlNIFini(PTL_INVALID_HANDLE));
}

static void limits(void)
{
    ptl_ni_limits_t desired, actual, again, most;
    ptl_handle_ni_t ni, second;

    memset(&most, 0, sizeof most);
    GIVES(PTL_OK, "PtlNIInit: desired may be NULL", PtlNIInit(PTL_IFACE_DEFAULT, MATCH, PTL_PID_ANY, NULL, &most, &ni));
    CHECK("max_pt_index: an interface must have at least 63", most.max_pt_index >= 63);
    CHECK("max_waw_ordered_size: at least 64 bytes", most.max_waw_ordered_size >= 64);
    CHECK("max_war_ordered_size: at least 8 bytes", most.max_war_ordered_size >= 8);
    CHECK("ptl_ni_limits_t: there is room for entries, headers, descriptors, counters and queues",
          most.max_entries > 0 && most.max_unexpected_headers > 0 && most.max_mds > 0 && most.max_cts > 0 &&
              most.max_eqs > 0);
    CHECK("ptl_ni_limits_t: vectors, lists, triggered operations and messages have a limit",
          most.max_iovecs > 0 && most.max_list_size > 0 && most.max_triggered_ops > 0 && most.max_msg_size > 0 &&
              most.max_atomic_size > 0 && most.max_fetch_atomic_size > 0 && most.max_volatile_size > 0);
    NEED(PtlNIFini(ni));

    desired = most;
    desired.max_entries = 7;
    desired.max_unexpected_headers = 6;
    desired.max_mds = 5;
    desired.max_cts = 4;
    desired.max_eqs = 3;
    desired.max_pt_index = 63;
    desired.max_iovecs = 9;
    desired.max_list_size = 8;
    desired.max_triggered_ops = 10;
    desired.max_msg_size = 4096;
    desired.max_atomic_size = 512;
    desired.max_fetch_atomic_size = 256;
    GIVES(PTL_OK, "PtlNIInit: desired points to the desired limits",
          PtlNIInit(PTL_IFACE_DEFAULT, MATCH, PTL_PID_ANY, &desired, &actual, &ni));
    CHECK("PtlNIInit: actual holds the actual limits: max_entries", actual.max_entries == 7);
    CHECK("PtlNIInit: actual: max_unexpected_headers", actual.max_unexpected_headers == 6);
    CHECK("PtlNIInit: actual: max_mds", actual.max_mds == 5);
    CHECK("PtlNIInit: actual: max_cts", actual.max_cts == 4);
    CHECK("PtlNIInit: actual: max_eqs", actual.max_eqs == 3);
    CHECK("PtlNIInit: actual: max_pt_index", actual.max_pt_index == 63);
    CHECK("PtlNIInit: actual: max_iovecs", actual.max_iovecs == 9);
    CHECK("PtlNIInit: actual: max_list_size", actual.max_list_size == 8);
    CHECK("PtlNIInit: actual: max_triggered_ops", actual.max_triggered_ops == 10);
    CHECK("PtlNIInit: actual: max_msg_size", actual.max_msg_size == 4096);
    CHECK("PtlNIInit: actual: max_atomic_size", actual.max_atomic_size == 512);
    CHECK("PtlNIInit: actual: max_fetch_atomic_size", actual.max_fetch_atomic_size == 256);

    GIVES(PTL_OK, "PtlNIInit: a later call returns the existing handle and the actual limits",
          PtlNIInit(PTL_IFACE_DEFAULT, MATCH, PTL_PID_ANY, &most, &again, &second));
    CHECK("PtlNIInit: the existing network interface handle", second == ni);
    GIVES(PTL_OK, "PtlHandleIsEqual: both name the interface", PtlHandleIsEqual(second, ni));
    CHECK("PtlNIInit: the desired limits will be ignored", memcmp(&again, &actual, sizeof again) == 0);
    GIVES(PTL_OK, "PtlNIInit: actual may be NULL", PtlNIInit(PTL_IFACE_DEFAULT, MATCH, PTL_PID_ANY, NULL, NULL, &second));
    GIVES(PTL_OK, "PtlNIFini: the count goes down", PtlNIFini(ni));
    GIVES(PTL_OK, "PtlNIFini: the count goes down", PtlNIFini(ni));
    GIVES(PTL_OK, "PtlNIFini: resources stay until the count reaches zero", PtlGetPhysId(ni, &(ptl_process_t){0}));
    GIVES(PTL_OK, "PtlNIFini: the last one releases the interface", PtlNIFini(ni));
    GIVES(PTL_ARG_INVALID, "PtlNIFini: not a valid network interface handle any more", PtlNIFini(ni));

    /* A structure of zeros in which one limit is set. */
    memset(&desired, 0, sizeof desired);
    desired.max_mds = 2;
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, MATCH, PTL_PID_ANY, &desired, &actual, &ni));
    CHECK("PtlNIInit: a limit that is desired is the actual one", actual.max_mds == 2);
    CHECK("PtlNIInit: limits that are not desired leave the interface usable",
          actual.max_unexpected_headers > 0 && actual.max_fetch_atomic_size > 0 && actual.max_triggered_ops > 0);
    NEED(PtlNIFini(ni));
}

static void full(void)
{
    ptl_ni_limits_t desired, actual;
    ptl_handle_ni_t ni;
    ptl_handle_any_t made[3];
    ptl_pt_index_t index;
    ptl_iovec_t runs[3];
    char bytes[24];
    ptl_md_t md;
    ptl_me_t me = me_of(bytes, sizeof bytes, PTL_ME_OP_PUT, 0);
    int place;

    memset(&desired, 0, sizeof desired);
    desired.max_entries = 3;
    desired.max_mds = 2;
    desired.max_cts = 2;
    desired.max_eqs = 2;
    desired.max_pt_index = 2;
    desired.max_iovecs = 2;
    desired.max_list_size = 2;
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, MATCH, PTL_PID_ANY, &desired, &actual, &ni));

    memset(&md, 0, sizeof md);
    md.start = bytes;
    md.length = sizeof bytes;
    md.eq_handle = PTL_EQ_NONE;
    md.ct_handle = PTL_CT_NONE;
    NEED(PtlMDBind(ni, &md, &made[0]));
    NEED(PtlMDBind(ni, &md, &made[1]));
    GIVES(PTL_NO_SPACE, "max_mds: the maximum number of memory descriptors", PtlMDBind(ni, &md, &made[2]));
    NEED(PtlMDRelease(made[0]));
    GIVES(PTL_OK, "PtlMDRelease: releases the resources, so another can be bound", PtlMDBind(ni, &md, &made[0]));
    NEED(PtlCTAlloc(ni, &made[0]));
    NEED(PtlCTAlloc(ni, &made[1]));
    GIVES(PTL_NO_SPACE, "max_cts: the maximum number of counting events", PtlCTAlloc(ni, &made[2]));
    NEED(PtlCTFree(made[0]));
    GIVES(PTL_OK, "PtlCTFree: releases the resources, so another can be allocated", PtlCTAlloc(ni, &made[0]));
    NEED(PtlEQAlloc(ni, 1, &made[0]));
    NEED(PtlEQAlloc(ni, 1, &made[1]));
    GIVES(PTL_NO_SPACE, "max_eqs: the maximum number of event queues", PtlEQAlloc(ni, 1, &made[2]));
    NEED(PtlEQFree(made[0]));
    GIVES(PTL_OK, "PtlEQFree: releases the resources, so another can be allocated", PtlEQAlloc(ni, 1, &made[0]));

    for (place = 0; place <= 2; place++)
        GIVES(PTL_OK, "max_pt_index: valid indexes range from 0 to max_pt_index, inclusive",
              PtlPTAlloc(ni, 0, PTL_EQ_NONE, PTL_PT_ANY, &index));
    GIVES(PTL_PT_FULL, "PtlPTAlloc: no free entries in the portal table",
          PtlPTAlloc(ni, 0, PTL_EQ_NONE, PTL_PT_ANY, &index));
    GIVES(PTL_ARG_INVALID, "max_pt_index: the largest index", PtlPTAlloc(ni, 0, PTL_EQ_NONE, 3, &index));

    NEED(PtlMEAppend(ni, 0, &me, PTL_PRIORITY_LIST, NULL, &made[0]));
    NEED(PtlMEAppend(ni, 0, &me, PTL_PRIORITY_LIST, NULL, &made[1]));
    GIVES(PTL_LIST_TOO_LONG, "PtlMEAppend: the resulting list is too long",
          PtlMEAppend(ni, 0, &me, PTL_PRIORITY_LIST, NULL, &made[2]));
    GIVES(PTL_OK, "max_list_size: of one list of one portal table entry",
          PtlMEAppend(ni, 1, &me, PTL_PRIORITY_LIST, NULL, &made[2]));
    GIVES(PTL_NO_SPACE, "max_entries: the maximum number of match list entries at any one time",
          PtlMEAppend(ni, 2, &me, PTL_OVERFLOW_LIST, NULL, &made[2]));
    NEED(PtlMEUnlink(made[0]));
    GIVES(PTL_OK, "PtlMEUnlink: releases the resources, so another can be appended",
          PtlMEAppend(ni, 2, &me, PTL_OVERFLOW_LIST, NULL, &made[0]));

    for (place = 0; place < 3; place++) {
        runs[place].iov_base = bytes + 8 * place;
        runs[place].iov_len = 8;
    }
    NEED(PtlMDRelease(made[1]) == PTL_ARG_INVALID ? PTL_OK : PTL_FAIL); /* an entry is no descriptor */
    NEED(PtlNIFini(ni));
    desired.max_mds = 4;
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, MATCH, PTL_PID_ANY, &desired, &actual, &ni));
    md.start = runs;
    md.length = 2;
    md.options = PTL_IOVEC;
    GIVES(PTL_OK, "max_iovecs: the maximum number of I/O vectors", PtlMDBind(ni, &md, &made[0]));
    md.length = 3;
    GIVES(PTL_ARG_INVALID, "max_iovecs: the maximum number of I/O vectors", PtlMDBind(ni, &md, &made[0]));
    NEED(PtlPTAlloc(ni, 0, PTL_EQ_NONE, 0, &index));
    me.start = runs;
    me.length = 3;
    me.options |= PTL_IOVEC;
    GIVES(PTL_ARG_INVALID, "max_iovecs: of match list entries as well",
          PtlMEAppend(ni, 0, &me, PTL_PRIORITY_LIST, NULL, &made[0]));
    NEED(PtlNIFini(ni));
}

static void four_interfaces(void)
{
    const unsigned int options[] = {PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_NI_MATCHING | PTL_NI_LOGICAL,
                                    PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_NI_NO_MATCHING | PTL_NI_LOGICAL};
    ptl_handle_ni_t ni[4], found;
    ptl_handle_any_t eq, ct, mdh, meh;
    ptl_process_t id[4];
    ptl_pt_index_t index;
    ptl_sr_value_t value = 5;
    ptl_md_t md;
    ptl_me_t me = me_of(NULL, 0, PTL_ME_OP_PUT, 0);
    int place, other;

    for (place = 0; place < 4; place++) {
        GIVES(PTL_OK, "PtlNIInit: each pair of properties is an interface",
              PtlNIInit(PTL_IFACE_DEFAULT, options[place], PTL_PID_ANY, NULL, NULL, &ni[place]));
        NEED(PtlGetPhysId(ni[place], &id[place]));
        for (other = 0; other < place; other++)
            CHECK("PtlNIInit: interfaces with other properties are others", ni[place] != ni[other]);
    }
    CHECK("NI: logical interfaces share node and process identifier with the physical ones",
          id[0].phys.nid == id[1].phys.nid && id[0].phys.pid == id[1].phys.pid && id[0].phys.pid == id[2].phys.pid &&
              id[0].phys.pid == id[3].phys.pid);
    GIVES(PTL_OK, "PtlNIInit: pid is ignored for an interface that is there",
          PtlNIInit(PTL_IFACE_DEFAULT, options[0], 4711, NULL, NULL, &found));
    CHECK("PtlNIInit: returns the existing network interface handle", found == ni[0]);
    NEED(PtlNIFini(ni[0]));

    NEED(PtlEQAlloc(ni[0], 1, &eq));
    NEED(PtlCTAlloc(ni[0], &ct));
    memset(&md, 0, sizeof md);
    md.eq_handle = eq;
    md.ct_handle = ct;
    NEED(PtlMDBind(ni[0], &md, &mdh));
    NEED(PtlPTAlloc(ni[0], 0, eq, 0, &index));
    NEED(PtlMEAppend(ni[0], 0, &me, PTL_PRIORITY_LIST, NULL, &meh));
    GIVES(PTL_OK, "PtlNIHandle: of an interface", PtlNIHandle(ni[2], &found));
    CHECK("PtlNIHandle: of a network interface it returns the value it is passed", found == ni[2]);
    GIVES(PTL_OK, "PtlNIHandle: of an event queue", PtlNIHandle(eq, &found));
    CHECK("PtlNIHandle: the interface of the object", found == ni[0]);
    found = 0;
    GIVES(PTL_OK, "PtlNIHandle: of a counting event", PtlNIHandle(ct, &found));
    CHECK("PtlNIHandle: the interface of the object", found == ni[0]);
    found = 0;
    GIVES(PTL_OK, "PtlNIHandle: of a memory descriptor", PtlNIHandle(mdh, &found));
    CHECK("PtlNIHandle: the interface of the object", found == ni[0]);
    found = 0;
    GIVES(PTL_OK, "PtlNIHandle: of a match list entry", PtlNIHandle(meh, &found));
    CHECK("PtlNIHandle: the interface of the object", found == ni[0]);
    GIVES(PTL_ARG_INVALID, "PtlNIHandle: not a valid handle", PtlNIHandle(PTL_INVALID_HANDLE, &found));
    GIVES(PTL_ARG_INVALID, "PtlNIHandle: PTL_EQ_NONE names nothing", PtlNIHandle(PTL_EQ_NONE, &found));
    GIVES(PTL_ARG_INVALID, "PtlNIHandle: PTL_CT_NONE names nothing", PtlNIHandle(PTL_CT_NONE, &found));
    GIVES(PTL_ARG_INVALID, "PtlNIHandle: ni_handle must be a place", PtlNIHandle(eq, NULL));
    CHECK("handles: of all kinds they are different",
          eq != ct && eq != mdh && eq != meh && ct != mdh && ct != meh && mdh != meh && eq != ni[0] && ct != ni[0]);
    GIVES(PTL_FAIL, "PtlHandleIsEqual: different objects", PtlHandleIsEqual(eq, ct));

    for (place = 0; place < PTL_SR_LAST; place++) {
        GIVES(PTL_OK, "PtlNIStatus: each index below PTL_SR_LAST", PtlNIStatus(ni[0], (ptl_sr_index_t)place, &value));
        CHECK("PtlNIStatus: nothing was dropped or violated", value == 0);
    }
    GIVES(PTL_ARG_INVALID, "PtlNIStatus: not a valid status register",
          PtlNIStatus(ni[0], (ptl_sr_index_t)PTL_SR_LAST, &value));
    GIVES(PTL_ARG_INVALID, "PtlNIStatus: not a valid network interface handle",
          PtlNIStatus(eq, PTL_SR_DROP_COUNT, &value));
    GIVES(PTL_ARG_INVALID, "PtlNIStatus: status must be a place", PtlNIStatus(ni[0], PTL_SR_DROP_COUNT, NULL));

    NEED(PtlNIFini(ni[0]));
    GIVES(PTL_ARG_INVALID, "PtlNIFini: what belongs to the interface goes with it", PtlEQFree(eq));
    GIVES(PTL_ARG_INVALID, "PtlNIFini: what belongs to the interface goes with it", PtlMDRelease(mdh));
    GIVES(PTL_OK, "PtlNIFini: other interfaces stay", PtlGetPhysId(ni[2], &id[2]));
    for (place = 1; place < 4; place++)
        NEED(PtlNIFini(ni[place]));
}

static void pids(void)
{
    ptl_handle_ni_t ni, plain;
    ptl_process_t id;

    GIVES(PTL_OK, "PtlNIInit: pid is the desired process identifier",
          PtlNIInit(PTL_IFACE_DEFAULT, MATCH, 321, NULL, NULL, &ni));
    NEED(PtlGetPhysId(ni, &id));
    CHECK("PtlNIInit: a well known process identifier", id.phys.pid == 321);
    GIVES(PTL_OK, "PtlNIInit: PTL_PID_ANY on a second interface", PtlNIInit(PTL_IFACE_DEFAULT, PLAIN, PTL_PID_ANY, NULL, NULL, &plain));
    NEED(PtlGetPhysId(plain, &id));
    CHECK("NI: all interfaces of a process share one process identifier", id.phys.pid == 321);
    NEED(PtlNIFini(plain));
    GIVES(PTL_ARG_INVALID, "NI: another process identifier for a second interface is not valid",
          PtlNIInit(PTL_IFACE_DEFAULT, PLAIN, 322, NULL, NULL, &plain));
    NEED(PtlNIFini(ni));
    GIVES(PTL_OK, "PtlNIFini: the process identifier is free again",
          PtlNIInit(PTL_IFACE_DEFAULT, PLAIN, 322, NULL, NULL, &plain));
    NEED(PtlNIFini(plain));
}

int main(void)
{
    suite_start();
    NEED(PtlInit());
    wrong_arguments();
    limits();
    full();
    four_interfaces();
    pids();
    PtlFini();
    return suite_end();
}
