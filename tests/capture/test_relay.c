/* test_relay.c - words reach the reader of a pipe in memory, and no other */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "tests/rounds.h"
#include "tests/tap.h"
#include "tests/traces/read_all.h"
#include "traces/base/random.h"
#include "traces/capture/relay.h"
#include "traces/capture/stream.h"
#include "traces/formats/words.h"

/* Who writes a trace of words, numbered from 1 on, into a pipe. */
struct author {
    int pipe;
    struct margay_relay *relay;
    unsigned chunks;
    uint64_t seed;
    bool waits; /* after the first chunk, until the memory is taken */
    bool dies;  /* before it says that there are no more words */
    /* Results. */
    uint64_t words, bytes;
    enum margay_status status;
};

static enum margay_status write_all(void *context, const void *bytes,
                                    size_t count, struct margay_error *error)
{
    struct author *author = context;
    (void)error;
    author->bytes += count;
    for (size_t done = 0; done < count;) {
        ssize_t written =
            write(author->pipe, (const char *)bytes + done, count - done);
        if (written < 0)
            return MARGAY_IO;
        done += (size_t)written;
    }
    return MARGAY_OK;
}

static void await_taken(const struct author *author)
{
    for (int i = 0; i < 20000 && !margay_relay_is_taken(author->relay); i++)
        poll(NULL, 0, 1);
}

static void *write_trace(void *argument)
{
    static uint64_t buffer[MARGAY_BUFFER_WORDS];
    struct author *author = argument;
    struct margay_sink sink = {author, write_all};
    struct margay_random random;
    margay_writer *writer;
    margay_random_seed(&random, author->seed);
    author->status = margay_writer_create("words", NULL, &sink, &writer, NULL);
    for (unsigned i = 0; i < author->chunks && author->status == MARGAY_OK;
         i++) {
        uint32_t count =
            1 + (uint32_t)margay_random_below(&random, MARGAY_BUFFER_WORDS);
        for (uint32_t k = 0; k < count; k++)
            buffer[k] = margay_word(++author->words, MARGAY_READ, 8);
        const struct margay_words words = {
            .words = buffer, .count = count, .relay = author->relay};
        author->status = margay_writer_put_words(writer, &words, NULL);
        if (author->waits && i == 0)
            await_taken(author);
    }
    if (author->status == MARGAY_OK)
        author->status = margay_writer_finish(writer, NULL);
    if (!author->dies)
        margay_relay_conclude(author->relay);
    margay_writer_free(writer);
    close(author->pipe);
    return NULL;
}

/* Read numbers from 1 on, `batches` batches at most; how many there were, or 0
   where one is another.  `ended`: they end as a trace does. */
static uint64_t read_numbers(int pipe, unsigned batches, unsigned slow_ms,
                             bool *ended)
{
    const struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    char path[32];
    margay_trace *trace;
    struct margay_batch batch;
    enum margay_status status = MARGAY_OK;
    uint64_t expected = 0;
    bool same = true;
    snprintf(path, sizeof path, "/dev/fd/%d", pipe);
    if (margay_trace_open(path, &options, &trace, NULL) != MARGAY_OK)
        return 0;
    close(pipe);
    while (batches-- > 0 &&
           (status = margay_trace_next(trace, -1, &batch, NULL)) == MARGAY_OK) {
        for (size_t i = 0; i < batch.references; i++)
            same = same && batch.numbers[i] == ++expected;
        if (slow_ms > 0)
            poll(NULL, 0, (int)slow_ms);
    }
    margay_trace_free(trace);
    if (ended != NULL)
        *ended = status == MARGAY_END;
    return same ? expected : 0;
}

static struct author begin(int pipes[2], unsigned chunks, uint64_t seed)
{
    if (pipe(pipes) != 0) {
        printf("Bail out! no pipe\n");
        exit(1);
    }
    return (struct author){.pipe = pipes[1],
                           .relay = margay_relay_offer(pipes[1]),
                           .chunks = chunks,
                           .seed = seed};
}

/* All words but those of the first chunk go through memory. */
static void test_taken(uint64_t seed, unsigned slow_ms)
{
    bool ended;
    int pipes[2];
    pthread_t thread;
    struct author author = begin(pipes, slow_ms > 0 ? 30 : 200, seed);
    if (!CHECK(author.relay != NULL, "memory for a pipe"))
        return;
    author.waits = true;
    pthread_create(&thread, NULL, write_trace, &author);
    uint64_t got = read_numbers(pipes[0], UINT32_MAX, slow_ms, &ended);
    pthread_join(thread, NULL);
    CHECK_U64(author.status, MARGAY_OK, "all words are written");
    CHECK_U64(got, author.words, "and read, in order");
    CHECK(ended, "to their end");
    CHECK(author.bytes < (MARGAY_BUFFER_WORDS + 2 * author.chunks + 8) * 8,
          "the pipe brings heads: %llu bytes for %llu words",
          (unsigned long long)author.bytes, (unsigned long long)author.words);
    margay_relay_withdraw(author.relay);
}

struct copy {
    int from, to;
};

