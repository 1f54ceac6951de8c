#!/bin/sh
# data.t - the misses of each array and variable of a program, against a cache
# that is simulated by hand
. tests/sim/lib.sh
. "$root/tests/sim/annotated.sh"

printf ' L 10,4\n' >no.lackey
run annotate --data --sizes 4K no.lackey
if grep -q 'without elfutils' err; then
    skip 'the misses of data' 'built without libdw'
    finish
fi
# data CACHE_BYTES: "name line references misses" of each row.
data() {
    awk -F, -v bytes="$1" 'NR > 1 && $5 == bytes { print $4, $3, $6, $7 }' out |
        LC_ALL=C sort
}

# ------------------------------------------------------------- one thread --
cat >arrays.c <<'EOF'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define ALONE __attribute__((aligned(64)))
static volatile int table[300] ALONE; /* line 5 */
volatile double grid[20][10] ALONE;   /* line 6 */
static volatile int *fresh(int count)
{
    return malloc((size_t)count * sizeof(int)); /* line 9 */
}
__attribute__((noinline)) static int next(void)
{
    static volatile int id[16] ALONE; /* line 13 */
    return ++id[0];
}
static void tell(const char *name, const volatile void *where)
{
    printf("%s %ju\n", name, (uintmax_t)(uintptr_t)where);
}
int main(void)
{
    volatile int *first = fresh(100);
    for (int i = 0; i < 100; i++)
        first[i] = i;
    tell("first", first);
    free((void *)first);
    volatile int *second = malloc(400); /* line 27 */
    for (int i = 0; i < 70; i++)
        second[i] = i;
    tell("second", second);
    volatile int *third = fresh(400);
    tell("third", third);
    for (int i = 0; i < 400; i++)
        third[i] = i;
    third = realloc((void *)third, 40000); /* line 35 */
    tell("fourth", third);
    for (int i = 0; i < 10000; i += 3)
        third[i] = i;
    for (int i = 0; i < 300; i++)
        table[i] = i;
    for (int i = 0; i < 200; i++)
        grid[i % 20][i / 20] = i;
    int sum = 0;
    for (int i = 0; i < 50; i++)
        sum += next();
    free((void *)second);
    tell("table", table);
    tell("grid", grid);
    return sum == 0;
}
EOF
# The same program by hand, and a list of blocks in the order of their last use.
cat >arrays.pl <<'EOF'
my ($bytes, $by_line) = @ARGV;
my %at = map { split } <STDIN>;
my (@stack, %references, %misses);
sub touch {
    my ($line, $name, $address) = @_;
    my $block = int($address / 64);
    my ($at) = grep { $stack[$_] == $block } 0 .. $#stack;
    my $whose = $by_line ? $line : $name;
    $references{$whose}++;
    $misses{$whose} += !defined $at || $at >= $bytes / 64;
    splice @stack, $at, 1 if defined $at;
    unshift @stack, $block;
}
touch(24, 'heap of fresh 9', $at{first} + 4 * $_) for 0 .. 99;
touch(29, 'heap of main 27', $at{second} + 4 * $_) for 0 .. 69;
touch(34, 'heap of fresh 9', $at{third} + 4 * $_) for 0 .. 399;
touch(38, 'heap of main 35', $at{fourth} + 12 * $_) for 0 .. 3333;
touch(40, 'table 5', $at{table} + 4 * $_) for 0 .. 299;
touch(42, 'grid 6', $at{grid} + 80 * ($_ % 20) + 8 * int($_ / 20)) for 0 .. 199;
touch(14, 'next::id 13', 1 << 40) for 1 .. 100;
print map { "$_ $references{$_} $misses{$_}\n" } sort keys %references;
EOF
check 'a program with arrays is built' built arrays
recorded --data
is 'it is recorded' "$status $(cat err)" '0 '
run annotate -q --data --sizes 512,1K,2K,4K,64K t.mgt
is 'the columns' "$(head -n 1 out)" \
    'trace,file,line,data,cache_bytes,references,misses'
