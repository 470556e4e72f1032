/* Simulated time in the program: clocks, sleeping, alarms, and loops that poll. One rank. */
#include "suite2.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int alarms;

static void on_alarm(int number)
{
    (void)number;
    alarms++;
}

static int near(double value, double expected)
{
    return value > expected - 1e-7 && value < expected + 1e-6;
}

static double of_day(void)
{
    struct timeval now;

    gettimeofday(&now, NULL);
    return (double)now.tv_sec + 1e-6 * (double)now.tv_usec;
}

static double clock_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void)
{
    struct timespec span = {0, 1500}, left;
    ptl_handle_eq_t eq;
    ptl_handle_ct_t ct;
    ptl_handle_md_t md;
    ptl_ct_event_t value;
    ptl_event_t event;
    double start, day, mono;
    time_t seconds;
    char bytes[8] = {0};
    int polls;
    char name[64];

    suite_begin(1);
    start = s4bxi_simtime();
    day = of_day();
    mono = clock_of(CLOCK_MONOTONIC);
    seconds = time(NULL);
    RULE("sleep: 0 when all of it was slept", sleep(2) == 0);
    RULE("sleep: simulated seconds", near(s4bxi_simtime() - start, 2));
    RULE("gettimeofday: goes by simulated time", near(of_day() - day - 2 + 1e-6, 1e-6) || of_day() - day - 2 < 3e-6);
    RULE("clock_gettime: CLOCK_MONOTONIC goes by simulated time", near(clock_of(CLOCK_MONOTONIC) - mono, 2));
    RULE("time: goes by simulated time", time(NULL) - seconds == 2);
    RULE("gettimeofday, time, clock_gettime: tell the same",
         (time_t)of_day() == time(NULL) && (time_t)clock_of(CLOCK_REALTIME) == time(NULL));
    start = s4bxi_simtime();
    RULE("usleep: indicates success", usleep(750) == 0);
    RULE("usleep: microseconds", near(s4bxi_simtime() - start, 750e-6));
    start = s4bxi_simtime();
    RULE("nanosleep: indicates success", nanosleep(&span, &left) == 0);
    RULE("nanosleep: nanoseconds", s4bxi_simtime() - start > 1.4999e-6 && s4bxi_simtime() - start < 1.6e-6);
    span.tv_nsec = 1000000000;
    errno = 0;
    RULE("nanosleep: EINVAL for a whole second of nanoseconds", nanosleep(&span, NULL) == -1 && errno == EINVAL);
    start = s4bxi_simtime();
    s4bxi_compute_s(0.25);
    RULE("s4bxi_compute_s: seconds of computing", near(s4bxi_simtime() - start, 0.25));
    start = s4bxi_simtime();
    s4bxi_compute(5e9);
    RULE("s4bxi_compute: 5e9 operations on a processor of 10 Gf", near(s4bxi_simtime() - start, 0.5));

    /* Alarms. */
    signal(SIGALRM, on_alarm);
    RULE("alarm: none was set", alarm(10) == 0);
    RULE("alarm: what was left of the one before", alarm(1) == 10);
    start = s4bxi_simtime();
    sleep(3);
    RULE("alarm: raises SIGALRM after simulated seconds", alarms == 1);
    RULE("sleep: a signal ends it", near(s4bxi_simtime() - start, 1));
    alarm(1);
    RULE("alarm: the rest of a second counts as one", alarm(0) == 1);
    RULE("alarm: 0 takes it back", sleep(2) == 0);
    RULE("alarm: none is raised then", alarms == 1);
    start = s4bxi_simtime();
    alarm(1);
    usleep(999990);
    while (alarms < 2)
        sched_yield();
    RULE("sched_yield: a loop that waits for a signal makes progress", near(s4bxi_simtime() - start, 1));

    /* Polling loops: each further poll is 10 ns of simulated time. */
    start = s4bxi_simtime();
    for (polls = 0; s4bxi_simtime() == start && polls < 10; polls++)
        clock_of(CLOCK_MONOTONIC);
    RULE("Polling: clock reads let time go on", polls < 10);
    mono = clock_of(CLOCK_MONOTONIC);
    for (polls = 0; clock_of(CLOCK_MONOTONIC) < mono + 1e-6; polls++)
        ;
    RULE("Polling: each costs 10 ns, so 100 make a microsecond", polls > 90 && polls < 110);
    eq = new_queue(8);
    ct = new_counter();
    new_index(PTL_EQ_NONE, 0);
    open_entry(0, bytes, 8, PTL_ME_OP_PUT, 1, PTL_CT_NONE);
    md = new_md(bytes, 8, PTL_MD_EVENT_CT_ACK, eq, ct);
    NEED(PtlPut(md, 0, 8, PTL_ACK_REQ, ids[0], 0, 1, 0, NULL, 0));
    for (polls = 0; PtlEQGet(eq, &event) == PTL_EQ_EMPTY; polls++)
        ;
    RULE("Polling: PtlEQGet in a loop finds the event", polls > 0 && event.type == PTL_EVENT_SEND);
    for (polls = 0; PtlCTGet(ct, &value) == PTL_OK && value.success == 0; polls++)
        ;
    RULE("Polling: PtlCTGet in a loop finds the count", is(value, 1, 0));
    NEED(PtlPut(md, 0, 8, PTL_CT_ACK_REQ, ids[0], 0, 1, 0, NULL, 0));
    for (polls = 0; polls >= 0; polls++) {
        ptl_size_t test = 2;
        unsigned which;

        if (PtlCTPoll(&ct, &test, 1, 0, &value, &which) == PTL_OK)
            break;
    }
    RULE("Polling: PtlCTPoll without time in a loop", polls > 0 && is(value, 2, 0));

    /* Where the program is. */
    RULE("gethostname: the simulated host", gethostname(name, sizeof name) == 0 && strcmp(name, "node0") == 0);
    RULE("getpid: the same at each call", getpid() > 0 && getpid() == getpid());
    return suite_end();
}
