// What each process has of its own: globals, statics, errno, random numbers, strtok, getopt, and what runs before and
// after main. Processes sleep between each step, so that all others run in between.
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int global = 7;
static int zero;
static int *pointer = &global;
static unsigned (*function)(unsigned) = sleep; // an address that the loader writes
__thread int thread_variable = 5;

static void before(void) __attribute__((constructor));
static void after(void) __attribute__((destructor));

static void before(void)
{
    zero = getpid();
    printf("constructor of %d\n", getpid());
    sleep(1);
}

static void after(void)
{
    printf("destructor of %d sees %d\n", getpid(), global);
}

static void handler(void)
{
    sleep(1);
    printf("handler of %d\n", getpid());
}

static void require(int holds, const char *what)
{
    if (!holds) {
        printf("%d: not so: %s\n", getpid(), what);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int pid = getpid(), random_before, option, options = 0;
    char text[32], *token;

    require(zero == pid, "a static keeps what the constructor wrote");
    require(global == 7 && *pointer == 7 && thread_variable == 5, "globals start with their values");
    atexit(handler);
    global = pid;
    thread_variable = pid;
    errno = 0;
    require(open("/nonexistent", O_RDONLY) == -1, "there is no such file");
    function(1);
    require(errno == ENOENT, "errno is the process's own");
    errno = pid;
    sleep(1);
    require(errno == pid, "errno is the process's own");
    require(global == pid && *pointer == pid, "globals are the process's own");
    require(thread_variable == pid, "thread-local variables are the process's own");

    srand(1);
    random_before = rand();
    require(random_before == 1804289383, "the first number of glibc with seed 1");
    sleep(1);
    require(rand() == 846930886, "the second, whatever others drew");
    srand48(1);
    require(lrand48() == 89400484, "the first number of lrand48 with seed 1");

    snprintf(text, sizeof text, "a%d b%d c", pid, pid);
    token = strtok(text, " ");
    sleep(1);
    token = strtok(NULL, " ");
    require(token && token[0] == 'b' && atoi(token + 1) == pid, "strtok goes on where the process was");

    require(optind == 1, "optind starts at 1");
    while ((option = getopt(argc, argv, "ab:c")) != -1) {
        options = options * 10 + (option == 'a' ? 1 : option == 'b' ? 2 : option == 'c' ? 3 : 9);
        if (option == 'b')
            require(atoi(optarg) == 42, "the argument of -b");
        sleep(1);
        if (option == 'b')
            require(atoi(optarg) == 42, "optarg is the process's own");
    }
    require(options == 123, "options come in order");
    require(argc - optind == 1 && strcmp(argv[optind], "last") == 0, "what is left");
    return 0;
}
