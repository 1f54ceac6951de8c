/* cluster.c - one pass over a trace, on all ranks of a cluster */
#include "stackdist/parts/cluster.h"

#include <stdlib.h>
#include <string.h>

#include "stackdist/histogram.h"
#include "stackdist/parts/row.h"

struct margay_cluster {
    const struct margay_transport *transport;
    const char *spec;
    struct margay_engine_options options;
    bool turned; /* position 0 is the last rank */
    margay_crew *crew;
    struct margay_row row;
    margay_histogram *counts; /* this rank's, of all phases */
    uint64_t *stack;          /* at position 0, from the last phase */
    uint64_t stack_count;
    uint64_t left; /* blocks that no other rank has */
    bool exceeded;
};

enum margay_status margay_cluster_create(
    const struct margay_transport *transport, const char *spec,
    const struct margay_engine_options *options, margay_crew *crew,
    margay_cluster **cluster, struct margay_error *error)
{
    margay_cluster *made = calloc(1, sizeof *made);
    *cluster = NULL;
    if (made == NULL)
        return margay_fail_memory(error, "a cluster");
    made->transport = transport;
    made->spec = spec;
    made->options = *options;
    made->crew = crew;
    enum margay_status status = margay_histogram_create(&made->counts, error);
    if (status == MARGAY_OK)
        *cluster = made;
    else
        free(made);
    return status;
}

void margay_cluster_free(margay_cluster *cluster)
{
    if (cluster == NULL)
        return;
    margay_row_free(&cluster->row);
    margay_histogram_free(cluster->counts);
    free(cluster->stack);
    free(cluster);
}

/* The rank at a position, and the position of a rank: reversal is its own
 * inverse. */
static unsigned turn(const margay_cluster *cluster, unsigned i)
{
    return cluster->turned ? cluster->transport->ranks - 1 - i : i;
}

unsigned margay_cluster_position(const margay_cluster *cluster)
{
    return turn(cluster, cluster->transport->rank);
}

/* -------------------------------------------------------------- messages -- */

static void check(const margay_cluster *cluster, enum margay_status status)
{
    if (status != MARGAY_OK)
        cluster->transport->give_up(cluster->transport->context);
}

/* An array with its length, to or from another position. */
static void send_words(const margay_cluster *cluster, unsigned position,
                       const uint64_t *words, uint64_t count)
{
    const struct margay_transport *t = cluster->transport;
    unsigned to = turn(cluster, position);
    t->send(t->context, to, &count, sizeof count);
    t->send(t->context, to, words, count * sizeof *words);
}

static uint64_t *receive_words(const margay_cluster *cluster, unsigned position,
                               uint64_t *count)
{
    const struct margay_transport *t = cluster->transport;
    unsigned from = turn(cluster, position);
    t->receive(t->context, from, count, sizeof *count);
    uint64_t *words = malloc((*count + 1) * sizeof *words);
    check(cluster, words == NULL ? MARGAY_NO_MEMORY : MARGAY_OK);
    t->receive(t->context, from, words, *count * sizeof *words);
    return words;
}

/* --------------------------------------------------------------- a phase -- */

enum margay_status margay_cluster_begin_phase(margay_cluster *cluster,
                                              unsigned parts, uint64_t refs,
                                              struct margay_error *error)
{
    const struct margay_part_setup setup = {
        .spec = cluster->spec,
        .options = &cluster->options,
        .first = margay_cluster_position(cluster) == 0,
        .refs = refs / parts,
        .blocks = cluster->stack,
        .block_count = cluster->stack_count,
    };
    enum margay_status status =
        margay_row_begin(&cluster->row, &setup, parts, cluster->crew, error);
    free(cluster->stack);
    cluster->stack = NULL;
    cluster->stack_count = 0;
    return status;
}

enum margay_status margay_cluster_feed(margay_cluster *cluster, unsigned part,
                                       const uint64_t *blocks, size_t count,
                                       struct margay_error *error)
{
    return margay_part_feed(&cluster->row.parts[part], blocks, count, error);
}

/* Lists of first touches go from position to position, down to 0.  Each
   position sends its own first, then answers and passes on those of the
   positions above. */
static void pass_touches(margay_cluster *cluster)
{
    struct margay_row *row = &cluster->row;
    unsigned position = margay_cluster_position(cluster);
    unsigned last = cluster->transport->ranks - 1;
    if (position > 0)
        send_words(cluster, position - 1, row->touches, row->touch_count);
    for (unsigned above = position + 1; above <= last; above++) {
        uint64_t count;
        uint64_t *touches = receive_words(cluster, position + 1, &count);
        size_t left = (size_t)count;
        check(cluster,
              margay_row_answer(row, row->count, touches, &left, NULL));
        if (position > 0)
            send_words(cluster, position - 1, touches, left);
        free(touches);
    }
}

