/* Heat spreads along a rod that is split among the ranks: in each step a rank exchanges the ends of its piece (its halo)
 * with its neighbours while it computes the inside. Two ranks or more; the heat must stay the same in all. */
#include <string.h>
#include "common.h"

#define CELLS 256
#define STEPS 20
#define FLOPS_A_CELL 4.0

int main(void)
{
    struct job job = job_start(1);
    int left = (job.rank + job.size - 1) % job.size, right = (job.rank + 1) % job.size;
    /* Two pieces that take turns. Cells 0 and CELLS + 1 are the halo. */
    static double piece[2][CELLS + 2];
    ptl_handle_ct_t arrived;
    ptl_handle_md_t md_handle;
    ptl_handle_me_t halo_handle[2], total_handle;
    ptl_pt_index_t index;
    ptl_md_t md = {0};
    ptl_me_t me = {0};
    ptl_ct_event_t count;
    double total = 0.0, own = 0.0;
    int step, cell, which;

    REQUIRE(job.size >= 2);
    memset(piece, 0, sizeof piece);
    if (job.rank == 0)
        piece[0][1] = 1000.0;

    CHECK(PtlPTAlloc(job.ni, 0, PTL_EQ_NONE, 0, &index));
    CHECK(PtlCTAlloc(job.ni, &arrived));

    /* Neighbours write into either piece, at an offset that they choose. */
    me.uid = PTL_UID_ANY;
    me.ct_handle = arrived;
    me.options = PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_LINK_DISABLE;
    me.match_id.phys.nid = PTL_NID_ANY;
    me.match_id.phys.pid = PTL_PID_ANY;
    for (which = 0; which < 2; which++) {
        me.start = piece[which];
        me.length = sizeof piece[which];
        me.match_bits = (ptl_match_bits_t)which;
        CHECK(PtlMEAppend(job.ni, index, &me, PTL_PRIORITY_LIST, NULL, &halo_handle[which]));
    }
    /* The sum of all heat, at rank 0. */
    me.start = &total;
    me.length = sizeof total;
    me.ct_handle = PTL_CT_NONE;
    me.match_bits = 2;
    CHECK(PtlMEAppend(job.ni, index, &me, PTL_PRIORITY_LIST, NULL, &total_handle));

    /* All memory there is, so that offsets are addresses. */
    md.start = NULL;
    md.length = PTL_SIZE_MAX;
    md.eq_handle = PTL_EQ_NONE;
    md.ct_handle = PTL_CT_NONE;
    CHECK(PtlMDBind(job.ni, &md, &md_handle));
    s4bxi_barrier();

    for (step = 0; step < STEPS; step++) {
        double *now = piece[step % 2], *next = piece[(step + 1) % 2];
        ptl_match_bits_t bits = (ptl_match_bits_t)(step % 2);

        CHECK(PtlPut(md_handle, (ptl_size_t)(uintptr_t)&now[1], sizeof *now, PTL_NO_ACK_REQ, job.ids[left], index,
                     bits, (CELLS + 1) * sizeof *now, NULL, 0));
        CHECK(PtlPut(md_handle, (ptl_size_t)(uintptr_t)&now[CELLS], sizeof *now, PTL_NO_ACK_REQ, job.ids[right],
                     index, bits, 0, NULL, 0));

        /* The inside needs no neighbour. */
        for (cell = 2; cell < CELLS; cell++)
            next[cell] = now[cell] + 0.25 * (now[cell - 1] - 2.0 * now[cell] + now[cell + 1]);
        s4bxi_compute((CELLS - 2) * FLOPS_A_CELL);

        CHECK(PtlCTWait(arrived, 2 * (ptl_size_t)(step + 1), &count));
        REQUIRE(count.failure == 0);
        next[1] = now[1] + 0.25 * (now[0] - 2.0 * now[1] + now[2]);
        next[CELLS] = now[CELLS] + 0.25 * (now[CELLS - 1] - 2.0 * now[CELLS] + now[CELLS + 1]);
        /* Neighbours may not write into a piece that is still read. */
        s4bxi_barrier();
    }

    for (cell = 1; cell <= CELLS; cell++)
        own += piece[STEPS % 2][cell];
    CHECK(PtlAtomic(md_handle, (ptl_size_t)(uintptr_t)&own, sizeof own, PTL_NO_ACK_REQ, job.ids[0], index, 2, 0, NULL,
                    0, PTL_SUM, PTL_DOUBLE));
    /* 1 ms is far more than the sums take to arrive. */
    s4bxi_compute_s(1e-3);
    s4bxi_barrier();
    if (job.rank == 0) {
        REQUIRE(total > 999.999999 && total < 1000.000001);
        printf("%d steps on %d ranks: the heat is still %.3f\n", STEPS, job.size, total);
    }

    CHECK(PtlMEUnlink(halo_handle[0]));
    CHECK(PtlMEUnlink(halo_handle[1]));
    CHECK(PtlMEUnlink(total_handle));
    CHECK(PtlMDRelease(md_handle));
    CHECK(PtlCTFree(arrived));
    CHECK(PtlPTFree(job.ni, index));
    job_end(&job);
    return 0;
}
