// Threads of the C language.
#include <stdio.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t condition;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int turns, initialised, destroyed;
static _Thread_local int own = 2;

static void initialise(void)
{
    initialised++;
}

static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static int work(void *argument)
{
    struct timespec time = {0, 1000};
    call_once(&once, initialise);
    tss_set(key, argument);
    own += *(int *)argument;
    mtx_lock(&mutex);
    mtx_lock(&mutex);
    thrd_sleep(&time, NULL);
    turns++;
    cnd_signal(&condition);
    mtx_unlock(&mutex);
    mtx_unlock(&mutex);
    return -own;
}

int main(void)
{
    thrd_t threads[2];
    int numbers[] = {10, 20}, results[2];
    mtx_init(&mutex, mtx_plain | mtx_recursive);
    cnd_init(&condition);
    tss_create(&key, destroy);
    for (int i = 0; i < 2; i++)
        if (thrd_create(&threads[i], work, &numbers[i]) != thrd_success)
            return 1;
    mtx_lock(&mutex);
    while (turns < 2)
        cnd_wait(&condition, &mutex);
    mtx_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        if (thrd_join(threads[i], &results[i]) != thrd_success)
            return 2;
    printf("%d %d %d %d %d\n", results[0], results[1], initialised, destroyed, own);
    return 0;
}
