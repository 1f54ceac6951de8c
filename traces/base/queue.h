/*
 * queue.h - a bounded queue between one producer and one consumer
 *
 * The queue hands out the numbers of slots, 0 .. slots - 1 in a ring; its user
 * keeps the contents.  Invariant: a slot belongs to the producer from reserve
 * to publish, to the consumer from wait to release, and to neither otherwise.
 */
#ifndef MARGAY_TRACES_BASE_QUEUE_H
#define MARGAY_TRACES_BASE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <margay/status.h>

struct margay_queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t slots;
    size_t published; /* slots ever published */
    size_t released;  /* slots ever released */
    bool closed;      /* the producer publishes no more */
    bool cancelled;   /* the consumer takes no more */
};

/* False if the system refuses; there is then nothing to destroy. */
bool margay_queue_init(struct margay_queue *queue, size_t slots);
void margay_queue_destroy(struct margay_queue *queue);

/* Producer: wait for a free slot.  False: the consumer has cancelled. */
bool margay_queue_reserve(struct margay_queue *queue, size_t *slot);
void margay_queue_publish(struct margay_queue *queue);

/* Producer: publish no more.  The consumer that sees MARGAY_END also sees
   everything that the producer wrote before. */
void margay_queue_close(struct margay_queue *queue);

/* Consumer: wait up to `wait_ms` milliseconds (-1 = for ever) for the oldest
   published slot.  MARGAY_OK, MARGAY_AGAIN, or MARGAY_END when the queue is
   closed and empty. */
enum margay_status margay_queue_wait(struct margay_queue *queue, int wait_ms,
                                     size_t *slot);
void margay_queue_release(struct margay_queue *queue);

/* Consumer: every reserve of the producer fails from now on. */
void margay_queue_cancel(struct margay_queue *queue);

#endif
