#!/bin/sh
# plot.t - pictures by gnuplot; a fake one shows what it is asked to do
. tests/sim/lib.sh

printf '0 10\n1 50\n0 10\n2 1000\n0 50\n' >good.din
"$MARGAY" curve -q -b 16,64 good.din -o curve.csv
"$MARGAY" histogram -q -b 16 good.din -o histogram.csv

# The scripts say what they draw, and so does help.
grep -ho '`margay [a-z -]*`' "$root"/plots/*.gp | tr -d '`' |
    sed 's/^margay //' | sort -u >drawn
"$MARGAY" help plot | sed -n 's/^  \([a-z].*[a-z]\)   *[a-z].*/\1/p' | sort >told
check 'help tells all that is drawn' cmp -s told drawn
diff drawn told | sed 's/^/#   /'
"$MARGAY" info -q good.din -o info.csv
"$MARGAY" generate zipf --refs 2000 --blocks 100 --to lines -o policies.lines -q
"$MARGAY" curve -q --policy lru,opt policies.lines -o policies.csv
sed '3s/lru/l ru/' policies.csv >blank.csv
refuses "blank.csv:3: column policy: found 'l ru', expected the spec of a policy" \
    plot blank.csv -o x.png
refuses "info.csv:1: found the columns 'key,value', of which there is no picture; expected a table of curve --policy, .*annotate, .*engines" \
    plot info.csv -o x.png

# Before the trace is looked for.
for options in 'info' 'info --profile' 'simulate --machine m --validate c' \
    distances; do
    refuses "--output: 'x.svg' .expected --csv or another name, as there is no picture of this table" \
        $options none.din -o x.svg
done
refuses "--output: 'x.svg' .expected --csv" engines -o x.svg

# ------------------------------------------------------------ a fake gnuplot --
mkdir scripts bin
touch scripts/picture.gp
cat >bin/gnuplot <<'EOF'
#!/bin/sh
# gnuplot -d -e SETTINGS -c SCRIPT PICTURE TABLE...
printf '%s\n' "$@" >arguments
case $(cat fails 2>/dev/null) in
status) echo partly >"$6"; echo 'line 1: what went wrong' >&2; exit 3 ;;
signal) kill -9 $$ ;;
sleeps)
    trap '' HUP INT TERM
    sh -c 'printf "%s\n" $PPID $$ >process; exec sleep 60'
    ;;
esac
case $3 in
*svg*) printf '<?xml version="1.0"?><svg>%060d picture</svg>\n\n' 0 ;;
*eps*) printf '%%!PS-Adobe-3.0 %060d %%%%EOF\n' 0 ;;
*pdf*) printf '%%PDF-1.5 %060d %%%%EOF\n' 0 ;;
*tex*) printf '\\begin{tikzpicture} %040d\n\\end{tikzpicture}\n%%%% gnuplot variables\n' 0 ;;
*png*) printf '\211PNG\r\n\032\n%060d\0\0\0\0IEND\256\102\140\202' 0 ;;
esac >whole
head -c "-$(cat shorter 2>/dev/null || echo 0)" whole >"$6"
EOF
chmod +x bin/gnuplot
fake() {
    status=0
    PATH=$work/bin:$PATH MARGAY_PLOTS=$work/scripts \
        "$MARGAY" plot "$@" >out 2>err || status=$?
}
for name in '<touch owned' '|touch owned' "'quoted" '-x' 'a b,"c' '@x' '$x'; do
    cp -- curve.csv "$name"
    fake -o "$name.svg" -- "$name"
    like "plot of $name: gnuplot gets a plain name" \
        "$status $(tail -n 1 arguments)" '^0 /proc/self/fd/[0-9]+$'
    check 'and writes a picture' cmp -s "./$name.svg" whole
done
fake curve.csv curve.csv -o two.png
is 'several files' "$(sed -n '1,5p;7,$s/[0-9]*$//p' arguments | tr '\n' ' ')" \
    "-d -e FORMAT = '.png'; KIND = 'curve'; array SHOWN[2]; SHOWN[1] = 'curve.csv'; SHOWN[2] = 'curve.csv';  -c $work/scripts/picture.gp /proc/self/fd/ /proc/self/fd/ "
