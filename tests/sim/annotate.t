#!/bin/sh
# annotate.t - the misses of each line of a program's sources, and profiles in
# callgrind's format; data.t simulates a cache by hand
. tests/sim/lib.sh
. "$root/tests/sim/annotated.sh"

printf ' L 10,4\n S 3e,4\n' >no.lackey
run annotate --sizes 4K no.lackey
if grep -q 'without elfutils' err; then
    like 'what is missing is named' "$status $(cat err)" '^2 .*libdw-dev'
    skip 'the misses of each line' 'built without libdw'
    finish
fi
refuses 'no.lackey: annotate: the trace does not say the sites.*--sites' \
    annotate --sizes 4K no.lackey

# ------------------------------------------------------ a matrix product --
cat >product.c <<'EOF'
enum { N = 20 };
static volatile double a[N][N], b[N][N], c[N][N];
static void multiply(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++) {
                double x = a[i][k]; /* line 9 */
                sum += x *
                       b[k][j]; /* line 11 */
            }
            c[i][j] = sum; /* line 13 */
        }
}
int main(void)
{
    multiply();
    return 0;
}
EOF
check 'a matrix product is built' built product
recorded --sites
mv t.mgt p.mgt
is 'it is recorded' "$status" 0
sizes=64,128,1K,1472B,2K,64M
run annotate -q --sizes $sizes --callgrind p.callgrind p.mgt
is 'it is annotated' "$status" 0
is 'the columns' "$(head -n 1 out)" \
    'trace,file,line,function,cache_bytes,references,misses'
is 'the line of the strided loop misses most' \
    "$(awk -F, '$5 == 1472' out | sort -t, -k7,7nr | head -n 1 | cut -d, -f3,4)" \
    '11,multiply'
is 'all lines together are the curve' "$(sums)" "$(curve --sizes $sizes p.mgt)"
is 'lines ascend, and sizes within them' "$(tail -n +2 out)" \
    "$(tail -n +2 out | sort -s -t, -k2,2 -k3,3n -k4,4 -k5,5n)"
are_the_curve p.mgt
run annotate -q p.mgt
is 'powers of two, if no sizes are named' "$(sums)" \
    "$(curve --sizes pow2 p.mgt)"
run annotate p.mgt --sizes 4K
like 'what was read is said' "$(cat err)" 'p.mgt: [0-9]+ references'
sed 's/^p.mgt,/-,/' out >want
run annotate -q --sizes 4K - <p.mgt
check 'standard input: the same' cmp -s out want
"$MARGAY" convert -q --to mgt p.mgt q.mgt.gz
run annotate -q --sizes 4K q.mgt.gz
sed 's/^q.mgt.gz,/-,/' out >got
check 'converted and compressed: the same' cmp -s got want
{ cat want && sed 1d want; } | sed 's/^-,/p.mgt,/' >both
run annotate -q --sizes 4K p.mgt p.mgt
check 'two traces, one after the other' cmp -s out both
"$MARGAY" record -q --sites -o - ./product >p.words 2>/dev/null
run annotate -q --sizes 4K --program product p.words
is 'words do not name the program; --program does' "$(awk -F, '
    $4 == "multiply" { print $3 }' out | tr '\n' ' ')" '9 11 13 '
refuses '--sizes: found 65 cache sizes, expected 64 at most' \
    annotate --sizes "$(seq -s, 1 65)" p.mgt

# ------------------------------------------------------------ callgrind --
is 'an event for each size, and one for the references' \
    "$(sed -n 's/^events: //p' p.callgrind)" 'Misses1KiB Misses1472B Misses2KiB Misses4KiB Misses8KiB Misses64MiB References'
if command -v callgrind_annotate >/dev/null; then
    callgrind_annotate --auto=yes p.callgrind >annotated 2>err
    is 'callgrind_annotate has no complaints' "$(cat err)" ''
    like 'the totals' "$(tr -d , <annotated | grep 'PROGRAM TOTALS')" \
        "^ *$(curve --sizes 1K p.mgt | cut -d' ' -f2)[ (].*PROGRAM"
    like 'the source of the line that misses most' "$(cat annotated)" \
        '^ *[0-9,]+ \([0-9. ]+%\).* b\[k\]\[j\]; /\* line 11'
else
    skip 'callgrind_annotate reads it' 'no callgrind_annotate'
fi

# --------------------------------- files of code, and what they do not say --
# found: the lines of multiply.
found() {
    awk -F, 'NR > 1 && $4 == "multiply" { printf ":%s ", $3 }' out
}
lines=':9 :11 :13 '
# named PROGRAM: what is found in it.
named() {
    name=$1
    recorded --sites
    run annotate -q --sizes 4K t.mgt
}
cp product.c kind.c
for kind in '-pie -fPIE' '-no-pie -fno-pie' '-gdwarf-4' -gsplit-dwarf; do
    # shellcheck disable=SC2086 # words
    if built kind $kind; then
        named kind
        is "built with $kind" "$(found)" "$lines"
    else
        skip "built with $kind" "$compiler does not"
    fi
