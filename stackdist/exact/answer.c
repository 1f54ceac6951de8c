/*
 * answer.c - the exact engine as one part of a trace
 *
 * Algorithm: later parts ask about their first touches, and the stack at the
 *   end of this part answers for the blocks that it has.  The threads divide a
 *   list of questions into shares.  Each looks up pieces of the list, and then
 *   ranks its share in a copy of the bit vector, from which the blocks of all
 *   earlier shares have been cleared without ranking them.  No block is asked
 *   about twice: the asking part has the block from then on or, with a bound,
 *   may not ask again.
 * Source: ours; the questions and answers are PARDA's (parts/part.h).
 * Cost: for n questions on p threads, n / p look-ups, ranks of n / p blocks and
 *   up to n cleared bits, and the copy.
 */
#include "stackdist/exact/exact_state.h"

#include <string.h>

#include "stackdist/histogram.h"

/* The capacity of the array of first touches at the beginning. */
#define FIRST_TOUCHES ((uint64_t)1 << 12)
#define MOST_AT_FIRST ((uint64_t)1 << 27)

/* Memory is reserved for expected blocks from LEAST_EXPECTED on, where it makes
   a difference, and for MOST_EXPECTED at most, as the estimate may be wrong. */
#define MOST_EXPECTED  ((uint64_t)1 << 25)
#define LEAST_EXPECTED ((uint64_t)1 << 15)

/* Questions looked up together. */
#define PIECE       ((size_t)4096)
#define MOST_SHARES 64

/* --------------------------------------------------------- first touches -- */

static enum margay_status make_touches(struct margay_exact *e,
                                       uint64_t capacity,
                                       struct margay_error *error)
{
    size_t bytes;
    uint64_t *touches = NULL;
    if (margay_multiply_size(capacity, sizeof *touches, &bytes))
        touches = margay_map(bytes);
    if (touches == NULL)
        return margay_fail_memory(error, "the first touches of a part");
    if (e->touch_count > 0)
        memcpy(touches, e->touches, e->touch_count * sizeof *touches);
    margay_unmap(e->touches, e->touch_capacity * sizeof *touches);
    e->touches = touches;
    e->touch_capacity = capacity;
    return MARGAY_OK;
}

/* A batch writes after the last touch, whether or not it has any. */
enum margay_status margay_exact_reserve_touches(struct margay_exact *e,
                                                struct margay_error *error)
{
    if (e->touch_count + MARGAY_EXACT_BATCH <= e->touch_capacity)
        return MARGAY_OK;
    return make_touches(e, 2 * e->touch_capacity, error);
}

/* Reserving saves copies when arrays grow.  Memory for touches is not used
   before it is written, but a hash table is written everywhere from the
   beginning. */
enum margay_status margay_exact_begin(void *state,
                                      const struct margay_expected *expected,
                                      uint64_t limit,
                                      struct margay_error *error)
{
    struct margay_exact *e = state;
    uint64_t refs = margay_minimum(limit, expected->refs);
    uint64_t blocks = margay_minimum(
        expected->blocks,
        margay_minimum(MOST_EXPECTED, margay_exact_most_live(e)));
    e->expected_refs = expected->refs;
    e->touch_limit = limit;
    enum margay_status status = MARGAY_OK;
    if (blocks > LEAST_EXPECTED)
        status = margay_exact_expect(e, blocks, error);
    if (status == MARGAY_OK && limit > 0)
        status = make_touches(
            e, margay_minimum(refs, MOST_AT_FIRST) + FIRST_TOUCHES, error);
    return status;
}

uint64_t *margay_exact_touches(void *state, size_t *count)
{
    struct margay_exact *e = state;
    *count = (size_t)e->touch_count;
    return e->touches;
}

enum margay_status margay_exact_close(void *state, struct margay_error *error)
{
    struct margay_exact *e = state;
    enum margay_status status = margay_exact_empty_filter(e, error);
    e->kernel->count_pending(e);
    return status;
}

uint64_t margay_exact_left(const void *state)
{
    const struct margay_exact *e = state;
    return e->rank.live;
}

/* ------------------------------------------------------------- questions -- */

struct answer {
    struct margay_exact *e;
    struct margay_part_question *question;
    uint64_t *timestamps; /* of the blocks asked about */
    unsigned shares;
    uint64_t absent[MOST_SHARES]; /* of each, the blocks that are not here */
    struct margay_rank ranks[MOST_SHARES]; /* copies, but for the first */
    enum margay_status statuses[MOST_SHARES];
};

/* Where share i of the questions begins. */
static size_t share_begin(const struct answer *answer, unsigned i)
{
    size_t count = answer->question->count;
    return count / answer->shares * i +
           count % answer->shares * i / answer->shares;
}

/* The first tasks make a copy each; the others look up a piece each. */
static void copy_or_find(void *context, size_t i)
{
    struct answer *answer = context;
    struct margay_part_question *question = answer->question;
    if (i + 1 < answer->shares) {
        answer->statuses[i + 1] = margay_rank_copy_bits(
            &answer->e->rank, &answer->ranks[i + 1], NULL);
        return;
    }
    size_t begin = (i + 1 - answer->shares) * PIECE;
    size_t count = margay_minimum(question->count - begin, PIECE);
    answer->e->kernel->find(answer->e, question->blocks + begin, count,
                            answer->timestamps + begin);
}

