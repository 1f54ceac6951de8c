/*
 * harvest.c - the order of the words in the memory shared with programs
 *
 * Algorithm: a look goes through all slots once.  Full buffers are read in
 *   their turn, each together with the words that other threads had written
 *   when it became full, as its marks show.  When none is full, words of open
 *   buffers are read.  Buffers that are read together come in the order in
 *   which they were opened: a thread that makes another one has an open buffer
 *   before the new thread opens its first.
 * Guarantee: the words of a thread come in their order: of its buffers that are
 *   not full, only the one opened first is read.  The words that a thread wrote
 *   before it made another thread come before all words of that thread, and
 *   words written after a buffer was full come after it; if no sample is
 *   chosen, this holds for 58 other threads, and the first open buffer of each.
 *   Where a buffer becomes full during a look, another look follows; if this
 *   goes on, open buffers wait, and so do full ones that got their turn during
 *   the last look: buffers of their threads with earlier turns were full before
 *   it.
 * Cost: a look at each slot per full buffer, and another one for each mark.
 */
#define _POSIX_C_SOURCE 200809L
#include "traces/capture/harvest.h"

#include <errno.h>
#include <signal.h>

/* How often a look is repeated that saw buffers become full. */
#define LOOKS 3

/* ----------------------------------------------------------------- looks -- */

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
static bool look(struct margay_harvest *harvest)
{
    _Atomic uint32_t *fills = &harvest->shared->capture->fills;
    bool still = false;
    harvest->task = harvest->task_count = 0;
    for (int looks = 0; looks < LOOKS && !still; looks++) {
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
        still = atomic_load(fills) == harvest->turns;
    }
    return still;
}

/* Add words of a buffer before those of buffers that were opened later, perhaps
   by threads that this one's thread made. */
static void add_by_opening(struct margay_harvest *harvest,
                           struct margay_task task)
{
    struct margay_task *tasks = harvest->tasks;
    size_t at = harvest->task_count++;
    for (; at > 0 &&
           margay_slot_is_before(slot_of(harvest, task.buffer),
                                 slot_of(harvest, tasks[at - 1].buffer));
         at--)
        tasks[at] = tasks[at - 1];
    tasks[at] = task;
}

/* Add the rest of a buffer. */
static void add_rest(struct margay_harvest *harvest, uint32_t buffer,
                     uint32_t words)
{
    if (!harvest->queued[buffer])
        add_by_opening(harvest, (struct margay_task){buffer, words, true});
    harvest->queued[buffer] = true;
}

/* The end of the words written so far, of the first `most`. */
static uint32_t written_words(const struct margay_harvest *harvest,
                              uint32_t buffer, uint32_t most)
{
    const uint64_t *words = harvest->shared->buffers[buffer];
    uint32_t end = harvest->decoding[buffer].words;
    while (
        end < most && end < MARGAY_BUFFER_WORDS &&
        !margay_word_is_unused(__atomic_load_n(&words[end], __ATOMIC_ACQUIRE)))
        end++;
    return end;
}

static bool has_words(const struct margay_harvest *harvest, uint32_t buffer)
{
    enum margay_stage now =
        margay_slot_stage(atomic_load(&slot_of(harvest, buffer)->state));
    return now == MARGAY_SLOT_OPEN || now == MARGAY_SLOT_FULL;
}

/* Is it open or full, and the first of its thread?  All are checked again,
   because one may have been free when the look came to it. */
static bool is_first(const struct margay_harvest *harvest, uint32_t buffer)
{
    uint32_t thread = atomic_load(&slot_of(harvest, buffer)->thread);
    bool first = has_words(harvest, buffer);
    for (uint32_t i = 0; i < harvest->shared->buffer_count && first; i++)
        first = i == buffer || !has_words(harvest, i) ||
                atomic_load(&slot_of(harvest, i)->thread) != thread ||
                margay_slot_is_before(slot_of(harvest, buffer),
                                      slot_of(harvest, i));
    return first;
}

/* The words that other threads had written when a buffer became full.  Marks
   come from the program. */
static void add_marked(struct margay_harvest *harvest, uint32_t full)
{
    const struct margay_slot *slot = slot_of(harvest, full);
    uint32_t count = atomic_load(&slot->mark_count);
    for (uint32_t i = 0; i < count && i < MARGAY_SLOT_MARKS; i++) {
        const struct margay_mark *mark = &slot->marks[i];
        uint32_t buffer = atomic_load(&mark->buffer);
        if (buffer < harvest->shared->buffer_count && buffer != full &&
            atomic_load(&slot_of(harvest, buffer)->opening) ==
                atomic_load(&mark->opening) &&
            is_first(harvest, buffer))
            add_by_opening(
                harvest,
                (struct margay_task){buffer, atomic_load(&mark->words), false});
    }
}

