/* program.h - the side of a recorded program, by hand */
#ifndef MARGAY_TESTS_CAPTURE_PROGRAM_H
#define MARGAY_TESTS_CAPTURE_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "traces/capture/receiver.h"
#include "traces/capture/slots.h"

#define PROGRAM_BUFFERS 16

struct program {
    int file, free_end, bell_end;
    struct margay_capture *capture;
    uint64_t *buffers[PROGRAM_BUFFERS];
};

/* Attach like a program that finds the receiver in its environment; false: that
   is not possible. */
static bool program_attach(struct program *program,
                           const margay_receiver *receiver)
{
    if (sscanf(margay_receiver_environment(receiver),
               MARGAY_CAPTURE_VARIABLE "=%d,%d,%d", &program->file,
               &program->free_end, &program->bell_end) != 3)
        return false;
    program->bell_end = dup(program->bell_end);
    program->capture =
        mmap(NULL, sizeof *program->capture, PROT_READ | PROT_WRITE, MAP_SHARED,
             program->file, 0);
    if ((void *)program->capture == MAP_FAILED)
        return false;
    for (size_t i = 0; i < PROGRAM_BUFFERS; i++) {
        void *memory = mmap(
            NULL, MARGAY_BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
            program->file,
            (off_t)(program->capture->data_offset + i * MARGAY_BUFFER_BYTES));
        if (memory == MAP_FAILED)
            return false;
        program->buffers[i] = memory;
    }
    return true;
}

/* Close the last writing end of the pipe. */
static void program_close(struct program *program)
{
    if (program->bell_end >= 0)
        close(program->bell_end);
    program->bell_end = -1;
}

static void program_release(struct program *program)
{
    program_close(program);
    for (size_t i = 0; i < PROGRAM_BUFFERS; i++)
        munmap(program->buffers[i], MARGAY_BUFFER_BYTES);
    munmap(program->capture, sizeof *program->capture);
}

/* Say that a thread of a process writes into a buffer; process 0: none. */
static void program_own(struct program *program, uint32_t buffer,
                        uint32_t process, uint32_t thread)
{
    struct margay_slot *slot =
        &program->capture->slots[buffer % MARGAY_MAX_BUFFERS];
    atomic_store(&slot->thread, thread);
    atomic_store(&slot->opening,
                 atomic_fetch_add(&program->capture->openings, 1));
    atomic_store(
        &slot->state,
        margay_slot_state(process == 0 ? MARGAY_SLOT_FREE : MARGAY_SLOT_OPEN,
                          process, 0));
}

/* Wake the receiver. */
static void program_ring(struct program *program)
{
    if (program->bell_end >= 0)
        (void)!write(program->bell_end, "", 1);
}

/* The program that fills a buffer now. */
static _Thread_local const struct program *program_now;

static const uint64_t *program_words(uint32_t buffer)
{
    return buffer < PROGRAM_BUFFERS ? program_now->buffers[buffer] : NULL;
}

/* Say that a buffer is full. */
static void program_fill(struct program *program, uint32_t buffer,
                         uint32_t words, uint32_t process)
{
    program_now = program;
    margay_slots_mark(program->capture, buffer % MARGAY_MAX_BUFFERS,
                      program_words);
    if (margay_slots_fill(program->capture, buffer % MARGAY_MAX_BUFFERS,
                          process, words, words))
        program_ring(program);
}

#endif
