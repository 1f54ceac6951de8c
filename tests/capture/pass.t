#!/bin/sh
# pass.t - clang's pass records what the hooks of -fsanitize=thread record
. tests/sim/lib.sh
pass=$(CC=clang "$MARGAY" record --cflags)
case $pass in
-fpass-plugin=*) ;;
*)
    echo '1..0 # SKIP no clang, or not the files of its version of LLVM'
    exit 0
    ;;
esac
compiler=clang compiler_of_cxx=clang++ levels='1 2'
hooks="-fsanitize=thread -mllvm -tsan-instrument-read-before-write
    -fno-builtin-memcpy -fno-builtin-memmove -fno-builtin-memset"
plain_loops='-fno-vectorize -fno-unroll-loops'
. "$root/tests/capture/pass.sh"

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
