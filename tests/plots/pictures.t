#!/bin/sh
# pictures.t - the contents of pictures of each kind, and their refusals
#
# An SVG's text can be read: labels, ticks, titles and the points of lines.
. tests/sim/lib.sh
. "$root/tests/plots/texts.sh"

LC_ALL=C.UTF-8
export LC_ALL

# table NAME HEADER ROW...: a CSV file.
table() {
    table_name=$1
    shift
    printf '%s\n' "$@" >"$table_name"
}

# points NAME COLOUR: those of the line of that colour, as "X,Y X,Y ...".
points() {
    perl -ne 'if (/<path stroke=.rgb\(\s*([\d, ]+)\).*?d=.M(.*?) *\x27/) {
        ($colour, $points) = ($1, $2); $colour =~ s/ //g;
        $points =~ s/ L/ /g;
        if ($colour eq "'"$2"'") { print $points; exit } }' "$1.svg"
}

# slanted NAME: the pieces of lines with a colour that go neither straight on nor
# straight down.
slanted() {
    perl -ne 'while (/<path stroke=.rgb\([^>]*? d=.([^\x27]*)/g) {
        for (split / /, $1) {
            ($move, $to_x, $to_y) = /(\w)([\d.]+),([\d.]+)/ or next;
            $count++ if $move eq "L" && $to_x != $x && $to_y != $y;
            ($x, $y) = ($to_x, $to_y) } }
        END { print $count + 0 }' "$1.svg"
}

# dashes NAME: how many kinds there are besides whole lines.
dashes() {
    grep -o "stroke-dasharray='[^']*'" "$1.svg" | sort -u | wc -l
}

# ---------------------------------------------------------------- curves --
curve=trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio
table curve.csv $curve d/a_1.u64,64,1,64,100,90,0.9 \
    d/a_1.u64,64,2,128,100,60,0.6 d/a_1.u64,64,4,256,100,20,0.2 \
    d/b.u64,64,1,64,100,80,0.8 d/b.u64,64,4,256,100,20,0.2
picture usual curve.csv 'Misses of a fully associative LRU cache' 'miss ratio' \
    '64-byte blocks' a_1.u64 b.u64 '64 B' '128 B' '256 B' 0.8
table sampled.csv $curve,sampled,no_guide 't,64,1,64,100,90,0.9,1 in 9 blocks (4 of 36),1' \
    't,64,4,256,100,20,0.2,1 in 9 blocks (4 of 36),0'
picture sampled sampled.csv 't, 64-byte blocks, a sample of 1 in 9 blocks (4 of 36)' \
    'no guide: too few in the sample'
table samples.csv $curve,sampled,no_guide 't,64,1,64,100,90,0.9,1 in 9 objects (4 of 36),0' \
    'u,64,1,64,100,80,0.8,1 in 9 objects (5 of 45),0'
picture samples samples.csv '64-byte blocks, a sample of 1 in 9 objects'
table requests.csv $curve,requests,missed_requests,request_tokens,hit_tokens,token_hit_ratio \
    t,,1,,10,9,0.9,2,2,155,16,0.1 t,,4,,10,2,0.2,2,2,155,120,0.8
picture requests requests.csv 'Misses of a prefix cache' 'miss ratio of blocks' \
    'cache size in blocks of 15.5 tokens on average'
# A line stays at a size's ratio up to the next size.
is 'three sizes are five corners' "$(points usual 0,114,178 | wc -w)" 5
is 'and every piece goes straight on or straight down' "$(slanted usual)" 0
picture hit 'curve.csv --hit' 'Hits of a fully associative LRU cache' 'hit ratio'
is 'hits rise where misses fall' "$(points hit 0,114,178 | tr ' ' '\n' |
    awk -F, 'NR > 1 && $2 > y { n++ } { y = $2 } END { print n + 0 }')" 0
picture linear 'curve.csv --x linear' '0 B' '64 B' '192 B' '256 B'
picture log 'curve.csv --y log' 0.1 0.2 0.5 1
picture range 'curve.csv --xrange 128B..256 --yrange 0..0.1' '!64 B' '128 B' \
    0.02 '!0.2'
