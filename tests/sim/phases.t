#!/bin/sh
# phases.t - phases of a trace: the command around what
# tests/stackdist/test_phases.c counts again
. tests/sim/lib.sh

# A B A B, and then C, which is a scan.
perl -e 'for (1 .. 2) { print $_ % 40, "\n" for 1 .. 6000;
    print 100 + $_ % 700, "\n" for 1 .. 9000 }
    print 10000 + $_, "\n" for 1 .. 5000' >abab.lines
run phases abab.lines -j 1
is 'it works' "$status" 0
like 'what it says' "$(cat err)" \
    '^margay phases: abab.lines: 35000 references in windows of 64, 5 phases, 3 of them different, '
is 'its columns' "$(head -1 out)" \
    trace,phase,from,to,references,recurs,working_set_blocks
is 'A B A B C' "$(sed 1d out | cut -d, -f1,2,6 | tr '\n' ' ')" \
    'abab.lines,0, abab.lines,1, abab.lines,2,0 abab.lines,3,1 abab.lines,4, '
is 'phases follow each other' "$(awk -F, 'NR > 1 { if ($3 != at || $5 != $4 - $3)
    print; at = $4 } END { print at }' out)" 35000
is 'and begin within a window of the truth' "$(awk -F, 'NR > 1 {
    d = $3 - substr("0    6000 150002100030000", 1 + 5 * $2, 5); if (d > 64 || d < -64) print }' out)" ''
cp out one
for threads in 2 5; do
    run phases abab.lines -q -j $threads
    check "the same with $threads threads" cmp -s out one
done
is '-q: quiet' "$(cat err)" ''
run phases -q - <abab.lines -f lines
is 'a pipe' "$(sed 's/^-,/abab.lines,/' out)" "$(cat one)"

# Working sets by another way.
run phases -q abab.lines
sed 1d out | while IFS=, read -r _ _ from to _ _ blocks; do
    test "$(sed "$((from + 1)),${to}!d" abab.lines | sort -u | wc -l)" = "$blocks" ||
        echo "$from $to $blocks"
done >wrong
is 'working sets are exact' "$(cat wrong)" ''

run phases -q abab.lines --curves curves.csv --weights weights.csv
is 'the same with other tables' "$(cat out)" "$(cat one)"
is 'a curve for each different phase' "$(sed 1d curves.csv | cut -d, -f1 | uniq | tr '\n' ' ')" \
    'abab.lines phase 0 abab.lines phase 1 abab.lines phase 4 '
sizes=$(sed 1d curves.csv | cut -d, -f3 | sort -nu | paste -sd,)
"$MARGAY" curve -q --sizes "$sizes" abab.lines | sed 1d | cut -d, -f3,5,6 >whole
sed 1d curves.csv | awk -F, '{ refs[$3] += $5; misses[$3] += $6 }
    END { for (s in refs) print s "," refs[s] "," misses[s] }' | sort -n >summed
check 'curves add up to that of the whole' cmp -s whole summed
is 'columns of the windows' "$(head -1 weights.csv)" \
    trace,phase,from,to,references,weight
is 'weights add up to 1' "$(awk -F, 'NR > 1 { sum += $6 } END { print sum }' weights.csv)" 1
check 'windows are at most 5 % of the references' test \
    "$(awk -F, 'NR > 1 { sum += $5 } END { print sum + 0 }' weights.csv)" -le 1750
run phases abab.lines --weights weights.csv
like 'the error' "$(cat err)" \
    'window.* of the references: mean error of the miss ratio 0\.00[0-9]*, and about 0\.[0-9]* where each begins with empty caches'

run phases -q --limit 6000 abab.lines
is '--limit' "$(sed 1d out)" 'abab.lines,0,0,6000,6000,,40'
run phases -q --skip 30000 abab.lines
is '--skip' "$(sed 1d out)" 'abab.lines,0,0,5000,5000,,5000'
: >empty
run phases -q -f lines empty
is 'nothing: only the header' "$(cat out)" "$(head -1 one)"
run phases -b 64,128 abab.lines
is 'one block size' "$status $(cat out)" '2 '
like 'named' "$(cat err)" '^margay phases: .*-b'
run phases abab.lines --curves abab.lines
is 'no trace is written over' "$status $(cat out)" '2 '

# The windows of one phase begin cold, as all of the other are.
perl -e 'srand 1; print int(rand 400), "\n" for 1 .. 2560; print 1000 + $_, "\n" for 1 .. 2560' \
    >cold.lines
run phases -q cold.lines --weights weights.csv
is 'windows of both phases' \
    "$(sed 1d weights.csv | cut -d, -f2 | sort -u | paste -sd,)" 0,1
finish
