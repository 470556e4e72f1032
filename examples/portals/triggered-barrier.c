/* A barrier that the NICs carry out: in round r each rank tells the one 2^r further on, as soon as it has been told in all
 * rounds before. The processors only start it and wait for its end. Any number of ranks. */
#include "common.h"

#define MAX_ROUNDS 16

int main(void)
{
    struct job job = job_start(1);
    ptl_handle_ct_t told[MAX_ROUNDS + 1]; /* told[r]: rounds before r are over, here and where they are told from */
    ptl_handle_me_t entries[MAX_ROUNDS];
    ptl_handle_md_t md_handle;
    ptl_pt_index_t index;
    ptl_md_t md = {0};
    ptl_me_t me = {0};
    ptl_ct_event_t one = {1, 0}, count;
    int rounds = 0, round;
    double start;

    while ((1 << rounds) < job.size)
        rounds++;
    REQUIRE(rounds <= MAX_ROUNDS);
    CHECK(PtlPTAlloc(job.ni, 0, PTL_EQ_NONE, 0, &index));
    for (round = 0; round <= rounds; round++)
        CHECK(PtlCTAlloc(job.ni, &told[round]));

    /* An empty message of round r counts at told[r + 1]. */
    me.uid = PTL_UID_ANY;
    me.options = PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_LINK_DISABLE;
    me.match_id.phys.nid = PTL_NID_ANY;
    me.match_id.phys.pid = PTL_PID_ANY;
    for (round = 0; round < rounds; round++) {
        me.ct_handle = told[round + 1];
        me.match_bits = (ptl_match_bits_t)round;
        CHECK(PtlMEAppend(job.ni, index, &me, PTL_PRIORITY_LIST, NULL, &entries[round]));
    }
    md.eq_handle = PTL_EQ_NONE;
    md.ct_handle = PTL_CT_NONE;
    CHECK(PtlMDBind(job.ni, &md, &md_handle));
    s4bxi_barrier();

    /* told[0] reaches 1 when this rank arrives. Later ones need the message, and the end of the round before: 2. */
    for (round = 0; round < rounds; round++) {
        ptl_size_t threshold = round == 0 ? 1 : 2;
        ptl_process_t next = job.ids[(job.rank + (1 << round)) % job.size];

        CHECK(PtlTriggeredPut(md_handle, 0, 0, PTL_NO_ACK_REQ, next, index, (ptl_match_bits_t)round, 0, NULL, 0,
                              told[round], threshold));
        CHECK(PtlTriggeredCTInc(told[round + 1], one, told[round], threshold));
    }

    /* The last rank comes 10 us later than the others, who must wait for it. */
    s4bxi_barrier();
    start = s4bxi_simtime();
    if (job.rank == job.size - 1)
        s4bxi_compute_s(10e-6);
    CHECK(PtlCTInc(told[0], one));
    CHECK(PtlCTWait(told[rounds], rounds == 0 ? 1 : 2, &count));
    REQUIRE(count.failure == 0);
    REQUIRE(s4bxi_simtime() - start >= 9.999e-6);

    s4bxi_barrier();
    if (job.rank == 0)
        printf("%d ranks left together after %d rounds\n", job.size, rounds);
    for (round = 0; round < rounds; round++)
        CHECK(PtlMEUnlink(entries[round]));
    CHECK(PtlMDRelease(md_handle));
    for (round = 0; round <= rounds; round++)
        CHECK(PtlCTFree(told[round]));
    CHECK(PtlPTFree(job.ni, index));
    job_end(&job);
    return 0;
}
