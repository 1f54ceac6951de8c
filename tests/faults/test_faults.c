/*
 * test_faults.c - every call that may fail, made to fail in turn
 *
 * A run in which one call fails may do without it, and then its output is
 * what it always is; or it ends with status 2, one line on standard error,
 * nothing on standard output and no file that was not there before. Only what
 * fails when output is complete, or on its way out, may leave some of it: a
 * close, a write to standard output, the second of two files' new names.
 * `record` fails with 125 or 126, as its program may end with 2, and is there.
 *
 * There is a job for every engine and every command.  Each call that a job
 * makes is a site; the last line says how many there are.  Of many sites of a
 * kind $MARGAY_TEST_ROUNDS percent of some are tried, spread over all.
 *
 * MARGAY_FAULT_JOBS=TEXT tries the jobs alone whose command lines have TEXT.
 * MARGAY_FAULT_PRELOAD= (empty) is for a program with inject.c linked in.
 */
#define _GNU_SOURCE
#include "tests/faults/child.h"

#include "tests/rounds.h"

#define STATUS_FAILED 2

/* Of a kind, in one job; the soak tries all. */
#define MOST_SITES 8

static const char *const kinds[] = {
    "malloc", "mmap", "read",     "write",     "close", "rename", "thread",
    "open",   "seek", "truncate", "duplicate", "pipe",  "fork",
};
#define KINDS (sizeof kinds / sizeof *kinds)

