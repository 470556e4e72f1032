/* Triggered operations: all of them, their order, chains, cancelling and the limit. Rank 0 triggers, rank 1 is the target
 * of what moves data. */
#include "suite2.h"

#define PUTS (PTL_ME_OP_PUT | PTL_ME_OP_GET)

static uint64_t source[8], landing[8], target[8];
static ptl_handle_ct_t trigger, done;
static ptl_handle_md_t md, get;

/* Brings the trigger to `value`, and waits for `so_many` completions. */
static int after(ptl_size_t value, ptl_size_t so_many)
{
    ptl_ct_event_t now;

    NEED(PtlCTSet(trigger, both(value, 0)));
    NEED(PtlCTWait(done, so_many, &now));
    return is(now, so_many, 0);
}

/* Nothing happens below the threshold, and counters start anew. */
static int waits_so_far(void)
{
    s4bxi_compute_s(0.0005);
    return counts(done, 0, 0);
}

static void anew(void)
{
    NEED(PtlCTSet(trigger, both(0, 0)));
    NEED(PtlCTSet(done, both(0, 0)));
}

static ptl_op_t const sum = PTL_SUM;

static void movements(void)
{
    uint64_t operand = 111;

    anew();
    source[0] = 1;
    RETURNS("PtlTriggeredPut: indicates success", PTL_OK,
            PtlTriggeredPut(md, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 7, trigger, 3));
    NEED(PtlCTInc(trigger, both(2, 0)));
    RULE("PtlTriggeredPut: does not leave before the threshold is reached", waits_so_far());
    source[0] = 100;
    RULE("PtlTriggeredPut: proceeds when the threshold is reached", after(3, 1));
    anew();
    RETURNS("PtlTriggeredGet: indicates success", PTL_OK,
            PtlTriggeredGet(get, 0, 8, ids[1], 0, 1, 0, NULL, trigger, 1));
    RULE("PtlTriggeredGet: does not leave before", waits_so_far());
    RULE("PtlTriggeredGet: proceeds", after(1, 1));
    RULE("PtlTriggeredPut: uses the buffer as it is after the threshold is met", landing[0] == 100);
    anew();
    source[0] = 11;
    RETURNS("PtlTriggeredAtomic: indicates success", PTL_OK,
            PtlTriggeredAtomic(md, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 1, 0, NULL, 0, sum, PTL_UINT64_T, trigger, 2));
    RULE("PtlTriggeredAtomic: does not leave before", waits_so_far());
    RULE("PtlTriggeredAtomic: a jump over the threshold will do", after(50, 1));
    anew();
    RETURNS("PtlTriggeredFetchAtomic: indicates success", PTL_OK,
            PtlTriggeredFetchAtomic(get, 0, md, 0, 8, ids[1], 0, 1, 0, NULL, 0, PTL_MAX, PTL_UINT64_T, trigger, 1));
    RULE("PtlTriggeredFetchAtomic: does not leave before", waits_so_far());
    RULE("PtlTriggeredFetchAtomic: proceeds", after(1, 1));
    RULE("PtlTriggeredAtomic: 100 + 11 was at the target", landing[0] == 111);
    anew();
    source[0] = 222;
    RETURNS("PtlTriggeredSwap: indicates success", PTL_OK,
            PtlTriggeredSwap(get, 0, md, 0, 8, ids[1], 0, 1, 0, NULL, 0, &operand, PTL_CSWAP, PTL_UINT64_T, trigger, 1));
    RULE("PtlTriggeredSwap: does not leave before", waits_so_far());
    RULE("PtlTriggeredSwap: proceeds", after(1, 1));
    RULE("PtlTriggeredFetchAtomic: left the greater, 111", landing[0] == 111);
    NEED(PtlGet(get, 0, 8, ids[1], 0, 1, 0, NULL));
    NEED(PtlCTWait(done, 2, &(ptl_ct_event_t){0}));
    RULE("PtlTriggeredSwap: 111 was the operand, so 222 is there", landing[0] == 222);
}

