/* A number goes once around, and each rank adds its own. Two ranks or more. */
#include "common.h"

int main(void)
{
    struct job job = job_start(1);
    int next = (job.rank + 1) % job.size;
    uint64_t number = 0, arrived = 0;
    ptl_handle_eq_t eq;
    ptl_handle_md_t md_handle;
    ptl_handle_me_t me_handle;
    ptl_pt_index_t index;
    ptl_md_t md = {0};
    ptl_me_t me = {0};

    REQUIRE(job.size >= 2);
    CHECK(PtlEQAlloc(job.ni, 16, &eq));
    CHECK(PtlPTAlloc(job.ni, 0, eq, 0, &index));

    me.start = &arrived;
    me.length = sizeof arrived;
    me.ct_handle = PTL_CT_NONE;
    me.uid = PTL_UID_ANY;
    me.options = PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE;
    me.match_id.phys.nid = PTL_NID_ANY;
    me.match_id.phys.pid = PTL_PID_ANY;
    me.match_bits = 42;
    CHECK(PtlMEAppend(job.ni, index, &me, PTL_PRIORITY_LIST, NULL, &me_handle));

    md.start = &number;
    md.length = sizeof number;
    md.eq_handle = PTL_EQ_NONE;
    md.ct_handle = PTL_CT_NONE;
    CHECK(PtlMDBind(job.ni, &md, &md_handle));
    s4bxi_barrier();

    if (job.rank > 0) {
        expect(eq, PTL_EVENT_PUT);
        number = arrived;
    }
    number += (uint64_t)job.rank;
    CHECK(PtlPut(md_handle, 0, sizeof number, PTL_NO_ACK_REQ, job.ids[next], index, 42, 0, NULL, 0));
    if (job.rank == 0) {
        uint64_t size = (uint64_t)job.size;

        expect(eq, PTL_EVENT_PUT);
        REQUIRE(arrived == size * (size - 1) / 2);
        printf("%d ranks: the sum is %llu\n", job.size, (unsigned long long)arrived);
    }

    s4bxi_barrier();
    CHECK(PtlMDRelease(md_handle));
    CHECK(PtlPTFree(job.ni, index));
    job_end(&job);
    return 0;
}
