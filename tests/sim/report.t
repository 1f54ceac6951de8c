#!/bin/sh
# report.t - a page of pictures, words and tables: whole, safe, and the numbers
# that the commands give
. tests/sim/lib.sh

"$MARGAY" generate zipf --refs 20000 --blocks 500 --exponent 0.9 --to din \
    --unit 64 -o zipf.din
"$MARGAY" generate loop --refs 3000 --blocks 100 --to lines -o loop.lis

# page FILE: its elements are closed in turn, it asks for no other file, and its
# tables are JSON; writes each table as CSV to FILE.N.
cat >page.pl <<'EOP'
use strict;
use warnings;
use JSON::PP;
my ($name) = @ARGV;
open my $file, '<:raw', $name or die;
local $/;
my $page = <$file>;
my $utf8 = $page;
utf8::decode($utf8) or die "no UTF-8\n";
die "asks for another file\n"
    if $page =~ /\b(?:src|srcset)\s*=|url\((?!#clip)|\@import|https?:|<link/;
my $number = 0;
while ($page =~ m{<script type="application/json" id="table(\d+)-rows">(.*?)</script>}sg) {
    die "tables out of turn\n" if $1 != ++$number;
    my $json = JSON::PP->new->allow_bignum->canonical;
    my $rows = $json->decode($2);
    open my $out, '>:raw', "$name.$number" or die;
    for my $row (split /\n/, $2) {
        # The fields in their order, which a hash has not.
        my @fields;
        while ($row =~ m{"(?:[^"\\]|\\.)*":("(?:[^"\\]|\\.)*"|[^,\}\]]+)}g) {
            my $field = $1;
            $field = '' if $field eq 'null';
            $field =~ s/^"(.*)"$/$1/;
            push @fields, $field;
        }
        print $out join(',', @fields), "\n" if @fields;
    }
}
$page =~ s{<(script|style)\b[^>]*>.*?</\1>}{}sg;
my @open;
my %void = map { $_ => 1 } qw(meta input br link);
while ($page =~ m{<(/?)([a-zA-Z0-9]+)((?:"[^"]*"|[^>"])*?)(/?)>}g) {
    my ($end, $element, $closed) = ($1, $2, $4);
    if ($end) {
        my $top = pop @open // 'nothing';
        die "</$element> closes <$top>\n" if $top ne $element;
    } elsif (!$closed && !$void{$element}) {
        push @open, $element;
    }
}
die "<$open[-1]> stays open\n" if @open;
EOP
is_page() {
    perl page.pl "$1" 2>err || return
    drawn "$1" >drawn.html || return
    [ ! -s drawn.html ] || perl page.pl drawn.html
}


