#!/bin/sh
# pass_gcc.t - gcc's pass records what the hooks of -fsanitize=thread record
. tests/sim/lib.sh
pass=$(CC=gcc "$MARGAY" record --cflags)
case $pass in
-fplugin=*) ;;
*)
    echo '1..0 # SKIP no files of plugins for this gcc'
    exit 0
    ;;
esac
compiler=gcc compiler_of_cxx=g++ levels='0 2'
hooks=${pass#* } plain_loops=
pass="$pass -fchecking"
. "$root/tests/capture/pass.sh"

# Hooks are left where they do more than record a reference.
objdump -d kernels.pass >code
check 'atomic operations call hooks' grep -q 'call.*__tsan_atomic' code
is 'references do not' \
    "$(grep -cE 'call.*__tsan_((read|write)[0-9]|func)' code)" 0

# The linker has 32 bits for the place of a thread's variable.
cat >own.c <<'END'
static __thread int left;
static __thread long cells[10];
static long *volatile last;
__attribute__((noinline)) static void step(long by)
{
    last = &cells[left];
    if (left-- > 0)
        cells[left] = by;
}
int main(void)
{
    left = 10;
    for (int i = 0; i < 12; i++)
        step(i);
    return 0;
}
END
for options in -O1 -O2 '-O2 -fPIC'; do
    # shellcheck disable=SC2046,SC2086 # words
    check "variables of threads, $options" gcc $options $pass own.c \
        $(CC=gcc "$MARGAY" record --libs) -o own
    run record -q --to lackey -o own.trace ./own
    is 'their writes' "$status $(grep -c '^ S' own.trace)" '0 35'
done
finish
