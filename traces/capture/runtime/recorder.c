/*
 * recorder.c - references recorded from inside a program
 *
 * Algorithm: a thread reserves the place of its next words by a store to
 *   margay_recorder.next, and then looks whether the word there is still 0.  If
 *   it is not, a handler of a signal has written there before the store, the
 *   buffer ends there, or there is none: the functions here find the place
 *   anew.  A handler that runs after the store writes behind what was reserved.
 *   So a handler and what it interrupts share a buffer, without locks and
 *   without blocking signals.
 *
 *   A handler may fill the buffer in which the code that it interrupts has yet
 *   to write.  Such a buffer has unused words in its midst; it is kept until
 *   these are written, and sent then.  Code that finds its place used, or the
 *   end there, takes back what it reserved, for a buffer that is kept for words
 *   that never come would come late.  A buffer without such words may be sent,
 *   and even be in use again, when the interrupted code goes on, whose register
 *   then has an old place.  As buffers stay with their thread (slots.h), that
 *   place is unused only if it is one of the thread's present buffer, and as
 *   good as any.
 * Guarantee: wherever a signal interrupts, no reference is lost or written
 *   twice, except with call sites (images.h).
 * Cost: everything here happens once per buffer, or once per process, except
 *   where call sites are recorded.
 *
 * recorder_mmu.c does the same without looking for the end of the buffer.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "traces/capture/runtime/buffers.h"
#include "traces/capture/runtime/images.h"
#include "traces/capture/runtime/process.h"
#include "traces/capture/sample.h"
#include "traces/capture/slots.h"
#include "traces/formats/data_kind.h"

/* What may be written behind the place of the last words: the sites and the
   references of a piece, and the end. */
#define SLACK_WORDS (2 * MARGAY_PIECE_WORDS + 8)
#define ROOM_WORDS  (MARGAY_BUFFER_WORDS - SLACK_WORDS)

/* The rings that take the words while nothing is recorded, and the end behind
   each.  A plugin may have little memory for each thread, so rings are not
   thread-local.  Of more threads than rings, some share one: what is in a ring
   is never read. */
#define RING_WORDS 4096
#define RINGS      64

/* The most buffers of a thread that wait for words; each is its number + 1, and
   how many words are reserved. */
#define PARKED       8
#define PARKED_SHIFT 16

#define SLOT_BITS 8
/* The plugins of the compilers store and read these. */
_Static_assert(offsetof(struct margay_recorder, watches) == 8 &&
                   offsetof(struct margay_recorder, tells_sites) == 9,
               "as the plugins have them");

_Static_assert(1u << SLOT_BITS == MARGAY_SITE_SLOTS, "a hash is a slot");

#define FOUR(x)    x, x, x, x
#define SIXTEEN(x) FOUR(x), FOUR(x), FOUR(x), FOUR(x)

/* Where a thread without a buffer begins, and a few handlers more. */
static const uint64_t no_room[256] = {
    FOUR(SIXTEEN(MARGAY_WORD_END)), FOUR(SIXTEEN(MARGAY_WORD_END)),
    FOUR(SIXTEEN(MARGAY_WORD_END)), FOUR(SIXTEEN(MARGAY_WORD_END))};
#define NO_ROOM ((uint64_t *)(uintptr_t)no_room)

__thread struct margay_recorder margay_recorder
    __attribute__((tls_model("initial-exec"), visibility("default"))) = {
        (uint64_t *)no_room, 1, 0};

/* The calling thread's buffers, by their numbers + 1; 0 = none. */
static __thread struct {
    _Atomic uint32_t held;
    _Atomic uint32_t parked[PARKED];
    unsigned oldest;           /* of them, where there are as many */
    uint64_t *sites;           /* what the slots of the buffer hold */
    struct margay_image image; /* that the last new site is in */
    bool looks;                /* for an image, or puts an event */
    bool has_stack;            /* the recording knows the thread's stack */
    uint64_t *ring;            /* the thread's ring; NULL = it has none yet */
} mine __attribute__((tls_model("initial-exec")));

