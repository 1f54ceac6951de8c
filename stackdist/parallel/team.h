/*
 * team.h - the deep part of the exact engine's stack on several threads
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

/* More threads than this are of no use to anyone yet. */
#define MARGAY_TEAM_MAX_THREADS 64

/* References that one thread analyses before it pays to have more. */
#define MARGAY_TEAM_AFTER_REFS (UINT64_C(1) << 19)

/* Two threads gain about what working together costs them, so they are a team
   only when somebody wants to see it. */
#define MARGAY_TEAM_LEAST_THREADS 3

/*
 * Start e->threads threads (at least 2) and hand them e's hash table and bit
 * vector, which are empty afterwards.  Fails with MARGAY_NO_MEMORY; then `e`
 * can only be freed.
 */
enum margay_status margay_team_create(struct margay_exact *e,
                                      struct margay_team **team,
                                      struct margay_error *error);

/* Stop the threads, whatever they are doing.  NULL is fine. */
void margay_team_free(struct margay_team *team);

/*
 * References to the deep part, as the sequential engine takes them: wanted[i]
 * leaves it, demoted[i] enters it at the top, `base` blocks stand above.  One
 * of them may be NULL: then none leaves; or nothing enters, and what left
 * stands above.  They are copied, and analysed later, unless `indices` wants d
 * + 1 of each, or 0 for infinite.  A failure may be one of earlier references.
 */
enum margay_status margay_team_deep(struct margay_team *team,
                                    const uint64_t *wanted,
                                    const uint64_t *demoted, size_t count,
                                    unsigned base, uint64_t *indices,
                                    struct margay_error *error);

/* Finish what has been given, then forget all counts. */
void margay_team_clear_counts(struct margay_team *team);

/*
 * Finish, add all counts to `histogram`, and tell how many blocks there are
 * and whether some were forgotten beyond the bound.
 */
enum margay_status margay_team_finish(struct margay_team *team,
                                      margay_histogram *histogram,
                                      uint64_t *distinct, bool *forgot,
                                      struct margay_error *error);

/* The same without an end. */
enum margay_status margay_team_peek(struct margay_team *team,
                                    margay_histogram *histogram,
                                    uint64_t *distinct, bool *forgot,
                                    struct margay_error *error);

/* Finish what has been given; how many blocks the deep part then has. */
uint64_t margay_team_live(struct margay_team *team);

/* After that: these blocks, the oldest first. */
void margay_team_list(struct margay_team *team, uint64_t *blocks);

#endif