/* Put older blocks below the stack, as far as the bound has room. */
static void stack_below(margay_cluster *cluster, const uint64_t *older,
                        uint64_t count)
{
    uint64_t bound = cluster->row.parts[0].bound;
    uint64_t room = bound - cluster->stack_count;
    uint64_t taken = count < room ? count : room;
    uint64_t total = cluster->stack_count + taken;
    uint64_t *stack = malloc((total + 1) * sizeof *stack);
    check(cluster, stack == NULL ? MARGAY_NO_MEMORY : MARGAY_OK);
    memcpy(stack, older + (count - taken), taken * sizeof *stack);
    if (cluster->stack_count > 0)
        memcpy(stack + taken, cluster->stack,
               cluster->stack_count * sizeof *stack);
    free(cluster->stack);
    cluster->stack = stack;
    cluster->stack_count = total;
    cluster->exceeded = cluster->exceeded || taken < count;
}

void margay_cluster_end_phase(margay_cluster *cluster, bool more)
{
    struct margay_row *row = &cluster->row;
    check(cluster, margay_row_close(row, row->count, NULL));
    pass_touches(cluster);
    cluster->left = margay_row_left(row);
    if (more) {
        /* The last position gets the blocks left at the others, the nearest
         * first. */
        unsigned position = margay_cluster_position(cluster);
        unsigned last = cluster->transport->ranks - 1;
        uint64_t *blocks, count;
        check(cluster, margay_row_list(&cluster->row, &blocks, &count, NULL));
        if (position < last)
            send_words(cluster, last, blocks, count);
        else
            stack_below(cluster, blocks, count);
        free(blocks);
        for (unsigned from = last; position == last && from-- > 0;) {
            blocks = receive_words(cluster, from, &count);
            stack_below(cluster, blocks, count);
            free(blocks);
        }
    }
    check(cluster, margay_row_end(row, cluster->counts, NULL));
    cluster->exceeded = cluster->exceeded || row->exceeded;
    margay_row_free(row);
    if (more)
        cluster->turned = !cluster->turned;
}

void margay_cluster_reset_counts(margay_cluster *cluster)
{
    margay_histogram_clear(cluster->counts);
}

/* --------------------------------------------------------------- the end -- */

/* The report of a rank to rank 0: blocks left, whether the bound was exceeded,
   references at infinite distance, then pairs of a distance and its count. */
#define FIXED_WORDS 3

static uint64_t *list_counts(const margay_cluster *cluster, uint64_t *words)
{
    const margay_histogram *counts = cluster->counts;
    uint64_t rows = 0;
    MARGAY_EACH_COUNT (counts, distance, count)
        rows++;
    uint64_t *list = malloc((FIXED_WORDS + 2 * rows) * sizeof *list);
    check(cluster, list == NULL ? MARGAY_NO_MEMORY : MARGAY_OK);
    *words = 0;
    list[(*words)++] = cluster->left;
    list[(*words)++] = cluster->exceeded;
    list[(*words)++] = margay_histogram_infinite(counts);
    MARGAY_EACH_COUNT (counts, distance, count) {
        list[(*words)++] = distance;
        list[(*words)++] = count;
    }
    return list;
}

void margay_cluster_finish(margay_cluster *cluster,
                           struct margay_result *result)
{
    uint64_t words;
    *result = (struct margay_result){0};
    cluster->turned = false;
    if (cluster->transport->rank != 0) {
        uint64_t *list = list_counts(cluster, &words);
        send_words(cluster, 0, list, words);
        free(list);
        return;
    }
    for (unsigned i = 1; i < cluster->transport->ranks; i++) {
        uint64_t *list = receive_words(cluster, i, &words);
        cluster->left += list[0];
        cluster->exceeded = cluster->exceeded || list[1] != 0;
        check(cluster, margay_histogram_add(cluster->counts, MARGAY_INFINITE,
                                            list[2], NULL));
        for (uint64_t k = FIXED_WORDS; k < words; k += 2)
            check(cluster, margay_histogram_add(cluster->counts, list[k],
                                                list[k + 1], NULL));
        free(list);
    }
    uint64_t bound = cluster->options.bound_blocks;
    margay_row_result(cluster->counts, cluster->left,
                      bound == 0 ? UINT64_MAX : bound, cluster->exceeded,
                      result);
    cluster->counts = NULL;
}
