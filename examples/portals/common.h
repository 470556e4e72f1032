/* What all examples need: checks that say where they failed, and the identifiers of all ranks. */
#ifndef COMMON_H
#define COMMON_H

#include <portals4.h>
#include <portals4_bxiext.h>
#include <pmi.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program unless a Portals function succeeds. */
#define CHECK(call)                                                                              \
    do {                                                                                         \
        int check_code = (call);                                                                 \
        if (check_code != PTL_OK) {                                                              \
            fprintf(stderr, "%s:%d: %s gives %s\n", __FILE__, __LINE__, #call,                   \
                    PtlToStr(check_code, PTL_STR_ERROR));                                        \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)

/* Ends the program unless something holds. Unlike assert it stays in with -DNDEBUG. */
#define REQUIRE(condition)                                                                       \
    do {                                                                                         \
        if (!(condition)) {                                                                      \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);              \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)

/* The job as one rank sees it, on one physical interface. */
struct job {
    int rank;
    int size;
    ptl_handle_ni_t ni;
    ptl_process_t *ids; /* by rank */
};

/* Starts Portals and PMI, and tells all ranks each other's identifiers. `matching` chooses the interface. */
static inline struct job job_start(int matching)
{
    struct job job;
    ptl_process_t own;
    char space[256], key[64], value[64];
    int spawned, rank;

    REQUIRE(PMI_Init(&spawned) == PMI_SUCCESS);
    REQUIRE(PMI_Get_rank(&job.rank) == PMI_SUCCESS);
    REQUIRE(PMI_Get_size(&job.size) == PMI_SUCCESS);
    REQUIRE(PMI_KVS_Get_my_name(space, sizeof space) == PMI_SUCCESS);

    CHECK(PtlInit());
    CHECK(PtlNIInit(PTL_IFACE_DEFAULT, (matching ? PTL_NI_MATCHING : PTL_NI_NO_MATCHING) | PTL_NI_PHYSICAL,
                    PTL_PID_ANY, NULL, NULL, &job.ni));
    CHECK(PtlGetPhysId(job.ni, &own));

    snprintf(key, sizeof key, "id-%d", job.rank);
    snprintf(value, sizeof value, "%u %u", (unsigned)own.phys.nid, (unsigned)own.phys.pid);
    REQUIRE(PMI_KVS_Put(space, key, value) == PMI_SUCCESS);
    REQUIRE(PMI_KVS_Commit(space) == PMI_SUCCESS);
    REQUIRE(PMI_Barrier() == PMI_SUCCESS);

    job.ids = (ptl_process_t *)calloc((size_t)job.size, sizeof *job.ids);
    REQUIRE(job.ids != NULL);
    for (rank = 0; rank < job.size; rank++) {
        unsigned nid, pid;

        snprintf(key, sizeof key, "id-%d", rank);
        REQUIRE(PMI_KVS_Get(space, key, value, sizeof value) == PMI_SUCCESS);
        REQUIRE(sscanf(value, "%u %u", &nid, &pid) == 2);
        job.ids[rank].phys.nid = nid;
        job.ids[rank].phys.pid = pid;
    }
    return job;
}

/* Waits until no rank needs another, and ends Portals and PMI. */
static inline void job_end(struct job *job)
{
    REQUIRE(PMI_Barrier() == PMI_SUCCESS);
    free(job->ids);
    CHECK(PtlNIFini(job->ni));
    PtlFini();
    REQUIRE(PMI_Finalize() == PMI_SUCCESS);
}

/* Waits for the next event of a queue, which must be of this kind and without a failure. */
static inline ptl_event_t expect(ptl_handle_eq_t eq, ptl_event_kind_t kind)
{
    ptl_event_t event;

    CHECK(PtlEQWait(eq, &event));
    if (event.type != kind || event.ni_fail_type != PTL_NI_OK) {
        fprintf(stderr, "%s with %s in place of %s\n", PtlToStr((int)event.type, PTL_STR_EVENT),
                PtlToStr((int)event.ni_fail_type, PTL_STR_FAIL_TYPE), PtlToStr((int)kind, PTL_STR_EVENT));
        exit(1);
    }
    return event;
}

#endif
