#!/bin/sh
# pass.t - what clang's pass records where it differs from other ways; matrix.t
# has what it records of ten kernels
. tests/sim/lib.sh
pass=$(CC=clang "$MARGAY" record --cflags)
case $pass in
-fpass-plugin=*) ;;
*)
    echo '1..0 # SKIP no clang, or not the files of its version of LLVM'
    exit 0
    ;;
esac
hooks="-fsanitize=thread -mllvm -tsan-instrument-read-before-write
    -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset"
plain_loops='-fno-vectorize -fno-unroll-loops'
sources=$root/tests/capture
libs=$(CC=clang "$MARGAY" record --libs)

# What --method auto says that a method takes.
slowdown() { # NAME
    run record -o trace "./$1" 0
    sed -n 's/.*: method runtime, which takes about \(.*\) its time$/\1/p' err
}

# shellcheck disable=SC2086 # words
check 'threads are built' clang -O1 $pass -o many.pass "$sources/many.c" $libs
# shellcheck disable=SC2086 # words
check 'with hooks' clang -O1 $hooks -o many.hooks "$sources/many.c" $libs
is 'what a plugin has built takes less' \
    "$(slowdown many.pass), $(slowdown many.hooks)" \
    '2 to 9 times, 2 to 15 times'
# More threads than there are rings for their words.
./many.pass 64 20000 >out
is 'unrecorded threads end' "$? $(grep -c ' ' out)" '0 65'

# ------------------------------------------------------------ C++ and sites --
cat >throws.cc <<'END'
#include <cstdio>
#include <vector>
struct Odd { int value; };
static int counts[8] = {};
struct Counted {
    int which;
    explicit Counted(int number) : which(number) { counts[0]++; }
    virtual ~Counted() { counts[which]++; }
};
static int half(int number)
{
    Counted counted(1 + number % 3);
    if (number % 2 != 0)
        throw Odd{number};
    return number / 2;
}
int main()
{
    std::vector<int> halves;
    for (int i = 0; i < 1000; i++) {
        try {
            halves.push_back(half(i));
        } catch (const Odd &odd) {
            counts[7] += odd.value;
        }
    }
    std::printf("%zu %d %d\n", halves.size(), counts[0], counts[7]);
}
END
if clang++ -o plain throws.cc 2>/dev/null; then
    # shellcheck disable=SC2086 # words
    check 'C++ is built' clang++ -O2 $pass -o throws.pass throws.cc $libs
    # shellcheck disable=SC2086 # words
    check 'with hooks' clang++ -O2 $hooks -o throws.hooks throws.cc $libs
    for way in pass hooks; do
        run record -q --to lackey -o $way.trace ./throws.$way
        mv out $way.out
        # Addresses differ.
        sed -i 's/ [^ ]*,/ ,/' $way.trace
    done
    is 'exceptions: the program does what it did' "$(cat pass.out)" \
        '500 1000 250000'
    check 'and makes the same references' cmp -s pass.trace hooks.trace
    diff pass.trace hooks.trace | head -n 5 | sed 's/^/#   /'
else
    skip 'C++' 'clang++ builds nothing'
fi
cat >lines.c <<'END'
int a[100], b[100];
int main(int count, char **arguments)
{
    for (int i = 0; i < 90; i++) {
        a[i] = count;
        b[i] +=
            a[i + count];
    }
    return arguments == 0;
}
END
# shellcheck disable=SC2086 # words
clang -O1 -g $plain_loops $pass -o lines lines.c $libs
run record -q --sites -o trace.mgt ./lines
run annotate -q --sizes 1K trace.mgt
if ! grep -q 'built without' err; then
    is 'each reference has its line' \
        "$(grep lines.c out | cut -d, -f3,6 | sort | tr '\n' ' ')" '5,90 6,180 7,90 '
else
    skip 'each reference has its line' 'built without libdw'
fi
run record -q --start main --stop main --to lackey -o trace ./lines
is 'functions begin and end a recording' "$(grep -c '^' trace)" 360

cat >left.c <<'END'
volatile long cell;
__attribute__((noinline, disable_sanitizer_instrumentation)) void leave(void)
{
    cell = 1;
}
int main(void)
{
    leave();
    cell = 2;
    return 0;
}
END
# shellcheck disable=SC2086 # words
clang -O1 $pass -o left left.c $libs
run record -q --to lackey -o trace ./left
is 'a function that asks for that is left' "$(grep -c '^ S .*,8$' trace)" 1

cat >variables.c <<'END'
void use(char *, int *);
void keep(int *from, int first)
{
    char text[16] = {0};
    from[0] = first;
    const int count = 16;
    int numbers[count];
    for (int i = 0; i < count; i++)
        numbers[i] = from[i];
    use(text, numbers);
}
END
for level in 0 2; do
    # shellcheck disable=SC2086 # words
    CCACHE_DISABLE=1 clang -O$level $pass -S -emit-llvm -o variables.ll variables.c
    is "-O$level: variables stay in the block that is first" \
        "$(perl -ne 'print "array " if / = alloca .*16[ ,]/; print "br " if /^ +br /' \
            variables.ll | cut -d' ' -f1-3)" 'array array br'
done

cat >masked.c <<'END'
#include <stdio.h>
#include <sys/mman.h>
int main(void)
{
    if (!__builtin_cpu_supports("avx2"))
        return 3;
    int *from = mmap((void *)0x100000000000, 1 << 16, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    int *to = from + 4096;
    for (int i = 0; i < 1000; i++)
        from[i] = i % 3;
    for (int i = 0; i < 1000; i++) {
        if (from[i] == 1)
            to[i] = i;
    }
    return to[1] + to[4] == 5 ? 0 : 1;
}
END
# shellcheck disable=SC2086 # words
clang -O3 -mavx2 $pass -o masked masked.c $libs
run record -q --to lackey -o trace ./masked
name='lanes that are off are no references'
if [ "$status" = 3 ]; then
    skip "$name" 'no AVX2'
else
    is "$name" "$status $(grep -c ' S 100000004[0-9a-f]*,4$' trace)" '0 333'
fi
finish
