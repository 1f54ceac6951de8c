#!/bin/sh
# seeds.t - the fuzzers' seeds and findings, once each, and damaged
. tests/sim/lib.sh

for target in $("$BUILD/tests/fuzz/replay"); do
    set -- "$BUILD/tests/fuzz/seeds/$target"/*
    # Some formats of logs have none of their own.
    [ -e "$1" ] || set -- "$BUILD/tests/fuzz/seeds/clf"/*
    check "$target: $# inputs" "$BUILD/tests/fuzz/replay" "$target" "$@"
done
finish
