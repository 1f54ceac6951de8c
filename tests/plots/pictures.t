#!/bin/sh
# pictures.t - what the gnuplot scripts write into a picture
#
# An SVG's text can be read: labels, ticks and titles are looked for there.
. tests/sim/lib.sh
. "$root/tests/plots/texts.sh"

# draw SCRIPT OUT CSV...
draw() {
    status=0
    script=$1
    shift
    LC_ALL=C.UTF-8 gnuplot -d -c "$root/plots/$script.gp" "$@" \
        >out 2>err || status=$?
}

# quiet SCRIPT NAME WHAT TEXT...: NAME.svg of $of, or of NAME.csv, drawn without a
# word; it shows these.
quiet() {
    draw "$1" "$2.svg" "${of:-$2.csv}"
    is "$3: drawn, nothing said" "$status$(cat out err)" 0
    read_texts "$2"
    quiet_name=$2
    shift 3
    shows "$quiet_name" "$@"
}

# table NAME HEADER ROW...: a CSV file.
table() {
    table_name=$1
    shift
    printf '%s\n' "$@" >"$table_name"
}

curve=trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio
histogram=trace,block_bytes,distance_from,distance_to,references,share

odd="o'd, \"csv\".csv"
# shellcheck disable=SC2016 # nothing is to be expanded
table "$odd" $curve \
    '"d/a, ""b"" c_d.x",64,1,64,10,5,0.5' \
    '"d/a, ""b"" c_d.x",64,2,128,10,4,0.4' \
    '"d/a, ""z"" c_d.x",64,1,64,10,3,0.3' \
    'it'\''s $x %s\n,64,2,128,10,4,0.4' \
    'it'\''s $x %s\n,64,4,256,10,1,0.1' \
    'it'\''s $x %s\n,64,1024,65536,10,1,0.1'
of="$odd" quiet curve names 'odd names' \
    'a, "b" c_d.x' 'a, "z" c_d.x'
# shellcheck disable=SC2016
shows names 'it'\''s $x %s\n'
shows names '64-byte blocks' '64 KiB' 'miss ratio'

# Programs and tenants that share a cache: totals, names, what a broken line is.
table shared.csv \
    cache_blocks,cache_bytes,program,references,shared_misses,partition_blocks,partition_misses \
    '1,64,"d/a, ""b"".csv",10,9,1,8' 1,64,d/c.csv,30,30,0,30 \
    '2,128,"d/a, ""b"".csv",10,7,2,6' 2,128,d/c.csv,30,20,0,30
quiet sharers shared 'programs that share' \
    'Misses in a cache that programs share' \
    'dashed: in parts of the cache, divided best' 'a, "b".csv' \
    'c.csv, divided' 'all, divided' '128 B'
table tenants.csv $curve,tenant,shared_misses 'x/t,,1,,10,5,0.5,"a, b",6' \
    'x/t,,2,,10,4,0.4,"a, b",6' x/t,,1,,10,5,0.5,c,5 x/t,,2,,10,2,0.2,c,3
quiet sharers tenants 'tenants' 't; dashed: in a cache of its own' \
    'a, b, alone' all
lacks tenants 'all, alone'
{
    echo $curve,tenant,shared_misses
    for i in 1 2 3 4 5 6 7 8 9; do echo "t,64,1,64,$i,0,0,n$i,0"; done
} >many.csv
quiet sharers many 'nine tenants of one size that never miss' \
    't, 64-byte blocks; dashed: in a cache of its own; the 8 of 9 with most references'
lacks many n1
shows many n2
table overlap.csv site,references,other_references,overlap 0x401136,10,0,0 \
    0x401140,10,40,0.5 0x401150,0,0,
quiet overlap overlap 'the overlap of sites' \
    'How alike each site is in two runs' 0x401140
draw overlap none.svg /dev/null
is 'no rows' "$status $(cat err)" '2 no rows: there is nothing to plot'