picture open 'curve.csv --yrange ..0.1' 0.02
# Names at the ends of lines, in the order of the ends, and no legend.
picture labels 'curve.csv --labels' a_1.u64
check 'labels: no sample of a line' sh -c '! grep -q "<title>b.u64<" labels.svg'
check 'the legend has one' grep -q '<title>b.u64<' usual.svg
awk -v columns=$curve 'BEGIN { print columns
    for (i = 1; i <= 60; i++) print "t" i ",64,1,64,100," i "," i / 100 \
        "\nt" i ",64,2,128,100,0,0" }' >many.csv
picture many 'many.csv --labels'
check 'too many names stand in a legend' grep -q '<title>t60<' many.svg
picture untitled 'curve.csv --title none' \
    '!Misses of a fully associative LRU cache' '!64-byte blocks' 'cache size'

odd="o'd-\"csv\".csv"
# shellcheck disable=SC2016 # nothing is to be expanded
table "$odd" $curve \
    '"d/a, ""b"" c_d.x",64,1,64,10,5,0.5' '"d/a, ""b"" c_d.x",64,2,128,10,4,0.4' \
    '"d/a, ""z"" c_d.x",64,1,64,10,3,0.3' 'it'\''s $x %s\n,64,2,128,10,4,0.4' \
    'it'\''s $x %s\n,64,4,256,10,1,0.1' 'it'\''s $x %s\n,64,1024,65536,10,1,0.1'
# shellcheck disable=SC2016
picture odd "$odd" 'a, "b" c_d.x' 'a, "z" c_d.x' 'it'\''s $x %s\n' \
    '64-byte blocks' '64 KiB' 'miss ratio'
table blocks.csv $curve t,32,1,32,10,5,0.5 t,32,2,64,10,4,0.4 t,64,1,64,10,5,0.5
picture blocks blocks.csv '32-byte blocks' '64-byte blocks' t
table ids.csv $curve dir/ids.gz,,1,,10,9,0.9 dir/ids.gz,,8,,10,1,0.1
picture ids ids.csv ids.gz 'cache size in blocks' 8
# The same trace and block size twice: the files differ.
cp ids.csv again.csv
picture same 'ids.csv again.csv' ids.csv again.csv
# Down to a hundredth and less: logarithmic.
table deep.csv $curve t,64,1,64,1000,900,0.9 t,64,2,128,1000,2,0.002
picture deep deep.csv 0.001 '!0.8'
table one.csv $curve t,64,16,1024,10,0,0
picture one one.csv

# Many series: one command of the shell for all of them, and no end of a table
# that would be too long for a text of gnuplot's.
mkdir bin
for tool in awk sed head; do
    printf '#!/bin/sh\necho %s >>calls\nexec %s "$@"\n' $tool \
        "$(command -v $tool)" >bin/$tool
    chmod +x bin/$tool
done
PATH=$PWD/bin:$PATH "$MARGAY" plot many.csv -o many.svg
is 'a table is read once' "$(cat calls)" awk
awk -v header=window,$curve 'BEGIN {
    print header
    for (window = 0; window < 2000; window++)
        for (trace = 0; trace < 6; trace++)
            print window ",t" trace ",64,1,64,10,5,0.5"
}' >many.csv
picture windows many.csv 't5, 64 B' '64-byte blocks'

# ------------------------------------------------------- policies, tenants --
"$MARGAY" generate zipf --refs 20000 --blocks 500 --to u64 -o z.u64
"$MARGAY" curve -q --policy lru,fifo,opt z.u64 -o policy.csv
picture policy policy.csv 'Misses of fully associative caches, by policy' \
    'z.u64, 64-byte blocks' 'LRU to opt' lru fifo 'cache size'
check 'a policy has its colour' grep -Eqi 'rgb\(213,  94,   0\)|#d55e00' policy.svg
is 'the lines after the first have dashes of their own' "$(dashes policy)" 2
picture below 'policy.csv --legend below' 'LRU to opt'
sed 's/,fifo$/,"clock:max=1"/; s/,opt$/,"clock:max=5"/' policy.csv >specs.csv
picture specs specs.csv clock:max=1 clock:max=5
check 'two specs of a policy have two colours' sh -c 'test "$(grep -Eio \
    "(rgb\(230, 159,   0\)|#e69f00|rgb\( *102, *102, *102\)|#666666|rgb\( *68, *170, *153\)|#44aa99|rgb\(170, *68, *153\)|#aa4499|rgb\(153, *153, *51\)|#999933)" specs.svg |
    sort -u | wc -l)" = 2'
