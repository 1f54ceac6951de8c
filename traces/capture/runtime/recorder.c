/*
 * recorder.c - references recorded from inside a program
 *
 * Algorithm: a thread reserves the place of its next words by a store to
 *   margay_recorder.next, and then looks whether the word there is still 0.  If
 *   it is not, a handler of a signal has written there before the store, the
 *   buffer ends there, or there is none: the functions here find the place
 *   anew.  A handler that runs after the store writes behind what was reserved.
 *   So a handler and what it interrupts share a buffer, without locks; signals
 *   wait only while a buffer is handed over and the next one taken (alone.h).
 *
 *   A handler may fill the buffer in which the code that it interrupts has yet
 *   to write.  That buffer is kept until the words are written (parked.c). Code
 *   that finds its place used, or the end there, takes back what it reserved,
 *   for a buffer that is kept for words that never come would come late.  A
 *   buffer without such words may be sent, and even be in use again, when the
 *   interrupted code goes on, whose register then has an old place.  As buffers
 *   stay with their thread (slots.h), that place is unused only if it is one of
 *   the thread's present buffer, and as good as any.
 *
 *   With call sites, all unused words are the end, so code always asks for a
 *   place here.  A handler that comes between its move and its question would
 *   otherwise find unused words, and write without a site where the sites of
 *   the interrupted code go.
 * Guarantee: wherever a signal interrupts, no reference is lost or written
 *   twice, and each has its own site.  The buffers of a thread get their turns
 *   (slots.h) in the order in which it filled them.  A kept one gets its turn
 *   before those that the thread hands over once the words are written, and
 *   after those that handlers have filled until then; a handler that fills
 *   buffers until it has the first of them again, and comes less far in it than
 *   the interrupted code did, leaves words that stay unused, and that one late.
 * Cost: everything here happens once per buffer, or once per process, except
 *   where call sites are recorded.
 *
 * recorder_mmu.c does the same without looking for the end of the buffer.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/recorder.h"

#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "traces/capture/runtime/alone.h"
#include "traces/capture/runtime/buffers.h"
#include "traces/capture/runtime/images.h"
#include "traces/capture/runtime/parked.h"
#include "traces/capture/runtime/places.h"
#include "traces/capture/runtime/process.h"
#include "traces/capture/slots.h"
#include "traces/formats/data_kind.h"

/* The rings that take the words while nothing is recorded, and the end behind
   each.  A plugin may have little memory for each thread, so rings are not
   thread-local.  Of more threads than rings, some share one: what is in a ring
   is never read. */
#define RING_WORDS 4096
#define RINGS      64

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

/* What the calling thread has. */
static __thread struct {
    _Atomic uint32_t held; /* the number of its buffer + 1; 0 = none */
    uint64_t *base;        /* of that buffer */
    uint64_t *sites;       /* what the slots of the buffer hold */
    _Atomic uint32_t puts; /* changes whenever a site is told */
    /* That the last new site is in; NULL = none yet. */
    const struct margay_image *image;
    int thread;     /* the system's number of the thread; 0 = unknown */
    unsigned forks; /* from the first process to this one */
    bool looks;     /* for an image: what it refers to is not the program's */
    bool has_stack; /* the recording knows the thread's stack */
    uint64_t *ring; /* the thread's ring; NULL = it has none yet */
} mine __attribute__((tls_model("initial-exec")));

/* Of each buffer what its slots hold.  Not thread-local, because a library that
   is loaded late has little room for such variables. */
static uint64_t sites[MARGAY_MAX_BUFFERS][MARGAY_SITE_SLOTS];

static uint64_t rings[RINGS][RING_WORDS + SLACK_WORDS];
static _Atomic uint32_t next_ring;

static void move_to(uint64_t *next)
{
    __atomic_store_n(&margay_recorder.next, next, __ATOMIC_RELAXED);
    atomic_signal_fence(memory_order_seq_cst);
}

/* ---------------------------------------------------------------- buffers --
 */

/* The thread has no buffer from now on; the number + 1 of that which it had. */
static uint32_t give_up(void)
{
    uint32_t held = atomic_exchange(&mine.held, 0);
    margay_recorder.tells_sites = 0;
    move_to(NO_ROOM);
    return held;
}

/* These variables are those of one thread.  A process or thread that assembly
   makes may have them, too, or a copy of them, and then writes where the first
   one writes.  A child of vfork has them while its parent waits. */
