/* test_order.c - the order in which words of threads come */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/capture/receiving.h"
#include "tests/tap.h"

/* The second buffer of a thread must not be read while a message about the
   first one is on its way, whichever of them has the lower number. */
static void test_order(void)
{
    begin();
    uint32_t me = (uint32_t)getpid();
    program_own(&program, 2, me, 7);
    program_own(&program, 3, me, 0);
    program_own(&program, 1, me, 0);
    fill(&program, 3, 100, 10);
    fill(&program, 1, 110, 5);
    fill(&program, 2, 900, 2);
    program_fill(&program, 3, 10, me);
    size_t count = drain(receiver, got, 64, &status);
    CHECK_U64(count, 17, "all that was written");
    CHECK(is_sequence(got, 2, 900), "another thread comes first");
    CHECK(is_sequence(got + 2, 15, 100), "a thread's buffers in their order");
    CHECK_U64(status, MARGAY_AGAIN, "more may come");
    fill(&program, 1, 110, 8);
    program_fill(&program, 1, 8, me);
    CHECK(come(3, 115), "only what is new of a buffer that was looked into");
    program_close(&program);
    drain(receiver, got, 64, &status);
    CHECK_U64(status, MARGAY_AGAIN, "who has closed the pipe may come back");
    margay_receiver_finish(receiver, true);
    count = drain(receiver, got, 64, &status);
    CHECK(count == 0 && status == MARGAY_END, "the end");
    end();
}

/* Thread 0 has three words in buffer 1, and thread 1 the four next in buffer 2.
   Returns their process. */
static uint32_t own_two(void)
{
    uint32_t me = (uint32_t)getpid();
    program_own(&program, 1, me, 0);
    program_own(&program, 2, me, 1);
    fill(&program, 1, 100, 3);
    fill(&program, 2, 103, 4);
    return me;
}

/* What a thread writes after another one's buffer became full comes behind it,
   also where its own has become full since; what it wrote before, in front. */
static void test_marks(bool both_full)
{
    begin();
    uint32_t me = own_two();
    program_fill(&program, 2, 4, me);
    program.buffers[1][3] = margay_word(107, MARGAY_WRITE, 8);
    program.buffers[1][4] = margay_word(108, MARGAY_WRITE, 8);
    if (both_full)
        program_fill(&program, 1, 5, me);
    CHECK(come(9, 100), "as they were made by two threads%s",
          both_full ? ", both buffers full" : "");
    end();
}

/* What a thread writes that was made while the full buffer was open comes
   behind that. */
static void test_later_opening(void)
{
    begin();
    uint32_t me = (uint32_t)getpid();
    program_own(&program, 4, me, 0);
    program_own(&program, 1, me, 1);
    fill(&program, 4, 100, 6);
    fill(&program, 1, 106, 2);
    program_fill(&program, 4, 6, me);
    CHECK(come(8, 100), "what was opened later comes after it");
    end();
}

/* Marks that a program wrote over: of a buffer that there is not, of the full
   one, of more words than there are, and of what a buffer held before. */
static void test_wrong_marks(void)
{
    begin();
    uint32_t me = (uint32_t)getpid();
    struct margay_slot *slots = program.capture->slots;
    for (uint32_t i = 1; i <= 3; i++)
        program_own(&program, i, me, i);
    fill(&program, 1, 1, MARGAY_BUFFER_WORDS);
    fill(&program, 2, 1 + MARGAY_BUFFER_WORDS, 4);
    fill(&program, 3, 5 + MARGAY_BUFFER_WORDS, 4);
    program_fill(&program, 2, 4, me);
    memset(slots[2].marks, 0xff, sizeof slots[2].marks);
    atomic_store(&slots[2].marks[0].buffer, 2);
    atomic_store(&slots[2].marks[0].opening, slots[2].opening);
    atomic_store(&slots[2].marks[1].buffer, 1);
    atomic_store(&slots[2].marks[1].opening, slots[1].opening);
    atomic_store(&slots[2].marks[2].buffer, 3);
    atomic_store(&slots[2].marks[2].opening, slots[3].opening - 1);
    atomic_store(&slots[2].mark_count, UINT32_MAX);
    size_t count =
        drain(receiver, got, 2 * (size_t)MARGAY_BUFFER_WORDS, &status);
    CHECK(count == MARGAY_BUFFER_WORDS + 8 && is_sequence(got, count, 1),
          "marks that mean nothing do no harm");
    end();
}