static void counting(void)
{
    ptl_handle_ct_t a = new_counter(), b = new_counter(), c = new_counter();
    int i;

    NEED(PtlTriggeredCTInc(b, both(5, 0), a, 2));
    NEED(PtlTriggeredCTInc(b, both(0, 1), a, 3));
    NEED(PtlCTInc(a, both(1, 0)));
    RULE("PtlTriggeredCTInc: not before the threshold", counts(b, 0, 0));
    NEED(PtlCTInc(a, both(1, 0)));
    RULE("PtlTriggeredCTInc: at the threshold", counts(b, 5, 0));
    NEED(PtlCTInc(a, both(0, 1)));
    RULE("Triggered operations: the count is the sum of success and failure", counts(b, 5, 1));
    RULE("PtlTriggeredCTInc: the trigger is left as it is", counts(a, 2, 1));
    RETURNS("PtlTriggeredCTInc: a threshold that is reached already", PTL_OK, PtlTriggeredCTInc(b, both(1, 0), a, 1));
    RULE("PtlTriggeredCTInc: is done at once", counts(b, 6, 1));
    NEED(PtlTriggeredCTInc(b, both(1, 0), c, 0));
    RULE("Triggered operations: a threshold of 0 is reached always", counts(b, 7, 1));
    NEED(PtlTriggeredCTSet(b, both(40, 4), a, 9));
    NEED(PtlCTSet(a, both(9, 0)));
    RULE("PtlTriggeredCTSet: sets both fields", counts(b, 40, 4));
    NEED(PtlCTInc(a, both(1, 0)));
    RULE("Triggered operations: are done once", counts(b, 40, 4));

    /* In the order of thresholds, among equal ones in that of the calls. */
    NEED(PtlCTSet(a, both(0, 0)));
    NEED(PtlCTSet(b, both(0, 0)));
    NEED(PtlTriggeredCTInc(b, both(1, 0), a, 2));
    NEED(PtlTriggeredCTSet(b, both(10, 0), a, 1));
    NEED(PtlTriggeredCTSet(b, both(20, 0), a, 2));
    NEED(PtlTriggeredCTInc(b, both(3, 0), a, 2));
    NEED(PtlCTInc(a, both(1, 0)));
    RULE("Triggered operations: the least threshold first", counts(b, 10, 0));
    NEED(PtlCTInc(a, both(1, 0)));
    RULE("Triggered operations: with equal thresholds in the order in which they were issued", counts(b, 23, 0));
    NEED(PtlCTSet(a, both(0, 0)));
    NEED(PtlTriggeredCTInc(b, both(1, 0), a, 5));
    NEED(PtlTriggeredCTSet(b, both(50, 0), a, 4));
    NEED(PtlCTSet(a, both(7, 0)));
    RULE("Triggered operations: those reached at once go by their thresholds", counts(b, 51, 0));

    /* Chains: a sets off b, b sets off c, c sets off b again. */
    NEED(PtlCTSet(a, both(0, 0)));
    NEED(PtlCTSet(b, both(0, 0)));
    NEED(PtlTriggeredCTInc(b, both(1, 0), a, 1));
    NEED(PtlTriggeredCTInc(c, both(2, 0), b, 1));
    NEED(PtlTriggeredCTInc(b, both(10, 0), c, 2));
    NEED(PtlTriggeredCTSet(a, both(0, 0), b, 11));
    NEED(PtlCTInc(a, both(1, 0)));
    RULE("PtlTriggeredCTInc: chains of counting events", counts(b, 11, 0) && counts(c, 2, 0));
    RULE("PtlTriggeredCTSet: resets the counter that began the chain", counts(a, 0, 0));
    NEED(PtlTriggeredCTInc(a, both(1, 0), a, 1));
    NEED(PtlCTInc(a, both(1, 0)));
    RULE("PtlTriggeredCTInc: a counter may set off itself", counts(a, 2, 0));

    /* Cancelling. */
    NEED(PtlCTSet(a, both(0, 0)));
    NEED(PtlCTSet(b, both(0, 0)));
    for (i = 0; i < 10; i++)
        NEED(PtlTriggeredCTInc(b, both(1, 0), a, 1));
    NEED(PtlTriggeredCTInc(b, both(100, 0), c, 50));
    RETURNS("PtlCTCancelTriggered: indicates success", PTL_OK, PtlCTCancelTriggered(a));
    NEED(PtlCTInc(a, both(1, 0)));
    RULE("PtlCTCancelTriggered: what waited is not triggered", counts(b, 0, 0));
    RULE("PtlCTCancelTriggered: the counter is left as it is", counts(a, 1, 0));
    NEED(PtlCTSet(c, both(50, 0)));
    RULE("PtlCTCancelTriggered: what waits for another counter goes on", counts(b, 100, 0));
    NEED(PtlTriggeredCTInc(b, both(1, 0), a, 2));
    NEED(PtlCTInc(a, both(1, 0)));
    RULE("PtlCTCancelTriggered: later operations are triggered", counts(b, 101, 0));
    RETURNS("PtlCTCancelTriggered: nothing waits", PTL_OK, PtlCTCancelTriggered(a));
    RETURNS("PtlCTCancelTriggered: PTL_CT_NONE is none", PTL_ARG_INVALID, PtlCTCancelTriggered(PTL_CT_NONE));
    NEED(PtlTriggeredCTInc(b, both(1, 0), a, 99));
    RETURNS("PtlCTFree: although operations wait", PTL_OK, PtlCTFree(a));
    RETURNS("PtlTriggeredCTInc: the trigger is gone", PTL_ARG_INVALID, PtlTriggeredCTInc(b, both(1, 0), a, 1));
    RETURNS("PtlTriggeredCTInc: the counter is gone", PTL_ARG_INVALID, PtlTriggeredCTInc(a, both(1, 0), b, 1));
    RETURNS("PtlTriggeredCTInc: only one field can be non-zero", PTL_ARG_INVALID,
            PtlTriggeredCTInc(b, both(1, 1), c, 1));
    RETURNS("PtlTriggeredCTSet: the trigger is gone", PTL_ARG_INVALID, PtlTriggeredCTSet(b, both(1, 0), a, 1));
    RETURNS("PtlTriggeredCTSet: the counter is gone", PTL_ARG_INVALID, PtlTriggeredCTSet(a, both(1, 0), b, 1));
}

