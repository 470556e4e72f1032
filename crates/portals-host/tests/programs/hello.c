// Says hello, sleeps so that the last rank of two is the first to go on, and ends with the code given for its rank.
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static int counter;

static double now(void)
{
    struct timeval time;
    gettimeofday(&time, NULL);
    return time.tv_sec + time.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
    char host[64];
    int rank = getpid() - 1000;
    gethostname(host, sizeof host);
    printf("hello %s from process %d on %s at %.6f\n", argv[1], getpid(), host, now());
    if (++counter != 1)
        return 99;
    sleep(2 - rank);
    printf("process %d slept until %.6f\n", getpid(), now());
    return argc > 2 + rank ? atoi(argv[2 + rank]) : 0;
}