# page NAME 'OPERAND...' PATTERN...: NAME.html is made without a word and whole, and
# what its script draws has each pattern; there lines end in blanks.
page() {
    page_name=$1 page_of=$2
    shift 2
    # shellcheck disable=SC2086 # several words
    run report -q $page_of -o "$page_name.html"
    wrong=$(cat err)
    [ "$status" = 0 ] || wrong="status $status, $wrong"
    is_page "$page_name.html" || wrong="$wrong; $(cat err)"
    [ -n "$node" ] || [ $# = 0 ] || skip "what $1 draws" 'no nodejs'
    for pattern; do
        [ -z "$node" ] || drawn "$page_name.html" | tr '\n' ' ' |
            grep -Eq -e "$pattern" || wrong="$wrong; no $pattern"
    done
    is "$page_name: report $page_of" "$wrong" ''
}

# ------------------------------------------------------------ of a trace --
page zipf '--policy lru,fifo -b 64,128 zipf.din' \
    'zipf.din, blocks of 64 bytes:</b> At most 50% of references miss from .*KiB. Misses stop'
same() { # NAME TABLE ARGUMENT...: the page's table is what the command writes
    name=$1 table=$2
    shift 2
    "$MARGAY" "$@" -q zipf.din | sed 1d >expected
    check "its numbers of $name are the command's" cmp -s expected "$table"
}
same curve zipf.html.1 curve -b 64,128 --sizes octave:64
same info zipf.html.2 info -b 64
same 'info --profile' zipf.html.3 info -b 64 --profile
same 'info --heatmap' zipf.html.4 info -b 64 --heatmap

# The map goes on until all blocks have room in 16 ways.
"$MARGAY" generate loop --refs 280000 --blocks 270000 --to u64 --unit 4096 \
    -o large.u64
run report -q -b 4096 -o large.html large.u64
is 'sets of a large trace' \
    "$(grep -o '"sets":[0-9]*' large.html | sort -u -t: -k2n | tail -n 1)" \
    '"sets":32768'
same 'curve --policy' zipf.html.5 curve -b 64,128 --policy lru,fifo
same histogram zipf.html.6 histogram -b 64,128 --bins log2
same compare zipf.html.7 compare -b 64,128 --ways 1,2,4,8,16
like 'it cuts the trace into windows' "$(sed -n '$p' zipf.html.8)" '^6[0-9],zipf'
same phases zipf.html.9 phases -b 64

"$MARGAY" report -b 64 --policy lru,fifo zipf.din 2>err >one.html
is 'one summary, of the miss curve' "$(sed 's/, [0-9.]* M refs.*//' err)" \
    'margay report: zipf.din: 20000 references in blocks of 64 bytes, 500 distinct blocks, 500 cold misses'
"$MARGAY" curve -q -b 64 --policy lru,fifo zipf.din >policies.csv
from() { # POLICY: the size from which on it misses 20% at most, in KiB
    awk -F, -v policy="$1" '$7 <= 0.2 && $8 == policy { print $4 / 1024; exit }' \
        policies.csv
}
shows like 'what policies need is told in words' "$(drawn one.html)" \
    "At most 20% miss with lru from $(from lru) KiB, with fifo from $(from fifo) KiB[.]"
page looks '--policy lru,opt,fifo -b 64 zipf.din' \
    'data-axis="x" checked> sizes</label> <label><input [^>]*data-axis="y" >'
shows is 'policies look as in other pictures, straight between sizes' \
    "$(drawn looks.html | grep -o 'stroke:[^"]*2.8" data-line="."\|stroke:#[^"]*" data-line="." d="M[^HV"]*L[^HV"]*"' |
        sed 's/ d="M.*L.*"/ straight/' | tr '\n' ' ')" \
    'stroke:var(--ink);stroke-dasharray:none;stroke-width:2.8" data-line="0" stroke:var(--ink);stroke-dasharray:8 3;stroke-width:2.8" data-line="1" stroke:#d55e00;stroke-dasharray:2 3;stroke-width:2" data-line="2" straight '

# Half of the references are to 20 blocks in turn, the others to 400 more.
awk 'BEGIN { for (k = 0; k < 40; k++) {
    for (i = 0; i < 400; i++) printf "0 %x\n", 64 * (i % 20)
    for (i = 0; i < 400; i++) printf "0 %x\n", 64 * (100 + i) } }' >two.din
page two two.din \
    '<b>two.din, blocks of 64 bytes:</b> At most 2% of references miss from 26.3 KiB. Misses stop falling steeply at 1.25 KiB .52.5% miss. and 26.3 KiB .1.31% miss.. 1.31% are first uses, which no cache avoids; 26.3 KiB avoid all other misses.</p>' \
    'data-axis="y" checked.*>100%<'
shows is 'the answer comes before the contents' \
    "$(drawn two.html | sed '/<nav/q' | grep -c 'class="answer"')" 1
# Its end is not known to be its floor.
"$MARGAY" curve -q --sizes 5,10,20,40,1000 two.din -o part.csv
page part part.csv \
    '62.5 KiB[.] Misses stop falling steeply at 1.25 KiB [(]52.5% miss[)][.]</p>'
shows is 'each picture says how to read it, and has buttons' \
    "$(drawn two.html | grep -c '<figcaption>') $(
        drawn two.html | grep -c '>How to read this:</b>') $(
        drawn two.html | grep -c 'data-save="PNG"')" '8 8 8'