for bytes in 1024 2048 4096 65536; do
    is "a cache of $bytes bytes: each array and variable as by hand" \
        "$(data $bytes)" "$(perl arrays.pl $bytes <said)"
done
cp out whole
run annotate -q --sizes 512,1K,2K,4K,64K t.mgt
is 'lines are lines, with data recorded' "$status $(head -n 1 out)" \
    '0 trace,file,line,function,cache_bytes,references,misses'
for bytes in 1024 2048 4096 65536; do
    is "a cache of $bytes bytes: each line as by hand" \
        "$(awk -F, -v bytes=$bytes 'NR > 1 && $5 == bytes { print $3, $6, $7 }' out |
            sort)" "$(perl arrays.pl $bytes lines <said)"
done
cp whole out
is 'memory is used again, under another name' \
    "$(awk '$1 == "first" { a = $2 } $1 == "second" { print a == $2 }' said)" 1
is 'declarations are in their file' \
    "$(awk -F, 'NR > 1 && $2 !~ /\/arrays.c$/' out)" ''
are_the_curve t.mgt --data
run annotate -q --data --sizes 4K --skip 170 t.mgt
is 'what was allocated before --skip is known' \
    "$(data 4096 | sed -n 's/^heap of fresh 9 \([0-9]*\) .*/\1/p')" 400
# Without memory there is no other table.  libdw itself may die (139).
inject=$BUILD/tests/faults/inject.so
run annotate -q --data --sizes 4K t.mgt
cp out want
failed=0 wrong=''
for call in $(seq 1 3 160); do
    status=0
    MARGAY_FAULT=malloc:$call LD_PRELOAD=$inject "$MARGAY" annotate -q --data \
        --sizes 4K t.mgt >out 2>err || status=$?
    case $status in
    0) cmp -s out want || wrong="$wrong $call" ;;
    2) failed=$((failed + 1)) ;;
    139) ;;
    *) wrong="$wrong $call" ;;
    esac
done
if [ -e "$inject" ] && [ "$failed" != 0 ]; then
    is 'a failed malloc gives no other table' "$wrong" ''
else
    skip 'a failed malloc gives no other table' 'no call can be made to fail'
fi
gzip -k t.mgt
# shellcheck disable=SC2002 # a pipe is meant
for from in t.mgt.gz -; do
    status=0
    cat t.mgt | "$MARGAY" annotate -q --data --sizes 4K $from >out 2>err ||
        status=$?
    like "$from: names the files of variables at its end" "$status $(cat err)" \
        "^2 .*: $from: --data: .* such as [^ ]*/arrays, too late: .* plain file"
    check 'and no table is written' test ! -s out
done
run report -q t.mgt.gz -o gz.html
is 'a report without them' "$status $(cat err)" '0 '
# shellcheck disable=SC2002
cat t.mgt | "$MARGAY" annotate -q --data --program arrays \
    --sizes 512,1K,2K,4K,64K - >out
sed 's/^t.mgt,/-,/' whole >want
check 'with the program named, all is known' cmp -s out want
run record -q --data -o t.words ./arrays
run annotate -q --data --program arrays --sizes 512,1K,2K,4K,64K t.words
sed 's/^t.mgt,/t.words,/' whole >want
check 'as words: the same' cmp -s out want
run report -q t.mgt -o data.html
is 'a report' "$status $(cat err)" '0 '
shows like 'says whose code the misses are' "$(drawn data.html)" \
    '[0-9]% of the misses are of arrays.c:38 main\.'
shows like 'and whose data' "$(drawn data.html)" \
    '[0-9]% of the misses are of arrays.c:35 heap of main\.'
run annotate -q --data --callgrind d.callgrind --sizes 4K t.mgt
is 'a profile of data' "$(sed -n 's/^fn=([0-9]*) \(heap.*\)/\1/p' d.callgrind |
    sort -u | tr '\n' ' ')" 'heap of fresh heap of main '