/* A counter of received messages sets off an answer: rank 1 forwards without its processor. */
static void forwarding(void)
{
    ptl_handle_ct_t arrived = new_counter();
    ptl_handle_eq_t eq;
    ptl_handle_me_t me;
    int i;

    anew();
    if (rank == 0) {
        memset(landing, 0, sizeof landing);
        eq = new_queue(8);
        NEED(PtlPTFree(ni, 0));
        new_index(eq, 0);
        open_entry(0, landing, sizeof landing, PUTS, 5, PTL_CT_NONE);
        barrier();
        for (i = 1; i <= 3; i++) {
            source[0] = 1000 + i;
            NEED(PtlPut(md, 0, 8, PTL_CT_ACK_REQ, ids[1], 0, 5, 0, NULL, 0));
            NEED(PtlCTWait(done, i, &(ptl_ct_event_t){0}));
        }
        RULE("PtlTriggeredPut: set off by the arrival of messages", next_event(eq).type == PTL_EVENT_PUT);
        s4bxi_compute_s(0.001);
        RULE("PtlTriggeredPut: with what the last of them brought", landing[0] == 1003);
    } else {
        me = open_entry(0, source, sizeof source, PUTS | PTL_ME_EVENT_CT_COMM, 5, arrived);
        NEED(PtlTriggeredPut(md, 0, 8, PTL_NO_ACK_REQ, ids[0], 0, 5, 0, NULL, 0, arrived, 3));
        barrier();
        (void)me;
    }
    barrier();
}