/* Rank questions in e->rank.  Its `live` counts the questions before these,
   too, as their blocks are above all blocks in the vector.  *absent grows by
   the blocks that are not here. */
static enum margay_status rank_questions(struct margay_exact *e,
                                         const uint64_t *timestamps,
                                         size_t count, uint64_t *absent)
{
    enum margay_status status =
        margay_exact_reserve_counters(e, e->rank.live + count, NULL);
    if (status != MARGAY_OK)
        return status;
    for (size_t done = 0, some; done < count; done += some) {
        size_t rest = count - done;
        some = rest < MARGAY_EXACT_BATCH ? rest : MARGAY_EXACT_BATCH;
        size_t ahead = rest - some < some ? rest - some : some;
        for (size_t i = 0; i < ahead; i++)
            margay_rank_prefetch(&e->rank, timestamps[done + some + i]);
        e->kernel->count_pending(e);
        *absent += e->kernel->rank_found(e, timestamps + done, some);
    }
    e->kernel->count_pending(e);
    return MARGAY_OK;
}

/* A task: rank share i.  Engine i lends all of its memory but the bits, and
   counts the distances. */
static void rank_share(void *context, size_t i)
{
    struct answer *answer = context;
    struct margay_part_question *question = answer->question;
    struct margay_exact *e = question->helpers[i];
    struct margay_rank own = e->rank;
    size_t begin = share_begin(answer, (unsigned)i);
    size_t end = share_begin(answer, (unsigned)i + 1);
    if (e != answer->e) {
        /* The copy of the share, without the blocks of the shares before it. */
        e->rank = answer->ranks[i];
        uint64_t cold = e->kernel->clear(&e->rank, answer->timestamps, begin);
        e->rank.live -= begin - cold;
        e->kernel->refresh(&e->rank, e->rank.next);
    }
    e->rank.live += question->asked + begin;
    answer->absent[i] = 0;
    answer->statuses[i] = rank_questions(e, answer->timestamps + begin,
                                         end - begin, &answer->absent[i]);
    e->rank.live -= question->asked + end;
    answer->ranks[i] = e->rank;
    if (e != answer->e)
        e->rank = own;
    /* Move the blocks of the share that are not here to its beginning. */
    size_t kept = begin;
    for (size_t k = begin; k < end && !question->last; k++) {
        question->blocks[kept] = question->blocks[k];
        kept += answer->timestamps[k] == 0;
    }
}

static enum margay_status run_answer(struct answer *answer)
{
    struct margay_part_question *question = answer->question;
    size_t pieces = (question->count + PIECE - 1) / PIECE;
    enum margay_status status = MARGAY_OK;
    margay_crew_run(question->crew, copy_or_find, answer,
                    answer->shares - 1 + pieces);
    for (unsigned i = 1; i < answer->shares; i++) {
        if (answer->statuses[i] != MARGAY_OK)
            status = answer->statuses[i];
    }
    if (status == MARGAY_OK)
        margay_crew_run(question->crew, rank_share, answer, answer->shares);
    for (unsigned i = 0; i < answer->shares && status == MARGAY_OK; i++)
        status = answer->statuses[i];
    if (status != MARGAY_OK) {
        for (unsigned i = 1; i < answer->shares; i++)
            margay_rank_destroy(&answer->ranks[i]);
        return status;
    }
    /* All blocks asked about have been cleared from the bits of the last
       share. */
    unsigned last = answer->shares - 1;
    for (unsigned i = 0; i < last; i++)
        margay_rank_destroy(&answer->ranks[i]);
    answer->e->rank = answer->ranks[last];
    size_t absent = 0;
    for (unsigned i = 0; i < answer->shares; i++) {
        if (!question->last)
            memmove(question->blocks + absent,
                    question->blocks + share_begin(answer, i),
                    answer->absent[i] * sizeof *question->blocks);
        absent += answer->absent[i];
    }
    question->count = question->last ? 0 : absent;
    /* Blocks that no earlier part can have are at infinite distance. */
    return question->last ? margay_histogram_add(answer->e->histogram,
                                                 MARGAY_INFINITE, absent, NULL)
                          : MARGAY_OK;
}

enum margay_status margay_exact_answer(void *state,
                                       struct margay_part_question *question,
                                       struct margay_error *error)
{
    /* The number of shares that are worth their copies. */
    size_t least =
        question->least_share == 0 ? MARGAY_LEAST_SHARE : question->least_share;
    size_t most = margay_minimum(question->count / least, MOST_SHARES);
    size_t shares = margay_minimum(question->helper_count, most);
    struct answer run = {.e = state,
                         .question = question,
                         .shares = shares < 1 ? 1 : (unsigned)shares};
    size_t bytes = question->count * sizeof *run.timestamps;
    if (question->count == 0)
        return MARGAY_OK;
    run.timestamps = question->last ? question->blocks : margay_map(bytes);
    if (run.timestamps == NULL)
        return margay_fail_memory(error, "the answers of a part");
    enum margay_status status = run_answer(&run);
    if (!question->last)
        margay_unmap(run.timestamps, bytes);
    return status == MARGAY_OK
               ? MARGAY_OK
               : margay_fail_memory(error, "the answers of a part");
}
