#!/bin/sh
# live.t - curves of traces that do not end: what fades, and what is shown
. tests/sim/lib.sh

seq 1 40 | perl -ne 'print $_ x 3' >t.lines
run curve -q --sizes 1,2 --half-life 1M t.lines
is 'nothing fades in a part of a half-life' "$(cut -d, -f5- out)" \
    'references,misses,miss_ratio
120,40,0.333333333333
120,40,0.333333333333'

# Pieces of one reference, each of which halves what was before: 1 + 1/2 + 1/4.
perl -e 'print "$_\n" for 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2' >two.lines
run histogram -q --half-life 1 two.lines
is 'a half-life of one reference' "$(cut -d, -f3- out)" \
    'distance_from,distance_to,references,share
0,1,1,0.968718527787
inf,inf,0,0.0312814722129'
run curve -q --half-life 100 -j 4 t.lines
cp out one
run curve -q --half-life 100 -j 1 t.lines
check 'the number of threads does not matter' cmp -s out one

# ------------------------------------------------------------- Prometheus --
# Each line of the text exposition format, as its definition has them.
cat >exposition.pl <<'EOF'
use strict;
my (%type, %done, $now);
while (<STDIN>) {
    next if /^# HELP ([a-z_]+) [^\n]+$/;
    if (/^# TYPE ([a-z_]+) gauge$/) { die "twice: $1\n" if $type{$1}++; next }
    my ($name, $labels, $value) =
        /^([a-z_]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} ([0-9.e+-]+)$/
        or die "line $.: $_";
    die "no type: $name\n" unless $type{$name};
    die "apart: $name\n" if $done{$name};
    $done{$now} = 1 if defined $now && $now ne $name;
    $now = $name;
    my ($blocks) = $labels =~ /cache_blocks="(\d+)"/;
    my ($bytes) = $labels =~ /block_bytes="(\d+)"/;
    print join(',', $name, $bytes // '', $blocks // '', $value), "\n";
}
EOF
run curve -q --sizes pow2 --prometheus x.prom t.lines
perl exposition.pl <x.prom >samples
{
    sed 1d out | cut -d, -f3,7 | sed 's/^/margay_miss_ratio,,/'
    echo margay_references,,,120
} >expected
check 'the samples are the rows' cmp samples expected
"$MARGAY" generate zipf --refs 3000 --blocks 99 --seed 3 --to u64 -o '"\'
run curve --sizes pow2 --prometheus x.prom t.lines
like 'that the file is written once is said' "$(cat err)" \
    'x.prom: written once, in the end; --every N writes it'
run curve -q -f u64 -b 8,64 --prometheus x.prom --histogram h.csv '"\'
perl exposition.pl <x.prom >samples
is 'two block sizes, and a name with quotes' \
    "$status $(grep -c '^margay_miss_ratio,8,' samples) $(tail -n 1 samples)" \
    "0 $(grep -c ',8,[0-9]*,[0-9]*,3000,' out) margay_references,64,,3000"

name=$(printf 'n\303\251\377')
"$MARGAY" generate zipf --refs 3000 --blocks 99 --seed 3 --to u64 -o "$name"
run curve -q -f u64 -b 8 --prometheus x.prom "$name"
is 'bytes that are no UTF-8 are replaced' \
    "$(tail -n 1 x.prom)" \
    "$(printf 'margay_references{trace="n\303\251\357\277\275",block_bytes="8"} 3000')"

# While the trace goes on; the writer waits until the file is there.
mkfifo pipe
rm -f x.prom
"$MARGAY" curve -q -f lines --sizes 1,2 --every 120 --prometheus x.prom \
    --half-life 1M pipe >out 2>err &
process=$!
{
    cat t.lines
    await grep -q "} 120$" x.prom && cp x.prom early
    cat t.lines
} >pipe
wait $process
is 'the curve is there before the trace has ended' \
    "$? $(perl exposition.pl <early | tail -n 1)" '0 margay_references,,,120'
is 'and at its end' "$(perl exposition.pl <x.prom | tail -n 1)" \
    'margay_references,,,240'
rm -f x.prom
run curve -q --prometheus x.prom --sizes 1,2 missing.lines
is 'a run that fails leaves no file' "$status $(ls x.prom 2>&1 | wc -l)" '2 1'
check 'none' test ! -e x.prom

refuses "--half-life: '0'" curve --half-life 0 t.lines
refuses 'does not go with --window' curve --half-life 9 --window 3 t.lines
refuses 'does not go with --writebacks' curve --half-life 9 --writebacks t.lines
refuses 'does not go with --of time' histogram --half-life 9 --of time t.lines
refuses 'does not go with --by' histogram --half-life 9 --by thread t.lines
refuses 'no state that --save' curve --half-life 9 --save state t.lines
refuses 'a half-life are for exact' curve --half-life 9 -e olken t.lines
mkfifo fifo
refuses "'fifo' is not a regular file" \
    curve --prometheus fifo --every 9 t.lines
refuses 'for one trace at a time' curve --prometheus x.prom t.lines two.lines
refuses 'no use for --half-life' curve --from h.csv --half-life 3
refuses 'no use for --prometheus' curve --from h.csv --prometheus x.prom
refuses "'t.lines' is the trace" curve --prometheus t.lines t.lines
finish