/* Of each buffer what its slots hold.  Not thread-local, because a library that
   is loaded late has little room for such variables. */
static uint64_t sites[MARGAY_MAX_BUFFERS][MARGAY_SITE_SLOTS];

static uint64_t rings[RINGS][RING_WORDS + SLACK_WORDS];
static _Atomic uint32_t next_ring;

static uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static bool is_unused(uint64_t word)
{
    return word == 0 || word == MARGAY_WORD_END;
}

static void move_to(uint64_t *next)
{
    __atomic_store_n(&margay_recorder.next, next, __ATOMIC_RELAXED);
    atomic_signal_fence(memory_order_seq_cst);
}

/* ---------------------------------------------------------------- buffers --
 */

/* The words of a buffer that may have been written: all up to the last one. */
static uint32_t used_words(const uint64_t *base)
{
    uint32_t used = MARGAY_BUFFER_WORDS;
    while (used > 0 && is_unused(load(base + used - 1)))
        used--;
    return used;
}

/* Two words, on which processors compute at once. */
typedef uint64_t word_pair
    __attribute__((vector_size(2 * sizeof(uint64_t)), may_alias));

/* True if some of the first `reserved` words are still to be written. */
static bool has_holes(const uint64_t *base, uint32_t reserved)
{
    word_pair zero = {0, 0}; /* the top bit of one is set if some word is 0 */
    bool ends = reserved % 2 != 0 && base[reserved - 1] == 0;
    for (uint32_t i = 0; i + 1 < reserved; i += 2) {
        const word_pair *words = (const void *)(base + i);
        zero |= (*words - 1) & ~*words;
    }
    for (uint32_t i = ROOM_WORDS; i < reserved; i++)
        ends |= base[i] == MARGAY_WORD_END;
    return (zero[0] | zero[1]) >> 63 != 0 || ends;
}