static const struct job {
    const char *words; /* the command line */
    const char *file;  /* where output goes besides stdout; NULL = nowhere */
} jobs[] = {
    {"curve -e exact ids.lines", NULL},
    {"curve -b 64,256,4096 -j 3 --histogram h.csv -o out.csv t.din", "out.csv"},
    /* Read in its order, so that no table is made for as many blocks. */
    {"curve -j 1 --warmup 1 many.u64", NULL},
    {"curve --sizes 1,2,3 t.din.gz", NULL},
    {"histogram --bins log2 t.din.xz", NULL},
    {"info t.din.zst", NULL},
    {"info t.din.bz2", NULL},
    {"distances t.din.lz4 -o out.csv", "out.csv"},
    {"curve --column 1 t.csv", NULL},
    {"curve --column 2 --tenant 1 --histogram h.csv -o out.csv who.csv",
     "out.csv"},
    {"curve --from kept.csv -o out.csv", "out.csv"},
    {"curve --bound 16 -e olken t.din", NULL},
    {"curve -e hp-rda:backend=emulate,st=64,nb=2 t.din", NULL},
    {"curve -j 2 -e hp-rda:st=64,nb=2 ids.lines", NULL},
    {"curve -e naive ids.lines", NULL},
    {"curve -e olken ids.lines", NULL},
    {"curve -e bennett-kruskal ids.lines", NULL},
    {"curve -e holes ids.lines", NULL},
    {"curve -e holes:form=vector ids.lines", NULL},
    {"curve -e bounded --bound 16 ids.lines", NULL},
    {"curve -j 3 -e parda ids.lines", NULL},
    {"curve -j 3 -e parda:merge=plain --phase 900 ids.lines", NULL},
    {"curve -e markers:at=4+16 ids.lines", NULL},
    {"curve -e scale-tree ids.lines", NULL},
    {"curve -e absolute:c=0,b=9 ids.lines", NULL},
    {"curve -e absolute:c=0,b=9,tree=splay ids.lines", NULL},
    {"curve -e shen ids.lines", NULL},
    {"curve -e shards:rate=0.5 ids.lines", NULL},
    {"curve -e shards:blocks=16 ids.lines", NULL},
    {"curve --model footprint ids.lines", NULL},
    {"curve --window 1000 -o out.csv ids.lines", "out.csv"},
    {"curve --writebacks t.din", NULL},
    {"curve -j 2 --policy lru,opt,fifo,clock -b 64,128 -o out.csv t.din",
     "out.csv"},
    {"curve --policy random,fifo --sample 0.5 --sizes 9,99 ids.lines", NULL},
    {"curve -q -e exact --save state --every 1000 -o out.csv ids.lines",
     "out.csv"},
    {"curve -q -e olken --save state --every 1000 -o out.csv ids.lines",
     "out.csv"},
    {"curve -q -j 3 -e parda --save state --every 1000 -o out.csv ids.lines",
     "out.csv"},
    {"curve -q -e naive --save state --resume kept.state ids.lines", NULL},
    {"histogram --of time ids.lines", NULL},
    {"histogram --by thread watched.mgt", NULL},
    {"histogram --by site watched.mgt", NULL},
#ifdef MARGAY_HAS_LIBDW
    {"annotate --sizes 4,64 watched.words", NULL}, /* names no program */
    {"annotate --data --sizes 4,64 --program /dev/null data.mgt", NULL},
    {"annotate --data --sizes 4,64 data.words", NULL},
#else
    {"annotate --help", NULL},
#endif
    {"overlap kept.csv more.csv", NULL},
    {"overlap -o out.csv places.csv places.csv", "out.csv"},
    {"share --sizes 4 -o out.csv places.csv", "out.csv"},
    {"share --sizes 4,64 -o out.csv kept.csv more.csv", "out.csv"},
    {"phases --curves out.csv --weights /dev/null ids.lines", "out.csv"},
    {"simulate --machine levels.csv t.din", NULL},
    {"simulate --machine coherent.csv t.words", NULL},
    {"simulate --machine levels.csv --vary L1.ways=1,2,L2.policy=lru,fifo "
     "--pareto out.csv t.din",
     "out.csv"},
    {"assoc --sets 1..4 --ways 1,2 --best 2 t.din", NULL},
    {"assoc --sets 1,2 --ways 1,2 --policy opt t.din -o out.csv", "out.csv"},
    {"assoc --sets 2 --ways 2 --policy fifo --write back --by kind t.din",
     NULL},
    {"compare -j 2 --sets 1,2 --ways 1,2 t.din", NULL},
    {"compare --sets 1,2 --ways 1,2 --prediction single.csv t.din", NULL},
    {"record -q -o out.mgt /bin/true", "out.mgt"},
    {"record -q --method runtime --sites -o out.mgt ./watched", "out.mgt"},
#ifdef MARGAY_HAS_LIBDW
    {"record -q --start main --to lackey ./watched", NULL},
#endif
    {"plot -o out.svg kept.csv", "out.svg"},
    {"plot -o out.tex kept.csv", "out.tex"},
    {"report -q --policy lru,fifo -o out.html kept.csv t.din", "out.html"},
    {"plot -o out.png odd\001.csv more.csv", "out.png"},
    {"curve -f lines", NULL},
    {"info -", NULL},
    {"curve -j 2 -o out.csv ids.lines more.lines", "out.csv"},
    {"curve -j 3 --sizes all t.u64", NULL},
    {"histogram -j 3 -e exact --skip 9 --warmup 9 --limit 2000 t.u64", NULL},
    {"curve -q --resume kept.state -o out.csv ids.lines", "out.csv"},
    {"curve -q --half-life 200 --every 1000 --prometheus live.prom ids.lines",
     NULL},
    {"info -f arc t.arc", NULL},
    {"info -f vscsi t.vscsi", NULL},
    {"curve --ids t.ls", NULL},
    {"distances -f oracle t.oracle", NULL},
    {"curve --objects --sizes all --histogram out.csv -f oracle t.oracle",
     "out.csv"},
    {"histogram --objects --ttl 9 --bins log2 -f vscsi t.vscsi", NULL},
    {"distances --objects -f oracle t.oracle", NULL},
    {"assoc -j 2 -b 64,128 --sets 1,2 --ways 1 t.din t.u64", NULL},
    {"assoc --policy plru --write through --sets 2 --ways 2 t.din", NULL},
    {"assoc --policy lirs --sets 3 --ways 2,70 t.din", NULL},
    {"assoc --policy opt --sets 3 --ways 2 t.din", NULL},
    {"predict -q --curve --with-runs --size 900 kept.csv=99 more.csv=198",
     NULL},
    {"predict -q --size 900 --save-model out.model kept.csv=99 more.csv=198",
     "out.model"},
    {"generate stencil --refs 900 --blocks 64 --to u64", NULL},
    {"generate fft --refs 900 --blocks 64 --to hex -o out.hex", "out.hex"},
    {"generate phases --refs 900 --blocks 64 --to mgt -o out.mgt", "out.mgt"},
    {"filter -q --sets 4 --ways 2 --write back --to mgt -o f.mgt t.din",
     "f.mgt"},
    {"convert t.din out.hex.zst --to hex", "out.hex.zst"},
    {"convert t.din out.ls.bz2 --to ls", "out.ls.bz2"},
    {"convert t.din out.u32.lz4 --to u32", "out.u32.lz4"},
    {"convert --unit 64 ids.lines out.u64be --to u64be", "out.u64be"},
    {"convert ids.lines out.lines.gz --to lines", "out.lines.gz"},
    {"help", NULL},
    {"engines --run ids.lines --only exact,olken", NULL},
    {"engines --sweep --blocks 300 --only exact,olken", NULL},
    {"version", NULL},
    {"generate zipf --refs 3000 --blocks 99 --to din -o out.din", "out.din"},
    {"convert t.din out.lackey.gz --to lackey", "out.lackey.gz"},
    {"convert t.din out.u64.xz --to u64", "out.u64.xz"},
    {"convert t.din - --to csv", NULL},
    {"convert t.din out.mgt --to mgt", "out.mgt"},
    {"convert t.mgt out.din --to din", "out.din"},
    {"histogram --by region=map.csv t.mgt", NULL},
    {"histogram --by op --column id=id,op=op ops.csv", NULL},
    {"generate histogram --from kept.csv --refs 900 --to mgt -o out.mgt",
     "out.mgt"},
    {"predict -q --references 99 --size 900 --bins log2 kept.csv=99 "
     "more.csv=198 "
     "--truth kept.csv -o out.csv",
     "out.csv"},
    {"predict -q --references 99 --size 900 --load-model model", NULL},
    {"predict --sample -q --samples 4 ids.lines", NULL},
    {"diff kept.csv kept.csv -o out.csv", "out.csv"},
    {"histogram --json t.din -o out.json", "out.json"},
    {"engines", NULL},
    {"help curve", NULL},
};

