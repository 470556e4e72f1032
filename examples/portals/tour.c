/* A tour: put, get, atomic operations, swaps, counting events, and a message that nobody expects yet. Two ranks: rank 0
 * does things to the memory of rank 1, which looks at what came of them. */
#include <string.h>
#include "common.h"

enum { WINDOW = 1, LATE = 2 }; /* match bits */

/* What rank 1 lets rank 0 work on. */
struct window {
    char text[32];
    int64_t sum[4];
    uint64_t lock;
};

/* An entry that matches `bits` from anybody. */
static ptl_me_t entry(void *start, ptl_size_t length, unsigned options, ptl_match_bits_t bits)
{
    ptl_me_t me;

    memset(&me, 0, sizeof me);
    me.start = start;
    me.length = length;
    me.ct_handle = PTL_CT_NONE;
    me.uid = PTL_UID_ANY;
    me.options = options | PTL_ME_EVENT_LINK_DISABLE;
    me.match_id.phys.nid = PTL_NID_ANY;
    me.match_id.phys.pid = PTL_PID_ANY;
    me.match_bits = bits;
    return me;
}

static void initiator(struct job *job)
{
    /* All that is sent, and all that comes back. */
    struct {
        char text[32];
        int64_t terms[4];
        uint64_t mine;
        char back[32];
        int64_t before[4];
        uint64_t old;
    } own;
    const ptl_size_t terms = (ptl_size_t)((char *)own.terms - own.text);
    const ptl_size_t mine = (ptl_size_t)((char *)&own.mine - own.text);
    const ptl_size_t back = (ptl_size_t)(own.back - own.text);
    const ptl_size_t before = (ptl_size_t)((char *)own.before - own.text);
    const ptl_size_t old = (ptl_size_t)((char *)&own.old - own.text);
    ptl_process_t target = job->ids[1];
    ptl_handle_eq_t eq;
    ptl_handle_ct_t ct;
    ptl_handle_md_t md_handle;
    ptl_ct_event_t count;
    ptl_event_t event;
    ptl_md_t md;
    uint64_t free_lock = 0;
    int term;

    memset(&own, 0, sizeof own);
    strcpy(own.text, "put by rank 0");
    for (term = 0; term < 4; term++)
        own.terms[term] = 10 * (term + 1);
    own.mine = 7;

    CHECK(PtlEQAlloc(job->ni, 64, &eq));
    CHECK(PtlCTAlloc(job->ni, &ct));
    md.start = &own;
    md.length = sizeof own;
    md.options = PTL_MD_EVENT_SEND_DISABLE | PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY;
    md.eq_handle = eq;
    md.ct_handle = ct;
    CHECK(PtlMDBind(job->ni, &md, &md_handle));

    /* A put, and the acknowledgement that tells how much of it found room. */
    CHECK(PtlPut(md_handle, 0, sizeof own.text, PTL_ACK_REQ, target, 0, WINDOW, 0, NULL, 99));
    event = expect(eq, PTL_EVENT_ACK);
    REQUIRE(event.mlength == sizeof own.text);

    /* A get brings the same bytes back. */
    CHECK(PtlGet(md_handle, back, sizeof own.back, target, 0, WINDOW, 0, NULL));
    expect(eq, PTL_EVENT_REPLY);
    REQUIRE(strcmp(own.back, own.text) == 0);

    /* Four sums at once; then once more, with what was there before. */
    CHECK(PtlAtomic(md_handle, terms, sizeof own.terms, PTL_ACK_REQ, target, 0, WINDOW,
                    offsetof(struct window, sum), NULL, 0, PTL_SUM, PTL_INT64_T));
    expect(eq, PTL_EVENT_ACK);
    CHECK(PtlFetchAtomic(md_handle, before, md_handle, terms, sizeof own.terms, target, 0, WINDOW,
                         offsetof(struct window, sum), NULL, 0, PTL_SUM, PTL_INT64_T));
    expect(eq, PTL_EVENT_REPLY);
    for (term = 0; term < 4; term++)
        REQUIRE(own.before[term] == own.terms[term]);

    /* Takes a lock that is free, and finds it taken the second time. */
    CHECK(PtlSwap(md_handle, old, md_handle, mine, sizeof own.mine, target, 0, WINDOW,
                  offsetof(struct window, lock), NULL, 0, &free_lock, PTL_CSWAP, PTL_UINT64_T));
    expect(eq, PTL_EVENT_REPLY);
    REQUIRE(own.old == 0);
    CHECK(PtlSwap(md_handle, old, md_handle, mine, sizeof own.mine, target, 0, WINDOW,
                  offsetof(struct window, lock), NULL, 0, &free_lock, PTL_CSWAP, PTL_UINT64_T));
    expect(eq, PTL_EVENT_REPLY);
    REQUIRE(own.old == 7);

    /* Two acknowledgements and four replies were counted as well. */
    CHECK(PtlCTWait(ct, 6, &count));
    REQUIRE(count.success == 6 && count.failure == 0);

    /* A message for which rank 1 has no entry yet: it is kept in the overflow list. */
    s4bxi_barrier();
    strcpy(own.text, "came early");
    CHECK(PtlPut(md_handle, 0, sizeof own.text, PTL_ACK_REQ, target, 0, LATE, 0, NULL, 0));
    expect(eq, PTL_EVENT_ACK);
    s4bxi_barrier();

    CHECK(PtlMDRelease(md_handle));
    CHECK(PtlCTFree(ct));
    CHECK(PtlEQFree(eq));
    printf("rank 0: put, get, atomics and swaps are done\n");
}

