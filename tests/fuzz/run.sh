#!/bin/sh
# run.sh BUILD SECONDS RUNS TARGETS [FLAG...] - fuzz each target
#
# For SECONDS, or, with RUNS, until there have been that number of executions.
# Prints a row for each target: its executions, the seconds that these took, and
# the number of findings. What is new about the program's behaviour is kept in
# BUILD/corpus/TARGET. An input that fails is left as BUILD/found/TARGET-*; once
# mended, it belongs into tests/fuzz/seeds.txt. No TARGETS: all of them.
# FLAGs are libFuzzer's.
set -eu
build=$1 seconds=$2 runs=$3 targets=$4
shift 4
known=$("$build/tests/fuzz/fuzzer" 2>/dev/null || :)
: "${targets:=$known}"
for target in $targets; do
    echo "$known" | grep -qx "$target" || {
        echo "no target '$target'; there are" $known >&2
        exit 2
    }
done
if [ -n "$runs" ]; then
    limit="-runs=$runs"
else
    limit="-max_total_time=$seconds"
fi
mkdir -p "$build/found"
perl tests/fuzz/seeds.pl unpack "$build/seeds"

# The runs in a log: those of the end, or of the last line of
# progress where something was found.
executions() {
    sed -n 's/^stat::number_of_executed_units: *//p; s/^#\([0-9]*\)[[:space:]].*/\1/p' \
        "$1" | tail -n 1
}

# What arrives byte by byte is looked at anew each time until its format is
# certain: long inputs only take long.
longest() {
    case $1 in
    detect) echo 512 ;;
    *) echo 4096 ;;
    esac
}

status=0
printf '%-12s %12s %8s %10s %9s\n' target executions seconds per_second findings
for target in $targets; do
    log=$build/found/$target.log
    mkdir -p "$build/corpus/$target" "$build/seeds/$target"
    rm -f "$build/found/$target"-*
    begun=$(date +%s)
    MARGAY_FUZZ_TARGET=$target "$build/tests/fuzz/fuzzer" \
        "$limit" -timeout=10 -rss_limit_mb=2048 -max_len="$(longest "$target")" \
        -artifact_prefix="$build/found/$target-" -print_final_stats=1 "$@" \
        "$build/corpus/$target" "$build/seeds/$target" >"$log" 2>&1 ||
        status=1
    count=$(executions "$log")
    took=$(($(date +%s) - begun))
    findings=$(find "$build/found" -name "$target-*" | wc -l)
    printf '%-12s %12s %8s %10s %9s\n' "$target" "${count:-0}" "$took" \
        $((${count:-0} / (took > 0 ? took : 1))) "$findings"
    [ "$findings" = 0 ] || {
        echo "  see $log:"
        grep -E 'ERROR|SUMMARY|runtime error|Test unit written' "$log" ||
            tail -n 5 "$log"
    }
done
exit $status
