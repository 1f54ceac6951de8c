#!/bin/sh
# validate.t - a machine next to a recorded file of counters, each event against
# the column of the machine's own table
. tests/sim/lib.sh

perl -e 'srand 5; for (1 .. 6000) {
    printf "%d %x\n", rand 3, 8 * int(rand(rand() < 0.8 ? 900 : 90000)) }' >t.din
cat >three.csv <<'END'
cache,holds,bytes,block_bytes,ways,next,write,cycles
DTLB,data,16K,4K,0,STLB,none,
ITLB,fetch,16K,4K,0,STLB,none,
STLB,all,64K,4K,4,,none,
L1I,fetch,1K,64,2,L2,,1
L1D,data,1K,64,2,L2,,1
L2,all,4K,64,4,L3,,10
L3,all,16K,64,8,RAM,,30
RAM,all,,,,,,100
END
"$MARGAY" simulate -q --machine three.csv t.din >table
# EVENT CACHE COLUMN[+COLUMN], of the table.
cat >events <<'END'
instructions:u L1I fetches
L1-dcache-loads L1D reads
L1-dcache-load-misses:u L1D read_misses
cpu_core/L1-dcache-stores/ L1D writes
l1d_cache_refill_wr L1D write_misses
L1D_CACHE L1D reads+writes
l1d.replacement L1D read_misses+write_misses
L1-icache-load-misses L1I fetch_misses
l2_rqsts.references L2 demand_references
cpu/l2_rqsts.miss/u L2 demand_misses
l2_rqsts.demand_data_rd_miss L2 read_misses
mem_load_retired.l2_miss:upp L2 read_misses
l2_rqsts.code_rd_miss L2 fetch_misses
mem_load_retired.l3_miss L3 read_misses
LLC-loads L3 reads
LLC-load-misses L3 read_misses
cache-references L3 demand_references
longest_lat_cache.miss L3 demand_misses
dTLB-loads DTLB reads
dTLB-stores DTLB writes
ls_l1_d_tlb_miss.all DTLB read_misses+write_misses
dTLB-load-misses STLB read_misses
iTLB-loads ITLB fetches
iTLB-load-misses STLB fetch_misses
END
# As perf stat -x, writes it: counts of 1, 2 and so on, perhaps a metric.
{
    printf '# started on Fri Nov 27 14:52:46 2026\n\n'
    awk '{ printf "%d,,%s,5000000,%s,%s\n", NR - 1, $1, NR % 2 ? "100.00" : "75.12",
        NR % 3 ? "," : "1.20,of all accesses" } NR == 4 {
        print ",,,,,0.98,insn per cycle" }' events
    echo '<not counted>,,LLC-loads,0,0.00,,'
    echo '<not supported>,,LLC-prefetches,0,100.00,,'
    echo '12.50,msec,task-clock:u,12500000,100.00,0.990,CPUs utilized'
    echo '7,,branch-misses,5000000,100.00,,'
} >perf.csv
awk -F, 'NR == FNR { if (FNR == 1) for (i = 1; i <= NF; i++) at[$i] = i
        else for (name in at) got[$3, name] = $at[name]; next }
    { split($0, field, " "); n = split(field[3], names, "+"); sum = 0
        for (i = 1; i <= n; i++) sum += got[field[2], names[i]]
        printf "three.csv,t.din,%s,%s,%d,%d,%s\n", field[1],
            FNR == 1 ? "" : field[2], FNR - 1, sum,
            FNR == 1 ? "" : sprintf("%.12g", sum / (FNR - 1)) }' table events |
    sed '1i machine,trace,event,cache,counted,simulated,ratio' >expected
run simulate --machine three.csv --validate perf.csv t.din
check 'each event is compared with its column' cmp out expected
is 'what is not compared is named' "$(sed 's/^margay simulate: //' err | head -n 4)" \
    'perf.csv:28: LLC-loads was not counted
perf.csv:29: LLC-prefetches was not counted
perf.csv:30: task-clock:u is no event of a cache or TLB that is known
perf.csv:31: branch-misses is no event of a cache or TLB that is known'
grep -v '^L3\|TLB' three.csv | sed 's/,L3,/,RAM,/' >two.csv
run simulate --machine two.csv --vary L2.ways=2,4 --validate perf.csv t.din
is 'levels that are not there, and what varies' \
    "$(grep -c 'two.csv has no such level' err) $(grep -c 'l3_miss\|TLB' out) \
$(sed 1d out | cut -d, -f8 | sort | uniq -c | tr -s ' \n' ' ')" '7 0  17 2 17 4 '

for line in '1.0001,20,,cycles' 'CPU0,5,,cycles' 'x' '5,,' 'x,,LLC-loads,' '12.5,,LLC-loads,'; do
    echo "$line" >bad.csv
    refuses "bad.csv:1: found '$line'.*expected COUNT,UNIT,EVENT" \
        simulate --machine two.csv --validate bad.csv t.din
done
echo '3,,branches' >bad.csv
refuses 'bad.csv: found no count of an event of caches' \
    simulate --machine two.csv --validate bad.csv t.din
refuses 'validate: found 2 traces, expected one' \
    simulate --machine two.csv --validate perf.csv t.din t.din

# The average access time, and what it lacks.
run simulate --machine three.csv t.din
like 'the average access time' "$(cat err)" 'average access time [0-9.]* cycles$'
for lacking in L2 L3 RAM; do
    sed "/^$lacking,/s/,[0-9]*\$/,/" three.csv >lacking.csv
    run simulate --machine lacking.csv t.din
    like "not without cycles of $lacking" "$(cat err)" \
        "average access time not known: no cycles of $lacking"
done
sed '/^RAM/d; s/RAM//' three.csv >lacking.csv
run simulate --machine lacking.csv t.din
like 'nor without a memory' "$(cat err)" 'not known: no cycles of memory'
finish
