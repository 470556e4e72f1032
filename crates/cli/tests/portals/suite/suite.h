/* What the programs of the suite share.
 *
 * Each rank is the initiator of messages to the next rank and the target of those of the rank before it, at the same time:
 * so all ranks do and check the same. A check cites its rule: the function or constant of the public header, and what its
 * comment says. */
#ifndef SUITE_H
#define SUITE_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE /* usleep */
#endif

#include <pmi.h>
#include <portals4.h>
#include <portals4_bxiext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int suite_checks, suite_failed, suite_rank, suite_size;

static inline void suite_check(const char *rule, int holds, const char *text, const char *file, int line)
{
    suite_checks++;
    if (!holds) {
        suite_failed++;
        fprintf(stderr, "%s:%d: rank %d: %s\n    not so: %s\n", file, line, suite_rank, rule, text);
    }
}

/* One check: its rule, and what must hold. */
#define CHECK(rule, condition) suite_check(rule, (condition) != 0, #condition, __FILE__, __LINE__)

/* One check: a call gives this code. */
#define GIVES(code, rule, call)                                                                  \
    do {                                                                                         \
        int suite_code = (call);                                                                 \
        suite_check(rule, suite_code == (code), #call " gives " #code, __FILE__, __LINE__);      \
        if (suite_code != (code))                                                                \
            fprintf(stderr, "    it gives %s\n", PtlToStr(suite_code, PTL_STR_ERROR));           \
    } while (0)

/* What a check needs and is no check itself: ends the program if it fails. */
#define NEED(call)                                                                               \
    do {                                                                                         \
        int need_code = (call);                                                                  \
        if (need_code != PTL_OK) {                                                               \
            fprintf(stderr, "%s:%d: rank %d: %s gives %s\n", __FILE__, __LINE__, suite_rank,     \
                    #call, PtlToStr(need_code, PTL_STR_ERROR));                                  \
            exit(3);                                                                             \
        }                                                                                        \
    } while (0)

static inline void suite_start(void)
{
    int spawned;

    NEED(PMI_Init(&spawned));
    NEED(PMI_Get_rank(&suite_rank));
    NEED(PMI_Get_size(&suite_size));
}

static inline void barrier(void)
{
    NEED(PMI_Barrier());
}

/* Says how many checks there were; what main returns. */
static inline int suite_end(void)
{
    barrier();
    printf("rank %d: %d checks, %d failed\n", suite_rank, suite_checks, suite_failed);
    NEED(PMI_Finalize());
    return suite_failed != 0;
}

/* A rank's two sides on one physical interface. */
struct side {
    ptl_handle_ni_t ni;
    ptl_process_t self, next, before; /* itself, whom it sends to, who sends to it */
    ptl_handle_eq_t md_eq;            /* of the initiator */
    ptl_handle_ct_t md_ct;
    ptl_handle_md_t md; /* over `out`; counts ACK and REPLY */
    ptl_handle_eq_t eq; /* of the target's portal table entry */
    ptl_pt_index_t pt;
    char out[256], in[256];
};

/* Everybody's identifiers. */
static inline ptl_process_t *suite_ids(ptl_handle_ni_t ni)
{
    ptl_process_t *ids = (ptl_process_t *)calloc((size_t)suite_size, sizeof *ids);
    char space[256], key[64], value[64];
    static int round;
    int rank;

    NEED(ids == NULL);
    NEED(PtlGetPhysId(ni, &ids[suite_rank]));
    NEED(PMI_KVS_Get_my_name(space, sizeof space));
    snprintf(key, sizeof key, "id-%d-%d", round, suite_rank);
    snprintf(value, sizeof value, "%u %u", (unsigned)ids[suite_rank].phys.nid, (unsigned)ids[suite_rank].phys.pid);
    NEED(PMI_KVS_Put(space, key, value));
    NEED(PMI_KVS_Commit(space));
    barrier();
    for (rank = 0; rank < suite_size; rank++) {
        unsigned nid, pid;

        snprintf(key, sizeof key, "id-%d-%d", round, rank);
        NEED(PMI_KVS_Get(space, key, value, sizeof value));
        NEED(sscanf(value, "%u %u", &nid, &pid) != 2);
        ids[rank].phys.nid = nid;
        ids[rank].phys.pid = pid;
    }
    round++;
    return ids;
}

/* Starts Portals with an interface, a descriptor of all of `out`, and a portal table entry. */
static inline void side_open(struct side *side, unsigned int matching, const ptl_ni_limits_t *desired,
                             unsigned int table_options, ptl_size_t events)
{
    ptl_process_t *ids;
    ptl_md_t md;

    memset(side, 0, sizeof *side);
    NEED(PtlInit());
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, matching | PTL_NI_PHYSICAL, PTL_PID_ANY, desired, NULL, &side->ni));
    ids = suite_ids(side->ni);
    side->self = ids[suite_rank];
    side->next = ids[(suite_rank + 1) % suite_size];
    side->before = ids[(suite_rank + suite_size - 1) % suite_size];
    free(ids);
    NEED(PtlEQAlloc(side->ni, 64, &side->md_eq));
    NEED(PtlEQAlloc(side->ni, events, &side->eq));
    NEED(PtlCTAlloc(side->ni, &side->md_ct));
    md.start = side->out;
    md.length = sizeof side->out;
    md.options = PTL_MD_EVENT_SEND_DISABLE | PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY;
    md.eq_handle = side->md_eq;
    md.ct_handle = side->md_ct;
    NEED(PtlMDBind(side->ni, &md, &side->md));
    NEED(PtlPTAlloc(side->ni, table_options, side->eq, PTL_PT_ANY, &side->pt));
    barrier();
}

