#!/bin/sh
# text.t - tables as text on a terminal, and as pictures; tests/frozen has the texts
. tests/sim/lib.sh

xz -dc "$root/tests/sample/walk.lackey.xz" >walk.lackey
letters dacbccgefafbcmtmacfbdcac >ids.lines

# -------------------------------------------------------------- terminal --
on_terminal() {
    script -qefc "$MARGAY $*" /dev/null </dev/null | tr -d '\r'
}
if command -v script >/dev/null; then
    like 'a terminal gets text' "$(on_terminal curve -q walk.lackey)" \
        'references; at most'
    like 'and CSV if that is asked for' \
        "$(on_terminal curve -q --csv ids.lines)" '^trace,block_bytes'
    like 'other tables, too' "$(on_terminal info -q ids.lines)" \
        '^references +24 *$'
    like 'but one with a row for each reference' \
        "$(on_terminal distances -q ids.lines)" '^trace,block_bytes'
    like 'no page' "$(on_terminal report ids.lines)" '-o FILE.html is needed'
else
    skip 'a terminal gets text' 'there is no script(1)'
fi

# --------------------------------------------------------------- pictures --
if command -v gnuplot >/dev/null; then
    run curve -q walk.lackey -o direct.svg
    "$MARGAY" curve -q walk.lackey -o table.csv
    "$MARGAY" plot table.csv -o table.svg
    check '-o x.svg draws the table' cmp -s direct.svg table.svg
    run plot walk.lackey -o trace.svg
    check 'plot analyses a trace first' cmp -s trace.svg table.svg
    run curve -q --csv walk.lackey -o forced.svg
    check '--csv: it is a table after all' cmp -s forced.svg table.csv
    run simulate -q --machine intel-skylake --vary L1D.ways=1..16,L2.bytes=128K..1M \
        -o no.svg \
        walk.lackey --limit 1000
    like 'also where a script refuses it' "$(cat err)" \
        '^margay simulate: no.svg: 20 machines, expected at most 12'
    run curve -q walk.lackey -o direct.SVG
    check 'suffixes of any case' cmp -s direct.SVG table.svg
    is 'an SVG has a title' "$(sed -n '/^<title>/p' direct.SVG)" \
        '<title>Misses of a fully associative LRU cache (walk.lackey, 64-byte blocks)</title>'
    run plot table.csv --title 'a<b & ü 𝄞' -o title.svg
    like 'with any characters' "$(cat title.svg)" '^<title>a&lt;b &amp; ü 𝄞 \('
else
    skip '-o x.svg draws the table' 'there is no gnuplot'
fi
finish
