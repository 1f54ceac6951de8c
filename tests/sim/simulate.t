#!/bin/sh
# simulate.t - machines of caches: their tables, and what the others agree on
. tests/sim/lib.sh

perl -e 'srand 5; for (1 .. 6000) {
    printf "%d %x\n", rand 3, 8 * int(rand(rand() < 0.8 ? 300 : 9000)) }' >t.din
first=cache,holds,bytes,block_bytes,ways,next
row() { # CACHE COLUMN FILE: a field of the result
    awk -F, -v cache="$1" -v column="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) place[$i] = i; next }
        $3 == cache { print $place[column] }' "$3"
}

# ------------------------------------------------- what the others agree on --
for policy in lru fifo plru srrip; do
    for write in back through; do
        cat >m.csv <<END
$first,policy,write
L1,all,2K,64,4,L2,$policy,$write
L2,all,8K,64,8,,,
END
        run simulate -q --machine m.csv t.din
        is "$policy, $write: status" "$status" 0
        mv out result
        "$MARGAY" assoc -q --sets 8 --ways 4 --policy $policy --write $write \
            --by kind t.din >first
        is "$policy, $write: the first level is as assoc has it" \
            "$(row L1 references result) $(row L1 misses result) \
$(row L1 miss_ratio result) $(row L1 read_misses result) \
$(row L1 write_misses result) $(row L1 fetch_misses result) \
$(row L1 writebacks result)" \
            "$(awk -F, 'NR == 2 { print $6, $7, $8, $9, $10, $11, $12 }' first)"
        "$MARGAY" filter -q --sets 8 --ways 4 --policy $policy --write $write \
            --to din -o f.din t.din
        "$MARGAY" assoc -q --sets 16 --ways 8 --write back --by kind f.din >second
        is "$policy, $write: the second as assoc behind filter" \
            "$(row L2 references result) $(row L2 misses result) \
$(row L2 miss_ratio result) $(row L2 read_misses result) \
$(row L2 write_misses result) $(row L2 fetch_misses result) \
$(row L2 writebacks result)" \
            "$(awk -F, 'NR == 2 { print $6, $7, $8, $9, $10, $11, $12 }' second)"
    done
done

# Behind a first level, a second of one set is a point of the curve of what the
# first lets through.
cat >m.csv <<END
$first
L1,all,2K,64,4,L2
L2,all,8K,64,0,
END
"$MARGAY" simulate -q --machine m.csv t.din >result
"$MARGAY" filter -q --bytes 2K --ways 4 --to din t.din |
    "$MARGAY" curve -q -f din -b 64 --sizes 128 - >second
is 'a second level of one set is as curve behind filter' \
    "$(row L2 references result) $(row L2 misses result) \
$(row L2 miss_ratio result)" "$(awk -F, '$3 == 128 { print $5, $6, $7 }' second)"

# The columns of a machine in another order, and the rows as the table has them.
cat >split.csv <<END
next,ways,block_bytes,cycles,bytes,holds,cache
,8,64,10,8K,all,L2
L2,2,32,1,1K,fetch,L1I
L2,2,32,1,1K,data,L1D
,0,4096,,64K,data,DTLB
END
run simulate --machine split.csv -o result t.din
is 'split: status' "$status" 0
is 'columns' "$(head -n 1 result)" \
    "machine,trace,cache,references,misses,miss_ratio,fetches,fetch_misses,\
reads,read_misses,writes,write_misses,writebacks,prefetches,\
useful_prefetches,mpki,demand_references,demand_misses,demand_miss_ratio,demand_mpki,\
writebacks_received,victim_fills"
is 'rows in the order of the table' "$(cut -d, -f1-3 result | tail -n +2)" \
    'split.csv,t.din,L2
split.csv,t.din,L1I
split.csv,t.din,L1D
split.csv,t.din,DTLB'
"$MARGAY" assoc -q -b 32 --kind fetch --sets 16 --ways 2 t.din >fetches
is 'L1I is a cache of fetches' "$(row L1I misses result)" \
    "$(awk -F, 'NR == 2 { print $7 }' fetches)"
"$MARGAY" assoc -q -b 4096 --kind read,write --sets 1 --ways 16 t.din >pages
is 'a TLB is a cache of pages' "$(row DTLB misses result)" \
    "$(awk -F, 'NR == 2 { print $7 }' pages)"
