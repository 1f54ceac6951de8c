/*
 * test_faults.c - every call that may fail, made to fail in turn
 *
 * A run in which one call fails may do without it, and then its output is
 * what it always is; or it ends with status 2, one line on standard error,
 * nothing on standard output and no file that was not there before. Only what
 * fails when output is complete, or on its way out, may leave some of it: a
 * close, a write to standard output, the second of two files' new names.
 *
 * MARGAY_FAULT_PRELOAD= (empty) is for a program with inject.c linked in.
 */
#define _GNU_SOURCE
#include "tests/faults/child.h"

#define STATUS_FAILED 2

static const char *const kinds[] = {"malloc", "mmap",   "read",  "write",
                                    "close",  "rename", "thread"};
#define KINDS (sizeof kinds / sizeof *kinds)

static const struct job {
    const char *words; /* the command line */
    const char *file;  /* where output goes besides stdout; NULL = nowhere */
} jobs[] = {
    {"curve ids.lines", NULL},
    {"curve -b 64,256,4096 -j 3 --histogram h.csv -o out.csv t.din", "out.csv"},
    {"curve --sizes 1,2,3 t.din.gz", NULL},
    {"histogram --bins log2 t.din.xz", NULL},
    {"info t.din.zst", NULL},
    {"info t.din.bz2", NULL},
    {"distances t.din.lz4 -o out.csv", "out.csv"},
    {"curve --column 1 t.csv", NULL},
    {"curve --from kept.csv -o out.csv", "out.csv"},
    {"curve --bound 16 -e olken t.din", NULL},
    {"curve -e gpu:backend=emulate,transfer=300 t.din", NULL},
    {"curve -e hp-rda:backend=emulate,st=64,nb=2 t.din", NULL},
    {"generate zipf --refs 3000 --blocks 99 --to din -o out.din", "out.din"},
    {"convert t.din out.lackey.gz --to lackey", "out.lackey.gz"},
    {"convert t.din out.u64.xz --to u64", "out.u64.xz"},
    {"convert t.din - --to csv", NULL},
    {"convert t.din out.mgt --to mgt", "out.mgt"},
    {"convert t.mgt out.din --to din", "out.din"},
    {"histogram --by region=map.csv t.mgt", NULL},
    {"generate histogram --from kept.csv --refs 900 --to mgt -o out.mgt",
     "out.mgt"},
    {"predict -q --references 99 --size 900 --bins log2 kept.csv=99 "
     "more.csv=198 "
     "--truth kept.csv -o out.csv",
     "out.csv"},
    {"predict -q --references 99 --size 900 --load-model model", NULL},
    {"predict --sample -q --samples 4 ids.lines", NULL},
    {"engines", NULL},
    {"help curve", NULL},
};

static const char *preload;

/* Run the command line; what it wrote is in the files stdout and stderr. */
static int run(const char *words, const char *fault)
{
    setenv("MARGAY_FAULT", fault, 1);
    return await_child(start_child(words, preload));
}

/* What a run without faults does. */
struct reference {
    struct bytes output, file;
    unsigned long calls[KINDS];
};

static void prepare(const struct job *job, struct reference *reference)
{
    char name[16];
    unsigned long count;
    int status = run(job->words, "count:counts");
    CHECK(status == 0, "%s: runs", job->words);
    reference->output = read_file("stdout");
    reference->file = read_file(job->file == NULL ? "none" : job->file);
    FILE *counts = fopen("counts", "r");
    while (counts != NULL && fscanf(counts, "%15s %lu", name, &count) == 2) {
        for (size_t i = 0; i < KINDS; i++) {
            if (strcmp(kinds[i], name) == 0)
                reference->calls[i] = count;
        }
    }
    if (counts != NULL)
        fclose(counts);
    unlink("counts");
    unlink("h.csv");
    if (job->file != NULL)
        unlink(job->file);
}

static void release(struct reference *reference)
{
    free(reference->output.data);
    free(reference->file.data);
}

/* One line, which names the program. */
static bool is_message(struct bytes text)
{
    const char *newline = memchr(text.data, '\n', text.count);
    return strncmp(text.data, "margay", 6) == 0 && newline != NULL &&
           newline + 1 == text.data + text.count;
}

/* Is it the beginning of the other? */
static bool begins(struct bytes part, struct bytes whole)
{
    return part.count <= whole.count &&
           memcmp(part.data, whole.data, part.count) == 0;
}

