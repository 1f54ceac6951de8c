/*
 * team.h - the deep stack of the exact engine, on several threads
 *
 * Thread safety: the functions belong to the thread that created the team.
 */
#ifndef MARGAY_STACKDIST_TEAM_H
#define MARGAY_STACKDIST_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <margay/stackdist.h>

struct margay_exact;
struct margay_team;

/* References after which more than one thread pays. */
#define MARGAY_TEAM_AFTER_REFS (UINT64_C(1) << 19)

/* A team of two threads is no faster than one thread, so there is one only if
   chunks were asked for. */
#define MARGAY_TEAM_LEAST_THREADS 3

/*
 * Start e->threads threads (at least 2) and hand them e's hash table and bit
 * vector, which are empty afterwards.  Fails with MARGAY_NO_MEMORY; then `e`
 * can only be freed.
 */
enum margay_status margay_team_create(struct margay_exact *e,
                                      struct margay_team **team,
                                      struct margay_error *error);

/* Stop the threads, even those that work.  NULL is fine. */
void margay_team_free(struct margay_team *team);

/*
 * References to the deep stack, as with one thread: wanted[i] leaves it,
 * demoted[i] enters it at the top, and `base` blocks are above it.  If `wanted`
 * is NULL, no block leaves; if `demoted` is NULL, no block enters, and those
 * that leave are above it from then on.  References are copied and analysed
 * later, unless indices[] is to receive d + 1 of each, or 0 for infinite.  A
 * failure may come from earlier references.
 */
enum margay_status margay_team_deep(struct margay_team *team,
                                    const uint64_t *wanted,
                                    const uint64_t *demoted, size_t count,
                                    unsigned base, uint64_t *indices,
                                    struct margay_error *error);

/* Finish what has been given, then forget all counts. */
void margay_team_clear_counts(struct margay_team *team);

/*
 * Finish what has been given, add all counts to `histogram`, and say how many
 * blocks there are and whether some were forgotten beyond the bound.  With
 * `last`, which is for the end, the hash tables and bit vectors are released
 * beforehand, and the team can then only be freed.
 */
enum margay_status margay_team_collect(struct margay_team *team,
                                       margay_histogram *histogram, bool last,
                                       uint64_t *distinct, bool *forgot,
                                       struct margay_error *error);

/* Finish what has been given; how many blocks the deep stack then has. */
uint64_t margay_team_live(struct margay_team *team);

/* After that: these blocks, the oldest first. */
void margay_team_list(struct margay_team *team, uint64_t *blocks);

#endif