static void *copy_bytes(void *argument)
{
    const struct copy *copy = argument;
    char bytes[4096];
    ssize_t got;
    while ((got = read(copy->from, bytes, sizeof bytes)) > 0)
        got = write(copy->to, bytes, (size_t)got);
    close(copy->from);
    close(copy->to);
    return NULL;
}

/* A thread copies between the two: the memory is not for that reader. */
static void test_copied(void)
{
    int pipes[2], behind[2];
    pthread_t writer, copier;
    struct author author = begin(pipes, 50, 3);
    if (author.relay == NULL || pipe(behind) != 0)
        return;
    struct copy copy = {pipes[0], behind[1]};
    pthread_create(&writer, NULL, write_trace, &author);
    pthread_create(&copier, NULL, copy_bytes, &copy);
    uint64_t got = read_numbers(behind[0], UINT32_MAX, 0, NULL);
    pthread_join(writer, NULL);
    pthread_join(copier, NULL);
    CHECK_U64(got, author.words, "copied on the way: all words");
    CHECK(!margay_relay_is_taken(author.relay) &&
              author.bytes > author.words * 8,
          "and all of them went through the pipe");
    margay_relay_withdraw(author.relay);
}

/* A reader that has enough ends the writer. */
static void test_left(void)
{
    int pipes[2];
    pthread_t thread;
    struct author author = begin(pipes, UINT32_MAX, 5);
    if (author.relay == NULL)
        return;
    pthread_create(&thread, NULL, write_trace, &author);
    CHECK(read_numbers(pipes[0], 40, 0, NULL) > 0, "the reader has some");
    pthread_join(thread, NULL);
    CHECK_U64(author.status, MARGAY_IO, "and the writer ends");
    margay_relay_withdraw(author.relay);
}

/* A writer that dies between two chunks. */
static void test_writer_dies(void)
{
    int pipes[2];
    bool ended = true;
    pthread_t thread;
    struct author author = begin(pipes, 20, 7);
    if (author.relay == NULL)
        return;
    author.waits = author.dies = true;
    pthread_create(&thread, NULL, write_trace, &author);
    uint64_t got = read_numbers(pipes[0], UINT32_MAX, 0, &ended);
    pthread_join(thread, NULL);
    CHECK(got == author.words && !ended, "a writer that dies leaves no end");
    margay_relay_withdraw(author.relay);
}

/* A reader that dies while another process has the pipe open. */
static void test_reader_dies(void)
{
    static const uint64_t none[MARGAY_BUFFER_WORDS];
    uint64_t words[MARGAY_RELAY_OFFER_WORDS];
    int pipes[2], put = 0;
    struct author author = begin(pipes, 0, 0);
    if (author.relay == NULL)
        return;
    margay_relay_describe(author.relay, words);
    pid_t child = fork();
    if (child == 0) {
        margay_relay_take(words, words[0] & MARGAY_CONTROL_MASK);
        for (;;)
            pause();
    }
    await_taken(&author);
    CHECK(margay_relay_put(author.relay, none, 1), "a reader lives");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    alarm(60); /* who waits for the dead is ended */
    while (put < 100 && margay_relay_put(author.relay, none, 1))
        put++;
    alarm(0);
    CHECK(put < 100 && !margay_relay_is_taken(author.relay),
          "and nothing waits for it when it is dead");
    margay_relay_withdraw(author.relay);
    close(pipes[0]);
    close(pipes[1]);
}

static void test_others(void)
{
    uint64_t words[MARGAY_RELAY_OFFER_WORDS], wrong[MARGAY_RELAY_OFFER_WORDS];
    char path[TEST_PATH_BYTES];
    int pipes[2];
    struct author author = begin(pipes, 0, 0);
    int file = open(make_path(path, "x.words"), O_WRONLY | O_CREAT, 0600);
    CHECK(margay_relay_offer(file) == NULL, "no memory for a file");
    close(file);
    unlink(path);
    if (author.relay == NULL)
        return;
    margay_relay_describe(author.relay, words);
    uint64_t number = words[0] & MARGAY_CONTROL_MASK;
    CHECK(margay_relay_take(words, 0) == NULL &&
              margay_relay_take(words, number + 1) == NULL,
          "nor for the reader of something else");
    memcpy(wrong, words, sizeof wrong);
    wrong[1] += (uint64_t)1 << 55; /* a process that there is not */
    CHECK(margay_relay_take(wrong, number) == NULL, "nor of another process");
    wrong[1] = margay_word(words[1], MARGAY_READ, 9);
    CHECK(margay_relay_take(wrong, number) == NULL, "nor for references");
    struct margay_relay_end *end = margay_relay_take(words, number);
    CHECK(end != NULL && margay_relay_is_taken(author.relay), "for the reader");
    CHECK(margay_relay_take(words, number) == NULL, "and for one alone");
    margay_relay_leave(end);
    CHECK(!margay_relay_is_taken(author.relay) &&
              !margay_relay_put(author.relay, words, 2),
          "who has left gets no words");
    margay_relay_withdraw(author.relay);
    close(pipes[0]);
    close(pipes[1]);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    for (uint64_t seed = 1; seed <= rounds(6); seed++)
        test_taken(seed, 0);
    test_taken(99, 2);
    test_copied();
    test_left();
    test_writer_dies();
    test_reader_dies();
    test_others();
    return tap_done();
}