static const char *preload;
static unsigned long sites, tried; /* calls, and those that were made to fail */

/* Other files that a run may leave, even one that fails. */
static void remove_others(void)
{
    unlink("out.csv.snapshot");
    unlink("live.prom");
    unlink("state");
}

/* Run the command line; what it wrote is in the files stdout and stderr. */
static int run(const char *words, const char *fault)
{
    setenv("MARGAY_FAULT", fault, 1);
    if (strstr(words, ".zst --to") != NULL)
        setenv("MARGAY_FAULT_SPARED", "libzstd", 1);
    else
        unsetenv("MARGAY_FAULT_SPARED");
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
    remove_others();
    if (job->file != NULL)
        unlink(job->file);
}

static void release(struct reference *reference)
{
    free(reference->output.data);
    free(reference->file.data);
}

static bool is_command(const char *words, const char *name)
{
    size_t length = strlen(name);
    return strncmp(words, name, length) == 0 &&
           (words[length] == ' ' || words[length] == '\0');
}

/* These have times and addresses in their output.  A program of ours has its
   words at the same place each time, and its trace lacks none of them. */
static bool varies(const char *words)
{
    return (is_command(words, "record") && strstr(words, "watched") == NULL) ||
           is_command(words, "engines --run") ||
           is_command(words, "engines --sweep");
}

/* Is it how the command says that it failed?  The statuses below 125 are those
   of the program that is recorded. */
static bool is_failure(const char *words, int status)
{
    return is_command(words, "record") ? status == 125 || status == 126
                                       : status == STATUS_FAILED;
}

/* What was said before the failure: from where on a run goes on. */
static size_t earlier_bytes(struct bytes text)
{
    const char *newline = memchr(text.data, '\n', text.count);
    const char *note = strstr(text.data, "goes on after");
    return note != NULL && newline != NULL && note < newline
               ? (size_t)(newline + 1 - text.data)
               : 0;
}