# References of several blocks, of which windows count each once.
awk 'BEGIN { for (i = 0; i < 4000; i++) print i * i % 997 * 8, 8, 0, i }' >wide.arc
page wide wide.arc
like 'windows are of references as read' "$(sed -n '$p' wide.html.7)" '^6[0-9],wide'

# Several traces as one, in the order of their times.
for day in 1 2; do
    awk "BEGIN { print \"id,time\"
        for (i = 0; i < 900; i++) print i * i % 9$day \",\" 2 * i + $day }" >$day.csv
done
join='--join --column id=id,time=time 1.csv 2.csv'
page joined "$join"
# shellcheck disable=SC2086 # words
{ "$MARGAY" curve -q --sizes octave:64 $join && "$MARGAY" info -q $join; } |
    grep -v ^trace, | grep -v ^key, >expected
check 'traces as one' cmp -s expected - <<END
$(cat joined.html.1 joined.html.2)
END

# Several traces, two of them of one name.
mkdir a b
cp two.din a && cp zipf.din b/two.din
page several 'a/two.din loop.lis b/two.din'
is 'their sections are folded, under their base names' \
    "$(grep -o '^<details><summary>[^T<][^<]*' several.html | tr '\n' ' ')" \
    '<details><summary>two.din <details><summary>loop.lis <details><summary>two.din '
is 'and each has a link' "$(grep -c '^<li><a href' several.html)" 3
shows is 'first, there is a row for each' "$(drawn several.html | sed '/<nav/q' |
    grep -o '<th scope="row">.*' | sed 's/<[^>]*>/ /g; s/ *$//')" \
    ' two.din, table1, 64 B blocks  32,000  26.3 KiB  never  1.25 KiB (52.5% miss), 26.3 KiB (1.31% miss)  1.31%
 loop.lis, table9  3,000  100 blocks  never  100 blocks (3.33% miss)  3.33%
 two.din, table17, 64 B blocks  20,000  22.5 KiB  never  30.8 KiB (2.71% miss)  2.5%'
shows is 'and a line for each' "$(drawn several.html | sed '/<nav/q' |
    grep -c 'data-line="[012]" d=')" 3

# Two of one kind: what changed.
page change 'loop.lis zipf.din'
changed() { # FILE SIZE
    awk -F, -v size="$2" '$3 == size { printf "%.3g", 100 * $7 }' "$1"
}
"$MARGAY" curve -q --sizes pow2 loop.lis >loop.csv
"$MARGAY" curve -q --sizes pow2 zipf.din >zipf.csv
is 'sizes that both have, in words' "$(drawn change.html | sed '/<nav/q' |
    sed -n 's/.*<th scope="row">64 blocks<[^>]*><td>\([^%]*\)%<[^>]*><td>\([^%]*\)%.*/\1 \2/p' |
    head -n 1)" "$(changed loop.csv 64) $(changed zipf.csv 64)"
run report -q loop.csv loop.csv -o change.html
is 'one table twice is none to compare' "$(drawn change.html | grep -c 'What changed')" 0
cp loop.csv again.csv
page change 'loop.csv again.csv' \
    'From loop.csv to again.csv.*All [0-9]* caches miss as often as before'

# A trace that says which code made its references.
awk 'BEGIN { for (i = 0; i < 4000; i++)
    printf "0x%x: R 0x%x\n", 4096 + i % 3, 65536 + i * i % 997 * 64 }' >code.pinatrace
page code code.pinatrace
run annotate code.pinatrace
if grep -q 'without elfutils' err; then
    skip 'it has the lines of the program' 'built without libdw'
else
    like 'it has the lines of the program' "$(cat code.html.9)" \
        '^code.pinatrace,.*,0x1002,.*,1333,'
    check 'and nothing of data' test ! -e code.html.10
fi