table blocks.csv $curve t,32,1,32,10,5,0.5 t,32,2,64,10,4,0.4 \
    t,64,1,64,10,5,0.5
quiet curve blocks 'blocks' '32-byte blocks' '64-byte blocks' t

table ids.csv $curve dir/ids.gz,,1,,10,9,0.9 dir/ids.gz,,8,,10,1,0.1
quiet curve ids 'ids' ids.gz 'cache size in blocks' 8

# The same trace and block size twice: the files tell them apart.
cp ids.csv again.csv
draw curve same.svg ids.csv again.csv
read_texts same
shows same ids.csv again.csv

# Down to a hundredth and less: logarithmic.
table deep.csv $curve t,64,1,64,1000,900,0.9 t,64,2,128,1000,2,0.002
quiet curve deep 'deep' 0.001
lacks deep 0.8

table log2.csv $histogram t,64,0,1,5,0.5 t,64,1,2,0,0 t,64,2,4,1,0.1 \
    t,64,inf,inf,4,0.4
quiet histogram log2 'a histogram' cold 0 4

table linear.csv $histogram t,64,0,500,5,0.5 t,64,500,1000,1,0.1 \
    t,64,1000,inf,4,0.4
quiet histogram linear 'linear' '≥ 1000' 600
lacks linear cold

# All references cold; a single size.
table cold.csv $histogram t,64,inf,inf,4,1
quiet histogram cold 'only cold references'
table one.csv $curve t,64,16,1024,10,0,0
quiet curve one 'one size without a miss'

# Windows: a line per size, and the name of a trace may be anything.
table windows.csv window,$curve \
    '0,"d, ""e"".x",64,1,64,10,5,0.5' '0,"d, ""e"".x",64,16,1024,10,2,0.2' \
    '1,"d, ""e"".x",64,1,64,10,3,0.3'
quiet windows windows 'windows' '64 B' '1 KiB' 'Miss ratio over time' \
    references 10 20 'd, "e".x, 64-byte blocks'
table ids.csv window,$curve '0,a/t,,5,,10,5,0.5' '0,a/u,,1,,10,5,0.5'
quiet windows ids 'windows of ids, two traces' 't, 5 blocks' 'u, 1 block'
table blocks.csv window,$curve '0,a/t,16,16,256,10,5,0.5' \
    '0,a/t,64,16,1024,10,5,0.5' '0,b/t,64,16,1024,10,5,0.5'
quiet windows blocks 'windows of two block sizes' 'a/t, 16-byte blocks, 256 B' \
    'a/t, 64-byte blocks, 1 KiB' 'b/t, 64-byte blocks, 1 KiB'

# Caches of objects: sizes in bytes alone, and three columns more.
objects=reference_bytes,missed_bytes,byte_miss_ratio
table objects.csv window,$curve,$objects \
    '0,"a, b",,,1048576,10,4,0.4,99,9,0.1' '0,"a, b",,,32768000,10,2,0.2,99,9,0.1' \
    '1,"a, b",,,1048576,20,4,0.2,99,9,0.1' '1,"a, b",,,32768000,20,2,0.1,99,9,0.1'
quiet windows objects 'windows of objects' 'Miss ratio of requests over time' \
    requests 'a, b' '1 MiB' '31.25 MiB' 30
sed 's/$/\r/' objects.csv >crlf.csv
draw windows crlf.svg crlf.csv
check 'and with the line ends of other programs' cmp -s objects.svg crlf.svg
# Seven sizes, none of which is a power of two.
{
    echo window,$curve
    for size in 3 5 6 7 9 10 11; do
        echo "0,t,64,$size,$((64 * size)),10,5,0.5"
    done
} >odd.csv
quiet windows odd 'windows of sizes that are no powers of two' '192 B'

