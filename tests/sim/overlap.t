#!/bin/sh
# overlap.t - how alike two histograms are, against a sum in Perl
. tests/sim/lib.sh

# Histograms of random counts at random distances, and what their overlap is.
perl -e '
    require shift;
    seed(11);
    sub make {
        my ($path) = @_;
        my (%count, %bin, $all);
        $count{draw(1 << draw(20))} = 1 + draw(1000) for 0 .. draw(12);
        my $cold = draw(500);
        $all += $_ for values %count;
        for (keys %count) {
            my $bin = 0;
            $bin++ while $_ >> $bin;
            $bin{$bin} += $count{$_} / $all;
        }
        $all += $cold;
        open my $out, ">", $path or die;
        print $out "trace,block_bytes,distance_from,distance_to,references,share\n";
        printf $out "t,64,%d,%d,%d,%.12g\n", $_, $_ + 1, $count{$_}, $count{$_} / $all
            for sort { $a <=> $b } keys %count;
        printf $out "t,64,inf,inf,%d,%.12g\n", $cold, $cold / $all;
        return \%bin;
    }
    for my $case (1 .. 60) {
        my ($a, $b) = (make("$case.a.csv"), make("$case.b.csv"));
        my $overlap = 0;
        for (0 .. 64) {
            my ($x, $y) = ($a->{$_} // 0, $b->{$_} // 0);
            $overlap += $x < $y ? $x : $y;
        }
        printf "%d %.9f\n", $case, $overlap;
    }' "$root/tests/sim/draw.pl" >expected
while read -r case _; do
    echo "$case $("$MARGAY" overlap "$case.a.csv" "$case.b.csv")"
done <expected | awk '{ printf "%d %.9f\n", $1, $2 }' >got
check 'sixty pairs have the overlap that they should' cmp -s got expected
check 'it takes many values' test "$(cut -d' ' -f2 expected | sort -u | wc -l)" -gt 40

"$MARGAY" generate zipf --blocks 500 --refs 20000 --to lines -q -o a.lines
"$MARGAY" generate loop --blocks 300 --refs 20000 --to lines -q -o b.lines
for bins in exact log2 loglinear; do
    for trace in a b; do
        "$MARGAY" histogram -q --bins $bins $trace.lines -o $trace.$bins.csv
    done
done
for bins in exact log2 loglinear; do
    run overlap a.$bins.csv b.log2.csv
    cp out $bins.result
done
is 'bins within powers of two give the same' "$(cat log2.result loglinear.result)" \
    "$(cat exact.result exact.result)"
run overlap a.exact.csv a.exact.csv
is 'with itself' "$status $(cat out)" '0 1'
{ printf '\357\273\277' && sed 's/$/\r/' a.exact.csv; } >marked.csv
run overlap -q marked.csv a.exact.csv
is 'and as a spreadsheet writes it' "$status $(cat out)" '0 1'
run overlap -o file a.exact.csv b.exact.csv
is 'into a file' "$status $(cat file)" "0 $(cat exact.result)"
"$MARGAY" overlap - b.exact.csv <a.exact.csv >out
is 'from standard input' "$(cat out)" "$(cat exact.result)"

"$MARGAY" histogram -q --bins linear:100 a.lines -o linear.csv
"$MARGAY" histogram -q a.lines b.lines -o two.csv
"$MARGAY" generate scan --blocks 9 --refs 9 --to lines -q -o c.lines
"$MARGAY" histogram -q c.lines -o cold.csv
"$MARGAY" histogram -q --unit 64 a.lines -o sized.csv
sed '$d' a.exact.csv >cut.csv
sed '2s/,[0-9]*,/,x,/' a.exact.csv >damaged.csv
: >empty.csv
refuses 'linear.csv: found a bin from 0 to 100, .*no power of two' overlap a.exact.csv linear.csv
refuses 'two.csv: a second histogram, of b.lines' overlap two.csv a.exact.csv
refuses 'cold.csv: no finite distance' overlap cold.csv a.exact.csv
refuses 'sized.csv: found blocks of 64 bytes, expected blocks of unknown size' \
    overlap a.exact.csv sized.csv
refuses 'cut.csv:[0-9]+: .*is the table cut' overlap cut.csv a.exact.csv
refuses "damaged.csv:2: found block_bytes 'x'" overlap damaged.csv a.exact.csv
refuses 'empty.csv:1: found nothing' overlap a.exact.csv empty.csv
refuses 'none.csv' overlap none.csv a.exact.csv
refuses 'RUN.csv' overlap a.exact.csv
refuses 'RUN.csv' overlap a.exact.csv a.exact.csv a.exact.csv
finish
