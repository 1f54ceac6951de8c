/* test_pipe.c - slow writers, waits that end, files that cannot be read */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/traces/read_all.h"

/* Only a broken library takes this long. */
#define PATIENCE_MS 60000

static uint64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static const char *make_fifo(char path[TEST_PATH_BYTES])
{
    make_path(path, "fifo");
    if (mkfifo(path, 0600) != 0) {
        printf("Bail out! no pipe\n");
        exit(1);
    }
    return path;
}

static margay_trace *open_path(const char *path, const char *format)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct margay_error error;
    margay_trace *trace;
    options.format = format;
    if (margay_trace_open(path, &options, &trace, &error) != MARGAY_OK) {
        printf("Bail out! %s\n", error.message);
        exit(1);
    }
    return trace;
}

static void put(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        printf("# short write\n");
}

/* A pipe into which nothing is ever written. */
static void test_no_writer(void)
{
    char path[TEST_PATH_BYTES];
    uint64_t begin = milliseconds();
    margay_trace *trace = open_path(make_fifo(path), NULL);
    CHECK(milliseconds() - begin < PATIENCE_MS, "opening does not wait");
    CHECK_U64(margay_trace_ready(trace, 0, NULL), MARGAY_AGAIN,
              "nothing is known");
    begin = milliseconds();
    struct margay_batch batch;
    CHECK_U64(margay_trace_next(trace, 50, &batch, NULL), MARGAY_AGAIN,
              "nothing to give");
    CHECK(milliseconds() - begin >= 49, "the wait took its time");
    margay_trace_free(trace);
    CHECK(true, "freed while the reader waits");
    unlink(path);
}

/* The lines of a writer are given before it writes more. */
static void test_slow_writer(const char *format, const char *first,
                             const char *second, size_t each, uint64_t last)
{
    char path[TEST_PATH_BYTES];
    margay_trace *trace = open_path(make_fifo(path), format);
    struct margay_batch batch;
    int fd = open(path, O_WRONLY);
    put(fd, first);
    size_t count = 0;
    while (count < each &&
           margay_trace_next(trace, PATIENCE_MS, &batch, NULL) == MARGAY_OK)
        count += batch.references;
    CHECK_U64(count, each, "the first are given while the pipe is open");
    CHECK_U64(margay_trace_next(trace, 0, &batch, NULL), MARGAY_AGAIN,
              "then none for now");
    put(fd, second);
    close(fd);
    struct whole_trace rest = read_open(trace);
    CHECK_U64(rest.status, MARGAY_OK, "then the end%s", rest.error.message);
    CHECK_U64(rest.count, each, "with the others");
    CHECK(rest.count == each && rest.numbers[each - 1] == last,
          "the last of them is right");
    drop_trace(&rest);
    unlink(path);
}

static void test_free_in_the_middle(void)
{
    char path[TEST_PATH_BYTES];
    margay_trace *trace = open_path(make_fifo(path), NULL);
    struct margay_batch batch;
    int fd = open(path, O_WRONLY);
    put(fd, "0 10\n0 2");
    CHECK_U64(margay_trace_next(trace, PATIENCE_MS, &batch, NULL), MARGAY_OK,
              "a batch");
    margay_trace_free(trace);
    close(fd);
    CHECK(true, "freed while the reader waits for the rest of a line");
    unlink(path);
}

/* The ring is full, and the reader waits for a free slot. */
static void test_free_unread(void)
{
    char path[TEST_PATH_BYTES];
    size_t bytes = 4 << 20;
    char *zeros = calloc(1, bytes);
    write_file(make_path(path, "trace.u64"), zeros, bytes);
    margay_trace *trace = open_path(path, NULL);
    CHECK_U64(margay_trace_ready(trace, -1, NULL), MARGAY_OK, "ready");
    struct timespec moment = {0, 20000000};
    nanosleep(&moment, NULL);
    margay_trace_free(trace);
    CHECK(true, "freed while the reader waits for a slot");
    trace = open_path(path, NULL);
    margay_trace_free(trace);
    CHECK(true, "freed at once");
    margay_trace_free(NULL);
    unlink(path);
    free(zeros);
}

static void test_progress(void)
{
    char path[TEST_PATH_BYTES];
    uint64_t bytes_read, bytes_total;
    write_file(make_path(path, "trace"), "0 10\n0 20\n", 10);
    margay_trace *trace = open_path(path, NULL);
    struct margay_batch batch;
    while (margay_trace_next(trace, -1, &batch, NULL) == MARGAY_OK)
        ;
    margay_trace_progress(trace, &bytes_read, &bytes_total);
    CHECK_U64(bytes_read, 10, "all bytes are read");
    CHECK_U64(bytes_total, 10, "of as many");
    CHECK_U64(margay_trace_next(trace, -1, &batch, NULL), MARGAY_END,
              "the end stays the end");
    margay_trace_free(trace);
    unlink(path);
}

static void check_unreadable(const char *path, const char *piece)
{
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct whole_trace whole = read_path(path, &options);
    CHECK(whole.status == MARGAY_IO &&
              strncmp(whole.error.message, path, strlen(path)) == 0 &&
              strstr(whole.error.message, piece) != NULL,
          "unreadable: %s", whole.error.message);
}

static void test_standard_input(void)
{
    char path[TEST_PATH_BYTES];
    write_file(make_path(path, "trace"), "garbage\n0 10\n0 zz\n", 18);
    int fd = open(path, O_RDONLY);
    lseek(fd, 8, SEEK_SET);
    int saved = dup(STDIN_FILENO);
    dup2(fd, STDIN_FILENO);
    close(fd);
    margay_trace *trace = open_path("-", "din");
    uint64_t bytes_read, bytes_total;
    margay_trace_progress(trace, &bytes_read, &bytes_total);
    CHECK_U64(bytes_total, 10, "standard input begins where it stands");
    struct whole_trace whole = read_open(trace);
    CHECK(whole.count == 1 && strncmp(whole.error.message, "-:2: ", 5) == 0,
          "it is named -: %s", whole.error.message);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) >= 0, "it stays open");
    drop_trace(&whole);
    dup2(saved, STDIN_FILENO);
    close(saved);
    unlink(path);
}

int main(void)
{
    test_no_writer();
    test_slow_writer(NULL, "0 10\n1 20\n", "2 30\n0 40\n", 2, 0x40);
    test_slow_writer("lines", "1\n", "2\n", 1, 2);
    test_slow_writer("u64", "12345678abc", "defgh", 1,
                     UINT64_C(0x6867666564636261));
    test_slow_writer("u32be", "12345678a", "bcdefgh", 2, 0x65666768);
    test_free_in_the_middle();
    test_free_unread();
    test_progress();
    check_unreadable("/nonexistent/trace", "No such file or directory");
    check_unreadable("/tmp", "is a directory");
    /* Nothing is mapped at address 0, where reading begins. */
    check_unreadable("/proc/self/mem", "Input/output error");
    test_standard_input();
    return tap_done();
}
