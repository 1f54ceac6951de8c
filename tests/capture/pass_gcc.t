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
finish