# The lines around those that miss most, as text; and of no file.
printf '#if 0\n#endif // <script>\n' >around.c
printf 'int main(void)\n{\n    static char a[9999999];\n    long s = 0;\n' >>around.c
printf '    for (int i = 0; i < 2000000; i += 64)\n        s += a[i]; // </script><b>\n' >>around.c
printf '    return s == 1;\n}\n' >>around.c
"${CC:-cc}" -g -O0 -o around around.c
if ! "$MARGAY" record -q --method valgrind --sites -o around.mgt -- ./around 2>err ||
    ! "$MARGAY" report -q around.mgt -o around.html 2>err ||
    ! grep -q 'class="source"' around.html; then
    skip 'the lines around those that miss' 'no valgrind or libdw'
    skip 'they are escaped' 'no valgrind or libdw'
    skip 'a source that is not there' 'no valgrind or libdw'
else
    shows like 'the lines around those that miss' "$(drawn around.html | tr '\n' '|')" \
        '<h3>around.c:8 main</h3>|<p>Of all references, its misses are [0-9][^|]*|<pre tabindex="0"> 5 [^|]*|[^|]*|[^|]*|<b> 8 [^|]*</b>| 9      return'
    check 'they are escaped' is_page around.html
    mv around.c elsewhere.c
    "$MARGAY" report -q around.mgt -o around.html
    shows like 'a source that is not there' "$(drawn around.html)" \
        '<p>The source, .*around.c, is not here[.]</p>'
fi

# Lines of which nine own misses, seven of them a part of the picture.
{
    echo trace,file,line,function,cache_bytes,references,misses
    for line in 1 2 3 4 5 6 7 8 9; do
        echo "t,/s/a<b.c,$line,f,64,1000,$((100 - line))"
        echo "t,/s/a<b.c,$line,f,128,1000,$((line == 3 ? 7 : 0))"
    done
} >lines.csv
page lines lines.csv \
    '>In a cache of 64 B, 11.6% of the misses are of a&#60;b.c:1 f. In a cache of 128 B, 100% of the misses are of a&#60;b.c:3 f. <' \
    '</span> a&#60;b.c:7 f</li>.*part7"></span> other lines'
shows is 'the parts are shares of all references' \
    "$(drawn lines.html | grep -o 'class="part[0-7]"[^>]*><title>[^<]*' |
        sed 's/class="\([^"]*\)".*<title>/\1 /' | tr '\n' ' ')" \
    'part0 64 B: 1.1% part1 64 B: 1.09% part2 64 B: 1.08% part3 64 B: 1.07% part4 64 B: 1.06% part5 64 B: 1.04% part6 64 B: 1.03% part7 64 B: 2.03% part2 128 B: 0.0778% '
# More curves than a picture has lines.
{
    echo trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio,tenant,shared_misses
    for tenant in $(seq 30); do
        echo "t,64,1,64,100,$((50 + tenant)),0.$((50 + tenant)),who$tenant,90"
        echo "t,64,2,128,100,$tenant,0.1,who$tenant,$tenant"
    done
} >tenants.csv
page tenants tenants.csv
count() { # PATTERN FILE: in what a script draws
    drawn "$2" | grep -o "$1" | wc -l
}
shows is 'as many lines as have their looks, in two charts' \
    "$(count '<path class="line" style="[^"]*" data-line' tenants.html) $(
        drawn tenants.html | grep -o 'style="stroke:var(--c.*" data-line' |
            sort -u | wc -l)" '48 24'
shows is 'it says that others are left out' \
    "$(count '<p>Only the first 24 lines are drawn; the table' tenants.html)" 2
shows is 'and of how many curves it does not speak' \
    "$(count '<b>t, blocks of 64 bytes, tenant' tenants.html) $(count \
        '<p>These are the first 12 of 30 curves' tenants.html)" '12 1'
like 'it says how it was made' "$(cat zipf.html)" \
    'margay report -q --policy lru,fifo -b 64,128 zipf.din -o zipf.html'
"$MARGAY" report -q zipf.din >one.html
"$MARGAY" report -q -j 1 zipf.din >other.html
check 'the same page each time, for any number of threads' sh -c \
    'sed s/-j.1.// other.html | cmp -s - one.html'

page loop loop.lis 'cache in blocks'
page sample '--sample 0.2 zipf.din' 'A sample of 1 in 5 blocks \([0-9]+ of about' \
    'class="veil"' 'This is a sample of 1 in 5'
