#!/bin/sh
# engines.t - margay engines: the list, trials on a trace, and a sweep
. tests/sim/lib.sh

"$MARGAY" generate zipf --refs 20000 --blocks 2000 --to u64 -o zipf.u64 -q

# -------------------------------------------------------------- the list --
run engines
is 'the list: status' "$status" 0
for engine in exact naive olken bennett-kruskal holes bounded markers \
    scale-tree absolute shen shards hp-rda; do
    check "the list has $engine" grep -q "^$engine,\(yes\|no\)," out
done

# ----------------------------------------------------------- on a trace --
run engines --run zipf.u64 --ids -q
is 'on a trace: status' "$status" 0
is 'on a trace: columns' "$(head -n 1 out)" \
    'engine,references,seconds,refs_per_second,peak_bytes,nodes,accuracy,max_error_log2,mean_abs_error_log2,max_error_linear,mean_abs_error_linear'
is 'on a trace: a row for each engine' "$(wc -l <out)" \
    "$("$MARGAY" engines | wc -l)"
is 'on a trace: all references' \
    "$(awk -F, 'NR > 1 && $2 != 20000' out)" ''
is 'on a trace: exact engines have no error' \
    "$(grep -E '^(exact|naive|olken|bennett-kruskal|holes|bounded),' out |
        cut -d, -f7- | sort -u)" '1,0,0,0,0'
check 'on a trace: scale-tree has hardly any' \
    awk -F, '$1 == "scale-tree" { exit !($7 >= 0.99) }' out
# To the page where the system says what a process has written to.
printf '1\n2\n3\n1\n' >four
run engines --run four -f lines -q
# A sanitizer's own memory counts as well.
if grep -q ^Private_Dirty: /proc/self/smaps_rollup &&
    ! grep -q -e __tsan_init -e __asan_init "$MARGAY"; then
    check 'four references: some memory each, four megabytes at most' \
        awk -F, 'NR > 1 && ($5 < 4096 || $5 > 4194304) { exit 1 }' out
fi
run engines --run zipf.u64 --ids -q \
    --only markers:at=5,absolute:b=1,c=2,tree=splay,olken
is 'some engines: which' "$(sed 1d out | sed 's/,20000,.*//')" \
    'markers:at=5
"absolute:b=1,c=2,tree=splay"
olken'
like 'some engines: nothing is known of unmarked sizes' \
    "$(grep ^markers out)" ',,,,$'
# Of this loop of 1000 blocks the sample says that it fits into a few more: no
# size but the last of the linear ones, 1000, shows that.
"$MARGAY" generate loop --refs 10000 --blocks 1000 --to lines -o loop.lines
run engines --run loop.lines -q --seed 2 --only shards:rate=0.1
is 'linear sizes include the first that holds the largest distance' \
    "$(sed 1d out | cut -d, -f10)" 0.9
: >empty
run engines --run empty -f u64 -q
is 'an empty trace: the header only' "$status $(wc -l <out)" '0 1'

# -------------------------------------------------------------- a sweep --
run engines --sweep --blocks 10000 --only exact,scale-tree
is 'a sweep: status' "$status" 0
is 'a sweep: rows' "$(cut -d, -f1-3 out)" \
    'engine,distinct_blocks,references
exact,1000,2000
exact,10000,20000
scale-tree,1000,2000
scale-tree,10000,20000'

finish
