/* Rank 1 comes to the end that the first argument names; the others wait for it in a barrier. */
#include "common.h"
#include <assert.h>
#include <string.h>

static volatile int zero;

int deep(int n)
{
    volatile char room[4096];

    room[0] = (char)n;
    return deep(n + 1) + room[0];
}

/* One frame that is larger than the stack. */
int wide(int n)
{
    volatile char room[2000000];

    room[0] = (char)n;
    return room[0];
}

void endless(void)
{
    while (zero == 0)
        ;
}

static void wait_for_event(void)
{
    struct job job;
    ptl_handle_eq_t eq;
    ptl_event_t event;

    CHECK(PtlInit());
    CHECK(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL, &job.ni));
    CHECK(PtlEQAlloc(job.ni, 4, &eq));
    PtlEQWait(eq, &event);
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "";
    int spawned, rank;

    REQUIRE(PMI_Init(&spawned) == PMI_SUCCESS);
    REQUIRE(PMI_Get_rank(&rank) == PMI_SUCCESS);
    printf("rank %d\n", rank);
    if (strcmp(end, "print") == 0)
        for (int line = 0; line < 100000; line++)
            printf("line %d of a text that is longer than any pipe holds\n", line);
    if (strcmp(end, "poll") == 0)
        for (;;)
            s4bxi_simtime();
    if (rank == 1) {
        if (strcmp(end, "crash") == 0)
            *(volatile int *)16 = 1;
        if (strcmp(end, "assert") == 0)
            assert(rank == 0);
        if (strcmp(end, "abort") == 0)
            abort();
        if (strcmp(end, "return") == 0)
            return 7;
        if (strcmp(end, "exit") == 0)
            exit(3);
        if (strcmp(end, "divide") == 0)
            return rank / zero;
        if (strcmp(end, "overflow") == 0)
            return deep(0);
        if (strcmp(end, "wide") == 0)
            return wide(0);
        if (strcmp(end, "endless") == 0)
            endless();
        if (strcmp(end, "wait") == 0)
            wait_for_event();
    }
    PMI_Barrier();
    return 0;
}
