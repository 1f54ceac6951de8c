/*
 * harvest.c - which words of the shared memory are to be read next
 *
 * Algorithm: a look goes through all slots once.  Full buffers are read in
 *   their turn.  Before each of them come the words that other threads have
 *   written by then, so that the words of threads are about as old as each
 *   other.
 * Guarantee: the words of a thread come in their order.  A thread that has an
 *   open buffer and a full one has filled that first, so the open one waits.
 *   Buffers that became full during a look might hide such a pair, so another
 *   look follows, and where all see such changes, open buffers wait, and so do
 *   full ones that got their turn during the last look: those of their threads
 *   that have earlier turns were full before it.
 * Cost: a look at each slot per full buffer, and one at each open buffer.
 */
#include "traces/capture/harvest.h"

#include <stdlib.h>

#include "traces/base/error.h"
#include "traces/capture/members.h"

struct margay_task {
    uint32_t buffer, words; /* up to which it is read, if whole */
    bool whole;
};

/* How often a look is repeated that saw buffers become full. */
#define LOOKS 3

/* Threads are told apart by their number up to this; two that are not keep each
   other's open buffers waiting. */
enum { OWNERS = 4096 };

enum margay_status margay_harvest_begin(struct margay_harvest *harvest,
                                        struct margay_shared_memory *shared,
                                        bool site_slots, uint32_t most_words,
                                        struct margay_error *error)
{
    *harvest = (struct margay_harvest){
        .shared = shared, .site_slots = site_slots, .most_words = most_words};
    harvest->decoding = calloc(MARGAY_MAX_BUFFERS, sizeof *harvest->decoding);
    harvest->states = calloc(MARGAY_MAX_BUFFERS, sizeof *harvest->states);
    harvest->queued = calloc(MARGAY_MAX_BUFFERS, sizeof *harvest->queued);
    /* Each buffer as it is, and then as a whole. */
    harvest->tasks =
        calloc((size_t)2 * MARGAY_MAX_BUFFERS, sizeof *harvest->tasks);
    if (harvest->decoding == NULL || harvest->states == NULL ||
        harvest->queued == NULL || harvest->tasks == NULL)
        return margay_fail_memory(error, "references of a program");
    return MARGAY_OK;
}

void margay_harvest_free(struct margay_harvest *harvest)
{
    free(harvest->decoding);
    free(harvest->states);
    free(harvest->queued);
    free(harvest->tasks);
}

/* ------------------------------------------------------------------ looks --
 */

static const struct margay_slot *slot_of(const struct margay_harvest *harvest,
                                         uint32_t buffer)
{
    return &harvest->shared->capture->slots[buffer];
}

static bool is_in(const struct margay_harvest *harvest, uint32_t buffer,
                  enum margay_stage stage)
{
    return margay_slot_stage(harvest->states[buffer]) == stage;
}

/* Load the state of each slot; false: some became full meanwhile. */
static bool look_once(struct margay_harvest *harvest)
{
    _Atomic uint32_t *fills = &harvest->shared->capture->fills;
    harvest->turns = atomic_load(fills);
    for (int i = 0; i < MARGAY_SLOT_STAGES; i++)
        harvest->counts[i] = 0;
    harvest->for_any = 0;
    for (uint32_t i = 0; i < harvest->shared->buffer_count; i++) {
        harvest->states[i] = atomic_load(&slot_of(harvest, i)->state);
        harvest->counts[margay_slot_stage(harvest->states[i])]++;
        harvest->for_any += is_in(harvest, i, MARGAY_SLOT_FREE) &&
                            atomic_load(&slot_of(harvest, i)->keeper) == 0;
    }
    return atomic_load(fills) == harvest->turns;
}

static bool look(struct margay_harvest *harvest)
{
    bool still = false;
    harvest->task = harvest->task_count = 0;
    for (int i = 0; i < LOOKS && !still; i++)
        still = look_once(harvest);
    return still;
}

static void add_task(struct margay_harvest *harvest, uint32_t buffer,
                     uint32_t words, bool whole)
{
    if (whole && harvest->queued[buffer])
        return;
    harvest->queued[buffer] = harvest->queued[buffer] || whole;
    harvest->tasks[harvest->task_count++] =
        (struct margay_task){buffer, words, whole};
}

