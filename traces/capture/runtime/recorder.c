/*
 * recorder.c - references recorded from inside a program
 *
 * Algorithm: a thread reserves the place of its next words by a store to
 *   margay_recorder.next, and then looks whether the word there is still 0.  If
 *   it is not, a handler of a signal has written there before the store, the
 *   buffer ends there, or there is none: the functions here find the place
 *   anew.  A handler that runs after the store writes after what was reserved.
 *   So a handler and the code that it interrupts share a buffer, without locks.
 *   Signals wait only while a buffer is handed over and the next one taken: a
 *   handler in the midst would hand over its own first.
 *
 *   A handler may fill the buffer in which the code that it interrupts has yet
 *   to write.  Such a buffer has holes, unused words in its midst; it is parked
 *   until these are written, and sent then.  A handler that jumps out of the
 *   interrupted code leaves holes that stay: of many parked buffers the oldest
 *   goes.  Code that finds its place used, or the end there, takes back what it
 *   reserved, for a buffer that waits for words that never come would come
 *   late.  A buffer without holes may be sent, and even be in use again, when
 *   the interrupted code goes on, whose register then has an old place.  As
 *   buffers stay with their thread (slots.h), that place is unused only if it
 *   is one of the thread's present buffer, and as good as any.
 *
 *   With call sites, all unused words are the end, so code always asks for a
 *   place here.  A handler that comes between its move and its question would
 *   otherwise find unused words, and write without a site where the sites of
 *   the interrupted code go.
 *
 *   A thread hands over its buffer before it forks, so the child has none.
 * Guarantee: wherever a signal interrupts, no reference is lost or written
 *   twice, and each has its own site; but for a child whose parent had reserved
 *   words and not written them when a handler forked: these few it writes where
 *   its parent writes them.  The buffers of a thread get their turns
 *   (slots.h) in the order in which it filled them.  A parked one gets its turn
 *   before those that the thread hands over once the words are written, and
 *   after those that handlers have filled until then; a handler that fills
 *   buffers until it has the first of them again, and comes less far in it than
 *   the interrupted code did, leaves words that stay unused, and that one late.
 * Cost: everything here happens once per buffer, once per fork, or once per
 *   process, except where call sites are recorded.  A buffer's words are looked
 *   at when it is handed over.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "traces/capture/runtime/images.h"
#include "traces/capture/runtime/process.h"
#include "traces/capture/slots.h"
#include "traces/formats/data_kind.h"

/* The plugins of the compilers store and read these. */
_Static_assert(offsetof(struct margay_recorder, watches) == 8 &&
                   offsetof(struct margay_recorder, tells_sites) == 9,
               "as the plugins have them");

/* The most words after the place of the last ones: the sites and the references
   of a piece, and the end. */
#define SLACK_WORDS (2 * MARGAY_PIECE_WORDS + 8)
#define ROOM_WORDS  (MARGAY_BUFFER_WORDS - SLACK_WORDS)

/* The rings that take the words while nothing is recorded, and the end after
   each.  A plugin may have little memory for each thread, so rings are not
   thread-local.  Of more threads than rings, some share one: rings are never
   read. */
#define RING_WORDS 4096
#define RINGS      64

/* The most buffers that a thread parks. */
#define PARKED 8

#define SLOT_BITS 8
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

/* A buffer of the thread that is no longer the present one: its words, of which
   the first `reserved` are promised to code. */
struct part {
    uint64_t *base;
    uint32_t buffer, words, reserved;
};

/* The state of the calling thread. */
static __thread struct {
    uint64_t *_Atomic base; /* of its buffer; NULL = it has none */
    uint32_t buffer;
    struct part parked[PARKED + 1]; /* the oldest first */
    size_t parked_count;
    uint64_t *sites;       /* the slots of the buffer */
    _Atomic uint32_t puts; /* changes with each written site */
    /* That the last new site is in; NULL = none yet. */
    const struct margay_image *image;
    bool looks;     /* what it refers to now is not the program's */
    bool has_stack; /* the recording knows the thread's stack */
    uint64_t *ring; /* the thread's ring; NULL = it has none yet */
} mine __attribute__((tls_model("initial-exec")));