picture gain 'policy.csv --gain' 'From LRU to the optimum, by policy' \
    'gain: LRU 0, optimum 1' fifo
picture gain 'policy.csv --gain --labels --yrange -0.5..1' -0.4
"$MARGAY" curve -q --policy fifo,clock --ids z.u64 -o two.csv
picture two two.csv 'cache size in blocks' z.u64 '!LRU to opt'
"$MARGAY" curve -q -b 64,128 --policy lru,opt z.u64 -o blocks.csv
picture blocks blocks.csv 'opt, 128-byte blocks'
picture blocks 'blocks.csv --gain'
# Names with all that a table may hold, and a policy with commas.
{
    echo "$curve,policy"
    for policy in lru opt '"new:a=1,b=2"' '"new:a=2,b=2"' '"a""b"'; do
        case $policy in
        opt) ratios='0.4 0.3' ;;
        '"new:a=1'*) ratios='0.5 0.58' ;;
        *) ratios='0.5 0.5' ;;
        esac
        size=1
        for ratio in $ratios; do
            echo "\"d/a, \"\"b\"\", c.x\",64,$size,$((64 * size)),100,10,$ratio,$policy"
            size=$((2 * size))
        done
    done
} >odd.csv
picture odd odd.csv 'a, "b"; c.x, 64-byte blocks' 'new:a=1,b=2' 'new:a=2,b=2' 'a"b'
# (0.5 - 0.58) / (0.5 - 0.3)
picture worse 'odd.csv --gain' -0.4 '!-0.6'
is 'a share of the way: no other tick is below 0' \
    "$(grep -o '>-0[.][0-9]*<\|\[-0[.][0-9]*\]' worse.svg | sort -u | wc -l)" 2

# The differences of series are named, in each table that has them.
awk 'BEGIN { print "id,size,who"
    for (i = 0; i < 5000; i++) { id = i * i % 97
        print id "," 100 + id "," (i % 2 ? "web" : "a, \"b\"") } }' |
    sed 's/a, "b"/"a, ""b"""/' >objects.csv
objects() { # NAME OPTION...: a curve of it
    objects_name=$1
    shift
    "$MARGAY" curve -q --column id=id,size=size -f csv "$@" objects.csv \
        -o "$objects_name.csv"
}
objects unsized --objects
picture unsized unsized.csv
is 'curves of objects are steps' "$(slanted unsized)" 0
objects sized --objects --policy lru,s3fifo
picture sized sized.csv 'Misses of caches of objects, by policy' 'lru, requests' \
    's3fifo, bytes' '!policies to pfoo-l'
check 'straight lines join policies' test "$(slanted sized)" -gt 4
objects gaps --objects --policy lru,pfoo-l,pfoo-u
picture gaps gaps.csv 'policies to pfoo-l' 'pfoo-l to pfoo-u' 'pfoo-l, bytes'
objects each --objects --tenant who
picture each each.csv 'web, requests' 'a, "b", bytes'
objects each --objects --tenant who --policy lru,fifo
picture each each.csv 'lru, web, requests' 'fifo, a, "b", bytes'
objects each --tenant who --policy lru,opt
picture each each.csv 'lru, web' 'opt, a, "b"' 'LRU to opt'
objects each --tenant who --window 1000 --sizes 8
picture each each.csv 'web, 8 blocks' 'a, "b", 8 blocks'
objects each --policy lru,fifo --window 1000 --sizes 8
picture each each.csv 'lru, 8 blocks' 'fifo, 8 blocks'

# Programs and tenants that share a cache: totals, names, what a broken line is.
table shared.csv \
    cache_blocks,cache_bytes,program,references,shared_misses,partition_blocks,partition_misses \
    '1,64,"d/a, ""b"".csv",10,9,1,8' 1,64,d/c.csv,30,30,0,30 \
    '2,128,"d/a, ""b"".csv",10,7,2,6' 2,128,d/c.csv,30,20,0,30
picture shared shared.csv 'Misses in a cache that programs share' \
    'dashed: in parts of the cache, divided best' 'a, "b".csv' \
    'c.csv, divided' 'all, divided' '128 B'
table tenants.csv $curve,tenant,shared_misses 'x/t,,1,,10,5,0.5,"a, b",6' \
    'x/t,,2,,10,4,0.4,"a, b",6' x/t,,1,,10,5,0.5,c,5 x/t,,2,,10,2,0.2,c,3