/* A buffer that was read before the turn of one that has a mark of it. */
static void test_marks_of_free(void)
{
    begin();
    uint32_t me = own_two();
    program_now = &program;
    margay_slots_mark(program.capture, 2, program_words);
    margay_slots_fill(program.capture, 1, me, 3, 3);
    margay_slots_fill(program.capture, 2, me, 4, 4);
    CHECK(come(7, 100), "words of a buffer that has been read come once");
    end();
}

/* Words of open buffers come in the order in which these were opened, also
   those that a dead process has left. */
static void test_openings(void)
{
    begin();
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    program_own(&program, 5, (uint32_t)child, 0);
    program_own(&program, 2, (uint32_t)child, 1);
    fill(&program, 5, 100, 4);
    fill(&program, 2, 104, 3);
    CHECK(come(7, 100), "the buffer that was opened first is read first");
    program.buffers[5][4] = margay_word(200, MARGAY_WRITE, 8);
    program.buffers[2][3] = margay_word(201, MARGAY_WRITE, 8);
    margay_receiver_finish(receiver, false);
    CHECK(come(2, 200), "also of a dead process");
    end();
}

#define HURRIED_BUFFERS 30000
#define HURRIED_WORDS   3

/* A program's thread, which changes buffers all the time. */
static void *hurry(void *argument)
{
    (void)argument;
    uint32_t me = (uint32_t)getpid();
    for (uint64_t n = 0; n < HURRIED_BUFFERS; n++) {
        uint32_t buffer = take(&program, me, 0);
        for (uint64_t i = 0; i < HURRIED_WORDS; i++) {
            atomic_signal_fence(memory_order_seq_cst);
            *(volatile uint64_t *)&program.buffers[buffer][i] =
                margay_word(1 + n * HURRIED_WORDS + i, MARGAY_READ, 8);
        }
        program_fill(&program, buffer, HURRIED_WORDS, me);
    }
    program_close(&program);
    return NULL;
}

/* Whenever it is looked into buffers, none is before the thread's last one. */
static void test_hurry(void)
{
    begin();
    struct margay_words words;
    struct margay_error error;
    uint64_t next = 1, wrong = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, hurry, NULL);
    while ((status = margay_receiver_next(receiver, 1, &words, &error)) ==
               MARGAY_OK ||
           status == MARGAY_AGAIN) {
        for (uint32_t i = 0; i < words.count; i++)
            wrong += (words.words[i] & MARGAY_WORD_ADDRESS_MASK) != next++;
        if (next - 1 >= HURRIED_BUFFERS * HURRIED_WORDS)
            margay_receiver_finish(receiver, true);
    }
    pthread_join(thread, NULL);
    CHECK_U64(wrong, 0, "in order while buffers change");
    CHECK_U64(next - 1, HURRIED_BUFFERS * HURRIED_WORDS, "and all of them");
    end();
}

/* A message waits for what was full before it was sent. */
static void test_messages(void)
{
    begin();
    struct margay_words words;
    struct margay_error error;
    uint32_t me = (uint32_t)getpid();
    for (uint64_t i = 0; i < 3; i++) {
        uint32_t buffer = take(&program, me, 0);
        fill(&program, buffer, 10 * i, 10);
        program_fill(&program, buffer, 10, me);
    }
    program_send(&program, MARGAY_MESSAGE_ATTACH, me, 1);
    bool before = true;
    for (int i = 0; i < 3; i++)
        before =
            margay_receiver_next(receiver, 0, &words, &error) == MARGAY_OK &&
            words.count > 0 && margay_receiver_facts(receiver).processes == 0 &&
            before;
    CHECK(before, "full buffers come before a message");
    uint32_t later = take(&program, me, 0);
    fill(&program, later, 30, 10);
    program_fill(&program, later, 10, me);
    margay_receiver_next(receiver, 0, &words, &error);
    CHECK(margay_receiver_facts(receiver).processes == 1 && words.count == 0,
          "and then it is heard, before later ones");
    end();
}

int main(void)
{
    test_order();
    test_marks(false);
    test_marks(true);
    test_later_opening();
    test_wrong_marks();
    test_marks_of_free();
    test_openings();
    test_hurry();
    test_messages();
    return tap_done();
}