like 'gnuplot knows no file of ours to write to' "$(sed -n 6p arguments)" \
    '^/proc/self/fd/[0-9]+$'
fake "$work/histogram.csv" -o x.pdf
is 'a histogram has its own script' \
    "$(sed -n '3p;7s/[0-9]*$//p' arguments | tr '\n' ' ')" \
    "FORMAT = '.pdf'; KIND = 'histogram'; array SHOWN[1]; SHOWN[1] = '$work/histogram.csv';  /proc/self/fd/ "
printf '1,7\n1,8\n2,7\n2,8\n2,9\n' >groups.data
"$MARGAY" curve -q --requests --column request=1,id=2 --tokens-per-block 16 \
    --groups full,window=32 groups.data -o groups.csv
fake groups.csv -o x.pdf
is 'a table of groups of layers has a picture' \
    "$status $(sed -n '3p' arguments)" \
    "0 FORMAT = '.pdf'; KIND = 'curve'; array SHOWN[1]; SHOWN[1] = 'groups.csv'; "
echo old >kept.png
ln -s kept.png link.png
fake curve.csv -o link.png
check 'a link is followed' cmp -s kept.png whole
is 'and stays one' "$(readlink link.png)" kept.png

# kept NAME MESSAGE: the last picture failed, in one line, and the old is there.
kept() {
    is "$1: status, picture" "$status $(cat kept.png)" '2 old'
    like 'and the message' "$(cat err)" "^margay plot: $2\$"
    is 'of one line' "$(wc -l <err)" 1
    check 'nothing is left behind' no_leftovers
}
echo old >kept.png
echo status >fails
fake curve.csv -o kept.png
kept 'when gnuplot fails' 'gnuplot failed with status 3: line 1: what went wrong'
echo signal >fails
fake curve.csv -o kept.png
kept 'when gnuplot dies' 'gnuplot died of signal 9'
rm fails

# What gnuplot wrote is trusted, not its status: it ends with 0 on a full disk.
for suffix in png svg pdf eps tex; do
    ln -sf kept.png link.$suffix
    for bytes in 3 40 90; do
        echo $bytes >shorter
        fake curve.csv -o link.$suffix
        kept "a $suffix cut by $bytes bytes" \
            "gnuplot ended with status 0, but what it drew is no whole $suffix file"
    done
done
rm shorter
ln -s /dev/full full.svg
fake curve.csv -o full.svg
like 'a full disk is noticed' "$status $(cat err)" \
    '^2 margay plot: full.svg: cannot write: No space left on device$'

# A signal ends gnuplot and its children first.
gone() {
    while read -r process; do
        ! lives "$process" || return 1
    done <process
}
written() {
    [ "$(wc -l <process)" = 2 ]
}
echo sleeps >fails
for signal in INT TERM HUP; do
    : >process
    PATH=$work/bin:$PATH MARGAY_PLOTS=$work/scripts \
        "$MARGAY" plot curve.csv -o kept.png >out 2>err &
    plotter=$!
    check 'gnuplot draws' await written
    kill -$signal $plotter
    ended $plotter
    is "SIG$signal: the picture" "$(cat kept.png)" old
    check 'nothing goes on' await gone
    check 'nothing is left behind' no_leftovers
done
rm fails
check 'nothing of all that was run' test ! -e owned

# ------------------------------------------------------------ the real one --
if ! command -v gnuplot >gnuplot.path; then
    skip 'pictures' 'gnuplot is not installed'
    finish
fi
for table in curve histogram; do
    for suffix in png svg pdf eps; do
        run plot $table.csv -o $table.$suffix
        is "$table.$suffix: status, messages" "$status $(cat err)" '0 '
        check "$table.$suffix: a picture" \
            test "$(wc -c <$table.$suffix)" -gt 999
    done
    check "$table.png is one" sh -c "head -c 4 $table.png | grep -q PNG"
    check "$table.svg is one" grep -q '<svg' $table.svg
    check "$table.eps is one" sh -c "head -c 4 $table.eps | grep -q %!PS"
    check "$table.pdf is one" sh -c "head -c 5 $table.pdf | grep -q %PDF-"