/* Add the open buffers of threads that have no other, open or full.  All words
   of a buffer that was opened after a buffer got `turn` are newer than that
   one, so it is left out.  A thread's other buffer may have been free when the
   look came by it, so all are looked at again. */
static void add_open(struct margay_harvest *harvest, uint32_t turn)
{
    uint8_t owned[OWNERS] = {0}; /* buffers of a thread, 2 at most */
    uint16_t owner_of[MARGAY_MAX_BUFFERS];
    /* Threads move the words of a sample together before they fill a buffer. */
    if (harvest->counts[MARGAY_SLOT_OPEN] == 0 ||
        harvest->shared->capture->sampling.block_bytes != 0)
        return;
    for (uint32_t i = 0; i < harvest->shared->buffer_count; i++) {
        const struct margay_slot *slot = slot_of(harvest, i);
        enum margay_stage now = margay_slot_stage(atomic_load(&slot->state));
        owner_of[i] = (uint16_t)(atomic_load(&slot->thread) % OWNERS);
        if ((now == MARGAY_SLOT_OPEN || now == MARGAY_SLOT_FULL) &&
            owned[owner_of[i]] < 2)
            owned[owner_of[i]]++;
    }
    for (uint32_t i = 0; i < harvest->shared->buffer_count; i++) {
        if (is_in(harvest, i, MARGAY_SLOT_OPEN) && owned[owner_of[i]] == 1 &&
            turn - atomic_load(&slot_of(harvest, i)->turn) <= INT32_MAX)
            add_task(harvest, i, 0, false);
    }
}

void margay_harvest_open(struct margay_harvest *harvest)
{
    if (look(harvest))
        add_open(harvest, harvest->turns);
}

/* The number of a state is the program's. */
static uint32_t words_of(uint64_t state)
{
    uint32_t words = margay_slot_words(state);
    return words < MARGAY_BUFFER_WORDS ? words : MARGAY_BUFFER_WORDS;
}

bool margay_harvest_full(struct margay_harvest *harvest, const uint32_t *before)
{
    uint32_t first = MARGAY_MAX_BUFFERS, first_turn = 0;
    bool still = look(harvest);
    for (uint32_t i = 0; i < harvest->shared->buffer_count; i++) {
        uint32_t turn = atomic_load(&slot_of(harvest, i)->turn);
        if (!is_in(harvest, i, MARGAY_SLOT_FULL) ||
            (first != MARGAY_MAX_BUFFERS && turn - first_turn <= INT32_MAX) ||
            (before != NULL && turn - *before <= INT32_MAX) ||
            (!still && turn - harvest->turns <= INT32_MAX))
            continue;
        first = i;
        first_turn = turn;
    }
    if (first == MARGAY_MAX_BUFFERS)
        return false;
    if (still)
        add_open(harvest, first_turn);
    add_task(harvest, first, words_of(harvest->states[first]), true);
    return true;
}

/* Programs are numbered as they attach.  The message about one may come when
   its process has become another one, which has the later number. */
static bool is_before(uint32_t program, uint32_t other)
{
    return program - other > INT32_MAX;
}

void margay_harvest_remains(struct margay_harvest *harvest, uint32_t process,
                            uint32_t program)
{
    look(harvest);
    for (uint32_t i = 0; i < harvest->shared->buffer_count; i++) {
        if (is_in(harvest, i, MARGAY_SLOT_OPEN) &&
            margay_slot_process(harvest->states[i]) == process &&
            is_before(atomic_load(&slot_of(harvest, i)->program), program))
            add_task(harvest, i, MARGAY_BUFFER_WORDS, true);
    }
}

/* A buffer that its thread had not opened yet has no words. */
static void add_dead(struct margay_harvest *harvest, uint32_t buffer)
{
    uint64_t state = harvest->states[buffer];
    atomic_store(&harvest->shared->capture->slots[buffer].keeper, 0);
    if (is_in(harvest, buffer, MARGAY_SLOT_TAKEN))
        margay_slots_free(harvest->shared->capture, buffer, 0);
    else
        add_task(harvest, buffer,
                 is_in(harvest, buffer, MARGAY_SLOT_FULL) ? words_of(state)
                                                          : MARGAY_BUFFER_WORDS,
                 true);
}

