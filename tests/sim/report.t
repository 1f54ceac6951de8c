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
    if $page =~ /\b(?:src|srcset)\s*=|url\(|\@import|https?:|<link/;
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
    perl page.pl "$1" 2>err
}

# ------------------------------------------------------------ of a trace --
run report -q --policy lru,fifo -b 64,128 zipf.din -o zipf.html
is 'a report of a trace' "$status $(cat err)" '0 '
check 'its page is whole' is_page zipf.html
same() { # NAME TABLE ARGUMENT...: the page's table is what the command writes
    name=$1 table=$2
    shift 2
    "$MARGAY" "$@" -q zipf.din | sed 1d >expected
    check "its numbers of $name are the command's" cmp -s expected "$table"
}
same info zipf.html.1 info -b 64
same curve zipf.html.2 curve -b 64,128
same 'curve --policy' zipf.html.3 curve -b 64,128 --policy lru,fifo
same histogram zipf.html.4 histogram -b 64,128 --bins log2
same compare zipf.html.5 compare -b 64,128 --ways 1,2,4,8,16
like 'it cuts the trace into windows' "$(sed -n '$p' zipf.html.6)" '^6[0-9],zipf'

# References of several blocks, of which windows count each once.
awk 'BEGIN { for (i = 0; i < 4000; i++) print i * i % 997 * 8, 8, 0, i }' >wide.arc
run report -q wide.arc -o wide.html
is 'a report of wide references' "$status $(cat err)" '0 '
check 'its page is whole' is_page wide.html
like 'windows are of references as read' "$(sed -n '$p' wide.html.5)" '^6[0-9],wide'

# A trace that says which code made its references.
awk 'BEGIN { for (i = 0; i < 4000; i++)
    printf "0x%x: R 0x%x\n", 4096 + i % 3, 65536 + i * i % 997 * 64 }' >code.pinatrace
run report -q code.pinatrace -o code.html
is 'a report of a trace with sites' "$status $(cat err)" '0 '
check 'its page is whole' is_page code.html
run annotate code.pinatrace
if grep -q 'without elfutils' err; then
    skip 'it has the lines of the program' 'built without libdw'
else
    like 'it has the lines of the program' "$(cat code.html.6)" \
        '^code.pinatrace,.*,0x1002,.*,1333,'
fi
like 'it says how it was made' "$(cat zipf.html)" \
    'margay report -q --policy lru,fifo -b 64,128 zipf.din -o zipf.html'
like 'and what the curve says' "$(cat zipf.html)" \
    'blocks of 64 bytes: The curve falls most at .* At most 50% miss from '
"$MARGAY" report -q zipf.din >one.html
"$MARGAY" report -q -j 1 zipf.din >other.html
check 'the same page each time, for any number of threads' sh -c \
    'sed s/-j.1.// other.html | cmp -s - one.html'

run report -q loop.lis -o loop.html
check 'ids have no bytes' is_page loop.html
like 'and sizes in blocks' "$(cat loop.html)" 'cache in blocks'
: >empty.din
run report -q -f din empty.din -o empty.html
is 'an empty trace' "$status" 0
check 'has a page, too' is_page empty.html
printf 'time,id,size\n1,7,100\n2,8,50\n3,7,100\n' >sized.csv
run report -q --objects --column id=2,size=3 -f csv sized.csv -o sized.html
is 'a report of objects' "$status $(cat err)" '0 '
check 'is whole' is_page sized.html
like 'and shows bytes' "$(cat sized.html)" 'Bytes that miss a cache of objects'
run report -q --objects --policy lru,sieve --column id=2,size=3 -f csv sized.csv \
    -o policies.html
like 'policies have a section of their own' "$(grep '<h2' policies.html)" \
    '>Replacement policies<'

# ----------------------------------------------------------- of tables --
name='a<b>&"c'"'"
cp zipf.din "$name"
"$MARGAY" curve -q -b 64,128 ./"$name" -o curve.csv
"$MARGAY" assoc -q --sets 1..8 --ways 1..4 zipf.din -o assoc.csv
"$MARGAY" histogram -q loop.lis -o histogram.csv
run report curve.csv assoc.csv histogram.csv
is 'a report of tables' "$status $(cat err)" '0 '
mv out tables.html
check 'is whole, whatever names stand in them' is_page tables.html
"$MARGAY" curve -q -b 64,128 zipf.din | sed 's/^[^,]*,//; 1d' >expected
check 'and has their numbers' sh -c \
    'sed "s/^.*,\([^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*\)$/\1/" tables.html.1 |
    cmp -s - expected'
{ printf '\357\273\277' && sed 's/$/\r/' assoc.csv; } >marked.csv
run report -q marked.csv -o marked.html
is 'a table of a spreadsheet is one' "$status $(cat err)" '0 '
check 'is whole, too' is_page marked.html
check 'and has the same numbers' cmp -s marked.html.1 tables.html.2
printf 'trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio
\377</script><script>alert(1)</script>,64,1e999,nan,-1,007,0x10\n\001,,,,,,\n' \
    >hostile.csv
run report hostile.csv -o hostile.html
is 'a table of nonsense' "$status $(cat err)" '0 '
check 'makes a whole page' is_page hostile.html
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

# -------------------------------------------------------------- a browser --
# The page's script runs, and its cursor reads what the table says.
browser=$(command -v chromium || :)
if [ -z "$browser" ]; then
    skip 'the cursor reads what the table says' 'no chromium'
    skip 'boxes hide lines' 'no chromium'
    skip 'the console has no word of the page' 'no chromium'
else
    cat >probe.js <<'EOF'
const figure = document.querySelector("figure.chart");
const slider = figure.querySelector(".reading input");
slider.value = 3;
slider.dispatchEvent(new Event("input"));
const before = figure.querySelector("output").textContent;
figure.querySelector(".legend input").click();
document.body.textContent = "READ " + before.split("\n").join("; ") + " HIDDEN "
    + figure.querySelectorAll("svg[data-from] .off").length;
EOF
    sed '/^<\/body>$/d; /^<\/html>$/d' zipf.html >probe.html
    {
        echo '<script>'
        cat probe.js
        echo '</script></body></html>'
    } >>probe.html
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
        --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$work/user" \
        --enable-logging=stderr --dump-dom "file://$work/probe.html" \
        >dom 2>console
    size=$(cut -d , -f 4 zipf.html.2 | sort -nu | sed -n 4p)
    ratio=$(sed -n "s/^[^,]*,64,[^,]*,$size,[^,]*,[^,]*,//p" zipf.html.2)
    like 'the cursor reads what the table says' "$(cat dom)" \
        "READ cache_bytes $size; 64 B blocks: miss_ratio $ratio;"
    like 'boxes hide lines' "$(cat dom)" 'HIDDEN 2'
    is 'the console has no word of the page' "$(grep -c CONSOLE console)" 0
fi
finish