recorded --data --start 200
run annotate -q --data --sizes 4K t.mgt
is 'memory from before --start' \
    "$(data 4096 | sed -n 's/^heap of fresh 9 \([0-9]*\) .*/\1/p')" 370
recorded --data --start next
run annotate -q --data --sizes 4K t.mgt
is 'variables with --start FUNCTION' "$(data 4096 | cut -d' ' -f1,3)" \
    'next::id 100'

# The first file of a unit has another number in each version of the debug
# information, and clang uses it.
for which in gcc clang; do
    for version in 4 5; do
        if ! command -v $which >/dev/null; then
            skip "$which, DWARF $version: declarations" "no $which"
            continue
        fi
        compiler=$which
        check "$which, DWARF $version: is built" built arrays -gdwarf-$version
        recorded --data
        run annotate -q --data --sizes 4K t.mgt
        is "$which, DWARF $version: declarations have their lines" \
            "$(awk -F, '$2 ~ /\/arrays.c$/ && $4 !~ /^heap/ { print $3, $4 }' \
                out | tr '\n' ';')" '5 table;6 grid;13 next::id;'
    done
done
compiler=${CC:-cc}

# -------------------------------------- threads, a stack, a program's heap --
cat >threads.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
static void *work(void *many)
{
    int count = *(int *)many;
    for (int round = 0; round < 30; round++) {
        volatile int *own = malloc((size_t)count * 4); /* line 8 */
        for (int i = 0; i < count; i++)
            own[i] = i;
        free((void *)own);
    }
    return NULL;
}
static void fill(volatile int *cells)
{
    for (int i = 0; i < 60; i++)
        cells[i] = i;
}
int main(void)
{
    pthread_t threads[4];
    static int counts[4] = {10, 100, 50, 1000};
    volatile int local[60];
    volatile char *mapped = mmap(NULL, 10000, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void (*volatile filling)(volatile int *) = fill;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, &counts[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    filling(local);
    for (int i = 0; i < 10000; i += 5)
        mapped[i] = 1;
    munmap((void *)mapped, 10000);
    return 0;
}
EOF
check 'a program with threads is built' built threads
recorded --data
run annotate -q --data --sizes 4K t.mgt
is 'memory of four threads' \
    "$(data 4096 | sed -n 's/^heap of work 8 \([0-9]*\) .*/\1/p')" 34800
is 'memory that is mapped' \
    "$(data 4096 | sed -n 's/^heap of main [0-9]* \([0-9]*\) .*/\1/p')" 2000
is 'on the stack of a caller: by the function that refers to it' \
    "$(data 4096 | sed -n 's/^stack of fill  *\([0-9]*\) .*/\1/p')" 60
is 'the rest is variables and stacks' \
    "$(data 4096 | grep -vE '^(heap of|stack of|main::counts )')" ''

# What a thread reads is freed, and the like made, once the thread has ended.
cat >joined.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
static long *cells[200];
static void *work(void *unused)
{
    long sum = 0;
    for (int round = 0; round < 2000; round++)
        for (int i = 0; i < 200; i++)
            sum += *(volatile long *)cells[i];
    return unused;
}
int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 200; i++)
        cells[i] = calloc(8, sizeof(long)); /* line 16 */
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    for (int i = 0; i < 200; i++)
        free(cells[i]);
    for (int i = 0; i < 200; i++)
        *(volatile long *)(cells[i] = calloc(8, sizeof(long))) = 1;
    return 0;
}
EOF
check 'a program that frees after its thread is built' built joined
for i in 1 2 3 4; do
    recorded --data
    run annotate -q --data --sizes 4K t.mgt
    is "memory of before a thread ended, and after it, $i" \
        "$(data 4096 | sed -n 's/^heap of main \([0-9]* [0-9]*\) .*/\1/p' |
            tr '\n' ' ')" '16 400000 22 200 '
done