/* One line, which names the program. */
static bool is_message(struct bytes text)
{
    size_t earlier = earlier_bytes(text);
    text.data += earlier;
    text.count -= earlier;
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

/* What is wrong with how the run ended; NULL: nothing.  A message has the word
   `reason`, unless that is NULL. */
static const char *judge(const struct job *job, int status, const char *reason,
                         bool late, const struct reference *reference,
                         size_t files)
{
    const char *wrong = NULL;
    bool failed = is_failure(job->words, status);
    struct bytes output = read_file("stdout"), errors = read_file("stderr");
    struct bytes file = read_file(job->file == NULL ? "none" : job->file);
    if (status == 0 && !varies(job->words) &&
        (!same(output, reference->output) || !same(file, reference->file)))
        wrong = "status 0, but other output";
    else if (failed && !is_message(errors))
        wrong = "not one line of message";
    else if (failed && reason != NULL && strstr(errors.data, reason) == NULL)
        wrong = "a message of another failure";
    else if (failed && output.count > 0 &&
             (!late ||
              (!varies(job->words) && !begins(output, reference->output))))
        wrong = "something on standard output";
    else if (failed && count_files() != files &&
             (!late || !same(file, reference->file)))
        wrong = "a file left behind";
    else if (status != 0 && !failed)
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

/* Of the files that are opened, places looked at, ... all may be of the kind
   that a run does without; so may the only mapping, where the recorder has no
   circle that is shared with the program, and the only thread, as a short trace
   is read without one. */
static bool is_needed(const char *kind)
{
    return strchr("ostd", *kind) == NULL && strcmp(kind, "mmap") != 0;
}

/* The runs of a job with a call of one kind that fails. */
struct tries {
    unsigned long first, step, calls;
    unsigned runs, failed, wrong;
};

static void try_calls(const struct job *job, const struct reference *reference,
                      size_t kind, struct tries *tries)
{
    bool late = strchr("wcrd", kinds[kind][0]) != NULL &&
                strcmp(kinds[kind], "read") != 0;
    for (unsigned long call = tries->first; call <= tries->calls;
         call += tries->step, tries->runs++) {
        char fault[64];
        /* A run that failed has left neither; one that did not, both. */
        size_t files = count_files();
        snprintf(fault, sizeof fault, "%s:%lu", kinds[kind], call);
        int status = run(job->words, fault);
        remove_others();
        bool memory = kind == 0 && is_command(job->words, "record");
        const char *wrong = judge(job, status, memory ? "memory" : NULL, late,
                                  reference, files);
        if (wrong != NULL)
            explain(job->words, fault, status, wrong);
        tries->wrong += wrong != NULL;
        tries->failed += status != 0;
        unlink("h.csv");
        if (job->file != NULL)
            unlink(job->file);
    }
}

/* Threads may change places, and the one call that matters is then another in
   each run: so it is searched for again. */
#define MOST_LOOKS 20

static void test_kind(const struct job *job, const struct reference *reference,
                      size_t kind)
{
    unsigned long most = rounds(MOST_SITES), calls = reference->calls[kind];
    /* Symbols take thousands of calls, of which the first ones matter. */
    if (strstr(job->words, "--start") != NULL && calls > 3 * MOST_SITES)
        calls = 3 * MOST_SITES;
    unsigned long step = calls > most ? (calls + most - 1) / most : 1;
    struct tries tries = {.first = 1 + (unsigned long)(job - jobs) % step,
                          .step = step,
                          .calls = calls};
    /* Some of the calls are such that nothing works without them. */
    bool has_to_show = step == 1 && is_needed(kinds[kind]);
    unsigned looks = has_to_show ? MOST_LOOKS : 1;
    do
        try_calls(job, reference, kind, &tries);
    while (--looks > 0 && tries.failed == 0);
    sites += calls;
    tried += tries.runs;
    tries.wrong += has_to_show && tries.failed == 0;
    CHECK_U64(tries.wrong, 0, "%s: %s fails, %u of %lu calls, %u times noticed",
              job->words, kinds[kind], tries.runs, calls, tries.failed);
}

/* ------------------------------------------------------- what is covered -- */

static bool is_engine(const char *words, const char *name)
{
    const char *spec = strstr(words, " -e ");
    size_t length = strlen(name);
    return spec != NULL && strncmp(spec + 4, name, length) == 0 &&
           strchr(": ", spec[4 + length]) != NULL;
}

/* Each name that `words` lists, by `format`, is one that a job has. */
static void test_coverage(const char *words, const char *format,
                          bool (*is)(const char *words, const char *name))
{
    char line[512], name[64];
    unsigned names = 0, missing = 0;
    run(words, "none");
    FILE *list = fopen("stdout", "r");
    while (list != NULL && fgets(line, sizeof line, list) != NULL) {
        bool found = false;
        if (sscanf(line, format, name) != 1 || strcmp(name, "name") == 0)
            continue;
        for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
            found = found || is(jobs[i].words, name);
        names++;
        missing += !found;
        if (!found)
            printf("#   no job has %s\n", name);
    }
    if (list != NULL)
        fclose(list);
    CHECK(names > 0 && missing == 0, "margay %s: all %u are in some job", words,
          names);
}

/* ---------------------------------------------------------------- inputs -- */

static void write_file(const char *name, const char *bytes, size_t count)
{
    FILE *file = fopen(name, "w");
    if (file == NULL || fwrite(bytes, 1, count, file) != count ||
        fclose(file) != 0)
        abort();
}

/* A program that records itself, at fixed addresses, and its trace; false: this
   machine's compiler does not make one. */
static bool make_watched(void)
{
    static const char source[] = "static volatile int words[64];\n"
                                 "int main(void)\n"
                                 "{\n"
                                 "    for (int i = 0; i < 640; i++)\n"
                                 "        words[i % 64] = i;\n"
                                 "    return words[0] == 0;\n"
                                 "}\n";
    char command[8192];
    write_file("watched.c", source, sizeof source - 1);
    snprintf(
        command, sizeof command,
        "{ ${CC:-cc} -O1 -no-pie $('%s' record --cflags) -o watched watched.c "
        "$('%s' record --libs); } >/dev/null 2>&1",
        margay, margay);
    setenv("MARGAY_FAULT", "none", 1);
    return system(command) == 0 &&
           run("record -q --method runtime --sites -o watched.mgt ./watched",
               "none") == 0 &&
           run("convert watched.mgt watched.words --to words", "none") == 0 &&
           run("record -q --data -o data.mgt ./watched", "none") == 0 &&
           run("record -q --data -o data.words ./watched", "none") == 0;
}

/* Tables, and traces that no command writes. */
static void write_inputs(void)
{
    static const char zeros[20 * 24]; /* records, of id 0 */
    static const char commands_of_a_disk[3 * 32] = {
        [5] = 2,  [12] = 0x28, [15] = 1,    [37] = 2, [44] = 0x2a,
        [47] = 1, [69] = 4,    [76] = 0x28, [79] = 1};
    write_file("map.csv", "name,from,to\na,0,2048\n", 22);
    static const char places[] =
        "thread,trace,block_bytes,distance_from,distance_to,references,share\n"
        "0,t,64,0,1,2,1\n0,t,64,inf,inf,0,0\n"
        "1,t,64,inf,inf,1,1\n";
    write_file("places.csv", places, sizeof places - 1);
    write_file("who.csv", "who,id\na,1\nb,2\na,1\n", 19);
    write_file("ops.csv", "op,id\nget,1\nset,2\nget,1\n", 24);
    write_file("t.arc", "0 8 0 0\n4 8 0 1\n", 16);
    static const char levels[] =
        "cache,holds,bytes,block_bytes,ways,next,cycles\n"
        "L1,all,512,64,2,L2,1\nL2,all,4096,64,4,,9\n";
    write_file("levels.csv", levels, sizeof levels - 1);
    static const char coherent[] =
        "cache,holds,bytes,block_bytes,ways,next,coherence\n"
        "L1,all,512,64,2,L2,mesi\nL2,all,4096,64,4,,\n";
    write_file("coherent.csv", coherent, sizeof coherent - 1);
    write_file("t.oracle", zeros, sizeof zeros);
    write_file("t.vscsi", commands_of_a_disk, sizeof commands_of_a_disk);
}

static void make_inputs(void)
{
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
        "convert t.din t.words --to words",
        "histogram --bins exact ids.lines -o kept.csv",
        "generate zipf --refs 6000 --blocks 198 --to lines -o more.lines",
        "histogram --bins exact more.lines -o more.csv",
        ("predict -q --bins reference:50 --save-model model kept.csv=99 "
         "more.csv=198"),
        "curve -q --save kept.state ids.lines",
        "convert t.din t.u64 --to u64",
        "generate scan --refs 90000 --blocks 90000 --to u64 -o many.u64",
        "convert t.din t.ls --to ls",
        "histogram --bins exact ids.lines -o odd\001.csv",
        "histogram --bins exact t.din -o single.csv",
    };
    write_inputs();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (i == 1 && link("ids.lines", "stdin") != 0)
            abort();
        if (run(commands[i], "none") != 0) {
            struct bytes errors = read_file("stderr");
            printf("Bail out! cannot make the inputs: %s: %.300s\n",
                   commands[i], errors.data);
            exit(1);
        }
    }
}

