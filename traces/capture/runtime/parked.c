/*
 * parked.c - buffers that wait for words which are reserved in them
 *
 * Algorithm: a handler may fill the buffer in which the code that it interrupts
 *   has yet to write.  Such a buffer has unused words in its midst; it is kept
 *   until these are written, and sent then.  A handler that jumps out of what
 *   it interrupted leaves words that never are: of many kept buffers the oldest
 *   goes.
 *
 *   A handler may also fork, and return in the child, where the code that it
 *   interrupted has the address of a place in the parent's buffer.  So the
 *   child has other memory at that address: where words are to be written, a
 *   buffer of its own, which is kept for them, and otherwise words that mean
 *   nothing, which send the code to a new place (recorder.c).
 * Guarantee: parent and child lose no word and write none twice, but for code
 *   that a handler interrupts between the load and the store of its place,
 *   where the handler then fills the buffer and forks.  What the child writes
 *   into kept buffers may lack its sites, or have others.
 * Cost: a buffer's words are looked at when it is handed over, and before a
 *   fork.  A child asks the system for two mappings for each buffer of the
 *   thread, which stay.  None is private: of a chain of 200 forks with private
 *   memory, the last ones took the system 25 ms each.
 */
#define _GNU_SOURCE
#include "traces/capture/runtime/parked.h"

#include <stdatomic.h>
#include <sys/mman.h>

#include "traces/capture/runtime/buffers.h"
#include "traces/capture/runtime/holes.h"
#include "traces/capture/runtime/process.h"

/* The most buffers that a thread keeps; each is its number + 1, and how many
   words are reserved. */
#define PARKED       8
#define PARKED_SHIFT 16

#define NOTHING margay_control_word(MARGAY_CONTROL_NONE, 0)

static __thread struct {
    _Atomic uint32_t parked[PARKED]; /* 0 = none */
    uint64_t ages[PARKED];           /* of these, the older the smaller */
    uint64_t parks;                  /* until now */
    /* At a fork, of the buffer that is not parked: how many words are reserved,
       and whether some are still to be written. */
    uint32_t reserved;
    bool waits;
    uint64_t *images; /* of buffers, at a fork; NULL = none yet */
} mine __attribute__((tls_model("initial-exec")));

/* Of one process and all that come of its forks: words that mean nothing, as
   many as a buffer has.  NULL = there has been no fork. */
static uint64_t *_Atomic nothing;

