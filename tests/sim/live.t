#!/bin/sh
# live.t - curves of traces that do not end: what is shown
. tests/sim/lib.sh

seq 1 40 | perl -ne 'print $_ x 3' >t.lines

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
run curve -q -f u64 -b 8,64 --prometheus x.prom --histogram h.csv '"\'
perl exposition.pl <x.prom >samples
is 'two block sizes, and a name with quotes' \
    "$status $(grep -c '^margay_miss_ratio,8,' samples) $(tail -n 1 samples)" \
    "0 $(grep -c ',8,[0-9]*,[0-9]*,3000,' out) margay_references,64,,3000"

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
mkfifo fifo
refuses "'fifo' is not a regular file" \
    curve --prometheus fifo --every 9 t.lines
refuses "'t.lines' is the trace" curve --prometheus t.lines t.lines
finish