static void begin(void)
{
    static char beside[4096], plots[4096];
    const char *build = getenv("BUILD");
    if (getcwd(plots, sizeof plots - sizeof "/plots") == NULL)
        abort();
    setenv("MARGAY_PLOTS", strcat(plots, "/plots"), 0);
    enter_folder();
    /* What drivers of devices allocate is not ours. */
    setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
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
    test_coverage("engines", "%63[^,]", is_engine);
    test_coverage("help", "  %63[a-z]", is_command);
    bool has_watched = make_watched();
    const char *chosen = getenv("MARGAY_FAULT_JOBS");
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct reference reference = {.output = {NULL, 0}};
        if (chosen != NULL && strstr(jobs[i].words, chosen) == NULL)
            continue;
        if (!has_watched && strstr(jobs[i].words, "watched") != NULL) {
            tap_skip(jobs[i].words, "no compiler of programs for the runtime");
            continue;
        }
        prepare(&jobs[i], &reference);
        for (size_t kind = 0; kind < KINDS; kind++) {
            if (reference.calls[kind] > 0)
                test_kind(&jobs[i], &reference, kind);
        }
        release(&reference);
    }
    printf("# %lu sites in %zu jobs, %lu of them tried\n", sites,
           sizeof jobs / sizeof *jobs, tried);
    leave_folder();
    return tap_done();
}