picture tenants tenants.csv 't; dashed: in a cache of its own' 'a, b, alone' all \
    '!all, alone'
{
    echo $curve,tenant,shared_misses
    for i in 1 2 3 4 5 6 7 8 9; do echo "t,64,1,64,$i,0,0,n$i,0"; done
} >many.csv
picture many many.csv '!n1' n2 't, 64-byte blocks; dashed: in a cache of its own; the 8 of 9 with most references'
table overlap.csv site,references,other_references,overlap 0x401136,10,0,0 \
    0x401140,10,40,0.5 0x401150,0,0,
picture overlap overlap.csv 'How alike each site is in two runs' 0x401140

# -------------------------------------------------------------- over time --
# A line per size, and the name of a trace may be anything.
table windows.csv window,$curve \
    '0,"d, ""e"".x",64,1,64,10,5,0.5' '0,"d, ""e"".x",64,16,1024,10,2,0.2' \
    '1,"d, ""e"".x",64,1,64,10,3,0.3'
picture windows windows.csv '64 B' '1 KiB' 'Miss ratio over time' \
    references 10 20 'd, "e".x, 64-byte blocks'
table ids.csv window,$curve '0,a/t,,5,,10,5,0.5' '0,a/u,,1,,10,5,0.5'
picture ids ids.csv 't, 5 blocks' 'u, 1 block'
table blocks.csv window,$curve '0,a/t,16,16,256,10,5,0.5' \
    '0,a/t,64,16,1024,10,5,0.5' '0,b/t,64,16,1024,10,5,0.5'
picture blocks blocks.csv 'a/t, 16-byte blocks, 256 B' \
    'a/t, 64-byte blocks, 1 KiB' 'b/t, 64-byte blocks, 1 KiB'
# Caches of objects: sizes in bytes alone, and three columns more.
objects=reference_bytes,missed_bytes,byte_miss_ratio
table objects.csv window,$curve,$objects \
    '0,"a, b",,,1048576,10,4,0.4,99,9,0.1' '0,"a, b",,,32768000,10,2,0.2,99,9,0.1' \
    '1,"a, b",,,1048576,20,4,0.2,99,9,0.1' '1,"a, b",,,32768000,20,2,0.1,99,9,0.1'
picture objects objects.csv 'Miss ratio of requests over time' requests 'a, b' \
    '1 MiB' '31.25 MiB' 30
sed 's/$/\r/' objects.csv >crlf.csv
picture crlf crlf.csv
check 'and with the line ends of other programs' cmp -s objects.svg crlf.svg
# Seven sizes, none of which is a power of two.
{
    echo window,$curve
    for size in 3 5 6 7 9 10 11; do
        echo "0,t,64,$size,$((64 * size)),10,5,0.5"
    done
} >odd.csv
picture odd odd.csv '192 B'
# In order, and boxes on a linear axis.
table phases.csv trace,phase,from,to,references,recurs,working_set_blocks \
    t,0,0,10,10,,10 t,1,10,90,80,,4000 t,2,90,100,10,0,10
picture phases phases.csv 0 500 '3.5 k'
is 'phases in order' "$(grep phase phases.txt | tr '\n' ';')" \
    'phase 0, 2 times;phase 1;'

# -------------------------------------------------------------- distances --
histogram=trace,block_bytes,distance_from,distance_to,references,share
table log2.csv $histogram t,64,0,1,5,0.5 t,64,1,2,0,0 t,64,2,4,1,0.1 \
    t,64,inf,inf,4,0.4
picture log2 log2.csv cold 0 4
table linear.csv $histogram t,64,0,500,5,0.5 t,64,500,1000,1,0.1 \
    t,64,1000,inf,4,0.4
picture linear linear.csv '≥ 1000' 600 '!cold'
table cold.csv $histogram t,64,inf,inf,4,1
picture cold cold.csv
# The place with the longest distances first, not by name.
table places.csv region,$histogram 'low,"d, ""e"".x",64,0,1,5,0.5' \
    'low,"d, ""e"".x",64,inf,inf,0,0' '"b, ""c""","d, ""e"".x",64,1024,1025,4,0.4' \
    '"b, ""c""","d, ""e"".x",64,inf,inf,1,0.1' 'low,"d, ""e"".x",128,0,1,5,0.5'