/* A free buffer is kept for no thread of a dead process. */
static void release_of_dead(struct margay_harvest *harvest, uint32_t buffer)
{
    _Atomic uint64_t *keeper = &harvest->shared->capture->slots[buffer].keeper;
    uint64_t now = atomic_load(keeper);
    if (now != 0 && margay_process_is_dead((uint32_t)(now >> 32)))
        harvest->for_any += atomic_compare_exchange_strong(keeper, &now, 0);
}

void margay_harvest_share(struct margay_harvest *harvest)
{
    for (uint32_t i = 0; i < harvest->shared->buffer_count; i++) {
        if (is_in(harvest, i, MARGAY_SLOT_FREE))
            atomic_store(&harvest->shared->capture->slots[i].keeper, 0);
    }
}

/* A buffer that became full since the last call of margay_harvest_full() comes
   before those that its thread has taken since, and waits for the next call. */
bool margay_harvest_dead(struct margay_harvest *harvest, bool all)
{
    bool every = true;
    look(harvest);
    if (harvest->counts[MARGAY_SLOT_FULL] > 0 && !all)
        return false;
    for (uint32_t i = 0; i < harvest->shared->buffer_count; i++) {
        if (is_in(harvest, i, MARGAY_SLOT_FREE))
            release_of_dead(harvest, i);
        else if (all || margay_process_is_dead(
                            margay_slot_process(harvest->states[i])))
            add_dead(harvest, i);
        else
            every = false;
    }
    return every;
}

/* ------------------------------------------------------------------ words --
 */

static bool is_unused(uint64_t word)
{
    return word == 0 || word == MARGAY_WORD_END;
}

/* The end of the words written so far. */
static uint32_t written_words(const struct margay_harvest *harvest,
                              uint32_t buffer)
{
    const uint64_t *words = harvest->shared->buffers[buffer];
    uint32_t end = harvest->decoding[buffer].words;
    while (end < MARGAY_BUFFER_WORDS &&
           !is_unused(__atomic_load_n(&words[end], __ATOMIC_ACQUIRE)))
        end++;
    return end;
}

/* The end of the words in a buffer to which none is added. */
static uint32_t without_unused(const uint64_t *words, uint32_t from,
                               uint32_t end)
{
    while (end > from && is_unused(words[end - 1]))
        end--;
    return end;
}

/* A task of too many words stays, for the others. */
static void shorten(struct margay_harvest *harvest, uint32_t from,
                    struct margay_yield *yield)
{
    if (yield->end - from <= harvest->most_words)
        return;
    yield->end = from + harvest->most_words;
    yield->whole = false;
    harvest->task--;
}

bool margay_harvest_next(struct margay_harvest *harvest,
                         struct margay_yield *yield)
{
    while (harvest->task < harvest->task_count) {
        const struct margay_task task = harvest->tasks[harvest->task++];
        struct margay_decoding *decoding = &harvest->decoding[task.buffer];
        uint32_t from = decoding->words;
        uint32_t end =
            task.whole ? without_unused(harvest->shared->buffers[task.buffer],
                                        from, task.words)
                       : written_words(harvest, task.buffer);
        decoding->slots = harvest->site_slots;
        *yield = (struct margay_yield){
            .buffer = task.buffer,
            .end = end > from ? end : from,
            .thread = atomic_load(&slot_of(harvest, task.buffer)->thread),
            .whole = task.whole,
        };
        shorten(harvest, from, yield);
        if (end > from)
            return true;
        margay_harvest_done(harvest, yield);
    }
    return false;
}

void margay_harvest_done(struct margay_harvest *harvest,
                         const struct margay_yield *yield)
{
    struct margay_decoding *decoding = &harvest->decoding[yield->buffer];
    if (!yield->whole) {
        margay_decode_controls(
            decoding, harvest->shared->buffers[yield->buffer], yield->end);
        return;
    }
    *decoding = (struct margay_decoding){.words = 0};
    harvest->queued[yield->buffer] = false;
    /* It may have become full since its state was looked at, where its process
       has died since. */
    uint64_t last =
        margay_slots_free(harvest->shared->capture, yield->buffer, yield->end);
    if (margay_slot_stage(last) == MARGAY_SLOT_FULL)
        harvest->taken += words_of(last);
}
