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

/* The writer of a trace of words, numbered from 1 on, into a pipe. */
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

/* Read numbers from 1 on; how many there were, or 0 where one is another.
   `ended`: they end as a trace does. */
static uint64_t read_numbers(int pipe, unsigned slow_ms, bool *ended)
{
    const struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    char path[32];
    margay_trace *trace;
    struct margay_batch batch;
    enum margay_status status;
    uint64_t expected = 0;
    bool same = true;
    snprintf(path, sizeof path, "/dev/fd/%d", pipe);
    if (margay_trace_open(path, &options, &trace, NULL) != MARGAY_OK)
        return 0;
    close(pipe);
    while ((status = margay_trace_next(trace, -1, &batch, NULL)) == MARGAY_OK) {
        for (size_t i = 0; i < batch.references; i++)
            same = same && batch.numbers[i] == ++expected;
        if (slow_ms > 0)
            poll(NULL, 0, (int)slow_ms);
    }
    margay_trace_free(trace);
    *ended = status == MARGAY_END;
    return same ? expected : 0;
}

static struct author author;
static int pipes[2];

/* Make a pipe, and offer memory to its reader: `offer` says where that is. */
static uint64_t offer[MARGAY_RELAY_OFFER_WORDS], number;

static void begin(unsigned chunks, uint64_t seed)
{
    author = (struct author){.chunks = chunks, .seed = seed};
    if (pipe(pipes) != 0 ||
        (author.relay = margay_relay_offer(pipes[1])) == NULL) {
        printf("Bail out! no pipe, or no memory for one\n");
        exit(1);
    }
    author.pipe = pipes[1];
    margay_relay_describe(author.relay, offer);
    number = offer[0] & MARGAY_CONTROL_MASK;
}

/* Once neither a reader nor an author has closed the pipe. */
static void end(void)
{
    margay_relay_withdraw(author.relay);
    close(pipes[0]);
    close(pipes[1]);
}

/* All words but those of the first chunk go through memory.  A writer that dies
   between two chunks, and one whose pipe another reads from, too, leave no
   end. */
static void test_taken(uint64_t seed, unsigned slow_ms, bool dies, bool loses)
{
    bool ended;
    pthread_t thread;
    begin(slow_ms > 0 ? 30 : 200, seed);
    author.waits = true;
    author.dies = dies;
    author.loses = loses;
    pthread_create(&thread, NULL, write_trace, &author);
    uint64_t got = read_numbers(pipes[0], slow_ms, &ended);
    pthread_join(thread, NULL);
    CHECK_U64(author.status, MARGAY_OK, "all words are written");
    CHECK(got > 0 && (got == author.words) == !loses, "%s read, in order",
          loses ? "not all are" : "and");
    CHECK(ended == (!dies && !loses), "to %s end", ended ? "their" : "no");
    CHECK(author.bytes < (MARGAY_BUFFER_WORDS + 2 * author.chunks + 8) * 8,
          "the pipe brings heads: %llu bytes for %llu words",
          (unsigned long long)author.bytes, (unsigned long long)author.words);
    margay_relay_withdraw(author.relay);
}