is 'mpki counts fetches' "$(row L1I mpki result)" \
    "$(awk -F, '$3 == "L1I" { printf "%.12g", $5 * 1000 / $4 }' result)"
expected=$(awk -F, '
    $3 == "L1I" { n += $4; lower += $5 } $3 == "L1D" { n += $4; lower += $5 }
    END { printf "%.6g", (n + 10 * lower) / n }' result)
like 'the average access time' "$(cat err)" "access time $expected cycles"
run simulate -q --machine split.csv --instructions 600 t.din
is 'mpki of instructions that are given' "$(row L1D mpki out)" \
    "$(awk -F, '$3 == "L1D" { printf "%.12g", $5 * 1000 / 600 }' out)"
: >empty.din
run simulate -q -f din --machine split.csv empty.din
is 'an empty trace has no rows' "$status $(wc -l <out)" '0 1'

# ------------------------------------------------------------ many machines --
run simulate -q --machine split.csv --vary \
    L1D.ways=1..4,L2.bytes=8K,16K,L2.policy=lru,fifo t.din
is 'vary: status' "$status" 0
mv out varied
is 'vary: columns' "$(head -n 1 varied | cut -d, -f23-)" \
    'L1D.ways,L2.bytes,L2.policy'
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
run simulate -q -j 1 --machine split.csv --vary \
    L1D.ways=1..4,L2.bytes=8K,16K,L2.policy=lru,fifo t.din
check 'on one thread, too' cmp -s out varied
run simulate -v --machine split.csv --vary L1D.ways=1..4,L2.bytes=8K,16K t.din
like 'what machines have in common is simulated once' "$(cat err)" \
    'in common is simulated once'
awk -F, -v OFS=, 'NR == 1 { print $0, "inclusion" }
    NR > 1 { print $0, $7 == "L2" ? "inclusive" : "" }' split.csv >inclusive.csv
run simulate -v --machine inclusive.csv --vary L2.bytes=8K,16K t.din
is 'but not with an inclusive level' \
    "$(grep -c 'in common is simulated once' err)" 0

# --------------------------------------------------------------- the front --
fields=L1D.ways=1..4,L2.bytes=4K..16K
run simulate --machine split.csv --vary $fields --pareto front.csv t.din
is 'pareto: status' "$status" 0
is 'pareto: columns' "$(head -n 1 front.csv)" \
    machine,trace,bytes,access_cycles,front,L1D.ways,L2.bytes
for ways in 1 2 4; do
    for bytes in 4096 8192 16384; do
        "$MARGAY" simulate --machine split.csv \
            --vary L1D.ways=$ways,L2.bytes=$bytes t.din 2>&1 >one |
            awk -v ways=$ways -v bytes=$bytes '{
                match($0, /time [0-9.]+/)
                print bytes + 1024 + 1024 + 65536, \
                    substr($0, RSTART + 5, RLENGTH - 5), ways, bytes }'
    done
done | sort -n >access_times
is 'pareto: all machines, with their bytes and access times' \
    "$(awk -F, 'NR > 1 { printf "%s %.6g %s %s\n", $3, $4, $6, $7 }' \
        front.csv | sort -n)" "$(cat access_times)"
is 'pareto: the front is what none is better than' \
    "$(awk -F, 'NR > 1 && $5 { print $3, $4 }' front.csv)" \
    "$(awk -F, 'NR > 1 { bytes[NR] = $3; cycles[NR] = $4 }
        END { for (i = 2; i <= NR; i++) {
            beaten = 0
            for (k = 2; k <= NR; k++)
                beaten += bytes[k] <= bytes[i] && cycles[k] <= cycles[i] && \
                    (bytes[k] < bytes[i] || cycles[k] < cycles[i])
            if (!beaten) print bytes[i], cycles[i] } }' front.csv)"
best=$(awk '{ print $2, "cycles at best, with L1D.ways=" $3 ",L2.bytes=" $4 }' \
    access_times | sort -s -k 1,1n | head -n 1)
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

refuses 'pareto: found no cycles in m.csv' simulate --machine m.csv \
    --pareto front.csv t.din