picture places places.csv 'b, "c"' low 'd, "e".x, 64-byte blocks' 0 '1 Ki' cold
is 'the farthest first' "$(grep -n -x -e low -e 'b, "c"' places.txt |
    sed 's/.*://' | head -n 1)" 'b, "c"'
for site in 1 2 3 4 5 6 7 8 9 a; do
    printf '0x%s,t,,0,1,1,0.1\n0x%s,t,,inf,inf,0,0\n' $site $site
done >rows
table many.csv site,$histogram "$(cat rows)"
picture many many.csv 'all others' '!0x9'

# ------------------------------------------------------- lines of sources --
# A bar for each split, named by the sizes that vary.
tiers=split,tier,cache_blocks,cache_bytes,trace,block_bytes,references
tiers=$tiers,hit_ratio,request_tokens,hit_tokens,hit_blocks
table tiers.csv $tiers 1,1,4,1024,d/p.csv,256,10,0.1,64,16,1 \
    1,2,8,2048,d/p.csv,256,10,0.5,64,8,5 2,1,16,4096,d/p.csv,256,10,0.2,64,32,2 \
    2,2,8,2048,d/p.csv,256,10,0.4,64,4,4
picture tiers tiers.csv 'Hits of tiers, by their sizes' p.csv '1 KiB' '4 KiB' \
    'tier 1' 'tier 2, 2 KiB' 'share of tokens that hit' '!hit ratio' 0.6 '!0.7'
sed 's/^1,2,8,2048/1,2,8,/; s/,64,[0-9]*,\([0-9]\)$/,,,\1/' tiers.csv |
    sed '/^2/d; s/,[0-9]*,d/,,d/' | cut -d, -f2- >one-split.csv
picture split one-split.csv 'tier 1, 4 blocks' 'tier 2, 8 blocks' 'hit ratio' 0.6
sed '2s/p.csv/q.csv/' tiers.csv >two-traces.csv
refuses '2 traces or block sizes, expected one' \
    plot two-traces.csv -o x.svg

# Those that miss most first, named as short as they can be.
annotate=trace,file,line,function,cache_bytes,references,misses
table lines.csv $annotate 't,src/b.c,7,"f<1, ""x"">(int)",1536,10,2' \
    't,src/b.c,7,"f<1, ""x"">(int)",65536,10,2' \
    't,,,libz.so+0x4a,1536,10,8' 't,,,libz.so+0x4a,65536,10,1'
picture lines lines.csv t 'b.c:7 f<1, "x">' libz.so+0x4a '1.5 KiB' '64 KiB' \
    'miss ratio' 0.5 'Misses by line of the sources'
is 'most misses first' "$(grep -n -x -e 'b.c:7.*' -e libz.* lines.txt |
    sed 's/.*://' | head -n 1)" libz.so+0x4a
table data.csv "$(echo $annotate | sed s/function/data/)" t,a.c,7,table,64,10,5 \
    't,a.c,8,heap of f,64,10,1' \
    't,new.h,9,"heap of allocator<Slot>::allocate(long, void*) const",64,10,1' \
    't,new.h,9,"heap of allocator<double>::allocate(long, void*)",64,10,1' \
    't,a.c,10,stack of f::operator()(),64,10,1'
picture data data.csv 'Misses by data' 'a.c:8 heap of f' \
    'new.h:9 heap of ..Slot>::allocate' 'new.h:9 heap of ..uble>::allocate' \
    'a.c:10 stack of f::operator()'
for line in 1 2 3 4 5 6 7 8 9 10; do
    echo "t,a.c,$line,f,64,10,$line"
done >rows
table many.csv $annotate "$(cat rows)"
picture many many.csv 'all others' 'a.c:4 f' '!a.c:3 f'
echo u,a.c,1,f,64,10,1 >>many.csv
refuses '2 traces, expected one' plot many.csv -o x.svg

# ----------------------------------------------------------------- caches --
"$MARGAY" convert -q z.u64 - --to hex | awk '{ print NR % 3, $1 }' >z.din
"$MARGAY" assoc -q --sets 1..256 --ways 1,2,3 z.u64 -o assoc.csv
"$MARGAY" compare -q --sets 1..256 --ways 1,2,3 z.u64 -o compare.csv
mv curve.csv few.csv
"$MARGAY" curve -q z.u64 -o curve.csv
picture assoc assoc.csv 'Misses of set-associative caches' \
    'z.u64, 64-byte blocks' '1 way' '3 ways' 'cache size'
