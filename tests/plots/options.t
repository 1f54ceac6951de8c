#!/bin/sh
# options.t - how the options of margay plot change a picture
#
# An SVG's text can be read: labels, ticks and the points of lines.
. tests/sim/lib.sh
. "$root/tests/plots/texts.sh"

columns=trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio
{
    echo $columns
    printf '%s\n' d/a_1.u64,64,1,64,100,90,0.9 d/a_1.u64,64,2,128,100,60,0.6 \
        d/a_1.u64,64,4,256,100,20,0.2 'd/b.u64,64,1,64,100,80,0.8' \
        'd/b.u64,64,4,256,100,20,0.2'
} >curve.csv

# points NAME COLOUR: those of the line of that colour, as "X,Y X,Y ...".
points() {
    perl -ne 'if (/<path stroke=.rgb\(\s*([\d, ]+)\).*?d=.M(.*?) *\x27/) {
        ($colour, $points) = ($1, $2); $colour =~ s/ //g;
        $points =~ s/ L/ /g;
        if ($colour eq "'"$2"'") { print $points; exit } }' "$1.svg"
}

drawn usual curve.csv
shows usual 'Misses of a fully associative LRU cache' 'miss ratio' \
    '64-byte blocks' a_1.u64 b.u64 '64 B' '128 B' '256 B' 0.8

# A line stays at a size's ratio up to the next size.
is 'three sizes are five corners' "$(points usual 0,114,178 | wc -w)" 5
is 'and every piece goes straight on or straight down' \
    "$(points usual 0,114,178 | tr ' ' '\n' |
        awk -F, 'NR > 1 && $1 != x && $2 != y { n++ } { x = $1; y = $2 }
            END { print n + 0 }')" 0

drawn hit curve.csv --hit
shows hit 'Hits of a fully associative LRU cache' 'hit ratio'
is 'hits rise where misses fall' "$(points hit 0,114,178 | tr ' ' '\n' |
    awk -F, 'NR > 1 && $2 > y { n++ } { y = $2 } END { print n + 0 }')" 0

drawn linear curve.csv --x linear
shows linear '0 B' '64 B' '192 B' '256 B'
drawn log curve.csv --y log
shows log 0.1 0.2 0.5 1
drawn range curve.csv --xrange 128B..256 --yrange 0..0.1
lacks range '64 B'
shows range '128 B' 0.02
lacks range 0.2
drawn open curve.csv --yrange ..0.1
shows open 0.02

# Names at the ends of lines, in the order of the ends, and no legend.
drawn labels curve.csv --labels
shows labels a_1.u64
check 'labels: no sample of a line' sh -c '! grep -q "<title>b.u64<" labels.svg'
check 'the legend has one' grep -q '<title>b.u64<' usual.svg
awk -v columns=$columns 'BEGIN { print columns
    for (i = 1; i <= 60; i++) print "t" i ",64,1,64,100," i "," i / 100 \
        "\nt" i ",64,2,128,100,0,0" }' >many.csv
drawn many many.csv --labels
check 'too many names stand in a legend' grep -q '<title>t60<' many.svg

drawn untitled curve.csv --title none
lacks untitled 'Misses of a fully associative LRU cache'
lacks untitled '64-byte blocks'
shows untitled 'cache size'

# All pictures of ratios take all of it, and others say what they do not take.
"$MARGAY" generate zipf --refs 20000 --blocks 500 --unit 64 --to u64 -o z.u64
for table in 'curve --window 5000' 'curve --policy lru,fifo,opt' assoc; do
    # shellcheck disable=SC2086 # a command and options
    "$MARGAY" $table -q z.u64 -o table.csv
    for option in --hit --labels '--x linear' '--y log' '--y linear' \
        '--yrange 0..0.5'; do
        # shellcheck disable=SC2086
        run plot table.csv $option -o table.svg
        is "$table $option: drawn, nothing said" "$status$(cat out err)" 0
    done
done
"$MARGAY" curve -q --policy lru,fifo,opt z.u64 -o policy.csv
drawn gain policy.csv --gain --labels --yrange -0.5..1
shows gain -0.4
refuses '--hit: there is no such choice in this picture of policy.csv' \
    plot --gain --hit policy.csv -o x.svg
"$MARGAY" histogram -q z.u64 -o histogram.csv
for option in --hit --labels '--x log' '--y log' '--xrange 1..2' \
    '--yrange 0..1'; do
    # shellcheck disable=SC2086
    refuses "${option%% *}: there is no such choice in this picture of hist" \
        plot histogram.csv $option -o x.svg
done
refuses "--x: 'logarithmic'" plot curve.csv --x logarithmic -o x.svg
for range in 5 5..5 5..1 .. a..b 1..b ..; do
    refuses "--xrange: '$range' .expected A.. or ..B, or A..B" \
        plot curve.csv --xrange "$range" -o x.svg
done
refuses 'a logarithmic axis begins above 0: --xrange' \
    plot curve.csv --xrange 0..4K -o x.svg
refuses 'the axis would go from 4096 to ' plot curve.csv --xrange 4K.. -o x.svg
for range in 1K..2K 1..63; do
    refuses 'sizes go from 64 to 256: another --xrange is needed' \
        plot curve.csv --xrange $range -o x.svg
done
for option in '--yrange 2..3' '--yrange 0.95..' '--yrange 0.01..0.1' \
    '--y log --yrange 0.01..0.1'; do
    # shellcheck disable=SC2086
    refuses 'ratios go from 0.2 to 0.9: another --yrange is needed' \
        plot curve.csv $option -o x.svg
done
for table in 'curve --window 5000' 'curve --policy lru,fifo,opt' assoc; do
    # shellcheck disable=SC2086
    "$MARGAY" $table -q z.u64 -o table.csv
    refuses 'ratios go from .*: another --yrange is needed' \
        plot table.csv --yrange 2..3 -o x.svg
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
