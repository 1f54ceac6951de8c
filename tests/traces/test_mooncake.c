/* test_mooncake.c - requests to language models, as lists of block hashes */
#define _GNU_SOURCE
#include "tests/traces/read_all.h"

#ifndef MARGAY_HAS_YAJL

int main(void)
{
    tap_skip_all("built without yajl");
}

#else

#define LONG_LIST 20000

/* "0:46 0:47 1:2353", each with the request in front. */
static void show(const char *text, char *shown, size_t bytes,
                 struct margay_error *error)
{
    char path[TEST_PATH_BYTES];
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    struct margay_batch batch;
    margay_trace *trace;
    size_t used = 0;
    *shown = '\0';
    strcpy(error->message, "");
    write_file(make_path(path, "trace"), text, strlen(text));
    options.format = "mooncake";
    if (margay_trace_open(path, &options, &trace, error) == MARGAY_OK) {
        while (margay_trace_next(trace, -1, &batch, error) == MARGAY_OK) {
            for (size_t i = 0; i < batch.references && used < bytes; i++)
                used += (size_t)snprintf(
                    shown + used, bytes - used, "%s%" PRIu64 ":%" PRIu64,
                    used == 0 ? "" : " ", batch.requests[i], batch.numbers[i]);
        }
        margay_trace_free(trace);
    }
    unlink(path);
}

static void check(const char *text, const char *expected, const char *name)
{
    char shown[400];
    struct margay_error error;
    show(text, shown, sizeof shown, &error);
    CHECK_TEXT(shown, expected, "%s", name);
    CHECK_TEXT(error.message, "", "%s: no error", name);
}

static void check_refused(const char *text, const char *before,
                          const char *place, const char *expected)
{
    char shown[400];
    struct margay_error error;
    show(text, shown, sizeof shown, &error);
    CHECK_TEXT(shown, before, "what stands before is read: %s", expected);
    CHECK(strstr(error.message, place) != NULL &&
              strstr(error.message, expected) != NULL,
          "%s", error.message);
}

static void test_lists(void)
{
    check("{\"timestamp\": 0, \"input_length\": 9, \"output_length\": 5, "
          "\"hash_ids\": [46, 47]}\n"
          "{\"timestamp\": 7, \"hash_ids\": [46, 2353], \"x\": 1}\n",
          "0:46 0:47 1:46 1:2353", "two requests");
    check("{\"hash_ids\":[]}{\"hash_ids\":[7]}", "1:7",
          "one without blocks, and no line ends");
    check("\n {\"hash_ids\":\r\n [1,\n2] }\n\n", "0:1 0:2", "blanks");
    check("{\"hash_ids\":[18446744073709551615,-1,-9223372036854775808,0]}",
          "0:18446744073709551615 0:18446744073709551615 "
          "0:9223372036854775808 0:0",
          "numbers of 64 bits");
    check("{\"hash_ids\":[\"a\"]}", "0:12638187200555641996",
          "text is hashed by FNV-1a");
    check("{\"a\":{\"hash_ids\":[1],\"b\":[[2]]},\"c\":[3,{\"d\":null}],"
          "\"e\":true,\"f\":\"g\",\"hash_ids\":[4]}",
          "0:4", "other values are passed over");
    check("", "", "nothing");
}

static void test_refusals(void)
{
    check_refused("{\"hash_ids\":[1]}\n{\"hash_ids\":[2,3.5]}", "0:1 1:2",
                  ":2: ", "a whole number of 64 bits");
    check_refused("{\"hash_ids\":[18446744073709551616]}", "",
                  ":1: ", "a whole number of 64 bits");
    check_refused("{\"hash_ids\":[-9223372036854775809]}", "",
                  ":1: ", "a whole number of 64 bits");
    check_refused("{\"hash_ids\":[1,[2]]}", "0:1", ":1: ", "a whole number");
    check_refused("{\"hash_ids\":[1,{\"a\":2}]}", "0:1",
                  ":1: ", "a whole number");
    check_refused("{\"hash_ids\":[null]}", "", ":1: ", "a whole number");
    check_refused("{\"hash_ids\":7}", "", ":1: ", "a list of block ids");
    check_refused("{\"hash_ids\":{\"a\":[1]}}", "",
                  ":1: ", "a list of block ids");
    check_refused("{\"hash_ids\":[1],\"hash_ids\":[2]}", "0:1",
                  ":1: ", "once in an object");
    check_refused("{\"hash_ids\":[1]}\n\n{\"ids\":[2]}", "0:1",
                  ":3: ", "an object with \"hash_ids\"");
    check_refused("[{\"hash_ids\":[1]}]", "",
                  ":1: ", "an object with \"hash_ids\"");
    check_refused("7\n", "", ":1: ", "an object with \"hash_ids\"");
    check_refused("{\"hash_ids\":[1]}\n{\"hash_ids\":[2}", "0:1 1:2",
                  ":2: ", "expected objects in JSON");
    check_refused("{\"hash_ids\":[1,2", "0:1",
                  ":1: ", "expected objects in JSON");
}

/* A line that is longer than any piece of the file, of the shortest ids. */
static void test_long(void)
{
    char *text = malloc(LONG_LIST * 2 + 64), *at = text;
    at += sprintf(at, "{\"hash_ids\":[");
    for (size_t i = 0; i < LONG_LIST; i++)
        at += sprintf(at, "%s%zu", i == 0 ? "" : ",", i % 10);
    sprintf(at, "]}");
    struct whole_trace whole = read_text("trace", NULL, text);
    size_t wrong = whole.count != LONG_LIST;
    for (size_t i = 0; i < whole.count; i++)
        wrong += whole.numbers[i] != i % 10;
    CHECK_U64(wrong, 0, "a list of %d ids", LONG_LIST);
    CHECK_TEXT(whole.format, "mooncake", "is detected");
    drop_trace(&whole);
    free(text);
}

int main(void)
{
    test_lists();
    test_refusals();
    test_long();
    return tap_done();
}

#endif