# A table without a policy, one with a spec that has a comma, and several.
cut -d, -f1-8 assoc.csv >assoc-old.csv
picture assoc-old assoc-old.csv
check 'old: the same picture' cmp -s assoc.svg assoc-old.svg
sed 's/,lru$/,"2q:in=0.5,out=1"/' assoc.csv >assoc-spec.csv
picture assoc-spec assoc-spec.csv 'z.u64, 64-byte blocks, 2q:in=0.5,out=1'
"$MARGAY" assoc -q --policy fifo,2q:in=0.5,out=1,lru --sets 1..256 --ways 1,2,3 \
    z.u64 -o three.csv
picture three three.csv '1 way, fifo' '3 ways, 2q:in=0.5,out=1' '2 ways, lru'
is 'a line for each policy and number of ways, one where some coincide' \
    "$(grep -c '<title>.*ways\{0,1\}, ' three.svg) $(grep -c ' way.*, ' three.txt)" \
    '8 9'
refuses '3 traces, block sizes or policies, expected one for a map' \
    plot --map three.csv -o map3.svg
"$MARGAY" assoc -q --by kind -b 64,128 --sets 1..256 z.din -o kinds.csv
picture kinds kinds.csv '16 ways, 128-byte blocks'
refuses '2 traces, block sizes or policies' plot --map kinds.csv -o x.svg
picture both 'assoc.csv curve.csv' 'fully associative' 'cache size in blocks'
picture other 'curve.csv assoc.csv'
check 'the order of tables does not matter' cmp -s both.svg other.svg
picture compare compare.csv 'predicted miss ratio' 'binomial'
picture causes '--causes compare.csv' 'Misses by cause' cold capacity conflict
picture map '--map assoc.csv' 'Miss ratio by sets and ways' 256
"$MARGAY" assoc -q -b 64 --sets 3,4,8,48 --ways 1..4 z.din -o odd.csv
picture odd '--map odd.csv' 3 48 '512 B' '1 KiB'
"$MARGAY" curve -q --writebacks z.din -o writebacks.csv
picture writebacks writebacks.csv 'z.din, 64-byte blocks'
# gnuplot's real() knows no exponent without a point before it.
run_columns=engine,references,seconds,refs_per_second,peak_bytes,nodes,accuracy
run_columns=$run_columns,max_error_log2,mean_abs_error_log2,max_error_linear
table engines.csv $run_columns,mean_abs_error_linear exact,2,0.5,4,9,9,1,0,0,0,0 \
    shards,2,0.4,5,9,9,1,1e-05,1e-05,1e-05,1e-05
picture engines engines.csv

# --------------------------------------------------------------- machines --
simulated=machine,trace,cache,references,misses,miss_ratio,fetches,fetch_misses
simulated=$simulated,reads,read_misses,writes,write_misses,writebacks
simulated=$simulated,prefetches,useful_prefetches,mpki,demand_references
simulated=$simulated,demand_misses,demand_miss_ratio,demand_mpki
simulated=$simulated,writebacks_received,victim_fills
counts=5,1,1,1,0,0,0
table machine.csv $simulated \
    "m,d/one.din,L1,9,3,0.3,2,1,$counts,500,9,3,0.3,500,0,0" \
    "m,d/one.din,L2,3,2,0.6,2,1,$counts,250,3,2,0.6,250,0,0" \
    "m,d/two.din,L1,9,3,0.3,2,1,$counts,400,9,3,0.3,400,0,0" \
    "m,d/two.din,L2,3,2,0.6,2,1,$counts,100,3,2,0.6,100,0,0"
picture machine machine.csv L1 L2 one.din two.din 'misses per 1000 instructions' \
    'Demand misses of each cache'
# Traffic: demand misses 4, other misses 5, prefetches 6 and write-backs 5, in 10
# instructions; half of that in the other machine's L2.
table traffic.csv "$simulated,L1.bytes,L1.ways" \
    m,t,L1,9,0,0,4,0,4,0,1,0,0,0,0,0,9,0,0,0,0,0,8192,4 \
    m,t,L2,9,9,1,4,4,4,3,1,2,5,6,0,900,4,4,1,400,5,0,8192,4 \
    m,t,L1,9,0,0,4,0,4,0,1,0,0,0,0,0,9,0,0,0,0,0,16384,4 \
    m,t,L2,18,9,0.5,8,4,8,3,2,2,5,6,0,450,8,4,0.5,200,10,0,16384,4
