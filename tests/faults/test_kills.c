/*
 * test_kills.c - kill -9 at any moment of a run that saves its state
 *
 * A run is killed, goes on from its state with the next reference, is killed
 * again, and in the end has the table of a run that nothing disturbed.  At any
 * moment a snapshot is the table of the references that it stands for, and
 * never of more than the state holds: a later run does not repeat it.
 */
#define _GNU_SOURCE
#include "tests/chance.h"
#include "tests/faults/child.h"

#include <endian.h>
#include <inttypes.h>

#include "tests/rounds.h"

#define ROUNDS     5
#define MOST_KILLS 4 /* in a round */

/* Of a state: where it has the references read. */
#define STATE_REFS_AT 48

/* What the table of a histogram begins with. */
#define HISTOGRAM "trace,block_bytes,distance_from"

/* What is run; each is `margay COMMAND t.hex` with what makes it go on. */
static const struct job {
    const char *command;
    uint64_t warmup_refs;
} jobs[] = {
    {"curve -q -j 1 -b 64 -e olken --sizes all", 0},
    {"curve -q -j 2 -b 64,256 --sizes all", 0},
    {"curve -q -j 1 -b 64 -e olken --bound 500 --warmup 60000", 60000},
    {"histogram -q -j 1 -b 64 -e olken", 0},
};
#define JOBS (sizeof jobs / sizeof *jobs)

static struct bytes whole[JOBS];
static uint64_t lasts[JOBS]; /* microseconds */
static uint64_t every;       /* references of an interval */
static unsigned killed, snapshots, behind, states;

/* ------------------------------------------------------- what is on disk -- */

/* The references that a state holds; 0 where there is none. */
static uint64_t refs_of_state(void)
{
    uint64_t refs = 0;
    struct bytes state = read_file("state");
    if (state.count >= STATE_REFS_AT + sizeof refs)
        memcpy(&refs, state.data + STATE_REFS_AT, sizeof refs);
    free(state.data);
    return le64toh(refs);
}

/* The references that a table counts: those of its first row, or the sum over
   the bins of a histogram. */
static uint64_t refs_of_table(const char *table)
{
    bool is_histogram = strncmp(table, HISTOGRAM, strlen(HISTOGRAM)) == 0;
    uint64_t refs = 0;
    const char *line = table;
    while ((line = strchr(line, '\n')) != NULL && line[1] != '\0') {
        const char *field = ++line;
        for (int i = 0; i < 4 && field != NULL; i++)
            field = strpbrk(field, ",\n") == NULL ? NULL
                                                  : strpbrk(field, ",\n") + 1;
        refs += field == NULL ? 0 : strtoull(field, NULL, 10);
        if (!is_histogram)
            break;
    }
    return refs;
}

/* Is the table what the first references of the trace give? */
static bool is_of(const struct job *job, struct bytes table, uint64_t refs)
{
    char words[256];
    snprintf(words, sizeof words, "%s --limit %" PRIu64 " -o limited.csv t.hex",
             job->command, refs);
    int status = await_child(start_child(words, ""));
    struct bytes limited = read_file("limited.csv");
    bool is = status == 0 && same(table, limited);
    unlink("limited.csv");
    free(limited.data);
    return is;
}

/* What is wrong with the snapshot; NULL: nothing, or there is none. */
static const char *judge_snapshot(const struct job *job, uint64_t state_refs)
{
    struct bytes table = read_file("out.csv.snapshot");
    const char *wrong = NULL;
    if (table.count > 0) {
        uint64_t refs = refs_of_table(table.data) + job->warmup_refs;
        snapshots++;
        behind += refs < state_refs;
        if (refs > state_refs)
            wrong = "the snapshot is ahead of the state";
        else if (!is_of(job, table, refs))
            wrong = "the snapshot is not what its references give";
    }
    free(table.data);
    return wrong;
}