done
if command -v objcopy >/dev/null; then
    cp product split
    objcopy --only-keep-debug split split.debug
    objcopy --strip-debug --add-gnu-debuglink=split.debug split
    named split
    is 'lines in a file beside the program' "$(found)" "$lines"
    rm split.debug
    run annotate -q --sizes 4K t.mgt
    is 'without that file: symbols name the function' \
        "$status $(tail -n +2 out | cut -d, -f2-4 | sort -u | tr '\n' ' ')" \
        '0 ,,main '
    objcopy --strip-all split
    run annotate -q --sizes 4K t.mgt
    is 'without symbols: places in the file' \
        "$status $(tail -n +2 out | cut -d, -f2-4 | sed 's/0x.*/N/' | sort -u)" \
        '0 ,,split+N'
    is 'and nothing is lost' "$(sums)" "$(curve --sizes 4K t.mgt)"
else
    skip 'lines in a file of their own' 'no objcopy'
fi
cat >inlined.h <<'EOF'
static volatile int cells[1000];
static inline __attribute__((always_inline)) void touch(int i)
{
    cells[i] = i; /* line 4 */
}
EOF
cat >inlined.c <<'EOF'
#include "inlined.h"
int main(void)
{
    for (int i = 0; i < 1000; i++)
        touch(i);
    return 0;
}
EOF
for which in gcc clang; do
    if command -v $which >/dev/null; then
        compiler=$which
        built inlined -O2
        named inlined
        # clang calls the recorder from outside of what it has inlined.
        is "$which: the line of a function that is inlined" \
            "$(awk -F, '{ sub(".*/", "", $2) } $3 == 4 {
                print $2, $4 == "touch" || compiler == "clang", $6 }' \
                compiler=$which out)" 'inlined.h 1 1000'
    else
        skip "$which: a function that is inlined" "no $which"
    fi
done
compiler=${CC:-cc}
# ------------------------------------------------------------------ C++ --
cat >grid.cc <<'EOF'
namespace fields {
template <typename T> struct grid {
    void __attribute__((noinline)) fill(T value)
    {
        for (int i = 0; i < 100; i++)
            cells[i] = value; // line 6
    }
    T cells[100];
};
} // namespace fields
namespace {
volatile int total;
void __attribute__((noinline)) add(int x)
{
    total = x; // line 15
}
void __attribute__((noinline)) add(double x)
{
    total = (int)x; // line 19
}
} // namespace
struct counter {
    inline __attribute__((always_inline)) void count()
    {
        value = 1; // line 25
    }
    volatile int value;
};
counter counts;
fields::grid<int> a;
fields::grid<double> b;
int main()
{
    for (int i = 0; i < 10; i++) {
        add(i);
        add(1.5 * i);
        counts.count();
    }
    a.fill(1);
    b.fill(2.0);
    return 0;
}
EOF
if command -v g++ >/dev/null; then
    check 'a program in C++ is built' built grid
    named grid
    is 'functions of C++, as their sources have them' \
        "$(grep -E '/grid.cc,(6|15|19|25),' out |
            sed 's/.*grid.cc,\([0-9]*\),\(.*\),4096,\([0-9]*\),.*/\1 \2 \3/')" \
        '6 fields::grid<double>::fill(double) 100
6 fields::grid<int>::fill(int) 100
15 (anonymous namespace)::add(int) 10
19 (anonymous namespace)::add(double) 10
25 counter::count() 10'
    run annotate -q --sizes 4K --callgrind grid.callgrind t.mgt
    is 'and in a profile, a parenthesis first' \
        "$(grep -c '^fn=([0-9]*) (anonymous namespace)::add' grid.callgrind)" 2
    if command -v callgrind_annotate >/dev/null; then
        like 'callgrind_annotate shows them' \
            "$(callgrind_annotate grid.callgrind)" \
            'grid.cc:\(anonymous namespace\)::add\(int\)'
    fi
    if command -v strip >/dev/null; then
        strip --strip-debug grid
        run annotate -q --sizes 4K t.mgt
        like 'by symbols, without debug information' "$(cat out)" \
            ',,,fields::grid<double>::fill\(double\),'
    fi
else
    skip 'functions of C++' 'no g++'
fi