/* What is wrong with how the run ended; NULL: nothing. */
static const char *judge(const struct job *job, int status, bool late,
                         const struct reference *reference, size_t files)
{
    const char *wrong = NULL;
    struct bytes output = read_file("stdout"), errors = read_file("stderr");
    struct bytes file = read_file(job->file == NULL ? "none" : job->file);
    if (status == 0 &&
        (!same(output, reference->output) || !same(file, reference->file)))
        wrong = "status 0, but other output";
    else if (status == STATUS_FAILED && !is_message(errors))
        wrong = "not one line of message";
    else if (status == STATUS_FAILED && output.count > 0 &&
             (!late || !begins(output, reference->output)))
        wrong = "something on standard output";
    else if (status == STATUS_FAILED && count_files() != files &&
             (!late || !same(file, reference->file)))
        wrong = "a file left behind";
    else if (status != 0 && status != STATUS_FAILED)
        wrong = status > 1000 ? "killed, or hanging" : "another status";
    free(output.data);
    free(errors.data);
    free(file.data);
    return wrong;
}

static void explain(const char *words, const char *fault, int status,
                    const char *wrong)
{
    struct bytes errors = read_file("stderr");
    printf("#   %s: %s: %s (%d): %.300s\n", words, fault, wrong, status,
           errors.data);
    free(errors.data);
}

static void test_kind(const struct job *job, const struct reference *reference,
                      size_t kind)
{
    unsigned wrong = 0, runs = 0, failed = 0;
    bool late = strchr("wcr", kinds[kind][0]) != NULL &&
                strcmp(kinds[kind], "read") != 0;
    for (unsigned long call = 1; call <= reference->calls[kind];
         call++, runs++) {
        char fault[64];
        /* A run that failed has left neither; one that did not, both. */
        size_t files = count_files();
        snprintf(fault, sizeof fault, "%s:%lu", kinds[kind], call);
        int status = run(job->words, fault);
        const char *reason = judge(job, status, late, reference, files);
        if (reason != NULL)
            explain(job->words, fault, status, reason);
        wrong += reason != NULL;
        failed += status != 0;
        unlink("h.csv");
        if (job->file != NULL)
            unlink(job->file);
    }
    /* Some of the calls are such that nothing works without them. */
    wrong += failed == 0;
    CHECK_U64(wrong, 0, "%s: %s fails, %u of %lu calls, %u times noticed",
              job->words, kinds[kind], runs, reference->calls[kind], failed);
}

static void make_inputs(void)
{
    FILE *map = fopen("map.csv", "w");
    if (map == NULL || fputs("name,from,to\na,0,2048\n", map) < 0 ||
        fclose(map) != 0)
        abort();
    static const char *const commands[] = {
        "generate zipf --refs 3000 --blocks 99 --to lines -o ids.lines",
        "generate zipf --refs 3000 --blocks 99 --unit 64 --to din -o t.din",
        "convert t.din t.din.gz --to din",
        "convert t.din t.din.xz --to din",
        "convert t.din t.din.zst --to din",
        "convert t.din t.din.bz2 --to din",
        "convert t.din t.din.lz4 --to din",
        "convert ids.lines t.csv --to csv",
        "convert t.din t.mgt --to mgt",
        "histogram --bins exact ids.lines -o kept.csv",
        "generate zipf --refs 6000 --blocks 198 --to lines -o more.lines",
        "histogram --bins exact more.lines -o more.csv",
        ("predict -q --bins reference:50 --save-model model kept.csv=99 "
         "more.csv=198"),
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (run(commands[i], "none") != 0) {
            printf("Bail out! cannot make the inputs\n");
            exit(1);
        }
    }
}

static void begin(void)
{
    static char beside[4096];
    const char *build = getenv("BUILD");
    enter_folder();
    preload = getenv("MARGAY_FAULT_PRELOAD");
    if (preload != NULL)
        return;
    snprintf(beside, sizeof beside, "%s/tests/faults/inject.so", build);
    preload = beside;
    if (access(preload, R_OK) != 0) {
        leave_folder();
        tap_skip_all("no library to preload in this build");
    }
}

int main(void)
{
    begin();
    make_inputs();
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct reference reference = {.output = {NULL, 0}};
        prepare(&jobs[i], &reference);
        for (size_t kind = 0; kind < KINDS; kind++) {
            if (reference.calls[kind] > 0)
                test_kind(&jobs[i], &reference, kind);
        }
        release(&reference);
    }
    leave_folder();
    return tap_done();
}