static bool has_vectors(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

static uint64_t unused_word(void)
{
    return margay_process.capture->wants_sites ? MARGAY_WORD_END : 0;
}

static bool is_incomplete(uint32_t held, uint32_t reserved)
{
    return has_holes(margay_process_map(held - 1), reserved, unused_word(),
                     has_vectors());
}

static void send_buffer(uint32_t held)
{
    margay_buffer_send(held - 1, used_words(margay_process_map(held - 1)),
                       MARGAY_BUFFER_WORDS);
}

/* The oldest of the buffers parked from `from` on; PARKED: there is none. */
static int next_parked(uint64_t from)
{
    int found = PARKED;
    for (int i = 0; i < PARKED; i++) {
        if (atomic_load(&mine.parked[i]) != 0 && mine.ages[i] >= from &&
            (found == PARKED || mine.ages[i] < mine.ages[found]))
            found = i;
    }
    return found;
}

void margay_parked_keep(uint32_t held, uint32_t reserved)
{
    int place = 0;
    while (place < PARKED && atomic_load(&mine.parked[place]) != 0)
        place++;
    if (place == PARKED) {
        place = next_parked(0);
        send_buffer(atomic_exchange(&mine.parked[place], 0) >> PARKED_SHIFT);
    }
    mine.ages[place] = mine.parks++;
    atomic_store(&mine.parked[place], held << PARKED_SHIFT | reserved);
}

void margay_parked_send_or_keep(uint32_t held, uint32_t reserved, bool all)
{
    if (!all && is_incomplete(held, reserved))
        margay_parked_keep(held, reserved);
    else
        send_buffer(held);
}

static uint32_t parked_words(uint32_t parked)
{
    return parked & ((1u << PARKED_SHIFT) - 1);
}

void margay_parked_expect_no_more(const uint64_t *next)
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

void margay_parked_send(bool all)
{
    for (int i = next_parked(0); i != PARKED;
         i = next_parked(mine.ages[i] + 1)) {
        uint32_t parked = atomic_load(&mine.parked[i]);
        uint32_t held = parked >> PARKED_SHIFT;
        if (held == 0 || (!all && is_incomplete(held, parked_words(parked))))
            continue;
        if (atomic_compare_exchange_strong(&mine.parked[i], &parked, 0))
            send_buffer(held);
    }
}

/* ------------------------------------------------------------------ forks --
 */

/* The image of a buffer, parked at a place (PARKED: not parked): words that are
   to be written are unused, and all others mean nothing. */
static uint64_t *image_of(int place)
{
    return mine.images == NULL
               ? NULL
               : mine.images + (size_t)place * MARGAY_BUFFER_WORDS;
}

static void map_images(void)
{
    void *memory =
        mmap(NULL, (PARKED + 1) * MARGAY_BUFFER_BYTES, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        margay_process_lose(MARGAY_LOSS_MEMORY);
    else
        mine.images = memory;
}

/* The parent goes on, and may write the words before the child looks. */
static void keep_image(int place, uint32_t held, uint32_t reserved)
{
    const uint64_t *base = margay_process_map(held - 1);
    if (mine.images == NULL)
        map_images();
    if (mine.images == NULL)
        return;
    for (uint32_t i = 0; i < reserved; i++)
        image_of(place)[i] =
            margay_word_is_unused(load(base + i)) ? unused_word() : NOTHING;
}

/* Code whose place is there looks at its first word, and then asks for another
   place, so the processes only read them. */
static void make_nothing(void)
{
    uint64_t *none = NULL;
    uint64_t *words = mmap(NULL, MARGAY_BUFFER_BYTES, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if ((void *)words == MAP_FAILED)
        return; /* a child that needs them says so */
    for (uint32_t i = 0; i < MARGAY_BUFFER_WORDS; i++)
        words[i] = NOTHING;
    if (!atomic_compare_exchange_strong(&nothing, &none, words))
        munmap(words, MARGAY_BUFFER_BYTES);
}

void margay_parked_before_fork(uint32_t held, uint32_t reserved)
{
    if (atomic_load(&nothing) == NULL)
        make_nothing();
    mine.reserved = reserved;
    mine.waits = held != 0 && is_incomplete(held, reserved);
    if (mine.waits)
        keep_image(PARKED, held, reserved);
    for (int i = 0; i < PARKED; i++) {
        uint32_t parked = atomic_load(&mine.parked[i]);
        if (parked != 0)
            keep_image(i, parked >> PARKED_SHIFT, parked_words(parked));
    }
}

/* Have the same memory at another address (NULL: anywhere); no descriptor is
   needed for that. */
static void *map_again(void *memory, void *at)
{
    void *again = mremap(memory, 0, MARGAY_BUFFER_BYTES,
                         MREMAP_MAYMOVE | (at == NULL ? 0 : MREMAP_FIXED), at);
    return again == MAP_FAILED ? NULL : again;
}

/* Have a buffer at an address, with the words of an image and others that mean
   nothing, and keep it until those are written.  False: there is none. */
static bool put_buffer_at(uint64_t *base, uint32_t reserved,
                          const uint64_t *image)
{
    uint32_t buffer;
    if (!margay_buffer_take(&buffer, false))
        return false;
    if (!margay_process_map_at(buffer, base, MARGAY_BUFFER_BYTES)) {
        margay_buffer_return(buffer);
        return false;
    }
    margay_process_moved(buffer, base);
    margay_buffer_open(buffer, base);
    for (uint32_t i = 0; i < MARGAY_BUFFER_WORDS; i++)
        base[i] = i < reserved ? image[i] : NOTHING;
    margay_parked_keep(buffer + 1, reserved);
    return true;
}

/* Have other memory in the place of a buffer of the parent, whose words are
   still looked at for marks (slots.h); image = NULL: none are to be written. */
static void replace(uint32_t held, uint32_t reserved, const uint64_t *image)
{
    uint64_t *base = margay_process_map(held - 1);
    margay_process_moved(held - 1, map_again(base, NULL));
    if (image != NULL && put_buffer_at(base, reserved, image))
        return;
    if (nothing == NULL || map_again(nothing, base) == NULL)
        margay_process_lose(MARGAY_LOSS_MEMORY);
}

void margay_parked_after_fork(uint32_t held)
{
    const uint64_t until = mine.parks; /* the child's own come behind */
    uint64_t age = 0;
    for (int i; (i = next_parked(age)) != PARKED && mine.ages[i] < until;) {
        uint32_t parked = atomic_exchange(&mine.parked[i], 0);
        age = mine.ages[i] + 1;
        replace(parked >> PARKED_SHIFT, parked_words(parked), image_of(i));
    }
    if (held != 0)
        replace(held, mine.reserved, mine.waits ? image_of(PARKED) : NULL);
}