# ------------------------------------------------ other ways to get memory --
cat >ways.c <<'EOF'
#define _GNU_SOURCE
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
enum { PAGE = 4096, PROT = PROT_READ | PROT_WRITE };
static void fill(volatile char *memory, int times)
{
    for (int i = 0; i < times; i++)
        memory[64 * i] = 1;
}
int main(void)
{
    char *array = reallocarray(NULL, 10, 64); /* line 14 */
    fill(array, 10);
    array = reallocarray(array, 11, 64); /* line 16 */
    fill(array, 11);
    if (reallocarray(array, SIZE_MAX, 2) != NULL)
        return 1;
    fill(array, 11);
    fill(memalign(64, 12 * 64), 12); /* line 21 */
    fill(valloc(13 * 64), 13);       /* line 22 */
    char *map = mmap64(NULL, 8 * PAGE, PROT, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                       0); /* line 23 */
    fill(map, 14);
    munmap(map + 2 * PAGE, PAGE);
    fill(map, 15);
    fill(map + 3 * PAGE, 16);
    map = mremap(map + 3 * PAGE, 5 * PAGE, 100 * PAGE, MREMAP_MAYMOVE);
    fill(map, 17); /* line 29, before it */
    return 0;
}
EOF
check 'a program with other ways to get memory is built' built ways
recorded --data
run annotate -q --data --sizes 4K t.mgt
is 'memory of each' \
    "$(data 4096 | sed -n 's/^heap of main \([0-9]*\) \([0-9]*\) .*/\1 \2/p' |
        tr '\n' ' ')" '14 10 16 22 21 12 22 13 23 45 29 17 '

# ------------------------------------------------------------------- C++ --
cat >objects.cc <<'EOF'
#include <new>
namespace parts {
volatile int many[40]; // line 3
struct part {
    static volatile int made[10];
    volatile int values[16];
};
volatile int part::made[10]; // line 8
} // namespace parts
int main()
{
    parts::part *one = new parts::part;      // line 12
    parts::part *more = new parts::part[10]; // line 13
    for (int i = 0; i < 16; i++)
        one->values[i] = more[i % 10].values[i] = i;
    for (int i = 0; i < 40; i++)
        parts::many[i] = parts::part::made[i % 10] = i;
    delete one;
    delete[] more;
    return 0;
}
EOF
if command -v g++ >/dev/null; then
    check 'a program in C++ is built' built objects
    recorded --data
    run annotate -q --data --sizes 4K t.mgt
    is 'objects, and variables in name spaces and classes' \
        "$(data 4096 | sed 's/ [0-9]*$//')" \
        'heap of main 12 16
heap of main 13 16
parts::many 3 40
parts::part::made 8 40'
else
    skip 'data of C++' 'no g++'
fi

# ------------------------------------------------- what does not name data --
name=arrays
for format in mgt words; do
    run record -q --data -o d.$format ./arrays
    run convert d.$format c.mgt --limit 50
    like "$format: what convert leaves out is said" "$status $(cat err)" \
        'd.'$format': what addresses hold .* is left out'
done
refuses 'c.mgt: --data: the trace does not tell .* convert leaves it out' \
    annotate --data --sizes 4K c.mgt
run convert c.mgt e.mgt
is 'nothing is left out of what has none' "$(wc -l <err)" 1
run record -q --sites -o s.mgt ./arrays
refuses 's.mgt: --data: the trace does not tell what addresses hold; record' \
    annotate --data --sizes 4K s.mgt
run record -q --data --to u64 -o s.u64 ./arrays
like 'a format without a place for data' "$status $(cat err)" \
    '^125 .*--data: a trace as u64 has no place'
run record --data --thread-traces separate -o s.mgt ./arrays
like 'data of one trace' "$status $(cat err)" '^125 .*--data is of one trace'
run record --data --method valgrind -o s.mgt ./arrays
like 'not by every method' "$status $(cat err)" \
    '^125 .*not with method valgrind: it does not know --data'
finish
