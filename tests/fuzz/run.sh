#!/bin/sh
# run.sh BUILD SECONDS TARGETS [FLAG...] - fuzz each target for so long
#
# What is new about the program's behaviour is kept in BUILD/corpus/TARGET.
# An input that fails is left as BUILD/found/TARGET-*; once mended, it belongs
# into tests/fuzz/seeds/TARGET.  No TARGETS: all of them.  FLAGs are libFuzzer's.
set -eu
build=$1 seconds=$2 targets=$3
shift 3
[ -n "$targets" ] || targets=$("$build/tests/fuzz/fuzzer" 2>/dev/null || :)
mkdir -p "$build/found"
status=0
for target in $targets; do
    mkdir -p "$build/corpus/$target"
    echo "== $target"
    MARGAY_FUZZ_TARGET=$target "$build/tests/fuzz/fuzzer" \
        -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -max_len=4096 -artifact_prefix="$build/found/$target-" \
        -print_final_stats=1 "$@" "$build/corpus/$target" \
        "tests/fuzz/seeds/$target" >"$build/found/$target.log" 2>&1 || {
        status=1
        echo "FOUND something, see $build/found/$target.log:"
        grep -E 'ERROR|SUMMARY|runtime error|Test unit written' \
            "$build/found/$target.log" || tail -n 5 "$build/found/$target.log"
    }
    grep -E 'number_of_executed_units|average_exec_per_sec' \
        "$build/found/$target.log" || :
done
exit $status