awk 'BEGIN { print "id,request"
    for (i = 0; i < 300; i++) print i * i % 60 + i % 7 "," int(i / 5) }' >asks.csv
asks='--tokens-per-block 16 --column id=id,request=request asks.csv'
page asks "$asks" 'blocks of 16 tokens on average' 'Tokens that hit'
is 'of requests there are no sets, places and phases' "$(grep -Eo \
    '<h2>(Set-ass|Places|Phases|Miss curve<)' asks.html)" ''
# shellcheck disable=SC2086 # several words
"$MARGAY" curve -q --requests $asks --tiers 4+8,16 -o tiers.csv
page tiers tiers.csv 'Hits of tiers, by their sizes' 'tier 2, 16 blocks' '>8 blocks'
: >empty.din
"$MARGAY" report -q -f din empty.din -o empty.html 2>err
check 'an empty trace has a page, too' is_page empty.html
printf 'time,id,size\n1,7,100\n2,8,50\n3,7,100\n' >sized.csv
page sized '--objects --column id=2,size=3 -f csv sized.csv' \
    'sized.csv:</b> .*of bytes miss.* 60% at 150 B' \
    'Bytes that miss a cache of objects'
"$MARGAY" curve -q --objects --window 2 --sizes 1MiB,32000KiB --column id=2,size=3 \
    -f csv sized.csv -o windows.csv
# Lines that coincide are one, with the names of both.
page windows windows.csv '<span>1 MiB and 31.25 MiB</span>'
page policies '--objects --policy lru,sieve --column id=2,size=3 -f csv sized.csv' \
    '<h2>Replacement policies<'

# ----------------------------------------------------------- of tables --
name='a<b>&"c'"'"
cp zipf.din "$name"
"$MARGAY" curve -q -b 64,128 ./"$name" -o curve.csv
"$MARGAY" assoc -q --sets 1..8 --ways 1..4 zipf.din -o assoc.csv
"$MARGAY" histogram -q loop.lis -o histogram.csv
run report curve.csv assoc.csv histogram.csv
is 'a report of tables' "$status $(cat err)" '0 '
mv out tables.html
check 'is whole, with any names in them' is_page tables.html
"$MARGAY" curve -q -b 64,128 zipf.din | sed 's/^[^,]*,//; 1d' >expected
check 'and has their numbers' sh -c \
    'sed "s/^.*,\([^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*\)$/\1/" tables.html.1 |
    cmp -s - expected'
{ printf '\357\273\277' && sed 's/$/\r/' assoc.csv; } >marked.csv
page marked marked.csv
check 'a table of a spreadsheet has the same numbers' cmp -s marked.html.1 tables.html.2
# A machine, with and without instructions; one of which a part varies; and
# programs that share a cache.
printf 'cache,holds,bytes,block_bytes,ways,next\nL1,all,4K,64,4,L2\nL2,all,16K,64,8,\n' >small.csv
simulate() {
    "$MARGAY" simulate -q --machine small.csv "$@" zipf.din
}
simulate -o machine.csv
simulate --instructions 40000 -o mpki.csv
simulate --vary L1.ways=2,4,8 -o vary.csv
misses() {
    awk -F, -v cache="$1" -v by="$2" '$3 == cache { printf by == 200 ? "%.3g" : "%.6g", $5 / by }' machine.csv
}
page machine machine.csv "L1: $(misses L1 200)%<.*L2: $(misses L2 200)%<" \
    "zipf.din:</b> Of all references, $(misses L1 200)% miss L1 and $(misses L2 200)% miss L2[.]"
awk -F, -v OFS=, 'NR > 1 { $13 = 7; $14 = 9; $18 = 5 } 1' machine.csv >written.csv
page written written.csv
shows like 'and what crosses below them' "$(drawn written.html | tr -d , | tr '\n' ' ')" \
    "Traffic below each cache<.*L1: 5<.*L1: $(($(misses L1 1) - 5))<.*L1: 9<.*L1: 7<.*>blocks<"
page mpki mpki.csv "L1: $(misses L1 40)<.*misses per 1000 instructions" \
    "Traffic below each cache<.*L1: $(misses L1 40)<.*>blocks per 1000 instructions<"
