#!/bin/sh
# simulate.t - many machines in one run against each by itself, and machines with
# a name; tests/assoc/test_hierarchy.c holds machines against lists, and
# tests/frozen has the tables, and what is wrong with a machine
. tests/sim/lib.sh

perl -e 'srand 5; for (1 .. 6000) {
    printf "%d %x\n", rand 3, 8 * int(rand(rand() < 0.8 ? 300 : 9000)) }' >t.din
cat >split.csv <<END
next,ways,block_bytes,cycles,bytes,holds,cache
RAM,8,64,10,8K,all,L2
,,,100,,all,RAM
L2,2,32,1,1K,fetch,L1I
L2,2,32,1,1K,data,L1D
,0,4096,,64K,data,DTLB
END
vary=L1D.ways=1..4,L2.bytes=8K,16K,L2.policy=lru,fifo
run simulate -q --machine split.csv --vary $vary t.din
mv out varied
for ways in 1 2 4; do
    for bytes in 8192 16384; do
        for policy in lru fifo; do
            awk -F, -v OFS=, -v ways=$ways -v bytes=$bytes -v policy=$policy '
                NR == 1 { print $0, "policy" }
                $7 == "L1D" { $2 = ways } $7 == "L2" { $5 = bytes }
                NR > 1 { print $0, $7 == "L2" ? policy : "" }' split.csv >one.csv
            "$MARGAY" simulate -q --machine one.csv t.din |
                sed -n "2,\$s/^one/split/; 2,\$s/\$/,$ways,$bytes,$policy/p"
        done
    done
done >one_by_one
check 'as one by one' cmp -s one_by_one - <<END
$(tail -n +2 varied)
END
run simulate -v --machine split.csv --vary L1D.ways=1..4,L2.bytes=8K,16K t.din
like 'what machines have in common is simulated once' "$(cat err)" \
    'in common is simulated once'
awk -F, -v OFS=, 'NR == 1 { print $0, "inclusion" }
    NR > 1 { print $0, $7 == "L2" ? "inclusive" : "" }' split.csv >inclusive.csv
run simulate -v --machine inclusive.csv --vary L2.bytes=8K,16K t.din
is 'but not with an inclusive level' \
    "$(grep -c 'in common is simulated once' err)" 0

# The front, and the best access time.
run simulate --machine split.csv --vary L1D.ways=1..4,L2.bytes=4K..16K \
    --pareto front.csv t.din
is 'pareto: the front is what none is better than' \
    "$(awk -F, 'NR > 1 && $5 { print $3, $4 }' front.csv)" \
    "$(awk -F, 'NR > 1 { bytes[NR] = $3; cycles[NR] = $4 }
        END { for (i = 2; i <= NR; i++) {
            beaten = 0
            for (k = 2; k <= NR; k++)
                beaten += bytes[k] <= bytes[i] && cycles[k] <= cycles[i] && \
                    (bytes[k] < bytes[i] || cycles[k] < cycles[i])
            if (!beaten) print bytes[i], cycles[i] } }' front.csv)"
best=$(awk -F, 'NR > 1 && (!least || $4 < least) { least = $4; at = $6 "," $7 }
    END { sub(",", ",L2.bytes=", at)
        printf "%.6g cycles at best, with L1D.ways=%s", least, at }' front.csv)
like 'vary: the best access time' "$(cat err)" "$best"

# A reference that is split into more blocks than are gathered at a time.
cat >wide.csv <<'END'
cache,holds,bytes,block_bytes,ways,next
L1,all,32K,512,4,L2
L2,all,64M,512,8,
END
printf '%s\n' '0 100000 0 1' '50000 70000 0 2' '90000 40000 0 3' >wide.arc
run simulate -q --machine wide.csv --vary L1.bytes=32K,16M wide.arc
cut -d, -f3-22 out | tail -n +2 >together
for bytes in 32K 16M; do
    sed "s/32K/$bytes/" wide.csv >one.csv
    "$MARGAY" simulate -q --machine one.csv wide.arc | cut -d, -f3-22 |
        tail -n +2
done >alone
check 'vary: wide references' cmp together alone

# ------------------------------------------------------ machines with a name --
for table in "$root"/sim/machines/*.csv; do
    name=${table##*/} name=${name%.csv}
    run simulate -q --machine "$name" t.din
    is "$name" "$status $(wc -l <out)" "0 $(wc -l <"$table")"
    is "$name: every row has a source" \
        "$(awk -F, 'NR > 1 && $NF == ""' "$table")" ''
done
if [ -r /sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list ]; then
    run simulate --machine this t.din
    like 'host has a first level' "$status $(cut -d, -f3 out | sed -n 2p)" \
        '^0 L1D?$'
else
    skip 'host' 'the system does not describe its caches'
fi
finish
