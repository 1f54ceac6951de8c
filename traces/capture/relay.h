/*
 * relay.h - words that reach the reader of a pipe in memory
 *
 * Algorithm: the writer of a pipe makes a ring of slots in memory without a
 *   name, and writes the place of that memory into the pipe.  A reader at the
 *   very end of this pipe maps the memory and notes that in it.  From then on
 *   the words of a chunk lie in the next slot, and only the head of the chunk
 *   goes through the pipe.  The reader counts the slots that it has read; the
 *   writer sleeps while all are in use.
 * Guarantee: the words and their order are those of the pipe alone.  A reader
 *   that does not know the memory, or is not connected directly (`tee`, `cat`,
 *   a file), gets all words through the pipe.  So does one in another name
 *   space of processes, where the place means something else: the memory has
 *   the number of its pipe.  A reader that dies ends the writer as it would
 *   without the memory, at the next write into the pipe; where others read on,
 *   they get the words that follow.  A writer that dies leaves a trace that is
 *   cut.  The reader says so, as it does where it has not read all words that
 *   were put, because another reads from the same pipe.
 * Cost: one copy of each word, by the writer, in memory that stays in the
 *   caches; a pipe takes two, by the system.
 */
#ifndef MARGAY_TRACES_CAPTURE_RELAY_H
#define MARGAY_TRACES_CAPTURE_RELAY_H

#include <stdbool.h>
#include <stdint.h>

/* ----------------------------------------------------- the writer's side -- */

struct margay_relay;

/* Offer memory to the reader of the pipe that `descriptor` writes into.  NULL:
   the descriptor is of no pipe, or the system has no such memory. */
struct margay_relay *margay_relay_offer(int descriptor);

/* NULL is fine. */
void margay_relay_withdraw(struct margay_relay *relay);

/* The control words (stream.h) that lead a reader to the memory.  False: it has
   them already, because words were put. */
#define MARGAY_RELAY_OFFER_WORDS 2
bool margay_relay_describe(const struct margay_relay *relay,
                           uint64_t words[MARGAY_RELAY_OFFER_WORDS]);

/* Does the reader look for words in the memory? */
bool margay_relay_is_taken(const struct margay_relay *relay);

/* Does a reader wait for the last bytes of the pipe, the offer or the head of a
   chunk whose words are in the memory? */
bool margay_relay_is_awaited(const struct margay_relay *relay);

/* Put `count` words, MARGAY_BUFFER_WORDS at most, into the next slot, after a
   wait while all are in use; false: there is no such reader, or none any
   more. */
bool margay_relay_put(struct margay_relay *relay, const uint64_t *words,
                      uint32_t count);

/* All words have been put.  A writer that dies before leaves the reader without
   an end.  NULL is fine. */
void margay_relay_conclude(struct margay_relay *relay);

/* ----------------------------------------------------- the reader's side -- */

struct margay_relay_end;

/* Take the memory that these words name, if `pipe`, the number of the pipe that
   is read (0 = none), is the one that the writer writes into.  NULL: it is not,
   or the memory is not there. */
struct margay_relay_end *margay_relay_take(
    const uint64_t words[MARGAY_RELAY_OFFER_WORDS], uint64_t pipe);

/* The words of the next slot, whose number is in the head in the pipe.  The
   slot before becomes free. */
const uint64_t *margay_relay_next(struct margay_relay_end *end, uint32_t count);

/* Has the writer put all its words, and have they been read? */
bool margay_relay_has_ended(const struct margay_relay_end *end);

/* NULL is fine. */
void margay_relay_leave(struct margay_relay_end *end);

#endif
