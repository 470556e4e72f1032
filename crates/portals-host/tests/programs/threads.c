// POSIX threads: mutexes, conditions, and the rest of what threads wait at.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void require_at(int holds, const char *what, int line)
{
    if (!holds) {
        printf("line %d: not so: %s\n", line, what);
        exit(1);
    }
}
#define REQUIRE(what) require_at((what), #what, __LINE__)

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static struct timespec in(double seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    time.tv_sec += (long)seconds;
    time.tv_nsec += (long)((seconds - (long)seconds) * 1e9);
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t semaphore;
static int shared, done_once, destroyed, serial;
static __thread int own = 3;
static __thread char far_own[100];

static void count_once(void)
{
    usleep(10);
    done_once++;
}

static void destroy(void *value)
{
    destroyed += *(int *)value;
}

static void *work(void *argument)
{
    int number = *(int *)argument;
    REQUIRE(own == 3 && far_own[99] == 0);
    own = number;
    far_own[99] = number;
    errno = number;
    pthread_once(&once, count_once);
    pthread_setspecific(key, argument);
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&mutex);
        int before = shared;
        usleep(1);
        shared = before + 1;
        pthread_mutex_unlock(&mutex);
    }
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial++;
    REQUIRE(own == number && far_own[99] == number && errno == number);
    REQUIRE(pthread_getspecific(key) == argument);
    pthread_spin_lock(&spin);
    usleep(1);
    pthread_spin_unlock(&spin);
    return argument;
}

static void *signaller(void *argument)
{
    usleep(100);
    pthread_mutex_lock(&mutex);
    *(int *)argument = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *reader(void *argument)
{
    REQUIRE(pthread_rwlock_rdlock(&lock) == 0);
    usleep(100);
    REQUIRE(pthread_rwlock_unlock(&lock) == 0);
    return argument;
}

static void clean_up(void *argument)
{
    *(int *)argument += 10;
}

static void *leaves(void *argument)
{
    pthread_cleanup_push(clean_up, argument);
    pthread_cleanup_push(clean_up, argument);
    usleep(5);
    pthread_exit((void *)42);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *posts(void *argument)
{
    usleep(50);
    sem_post(&semaphore);
    return argument;
}

static void kinds(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t recursive, checking;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &attributes);
    REQUIRE(pthread_mutex_lock(&recursive) == 0 && pthread_mutex_lock(&recursive) == 0);
    REQUIRE(pthread_mutex_destroy(&recursive) == EBUSY);
    REQUIRE(pthread_mutex_unlock(&recursive) == 0 && pthread_mutex_unlock(&recursive) == 0);
    REQUIRE(pthread_mutex_unlock(&recursive) == EPERM);
    REQUIRE(pthread_mutex_destroy(&recursive) == 0);
    REQUIRE(pthread_mutex_lock(&checking) == 0 && pthread_mutex_lock(&checking) == EDEADLK);
    REQUIRE(pthread_mutex_trylock(&checking) == EBUSY);
    REQUIRE(pthread_mutex_unlock(&checking) == 0 && pthread_mutex_unlock(&checking) == EPERM);
}

int main(void)
{
    pthread_t threads[3];
    int numbers[] = {1, 2, 3}, flag = 0, value;
    void *result;
    struct timespec limit;
    double start;

    kinds();
    pthread_key_create(&key, destroy);
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_spin_init(&spin, 0);
    start = now();
    for (int i = 0; i < 3; i++)
        REQUIRE(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
    REQUIRE(!pthread_equal(threads[0], threads[1]) && pthread_equal(pthread_self(), pthread_self()));
    for (int i = 0; i < 3; i++) {
        REQUIRE(pthread_join(threads[i], &result) == 0);
        REQUIRE(result == &numbers[i]);
        REQUIRE(pthread_join(threads[i], NULL) == ESRCH);
    }
    REQUIRE(shared == 30 && done_once == 1 && destroyed == 6 && serial == 1);
    REQUIRE(own == 3);
    // 10 us for what is done once, 30 times 1 us under the mutex, 3 times 1 us under the spinning lock
    printf("three threads took %.0f us\n", (now() - start) * 1e6);
    REQUIRE(pthread_join(pthread_self(), NULL) == EDEADLK);

    pthread_create(&threads[0], NULL, signaller, &flag);
    pthread_mutex_lock(&mutex);
    while (!flag)
        REQUIRE(pthread_cond_wait(&condition, &mutex) == 0);
    limit = in(0.5);
    start = now();
    REQUIRE(pthread_cond_timedwait(&condition, &mutex, &limit) == ETIMEDOUT);
    printf("timed out after %.3f s\n", now() - start);
    REQUIRE(pthread_mutex_trylock(&mutex) == EBUSY);
    pthread_mutex_unlock(&mutex);
    pthread_join(threads[0], NULL);

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    start = now();
    usleep(10);
    REQUIRE(pthread_rwlock_trywrlock(&lock) == EBUSY && pthread_rwlock_tryrdlock(&lock) == 0);
    REQUIRE(pthread_rwlock_unlock(&lock) == 0);
    REQUIRE(pthread_rwlock_wrlock(&lock) == 0);
    printf("readers together took %.0f us\n", (now() - start) * 1e6);
    limit = in(0.001);
    REQUIRE(pthread_rwlock_timedrdlock(&lock, &limit) == EDEADLK);
    pthread_rwlock_unlock(&lock);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);

    flag = 1;
    pthread_create(&threads[0], NULL, leaves, &flag);
    pthread_join(threads[0], &result);
    REQUIRE(result == (void *)42 && flag == 21);

    sem_init(&semaphore, 0, 1);
    REQUIRE(sem_wait(&semaphore) == 0 && sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    pthread_create(&threads[0], NULL, posts, NULL);
    REQUIRE(sem_wait(&semaphore) == 0 && sem_getvalue(&semaphore, &value) == 0 && value == 0);
    limit = in(0.25);
    REQUIRE(sem_timedwait(&semaphore, &limit) == -1 && errno == ETIMEDOUT);
    REQUIRE(pthread_detach(threads[0]) == 0 && pthread_join(threads[0], NULL) == EINVAL);

    // A thread that lives on after main has left.
    pthread_create(&threads[0], NULL, posts, NULL);
    pthread_exit(NULL);
}
