/* windows.c - how reuse times are distributed, as time goes by */
#include "stackdist/engines/windows.h"

#include <stdlib.h>

#include "traces/traces_internal.h"

#define BITS MARGAY_WINDOWS_BITS

/* Shorter windows have too few references for a distribution. */
#define FIRST_LENGTH 8192

static uint64_t first_length(size_t most)
{
    return most == 1 ? UINT64_MAX : FIRST_LENGTH;
}

/* --------------------------------------------------------------- memory -- */

static void destroy_window(struct margay_window *window)
{
    free(window->counts);
    free(window->times);
    free(window->reach);
    *window = (struct margay_window){0};
}

void margay_windows_destroy(struct margay_windows *windows)
{
    for (size_t i = 0; windows->list != NULL && i < windows->most; i++)
        destroy_window(&windows->list[i]);
    free(windows->list);
    margay_clock_destroy(&windows->clock);
}

/* Begin the next window, with bars for all times that it can have. */
static enum margay_status begin_window(struct margay_windows *windows,
                                       struct margay_error *error)
{
    struct margay_window *window = &windows->list[windows->count++];
    uint64_t longest = windows->clock.now;
    if (!margay_add_u64(longest, windows->length, &longest))
        longest = MARGAY_CLOCK_END;
    window->bars = margay_bar_of(longest, BITS) + 2;
    window->counts = calloc(window->bars, sizeof *window->counts);
    window->times = calloc(window->bars, sizeof *window->times);
    if (window->counts == NULL || window->times == NULL)
        return margay_fail_memory(error, "a histogram of reuse times");
    return MARGAY_OK;
}

enum margay_status margay_windows_create(struct margay_windows *windows,
                                         size_t most,
                                         struct margay_error *error)
{
    *windows = (struct margay_windows){
        .list = calloc(most, sizeof *windows->list),
        .most = most,
        .length = first_length(most),
    };
    if (windows->list == NULL)
        return margay_fail_memory(error, "histograms of reuse times");
    enum margay_status status = margay_clock_create(&windows->clock, error);
    if (status == MARGAY_OK)
        status = begin_window(windows, error);
    return status;
}

/* ------------------------------------------------------------- counting -- */

/* Add the earlier of two windows to the later one, which has all bars. */
static struct margay_window join_two(struct margay_window *earlier,
                                     struct margay_window *later)
{
    struct margay_window joined = *later;
    joined.references += earlier->references;
    joined.endless += earlier->endless;
    for (size_t bar = 0; bar < earlier->bars; bar++) {
        joined.counts[bar] += earlier->counts[bar];
        joined.times[bar] += earlier->times[bar];
    }
    destroy_window(earlier);
    *later = (struct margay_window){0};
    return joined;
}

void margay_windows_join(struct margay_windows *windows)
{
    struct margay_window *list = windows->list;
    size_t count = 0;
    for (size_t i = 0; i < windows->count; i += 2) {
        struct margay_window window = list[i];
        if (i + 1 < windows->count)
            window = join_two(&list[i], &list[i + 1]);
        else
            list[i] = (struct margay_window){0};
        list[count++] = window;
    }
    windows->count = count;
    windows->length *= 2;
}

/* The last window is full. */
static enum margay_status go_on(struct margay_windows *windows,
                                struct margay_error *error)
{
    if (windows->count == windows->most)
        margay_windows_join(windows);
    return begin_window(windows, error);
}

static enum margay_status feed_window(struct margay_windows *windows,
                                      const uint64_t *blocks, size_t count,
                                      size_t ahead, struct margay_error *error)
{
    struct margay_window *window = &windows->list[windows->count - 1];
    struct margay_clock *clock = &windows->clock;
    for (size_t i = 0; i < count; i++) {
        if (count + ahead - i > MARGAY_CLOCK_AHEAD)
            margay_hash_prefetch(&clock->last, blocks[i + MARGAY_CLOCK_AHEAD]);
        enum margay_status status = margay_clock_reserve(clock, error);
        if (status != MARGAY_OK)
            return status;
        uint64_t time = margay_clock_refer(clock, blocks[i]);
        if (time == 0) {
            window->endless++;
        } else {
            size_t bar = margay_bar_of(time, BITS);
            window->counts[bar]++;
            window->times[bar] += (double)time;
        }
    }
    window->references += count;
    return MARGAY_OK;
}

