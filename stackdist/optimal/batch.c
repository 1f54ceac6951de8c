/*
 * batch.c - the machines of many jobs, by halving the range of their numbers
 *
 * Algorithm: which jobs the machines up to a number K do can be found without
 *   the others: go over the ends of jobs in their order, and let each job take
 *   the latest moment up to its begin from which one of the K is free.  Jobs
 *   that are done are those of the lower half of numbers, the rest of the upper
 *   one, and each half is halved again.  Of all other jobs a half needs to know
 *   only the *room*, how many of the machines below it are not busy with jobs
 *   of theirs, and between two of its own events only the least of it.  The
 *   moments from before the batch are ends of jobs whose machines are known.
 *   The moment that machine K has in the end is one that the machines up to K
 *   have and those up to K - 1 do not, so moments are halved as jobs are.
 *
 * Source: ours; machines.h has the definition and its sources.
 *
 * Guarantee: exact, and the machines are then as if jobs had been given one by
 *   one.
 *
 * Cost: O(log M) amortized per job of a batch of as many jobs as there are
 *   machines, M, or more, on any trace: each level of halves looks at no
 *   more than twice the jobs and twice the machines.  Some 70 bytes per job and
 *   per machine, for the time of the batch.
 */
#include <string.h>

#include "stackdist/optimal/machines.h"

/* The kind of an event: the end of a job, or a moment from before the batch,
   and whether the jobs up to the middle have it; a moment that is left in the
   end.  An event that is neither separates rooms where a job begins.  The other
   bits are the index of the moment, those from before the batch first. */
#define IS_END   (UINT32_C(1) << 31)
#define IS_JOB   (UINT32_C(1) << 30)
#define IS_LEFT  (UINT32_C(1) << 29)
#define IS_LOWER (UINT32_C(1) << 28)
#define INDEX    (IS_LOWER - 1)

struct event {
    uint32_t what;
    uint32_t start; /* of a job, the event up to which machines must be free; of
                       a moment from before the batch, its machine's number */
    uint32_t room;  /* the least from this event to the next */
};

/* The notes on an event while a range is halved. */
struct note {
    uint32_t earlier; /* leads to the latest event, up to this, with `free`;
                         then the event's place in the lower half */
    uint32_t free;    /* machines that are free from here on; then how many of
                         the range are, at the end; then the upper place */
    uint32_t begins;  /* twice the jobs of the lower half that begin here, and
                         one more if some of the upper half do */
    uint32_t upper;   /* the room for the upper half */
};