picture traffic '--traffic traffic.csv' 'Traffic below each cache' L2 '8 KiB, 4' \
    '16 KiB, 4' 'L1.bytes, L1.ways' prefetches 'demand misses' 'other misses' \
    'blocks per 1000 instructions' 2000 '!L1'
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
table none.csv $simulated m,t,L1,9,0,0,4,0,4,0,1,0,0,0,0,0,9,0,0,0,0,0
refuses 'no block went below a cache' plot --traffic none.csv -o x.svg
table ratios.csv "$simulated,L1.ways" \
    "m,t,L1,9,3,0.3,2,1,$counts,,9,3,0.3,,0,0,4" \
    "m,t,L1,9,2,0.2,2,1,$counts,,9,2,0.2,,0,0,8"
picture ratios ratios.csv t 'L1.ways 4' 'L1.ways 8' 'misses per reference'
# Twelve machines, of as many colours; a memory never misses; one too many.
{
    echo "$simulated,L1.bytes,L2.block_bytes,L2.ways"
    for k in 1 2 3 4 5 6 7 8 9 10 11 12; do
        echo "m,t,L1,9,3,0.3,2,1,$counts,,9,3,0.3,,0,0,$((8192 * k)),64,$k"
        echo "m,t,memory,3,0,0,2,0,$counts,,3,0,0,,0,0,$((8192 * k)),64,$k"
    done
} >twelve.csv
picture twelve twelve.csv L1 'L1.bytes 8 KiB, L2.block_bytes 64 B, L2.ways 1' \
    'L1.bytes 96 KiB, L2.block_bytes 64 B, L2.ways 12' '!memory'
is 'each has a colour' "$(grep -o "polygon fill = 'rgb([^)]*)" twelve.svg |
    sort -u | wc -l)" 12
echo "m,t,L1,9,3,0.3,2,1,$counts,,9,3,0.3,,0,0,5,64,13" >>twelve.csv
refuses '13 machines, expected at most 12; .*--pareto' plot twelve.csv -o x.svg

table front.csv machine,trace,bytes,access_cycles,front,L1.ways \
    m,d/one.din,1024,5,1,1 m,d/one.din,2048,4.5,1,2 m,d/one.din,4096,5.5,0,4
picture front front.csv 'one.din: 3 machines, 2 on the front' \
    'bytes of all caches' 'the front' 'other machines'
table fronts.csv machine,trace,bytes,access_cycles,front,L1.ways \
    m,one.din,1024,5,1,1 m,one.din,2048,4.5,1,2 m,one.din,4096,5.5,0,4 \
    m,two.din,1024,6,1,1 m,two.din,2048,6.5,0,2 m,two.din,4096,5.5,1,4
picture fronts fronts.csv '3 machines, 3 on the front of a trace' one.din two.din
is 'one entry of the key for all others' \
    "$(grep -c 'other machines' fronts.txt)" 1
table best.csv machine,trace,bytes,access_cycles,front m,t,1024,5,1
picture best best.csv '!other machines'
# Of the front 5 and 4 are below the line from 6 cycles to 3, with the logarithm
# of bytes, and 4 the farthest.
table knee.csv machine,trace,bytes,access_cycles,front,L1.bytes,L1.policy \
    m,t,1024,6,1,512,lru m,t,2048,5,1,1024,lru m,t,4096,3.2,1,3072,fifo \
    m,t,16384,3,1,9216,lru m,t,8192,7,0,9216,lru
picture knee knee.csv 'L1.bytes 3 KiB, L1.policy fifo' \
    '!L1.bytes 1 KiB, L1.policy lru'

# --------------------------------------------------- what a picture takes --
"$MARGAY" curve -q --window 5000 z.u64 -o windows.csv
for kind in windows policy assoc; do
    for option in --hit --labels '--x linear' '--y log' '--y linear' \
        '--yrange 0..0.5'; do
        picture $kind "$kind.csv $option"
    done
    refuses 'ratios go from .*: another --yrange is needed' \
        plot $kind.csv --yrange 2..3 -o x.svg