page vary vary.csv '>L1.ways</text>.*>demand miss ratio</text>.*data-line="1"'
sed '1s/$/,coherence_misses,true_sharing_misses,false_sharing_misses,invalidations,interventions,upgrades/
    2,$s/$/,0,0,0,0,0,0/' machine.csv >coherent.csv
page coherent coherent.csv "L1: $(misses L1 200)%<.*L2: $(misses L2 200)%<"
awk 'BEGIN { print "id,who"; for (i = 0; i < 900; i++) print i * i % 97 ",t" i % 3 }' \
    >tenants.csv
"$MARGAY" curve -q -f csv --column id=id --tenant who tenants.csv -o each.csv
page each each.csv
"$MARGAY" curve -q -f csv --objects --column id=id,size=id --tenant who tenants.csv -o own.csv
page own own.csv '<b>tenants.csv, tenant t2:</b>.*<span>t2</span>'
shows is 'tenants have a line and a sentence each' \
    "$(count '<b>tenants.csv, tenant t[012]:</b> At most' each.html) $(
        count 'style="stroke:var(--c2)[^"]*" data-line="2"' each.html) $(
        count '<figcaption>Misses of each tenant in a cache' each.html)" '3 2 2'
printf '%s\n' trace,phase,from,to,references,recurs,working_set_blocks \
    t,0,0,100,100,,7 t,1,100,400,300,,50 t,2,400,500,100,0,8 >phases.csv
page phases phases.csv \
    '3 phases of 2 kinds. Phase 1 takes longest, 60% of the references, and uses 50 blocks'
shows is 'a phase that recurs has the same colour' \
    "$(drawn phases.html | grep -o 'class="part[0-7] phase"' | tr '\n' ' ')" \
    'class="part0 phase" class="part1 phase" class="part0 phase" '
"$MARGAY" share -q histogram.csv histogram.csv -o share.csv
page share share.csv
shows is 'a shared cache has both divisions' \
    "$(count '<figcaption>Misses of programs that [a-z ]*the cache' share.html)" 2
printf '%s\n' machine,trace,bytes,access_cycles,front m,t,4096,1.5,1 >pareto.csv
run report -q pareto.csv -o pareto.html
is 'a table without references is one, too' \
    "$status $(grep -o '^<h2>[^<]*' pareto.html)" '0 <h2>Machines'
for head in machine,trace,cache,references,misses,miss_ratio,fetches,fetch_misses,reads,read_misses,writes,write_misses,writebacks,prefetches,useful_prefetches,mpki \
    trace,file,line,function,cache_bytes,references,misses \
    trace,phase,from,to,references,recurs,working_set_blocks \
    cache_blocks,cache_bytes,program,references,shared_misses,partition_blocks,partition_misses; do
    for value in nan -1 1e300 '' '</svg>'; do
        echo "$head"
        echo "$head" | sed "s|[^,]*|$value|g"
    done >nonsense.csv
    sed -i '1!{/^machine,\|^trace,\|^cache_bl/d}' nonsense.csv
    page nonsense nonsense.csv
done

printf 'trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio
\377</script><script>alert(1)</script>,64,1e999,nan,-1,007,0x10\n\001,,,,,,\n' \
    >hostile.csv
page hostile hostile.csv
is 'in which it stands as text' "$(grep -c '<script>alert' hostile.html)" 0

# ------------------------------------------------------------- refusals --
refuses '-: a report reads its input several times' report - <zipf.din
refuses 'missing operand' report
refuses 'nowhere.din: No such file' report nowhere.din
echo nonsense >broken.din
refuses 'broken.din:1: ' report -f din broken.din
printf 'trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio
x,64\n' >short.csv
refuses 'short.csv:2: found 2 fields, expected 7' report short.csv
refuses "'zipf.din' is the trace" report zipf.din -o zipf.din
cp zipf.html kept.html
"$MARGAY" report -q nowhere.din -o kept.html 2>/dev/null
check 'a failure leaves the page that was there' cmp -s kept.html zipf.html