struct batch {
    struct margay_job *jobs;
    uint32_t known; /* moments from before the batch */
    uint32_t *numbers;
    struct note *notes;
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The latest event up to `i` from which machines are free; 0 if there is none,
   or if it is the beginning. */
static uint32_t find_free(struct note *notes, uint32_t i)
{
    while (notes[i].earlier != i)
        i = notes[i].earlier = notes[notes[i].earlier].earlier;
    return i;
}

static void take(struct note *notes, uint32_t i, uint32_t machines)
{
    notes[i].free -= machines;
    notes[i].earlier = i - (i > 0 && notes[i].free == 0);
}

/* Which ends are those of machines up to `middle`? */
static void decide(struct batch *batch, struct event *events, uint32_t count,
                   uint32_t low, uint32_t middle)
{
    struct note *notes = batch->notes;
    /* Machines from before the batch, until their moments come. */
    uint32_t busy = least(middle, batch->known) - least(low, batch->known);
    uint32_t free = 0, latest = 0;
    notes[0] = (struct note){0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t what = events[i].what, start = events[i].start;
        uint32_t is_job = (what & IS_JOB) != 0;
        uint32_t lower = (what & (IS_END | IS_JOB)) == IS_END;
        lower &= (uint32_t)(start <= middle);
        start = is_job ? start : 0;
        uint32_t at = find_free(notes, start);
        uint32_t done = is_job & (uint32_t)(notes[at].free > 0);
        notes[i].begins = 0;
        notes[start].begins =
            (notes[start].begins + 2 * done) | (is_job & ~done);
        take(notes, at, done);
        events[i].what = (what & ~IS_LOWER) | (lower | done) * IS_LOWER;
        /* Of the machines in question that are free now, those beyond the limit
           were free for the shortest time. */
        busy -= lower;
        free -= done;
        uint32_t now = events[i].room + (middle - low) - busy;
        uint32_t more = now > free ? now - free : 0;
        notes[i].free = more;
        notes[i].earlier = more > 0 ? i : latest;
        latest = more > 0 ? i : latest;
        for (uint32_t some; free > now; free -= some) {
            latest = find_free(notes, latest);
            some = least(notes[latest].free, free - now);
            take(notes, latest, some);
        }
        free = now;
    }
}

/* Find the room for the upper half, and how many machines of the lower half are
   free from each event, or from before it, to the end of the batch. */
static void weigh(struct batch *batch, const struct event *events,
                  uint32_t count, uint32_t width)
{
    struct note *notes = batch->notes;
    uint32_t busy = 0, room = UINT32_MAX, upper = UINT32_MAX;
    for (uint32_t i = count; i-- > 0;) {
        notes[i].upper = events[i].room + width - busy;
        room = least(room, events[i].room);
        upper = least(upper, notes[i].upper);
        notes[i].free = upper - room;
        busy += ((events[i].what & IS_LOWER) != 0) - notes[i].begins / 2;
    }
}

/* The events of one half, the last of which may still get less room. */
struct half {
    struct event *events;
    uint32_t count; /* without the last */
    struct event last;
};

static struct half begin_half(struct event *events, uint32_t room)
{
    events[0] = (struct event){.room = room};
    return (struct half){events, 0, events[0]};
}

/* Where an event is not kept, the one before has its room as well.  There is no
   branch, as it could not be predicted. */
static inline __attribute__((always_inline)) void add_event(struct half *half,
                                                            bool kept,
                                                            struct event event)
{
    uint32_t old = (uint32_t)kept - 1; /* all bits if it is not kept */
    struct event *last = &half->last;
    last->what = ((last->what ^ event.what) & old) ^ event.what;
    last->start = ((last->start ^ event.start) & old) ^ event.start;
    last->room = least(last->room | ~old, event.room);
    half->count += kept;
    half->events[half->count] = *last;
}

/* Leave the events of the upper half in their place, and write those of the
   lower half.  An end and a moment that is left may go different ways; and the
   begin of a job needs an event if there was less room before. */
static void part(struct batch *batch, struct event *events, uint32_t count,
                 struct event *lower_events, uint32_t counts[2])
{
    struct note *notes = batch->notes;
    uint32_t before = notes[0].free;
    struct half lower = begin_half(lower_events, events[0].room);
    struct half upper = begin_half(events, notes[0].upper);
    notes[0].earlier = notes[0].free = 0;
    for (uint32_t i = 1; i < count; i++) {
        const struct event event = events[i];
        const struct note note = notes[i];
        bool is_job = (event.what & IS_JOB) != 0;
        const struct note *start = &notes[is_job ? event.start : 0];
        uint32_t end = (event.what & IS_LOWER) != 0 ? IS_END | IS_JOB : 0;
        uint32_t left = note.free > before ? IS_LEFT : 0;
        uint32_t low = event.what & (INDEX | end | left);
        uint32_t high =
            event.what & ~IS_LOWER & (INDEX | ~(INDEX | end | left));
        before = note.free;
        add_event(&lower,
                  (low > INDEX) |
                      ((note.begins > 1) & (lower.last.room < event.room)),
                  (struct event){low, is_job ? start->earlier : event.start,
                                 event.room});
        add_event(&upper,
                  (high > INDEX) |
                      (note.begins & (upper.last.room < note.upper)),
                  (struct event){high, is_job ? start->free : event.start,
                                 note.upper});
        notes[i].earlier = lower.count;
        notes[i].free = upper.count;
    }
    counts[0] = lower.count + 1;
    counts[1] = upper.count + 1;
}

/* All remaining events have one number. */
static void name(struct batch *batch, const struct event *events,
                 uint32_t count, uint32_t number)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t what = events[i].what, index = what & INDEX;
        if ((what & IS_JOB) != 0)
            batch->jobs[index - batch->known].machine = number;
        if ((what & IS_LEFT) != 0)
            batch->numbers[index] = number;
    }
}

