/*
 * test_moments.c - signals at any moment of a run
 *
 * SIGINT and SIGTERM end an analysis with what it has so far, which is what
 * --limit gives, and it says how far that is; or, before and after it, they
 * kill at once; SIGHUP kills; SIGUSR1 changes nothing. After each of these a
 * file exists as a whole or not at all, and there is no other one.
 */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/faults/child.h"

#include "tests/rounds.h"

#define ROUNDS 30

/* Long enough to be met at work. */
#define ANALYSIS "curve -b 64 -e olken -o out.csv t.hex"
#define WRITING  "generate zipf --refs 2000000 --blocks 999 --to hex -o out.csv"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
static struct bytes whole[2];
static unsigned finished, cut, late, killed;

/* The references that the note on stderr says the output covers; UINT64_MAX:
   all of them, and 0 without a note. */
static uint64_t covered(void)
{
    static const char note[] = "the output covers the first ";
    uint64_t references = 0;
    struct bytes errors = read_file("stderr");
    const char *found = strstr(errors.data, note);
    if (found != NULL)
        references = strtoull(found + sizeof note - 1, NULL, 10);
    else if (strstr(errors.data, "the output is whole") != NULL)
        references = UINT64_MAX;
    free(errors.data);
    return references;
}

static bool is_as_limited(struct bytes output, uint64_t references)
{
    char words[128];
    snprintf(words, sizeof words,
             "curve -q -b 64 -o limited.csv --limit %" PRIu64 " t.hex",
             references);
    int status = await_child(start_child(words, ""));
    struct bytes limited = read_file("limited.csv");
    bool right = status == 0 && same(output, limited);
    unlink("limited.csv");
    free(limited.data);
    return right;
}

/* What is wrong; NULL: nothing. */
static const char *judge(int status, int number, bool analysis, size_t files)
{
    struct bytes output = read_file("out.csv");
    const char *wrong = NULL;
    if (status == 0) {
        finished++;
        if (!same(output, whole[analysis]))
            wrong = "finished with other output";
    } else if (status == 1000 + number) {
        killed++;
        bool published = access("out.csv", F_OK) == 0;
        if (published && !same(output, whole[analysis]))
            wrong = "killed, and the file is not whole";
        else if (count_files() != files + published)
            wrong = "killed, and something is left";
    } else if (analysis && status == 128 + number &&
               (number == SIGINT || number == SIGTERM)) {
        uint64_t references = covered();
        bool all = references == UINT64_MAX;
        late += all;
        cut += !all;
        if (!(all ? same(output, whole[analysis])
                  : is_as_limited(output, references)))
            wrong = "cut short, but not what the note says";
    } else {
        wrong = "another status";
    }
    free(output.data);
    return wrong;
}

static const char *interrupt(bool analysis, int number, uint64_t microseconds,
                             int *status)
{
    size_t files = count_files();
    pid_t child = start_child(analysis ? ANALYSIS : WRITING, "");
    sleep_microseconds(microseconds);
    kill(child, number);
    *status = await_child(child);
    const char *wrong = judge(*status, number, analysis, files);
    unlink("out.csv");
    return wrong;
}

/* How long an undisturbed run takes. */
static uint64_t measure(bool analysis)
{
    uint64_t start_microseconds = now_microseconds();
    int status = await_child(start_child(analysis ? ANALYSIS : WRITING, ""));
    uint64_t lasts_microseconds = now_microseconds() - start_microseconds;
    CHECK_U64(status, 0, "%s", analysis ? ANALYSIS : WRITING);
    whole[analysis] = read_file("out.csv");
    unlink("out.csv");
    return lasts_microseconds;
}

int main(void)
{
    unsigned wrong = 0;
    uint64_t tries = rounds(ROUNDS);
    enter_folder();
    await_child(start_child("generate zipf --refs 300000 --blocks 50000 "
                            "--unit 64 --to hex -o t.hex",
                            ""));
    /* The files of the first run are there before files are counted. */
    uint64_t lasts[2] = {measure(false), measure(true)};
    seed_chance(6);
    for (uint64_t i = 0; i < tries; i++) {
        bool analysis = i % 3 != 0;
        int number = signals[below(4)], status;
        uint64_t moment = below(lasts[analysis] * 9 / 8);
        const char *reason = interrupt(analysis, number, moment, &status);
        if (reason != NULL)
            printf("#   signal %d after %" PRIu64 " us: %s (%d)\n", number,
                   moment, reason, status);
        wrong += reason != NULL;
    }
    CHECK_U64(wrong, 0,
              "%" PRIu64 " signals: %u runs finished, %u cut short, "
              "%u told too late for that, %u killed",
              tries, finished, cut, late, killed);
    free(whole[0].data);
    free(whole[1].data);
    leave_folder();
    return tap_done();
}
