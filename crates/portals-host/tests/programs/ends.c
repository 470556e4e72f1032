// Comes to an end in the way named by the first argument; only rank 1 does, the others wait.
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int zero, sink;
volatile int *volatile nowhere;

__attribute__((noinline)) int deeper(int depth)
{
    volatile char room[512];
    room[depth % 512] = depth;
    return deeper(depth + 1) + room[(depth * 7) % 512];
}

__attribute__((noinline)) int deep(int left)
{
    volatile char room[512];
    room[left] = 1;
    return left == 0 ? 1 : deep(left - 1) * room[left];
}

__attribute__((noinline)) void endless(void)
{
    for (;;)
        sink++;
}

static void at_exit(void)
{
    printf("handler\n");
}

static void caught(int signal)
{
    printf("caught %d\n", signal);
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    atexit(at_exit);
    printf("whole line\nbegun");
    if (getpid() != 1001) {
        sleep(1);
        return 0;
    }
    usleep(1);
    if (!strcmp(how, "exit"))
        exit(300);
    if (!strcmp(how, "_exit"))
        _exit(9);
    if (!strcmp(how, "quick_exit"))
        quick_exit(8);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "caught-abort")) {
        signal(SIGABRT, caught);
        abort();
    }
    if (!strcmp(how, "assert"))
        assert(argc == 17);
    if (!strcmp(how, "segfault"))
        *nowhere = 1;
    if (!strcmp(how, "division"))
        sink = 1000 / zero;
    if (!strcmp(how, "illegal"))
        __builtin_trap();
    if (!strcmp(how, "overflow"))
        return deeper(0);
    if (!strcmp(how, "deep")) // some 600 bytes a call, 300 KiB in all
        return deep(500) == 0;
    if (!strcmp(how, "endless"))
        endless();
    if (!strcmp(how, "raise"))
        raise(SIGTERM);
    if (!strcmp(how, "raise-caught")) {
        signal(SIGTERM, caught);
        raise(SIGTERM);
        kill(getpid(), SIGTERM);
        signal(SIGTERM, SIG_IGN);
        raise(SIGTERM);
        return 0;
    }
    if (!strcmp(how, "fork"))
        return fork() == -1 && system("true") == -1 && wait(NULL) == -1 ? 0 : 1;
    if (!strcmp(how, "mutex")) {
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        pthread_mutex_lock(&mutex);
        pthread_mutex_lock(&mutex);
    }
    return 77;
}
