/* program.h - the side of a recorded program, by hand */
#ifndef MARGAY_TESTS_CAPTURE_PROGRAM_H
#define MARGAY_TESTS_CAPTURE_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "traces/capture/receiver.h"

#define PROGRAM_BUFFERS 16

struct program {
    int file, free_end, full_end;
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
               &program->free_end, &program->full_end) != 3)
        return false;
    program->full_end = dup(program->full_end);
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

/* Close the last writing end of the pipe: no message will follow. */
static void program_close(struct program *program)
{
    if (program->full_end >= 0)
        close(program->full_end);
    program->full_end = -1;
}

static void program_release(struct program *program)
{
    program_close(program);
    for (size_t i = 0; i < PROGRAM_BUFFERS; i++)
        munmap(program->buffers[i], MARGAY_BUFFER_BYTES);
    munmap(program->capture, sizeof *program->capture);
}

static void program_own(struct program *program, uint32_t buffer,
                        uint32_t process, uint32_t thread)
{
    struct margay_slot *slot =
        &program->capture->slots[buffer % MARGAY_MAX_BUFFERS];
    atomic_store(&slot->thread, thread);
    atomic_store(&slot->process, process);
}

static void program_send(struct program *program, uint32_t type,
                         uint32_t buffer, uint32_t words, uint32_t process)
{
    const struct margay_message message = {type, buffer, words, process};
    if (program->full_end >= 0)
        (void)!write(program->full_end, &message, sizeof message);
}

#endif
