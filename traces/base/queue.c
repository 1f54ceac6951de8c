/* queue.c - a bounded queue between one producer and one consumer */
#define _GNU_SOURCE
#include "traces/base/queue.h"

#include <errno.h>
#include <time.h>

bool margay_queue_init(struct margay_queue *queue, size_t slots)
{
    *queue = (struct margay_queue){.slots = slots};
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return false;
    /* A clock that is never set back, for the timed wait. */
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    bool done = pthread_cond_init(&queue->changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (done && pthread_mutex_init(&queue->mutex, NULL) != 0) {
        pthread_cond_destroy(&queue->changed);
        done = false;
    }
    return done;
}

void margay_queue_destroy(struct margay_queue *queue)
{
    pthread_mutex_destroy(&queue->mutex);
    pthread_cond_destroy(&queue->changed);
}

bool margay_queue_reserve(struct margay_queue *queue, size_t *slot)
{
    pthread_mutex_lock(&queue->mutex);
    while (queue->published - queue->released == queue->slots &&
           !queue->cancelled)
        pthread_cond_wait(&queue->changed, &queue->mutex);
    *slot = queue->published % queue->slots;
    bool reserved = !queue->cancelled;
    pthread_mutex_unlock(&queue->mutex);
    return reserved;
}

/* Of one producer and one consumer at most one waits, so one signal does. */
static void unlock_and_wake(struct margay_queue *queue)
{
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}

void margay_queue_publish(struct margay_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    queue->published++;
    unlock_and_wake(queue);
}

void margay_queue_close(struct margay_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    queue->closed = true;
    unlock_and_wake(queue);
}

static enum margay_status state_of(const struct margay_queue *queue)
{
    if (queue->published > queue->released)
        return MARGAY_OK;
    return queue->closed ? MARGAY_END : MARGAY_AGAIN;
}

enum margay_status margay_queue_wait(struct margay_queue *queue, int wait_ms,
                                     size_t *slot)
{
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    if (wait_ms > 0) {
        deadline.tv_sec += wait_ms / 1000;
        deadline.tv_nsec += wait_ms % 1000 * 1000000L;
    }
    if (deadline.tv_nsec >= 1000000000L) {
        deadline.tv_sec++;
        deadline.tv_nsec -= 1000000000L;
    }
    int expired = 0;
    pthread_mutex_lock(&queue->mutex);
    while (state_of(queue) == MARGAY_AGAIN && expired != ETIMEDOUT) {
        if (wait_ms < 0)
            pthread_cond_wait(&queue->changed, &queue->mutex);
        else
            expired = pthread_cond_timedwait(&queue->changed, &queue->mutex,
                                             &deadline);
    }
    enum margay_status status = state_of(queue);
    *slot = queue->released % queue->slots;
    pthread_mutex_unlock(&queue->mutex);
    return status;
}

/* A producer that waits is woken for half of the slots at once. */
void margay_queue_release(struct margay_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    queue->released++;
    if (queue->published - queue->released <= queue->slots / 2)
        pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->mutex);
}

void margay_queue_cancel(struct margay_queue *queue)
{
    pthread_mutex_lock(&queue->mutex);
    queue->cancelled = true;
    unlock_and_wake(queue);
}