/* A reader that dies while another process has the pipe open. */
static void test_reader_dies(void)
{
    static const uint64_t none[MARGAY_BUFFER_WORDS];
    int put = 0;
    begin(0, 0);
    pid_t child = fork();
    if (child == 0) {
        margay_relay_take(offer, number);
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
    end();
}

/* Is memory taken by who reads the pipe of this number, where a word of the
   offer is another one? */
static bool takes_changed(size_t word, uint64_t value, uint64_t pipe_number)
{
    uint64_t words[MARGAY_RELAY_OFFER_WORDS];
    memcpy(words, offer, sizeof words);
    words[word] = value;
    struct margay_relay_end *taken = margay_relay_take(words, pipe_number);
    margay_relay_leave(taken);
    return taken != NULL;
}

/* What the offer says that the memory is. */
#define FILE_OFFERED ((int)(offer[1] & ((1 << 24) - 1)))

/* Is a file of this process taken, where the offer names it?  Closes it. */
static bool takes(int file)
{
    bool taken =
        takes_changed(1, offer[1] + (uint64_t)(file - FILE_OFFERED), number);
    close(file);
    return taken;
}

static void test_others(void)
{
    char path[TEST_PATH_BYTES];
    begin(0, 0);
    int file = open(make_path(path, "x.words"), O_WRONLY | O_CREAT, 0600);
    CHECK(margay_relay_offer(file) == NULL, "no memory for a file");
    close(file);
    unlink(path);
    CHECK(!takes_changed(0, offer[0], 0) &&
              !takes_changed(0, offer[0], number + 1),
          "nor for the reader of something else");
    CHECK(!takes_changed(1, offer[1] + ((uint64_t)1 << 55), number),
          "nor of a process that there is not");
    CHECK(!takes_changed(1, margay_word(offer[1], MARGAY_READ, 9), number),
          "nor for references");
    struct margay_relay_end *reader = margay_relay_take(offer, number);
    CHECK(reader != NULL && margay_relay_is_taken(author.relay),
          "for the reader");
    CHECK(!takes_changed(0, offer[0], number), "and for one alone");
    margay_relay_leave(reader);
    CHECK(!margay_relay_is_taken(author.relay) &&
              !margay_relay_put(author.relay, offer, 2),
          "who has left gets no words");
    end();
}

/* A file without a name, as long as the memory of the author and `more` bytes,
   which is `seals`. */
static int make_memory(off_t more, int seals)
{
    struct stat status;
    int file = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || fstat(FILE_OFFERED, &status) != 0 ||
        ftruncate(file, status.st_size + more) != 0 ||
        (seals != 0 && fcntl(file, F_ADD_SEALS, seals) != 0)) {
        printf("Bail out! no memory\n");
        exit(1);
    }
    return file;
}

/* A named pipe: whether it was opened, its reader can tell. */
static void test_named_pipe(void)
{
    char path[TEST_PATH_BYTES];
    make_path(path, "pipe");
    if (mkfifo(path, 0600) != 0)
        return;
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    struct pollfd file = {.fd = reader};
    CHECK(!takes(fcntl(reader, F_DUPFD_CLOEXEC, 0)), "no named pipe is taken");
    poll(&file, 1, 0);
    CHECK_U64(file.revents & POLLHUP, 0, "nor is one opened");
    close(reader);
    unlink(path);
}

/* Offers of wrong memory for this pipe. */
static void test_hostile(void)
{
    int others[2], sockets[2];
    begin(0, 0);
    test_named_pipe();
    CHECK(!takes(open("/dev/zero", O_RDWR)), "no device");
    CHECK(!takes(open("/", O_RDONLY)), "no directory");
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0) {
        close(sockets[1]);
        CHECK(!takes(sockets[0]), "no socket");
    }
    CHECK(!takes(make_memory(0, 0)), "nothing that may become shorter");
    CHECK(!takes(make_memory(-1, F_SEAL_SHRINK)) &&
              !takes(make_memory(1, F_SEAL_SHRINK)),
          "nothing of another length");
    CHECK(!takes(make_memory(0, F_SEAL_SHRINK)), "nothing without the mark");
    struct margay_relay *other =
        pipe(others) == 0 ? margay_relay_offer(others[1]) : NULL;
    if (other != NULL) {
        uint64_t words[MARGAY_RELAY_OFFER_WORDS];
        margay_relay_describe(other, words);
        CHECK(!takes(dup((int)(words[1] & ((1 << 24) - 1)))) &&
                  !margay_relay_is_taken(other),
              "not the memory of another pipe");
        margay_relay_withdraw(other);
        close(others[0]);
        close(others[1]);
    }
    CHECK(takes(dup(FILE_OFFERED)), "and that of this one is");
    end();
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    for (uint64_t seed = 1; seed <= rounds(6); seed++)
        test_taken(seed, 0, false, false);
    test_taken(99, 2, false, false);
    test_taken(98, 2, false, false);
    test_taken(7, 0, true, false);
    test_taken(8, 0, false, true);
    test_reader_dies();
    test_others();
    test_hostile();
    return tap_done();
}