# ------------------------------------------------------------- browsers --
# The page's script runs, and its cursor reads what the table says.
cat >probe.js <<'EOF'
const figure = document.querySelector("figure:has(.reading)");
const slider = figure.querySelector("input[type=range]");
slider.value = 3;
slider.dispatchEvent(new Event("input"));
const before = figure.querySelector("output").textContent;
const line = () => figure.querySelector("[data-line]").getAttribute("d");
const linear = line();
figure.querySelector(".scale[data-axis=y]").click();
figure.querySelector(".legend input").click();
let words = "READ " + before.split("\n").join("; ") + " SPOKEN "
    + slider.getAttribute("aria-valuetext") + " SCALED " + (line() !== linear)
    + " HIDDEN " + figure.querySelectorAll("svg[role=img] .off").length;
// What the buttons save, of which the picture takes a while.
const saved = [];
URL.createObjectURL = (blob) => { saved.push(blob); return "#"; };
HTMLAnchorElement.prototype.click = function() {
    words += " SAVED " + this.download;
    if (saved.length === 2)
        saved[0].text().then((text) => {
            words += " " + saved[1].type + " "
                + (saved[1].size > 9000 ? "drawn " : "empty ")
                + text.split("\n").length + "\n";
            document.body.textContent = words;
            if (window.dump)
                dump(words);
        });
};
// A zoom, and the way back.
const slid = () => `${slider.min} to ${slider.max}`;
const zoom = (name) => figure.querySelector(`[data-zoom="${name}"]`).click();
const [whole, all] = [line(), slid()];
zoom("+");
const near = slid();
zoom("\u25b8");
words += ` ZOOMED ${near !== all && slid() !== near && line() !== whole} `;
zoom("All");
words += line() === whole && slid() === all ? "BACK" : "LOST";
for (const button of figure.querySelectorAll("[data-save]"))
    button.click();
EOF
sed '/^<\/body>$/d; /^<\/html>$/d' zipf.html >probe.html
{
    echo '<script>{'
    cat probe.js
    echo '}</script></body></html>'
} >>probe.html
size=$(cut -d , -f 4 zipf.html.1 | sort -nu | sed -n 4p)
share=$(awk -F, -v size="$size" '$2 == 64 && $4 == size {
    printf "%.3g%%", 100 * $7 }' zipf.html.1)
read_off="READ $size B: ; 64 B blocks: $share; 128 B blocks: [0-9.]*% SPOKEN $size B: 128 B blocks: [0-9.]*% SCALED true HIDDEN 1 ZOOMED true BACK "
name=misses-of-a-fully-associative-lru-cache-over-its-size
saved="SAVED $name.csv SAVED $name.png image/png drawn $(($(wc -l <zipf.html.1) + 2))"

browser=$(command -v chromium || :)
if [ -z "$browser" ]; then
    skip 'the cursor reads what the table says' 'no chromium'
    skip 'buttons save tables and pictures' 'no chromium'
    skip 'the console has no word of the page' 'no chromium'
else
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
        --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$work/user" \
        --virtual-time-budget=9000 --enable-logging=stderr --dump-dom "file://$work/probe.html" \
        >dom 2>console
    like 'the cursor reads what the table says' "$(cat dom)" "$read_off"
    like 'buttons save tables and pictures' "$(cat dom)" "$saved"
    is 'the console has no word of the page' "$(grep -c CONSOLE console)" 0
fi

# Firefox says on its standard output what a page dumps, and what is wrong.
browser=$(command -v firefox-esr || command -v firefox || :)
if [ -z "$browser" ]; then
    skip 'the same in Firefox' 'no firefox'
    skip 'without errors' 'no firefox'
else
    mkdir profile
    echo 'user_pref("browser.dom.window.dump.enabled", true);' >profile/user.js
    HOME=$work timeout -k 5 120 "$browser" --headless --profile "$work/profile" \
        --window-size 390 --screenshot "$work/page.png" \
        "file://$work/probe.html" >console 2>&1
    like 'the same in Firefox' "$(cat console)" "$read_off$saved"
    is 'without errors' "$(grep -c 'error: file:' console)" 0
fi
finish