static bool has_vectors(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

/* Of a sample, only the words that are in it. */
static void send_buffer(uint32_t held)
{
    const struct margay_sampling *sampling = &margay_process.capture->sampling;
    uint64_t *base = margay_process_map(held - 1);
    uint32_t used = used_words(base);
    if (sampling->block_bytes != 0)
        used = margay_sample_buffer(sampling, base, used, has_vectors());
    margay_buffer_send(held - 1, used, MARGAY_BUFFER_WORDS);
}

/* The number of the word of a buffer; MARGAY_BUFFER_WORDS and more: it is in
   another one. */
static size_t number_in(const uint64_t *base, const uint64_t *word)
{
    return ((uintptr_t)word - (uintptr_t)base) / sizeof *base;
}

/* Keep a buffer until the words that are reserved in it are written.  Where
   there are many, handlers have jumped out of the code that was to write them:
   the oldest one goes. */
static void park(uint32_t held, uint32_t reserved)
{
    const uint32_t parked = held << PARKED_SHIFT | reserved;
    for (int i = 0; i < PARKED; i++) {
        uint32_t none = 0;
        if (atomic_compare_exchange_strong(&mine.parked[i], &none, parked))
            return;
    }
    uint32_t oldest = mine.oldest++ % PARKED;
    send_buffer(atomic_exchange(&mine.parked[oldest], parked) >> PARKED_SHIFT);
}

static uint32_t parked_words(uint32_t parked)
{
    return parked & ((1u << PARKED_SHIFT) - 1);
}

/* If a parked buffer waits for words from `next` on, they go elsewhere.
   Handlers that came later have written theirs. */
static void expect_no_more(const uint64_t *next)
{
    for (int i = 0; i < PARKED; i++) {
        uint32_t parked = atomic_load(&mine.parked[i]);
        uint32_t held = parked >> PARKED_SHIFT;
        size_t at = held == 0 ? MARGAY_BUFFER_WORDS
                              : number_in(margay_process_map(held - 1), next);
        if (at < parked_words(parked))
            atomic_compare_exchange_strong(&mine.parked[i], &parked,
                                           held << PARKED_SHIFT | (uint32_t)at);
    }
}

/* Send the buffers whose words are written by now; `all`: all of them. */
static void send_parked(bool all)
{
    for (int i = 0; i < PARKED; i++) {
        uint32_t parked = atomic_load(&mine.parked[i]);
        uint32_t held = parked >> PARKED_SHIFT;
        if (held != 0 &&
            (all ||
             !has_holes(margay_process_map(held - 1), parked_words(parked))) &&
            atomic_compare_exchange_strong(&mine.parked[i], &parked, 0))
            send_buffer(held);
    }
}

/* The thread has no buffer from now on; the number + 1 of that which it had. */
static uint32_t give_up(void)
{
    uint32_t held = atomic_exchange(&mine.held, 0);
    margay_recorder.tells_sites = 0;
    move_to(NO_ROOM);
    return held;
}

/* Send the thread's buffer, or keep it, unless `all` are to be sent.  What is
   in front of `next` is reserved. */
static void hand_over(const uint64_t *next, bool all)
{
    uint32_t held = give_up();
    expect_no_more(next);
    send_parked(all);
    if (held == 0)
        return;
    const uint64_t *base = margay_process_map(held - 1);
    size_t at = number_in(base, next);
    uint32_t reserved = used_words(base);
    if (at <= MARGAY_BUFFER_WORDS && at > reserved)
        reserved = (uint32_t)at;
    if (!all && has_holes(base, reserved))
        park(held, reserved);
    else
        send_buffer(held);
}

static void begin_buffer(uint32_t buffer, uint64_t *base);

/* Get a buffer, after a wait while all are full; `early`: also before recording
   begins. */
static bool acquire(bool early)
{
    uint32_t buffer;
    if (!margay_process_attach() || !margay_buffer_take(&buffer, early))
        return false;
    uint64_t *base = margay_process_map(buffer);
    if (base == NULL) {
        margay_buffer_return(buffer);
        return false;
    }
    margay_buffer_open(buffer, base);
    begin_buffer(buffer, base);
    return true;
}

/* Get the next buffer. */
static bool change_buffer(const uint64_t *next, bool early)
{
    int reason = errno, cancel;
    if (atomic_load(&mine.held) == 0 && margay_buffer_refused(early))
        return false;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    hand_over(next, false);
    bool acquired = acquire(early);
    pthread_setcancelstate(cancel, NULL);
    errno = reason;
    return acquired;
}

/* ----------------------------------------------------------------- places --
 */

/* Write into unused words that are of no use. */
static void pass_over(uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t nothing = 0;
        __atomic_compare_exchange_n(words + i, &nothing,
                                    margay_control_word(MARGAY_CONTROL_NONE, 0),
                                    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

/* The first of unused words enough for a piece, from `at` on, or the end in
   front of it. Between the words of a handler and those behind them there are
   fewer, for which the buffer must not be kept. */
static uint64_t *find_run(uint64_t *base, size_t at)
{
    size_t unused = 0;
    for (; at < ROOM_WORDS && unused < MARGAY_PIECE_WORDS; at++) {
        if (load(base + at) == 0) {
            unused++;
        } else {
            pass_over(base + at - unused, unused);
            unused = 0;
        }
    }
    if (unused == 0)
        return NULL;
    uint64_t *found = base + at - unused;
    return found > base && load(found - 1) == MARGAY_WORD_END ? found - 1
                                                              : found;
}

/* Where the next words go; NULL: in another buffer. */
static uint64_t *find_place(uint64_t *next)
{
    uint32_t held = atomic_load(&mine.held);
    uint64_t *base = held == 0 ? NULL : margay_process_map(held - 1);
    size_t at = held == 0 ? MARGAY_BUFFER_WORDS : number_in(base, next);
    if (at >= MARGAY_BUFFER_WORDS) {
        expect_no_more(next); /* the buffer has been changed meanwhile */
        at = 0;
    }
    if (held == 0)
        return NULL;
    if (at < ROOM_WORDS && load(base + at) == MARGAY_WORD_END)
        return base + at;
    return find_run(base, at);
}

/* The calling thread's ring. */
static uint64_t *ring(void)
{
    if (mine.ring == NULL)
        mine.ring = rings[atomic_fetch_add(&next_ring, 1) % RINGS];
    return mine.ring;
}

/* A place in the ring. */
static uint64_t *place_in_ring(size_t words)
{
    uint64_t *base = ring();
    margay_slots_clear(base, RING_WORDS);
    for (size_t i = RING_WORDS; i < RING_WORDS + SLACK_WORDS; i++)
        base[i] = MARGAY_WORD_END;
    margay_recorder.tells_sites = 0;
    move_to(base + words);
    return base;
}

/* Reserve a place for words, or for more of them where sites are told: there,
   an end follows, so that the next words end up here. */
static uint64_t *reserve(uint64_t *next, size_t words, size_t with_sites,
                         bool early)
{
    for (;;) {
        uint64_t *at = find_place(next), nothing = 0;
        if (at == NULL && !change_buffer(next, early))
            return place_in_ring(words);
        if (at == NULL) {
            next = margay_recorder.next;
            continue;
        }
        uint64_t before = load(at);
        if (!is_unused(before)) {
            next = at; /* a handler has just written there */
            continue;
        }
        size_t count = margay_recorder.tells_sites ? with_sites : words;
        bool ends = !margay_recorder.tells_sites ||
                    __atomic_compare_exchange_n(
                        at + count, &nothing, MARGAY_WORD_END, false,
                        __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
                    nothing == MARGAY_WORD_END;
        move_to(at + count);
        if (ends && load(at) == before)
            return at;
        next = ends ? at : at + 1; /* a handler wrote behind this end */
    }
}

uint64_t *margay_recorder_room(uint64_t *next, size_t words)
{
    if (!mine.looks)
        return reserve(next, words, 2 * words, false);
    move_to(NO_ROOM);
    return ring();
}

/* ----------------------------------------------------------------- words -- */

/* The value of a word about a site. */
static uint64_t locate(uint64_t site)
{
    if (site - mine.image.from >= mine.image.to - mine.image.from) {
        bool looks = mine.looks;
        mine.looks = true;
        margay_images_find(site, &mine.image);
        mine.looks = looks;
    }
    return site + mine.image.shift;
}

uint64_t margay_recorder_site(uint64_t site)
{
    mine.sites[0] = 0;
    return mine.looks
               ? MARGAY_WORD_END
               : margay_control_word(MARGAY_CONTROL_NEXT_SITE, locate(site));
}

/* The slot of a site.  Sites of a loop differ in their lower bits; the
   multiplier is 2^32 divided by the golden ratio. */
static unsigned slot_of(uint64_t site)
{
    return (uint32_t)site * 0x9e3779b1u >> (32 - SLOT_BITS);
}

/* What comes next is of a site that its slot does not hold. */
static uint64_t *put_site(uint64_t *at, uint64_t site, unsigned slot)
{
    mine.sites[slot] = site;
    *at = margay_control_word(MARGAY_CONTROL_SITE, locate(site));
    return at + 1;
}

/* The thread may get another buffer, whose slots are empty. */
static void put_with_site(uint64_t *next, uint64_t word, uint64_t site)
{
    unsigned slot = slot_of(site);
    bool told = mine.sites[slot] == site;
    uint64_t *at = reserve(next, 1, told ? 1 : 2, false);
    if (told && margay_recorder.tells_sites && mine.sites[slot] != site) {
        *at = margay_control_word(MARGAY_CONTROL_NONE, 0);
        at = reserve(margay_recorder.next, 2, 2, false);
        told = false;
    }
    if (!told && margay_recorder.tells_sites)
        at = put_site(at, site, slot);
    *at = word | (uint64_t)slot << MARGAY_SLOT_SHIFT;
}

/* What a look for an image refers to is not the program's. */
void margay_recorder_put(uint64_t *next, uint64_t word, uint64_t site)
{
    if (mine.looks) {
        move_to(NO_ROOM);
    } else if (margay_recorder.tells_sites) {
        put_with_site(next, word, site);
    } else {
        uint64_t *at = reserve(next, 1, 2, false);
        if (margay_recorder.tells_sites)
            at = put_site(at, site, 0);
        *at = word;
    }
}

/* Write the words of an event of data. */
static void put_event(unsigned data, uint64_t address, uint64_t bytes,
                      uint64_t site)
{
    uint64_t *at = reserve(margay_recorder.next, MARGAY_DATA_WORDS,
                           MARGAY_DATA_WORDS, true);
    if (!margay_recorder.tells_sites)
        return;
    const uint64_t order =
        1 + atomic_fetch_add(&margay_process.capture->events, 1);
    const uint64_t payload = (address & MARGAY_WORD_ADDRESS_MASK) |
                             (uint64_t)data << MARGAY_CONTROL_DATA_SHIFT;
    at = put_site(at, site, 0);
    at[0] = margay_control_word(MARGAY_CONTROL_BYTES, bytes);
    at[1] = margay_control_word(MARGAY_CONTROL_ORDER, order);
    at[2] = margay_control_word(MARGAY_CONTROL_DATA, payload);
}

static void put_stack(void)
{
    uint64_t from, to, site = (uint64_t)(uintptr_t)put_stack;
    mine.has_stack = true;
    if (margay_images_stack((uint64_t)(uintptr_t)&site, &from, &to))
        put_event(MARGAY_DATA_STACK, from, to - from, site);
}

/* A handler may have got a buffer in the meantime. */
static void begin_buffer(uint32_t buffer, uint64_t *base)
{
    const struct margay_capture *capture = margay_process.capture;
    for (size_t i = ROOM_WORDS; i < MARGAY_BUFFER_WORDS; i++)
        base[i] = MARGAY_WORD_END;
    if (capture->wants_sites)
        base[0] = MARGAY_WORD_END;
    uint32_t theirs = atomic_exchange(&mine.held, buffer + 1);
    mine.sites = sites[buffer];
    for (unsigned i = 0; i < MARGAY_SITE_SLOTS && capture->wants_sites; i++)
        mine.sites[i] = 0;
    margay_recorder.tells_sites = capture->wants_sites != 0;
    move_to(base);
    if (theirs != 0)
        park(theirs, used_words(margay_process_map(theirs - 1)));
    if (capture->wants_data && !mine.has_stack)
        put_stack();
}

/* Before recording begins, each event has a buffer for itself. */
void margay_recorder_put_data(unsigned data, const volatile void *address,
                              uint64_t bytes, uint64_t site)
{
    int reason = errno, cancel;
    if (mine.looks || !margay_recorder_wants_data())
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    mine.looks = true;
    put_event(data, (uint64_t)(uintptr_t)address, bytes, site);
    if (atomic_load(&margay_process.capture->quiet) != MARGAY_RECORD)
        margay_recorder_leave();
    mine.looks = false;
    pthread_setcancelstate(cancel, NULL);
    errno = reason;
}

bool margay_recorder_wants_data(void)
{
    return margay_process_attach() && margay_process.capture->wants_data;
}

bool margay_recorder_wants_sites(void)
{
    return margay_process_attach() && margay_process.capture->wants_sites;
}

void margay_recorder_leave(void)
{
    hand_over(margay_recorder.next, true);
}

void margay_recorder_forget(void)
{
    give_up();
    for (int i = 0; i < PARKED; i++)
        atomic_store(&mine.parked[i], 0);
    margay_buffer_forget();
}