static inline void side_close(struct side *side)
{
    barrier();
    NEED(PtlNIFini(side->ni));
    PtlFini();
}

/* The next event of a queue; of no kind there is if none comes within 10 ms. */
static inline ptl_event_t next_event(ptl_handle_eq_t eq)
{
    ptl_event_t event;
    unsigned int which;

    memset(&event, 0, sizeof event);
    if (PtlEQPoll(&eq, 1, 10, &event, &which) != PTL_OK)
        event.type = (ptl_event_kind_t)99;
    return event;
}

/* One check: the next event of a queue is of this kind and ended so. */
#define EVENT(rule, queue, kind, fail, event)                                                    \
    do {                                                                                         \
        event = next_event(queue);                                                               \
        suite_check(rule, event.type == (kind) && event.ni_fail_type == (fail),                  \
                    #kind " with " #fail, __FILE__, __LINE__);                                   \
        if (event.type != (kind) || event.ni_fail_type != (fail))                                \
            fprintf(stderr, "    it is %s with %s\n", PtlToStr((int)event.type, PTL_STR_EVENT),  \
                    PtlToStr((int)event.ni_fail_type, PTL_STR_FAIL_TYPE));                       \
    } while (0)

/* No event comes within 20 us. */
static inline int is_quiet(ptl_handle_eq_t eq)
{
    ptl_event_t event;

    usleep(20);
    return PtlEQGet(eq, &event) == PTL_EQ_EMPTY;
}

/* Takes all events out. */
static inline void drain(ptl_handle_eq_t eq)
{
    ptl_event_t event;

    usleep(20);
    while (PtlEQGet(eq, &event) != PTL_EQ_EMPTY)
        ;
}

static inline int sr(struct side *side, ptl_sr_index_t index)
{
    ptl_sr_value_t value = -1;

    NEED(PtlNIStatus(side->ni, index, &value));
    return value;
}

/* An entry for anybody. */
static inline ptl_me_t me_of(void *start, ptl_size_t length, unsigned int options, ptl_match_bits_t bits)
{
    ptl_me_t me;

    memset(&me, 0, sizeof me);
    me.start = start;
    me.length = length;
    me.ct_handle = PTL_CT_NONE;
    me.uid = PTL_UID_ANY;
    me.options = options;
    me.match_id.phys.nid = PTL_NID_ANY;
    me.match_id.phys.pid = PTL_PID_ANY;
    me.match_bits = bits;
    return me;
}

static inline ptl_le_t le_of(void *start, ptl_size_t length, unsigned int options)
{
    ptl_le_t le;

    memset(&le, 0, sizeof le);
    le.start = start;
    le.length = length;
    le.ct_handle = PTL_CT_NONE;
    le.uid = PTL_UID_ANY;
    le.options = options;
    return le;
}

/* Puts the first bytes of `out` to the next rank, with an acknowledgement, and gives its event. All ranks have done so when
 * it returns. */
static inline ptl_event_t put_to(struct side *side, ptl_size_t length, ptl_match_bits_t bits, ptl_size_t offset)
{
    ptl_event_t ack;

    NEED(PtlPut(side->md, 0, length, PTL_ACK_REQ, side->next, side->pt, bits, offset, side->out, bits + 1000));
    ack = next_event(side->md_eq);
    barrier();
    return ack;
}

/* Gets bytes of the next rank into `out`, and gives the event of their arrival. */
static inline ptl_event_t get_from(struct side *side, ptl_size_t length, ptl_match_bits_t bits, ptl_size_t offset)
{
    ptl_event_t reply;

    NEED(PtlGet(side->md, 0, length, side->next, side->pt, bits, offset, side->out));
    reply = next_event(side->md_eq);
    barrier();
    return reply;
}

#endif