# Entries of a TLB stay while its page varies, fields move together, and a spec
# of a policy keeps its commas.
cat >entries.csv <<'END'
cache,holds,entries,block_bytes,ways,next
TLB,all,16,4K,4,
END
sed 's/entries/bytes/; s/,16,/,64K,/' entries.csv >bytes.csv
run simulate -q --machine entries.csv t.din
sed 's/^entries/bytes/' out >one
run simulate -q --machine bytes.csv t.din
check 'entries: as bytes of as many blocks' cmp one out
run simulate -q --machine entries.csv --vary TLB.block_bytes=4K,64K t.din
cut -d, -f5 out >one
run simulate -q --machine bytes.csv \
    --vary TLB.bytes+TLB.block_bytes=64K+4K,1M+64K t.din
is 'vary: fields together, each with its value' "$(cut -d, -f5 out)" \
    "$(cat one)"
is 'vary: columns of both' "$(cut -d, -f23- out | tail -n 1)" 1048576,65536
run simulate -q --machine split.csv --vary L1D.ways+DTLB.ways=1..4 t.din
is 'vary: fields together, one value for all' \
    "$(cut -d, -f23- out | sort -u | grep -c '^\([124]\),\1$')" 3
run simulate -q --machine entries.csv \
    --vary TLB.policy=tinylfu:window=0.5,protected=0.5,lru t.din
is 'vary: a spec with commas' \
    "$(cut -d, -f23- out | tail -n 2 | tr '\n' ' ')" \
    '"tinylfu:window=0.5,protected=0.5" lru '
run simulate -q --machine entries.csv \
    --vary TLB.policy+TLB.ways=lru+2,qlru:hit=H00,miss=M2+4,qlru:miss=M3+4 t.din
is 'vary: specs with parameters after others, with ways' \
    "$(cut -d, -f23- out | tail -n 3 | tr '\n' ' ')" \
    'lru,2 "qlru:hit=H00,miss=M2",4 qlru:miss=M3,4 '
refuses 'TLB.entries after TLB.bytes, expected one' simulate \
    --machine entries.csv --vary TLB.bytes=4K,TLB.entries=2 t.din
refuses '2 values of TLB.ways and 1 of TLB.entries' simulate \
    --machine entries.csv --vary TLB.ways+TLB.entries=1..2+2 t.din
sed 's/entries/bytes,entries/; s/,16,/,4K,1,/' entries.csv >both.csv
refuses 'TLB: entries: found .1., expected nothing, as bytes' simulate \
    --machine both.csv t.din
refuses 'TLB: slices: found 3, expected 2, 4 or 8' simulate \
    --machine entries.csv --vary TLB.slices=3 t.din
refuses 'TLB: index: found .xor., expected .modulo. for 12 sets' simulate \
    --machine entries.csv --vary TLB.index=xor,TLB.entries=12,TLB.ways=1 t.din
refuses 'entries: found 99999999999999999, expected fewer' simulate \
    --machine entries.csv --vary TLB.entries=99999999999999999 t.din
refuses 'vary: .X.ways=1. .expected CACHE.COLUMN' simulate --machine split.csv \
    --vary X.ways=1 t.din
refuses 'vary L2.next: found .next., expected a column' simulate \
    --machine split.csv --vary L2.next=L1D t.din
refuses 'vary L2.ways: found .two., expected a number' simulate \
    --machine split.csv --vary L2.ways=two t.din
refuses 'vary L2.ways: .4..2. .expected A..B' simulate \
    --machine split.csv --vary L2.ways=4..2 t.din
refuses 'vary L2.ways: .1..6. .expected A..B, .* doubling A leads to B' \
    simulate --machine split.csv --vary L2.ways=1..6 t.din
run simulate -q --machine split.csv --vary L1D.ways=2..8,DTLB.ways=0..1 t.din
is 'ranges end where they say' \
    "$status $(tail -n +2 out | cut -d, -f23- | sort -u | xargs)" \
    '0 2,0 2,1 4,0 4,1 8,0 8,1'
refuses 'split.csv:2: L2: ways: found 3, expected a divisor' simulate \
    --machine split.csv --vary L2.ways=3 t.din