static void find_strangers(void)
{
    int thread = gettid();
    if (mine.thread == 0 || mine.thread == thread)
        return;
    if (margay_process_shares(mine.thread))
        margay_process_lose(MARGAY_LOSS_SHARED);
    else if (margay_process_is_own())
        mine.thread = thread;
}

/* How many words of a buffer are reserved, where those in front of `next` are.
 */
static uint32_t reserved_words(uint32_t held, const uint64_t *next)
{
    const uint64_t *base = margay_process_map(held - 1);
    size_t at = number_in(base, next);
    uint32_t used = used_words(base);
    return at <= MARGAY_BUFFER_WORDS && at > used ? (uint32_t)at : used;
}

/* Send the thread's buffer, or keep it, unless `all` are to be sent.  What is
   in front of `next` is reserved. */
static void hand_over(const uint64_t *next, bool all)
{
    uint32_t held = give_up();
    find_strangers();
    margay_parked_expect_no_more(next);
    margay_parked_send(all);
    if (held == 0)
        return;
    margay_parked_send_or_keep(held, reserved_words(held, next), all);
}

static void begin_buffer(uint32_t buffer, uint64_t *base);

/* Take a free buffer; handlers may come while there is none. */
static bool take_buffer(uint32_t *buffer, bool early,
                        struct margay_alone *alone)
{
    unsigned waits = 0;
    while (margay_buffer_is_wanted(early)) {
        if (margay_buffer_try(buffer))
            return true;
        margay_alone_let_in(alone);
        bool waited = margay_buffer_await(&waits);
        margay_alone_keep_out(alone);
        if (!waited)
            return false;
    }
    return false;
}

/* Get a buffer, after a wait while all are full; `early`: also before recording
   begins. */
static bool acquire(bool early, struct margay_alone *alone)
{
    uint32_t buffer;
    if (!margay_process_attach() || !take_buffer(&buffer, early, alone))
        return false;
    mine.looks = true; /* to map it is no event of the program's data */
    uint64_t *base = margay_process_map(buffer);
    mine.looks = false;
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
    struct margay_alone alone;
    if (atomic_load(&mine.held) == 0 && margay_buffer_refused(early))
        return false;
    margay_alone_begin(&alone);
    hand_over(next, false);
    bool acquired = acquire(early, &alone);
    margay_alone_end(&alone);
    return acquired;
}

/* ----------------------------------------------------------------- places --
 */