enum margay_status margay_windows_feed(struct margay_windows *windows,
                                       const uint64_t *blocks, size_t count,
                                       struct margay_error *error)
{
    enum margay_status status = MARGAY_OK;
    while (count > 0 && status == MARGAY_OK) {
        if (windows->list[windows->count - 1].references == windows->length)
            status = go_on(windows, error);
        if (status != MARGAY_OK)
            return status;
        uint64_t room =
            windows->length - windows->list[windows->count - 1].references;
        size_t some = count < room ? count : (size_t)room;
        count -= some;
        status = feed_window(windows, blocks, some, count, error);
        blocks += some;
    }
    return status;
}

enum margay_status margay_windows_reset_counts(struct margay_windows *windows,
                                               struct margay_error *error)
{
    for (size_t i = 0; i < windows->count; i++)
        destroy_window(&windows->list[i]);
    windows->count = 0;
    windows->length = first_length(windows->most);
    return begin_window(windows, error);
}

uint64_t margay_windows_references(const struct margay_windows *windows)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < windows->count; i++)
        sum += windows->list[i].references;
    return sum;
}

/* ------------------------------------------------------------ distances -- */

static double mean_time(const struct margay_window *window, size_t bar)
{
    if (window->counts[bar] > 0)
        return window->times[bar] / (double)window->counts[bar];
    return (double)margay_bar_low(bar, BITS);
}

/* Within a bar, all its times are taken as their mean. */
static void find_reach(struct margay_window *window)
{
    double all = window->references > 0 ? (double)window->references : 1;
    uint64_t longer = window->references; /* times not below the bar */
    double sum = 0;
    for (size_t i = 0; i < window->bars - 1; i++) {
        double low = (double)margay_bar_low(i, BITS);
        double high = (double)margay_bar_low(i + 1, BITS);
        double mean = mean_time(window, i);
        window->reach[i] = sum;
        sum += (mean - low) * (double)longer / all;
        longer -= window->counts[i];
        sum += (high - mean) * (double)longer / all;
    }
    window->reach[window->bars - 1] = sum;
}

enum margay_status margay_windows_find_reach(struct margay_windows *windows,
                                             struct margay_error *error)
{
    for (size_t i = 0; i < windows->count; i++) {
        struct margay_window *window = &windows->list[i];
        if (window->reach == NULL)
            window->reach = calloc(window->bars, sizeof *window->reach);
        if (window->reach == NULL)
            return margay_fail_memory(error, "the reach of reuse times");
        find_reach(window);
    }
    return MARGAY_OK;
}

/* The sum of P(T > j) over 0 <= j < time. */
static double reach_of(const struct margay_window *window, double time)
{
    if (!(time > 0) || window->references == 0)
        return 0;
    size_t bar = margay_bar_of((uint64_t)time, BITS);
    double low = (double)margay_bar_low(bar, BITS);
    if (bar >= window->bars - 1) {
        /* Longer than any time: only first references are. */
        bar = window->bars - 1;
        low = (double)margay_bar_low(bar, BITS);
        return window->reach[bar] + (time - low) * (double)window->endless /
                                        (double)window->references;
    }
    double high = (double)margay_bar_low(bar + 1, BITS);
    /* P(T > j) is one step lower from the mean on. */
    double mean = mean_time(window, bar), all = (double)window->references;
    double step = (double)window->counts[bar] / all;
    double within = window->reach[bar + 1] - window->reach[bar];
    double slope = (within + (high - mean) * step) / (high - low);
    double behind = time > mean ? time - mean : 0;
    return window->reach[bar] + (time - low) * slope - behind * step;
}

double margay_windows_distance(const struct margay_windows *windows,
                               size_t index, double position, double time)
{
    double sum = 0, end = time;
    /* From the newest window back: those j references after the beginning,
       for begin <= j < end, are in it. */
    for (size_t i = index;; i--) {
        const struct margay_window *window = &windows->list[i];
        double begin = time - position;
        if (i == 0 || begin < 1)
            begin = 1;
        sum += reach_of(window, end) - reach_of(window, begin);
        if (begin <= 1)
            return sum;
        end = begin;
        position += (double)windows->list[i - 1].references;
    }
}
