/* Even ranks send so many 8-byte puts with acknowledgement to the next rank, and wait for each; odd ranks take the event of
 * each. The argument is the number. */
#include <portals4.h>
#include <s4bxi/s4bxi_c_util.h>
#include <stdlib.h>

#define CHECK(call)           \
    do {                      \
        if ((call) != PTL_OK) \
            exit(1);          \
    } while (0)

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 0;
    int rank = s4bxi_get_my_rank();
    char buffer[16] = {0};
    ptl_handle_ni_t ni;
    ptl_handle_eq_t eq;
    ptl_handle_md_t md_handle;
    ptl_handle_le_t le_handle;
    ptl_pt_index_t index;
    ptl_md_t md;
    ptl_le_t le;
    ptl_event_t event;
    ptl_process_t target;

    CHECK(PtlInit());
    CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &ni));
    CHECK(PtlEQAlloc(ni, 64, &eq));
    CHECK(PtlPTAlloc(ni, 0, eq, 0, &index));
    md.start = buffer;
    md.length = 8;
    md.options = PTL_MD_EVENT_SEND_DISABLE;
    md.eq_handle = eq;
    md.ct_handle = PTL_CT_NONE;
    CHECK(PtlMDBind(ni, &md, &md_handle));
    le.start = buffer + 8;
    le.length = 8;
    le.ct_handle = PTL_CT_NONE;
    le.uid = PTL_UID_ANY;
    le.options = PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE;
    CHECK(PtlLEAppend(ni, index, &le, PTL_PRIORITY_LIST, NULL, &le_handle));
    /* Node identifiers follow the ranks, and the first process of each node has the same number. */
    CHECK(PtlGetPhysId(ni, &target));
    target.phys.nid += rank % 2 == 0 ? 1 : -1;
    s4bxi_barrier();
    for (int at = 0; at < count; at++) {
        if (rank % 2 == 0)
            CHECK(PtlPut(md_handle, 0, 8, PTL_ACK_REQ, target, index, 0, 0, NULL, 0));
        CHECK(PtlEQWait(eq, &event));
        if (event.type != (rank % 2 == 0 ? PTL_EVENT_ACK : PTL_EVENT_PUT))
            exit(2);
    }
    s4bxi_barrier();
    return 0;
}