static void target(struct job *job, ptl_handle_eq_t eq, struct window *window, char *early)
{
    char wanted[32];
    ptl_handle_me_t handle;
    ptl_event_t event;
    ptl_me_t me;
    int term;

    event = expect(eq, PTL_EVENT_PUT);
    REQUIRE(event.hdr_data == 99 && event.start == window->text);
    expect(eq, PTL_EVENT_GET);
    REQUIRE(expect(eq, PTL_EVENT_ATOMIC).atomic_operation == PTL_SUM);
    expect(eq, PTL_EVENT_FETCH_ATOMIC);
    expect(eq, PTL_EVENT_FETCH_ATOMIC);
    expect(eq, PTL_EVENT_FETCH_ATOMIC);
    for (term = 0; term < 4; term++)
        REQUIRE(window->sum[term] == 20 * (term + 1));
    REQUIRE(window->lock == 7);
    s4bxi_barrier();
    s4bxi_barrier();

    /* The entry meets the message that is there: it tells where the bytes lie, and is not linked. */
    REQUIRE(expect(eq, PTL_EVENT_PUT).match_bits == LATE);
    me = entry(wanted, sizeof wanted, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE, LATE);
    CHECK(PtlMEAppend(job->ni, 0, &me, PTL_PRIORITY_LIST, wanted, &handle));
    event = expect(eq, PTL_EVENT_PUT_OVERFLOW);
    REQUIRE(event.user_ptr == wanted && event.start == early);
    memcpy(wanted, event.start, event.mlength);
    REQUIRE(strcmp(wanted, "came early") == 0);
    printf("rank 1: \"%s\", sums up to %lld, and a message that %s\n", window->text, (long long)window->sum[3],
           wanted);
}

int main(void)
{
    struct job job = job_start(1);
    struct window window;
    char early[32];
    ptl_handle_eq_t eq;
    ptl_handle_me_t open, overflow;
    ptl_pt_index_t index;
    ptl_me_t me;

    REQUIRE(job.size == 2);
    memset(&window, 0, sizeof window);
    CHECK(PtlEQAlloc(job.ni, 64, &eq));
    CHECK(PtlPTAlloc(job.ni, 0, eq, 0, &index));
    REQUIRE(index == 0);
    me = entry(&window, sizeof window, PTL_ME_OP_PUT | PTL_ME_OP_GET, WINDOW);
    CHECK(PtlMEAppend(job.ni, index, &me, PTL_PRIORITY_LIST, NULL, &open));
    me = entry(early, sizeof early, PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL, LATE);
    CHECK(PtlMEAppend(job.ni, index, &me, PTL_OVERFLOW_LIST, NULL, &overflow));
    s4bxi_barrier();

    if (job.rank == 0)
        initiator(&job);
    else
        target(&job, eq, &window, early);

    s4bxi_barrier();
    CHECK(PtlMEUnlink(open));
    CHECK(PtlMEUnlink(overflow));
    CHECK(PtlPTFree(job.ni, index));
    CHECK(PtlEQFree(eq));
    job_end(&job);
    return 0;
}