done
# A spreadsheet puts a byte order mark in front, and ends lines in CR LF.
mkdir marked
{ printf '\357\273\277' && sed 's/$/\r/' curve.csv; } >marked/curve.csv
(cd marked && "$MARGAY" plot -q curve.csv -o curve.svg)
check 'a table of a spreadsheet gives the same picture' \
    cmp -s curve.svg marked/curve.svg
# What a picture looks like.
title="Misses of 'this'; print 1"
run plot curve.csv -o styled.svg --title "$title" --size 640x400 \
    --font Serif,9 --legend below
is 'a picture with a title, a size and a font' "$status $(cat err)" '0 '
check 'the title is text' grep -Fq "<text>$title<" styled.svg
check 'the size' grep -q 'width="480" height="300"' styled.svg
check 'the font' grep -q 'font-family="Serif" font-size="9' styled.svg
"$MARGAY" plot curve.csv -o none.svg --legend none
"$MARGAY" plot curve.csv -o inside.svg --legend inside
for place in below none inside; do
    [ $place != below ] || "$MARGAY" plot curve.csv -o below.svg --legend below
    check "a legend $place" sh -c "! cmp -s $place.svg curve.svg"
done
is 'without a legend no label' "$(grep -c '<text>.*byte blocks' none.svg)" 0
for size in 99x400 400 400x 400x400x 1e3x500 x -5x500 20001x500; do
    refuses "--size: '$size' .expected two numbers" \
        plot curve.csv -o x.png --size "$size"
done
refuses "--font: 'x'" plot curve.csv -o x.png --font Serif,x
refuses "--legend: 'left'" plot curve.csv -o x.png --legend left

# Eighty-four lines, no two alike, are told by colour, dashes and marker.
awk 'BEGIN { print "trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio"
    for (i = 1; i <= 84; i++) for (size = 1; size < 5; size *= 2)
        print "t" i ",64," size "," 64 * size ",100," i "," i / 100 }' >many.csv
