#!/bin/sh
# seeds.t - the fuzzers' seeds and findings, once each, and damaged
. tests/sim/lib.sh

for target in $("$BUILD/tests/fuzz/replay"); do
    set -- "$BUILD/tests/fuzz/seeds/$target"/*
    check "$target has seeds" test -e "$1"
    check "$target: $# inputs" "$BUILD/tests/fuzz/replay" "$target" "$@"
done
finish
