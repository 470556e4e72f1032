// Ranks 0 to 2 wait for ever, each in another way; rank 3 ends with the code given.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static void *wait_for_it(void *argument)
{
    sem_wait(&semaphore);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    switch (getpid() - 1000) {
    case 0:
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&condition, &mutex);
        break;
    case 1:
        pthread_mutex_lock(&mutex);
        pthread_mutex_lock(&mutex);
        break;
    case 2:
        sem_init(&semaphore, 0, 0);
        pthread_create(&thread, NULL, wait_for_it, NULL);
        pthread_join(thread, NULL);
        break;
    }
    return argc > 1 ? atoi(argv[1]) : 0;
}
