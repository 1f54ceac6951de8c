/* test_mooncake.c - requests to language models, as lists of block hashes */
#define _GNU_SOURCE
#include "tests/traces/read_all.h"

#include "traces/traces_internal.h"

#ifndef MARGAY_HAS_YAJL

int main(void)
{
    tap_skip_all("built without yajl");
}

#else

#define LONG_LIST 20000

/* "16/520 ...": the tokens of a block, and of each request with a block; those
   without one are alone. */
static void check_tokens(const char *text, const char *expected,
                         const char *name)
{
    char path[TEST_PATH_BYTES], shown[400] = "";
    struct margay_trace_options options = MARGAY_TRACE_OPTIONS_DEFAULT;
    const struct margay_reading reading = {.empty_requests = true};
    struct margay_error error = {.message = ""};
    struct margay_batch batch;
    margay_trace *trace;
    write_file(make_path(path, "trace"), text, strlen(text));
    options.format = "mooncake";
    if (strstr(text, "chat_id") != NULL)
        options.tenant = "session";
    size_t used = 0;
    if (margay_trace_open_for(path, &options, &reading, &trace, &error) ==
        MARGAY_OK) {
        while (margay_trace_next(trace, -1, &batch, &error) == MARGAY_OK) {
            if (used == 0)
                used = (size_t)sprintf(shown, "%" PRIu64 "/",
                                       margay_trace_facts(trace)->block_tokens);
            if (margay_trace_facts(trace)->block_bytes != 0 && used < 6)
                used += (size_t)sprintf(shown + used, " %" PRIu64 " bytes:",
                                        margay_trace_facts(trace)->block_bytes);
            for (size_t i = 0; i < batch.references; i++) {
                uint64_t tokens = batch.tokens[i] & ~MARGAY_NO_BLOCK;
                if (i > 0 && batch.requests[i] == batch.requests[i - 1])
                    continue;
                used += (size_t)sprintf(
                    shown + used, "%s%s",
                    batch.tokens[i] & MARGAY_NO_BLOCK ? " alone:" : " ",
                    tokens == MARGAY_TOKENS_UNKNOWN ? "?" : "");
                if (tokens != MARGAY_TOKENS_UNKNOWN)
                    used += (size_t)sprintf(shown + used, "%" PRIu64, tokens);
                if (batch.tenants != NULL)
                    used += (size_t)sprintf(
                        shown + used, "@%s",
                        margay_trace_tenant(trace, batch.tenants[i]));
            }
        }
        margay_trace_free(trace);
    }
    unlink(path);
    CHECK_TEXT(shown, expected, "%s: %s", name, error.message);
}

static void test_tokens(void)
{
    check_tokens("{\"input_length\":1100,\"hash_ids\":[1,2,3]}"
                 "{\"hash_ids\":[1,2],\"input_length\":900}"
                 "{\"hash_ids\":[4]}{\"hash_ids\":[],\"input_length\":7}"
                 "{\"hash_ids\":[]}",
                 "512/ 1100 900 ? alone:7", "keys in any order");
    check_tokens("\xef\xbb\xbf{\"input_length\":100,\"hash_ids\":[1]}",
                 "512/ 100", "one block, after a mark of the order of bytes");
    check_tokens("{\"input_length\":1100,\"hash_ids\":[1,2,3,4]}", "256/ 1100",
                 "as many as are full");
    check_tokens("{\"input_length\":5,\"hash_ids\":[1,2,3,4,5,6]}", "0/ 5",
                 "no block of this length");
    check_tokens("{\"hash_ids\":[1,2]}", "0/ ?", "nothing is said");
    check_tokens("{\"input_length\":[3,{}],\"hash_ids\":[1,2],"
                 "\"seq_len\":null}",
                 "0/ ?", "no numbers");
    check_tokens("{\"block_size\":64,\"hash_ids\":[2001,2002],"
                 "\"input_length\":128}",
                 "64/ 128", "the block is said");
    check_tokens("{\"chunk_size\":256,\"seq_len\":90,\"shapes\":[[2,3]],"
                 "\"dtypes\":[\"int8\"],\"chunk_hashes\":[]}\n"
                 "{\"chunk_size\":256,\"seq_len\":600,"
                 "\"chunk_hashes\":[\"0xa\",\"0xb\"]}",
                 "256/ 6 bytes: alone:90 600", "LMCache's look-ups");
    check_tokens("{\"shapes\":[[2,32,256,1024],[3,[],5]],\"chunk_size\":256,"
                 "\"dtypes\":[\"bfloat16\",\"float8_e4m3fn\"],"
                 "\"chunk_hashes\":[\"0xa\"]}",
                 "256/ 33554447 bytes: ?", "arrays of two groups");
    check_tokens("{\"shapes\":[[2,32],[3],[4]],\"chunk_size\":256,"
                 "\"dtypes\":[\"int8\",\"int8\"],\"chunk_hashes\":[\"0xa\"]}",
                 "256/ ?", "arrays without types");
    check_tokens(
        "{\"shapes\":[[2,-3]],\"dtypes\":[\"int8\"],\"chunk_size\":8,"
        "\"chunk_hashes\":[1]}\n{\"shapes\":[{\"a\":[4],\"b\":5},"
        "[4294967296,8589934592]],"
        "\"dtypes\":[\"int8\"],\"chunk_hashes\":[1]}\n{\"shapes\":[[9]],"
        "\"dtypes\":[\"bool\"],\"chunk_hashes\":[1]}",
        "8/ ? ? ?", "arrays of no number of bytes");
    check_tokens("{\"chat_id\":7,\"parent_chat_id\":-1,\"input_length\":9,"
                 "\"hash_ids\":[1]}"
                 "{\"chat_id\":8,\"parent_chat_id\":-1,\"input_length\":8,"
                 "\"hash_ids\":[2]}"
                 "{\"chat_id\":9,\"parent_chat_id\":7,\"input_length\":7,"
                 "\"hash_ids\":[1]}"
                 "{\"chat_id\":4,\"parent_chat_id\":9,\"input_length\":6,"
                 "\"hash_ids\":[1]}"
                 "{\"chat_id\":3,\"parent_chat_id\":2,\"input_length\":5,"
                 "\"hash_ids\":[1]}",
                 "16/ 9@7 8@8 7@7 6@7 5@2", "sessions of chats");
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
    test_tokens();
    test_long();
    return tap_done();
}

#endif