run plot many.csv --size 3000x2000 -o many.svg
is 'eighty-four lines' "$status $(cat err)" '0 '
is 'no two of them look alike' "$(perl -ne '
    ($line) = /<title>(t\d+)</ if /<title>/;
    $look{$line} = "$1 " . ($2 // "") if $line && /<path stroke=.(rgb.*?\)).( stroke-dasharray=\S+)?/;
    $look{$line} .= $1 if $line && /(#gpPt\d+)/ && $look{$line} !~ /#/;
    END { my %looks = map { ($_ => 1) } values %look; print scalar keys %looks }' many.svg)" 84
sed 's/,[0-9]*,[0-9.]*$/,50,0.5/' many.csv | sed -n 1,7p >same.csv
run plot same.csv -o same.svg
is 'lines that coincide have one name' \
    "$status $(cat err)$(grep -o '<text>.*t1 = t2.*</text>' same.svg)" \
    '0 <text>t1 = t2</text>'

# Standard input, and other files that can be read only once.
"$MARGAY" plot curve.csv -o curve.svg
"$MARGAY" curve -q -b 16,64 good.din | "$MARGAY" plot - -o pipe.svg 2>err
check 'curve | plot -' cmp -s pipe.svg curve.svg
run plot - histogram.csv -o pipe.svg <histogram.csv
is 'standard input beside a file' "$status$(cat err)" 0
mkfifo pipe
cat curve.csv >pipe &
feeder=$!
run plot pipe -o fifo.svg
check 'a FIFO' cmp -s fifo.svg curve.svg
ended $feeder
refuses 'standard input can be read only once' plot - - -o pipe.png
refuses '-: found nothing, expected a table' plot - -o pipe.png </dev/null
refuses '\.: cannot read: Is a directory' plot . -o pipe.png
refuses '-:1: found a row of more than 65536 bytes' plot - -o x.png </dev/zero
refuses '9 tables, expected at most 8' plot -o nine.png curve.csv curve.csv \
    curve.csv curve.csv curve.csv curve.csv curve.csv curve.csv curve.csv
cp curve.csv "odd 'name', with \"_quotes\".csv"
run plot "odd 'name', with \"_quotes\".csv" curve.csv -o odd.png
is 'an odd name' "$status $(cat err)" '0 '
check 'nothing is left behind' no_leftovers

# What would break a line, or the picture's text.
control=$(printf 'two\nlines\t\033[31m\001.din')
printf '0 10\n1 50\n0 10\n2 1000\n0 50\n' >"$control"
for table in curve 'curve --window 3' histogram assoc compare; do
    # shellcheck disable=SC2086 # a command and options
    "$MARGAY" $table -q -b 16 "$control" good.din -o control.csv
    cp control.csv "$(printf 'a\nb.csv')"
    for name in control.csv "$(printf 'a\nb.csv')"; do
        run plot "$name" -o control.svg
        is "$table of a name with control characters" "$status$(cat err)" 0
        check 'shows them as messages do' \
            grep -q '[^a-z]two?lines??\[31m?.din' control.svg
        is 'and is text' "$(tr -d '\t\n -~\200-\377' <control.svg)" ''
    done
done
printf 'name,from,to\n"a\nb",0,32\n' >map.csv
"$MARGAY" histogram -q --by region=map.csv good.din -o control.csv
run plot control.csv -o control.svg
is 'a region of such a name' "$status$(cat err)" 0
check 'is shown so, too' grep -q 'a?b' control.svg
sed 's/$/\r/' curve.csv >crlf.csv
run plot crlf.csv -o crlf.svg
is 'line ends of other programs' "$status$(cat err)" 0

# ---------------------------------------------------------------- numbers --
# What is no number is found before anything is drawn: some scripts would count
# for ever.
digits=$(printf '%0400d' 0 | tr 0 9)
"$MARGAY" curve -q --window 2 good.din -o windows.csv
"$MARGAY" phases -q good.din -o phases.csv
"$MARGAY" assoc -q good.din -o assoc.csv
printf 'name,from,to\na,0,32\n' >map.csv
"$MARGAY" histogram -q --by region=map.csv good.din -o region.csv
# spoiled TABLE COLUMN TEXT: the last row's field of that name.
spoiled() {
    awk -F, -v OFS=, -v column="$2" -v text="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
        NR > 1 { print last }
        { last = $0 }
        END { $0 = last; $at = text; print }' "$1.csv" >spoiled.csv
    rows=$(wc -l <spoiled.csv)
    status=0
    timeout 60 "$MARGAY" plot spoiled.csv -o spoiled.svg >out 2>err || status=$?
    is "$1: $2 of '$(printf %.9s "$3")': status" "$status" 2
    like 'the row and the column are named' "$(cat err)" \
        "^margay plot: spoiled.csv:$rows: column $2: found '.*', expected "
    is 'in one line' "$(wc -l <err)" 1
    check 'and nothing is drawn' absent spoiled.svg
}
for text in nan inf -1 x '' 0x10 1e400 "$digits"; do
    spoiled windows cache_blocks "$text"
    spoiled windows miss_ratio "$text"
done
for column in window references misses; do
    spoiled windows $column nan
done
spoiled phases recurs 1.5
spoiled phases working_set_blocks x
spoiled curve cache_bytes 0
spoiled curve block_bytes 18446744073709551616
spoiled assoc ways 65
spoiled assoc sets 0
spoiled histogram distance_from nan
spoiled histogram share 2
spoiled region distance_from x
sed '2s/,[0-9]*,[0-9]*,\([0-9]*,[^,]*\)$/,inf,1,\1/' region.csv >spoiled.csv
refuses "spoiled.csv:2: column distance_from: found 'inf'" \
    plot spoiled.csv -o x.svg
sed '3s/,[^,]*$//' curve.csv >spoiled.csv
refuses 'spoiled.csv:3: found 6 fields, expected 7' plot spoiled.csv -o x.svg
refuses 'no engine here knows its errors' plot - -o x.svg <<'EOF'
engine,references,seconds,refs_per_second,peak_bytes,nodes,accuracy,max_error_log2,mean_abs_error_log2,max_error_linear,mean_abs_error_linear
markers,2,0.5,4,20480,32,,,,,
EOF
finish
