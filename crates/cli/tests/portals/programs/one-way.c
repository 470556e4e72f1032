/* One way in nanoseconds, as S4BXI's measurements have it: half a ping-pong of 100 puts with ACK into a non-matching entry,
 * the SEND event disabled, waited for with PtlEQWait. A line a size. Two ranks. */
#include "common.h"

#define ROUNDS 100
#define LARGEST (1 << 20)

int main(void)
{
    static const int sizes[] = {8, 1024, 65536, LARGEST};
    struct job job = job_start(0);
    char *sent = (char *)calloc(2, LARGEST);
    ptl_handle_eq_t arrivals, answers;
    ptl_handle_md_t md_handle;
    ptl_handle_le_t le_handle;
    ptl_pt_index_t index;
    ptl_md_t md;
    ptl_le_t le;
    size_t which;

    REQUIRE(job.size == 2 && sent != NULL);
    CHECK(PtlEQAlloc(job.ni, 1024, &arrivals));
    CHECK(PtlEQAlloc(job.ni, 1024, &answers));
    CHECK(PtlPTAlloc(job.ni, 0, arrivals, 0, &index));
    le.start = sent + LARGEST;
    le.length = LARGEST;
    le.ct_handle = PTL_CT_NONE;
    le.uid = PTL_UID_ANY;
    le.options = PTL_LE_OP_PUT | PTL_LE_EVENT_LINK_DISABLE;
    CHECK(PtlLEAppend(job.ni, index, &le, PTL_PRIORITY_LIST, NULL, &le_handle));
    md.start = sent;
    md.length = LARGEST;
    md.options = PTL_MD_EVENT_SEND_DISABLE;
    md.eq_handle = answers;
    md.ct_handle = PTL_CT_NONE;
    CHECK(PtlMDBind(job.ni, &md, &md_handle));

    for (which = 0; which < sizeof sizes / sizeof *sizes; which++) {
        double start;
        int round;

        s4bxi_compute_s(1e-3); /* what is still under way arrives */
        s4bxi_barrier();
        start = s4bxi_simtime();
        for (round = 0; round < 2 * ROUNDS; round++) {
            if (round % 2 == job.rank)
                CHECK(PtlPut(md_handle, 0, (ptl_size_t)sizes[which], PTL_ACK_REQ, job.ids[1 - job.rank], index, 0, 0,
                             NULL, 0));
            else
                REQUIRE(expect(arrivals, PTL_EVENT_PUT).mlength == (ptl_size_t)sizes[which]);
        }
        if (job.rank == 0)
            printf("%.3f\n", (s4bxi_simtime() - start) * 1e9 / (2 * ROUNDS));
    }
    return 0;
}