/* No buffer is full, or becomes so before all ends are known, so all words
   found are younger than the last full buffer. */
void margay_harvest_open(struct margay_harvest *harvest)
{
    bool still = look(harvest);
    if (!still || harvest->counts[MARGAY_SLOT_FULL] > 0 ||
        harvest->counts[MARGAY_SLOT_OPEN] == 0)
        return;
    for (uint32_t i = 0; i < harvest->shared->buffer_count; i++) {
        if (is_in(harvest, i, MARGAY_SLOT_OPEN) && is_first(harvest, i))
            add_by_opening(
                harvest,
                (struct margay_task){
                    i, written_words(harvest, i, MARGAY_BUFFER_WORDS), false});
    }
    if (atomic_load(&harvest->shared->capture->fills) != harvest->turns)
        harvest->task_count = 0;
}

/* The number of a state comes from the program. */
static uint32_t words_of(uint64_t state)
{
    uint32_t words = margay_slot_words(state);
    return words < MARGAY_BUFFER_WORDS ? words : MARGAY_BUFFER_WORDS;
}

bool margay_harvest_full(struct margay_harvest *harvest)
{
    uint32_t first = MARGAY_MAX_BUFFERS, first_turn = 0;
    bool still = look(harvest);
    for (uint32_t i = 0; i < harvest->shared->buffer_count; i++) {
        uint32_t turn = atomic_load(&slot_of(harvest, i)->turn);
        if (!is_in(harvest, i, MARGAY_SLOT_FULL) ||
            (first != MARGAY_MAX_BUFFERS && turn - first_turn <= INT32_MAX) ||
            (!still && turn - harvest->turns <= INT32_MAX))
            continue;
        first = i;
        first_turn = turn;
    }
    if (first == MARGAY_MAX_BUFFERS)
        return false;
    add_marked(harvest, first);
    add_rest(harvest, first, words_of(harvest->states[first]));
    return true;
}

void margay_harvest_share(struct margay_harvest *harvest)
{
    for (uint32_t i = 0; i < harvest->shared->buffer_count; i++) {
        if (is_in(harvest, i, MARGAY_SLOT_FREE))
            atomic_store(&harvest->shared->capture->slots[i].keeper, 0);
    }
}

/* Whether a process of another name space is dead cannot be known. */
static bool is_dead(uint32_t process)
{
    return process == 0 || process > INT32_MAX ||
           (process < MARGAY_FIRST_FOREIGNER && kill((pid_t)process, 0) != 0 &&
            errno == ESRCH);
}

/* A buffer that became full since the last call of margay_harvest_full() comes
   before those that its thread has taken since, and waits for the next call.  A
   free one is kept for no thread of a dead process, and one that its thread had
   not opened yet has no words. */
bool margay_harvest_dead(struct margay_harvest *harvest, bool all)
{
    bool every = true;
    look(harvest);
    if (harvest->counts[MARGAY_SLOT_FULL] > 0 && !all)
        return false;
    for (uint32_t i = 0; i < harvest->shared->buffer_count; i++) {
        const uint64_t state = harvest->states[i];
        _Atomic uint64_t *keeper = &harvest->shared->capture->slots[i].keeper;
        uint64_t kept_for = atomic_load(keeper);
        if (is_in(harvest, i, MARGAY_SLOT_FREE)) {
            if (kept_for != 0 && is_dead(margay_slot_process(kept_for)))
                harvest->for_any +=
                    atomic_compare_exchange_strong(keeper, &kept_for, 0);
        } else if (all || is_dead(margay_slot_process(state))) {
            atomic_store(keeper, 0);
            if (is_in(harvest, i, MARGAY_SLOT_TAKEN))
                margay_slots_free(harvest->shared->capture, i, 0);
            else
                add_rest(harvest, i,
                         is_in(harvest, i, MARGAY_SLOT_FULL)
                             ? words_of(state)
                             : MARGAY_BUFFER_WORDS);
        } else {
            every = false;
        }
    }
    return every;
}

/* ----------------------------------------------------------------- words -- */

bool margay_harvest_next(struct margay_harvest *harvest,
                         struct margay_yield *yield)
{
    while (harvest->task < harvest->task_count) {
        const struct margay_task task = harvest->tasks[harvest->task++];
        struct margay_decoding *decoding = &harvest->decoding[task.buffer];
        const uint64_t *words = harvest->shared->buffers[task.buffer];
        uint32_t from = decoding->words, end = task.words;
        if (!task.whole)
            end = written_words(harvest, task.buffer, task.words);
        while (task.whole && end > from &&
               margay_word_is_unused(words[end - 1]))
            end--;
        decoding->slots = harvest->site_slots;
        *yield = (struct margay_yield){
            .buffer = task.buffer,
            .end = end > from ? end : from,
            .thread = atomic_load(&slot_of(harvest, task.buffer)->thread),
            .whole = task.whole,
        };
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
