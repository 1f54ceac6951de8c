#!/bin/sh
# plot.t - pictures by gnuplot; a fake one shows what it is asked to do
. tests/sim/lib.sh

printf '0 10\n1 50\n0 10\n2 1000\n0 50\n' >good.din
"$MARGAY" curve -q -b 16,64 good.din -o curve.csv
"$MARGAY" histogram -q -b 16 good.din -o histogram.csv
MARGAY_PLOTS=$root/plots
export MARGAY_PLOTS

# The scripts say what they draw, and so does help.
grep -ho '`margay [a-z -]*`' "$root"/plots/*.gp | tr -d '`' |
    sed 's/^margay //' | sort -u >drawn
"$MARGAY" help plot | sed -n 's/^  \([a-z].*[a-z]\)   *[a-z].*/\1/p' | sort >told
check 'help tells all that is drawn' cmp -s told drawn
diff drawn told | sed 's/^/#   /'
"$MARGAY" info -q good.din -o info.csv
refuses "info.csv:1: found the columns 'key,value', expected those of a table" \
    plot info.csv -o x.png

# ------------------------------------------------------------ a fake gnuplot --
mkdir scripts bin
touch scripts/curve.gp scripts/histogram.gp
cat >bin/gnuplot <<'EOF'
#!/bin/sh
printf '%s\n' "$@" >arguments
[ ! -e fails ] || { echo partly >"$4"; exit 3; }
echo picture >"$4"
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
    is "plot of $name: gnuplot gets a plain name" \
        "$status $(tail -n 1 arguments)" "0 ./$name"
    is "and writes a picture" "$(cat "./$name.svg")" picture
done
fake curve.csv curve.csv -o two.png
is 'several files' "$(sed -n '1,3p;5,$p' arguments | tr '\n' ' ')" \
    "-d -c $work/scripts/curve.gp ./curve.csv ./curve.csv "
like 'the temporary file has the suffix, too' "$(sed -n 4p arguments)" \
    '/\.margay-[0-9]+-0\.png$'
fake "$work/histogram.csv" -o x.pdf
is 'a histogram has its own script' \
    "$(sed -n '3p;5p' arguments | tr '\n' ' ')" \
    "$work/scripts/histogram.gp $work/histogram.csv "
echo old >kept.png
ln -s kept.png link.png
fake curve.csv -o link.png
is 'a link is followed' "$(cat kept.png) $(readlink link.png)" \
    'picture kept.png'
echo old >kept.png
touch fails
fake curve.csv -o kept.png
is 'when gnuplot fails: status, picture' "$status $(cat kept.png)" '2 old'
like 'and the message' "$(cat err)" \
    '^margay plot: gnuplot failed with status 3$'
check 'nothing is left behind' no_leftovers
check 'nothing of all that was run' test ! -e owned

# ------------------------------------------------------------ the real one --
if ! command -v gnuplot >gnuplot.path; then
    skip 'pictures' 'gnuplot is not installed'
    finish
fi
for table in curve histogram; do
    for suffix in png svg pdf; do
        run plot $table.csv -o $table.$suffix
        is "$table.$suffix: status, messages" "$status $(cat err)" '0 '
        check "$table.$suffix: a picture" \
            test "$(wc -c <$table.$suffix)" -gt 999
    done
    check "$table.png is one" sh -c "head -c 4 $table.png | grep -q PNG"
    check "$table.svg is one" grep -q '<svg' $table.svg
    check "$table.pdf is one" sh -c "head -c 5 $table.pdf | grep -q %PDF-"
done
refuses '-: can be read only once' plot - -o pipe.png
refuses 'can be read only once' plot /dev/null -o pipe.png
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
finish