/* Find the machines of events whose numbers are in (low, high].  There is room
   for as many events again after them. */
static void divide(struct batch *batch, struct event *events, uint32_t count,
                   uint32_t low, uint32_t high)
{
    while (count > 1 && high - low > 1) {
        bool first = low == 0 && batch->known > 0 && batch->known < high;
        uint32_t middle = first ? batch->known : low + (high - low) / 2;
        uint32_t counts[2];
        decide(batch, events, count, low, middle);
        weigh(batch, events, count, middle - low);
        part(batch, events, count, events + count, counts);
        memmove(events + counts[1], events + count, counts[0] * sizeof *events);
        divide(batch, events + counts[1], counts[0], low, middle);
        count = counts[1];
        low = middle;
    }
    if (count > 1)
        name(batch, events, count, high);
}

/* The events of the batch, and its moments. */
static void list_events(const struct batch *batch, struct event *events,
                        uint32_t *moments, size_t count)
{
    uint32_t known = batch->known;
    for (uint32_t i = 0; i < known; i++)
        events[i + 1] =
            (struct event){i | IS_END | IS_LEFT, batch->numbers[i], 0};
    for (uint32_t i = 0; i < count; i++) {
        events[known + i + 1] = (struct event){
            (known + i) | IS_END | IS_JOB | IS_LEFT,
            margay_moments_until(moments, known + i, batch->jobs[i].from), 0};
        moments[known + i] = batch->jobs[i].moment;
        batch->jobs[i].machine = 0;
    }
}

/* In memory that is zero, and has enough room. */
static enum margay_status run_batch(struct margay_machines *machines,
                                    struct batch *batch, struct event *events,
                                    uint32_t *moments, size_t count,
                                    struct margay_error *error)
{
    uint32_t all = batch->known + (uint32_t)count, left = 0, counts[2];
    uint32_t most = machines->most < all ? (uint32_t)machines->most : all;
    margay_machines_list(machines, moments, batch->numbers);
    list_events(batch, events, moments, count);
    memset(batch->numbers, 0, all * sizeof *batch->numbers);
    /* Leave out the jobs that no machine does. */
    decide(batch, events, all + 1, 0, most);
    weigh(batch, events, all + 1, most);
    part(batch, events, all + 1, events + all + 1, counts);
    memmove(events, events + all + 1, counts[0] * sizeof *events);
    divide(batch, events, counts[0], 0, most);
    for (uint32_t i = 0; i < all; i++) {
        moments[left] = moments[i];
        batch->numbers[left] = batch->numbers[i];
        left += batch->numbers[i] != 0;
    }
    return margay_machines_set(machines, moments, batch->numbers, left, error);
}

enum margay_status margay_machines_give_batch(struct margay_machines *machines,
                                              struct margay_job *jobs,
                                              size_t count,
                                              struct margay_error *error)
{
    size_t all = machines->count + count + 1;
    /* Ends, begins and moments left are separate events at worst, and half of
       these are written next to the others. */
    size_t event_count = 4 * all + 128;
    struct batch batch = {jobs, machines->count,
                          margay_map(all * sizeof *batch.numbers),
                          margay_map(all * sizeof *batch.notes)};
    struct event *events = margay_map(event_count * sizeof *events);
    uint32_t *moments = margay_map(all * sizeof *moments);
    enum margay_status status =
        events == NULL || moments == NULL || batch.numbers == NULL ||
                batch.notes == NULL
            ? margay_fail_memory(error, "many jobs of the optimum")
            : run_batch(machines, &batch, events, moments, count, error);
    margay_unmap(events, event_count * sizeof *events);
    margay_unmap(moments, all * sizeof *moments);
    margay_unmap(batch.numbers, all * sizeof *batch.numbers);
    margay_unmap(batch.notes, all * sizeof *batch.notes);
    return status;
}
