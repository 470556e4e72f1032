/* Half the time that a message and its answer take, for several sizes. Two ranks. */
#include "common.h"

#define ROUNDS 100
#define LARGEST (1 << 20)

int main(void)
{
    static const int sizes[] = {8, 1024, 65536, LARGEST};
    struct job job = job_start(0);
    char *sent = (char *)malloc(LARGEST), *received = (char *)malloc(LARGEST);
    ptl_handle_eq_t arrivals, answers;
    ptl_handle_md_t md_handle;
    ptl_handle_le_t le_handle;
    ptl_pt_index_t index;
    ptl_md_t md;
    ptl_le_t le;
    size_t which;

    REQUIRE(job.size == 2 && sent != NULL && received != NULL);
    CHECK(PtlEQAlloc(job.ni, 16, &arrivals));
    CHECK(PtlEQAlloc(job.ni, 2 * ROUNDS, &answers));
    CHECK(PtlPTAlloc(job.ni, 0, arrivals, 0, &index));

    le.start = received;
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
        ptl_size_t size = (ptl_size_t)sizes[which];
        double start;
        int round;

        s4bxi_barrier();
        start = s4bxi_simtime();
        for (round = 0; round < 2 * ROUNDS; round++) {
            if (round % 2 == job.rank) {
                sent[0] = (char)round;
                sent[size - 1] = (char)round;
                CHECK(PtlPut(md_handle, 0, size, PTL_ACK_REQ, job.ids[1 - job.rank], index, 0, 0, NULL, 0));
            } else {
                REQUIRE(expect(arrivals, PTL_EVENT_PUT).mlength == size);
                REQUIRE(received[0] == (char)round && received[size - 1] == (char)round);
            }
        }
        if (job.rank == 0)
            printf("%7d B: %.4f us\n", sizes[which], (s4bxi_simtime() - start) * 1e6 / (2 * ROUNDS));
        for (round = 0; round < ROUNDS; round++)
            expect(answers, PTL_EVENT_ACK);
    }

    CHECK(PtlMDRelease(md_handle));
    CHECK(PtlLEUnlink(le_handle));
    CHECK(PtlPTFree(job.ni, index));
    free(sent);
    free(received);
    job_end(&job);
    return 0;
}