# Many series: one command of the shell for all of them, and no end of a table
# that would be too long for a text of gnuplot's.
mkdir bin
for tool in awk sed head; do
    printf '#!/bin/sh\necho %s >>calls\nexec %s "$@"\n' $tool \
        "$(command -v $tool)" >bin/$tool
    chmod +x bin/$tool
done
awk -v header=$curve 'BEGIN {
    print header
    for (trace = 0; trace < 20; trace++)
        print "t" trace ",64,1,64,10,5,0.5\nt" trace ",64,2,128,10,4,0.4"
}' >many.csv
PATH=$PWD/bin:$PATH draw curve many.svg many.csv
read_texts many
shows many t0
is 'a table is read once' "$(cat calls)" awk
awk -v header=window,$curve 'BEGIN {
    print header
    for (window = 0; window < 2000; window++)
        for (trace = 0; trace < 6; trace++)
            print window ",t" trace ",64,1,64,10,5,0.5"
}' >many.csv
quiet windows many 'many windows' 't5, 64 B' '64-byte blocks'

# Places: the one with the longest distances first, not by name.
table places.csv region,$histogram 'low,"d, ""e"".x",64,0,1,5,0.5' \
    'low,"d, ""e"".x",64,inf,inf,0,0' '"b, ""c""","d, ""e"".x",64,1024,1025,4,0.4' \
    '"b, ""c""","d, ""e"".x",64,inf,inf,1,0.1' 'low,"d, ""e"".x",128,0,1,5,0.5'
quiet places places 'places' 'b, "c"' low 'd, "e".x, 64-byte blocks' 0 '1 Ki' \
    cold
is 'the farthest first' "$(grep -n -x -e low -e 'b, "c"' places.txt |
    sed 's/.*://' | head -n 1)" 'b, "c"'
for site in 1 2 3 4 5 6 7 8 9 a; do
    printf '0x%s,t,,0,1,1,0.1\n0x%s,t,,inf,inf,0,0\n' $site $site
done >rows
table many.csv site,$histogram "$(cat rows)"
quiet places many 'many sites' 'all others'
lacks many 0x9

# Lines of sources: those that miss most first, named as short as they can be.
annotate=trace,file,line,function,cache_bytes,references,misses
table lines.csv $annotate 't,src/b.c,7,"f<1, ""x"">(int)",1536,10,2' \
    't,src/b.c,7,"f<1, ""x"">(int)",65536,10,2' \
    't,,,libz.so+0x4a,1536,10,8' 't,,,libz.so+0x4a,65536,10,1'
quiet annotate lines 'lines of sources' t 'b.c:7 f<1, "x">' libz.so+0x4a \
    '1.5 KiB' '64 KiB' 'miss ratio' 0.5
is 'most misses first' "$(grep -n -x -e 'b.c:7.*' -e libz.* lines.txt |
    sed 's/.*://' | head -n 1)" libz.so+0x4a
shows lines 'Misses by line of the sources'
table data.csv "$(echo $annotate | sed s/function/data/)" t,a.c,7,table,64,10,5 \
    't,a.c,8,heap of f,64,10,1' \
    't,new.h,9,"heap of allocator<Slot>::allocate(long, void*) const",64,10,1' \
    't,new.h,9,"heap of allocator<double>::allocate(long, void*)",64,10,1' \
    't,a.c,10,stack of f::operator()(),64,10,1'
quiet annotate data 'data' 'Misses by data' 'a.c:8 heap of f' \
    'new.h:9 heap of ..Slot>::allocate' 'new.h:9 heap of ..uble>::allocate' \
    'a.c:10 stack of f::operator()'
for line in 1 2 3 4 5 6 7 8 9 10; do
    echo "t,a.c,$line,f,64,10,$line"
done >rows
table many.csv $annotate "$(cat rows)"
quiet annotate many 'many lines' 'all others' 'a.c:4 f'
lacks many 'a.c:3 f'
echo u,a.c,1,f,64,10,1 >>many.csv
draw annotate two.svg many.csv
is 'of one trace' "$status" 2
like 'and says so' "$(cat out err)" '2 traces, expected one'

