/* What the programs of the suite share: checks that cite their rule, and the set-up of a job on one interface.
 *
 * A program ends with `return suite_end()`, which prints how many checks it made and is 1 if one failed. */
#ifndef SUITE2_H
#define SUITE2_H

#include <pmi.h>
#include <portals4.h>
#include <portals4_bxiext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int suite_checks, suite_failures;

/* A rule of the header, and what shows that it holds. */
#define RULE(rule, holds)                                                                     \
    do {                                                                                      \
        suite_checks++;                                                                       \
        if (!(holds)) {                                                                       \
            suite_failures++;                                                                 \
            printf("%s:%d: broken: %s: %s\n", __FILE__, __LINE__, rule, #holds);              \
        }                                                                                     \
    } while (0)

/* A rule about what a call returns. */
#define RETURNS(rule, code, call)                                                             \
    do {                                                                                      \
        int suite_code = (call);                                                              \
        suite_checks++;                                                                       \
        if (suite_code != (code)) {                                                           \
            suite_failures++;                                                                 \
            printf("%s:%d: broken: %s: %s gives %s\n", __FILE__, __LINE__, rule, #call,       \
                   PtlToStr(suite_code, PTL_STR_ERROR));                                      \
        }                                                                                     \
    } while (0)

/* A step that must succeed for the checks to mean something; not a check. */
#define NEED(call)                                                                            \
    do {                                                                                      \
        int suite_code = (call);                                                              \
        if (suite_code != 0) {                                                                \
            printf("%s:%d: %s gives %s\n", __FILE__, __LINE__, #call,                         \
                   PtlToStr(suite_code, PTL_STR_ERROR));                                      \
            exit(3);                                                                          \
        }                                                                                     \
    } while (0)

/* The job as a rank sees it. */
static int rank, size;
static ptl_handle_ni_t ni;
static ptl_process_t ids[64]; /* by rank, physical */

/* Tells all ranks each other's identifiers on `ni`. */
static inline void suite_exchange(void)
{
    char key[32], value[32];
    ptl_process_t own;
    int other;

    NEED(PtlGetPhysId(ni, &own));
    snprintf(key, sizeof key, "suite-%d", rank);
    snprintf(value, sizeof value, "%u %u", (unsigned)own.phys.nid, (unsigned)own.phys.pid);
    NEED(PMI_KVS_Put("packetloom", key, value) == PMI_SUCCESS ? 0 : 1);
    NEED(PMI_Barrier());
    for (other = 0; other < size; other++) {
        unsigned nid, pid;

        snprintf(key, sizeof key, "suite-%d", other);
        NEED(PMI_KVS_Get("packetloom", key, value, sizeof value) == PMI_SUCCESS ? 0 : 1);
        NEED(sscanf(value, "%u %u", &nid, &pid) == 2 ? 0 : 1);
        ids[other].phys.nid = nid;
        ids[other].phys.pid = pid;
    }
}

/* Starts Portals and PMI with one physical interface. */
static inline void suite_begin(int matching)
{
    int spawned;

    NEED(PMI_Init(&spawned));
    NEED(PMI_Get_rank(&rank));
    NEED(PMI_Get_size(&size));
    NEED(PtlInit());
    NEED(PtlNIInit(PTL_IFACE_DEFAULT, (matching ? PTL_NI_MATCHING : PTL_NI_NO_MATCHING) | PTL_NI_PHYSICAL,
                   PTL_PID_ANY, NULL, NULL, &ni));
    suite_exchange();
}

static inline int suite_end(void)
{
    printf("rank %d: %d checks, %d failed\n", rank, suite_checks, suite_failures);
    return suite_failures != 0;
}

static inline void barrier(void)
{
    NEED(PMI_Barrier());
}

static inline ptl_handle_eq_t new_queue(ptl_size_t count)
{
    ptl_handle_eq_t eq;

    NEED(PtlEQAlloc(ni, count, &eq));
    return eq;
}

static inline ptl_handle_ct_t new_counter(void)
{
    ptl_handle_ct_t ct;

    NEED(PtlCTAlloc(ni, &ct));
    return ct;
}

static inline ptl_pt_index_t new_index(ptl_handle_eq_t eq, unsigned options)
{
    ptl_pt_index_t index;

    NEED(PtlPTAlloc(ni, options, eq, PTL_PT_ANY, &index));
    return index;
}

static inline ptl_handle_md_t new_md(void *start, ptl_size_t length, unsigned options, ptl_handle_eq_t eq,
                                     ptl_handle_ct_t ct)
{
    ptl_md_t md;
    ptl_handle_md_t handle;

    memset(&md, 0, sizeof md);
    md.start = start;
    md.length = length;
    md.options = options;
    md.eq_handle = eq;
    md.ct_handle = ct;
    NEED(PtlMDBind(ni, &md, &handle));
    return handle;
}

/* An entry for anybody that matches `bits` exactly. */
static inline ptl_me_t an_entry(void *start, ptl_size_t length, unsigned options, ptl_match_bits_t bits,
                                ptl_handle_ct_t ct)
{
    ptl_me_t me;

    memset(&me, 0, sizeof me);
    me.start = start;
    me.length = length;
    me.ct_handle = ct;
    me.uid = PTL_UID_ANY;
    me.options = options;
    me.match_id.phys.nid = PTL_NID_ANY;
    me.match_id.phys.pid = PTL_PID_ANY;
    me.match_bits = bits;
    return me;
}

static inline ptl_handle_me_t new_entry(ptl_pt_index_t index, ptl_me_t me, ptl_list_t list, void *user_ptr)
{
    ptl_handle_me_t handle;

    NEED(PtlMEAppend(ni, index, &me, list, user_ptr, &handle));
    return handle;
}

/* A priority entry that says nothing of being linked. */
static inline ptl_handle_me_t open_entry(ptl_pt_index_t index, void *start, ptl_size_t length, unsigned options,
                                         ptl_match_bits_t bits, ptl_handle_ct_t ct)
{
    return new_entry(index, an_entry(start, length, options | PTL_ME_EVENT_LINK_DISABLE, bits, ct),
                     PTL_PRIORITY_LIST, NULL);
}

static inline ptl_event_t next_event(ptl_handle_eq_t eq)
{
    ptl_event_t event;

    memset(&event, 0, sizeof event);
    NEED(PtlEQWait(eq, &event));
    return event;
}

static inline ptl_ct_event_t value_of(ptl_handle_ct_t ct)
{
    ptl_ct_event_t value;

    NEED(PtlCTGet(ct, &value));
    return value;
}

static inline int is(ptl_ct_event_t value, ptl_size_t success, ptl_size_t failure)
{
    return value.success == success && value.failure == failure;
}

static inline int counts(ptl_handle_ct_t ct, ptl_size_t success, ptl_size_t failure)
{
    return is(value_of(ct), success, failure);
}

static inline ptl_ct_event_t both(ptl_size_t success, ptl_size_t failure)
{
    ptl_ct_event_t value;

    value.success = success;
    value.failure = failure;
    return value;
}

/* Nothing comes for a while. */
static inline int stays_empty(ptl_handle_eq_t eq)
{
    ptl_event_t event;
    unsigned which;

    return PtlEQPoll(&eq, 1, 1, &event, &which) == PTL_EQ_EMPTY;
}

#endif