cat >library.c <<'EOF'
volatile int array[500];
void fill(void)
{
    for (int i = 0; i < 500; i++)
        array[i] = i; /* line 5 */
}
EOF
cat >user.c <<'EOF'
#include <sys/wait.h>
#include <unistd.h>
void fill(void);
volatile int mine;
int main(void)
{
    int state;
    if (fork() == 0) {
        fill();
        mine = 2; /* line 10 */
        return 0;
    }
    wait(&state);
    fill();
    return 0;
}
EOF
# shellcheck disable=SC2046 # words
check 'a library is built' "$compiler" -g -O2 -shared -fPIC \
    $("$MARGAY" record --cflags) -o libfill.so library.c
check 'and a program with it' built user -rdynamic -L. -lfill \
    -Wl,-rpath,"$PWD"
named user
is 'code of a library, and of two processes' \
    "$(awk -F, '{ sub(".*/", "", $2) } $4 == "fill" { print $2, $3, $6 }
        $4 == "main" && $3 == 10 { print "main", $6 }' out | sort)" \
    'library.c 5 1000
main 1'
cp t.mgt user.mgt

# What is not there, or no code, leaves places; a FIFO is not waited for.
mv libfill.so away
run annotate --sizes 4K user.mgt
like 'a file that is gone is named' "$status $(cat err)" \
    'libfill.so: no lines of it'
# unread: the references of the library's places.
unread() {
    awk -F, '$4 ~ /^libfill.so\+0x/ { n += $6 } END { print n + 0 }' out
}
is 'its places are those in the file' "$status $(unread)" '0 1000'
mkfifo libfill.so
run annotate -q --sizes 4K user.mgt
is 'a FIFO is not read' "$status $(unread)" '0 1000'
rm libfill.so
# Damaged files of code: a result in any case, and nothing lost.
bytes=$(wc -c <away)
damaged=0
want=$(curve --sizes 4K user.mgt)
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    cp away libfill.so
    if [ $((i % 3)) = 0 ]; then
        head -c $((bytes * i / 13)) away >libfill.so
    else
        for at in $((20 + i)) $((32 + i)) $((bytes * i / 14)) \
            $((bytes - 64 * i)); do
            printf '\377\377' | dd of=libfill.so bs=1 seek="$at" \
                conv=notrunc 2>/dev/null
        done
    fi
    run annotate -q --sizes 4K user.mgt
    if [ "$status" != 0 ] || [ "$(sums)" != "$want" ]; then
        damaged=$((damaged + 1))
    fi
done
is 'twelve damaged libraries: a result each' $damaged 0

# Any program as it is.
run record -q --method valgrind --sites -o t.mgt ./product
if [ "$status" = 125 ]; then
    skip 'under Valgrind' "$(tail -n 1 err)"
else
    run annotate -q --sizes 4K t.mgt
    is 'under Valgrind: the lines of the program' \
        "$(found | tr ' ' '\n' | grep -cE ':(9|11|13)$')" 3
    is 'under Valgrind: all code is in a file' "$(grep -cE ',,,0x[0-9a-f]+,' out)" 0
fi

# A program that was built anew since.
changed() { # FIRST: ./changed, with that array first.
    cp "changed-$1.c" changed.c && built changed
}
for names in 'first second' 'second first'; do
    # shellcheck disable=SC2086 # words
    printf 'volatile int %s[64], %s[32];
int main(void)
{
    for (int i = 0; i < 640; i++)
        first[i %% 32] = second[i %% 32] = i;
    return 0;
}\n' $names >"changed-${names%% *}.c"
done
check 'a program is built' changed first
run record -q --data -o t.mgt ./changed
run annotate -q --sizes 4K t.mgt
is 'a program that is as it was recorded' "$status $(cat err)" '0 '
check 'it is built anew' changed second
run annotate -q --sizes 4K t.mgt
like 'then lines are in doubt' "$status $(cat err)" \
    '^0 .*/changed: it is younger than the trace; .*lines and functions are wr'
run annotate -q --data --sizes 4K - <t.mgt
like 'and names of data' "$status $(cat err)" \
    '^0 .*/changed: it is younger than the trace; .* names of data are wrong: '
run record -q --data -o t.mgt ./changed
run annotate -q --data --sizes 4K t.mgt
is 'recorded again, nothing is' "$status $(cat err)" '0 '

# A trace whose sites are in no file that it names.
tail -c +2 "$BUILD/tests/fuzz/seeds/mgt/columns" >c.mgt
run annotate -q --sizes 4K c.mgt
is 'no file: addresses' "$(tail -n +2 out | cut -d, -f2-4 | sed -n 1,2p)" \
    ',,0x400000
,,0x400004'
is 'all of them' "$(sums)" "$(curve --sizes 4K c.mgt)"
run annotate -q --sizes 64 /dev/null
is 'nothing at all' "$status $(cat out)" \
    '0 trace,file,line,function,cache_bytes,references,misses'
finish
