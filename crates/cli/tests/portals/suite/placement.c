/* Several processes on a node, and messages to processes that are not there. Four ranks on two nodes: 0 and 2 on the first,
 * 1 and 3 on the second; the last process ends early. */
#include "suite2.h"

static uint64_t source[4], memory[4];
static ptl_handle_eq_t eq, own;
static ptl_handle_md_t md;

/* What becomes of a put to a process. */
static ptl_ni_fail_t put_to(ptl_process_t process)
{
    ptl_event_t event;

    NEED(PtlPut(md, 0, 8, PTL_ACK_REQ, process, 0, 1, 8 * (ptl_size_t)rank, NULL, (ptl_hdr_data_t)rank));
    event = next_event(own);
    if (event.type == PTL_EVENT_SEND && event.ni_fail_type == PTL_NI_OK)
        event = next_event(own);
    return event.ni_fail_type;
}

static ptl_ni_fail_t get_from(ptl_process_t process)
{
    NEED(PtlGet(md, 0, 8, process, 0, 1, 0, NULL));
    return next_event(own).ni_fail_type;
}

int main(void)
{
    ptl_process_t absent, nowhere;
    ptl_event_t event;
    ptl_handle_ni_t other;
    int i, from = 0;

    suite_begin(1);
    eq = new_queue(32);
    own = new_queue(32);
    new_index(eq, 0);
    md = new_md(source, sizeof source, 0, own, PTL_CT_NONE);
    open_entry(0, memory, sizeof memory, PTL_ME_OP_PUT | PTL_ME_OP_GET, 1, PTL_CT_NONE);
    source[0] = 100 + (uint64_t)rank;
    RULE("PtlGetPhysId: processes of a node have different process identifiers",
         ids[0].phys.pid != ids[2].phys.pid && ids[1].phys.pid != ids[3].phys.pid);
    RETURNS("PtlNIInit: the same interface again gives the same handle", PTL_OK,
            PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &other));
    RULE("PtlNIInit: counted", other == ni && PtlNIFini(other) == PTL_OK);
    barrier();
    for (i = 0; i < size; i++)
        RULE("PtlPut: to each process, on the same node or not, oneself too", put_to(ids[i]) == PTL_NI_OK);
    for (i = 0; i < size; i++) {
        event = next_event(eq);
        from += event.type == PTL_EVENT_PUT && event.initiator.phys.nid == ids[event.hdr_data].phys.nid &&
                event.initiator.phys.pid == ids[event.hdr_data].phys.pid;
    }
    RULE("PTL_EVENT_PUT: one from each process", from == 4 && stays_empty(eq));
    RULE("PtlPut: each process has memory of its own",
         memory[0] == 100 && memory[1] == 101 && memory[2] == 102 && memory[3] == 103);
    barrier();
    absent = ids[3];
    if (rank == 3) {
        NEED(PtlMDRelease(md));
        NEED(PtlNIFini(ni));
        PtlFini();
        barrier();
        return suite_end();
    }
    barrier();
    RULE("PtlPut: to a process that has closed its interface is told of, once",
         put_to(absent) != PTL_NI_OK && stays_empty(own));
    RULE("PtlGet: from a process that has closed its interface is told of", get_from(absent) != PTL_NI_OK);
    absent.phys.pid = 4321;
    RULE("PTL_NI_TARGET_INVALID: PtlPut: there is no such process on the node",
         put_to(absent) == PTL_NI_TARGET_INVALID && stays_empty(own));
    RULE("PTL_NI_TARGET_INVALID: PtlGet: there is no such process on the node",
         get_from(absent) == PTL_NI_TARGET_INVALID);
    nowhere.phys.nid = 4000;
    nowhere.phys.pid = 1;
    RULE("PTL_NI_TARGET_INVALID: PtlPut: there is no such node", put_to(nowhere) == PTL_NI_TARGET_INVALID);
    RULE("PTL_NI_TARGET_INVALID: PtlGet: there is no such node", get_from(nowhere) == PTL_NI_TARGET_INVALID);
    RULE("PtlPut: the others are still there", put_to(ids[(rank + 1) % 3]) == PTL_NI_OK);
    s4bxi_compute_s(0.001);
    return suite_end();
}