/* The slots of each buffer.  Not thread-local, because a library that is loaded
   late has little room for such variables. */
static uint64_t sites[MARGAY_MAX_BUFFERS][MARGAY_SITE_SLOTS];

static uint64_t rings[RINGS][RING_WORDS + SLACK_WORDS];
static _Atomic uint32_t next_ring;

static void move_to(uint64_t *next)
{
    __atomic_store_n(&margay_recorder.next, next, __ATOMIC_RELAXED);
    atomic_signal_fence(memory_order_seq_cst);
}

/* ----------------------------------------------------------------- alone -- */

/* The program's state, kept during a part of the recorder that no handler
   interrupts. */
struct alone {
    sigset_t signals;
    int cancel, reason;
    bool looks;
};

/* Signals that faults raise do not wait: the system would end the program. */
static void begin_alone(struct alone *alone)
{
    static const int faults[] = {SIGSEGV, SIGBUS,  SIGILL,
                                 SIGFPE,  SIGTRAP, SIGSYS};
    sigset_t signals;
    alone->reason = errno;
    sigfillset(&signals);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&signals, faults[i]);
    pthread_sigmask(SIG_BLOCK, &signals, &alone->signals);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &alone->cancel);
    alone->looks = mine.looks;
    mine.looks = true;
}

static void end_alone(const struct alone *alone)
{
    mine.looks = alone->looks;
    pthread_setcancelstate(alone->cancel, NULL);
    pthread_sigmask(SIG_SETMASK, &alone->signals, NULL);
    errno = alone->reason;
}

/* ----------------------------------------------------- words of a buffer -- */

static uint64_t load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static bool are_unused(const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!margay_word_is_unused(load(words + i)))
            return false;
    }
    return true;
}

/* The number of the word of a buffer; MARGAY_BUFFER_WORDS and more: it is in
   another one. */
static size_t number_in(const uint64_t *base, const uint64_t *word)
{
    return ((uintptr_t)word - (uintptr_t)base) / sizeof *base;
}

