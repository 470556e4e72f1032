// alarm, setitimer, setjmp, and sleeps that a signal ends.
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int alarms;
static jmp_buf place;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void on_alarm(int signal)
{
    alarms++;
    printf("signal %d at %.3f\n", signal, now());
}

__attribute__((noinline)) static void jump(int depth)
{
    volatile char room[100];
    room[0] = depth;
    usleep(1);
    if (depth == 0)
        longjmp(place, 5);
    jump(depth - 1 + (room[0] - depth));
}

int main(int argc, char **argv)
{
    struct sigaction action;
    struct itimerval timer = {{0, 300000}, {0, 100000}};
    struct timespec half = {0, 500000000}, left;
    struct pollfd none;
    struct timeval quarter = {0, 250000};
    int value;

    if (argc > 1) {
        alarm(2);
        pause();
    }
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    alarm(10);
    printf("%u s were left\n", alarm(1));
    printf("%u s not slept\n", sleep(5));
    printf("at %.3f, %d alarm\n", now(), alarms);
    setitimer(ITIMER_REAL, &timer, NULL);
    value = nanosleep(&half, &left);
    printf("%d %d, %ld ms left\n", value, errno == EINTR, left.tv_nsec / 1000000);
    pause();
    timer.it_value.tv_usec = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("at %.3f, %d alarms\n", now(), alarms);
    poll(&none, 0, 1500);
    select(0, NULL, NULL, NULL, &quarter);
    printf("at %.3f\n", now());
    timer.it_value.tv_usec = 1000;
    timer.it_interval.tv_usec = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
    while (alarms < 4) // a loop of clock reads lets the alarm come
        now();
    printf("polled until %.3f\n", now());

    value = setjmp(place);
    if (value == 0)
        jump(3);
    printf("jumped with %d at %.6f\n", value, now());
    return 0;
}
