/* POSIX threads that use Portals together, and PtlAbort. One rank. */
#include "suite2.h"

#include <pthread.h>
#include <unistd.h>

#define THREADS 4
#define EACH 25

static ptl_handle_eq_t eq;
static ptl_handle_ct_t ct, thread_cts[THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t memory[THREADS], source[THREADS];
static int taken[THREADS], seen[THREADS * EACH];
static int code_of[4];

static void *takes(void *which)
{
    int me = (int)(size_t)which, i;
    ptl_event_t event;

    for (i = 0; i < EACH; i++) {
        NEED(PtlEQWait(eq, &event));
        pthread_mutex_lock(&lock);
        seen[event.hdr_data]++;
        taken[me]++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *adds(void *which)
{
    int me = (int)(size_t)which, i;
    ptl_ct_event_t value;
    ptl_handle_md_t md;

    source[me] = (uint64_t)me + 1;
    md = new_md(&source[me], 8, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, thread_cts[me]);
    for (i = 1; i <= EACH; i++) {
        NEED(PtlAtomic(md, 0, 8, PTL_CT_ACK_REQ, ids[0], 1, 1, 0, NULL, 0, PTL_SUM, PTL_UINT64_T));
        NEED(PtlCTWait(thread_cts[me], i, &value));
    }
    NEED(PtlMDRelease(md));
    return NULL;
}

static void *in_queue_wait(void *unused)
{
    ptl_event_t event;

    (void)unused;
    code_of[0] = PtlEQWait(eq, &event);
    return NULL;
}

static void *in_queue_poll(void *unused)
{
    ptl_event_t event;
    unsigned which;

    (void)unused;
    code_of[1] = PtlEQPoll(&eq, 1, PTL_TIME_FOREVER, &event, &which);
    return NULL;
}

static void *in_counter_wait(void *unused)
{
    ptl_ct_event_t value;

    (void)unused;
    code_of[2] = PtlCTWait(ct, 1000, &value);
    return NULL;
}

static void *in_counter_poll(void *unused)
{
    ptl_ct_event_t value;
    ptl_size_t test = 1000;
    unsigned which;

    (void)unused;
    code_of[3] = PtlCTPoll(&ct, &test, 1, 5000, &value, &which);
    return NULL;
}

int main(void)
{
    static void *(*const waits[4])(void *) = {in_queue_wait, in_queue_poll, in_counter_wait, in_counter_poll};
    pthread_t threads[THREADS];
    ptl_handle_md_t md;
    ptl_ct_event_t value;
    int i, once = 1, all = 1;
    double before;

    PtlAbort(); /* before PtlInit: nothing to end */
    suite_begin(1);
    eq = new_queue(200);
    ct = new_counter();
    new_index(eq, 0);
    new_index(PTL_EQ_NONE, 0);
    open_entry(0, memory, 8, PTL_ME_OP_PUT, 1, PTL_CT_NONE);
    open_entry(1, memory, 8, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, 1, ct);

    /* Threads that wait in one queue. */
    md = new_md(source, 8, 0, PTL_EQ_NONE, PTL_CT_NONE);
    for (i = 0; i < THREADS; i++)
        NEED(pthread_create(&threads[i], NULL, takes, (void *)(size_t)i));
    for (i = 0; i < THREADS * EACH; i++)
        NEED(PtlPut(md, 0, 8, PTL_NO_ACK_REQ, ids[0], 0, 1, 0, NULL, (ptl_hdr_data_t)i));
    for (i = 0; i < THREADS; i++)
        NEED(pthread_join(threads[i], NULL));
    for (i = 0; i < THREADS * EACH; i++)
        once &= seen[i] == 1;
    for (i = 0; i < THREADS; i++)
        all &= taken[i] == EACH;
    RULE("PtlEQWait: each event wakes exactly one of the threads that wait", once && all);
    RULE("PtlEQWait: nothing is left", stays_empty(eq));

    /* Threads that send, each with its descriptor and its counting event. */
    memset(memory, 0, sizeof memory);
    for (i = 0; i < THREADS; i++) {
        thread_cts[i] = new_counter();
        NEED(pthread_create(&threads[i], NULL, adds, (void *)(size_t)i));
    }
    NEED(PtlCTWait(ct, THREADS * EACH, &value));
    for (i = 0; i < THREADS; i++)
        NEED(pthread_join(threads[i], NULL));
    NEED(PtlAtomicSync());
    RULE("PtlAtomic: of several threads: (1 + 2 + 3 + 4) x 25", memory[0] == 250);
    RULE("PTL_ME_EVENT_CT_COMM: counts all", counts(ct, THREADS * EACH, 0));

    /* PtlAbort. */
    for (i = 0; i < 4; i++) {
        code_of[i] = -1;
        NEED(pthread_create(&threads[i], NULL, waits[i], NULL));
    }
    sleep(1);
    RULE("PtlAbort: until then all wait", code_of[0] + code_of[1] + code_of[2] + code_of[3] == -4);
    before = s4bxi_simtime();
    PtlAbort();
    for (i = 0; i < 4; i++)
        NEED(pthread_join(threads[i], NULL));
    RULE("PtlAbort: PtlEQWait returns PTL_ABORTED", code_of[0] == PTL_ABORTED);
    RULE("PtlAbort: PtlEQPoll returns PTL_ABORTED", code_of[1] == PTL_ABORTED);
    RULE("PtlAbort: PtlCTWait returns PTL_ABORTED", code_of[2] == PTL_ABORTED);
    RULE("PtlAbort: PtlCTPoll returns PTL_ABORTED", code_of[3] == PTL_ABORTED);
    RULE("PtlAbort: at once", s4bxi_simtime() - before < 0.001);
    RULE("PtlAbort: counting events are left as they are", counts(ct, THREADS * EACH, 0));
    RETURNS("PtlAbort: what is freed later", PTL_OK, PtlCTFree(thread_cts[0]));
    RETURNS("PtlAbort: and allocated", PTL_OK, PtlCTAlloc(ni, &thread_cts[0]));
    return suite_end();
}