# gnuplot's real() knows no exponent without a point before it.
run_columns=engine,references,seconds,refs_per_second,peak_bytes,nodes,accuracy
run_columns=$run_columns,max_error_log2,mean_abs_error_log2,max_error_linear
table engines.csv $run_columns,mean_abs_error_linear exact,2,0.5,4,9,9,1,0,0,0,0 \
    shards,2,0.4,5,9,9,1,1e-05,1e-05,1e-05,1e-05
quiet engines-run engines 'an error of 1e-05'

simulated=machine,trace,cache,references,misses,miss_ratio,fetches,fetch_misses
simulated=$simulated,reads,read_misses,writes,write_misses,writebacks
simulated=$simulated,prefetches,useful_prefetches,mpki
counts=5,1,1,1,0,0,0
table machine.csv $simulated "m,d/one.din,L1,9,3,0.3,2,1,$counts,500" \
    "m,d/one.din,L2,3,2,0.6,2,1,$counts,250" \
    "m,d/two.din,L1,9,3,0.3,2,1,$counts,400" \
    "m,d/two.din,L2,3,2,0.6,2,1,$counts,100"
quiet machine machine 'caches of a machine' L1 L2 one.din two.din \
    'misses per 1000 instructions'
# Traffic: demand misses 4, other misses 5, prefetches 6 and write-backs 5, in 10 instructions; half of that in the other machine's L2.
asked=demand_references,demand_misses,demand_miss_ratio,demand_mpki
asked=$asked,writebacks_received,victim_fills
table traffic.csv "$simulated,$asked,L1.bytes,L1.ways" \
    m,t,L1,9,0,0,4,0,4,0,1,0,0,0,0,0,9,0,0,0,0,0,8192,4 \
    m,t,L2,9,9,1,4,4,4,3,1,2,5,6,0,900,4,4,1,400,5,0,8192,4 \
    m,t,L1,9,0,0,4,0,4,0,1,0,0,0,0,0,9,0,0,0,0,0,16384,4 \
    m,t,L2,18,9,0.5,8,4,8,3,2,2,5,6,0,450,8,4,0.5,200,10,0,16384,4
quiet traffic traffic 'traffic of machines' L2 '8 KiB, 4' '16 KiB, 4' \
    'L1.bytes, L1.ways' 'prefetches' 'demand misses' 'other misses' \
    'blocks per 1000 instructions' 2000
lacks traffic L1
# From where to where the bars go, by part and machine, if the first goes to 4.
bars() {
    perl -ne 'if (/polygon .*points = .([^\x27]*)\x27/) {
        ($x, $from, $right, $y, undef, $to) = split /[ ,]/, $1;
        next if $right - $x < 100;
        ($floor, $unit) = ($from, ($from - $to) / 4) if !$unit;
        printf "%.1f-%.1f ", map { ($floor - $_) / $unit } $from, $to }' "$1"
}
is 'the parts stand upon another' "$(bars traffic.svg)" "0.0-4.0 0.0-2.0 \
4.0-9.0 2.0-4.5 9.0-15.0 4.5-7.5 15.0-20.0 7.5-10.0 "
draw machine machine.svg traffic.csv
read_texts machine
shows machine 'misses per 1000 instructions'
shows machine 'Demand misses of each cache'
table none.csv $simulated m,t,L1,9,0,0,4,0,4,0,1,0,0,0,0,0
draw traffic x.svg none.csv
is 'no traffic is no picture' "$status" 2
like 'and says so' "$(cat out err)" 'no block went below a cache'
table ratios.csv "$simulated,L1.ways" "m,t,L1,9,3,0.3,2,1,$counts,,4" \
    "m,t,L1,9,2,0.2,2,1,$counts,,8"
quiet machine ratios 'machines of which a field varies' t 'L1.ways 4' \
    'L1.ways 8' 'misses per reference'