/* Fill useless unused words. */
static void pass_over(uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t unused = load(words + i);
        if (margay_word_is_unused(unused))
            __atomic_compare_exchange_n(
                words + i, &unused, margay_control_word(MARGAY_CONTROL_NONE, 0),
                false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

/* The first of `least` unused words, from `at` on; NULL: the room ends before.
   Between the words of a handler and those after them there are fewer, for
   which the buffer must not be kept. */
static uint64_t *find_run(uint64_t *base, size_t at, size_t least)
{
    size_t unused = 0;
    for (; unused < least; at++) {
        if (at - unused >= ROOM_WORDS)
            return NULL;
        if (margay_word_is_unused(load(base + at))) {
            unused++;
        } else {
            pass_over(base + at - unused, unused);
            unused = 0;
        }
    }
    return base + at - unused;
}

typedef uint64_t four_words
    __attribute__((vector_size(4 * sizeof(uint64_t)), may_alias));

/* True if one of the first words, whose number is a multiple of 16, is `value`.
   Checking all may take as long as writing them, so vectors check four a step,
   without an early end, which would be rare. */
static inline __attribute__((always_inline)) bool has_word(
    const uint64_t *words, uint32_t count, uint64_t value)
{
    const four_words all = value - (four_words){0};
    four_words found = {0};
    for (uint32_t i = 0; i < count; i += 16) {
        const four_words *now = (const void *)(words + i);
        found |= (four_words)((now[0] == all) | (now[1] == all) |
                              (now[2] == all) | (now[3] == all));
    }
    return (found[0] | found[1] | found[2] | found[3]) != 0;
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static bool has_word_with_avx2(
    const uint64_t *words, uint32_t count, uint64_t value)
{
    return has_word(words, count, value);
}
#define HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define has_word_with_avx2 has_word
#define HAS_AVX2           false
#endif

/* True if some of the reserved words are still to be written.  After the room
   both unused words may be. */
static bool has_holes(const struct part *part)
{
    const uint32_t most =
        part->reserved < ROOM_WORDS ? part->reserved : ROOM_WORDS;
    const uint32_t steps = most - most % 16;
    const uint64_t unused =
        margay_process.capture->wants_sites ? MARGAY_WORD_END : 0;
    for (uint32_t i = steps; i < part->reserved; i++) {
        uint64_t word = load(part->base + i);
        if (word == unused || word == MARGAY_WORD_END)
            return true;
    }
    return HAS_AVX2 ? has_word_with_avx2(part->base, steps, unused)
                    : has_word(part->base, steps, unused);
}

/* --------------------------------------------------------------- buffers -- */

/* Give up words from `next` on for which a parked buffer waits.  Handlers that
   came later have written theirs. */
static void withdraw(const uint64_t *next)
{
    for (size_t i = 0; i < mine.parked_count; i++) {
        struct part *part = &mine.parked[i];
        size_t at = number_in(part->base, next);
        if (at < part->reserved)
            part->reserved = (uint32_t)at;
    }
}

/* The thread has no buffer from now on. */
static void give_up(void)
{
    atomic_store_explicit(&mine.base, NULL, memory_order_relaxed);
    margay_recorder.tells_sites = 0;
    move_to(NO_ROOM);
}

/* Park the thread's buffer, up to the last word that may have been written.
   Words before `next` are reserved; parked buffers do not wait for later
   ones. */
static void park(const uint64_t *next)
{
    uint64_t *base = mine.base;
    withdraw(next);
    if (base != NULL) {
        size_t at = number_in(base, next);
        uint32_t words = MARGAY_BUFFER_WORDS;
        while (words > 0 && margay_word_is_unused(load(base + words - 1)))
            words--;
        if (at <= MARGAY_BUFFER_WORDS && at > words)
            words = (uint32_t)at;
        mine.parked[mine.parked_count++] =
            (struct part){base, mine.buffer, words, words};
    }
    give_up();
}

/* Send the parked buffers, in the order in which the thread filled them, but
   keep those with holes unless `all` are to be sent. */
static void send_parked(bool all)
{
    size_t kept = 0;
    bool crowded = mine.parked_count > PARKED;
    for (size_t i = 0; i < mine.parked_count; i++) {
        const struct part part = mine.parked[i];
        if (!all && has_holes(&part) && !(crowded && i == 0))
            mine.parked[kept++] = part;
        else
            margay_buffer_send(part.buffer, part.words, MARGAY_BUFFER_WORDS);
    }
    mine.parked_count = kept;
}

static void put_stack(void);

static void begin_buffer(uint32_t buffer, uint64_t *base)
{
    const struct margay_capture *capture = margay_process.capture;
    for (size_t i = capture->wants_sites ? 0 : ROOM_WORDS;
         i < MARGAY_BUFFER_WORDS; i++)
        base[i] = MARGAY_WORD_END;
    mine.buffer = buffer;
    mine.sites = sites[buffer];
    for (unsigned i = 0; i < MARGAY_SITE_SLOTS && capture->wants_sites; i++)
        mine.sites[i] = 0;
    margay_recorder.tells_sites = capture->wants_sites != 0;
    atomic_store_explicit(&mine.base, base, memory_order_relaxed);
    move_to(base);
    if (capture->wants_data && !mine.has_stack)
        put_stack();
}

/* Get a buffer, after a wait while all are full; `early`: also before recording
   begins.  Handlers run during the wait, and may have got one then. */
static bool acquire(bool early, const struct alone *alone)
{
    uint32_t buffer;
    enum margay_taking taking = MARGAY_WAITED;
    if (!margay_process_attach())
        return false;
    while (taking == MARGAY_WAITED && mine.base == NULL) {
        mine.looks = alone->looks;
        taking = margay_buffer_take(&buffer, early, &alone->signals);
        mine.looks = true;
    }
    uint64_t *base = taking == MARGAY_TAKEN ? margay_buffer_open(buffer) : NULL;
    if (base != NULL)
        begin_buffer(buffer, base);
    return mine.base != NULL;
}

/* Get the next buffer. */
static bool change_buffer(const uint64_t *next, bool early)
{
    struct alone alone;
    if (mine.base == NULL && margay_buffer_refused(early))
        return false;
    begin_alone(&alone);
    park(next);
    send_parked(false);
    bool acquired = acquire(early, &alone);
    end_alone(&alone);
    return acquired;
}

/* ---------------------------------------------------------------- places -- */

/* Where the next words go; NULL: in another buffer. */
static uint64_t *find_place(uint64_t *next, size_t least)
{
    uint64_t *base = mine.base;
    size_t at = base == NULL ? MARGAY_BUFFER_WORDS : number_in(base, next);
    if (at < MARGAY_BUFFER_WORDS)
        return find_run(base, at, least);
    /* The buffer has been changed meanwhile. */
    if (mine.parked_count > 0) {
        struct alone alone;
        begin_alone(&alone);
        withdraw(next);
        end_alone(&alone);
        base = mine.base;
    }
    return base == NULL ? NULL : find_run(base, 0, least);
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

/* Reserve a place for words, or for more of them with sites.  Without sites,
   code writes a piece where the first word is unused, so as many have to be.  A
   handler that comes before the move may have written at any of the words, or
   have parked the buffer without them; one that comes later writes after them,
   and parks them, too. */
static uint64_t *reserve(uint64_t *next, size_t words, size_t with_sites,
                         bool early)
{
    for (size_t least = 1;; least = with_sites) {
        const bool tells = margay_recorder.tells_sites;
        const size_t count = tells ? with_sites : words;
        const uint64_t *base = mine.base;
        uint64_t *at = find_place(next, tells ? least : MARGAY_PIECE_WORDS);
        if (at == NULL && !change_buffer(next, early))
            return place_in_ring(words);
        if (at == NULL) {
            next = margay_recorder.next;
            continue;
        }
        move_to(at + count);
        if (base == mine.base && tells == margay_recorder.tells_sites &&
            are_unused(at, count))
            return at;
        next = at; /* a handler has just written there, or forked */
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

/* Find the image of a site.  Handlers wait, because references during this are
   not recorded. */
__attribute__((noinline)) static const struct margay_image *look_for(
    uint64_t site)
{
    struct alone alone;
    begin_alone(&alone);
    mine.image = margay_images_find(site);
    end_alone(&alone);
    return mine.image;
}

/* The value of a word about a site. */
static uint64_t locate(uint64_t site)
{
    const struct margay_image *image = mine.image;
    if (image == NULL || site - image->from >= image->to - image->from)
        image = look_for(site);
    return site + image->shift;
}

/* Before a site is written; the number changes again if a handler writes one in
   the meantime. */
static uint32_t begin_put(void)
{
    uint32_t number =
        1 + atomic_load_explicit(&mine.puts, memory_order_relaxed);
    atomic_store_explicit(&mine.puts, number, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    return number;
}

static bool is_last_put(uint32_t number)
{
    atomic_signal_fence(memory_order_seq_cst);
    return atomic_load_explicit(&mine.puts, memory_order_relaxed) == number;
}

uint64_t margay_recorder_site(uint64_t site)
{
    begin_put();
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

/* Reserve places for the word with the site of a slot, and for those that have
   the site; without sites, for `words`.  No later word of a handler has that
   slot, unless the handler has written its site, too. */
static uint64_t *reserve_slot(uint64_t *next, size_t words, size_t with_sites,
                              bool early, unsigned slot, uint32_t *number)
{
    for (;;) {
        *number = begin_put();
        if (margay_recorder.tells_sites)
            mine.sites[slot] = 0;
        uint64_t *at = reserve(next, words, with_sites, early);
        if (!margay_recorder.tells_sites || is_last_put(*number))
            return at;
        pass_over(at, with_sites);
        next = margay_recorder.next;
    }
}

/* Write the site of the words from the result on.  The slot holds it, unless a
   handler has changed the slot since, after these words.  The slot is that of
   the buffer at the time of the test: a handler that comes later may change the
   buffer, and the next one does not have the site. */
static uint64_t *put_site(uint64_t *at, uint64_t site, unsigned slot,
                          uint32_t number)
{
    uint64_t none = 0;
    *at = margay_control_word(MARGAY_CONTROL_SITE, locate(site));
    uint64_t *held = &mine.sites[slot];
    if (is_last_put(number))
        __atomic_compare_exchange_n(held, &none, site, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    return at + 1;
}

/* Write the word where its site is known and the place that the caller reserved
   is the thread's last one: it is in its buffer, and no handler has written
   after it.  The slot still holds the site if no handler has written one
   since. */
static bool put_known(uint64_t *next, uint64_t word, uint64_t site)
{
    const unsigned slot = slot_of(site);
    const uint32_t number = begin_put();
    if (!margay_recorder.tells_sites || mine.sites[slot] != site ||
        margay_recorder.next != next + 1 ||
        number_in(mine.base, next) >= ROOM_WORDS || !are_unused(next, 1) ||
        !is_last_put(number))
        return false;
    *next = word | (uint64_t)slot << MARGAY_SLOT_SHIFT;
    return true;
}

/* The thread may get its first buffer here, or another one. */
void margay_recorder_put(uint64_t *next, uint64_t word, uint64_t site)
{
    if (mine.looks) {
        move_to(NO_ROOM);
    } else if (!put_known(next, word, site)) {
        const unsigned slot = slot_of(site);
        uint32_t number;
        uint64_t *at = reserve_slot(next, 1, 2, false, slot, &number);
        if (margay_recorder.tells_sites) {
            at = put_site(at, site, slot, number);
            word |= (uint64_t)slot << MARGAY_SLOT_SHIFT;
        }
        *at = word;
    }
}

/* Write the words of an event of data. */
static void put_event(unsigned data, uint64_t address, uint64_t bytes,
                      uint64_t site)
{
    uint32_t number;
    uint64_t *at = reserve_slot(margay_recorder.next, MARGAY_DATA_WORDS,
                                MARGAY_DATA_WORDS, true, 0, &number);
    if (!margay_recorder.tells_sites)
        return;
    const uint64_t order =
        1 + atomic_fetch_add(&margay_process.capture->events, 1);
    const uint64_t payload = (address & MARGAY_WORD_ADDRESS_MASK) |
                             (uint64_t)data << MARGAY_CONTROL_DATA_SHIFT;
    at = put_site(at, site, 0, number);
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

/* Before recording begins, each event has a buffer for itself. */
void margay_recorder_put_data(unsigned data, const volatile void *address,
                              uint64_t bytes, uint64_t site)
{
    int reason = errno, cancel;
    if (mine.looks || !margay_recorder_wants_data())
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    put_event(data, (uint64_t)(uintptr_t)address, bytes, site);
    if (atomic_load(&margay_process.capture->quiet) != MARGAY_RECORD)
        margay_recorder_leave();
    pthread_setcancelstate(cancel, NULL);
    errno = reason;
}

bool margay_recorder_wants_data(void)
{
    return margay_process_attach() && margay_process.capture->wants_data;
}

void margay_recorder_leave(void)
{
    struct alone alone;
    begin_alone(&alone);
    park(margay_recorder.next);
    send_parked(true);
    end_alone(&alone);
}

/* Change the state of the recording from `from` to `to`, if it is `from`. */
static void change(uint32_t from, uint32_t to)
{
    if (margay_process_attach() &&
        atomic_compare_exchange_strong(&margay_process.capture->quiet, &from,
                                       to))
        margay_recorder_leave();
}

void margay_recorder_start(void)
{
    change(MARGAY_NOT_YET, MARGAY_RECORD);
}

void margay_recorder_stop(void)
{
    change(MARGAY_RECORD, MARGAY_NO_MORE);
}

/* ----------------------------------------------------------------- forks -- */

/* What a handler interrupted that forks may yet write into parked buffers. */
void margay_recorder_before_fork(void)
{
    struct alone alone;
    begin_alone(&alone);
    park(margay_recorder.next);
    send_parked(false);
    end_alone(&alone);
}

/* All buffers are the parent's. */
void margay_recorder_after_fork(void)
{
    mine.parked_count = 0;
    give_up();
}