done
echo $curve >empty.csv
while IFS='|' read -r message arguments; do
    # shellcheck disable=SC2086 # several words
    refuses "$message" plot $arguments -o x.svg
done <<'EOP'
--hit: there is no such choice in this picture of policy.csv|--gain --hit policy.csv
--hit: there is no such choice in this picture of log2|log2.csv --hit
--labels: there is no such choice in this picture of log2|log2.csv --labels
--x: there is no such choice in this picture of log2|log2.csv --x log
--y: there is no such choice in this picture of log2|log2.csv --y log
--xrange: there is no such choice in this picture of log2|log2.csv --xrange 1..2
--yrange: there is no such choice in this picture of log2|log2.csv --yrange 0..1
--yrange: there is no such choice|--traffic --yrange 0..1 machine.csv
--x: 'logarithmic'|curve.csv --x logarithmic
a logarithmic axis begins above 0: --xrange|few.csv --xrange 0..4K
the axis would go from 512 to |few.csv --xrange 512..
sizes go from 64 to 256: another --xrange is needed|few.csv --xrange 1K..2K
sizes go from 64 to 256: another --xrange is needed|few.csv --xrange 1..63
ratios go from 0.2 to 0.9: another --yrange is needed|few.csv --yrange 2..3
ratios go from 0.2 to 0.9: another --yrange is needed|few.csv --yrange 0.95..
ratios go from 0.2 to 0.9: another --yrange is needed|few.csv --yrange 0.01..0.1
ratios go from 0.2 to 0.9: another --yrange|few.csv --y log --yrange 0.01..0.1
two.csv: --gain needs the policies lru and opt|--gain two.csv
curve.csv: --gain needs a table of 'margay curve --policy'|--gain curve.csv
--gain: found --map too, expected one picture|--gain --map policy.csv
policy.csv: --map needs a table of|--map policy.csv
--causes needs a table of|--causes assoc.csv
--causes: found --map too|--causes --map compare.csv
--traffic needs a table of|--traffic assoc.csv
--traffic: found --map too|--map --traffic assoc.csv
--map needs a table of|--map curve.csv
machine.csv: a picture of this kind shows one table|--traffic machine.csv machine.csv
another kind|policy.csv curve.csv
another kind|compare.csv curve.csv
empty.csv: no rows|empty.csv
EOP
for range in 5 5..5 5..1 .. a..b 1..b ..; do
    refuses "--xrange: '$range' .expected A.. or ..B, or A..B" \
        plot curve.csv --xrange "$range" -o x.svg
done

# ------------------------------------------------------------------ TikZ --
if ! echo 'set terminal tikz' | gnuplot 2>/dev/null; then
    skip 'TikZ' 'this gnuplot has no terminal tikz'
    finish
fi
cp z.u64 'a_b&c%d#e$f{g}.u64'
"$MARGAY" curve -q -f u64 z.u64 'a_b&c%d#e$f{g}.u64' -o names.csv
run plot names.csv -o names.tex --font ,8 --size 560x350 --title '~5^2 \x'
is 'a picture in TikZ' "$status$(cat out err)" 0
is 'begins as one' "$(head -n 1 names.tex)" '\begin{tikzpicture}[gnuplot]'
is 'and ends as one' "$(tail -n 1 names.tex)" '\end{tikzpicture}'
check 'a name as TeX takes it' grep -Fq 'a\_b\&c\%d\#e\$f\{g\}.u64};' names.tex
check 'a title, too' grep -Fq \
    '{\textasciitilde{}5\textasciicircum{}2 \textbackslash{}x};' names.tex
is 'no date, no version' "$(grep -c '^%%' names.tex)" 0
if command -v pdflatex >/dev/null &&
    kpsewhich gnuplot-lua-tikz.sty >/dev/null &&
    kpsewhich tikz.sty >/dev/null; then
    printf '%s\n' '\documentclass{article}' '\usepackage{gnuplot-lua-tikz}' \
        '\begin{document}' '\input{names.tex}' '\end{document}' >page.tex
    timeout 300 pdflatex -interaction=nonstopmode -halt-on-error page.tex \
        >tex.log 2>&1 </dev/null
    is 'LaTeX takes it' "$(grep -c '^!' tex.log) $(test -s page.pdf && echo page)" \
        '0 page'
else
    skip 'LaTeX takes it' 'no pdflatex, or no gnuplot-lua-tikz.sty'
fi
finish