# Twelve machines, of as many colours; a memory never misses; one too many.
{
    echo "$simulated,L1.bytes,L2.block_bytes,L2.ways"
    for k in 1 2 3 4 5 6 7 8 9 10 11 12; do
        echo "m,t,L1,9,3,0.3,2,1,$counts,,$((8192 * k)),64,$k"
        echo "m,t,memory,3,0,0,2,0,$counts,,$((8192 * k)),64,$k"
    done
} >twelve.csv
quiet machine twelve 'twelve machines' L1 \
    'L1.bytes 8 KiB, L2.block_bytes 64 B, L2.ways 1' \
    'L1.bytes 96 KiB, L2.block_bytes 64 B, L2.ways 12'
lacks twelve memory
is 'each has a colour' "$(grep -o "polygon fill = 'rgb([^)]*)" twelve.svg |
    sort -u | wc -l)" 12
echo "m,t,L1,9,3,0.3,2,1,$counts,,5,64,13" >>twelve.csv
draw machine x.svg twelve.csv
is 'thirteen are too many' "$status" 2
like 'and --pareto has a picture of more' "$(cat out err)" \
    '13 machines, expected at most 12; .*--pareto'

table front.csv machine,trace,bytes,access_cycles,front,L1.ways \
    m,d/one.din,1024,5,1,1 m,d/one.din,2048,4.5,1,2 m,d/one.din,4096,5.5,0,4
quiet pareto front 'machines as bytes and access times' \
    'one.din: 3 machines, 2 on the front' 'bytes of all caches' 'the front' \
    'other machines'
table fronts.csv machine,trace,bytes,access_cycles,front,L1.ways \
    m,one.din,1024,5,1,1 m,one.din,2048,4.5,1,2 m,one.din,4096,5.5,0,4 \
    m,two.din,1024,6,1,1 m,two.din,2048,6.5,0,2 m,two.din,4096,5.5,1,4
quiet pareto fronts 'machines of two traces' \
    '3 machines, 3 on the front of a trace' one.din two.din
is 'one entry of the key for all others' \
    "$(grep -c 'other machines' fronts.txt)" 1
table best.csv machine,trace,bytes,access_cycles,front m,t,1024,5,1
quiet pareto best 'one machine'
lacks best 'other machines'
# Of the front 5 and 4 are below the line from 6 cycles to 3, with the logarithm
# of bytes, and 4 the farthest.
table knee.csv machine,trace,bytes,access_cycles,front,L1.bytes,L1.policy \
    m,t,1024,6,1,512,lru m,t,2048,5,1,1024,lru m,t,4096,3.2,1,3072,fifo \
    m,t,16384,3,1,9216,lru m,t,8192,7,0,9216,lru
quiet pareto knee 'the knee' 'L1.bytes 3 KiB, L1.policy fifo'
lacks knee 'L1.bytes 1 KiB, L1.policy lru'

# Phases: in order, and boxes on a linear axis.
table phases.csv trace,phase,from,to,references,recurs,working_set_blocks \
    t,0,0,10,10,,10 t,1,10,90,80,,4000 t,2,90,100,10,0,10
quiet phases phases 'phases'
is 'phases in order' "$(grep phase phases.txt | tr '\n' ';')" \
    'phase 0, 2 times;phase 1;'
shows phases 0 '500' '3.5 k'

for suffix in png pdf; do
    draw curve curve.$suffix deep.csv
    check "curve.$suffix" test "$status" = 0 -a -s curve.$suffix
    draw histogram histogram.$suffix log2.csv
    check "histogram.$suffix" test "$status" = 0 -a -s histogram.$suffix
done

draw curve deep.jpg deep.csv
is 'an unknown suffix fails' "$status" 2
table empty.csv $curve
draw curve empty.svg empty.csv
is 'an empty table fails' "$status" 2
like 'and says why' "$(cat out err)" 'nothing to plot'

finish