static void arguments_and_limit(void)
{
    ptl_handle_ct_t ct = new_counter(), other = new_counter();
    ptl_ni_limits_t limits, asked;
    ptl_handle_ni_t small;
    uint64_t operand = 0;
    int i, code = PTL_OK;

    RETURNS("PtlTriggeredPut: md_handle is not valid", PTL_ARG_INVALID,
            PtlTriggeredPut(PTL_INVALID_HANDLE, 0, 8, PTL_NO_ACK_REQ, ids[1], 0, 1, 0, NULL, 0, ct, 1));
    RETURNS("PtlTriggeredPut: trig_ct_handle is not valid", PTL_ARG_INVALID,
            PtlTriggeredPut(md, 0, 8, PTL_NO_ACK_REQ, ids[1], 0, 1, 0, NULL, 0, PTL_CT_NONE, 1));
    RETURNS("PtlTriggeredGet: trig_ct_handle is not valid", PTL_ARG_INVALID,
            PtlTriggeredGet(get, 0, 8, ids[1], 0, 1, 0, NULL, PTL_INVALID_HANDLE, 1));
    RETURNS("PtlTriggeredGet: outside the descriptor", PTL_ARG_INVALID,
            PtlTriggeredGet(get, 60, 8, ids[1], 0, 1, 0, NULL, ct, 1));
    RETURNS("PtlTriggeredAtomic: an operation of PtlSwap", PTL_ARG_INVALID,
            PtlTriggeredAtomic(md, 0, 8, PTL_NO_ACK_REQ, ids[1], 0, 1, 0, NULL, 0, PTL_SWAP, PTL_INT64_T, ct, 1));
    RETURNS("PtlTriggeredFetchAtomic: get_md_handle is not valid", PTL_ARG_INVALID,
            PtlTriggeredFetchAtomic(ct, 0, md, 0, 8, ids[1], 0, 1, 0, NULL, 0, PTL_SUM, PTL_INT64_T, ct, 1));
    RETURNS("PtlTriggeredSwap: two items with PTL_CSWAP", PTL_ARG_INVALID,
            PtlTriggeredSwap(get, 0, md, 0, 16, ids[1], 0, 1, 0, NULL, 0, &operand, PTL_CSWAP, PTL_INT64_T, ct, 1));

    /* A descriptor of an operation that waits is in use, until that is cancelled. */
    NEED(PtlTriggeredPut(md, 0, 8, PTL_NO_ACK_REQ, ids[1], 0, 1, 0, NULL, 0, ct, 1));
    RETURNS("PtlMDRelease: PTL_IN_USE while an operation waits", PTL_IN_USE, PtlMDRelease(md));
    NEED(PtlCTCancelTriggered(ct));
    RETURNS("PtlMDRelease: no longer once it is cancelled", PTL_OK, PtlMDRelease(md));

    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, &asked, &small));
    NEED(PtlNIFini(small));
    asked.max_triggered_ops = 5;
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, &asked, &limits, &small));
    RULE("ptl_ni_limits_t: max_triggered_ops as desired", limits.max_triggered_ops == 5);
    NEED(PtlCTAlloc(small, &ct));
    for (i = 0; i < 9 && code == PTL_OK; i++)
        code = PtlTriggeredCTInc(ct, both(1, 0), ct, 1);
    RULE("ptl_ni_limits_t: PTL_NO_SPACE beyond max_triggered_ops", code == PTL_NO_SPACE && i == 6);
    NEED(PtlCTInc(ct, both(1, 0)));
    RULE("Triggered operations: all that were taken are done", counts(ct, 6, 0));
    RETURNS("ptl_ni_limits_t: what was done leaves room", PTL_OK, PtlTriggeredCTInc(ct, both(1, 0), ct, 99));
    NEED(PtlNIFini(small));
    (void)other;
}

int main(void)
{
    RETURNS("PtlTriggeredCTInc: PTL_NO_INIT before PtlInit", PTL_NO_INIT, PtlTriggeredCTInc(0, both(1, 0), 0, 1));
    RETURNS("PtlTriggeredPut: PTL_NO_INIT before PtlInit", PTL_NO_INIT,
            PtlTriggeredPut(0, 0, 8, PTL_NO_ACK_REQ, ids[1], 0, 1, 0, NULL, 0, 0, 1));
    suite_begin(1);
    trigger = new_counter();
    done = new_counter();
    md = new_md(source, sizeof source, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, done);
    get = new_md(landing, sizeof landing, PTL_MD_EVENT_CT_REPLY, PTL_EQ_NONE, done);
    new_index(PTL_EQ_NONE, 0);
    if (rank == 1)
        open_entry(0, target, sizeof target, PUTS, 1, PTL_CT_NONE);
    barrier();
    if (rank == 0) {
        movements();
        counting();
    }
    barrier();
    forwarding();
    if (rank == 0)
        arguments_and_limit();
    barrier();
    return suite_end();
}
