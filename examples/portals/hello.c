/* Each process says who it is, one after the other. Any number of ranks. */
#include "common.h"

int main(void)
{
    struct job job = job_start(1);
    ptl_ni_limits_t limits;
    ptl_handle_ni_t again;
    int turn;

    /* An interface that is there already is given again, with its limits. */
    CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, &limits, &again));
    REQUIRE(PtlHandleIsEqual(again, job.ni) == PTL_OK);
    CHECK(PtlNIFini(again));
    REQUIRE(limits.max_pt_index >= 63);

    for (turn = 0; turn < job.size; turn++) {
        if (turn == job.rank)
            printf("hello from rank %d of %d on node %u\n", job.rank, job.size,
                   (unsigned)job.ids[job.rank].phys.nid);
        s4bxi_barrier();
    }
    job_end(&job);
    return 0;
}
