/* test_relay.c - words reach the reader of a pipe in memory, and no other */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/chance.h"
#include "tests/rounds.h"
#include "tests/tap.h"
#include "tests/traces/read_all.h"
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
    bool loses; /* the head of the last chunk: another reads from the pipe */
    bool last;  /* this chunk is it */
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
    if (author->loses && author->last)
        return MARGAY_OK;
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
    margay_writer *writer;
    seed_chance(author->seed);
    author->status = margay_writer_create("words", NULL, &sink, &writer, NULL);
    for (unsigned i = 0; i < author->chunks && author->status == MARGAY_OK;
         i++) {
        uint32_t count = 1 + (uint32_t)below(MARGAY_BUFFER_WORDS);
        for (uint32_t k = 0; k < count; k++)
            buffer[k] = margay_word(++author->words, MARGAY_READ, 8);
        const struct margay_words words = {
            .words = buffer, .count = count, .relay = author->relay};
        author->last = i + 1 == author->chunks;
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

/* A writer that dies between two chunks, or one whose pipe another reads from,
   too. */
static void test_missed(bool dies)
{
    int pipes[2];
    bool ended = true;
    pthread_t thread;
    struct author author = begin(pipes, 20, dies ? 7 : 8);
    if (author.relay == NULL)
        return;
    author.waits = true;
    author.dies = dies;
    author.loses = !dies;
    pthread_create(&thread, NULL, write_trace, &author);
    uint64_t got = read_numbers(pipes[0], UINT32_MAX, 0, &ended);
    pthread_join(thread, NULL);
    CHECK(got > 0 && (got == author.words) == dies && !ended,
          dies ? "a writer that dies leaves no end"
               : "words that were put and not read are missed");
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

/* What the words of an offer say that the memory is. */
static int file_offered(const uint64_t words[MARGAY_RELAY_OFFER_WORDS])
{
    return (int)(words[1] & ((1 << 24) - 1));
}

/* Is a file of this process taken, where an offer names it?  Closes it. */
static bool takes(const struct author *author, int file)
{
    uint64_t words[MARGAY_RELAY_OFFER_WORDS];
    margay_relay_describe(author->relay, words);
    uint64_t number = words[0] & MARGAY_CONTROL_MASK;
    words[1] += (uint64_t)(file - file_offered(words));
    struct margay_relay_end *end = margay_relay_take(words, number);
    bool taken = end != NULL;
    margay_relay_leave(end);
    close(file);
    return taken;
}

/* A file without a name, as long as the memory of the author and `more` bytes,
   which is `seals`. */
static int make_memory(const struct author *author, off_t more, int seals)
{
    uint64_t words[MARGAY_RELAY_OFFER_WORDS];
    struct stat status;
    margay_relay_describe(author->relay, words);
    int file = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || fstat(file_offered(words), &status) != 0 ||
        ftruncate(file, status.st_size + more) != 0 ||
        (seals != 0 && fcntl(file, F_ADD_SEALS, seals) != 0)) {
        printf("Bail out! no memory\n");
        exit(1);
    }
    return file;
}

/* A named pipe: whether it was opened, its reader can tell. */
static void test_named_pipe(const struct author *author)
{
    char path[TEST_PATH_BYTES];
    make_path(path, "pipe");
    if (mkfifo(path, 0600) != 0)
        return;
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    struct pollfd file = {.fd = reader};
    CHECK(!takes(author, fcntl(reader, F_DUPFD_CLOEXEC, 0)),
          "no named pipe is taken");
    poll(&file, 1, 0);
    CHECK_U64(file.revents & POLLHUP, 0, "nor is one opened");
    close(reader);
    unlink(path);
}

/* Offers of what is no memory for this pipe. */
static void test_hostile(void)
{
    uint64_t words[MARGAY_RELAY_OFFER_WORDS];
    int pipes[2], others[2], sockets[2];
    struct author author = begin(pipes, 0, 0), other = begin(others, 0, 0);
    if (author.relay == NULL || other.relay == NULL)
        return;
    test_named_pipe(&author);
    CHECK(!takes(&author, open("/dev/zero", O_RDWR)), "no device");
    CHECK(!takes(&author, open("/", O_RDONLY)), "no directory");
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0) {
        close(sockets[1]);
        CHECK(!takes(&author, sockets[0]), "no socket");
    }
    CHECK(!takes(&author, make_memory(&author, 0, 0)),
          "nothing that may become shorter");
    CHECK(!takes(&author, make_memory(&author, -1, F_SEAL_SHRINK)) &&
              !takes(&author, make_memory(&author, 1, F_SEAL_SHRINK)),
          "nothing of another length");
    CHECK(!takes(&author, make_memory(&author, 0, F_SEAL_SHRINK)),
          "nothing without the mark");
    margay_relay_describe(other.relay, words);
    CHECK(!takes(&author, dup(file_offered(words))) &&
              !margay_relay_is_taken(other.relay),
          "not the memory of another pipe");
    margay_relay_describe(author.relay, words);
    CHECK(takes(&author, dup(file_offered(words))), "and that of this one is");
    margay_relay_withdraw(author.relay);
    margay_relay_withdraw(other.relay);
    for (int i = 0; i < 2; i++) {
        close(pipes[i]);
        close(others[i]);
    }
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    for (uint64_t seed = 1; seed <= rounds(6); seed++)
        test_taken(seed, 0);
    test_taken(99, 2);
    test_taken(98, 2);
    test_copied();
    test_left();
    test_missed(true);
    test_missed(false);
    test_reader_dies();
    test_others();
    test_hostile();
    return tap_done();
}
