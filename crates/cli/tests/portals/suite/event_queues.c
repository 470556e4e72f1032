/* Event queues: PtlEQAlloc, PtlEQFree, PtlEQGet, PtlEQWait, PtlEQPoll. One rank, which sends to itself. */
#include "suite2.h"

#include <pthread.h>

static ptl_handle_eq_t waited;
static int wait_code;

static void *waits(void *unused)
{
    ptl_event_t event;

    (void)unused;
    wait_code = PtlEQWait(waited, &event);
    return NULL;
}

static void *polls(void *unused)
{
    ptl_event_t event;
    unsigned which;

    (void)unused;
    wait_code = PtlEQPoll(&waited, 1, PTL_TIME_FOREVER, &event, &which);
    return NULL;
}

static void *sends_later(void *md)
{
    s4bxi_compute_s(0.002);
    NEED(PtlPut(*(ptl_handle_md_t *)md, 0, 1, PTL_NO_ACK_REQ, ids[0], 0, 1, 0, NULL, 0));
    return NULL;
}

int main(void)
{
    ptl_handle_eq_t eq, other, both_queues[2];
    ptl_handle_md_t md, silent;
    ptl_handle_me_t me;
    ptl_pt_index_t index;
    ptl_event_t event;
    pthread_t thread;
    unsigned which = 77;
    char bytes[16] = {0}, target[16];
    double before, spent;
    int i, code;

    /* Before PtlInit. */
    RETURNS("PtlEQAlloc: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlEQAlloc(0, 4, &eq));
    RETURNS("PtlEQFree: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlEQFree(PTL_EQ_NONE));
    RETURNS("PtlEQGet: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlEQGet(PTL_EQ_NONE, &event));
    RETURNS("PtlEQWait: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlEQWait(PTL_EQ_NONE, &event));
    eq = PTL_EQ_NONE;
    RETURNS("PtlEQPoll: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlEQPoll(&eq, 1, 0, &event, &which));

    suite_begin(1);

    /* Arguments. */
    RETURNS("PtlEQAlloc: ni_handle is not valid", PTL_ARG_INVALID, PtlEQAlloc(PTL_INVALID_HANDLE, 4, &eq));
    RETURNS("PtlEQAlloc: nowhere to write the handle", PTL_ARG_INVALID, PtlEQAlloc(ni, 4, NULL));
    RETURNS("PtlEQAlloc: indicates success", PTL_OK, PtlEQAlloc(ni, 8, &eq));
    RETURNS("PtlEQAlloc: a count is a hint, also 0", PTL_OK, PtlEQAlloc(ni, 0, &other));
    RETURNS("PtlEQAlloc: ni_handle is an event queue", PTL_ARG_INVALID, PtlEQAlloc(eq, 4, &waited));
    RETURNS("PtlEQFree: releases the queue", PTL_OK, PtlEQFree(other));
    RETURNS("PtlEQFree: the queue is gone", PTL_ARG_INVALID, PtlEQFree(other));
    RETURNS("PtlEQFree: PTL_EQ_NONE is no queue", PTL_ARG_INVALID, PtlEQFree(PTL_EQ_NONE));
    RETURNS("PtlEQGet: the queue is gone", PTL_ARG_INVALID, PtlEQGet(other, &event));
    RETURNS("PtlEQGet: event is NULL", PTL_ARG_INVALID, PtlEQGet(eq, NULL));
    RETURNS("PtlEQGet: PTL_EQ_NONE is no queue", PTL_ARG_INVALID, PtlEQGet(PTL_EQ_NONE, &event));
    RETURNS("PtlEQGet: PTL_INVALID_HANDLE is no queue", PTL_ARG_INVALID, PtlEQGet(PTL_INVALID_HANDLE, &event));
    RETURNS("PtlEQWait: event is NULL", PTL_ARG_INVALID, PtlEQWait(eq, NULL));
    RETURNS("PtlEQWait: PTL_EQ_NONE is no queue", PTL_ARG_INVALID, PtlEQWait(PTL_EQ_NONE, &event));
    RETURNS("PtlEQWait: an interface is no queue", PTL_ARG_INVALID, PtlEQWait(ni, &event));
    RETURNS("PtlEQPoll: no array", PTL_ARG_INVALID, PtlEQPoll(NULL, 1, 0, &event, &which));
    RETURNS("PtlEQPoll: event is NULL", PTL_ARG_INVALID, PtlEQPoll(&eq, 1, 0, NULL, &which));
    RETURNS("PtlEQPoll: which is NULL", PTL_ARG_INVALID, PtlEQPoll(&eq, 1, 0, &event, NULL));
    both_queues[0] = eq;
    both_queues[1] = PTL_INVALID_HANDLE;
    RETURNS("PtlEQPoll: one handle is not valid", PTL_ARG_INVALID,
            PtlEQPoll(both_queues, 2, 0, &event, &which));

    /* Empty. */
    RETURNS("PtlEQGet: the queue is empty", PTL_EQ_EMPTY, PtlEQGet(eq, &event));
    RETURNS("PtlEQPoll: without time it looks once", PTL_EQ_EMPTY, PtlEQPoll(&eq, 1, 0, &event, &which));
    before = s4bxi_simtime();
    RETURNS("PtlEQPoll: the timeout has been reached", PTL_EQ_EMPTY, PtlEQPoll(&eq, 1, 5, &event, &which));
    spent = s4bxi_simtime() - before;
    RULE("PtlEQPoll: the timeout is in milliseconds", spent > 0.00499999 && spent < 0.00501);

    /* Events. */
    index = new_index(eq, 0);
    RULE("PtlPTAlloc: the first free index is 0", index == 0);
    other = new_queue(8);
    md = new_md(bytes, sizeof bytes, 0, other, PTL_CT_NONE);
    silent = new_md(bytes, sizeof bytes, 0, PTL_EQ_NONE, PTL_CT_NONE);
    me = open_entry(index, target, sizeof target, PTL_ME_OP_PUT, 1, PTL_CT_NONE);
    NEED(PtlPut(md, 0, 1, PTL_ACK_REQ, ids[0], index, 1, 0, (void *)11, 0));
    RETURNS("PtlEQWait: blocks until there is an event", PTL_OK, PtlEQWait(eq, &event));
    RULE("PtlEQWait: returns the next event", event.type == PTL_EVENT_PUT);
    RETURNS("PtlEQWait: and removes it from the queue", PTL_EQ_EMPTY, PtlEQGet(eq, &event));
    s4bxi_compute_s(0.001);
    RETURNS("PtlEQGet: gets the next event", PTL_OK, PtlEQGet(other, &event));
    RULE("PtlEQGet: in the order of their coming", event.type == PTL_EVENT_SEND);
    both_queues[0] = eq;
    both_queues[1] = other;
    RETURNS("PtlEQPoll: without time, an event that is there", PTL_OK,
            PtlEQPoll(both_queues, 2, 0, &event, &which));
    RULE("PtlEQPoll: which contains the index of the queue", which == 1 && event.type == PTL_EVENT_ACK);
    RETURNS("PtlEQPoll: consumes the event", PTL_EQ_EMPTY, PtlEQPoll(both_queues, 2, 0, &event, &which));
    NEED(pthread_create(&thread, NULL, sends_later, &silent));
    before = s4bxi_simtime();
    RETURNS("PtlEQPoll: PTL_TIME_FOREVER waits for an event", PTL_OK,
            PtlEQPoll(both_queues, 2, PTL_TIME_FOREVER, &event, &which));
    spent = s4bxi_simtime() - before;
    RULE("PtlEQPoll: the index of the first queue is 0", which == 0 && event.type == PTL_EVENT_PUT);
    RULE("PtlEQPoll: returns when the event arrives", spent > 0.002 && spent < 0.0021);
    NEED(pthread_join(thread, NULL));
    NEED(pthread_create(&thread, NULL, sends_later, &silent));
    RETURNS("PtlEQPoll: an event before the timeout", PTL_OK, PtlEQPoll(&eq, 1, 10, &event, &which));
    NEED(pthread_join(thread, NULL));
    NEED(pthread_create(&thread, NULL, sends_later, &silent));
    RETURNS("PtlEQPoll: the timeout before the event", PTL_EQ_EMPTY, PtlEQPoll(&eq, 1, 1, &event, &which));
    NEED(pthread_join(thread, NULL));
    RETURNS("PtlEQWait: the event that came too late is there", PTL_OK, PtlEQWait(eq, &event));

    /* A queue that is too small: 4 events, 7 puts. */
    NEED(PtlMEUnlink(me));
    NEED(PtlPTFree(ni, index));
    waited = new_queue(4);
    index = new_index(waited, 0);
    me = open_entry(index, target, sizeof target, PTL_ME_OP_PUT, 1, PTL_CT_NONE);
    for (i = 0; i < 7; i++)
        NEED(PtlPut(silent, 0, 1, PTL_NO_ACK_REQ, ids[0], index, 1, 0, NULL, (ptl_hdr_data_t)i));
    s4bxi_compute_s(0.001);
    RETURNS("PtlEQGet: PTL_EQ_DROPPED with an event after some were dropped", PTL_EQ_DROPPED,
            PtlEQGet(waited, &event));
    RULE("PtlEQGet: PTL_EQ_DROPPED is success, an event is returned", event.type == PTL_EVENT_PUT);
    RETURNS("PtlEQWait: no event was dropped since the last obtained", PTL_OK, PtlEQWait(waited, &event));
    for (i = 2; (code = PtlEQGet(waited, &event)) == PTL_OK; i++)
        ;
    RULE("PtlEQAlloc: there is room for at least count events", i >= 4 && i < 7 && code == PTL_EQ_EMPTY);
    NEED(PtlPut(silent, 0, 1, PTL_NO_ACK_REQ, ids[0], index, 1, 0, NULL, 99));
    RETURNS("PtlEQWait: a queue that has dropped events goes on", PTL_OK, PtlEQWait(waited, &event));
    RULE("PtlEQWait: with the new event", event.hdr_data == 99);
    for (i = 0; i < 9; i++)
        NEED(PtlPut(silent, 0, 1, PTL_NO_ACK_REQ, ids[0], index, 1, 0, NULL, 0));
    s4bxi_compute_s(0.001);
    RETURNS("PtlEQPoll: PTL_EQ_DROPPED for the queue of which", PTL_EQ_DROPPED,
            PtlEQPoll(&waited, 1, 0, &event, &which));
    RULE("PtlEQPoll: PTL_EQ_DROPPED is success, which is told", which == 0 && event.type == PTL_EVENT_PUT);
    NEED(PtlMEUnlink(me));
    NEED(PtlPTFree(ni, index));
    NEED(PtlEQFree(waited));

    /* Freed while a thread waits. */
    waited = new_queue(4);
    NEED(pthread_create(&thread, NULL, waits, NULL));
    s4bxi_compute_s(0.001);
    NEED(PtlEQFree(waited));
    NEED(pthread_join(thread, NULL));
    RULE("PtlEQWait: PTL_INTERRUPTED when another thread calls PtlEQFree", wait_code == PTL_INTERRUPTED);
    waited = new_queue(4);
    NEED(pthread_create(&thread, NULL, polls, NULL));
    s4bxi_compute_s(0.001);
    NEED(PtlEQFree(waited));
    NEED(pthread_join(thread, NULL));
    RULE("PtlEQPoll: PTL_INTERRUPTED when another thread calls PtlEQFree", wait_code == PTL_INTERRUPTED);
    waited = new_queue(4);
    NEED(pthread_create(&thread, NULL, waits, NULL));
    s4bxi_compute_s(0.001);
    NEED(PtlMDRelease(md));
    NEED(PtlMDRelease(silent));
    NEED(PtlNIFini(ni));
    NEED(pthread_join(thread, NULL));
    RULE("PtlEQWait: PTL_INTERRUPTED when another thread calls PtlNIFini", wait_code == PTL_INTERRUPTED);
    PtlFini();
    return suite_end();
}