/* Where the next words go; NULL: in another buffer. */
static uint64_t *find_place(uint64_t *next, size_t least)
{
    uint32_t held = atomic_load(&mine.held);
    uint64_t *base = held == 0 ? NULL : margay_process_map(held - 1);
    size_t at = held == 0 ? MARGAY_BUFFER_WORDS : number_in(base, next);
    if (at >= MARGAY_BUFFER_WORDS) {
        /* The buffer has been changed meanwhile. */
        margay_parked_expect_no_more(next);
        at = 0;
    }
    return held == 0 ? NULL : find_run(base, at, least);
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

/* Reserve a place for words, or for more of them where sites are told.  Without
   sites, code writes a piece where the first word is unused, so as many have to
   be.  A handler that comes before the move may have written at any of the
   words; one that comes later writes behind them. */
static uint64_t *reserve(uint64_t *next, size_t words, size_t with_sites,
                         bool early)
{
    for (size_t least = 1;; least = with_sites) {
        const bool tells = margay_recorder.tells_sites;
        const size_t count = tells ? with_sites : words;
        const unsigned forks = mine.forks;
        uint64_t *at = find_place(next, tells ? least : MARGAY_PIECE_WORDS);
        if (at == NULL && !change_buffer(next, early))
            return place_in_ring(words);
        if (at == NULL) {
            next = margay_recorder.next;
            continue;
        }
        move_to(at + count);
        if (tells == margay_recorder.tells_sites && forks == mine.forks &&
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

/* Find the image of a site.  A handler waits, as what is recorded meanwhile is
   left out. */
__attribute__((noinline)) static const struct margay_image *look_for(
    uint64_t site)
{
    struct margay_alone alone;
    margay_alone_begin(&alone);
    mine.looks = true;
    mine.image = margay_images_find(site);
    mine.looks = false;
    margay_alone_end(&alone);
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

/* A site is about to be told; the number changes again if a handler tells one
   in the meantime. */
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

/* Reserve places for the word that tells the site of a slot, and for those that
   have the site; where sites are not told, for `words`.  No slot of a word that
   a handler has written behind them is that one, unless the handler has told it
   behind them, too. */
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

/* Tell the site of the words from the result on.  The slot holds it, unless a
   handler has told the slot since, behind these words. */
static uint64_t *put_site(uint64_t *at, uint64_t site, unsigned slot,
                          uint32_t number)
{
    uint64_t none = 0;
    *at = margay_control_word(MARGAY_CONTROL_SITE, locate(site));
    atomic_signal_fence(memory_order_seq_cst);
    if (is_last_put(number))
        __atomic_compare_exchange_n(&mine.sites[slot], &none, site, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return at + 1;
}

/* True if the place that the caller reserved is the thread's last one: it is in
   its buffer, and no handler has written behind it. */
static bool is_last_place(const uint64_t *next)
{
    return margay_recorder.next == next + 1 &&
           number_in(mine.base, next) < ROOM_WORDS && are_unused(next, 1);
}

/* Write the word where its site is known: the slot still holds the site if no
   handler has told one since the place was reserved. */
static bool put_known(uint64_t *next, uint64_t word, uint64_t site)
{
    const unsigned slot = slot_of(site);
    const uint32_t number = begin_put();
    if (!margay_recorder.tells_sites || mine.sites[slot] != site ||
        !is_last_place(next) || !is_last_put(number))
        return false;
    *next = word | (uint64_t)slot << MARGAY_SLOT_SHIFT;
    return true;
}

/* The thread may get its first buffer here, or another one. */
static void put_anew(uint64_t *next, uint64_t word, uint64_t site)
{
    const unsigned slot = slot_of(site);
    uint32_t number;
    uint64_t *at = reserve_slot(next, 1, 2, false, slot, &number);
    if (margay_recorder.tells_sites) {
        at = put_site(at, site, slot, number);
        word |= (uint64_t)slot << MARGAY_SLOT_SHIFT;
    }
    *at = word;
}

void margay_recorder_put(uint64_t *next, uint64_t word, uint64_t site)
{
    if (mine.looks)
        move_to(NO_ROOM);
    else if (!put_known(next, word, site))
        put_anew(next, word, site);
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
    mine.has_stack = mine.looks = true;
    bool found = margay_images_stack((uint64_t)(uintptr_t)&site, &from, &to);
    mine.looks = false;
    if (found)
        put_event(MARGAY_DATA_STACK, from, to - from, site);
}

/* A handler may have got a buffer in the meantime. */
static void begin_buffer(uint32_t buffer, uint64_t *base)
{
    const struct margay_capture *capture = margay_process.capture;
    for (size_t i = capture->wants_sites ? 0 : ROOM_WORDS;
         i < MARGAY_BUFFER_WORDS; i++)
        base[i] = MARGAY_WORD_END;
    uint32_t theirs = atomic_exchange(&mine.held, buffer + 1);
    if (mine.thread == 0)
        mine.thread = gettid();
    mine.base = base;
    mine.sites = sites[buffer];
    for (unsigned i = 0; i < MARGAY_SITE_SLOTS && capture->wants_sites; i++)
        mine.sites[i] = 0;
    margay_recorder.tells_sites = capture->wants_sites != 0;
    move_to(base);
    if (theirs != 0)
        margay_parked_keep(theirs, used_words(margay_process_map(theirs - 1)));
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

bool margay_recorder_wants_sites(void)
{
    return margay_process_attach() && margay_process.capture->wants_sites;
}

void margay_recorder_leave(void)
{
    struct margay_alone alone;
    margay_alone_begin(&alone);
    hand_over(margay_recorder.next, true);
    margay_alone_end(&alone);
}

void margay_recorder_before_fork(void)
{
    struct margay_alone alone;
    margay_alone_begin(&alone);
    uint32_t held = atomic_load(&mine.held);
    mine.looks = true; /* to map memory is no event of the program's data */
    margay_parked_before_fork(
        held, held == 0 ? 0 : reserved_words(held, margay_recorder.next));
    mine.looks = false;
    margay_alone_end(&alone);
}

void margay_recorder_after_fork(void)
{
    struct margay_alone alone;
    margay_alone_begin(&alone);
    uint32_t held = give_up();
    mine.forks++;
    mine.thread = 0;
    margay_buffer_forget();
    mine.looks = true;
    margay_parked_after_fork(held);
    mine.looks = false;
    margay_alone_end(&alone);
}