# A value of the table that is replaced need not be one that can be.
while read -r row field; do
    printf '%s\n' "$first,policy" "L1,all,1K,64,2,L2," "$row" >base.csv
    printf '%s\n' "$first,policy" L1,all,1K,64,2,L2, L2,all,8K,64,8,,lru >good.csv
    refuses 'base.csv:[23]: L[12]: ' simulate --machine base.csv t.din
    run simulate -q --machine base.csv --vary "$field" t.din
    is "$row: $field: status" "$status" 0
    cut -d, -f3-22 out >replaced
    "$MARGAY" simulate -q --machine good.csv t.din | cut -d, -f3-22 >meant
    check "$row: $field: as if it stood there" cmp -s replaced meant
done <<'END'
L2,all,8K,64,3,,lru L2.ways=8
L2,all,8K,64,many,,lru L2.ways=8
L2,all,8K,64,,,lru L2.ways=8
L2,all,,64,8,,lru L2.bytes=8K
L2,all,8K,48,8,,lru L2.block_bytes=64
L2,data,8K,64,8,,lru L2.holds=all
L2,all,8K,64,8,,best L2.policy=lru
L2,all,1X,64,3,,best L2.policy=lru,L2.bytes=8K,L2.ways=8
END
refuses 'base.csv:3: L2: bytes: found .1X.' simulate --machine base.csv \
    --vary L2.policy=lru,L2.ways=8 t.din

# ---------------------------------------------------- what is misunderstood --
printf '%s\n' $first L1,all,2K,64,4, >alone.csv
cp t.din u.din
run simulate -q --machine m.csv t.din u.din
like 'several traces are no cores of one machine' "$(cat err)" \
    'each of 2 traces .* alone, on a machine of its own'
run simulate -q --machine alone.csv t.din u.din
is 'which does not matter where nothing is shared' "$status $(cat err)" '0 '
run simulate -q --machine m.csv t.din
is 'nor with one trace' "$status $(cat err)" '0 '
run simulate -q --machine alone.csv --cores 2 t.din u.din
like 'with cores it does' "$(cat err)" 'alone, on a machine of its own'

printf '%s\n' $first,policy L1,all,1K,64,4,,drrip >duel.csv
run simulate -q --machine duel.csv --vary L1.policy=srrip,drrip t.din
is 'drrip of few sets is srrip' "$(cut -d, -f5 out | sort -u | wc -l)" 2
like 'and says so' "$(cat err)" 'L1: drrip: of 4 sets none leads .expected 8'
is 'once' "$(wc -l <err)" 1
run simulate -q --machine duel.csv --vary L1.bytes=2K t.din
is 'but not of eight' "$(cat err)" ''
run assoc -q --sets 4,8 --ways 4 --policy srrip,drrip t.din
like 'drrip of few sets says so in assoc, too' "$(cat err)" \
    'drrip: of 4 sets none leads'
is 'and has the misses of srrip' \
    "$(awk -F, '$3 == 4 { print $7 }' out | sort -u | wc -l)" 1
run filter -q --bytes 1K --ways 4 --policy drrip --to din -o f.din t.din
like 'and in filter' "$(cat err)" 'drrip: of 4 sets none leads'
run filter -q --sets 8 --ways 4 --policy drrip --to din -o f.din t.din
is 'which does not say it of eight' "$(cat err)" ''

# ------------------------------------------------------ machines with a name --
for table in "$root"/sim/machines/*.csv; do
    name=${table##*/} name=${name%.csv}
    run simulate -q --machine "$name" t.din
    is "$name" "$status $(wc -l <out)" "0 $(wc -l <"$table")"
    is "$name: every row has a source" \
        "$(awk -F, 'NR > 1 && $NF == ""' "$table")" ''
done
refuses "name .did you mean 'intel-skylake'.. .expected a table" \
    simulate --machine skylake t.din
refuses "name .did you mean 'amd-zen3'.. .expected" \
    simulate --machine Zen3 t.din
refuses 'no machine of that name .expected a table, or one of host, amd-zen,' \
    simulate --machine nothing t.din
if [ -r /sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list ]; then
    run simulate --machine this t.din
    is 'host' "$status" 0
    like 'host has a first level' "$(cut -d, -f3 out)" '^L1D?$'
else
    skip 'host' 'the system does not describe its caches'
fi