/* What was being written keeps its temporary name. */
static void remove_temporaries(void)
{
    struct dirent *entry;
    DIR *directory = opendir(".");
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        if (strncmp(entry->d_name, ".margay-", 8) == 0)
            unlink(entry->d_name);
    }
    if (directory != NULL)
        closedir(directory);
}

static void remove_all(void)
{
    unlink("out.csv");
    unlink("out.csv.snapshot");
    unlink("state");
    remove_temporaries();
}

/* ---------------------------------------------------------------- rounds -- */

/* Begin, or go on from where the state is. */
static pid_t start(const struct job *job)
{
    char words[384], resume[80] = "";
    const char *command = job->command;
    int length = (int)strlen(command);
    uint64_t refs = refs_of_state();
    if (access("state", F_OK) == 0) {
        const char *warmup = strstr(command, " --warmup");
        length = warmup == NULL ? length : (int)(warmup - command);
        snprintf(resume, sizeof resume, " --resume state --skip %" PRIu64,
                 refs);
    }
    snprintf(words, sizeof words,
             "%.*s%s --every %" PRIu64 " --save state -o out.csv t.hex", length,
             command, resume, every);
    return start_child(words, "");
}

/* What is wrong after a kill; NULL: nothing. */
static const char *kill_once(const struct job *job, uint64_t microseconds)
{
    uint64_t before = refs_of_state();
    pid_t child = start(job);
    sleep_microseconds(microseconds);
    kill(child, SIGKILL);
    int status = await_child(child);
    killed += status == 1000 + SIGKILL;
    states += access("state", F_OK) == 0;
    remove_temporaries();
    if (status != 0 && status != 1000 + SIGKILL)
        return "it ended with another status";
    if (refs_of_state() < before)
        return "the state went back";
    return judge_snapshot(job, refs_of_state());
}

static const char *run_round(size_t index)
{
    const struct job *job = &jobs[index];
    uint64_t kills = 1 + below(MOST_KILLS);
    const char *wrong = NULL;
    remove_all();
    every = 5000 + below(30000);
    for (uint64_t i = 0; i < kills && wrong == NULL; i++)
        wrong = kill_once(job, below(lasts[index] * 9 / 8 + 1));
    if (wrong != NULL)
        return wrong;
    if (await_child(start(job)) != 0)
        return "the last run did not end";
    struct bytes output = read_file("out.csv");
    if (!same(output, whole[index]))
        wrong = "the table is not that of an undisturbed run";
    free(output.data);
    return wrong;
}

/* The table of an undisturbed run, and how long one takes that saves. */
static void measure(size_t index)
{
    char words[256];
    snprintf(words, sizeof words, "%s -o out.csv t.hex", jobs[index].command);
    CHECK_U64(await_child(start_child(words, "")), 0, "%s", words);
    whole[index] = read_file("out.csv");
    remove_all();
    every = 20000;
    uint64_t start_microseconds = now_microseconds();
    CHECK_U64(await_child(start(&jobs[index])), 0, "and in steps");
    lasts[index] = now_microseconds() - start_microseconds;
}

int main(void)
{
    unsigned wrong = 0;
    uint64_t tries = rounds(ROUNDS);
    enter_folder();
    await_child(start_child("generate zipf --refs 150000 --blocks 5000 "
                            "--unit 64 --to hex -o t.hex",
                            ""));
    for (size_t i = 0; i < JOBS; i++)
        measure(i);
    seed_chance(9);
    for (uint64_t i = 0; i < tries; i++) {
        const char *reason = run_round(i % JOBS);
        if (reason != NULL)
            printf("#   round %" PRIu64 ", %s: %s\n", i, jobs[i % JOBS].command,
                   reason);
        wrong += reason != NULL;
    }
    CHECK_U64(wrong, 0,
              "%" PRIu64 " rounds: killed %u times; a state was there %u "
              "times, a snapshot %u times, %u of them before the state",
              tries, killed, states, snapshots, behind);
    for (size_t i = 0; i < JOBS; i++)
        free(whole[i].data);
    remove_all();
    leave_folder();
    return tap_done();
}
