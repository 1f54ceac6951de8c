/*
 * cursors.c - the place of each thread's next word
 *
 * The cursor of the thread that runs stands in one place, with the recorder's
 * variables of that thread; those of the others are put aside.
 */
#include "traces/capture/valgrind/tool.h"

#include <pub_tool_basics.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_threadstate.h>

#include "traces/capture/runtime/process.h"

struct thread {
    struct margay_cursor cursor;
    uint64_t *base; /* of its buffer; NULL = its words are not recorded */
    uint32_t buffer;
    char *locals; /* NULL = it has not run yet */
};

/* The variables of a thread in all files, which are compiled into one section
   (traces/module.mk), between names that the linker makes. */
extern char __start_margay_locals[], __stop_margay_locals[];

struct margay_cursor margay_cursor;

static struct thread *threads; /* by number */
static unsigned running;       /* 0 = none yet */

/* Takes the words that are not recorded. */
static uint64_t scratch[MARGAY_BUFFER_WORDS];

static size_t locals_bytes(void)
{
    return (uintptr_t)__stop_margay_locals - (uintptr_t)__start_margay_locals;
}

static void hand_over(struct thread *thread)
{
    if (thread->base != NULL) {
        uint32_t words = (uint32_t)(margay_cursor.next - thread->base);
        margay_buffer_send(thread->buffer, words, words);
    }
    thread->base = NULL;
}

void margay_cursor_refill(void)
{
    struct thread *thread = &threads[running];
    enum margay_taking taking = MARGAY_WAITED;
    hand_over(thread);
    while (taking == MARGAY_WAITED)
        taking = margay_buffer_take(&thread->buffer, false, NULL);
    thread->base =
        taking == MARGAY_TAKEN ? margay_buffer_open(thread->buffer) : NULL;
    margay_cursor.next = thread->base == NULL ? scratch : thread->base;
    margay_cursor.end = margay_cursor.next + MARGAY_BUFFER_WORDS;
}

static void take_up(struct thread *thread)
{
    if (thread->locals == NULL)
        thread->locals = VG_(calloc)("margay.locals", 1, locals_bytes() + 1);
    margay_cursor = thread->cursor;
    VG_(memcpy)(__start_margay_locals, thread->locals, locals_bytes());
}

void margay_cursor_switch(unsigned thread)
{
    if (thread == running)
        return;
    if (threads == NULL)
        threads = VG_(calloc)("margay.threads", VG_N_THREADS, sizeof *threads);
    if (running != 0) {
        threads[running].cursor = margay_cursor;
        VG_(memcpy)
        (threads[running].locals, __start_margay_locals, locals_bytes());
    }
    running = thread;
    take_up(&threads[running]);
}

void margay_cursor_catch_up(void)
{
    while (threads[running].base != NULL &&
           margay_cursor.next < margay_cursor.end && *margay_cursor.next != 0)
        margay_cursor.next++;
}

/* The next thread of this number is another one. */
void margay_cursor_end(void)
{
    margay_recorder_leave();
    margay_buffer_end();
    VG_(memset)(__start_margay_locals, 0, locals_bytes());
}

/* ------------------------------------------------ the recorder's wishes -- */

void margay_recorder_leave(void)
{
    hand_over(&threads[running]);
    margay_cursor.next = margay_cursor.end = NULL;
}

void margay_recorder_before_fork(void)
{
}

/* The child of a fork has one thread, and the buffers stay with the parent.
   Later threads of the child may get the numbers of the parent's. */
void margay_recorder_after_fork(void)
{
    for (unsigned i = 0; i < VG_N_THREADS; i++) {
        VG_(free)(threads[i].locals);
        threads[i] = (struct thread){.base = NULL};
    }
    take_up(&threads[running]);
}