# ----------------------------------------------------------- what is refused --
refuses_machine() { # PATTERN ROW...: of a table with these rows
    pattern=$1
    shift
    printf '%s\n' "$@" >bad.csv
    refuses "$pattern" simulate --machine bad.csv t.din
}
refuses 'which machine' simulate t.din
refuses 'absent.csv: no such file, and no machine' simulate --machine absent.csv t.din
refuses_machine "bad.csv:1: found column 'size', expected cache, holds" \
    'cache,holds,size,block_bytes,ways,next'
refuses_machine "bad.csv:1: found no column 'ways'" \
    'cache,holds,bytes,block_bytes,next'
refuses_machine "bad.csv:1: found column 'ways' twice" "$first,ways"
refuses_machine 'bad.csv: found no cache' "$first"
refuses_machine 'bad.csv:2: found 5 fields, expected 6' "$first" 'L1,all,1,1,1'
refuses_machine "bad.csv:2: L1: holds: found 'code', expected fetch, data or" \
    "$first" 'L1,code,1K,64,1,'
refuses_machine "bad.csv:2: L1: bytes: found '1X', expected a number of bytes" \
    "$first" 'L1,all,1X,64,1,'
refuses_machine 'bad.csv:2: L1: block_bytes: found 48, expected a power of two' \
    "$first" 'L1,all,96,48,1,'
refuses_machine 'bad.csv:2: L1: bytes: found 100, expected a multiple' \
    "$first" 'L1,all,100,64,1,'
refuses_machine 'bad.csv:3: L2: ways: found 3, expected a divisor of the 16' \
    "$first" 'L1,all,1K,64,1,L2' 'L2,all,1K,64,3,'
refuses_machine "bad.csv:2: L1: next: found 'L9', expected the name of another" \
    "$first" 'L1,all,1K,64,1,L9'
refuses_machine "bad.csv:2: L1: next: found 'L2', which leads back to L1" \
    "$first" 'L1,all,1K,64,1,L2' 'L2,all,1K,64,1,L1'
refuses_machine "bad.csv:3: L1: cache: found 'L1' a second time" \
    "$first" 'L1,all,1K,64,1,' 'L1,all,1K,64,1,'
refuses_machine "bad.csv:2: L1: next: found 'L2', which does not hold all" \
    "$first" 'L1,all,1K,64,1,L2' 'L2,data,1K,64,1,'
refuses_machine "bad.csv:2: L1: policy: .*'best'" \
    "$first,policy" 'L1,all,1K,64,1,,best'
refuses_machine "bad.csv:2: L1: policy: found 'opt', expected a policy that" \
    "$first,policy" 'L1,all,1K,64,1,,opt'
refuses_machine "bad.csv:2: L1: policy: found 'arc', which remembers blocks" \
    "$first,policy,inclusion" 'L1,all,1K,64,1,L2,arc,' \
    'L2,all,4K,64,4,,,inclusive'
refuses_machine "bad.csv:2: L1: inclusion: found 'exclusive', expected a level" \
    "$first,inclusion" 'L1,all,1K,64,1,,exclusive'
refuses_machine 'bad.csv:3: L2: block_bytes: found 128, expected 64' \
    "$first,inclusion" 'L1,all,1K,64,1,L2,' 'L2,all,4K,128,1,,exclusive'
refuses_machine 'block_bytes: found 32, expected 64 or more' \
    "$first,inclusion" 'L1,all,1K,64,1,L2,' 'L2,all,4K,32,1,,inclusive'
refuses_machine 'L2: shared: found 3, expected a multiple' \
    "$first,shared" 'L1,all,1K,64,1,L2,2' 'L2,all,4K,64,1,,3'
refuses_machine "L1: cycles: found '-1', expected a number of cycles" \
    "$first,cycles" 'L1,all,1K,64,1,,-1'
refuses_machine "M: ways: found '4', expected nothing, as a level without" \
    "$first" 'L1,all,1K,64,1,M' 'M,all,,,4,'
refuses_machine 'the machine: the trace does not say the sites' \
    "$first,prefetch" 'L1,all,1K,64,1,,stride'
for prefetch in next-line: next-line:read 'stream:on=read,fetches' none:renew=1; do
    refuses_machine "prefetch: found '$prefetch', expected none, next-line" \
        "$first,prefetch" "L1,all,1K,64,1,,\"$prefetch\""
done
printf '%s\n' 1 2 >ids.lines
refuses "unit BYTES" simulate --machine split.csv ids.lines
finish
