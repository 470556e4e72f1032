/* Counting events: PtlCTAlloc, PtlCTFree, PtlCTGet, PtlCTWait, PtlCTPoll, PtlCTSet, PtlCTInc, and what counts. */
#include "suite2.h"

#include <pthread.h>

static ptl_handle_ct_t waited;
static int wait_code;
static ptl_ct_event_t wait_value;

static void *waits(void *test)
{
    wait_code = PtlCTWait(waited, (ptl_size_t)(size_t)test, &wait_value);
    return NULL;
}

static void *polls(void *test)
{
    ptl_size_t tests = (ptl_size_t)(size_t)test;
    unsigned which;

    wait_code = PtlCTPoll(&waited, &tests, 1, PTL_TIME_FOREVER, &wait_value, &which);
    return NULL;
}

static pthread_t begin(void *(*what)(void *), size_t test)
{
    pthread_t thread;

    wait_code = -1;
    NEED(pthread_create(&thread, NULL, what, (void *)test));
    s4bxi_compute_s(0.001);
    return thread;
}

int main(void)
{
    ptl_handle_ct_t ct, other, cts[2];
    ptl_handle_eq_t eq;
    ptl_handle_md_t md, get;
    ptl_handle_me_t me;
    ptl_size_t tests[2] = {1, 1};
    ptl_ct_event_t value;
    ptl_pt_index_t index;
    pthread_t thread;
    unsigned which = 9;
    double before, spent;
    char bytes[64] = {0}, target[64] = {0};

    RETURNS("PtlCTAlloc: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlCTAlloc(0, &ct));
    RETURNS("PtlCTFree: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlCTFree(PTL_CT_NONE));
    RETURNS("PtlCTGet: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlCTGet(PTL_CT_NONE, &value));
    RETURNS("PtlCTWait: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlCTWait(PTL_CT_NONE, 1, &value));
    ct = PTL_CT_NONE;
    RETURNS("PtlCTPoll: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlCTPoll(&ct, tests, 1, 0, &value, &which));
    RETURNS("PtlCTSet: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlCTSet(PTL_CT_NONE, both(1, 0)));
    RETURNS("PtlCTInc: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlCTInc(PTL_CT_NONE, both(1, 0)));
    RETURNS("PtlCTCancelTriggered: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlCTCancelTriggered(PTL_CT_NONE));

    suite_begin(1);
    RETURNS("PtlCTAlloc: ni_handle is not valid", PTL_ARG_INVALID, PtlCTAlloc(PTL_INVALID_HANDLE, &ct));
    RETURNS("PtlCTAlloc: nowhere to write the handle", PTL_ARG_INVALID, PtlCTAlloc(ni, NULL));
    RETURNS("PtlCTAlloc: indicates success", PTL_OK, PtlCTAlloc(ni, &ct));
    RULE("PtlCTAlloc: initialized to zero", counts(ct, 0, 0));
    other = new_counter();
    RETURNS("PtlCTFree: releases it", PTL_OK, PtlCTFree(other));
    RETURNS("PtlCTFree: it is gone", PTL_ARG_INVALID, PtlCTFree(other));
    RETURNS("PtlCTFree: PTL_CT_NONE is none", PTL_ARG_INVALID, PtlCTFree(PTL_CT_NONE));
    RETURNS("PtlCTGet: it is gone", PTL_ARG_INVALID, PtlCTGet(other, &value));
    RETURNS("PtlCTGet: event is NULL", PTL_ARG_INVALID, PtlCTGet(ct, NULL));
    RETURNS("PtlCTWait: PTL_CT_NONE is none", PTL_ARG_INVALID, PtlCTWait(PTL_CT_NONE, 1, &value));
    RETURNS("PtlCTWait: event is NULL", PTL_ARG_INVALID, PtlCTWait(ct, 0, NULL));
    RETURNS("PtlCTSet: it is gone", PTL_ARG_INVALID, PtlCTSet(other, both(1, 0)));
    RETURNS("PtlCTInc: it is gone", PTL_ARG_INVALID, PtlCTInc(other, both(1, 0)));
    cts[0] = ct;
    cts[1] = other;
    RETURNS("PtlCTPoll: one is gone", PTL_ARG_INVALID, PtlCTPoll(cts, tests, 2, 0, &value, &which));
    RETURNS("PtlCTPoll: no handles", PTL_ARG_INVALID, PtlCTPoll(NULL, tests, 1, 0, &value, &which));
    RETURNS("PtlCTPoll: no tests", PTL_ARG_INVALID, PtlCTPoll(cts, NULL, 1, 0, &value, &which));
    RETURNS("PtlCTPoll: event is NULL", PTL_ARG_INVALID, PtlCTPoll(cts, tests, 1, 0, NULL, &which));
    RETURNS("PtlCTPoll: which is NULL", PTL_ARG_INVALID, PtlCTPoll(cts, tests, 1, 0, &value, NULL));

    RETURNS("PtlCTSet: sets", PTL_OK, PtlCTSet(ct, both(7, 3)));
    RULE("PtlCTSet: both fields", counts(ct, 7, 3));
    RETURNS("PtlCTInc: increments", PTL_OK, PtlCTInc(ct, both(2, 0)));
    RULE("PtlCTInc: success", counts(ct, 9, 3));
    RETURNS("PtlCTInc: failures too", PTL_OK, PtlCTInc(ct, both(0, 4)));
    RULE("PtlCTInc: failure", counts(ct, 9, 7));
    RETURNS("PtlCTInc: only one field can be non-zero", PTL_ARG_INVALID, PtlCTInc(ct, both(1, 1)));
    RULE("PtlCTInc: what is refused changes nothing", counts(ct, 9, 7));

    /* Waiting. */
    NEED(PtlCTSet(ct, both(5, 0)));
    RETURNS("PtlCTWait: the test is satisfied already", PTL_OK, PtlCTWait(ct, 5, &value));
    RULE("PtlCTWait: the value is returned", is(value, 5, 0));
    RETURNS("PtlCTWait: greater than the test will do", PTL_OK, PtlCTWait(ct, 2, &value));
    RULE("PtlCTWait: the actual value, not the test", is(value, 5, 0));
    RETURNS("PtlCTWait: a test of 0 holds always", PTL_OK, PtlCTWait(ct, 0, &value));
    waited = ct;
    thread = begin(waits, 10);
    RULE("PtlCTWait: waits while the value is below", wait_code == -1);
    NEED(PtlCTInc(ct, both(4, 0)));
    s4bxi_compute_s(0.001);
    RULE("PtlCTWait: 9 is below 10", wait_code == -1);
    NEED(PtlCTInc(ct, both(90, 0)));
    NEED(pthread_join(thread, NULL));
    RULE("PtlCTWait: a jump over the test ends the wait", wait_code == PTL_OK && is(wait_value, 99, 0));
    NEED(PtlCTSet(ct, both(0, 0)));
    thread = begin(waits, 10);
    NEED(PtlCTSet(ct, both(10, 0)));
    NEED(pthread_join(thread, NULL));
    RULE("PtlCTWait: PtlCTSet ends the wait", wait_code == PTL_OK && is(wait_value, 10, 0));
    NEED(PtlCTSet(ct, both(0, 0)));
    thread = begin(waits, 10);
    NEED(PtlCTInc(ct, both(0, 1)));
    NEED(pthread_join(thread, NULL));
    RULE("PtlCTWait: a failure ends the wait", wait_code == PTL_OK && is(wait_value, 0, 1));
    other = new_counter();
    waited = other;
    thread = begin(waits, 1);
    NEED(PtlCTFree(other));
    NEED(pthread_join(thread, NULL));
    RULE("PtlCTWait: PTL_INTERRUPTED when another thread calls PtlCTFree", wait_code == PTL_INTERRUPTED);
    other = new_counter();
    waited = other;
    thread = begin(polls, 1);
    NEED(PtlCTFree(other));
    NEED(pthread_join(thread, NULL));
    RULE("PtlCTPoll: PTL_INTERRUPTED when another thread calls PtlCTFree", wait_code == PTL_INTERRUPTED);

    /* Polling. */
    other = new_counter();
    NEED(PtlCTSet(ct, both(0, 0)));
    cts[1] = other;
    RETURNS("PtlCTPoll: none has reached its test, without time", PTL_CT_NONE_REACHED,
            PtlCTPoll(cts, tests, 2, 0, &value, &which));
    before = s4bxi_simtime();
    RETURNS("PtlCTPoll: none reached its test before the timeout", PTL_CT_NONE_REACHED,
            PtlCTPoll(cts, tests, 2, 3, &value, &which));
    spent = s4bxi_simtime() - before;
    RULE("PtlCTPoll: the timeout is in milliseconds", spent > 0.00299999 && spent < 0.00301);
    NEED(PtlCTSet(other, both(8, 0)));
    RETURNS("PtlCTPoll: one has reached its test", PTL_OK, PtlCTPoll(cts, tests, 2, 0, &value, &which));
    RULE("PtlCTPoll: which contains its index, event its value", which == 1 && is(value, 8, 0));
    tests[1] = 9;
    RETURNS("PtlCTPoll: each has its own test", PTL_CT_NONE_REACHED,
            PtlCTPoll(cts, tests, 2, 1, &value, &which));
    NEED(PtlCTInc(other, both(0, 1)));
    RETURNS("PtlCTPoll: a failure ends it as well", PTL_OK, PtlCTPoll(cts, tests, 2, 1, &value, &which));
    RULE("PtlCTPoll: success and failure are told", which == 1 && is(value, 8, 1));
    RULE("PtlCTPoll: consumes nothing", counts(other, 8, 1));

    /* What counts at the initiator. */
    eq = new_queue(64);
    index = new_index(PTL_EQ_NONE, 0);
    NEED(PtlCTSet(ct, both(0, 0)));
    NEED(PtlCTSet(other, both(0, 0)));
    me = open_entry(index, target, 32, PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_CT_COMM, 1, other);
    md = new_md(bytes, 64, PTL_MD_EVENT_CT_SEND, PTL_EQ_NONE, ct);
    NEED(PtlPut(md, 0, 8, PTL_NO_ACK_REQ, ids[0], index, 1, 0, NULL, 0));
    NEED(PtlCTWait(ct, 1, &value));
    s4bxi_compute_s(0.001);
    RULE("PTL_MD_EVENT_CT_SEND: counts a send", counts(ct, 1, 0));
    RULE("PTL_ME_EVENT_CT_COMM: counts a put", counts(other, 1, 0));
    NEED(PtlMDRelease(md));
    md = new_md(bytes, 64, PTL_MD_EVENT_CT_ACK, eq, ct);
    NEED(PtlPut(md, 0, 8, PTL_CT_ACK_REQ, ids[0], index, 1, 0, NULL, 0));
    NEED(PtlCTWait(ct, 2, &value));
    RULE("PTL_MD_EVENT_CT_ACK: counts an acknowledgement, no send", counts(ct, 2, 0));
    RULE("PTL_CT_ACK_REQ: no PTL_EVENT_ACK", next_event(eq).type == PTL_EVENT_SEND && stays_empty(eq));
    NEED(PtlPut(md, 0, 8, PTL_CT_ACK_REQ, ids[0], index, 2, 0, NULL, 0));
    NEED(PtlCTWait(ct, 3, &value));
    RULE("PTL_CT_ACK_REQ: a message that does not match counts as a failure", counts(ct, 2, 1));
    RULE("PTL_ME_EVENT_CT_COMM: what does not match does not count", counts(other, 2, 0));
    NEED(PtlCTSet(ct, both(0, 0)));
    NEED(PtlPut(md, 0, 8, PTL_OC_ACK_REQ, ids[0], index, 2, 0, NULL, 0));
    NEED(PtlCTWait(ct, 1, &value));
    RULE("PTL_OC_ACK_REQ: counts as complete even what did not match", counts(ct, 1, 0));
    NEED(PtlPut(md, 0, 8, PTL_ACK_REQ, ids[0], index, 1, 0, NULL, 0));
    NEED(PtlCTWait(ct, 2, &value));
    RULE("PTL_ACK_REQ: counts too", counts(ct, 2, 0));
    NEED(PtlMDRelease(md));
    NEED(PtlCTSet(ct, both(0, 0)));
    NEED(PtlCTSet(other, both(0, 0)));
    NEED(PtlMEUnlink(me));
    me = open_entry(index, target, 32, PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_BYTES,
                    1, other);
    md = new_md(bytes, 64, PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_BYTES, PTL_EQ_NONE, ct);
    NEED(PtlPut(md, 0, 48, PTL_NO_ACK_REQ, ids[0], index, 1, 0, NULL, 0));
    NEED(PtlCTWait(ct, 48, &value));
    s4bxi_compute_s(0.001);
    RULE("PTL_MD_EVENT_CT_BYTES: the requested length for a send", counts(ct, 48, 0));
    RULE("PTL_ME_EVENT_CT_BYTES: the modified length at the target", counts(other, 32, 0));
    NEED(PtlMDRelease(md));
    md = new_md(bytes, 64, PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_BYTES, PTL_EQ_NONE, ct);
    NEED(PtlCTSet(ct, both(0, 0)));
    NEED(PtlPut(md, 0, 48, PTL_CT_ACK_REQ, ids[0], index, 1, 0, NULL, 0));
    NEED(PtlCTWait(ct, 32, &value));
    RULE("PTL_MD_EVENT_CT_BYTES: the modified length for an acknowledgement", counts(ct, 32, 0));
    NEED(PtlPut(md, 0, 48, PTL_CT_ACK_REQ, ids[0], index, 2, 0, NULL, 0));
    NEED(PtlCTWait(ct, 99, &value));
    RULE("PTL_MD_EVENT_CT_BYTES: failures are counted, not their bytes", counts(ct, 32, 1));
    NEED(PtlCTSet(ct, both(0, 0)));
    NEED(PtlPut(md, 0, 48, PTL_OC_ACK_REQ, ids[0], index, 1, 0, NULL, 0));
    NEED(PtlCTWait(ct, 1, &value));
    RULE("PTL_OC_ACK_REQ: can only count operations", counts(ct, 1, 0));
    NEED(PtlMDRelease(md));
    get = new_md(bytes, 64, PTL_MD_EVENT_CT_REPLY, PTL_EQ_NONE, ct);
    NEED(PtlCTSet(ct, both(0, 0)));
    NEED(PtlCTSet(other, both(0, 0)));
    NEED(PtlGet(get, 0, 40, ids[0], index, 1, 0, NULL));
    NEED(PtlCTWait(ct, 1, &value));
    RULE("PTL_MD_EVENT_CT_REPLY: counts a reply", counts(ct, 1, 0));
    s4bxi_compute_s(0.001);
    RULE("PTL_ME_EVENT_CT_BYTES: the modified length of a get", counts(other, 32, 0));
    NEED(PtlGet(get, 0, 40, ids[0], index, 2, 0, NULL));
    NEED(PtlCTWait(ct, 2, &value));
    RULE("PTL_MD_EVENT_CT_REPLY: a reply that failed is a failure", counts(ct, 1, 1));
    NEED(PtlMDRelease(get));
    get = new_md(bytes, 64, PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_BYTES, PTL_EQ_NONE, ct);
    NEED(PtlCTSet(ct, both(0, 0)));
    NEED(PtlGet(get, 0, 40, ids[0], index, 1, 0, NULL));
    NEED(PtlCTWait(ct, 1, &value));
    RULE("PTL_MD_EVENT_CT_BYTES: the modified length of a reply", counts(ct, 32, 0));
    NEED(PtlMDRelease(get));
    get = new_md(bytes, 64, 0, eq, ct);
    NEED(PtlCTSet(ct, both(0, 0)));
    while (PtlEQGet(eq, &(ptl_event_t){0}) == PTL_OK)
        ;
    NEED(PtlGet(get, 0, 4, ids[0], index, 1, 0, NULL));
    RULE("ptl_md_t: without a PTL_MD_EVENT_CT option events are told", next_event(eq).type == PTL_EVENT_REPLY);
    RULE("ptl_md_t: without a PTL_MD_EVENT_CT option nothing is counted", counts(ct, 0, 0));
    NEED(PtlMDRelease(get));

    waited = other;
    NEED(PtlCTSet(other, both(0, 0)));
    thread = begin(waits, 1);
    NEED(PtlNIFini(ni));
    NEED(pthread_join(thread, NULL));
    RULE("PtlCTWait: PTL_INTERRUPTED when another thread calls PtlNIFini", wait_code == PTL_INTERRUPTED);
    PtlFini();
    return suite_end();
}
