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

# Places: each of a few sites makes its part of two runs, and one is in either.
# Expected: the overlap of each pair of histograms by itself, and their mean.
perl -e '
    require shift;
    seed(3);
    for my $run (0, 1) {
        open my $out, ">", "sites.$run.csv" or die;
        print $out "site,trace,block_bytes,distance_from,distance_to,references,share\n";
        for my $site (1 .. 12) {
            next if $site == 5 + $run;
            my %count = map { (draw(1 << draw(12)) => 1 + draw(500)) } 1 .. 6;
            %count = () if $site == 9 || ($site == 10 && $run);
            open my $own, ">", "site.$site.$run.csv" or die;
            print $own "trace,block_bytes,distance_from,distance_to,references,share\n";
            my $cold = draw(50);
            my @rows = ((map { [$_, $_ + 1, $count{$_}] } sort { $a <=> $b } keys %count),
                ["inf", "inf", $cold]);
            for (@rows) {
                printf $out "0x40%02x,t,64,%s,%s,%d,%.12g\n", $site, @$_, 0;
                printf $own "t,64,%s,%s,%d,%.12g\n", @$_, 0;
            }
        }
    }' "$root/tests/sim/draw.pl"
run overlap sites.0.csv sites.1.csv
mv out places
is 'a row for each site' "$(cut -d, -f1 places)" \
    "$(echo site; for site in 1 2 3 4 5 6 7 8 9 10 11 12; do printf '0x40%02x\n' $site; done)"
for site in 1 2 3 4 7 8 11 12; do
    echo "$(printf '0x40%02x' $site) $("$MARGAY" overlap site.$site.0.csv site.$site.1.csv)"
done >expected
is 'each is the overlap of its two histograms' \
    "$(awk -F, 'NR > 1 && $4 != "" && $4 != 0 { print $1 " " $4 }' places)" \
    "$(cat expected)"
is 'nothing in common where one run has no such site, or uses no block again' \
    "$(awk -F, '$1 ~ /0x40(05|06|0a)/ { print $4 }' places)" "$(printf '0\n0\n0')"
is 'no overlap where no run uses a block again' "$(sed -n '/^0x4009/s/.*,//p' places)" ''
mean=$(cat sites.0.csv sites.1.csv | awk -F, '
    $1 == "site" { run++; next }
    $4 != "inf" { all[run] += $6; of[run, $1] += $6; site[$1] = 1 }
    END { while ((getline line <"places") > 0) {
              split(line, f, ",");
              mean += f[4] * (of[1, f[1]] / all[1] + of[2, f[1]] / all[2]) / 2 }
          printf "%.9f", mean }')
is 'the mean is weighted by references' \
    "$(sed 's/.*mean overlap \([0-9.]*\) of 11 sites$/\1/' err | xargs printf %.9f)" "$mean"

# Shares whose sum is not quite 1 in binary.
head='trace,block_bytes,distance_from,distance_to,references,share'
printf '%s\n' $head t,64,0,1,4,0.222222222222 t,64,2,3,6,0.333333333333 \
    t,64,8,9,7,0.388888888889 t,64,inf,inf,1,0.0555555555556 >odd.csv
printf '%s\n' $head t,64,1,2,3,0.272727272727 t,64,4,5,4,0.363636363636 \
    t,64,16,17,1,0.0909090909091 t,64,32,33,2,0.181818181818 \
    t,64,inf,inf,1,0.0909090909091 >even.csv
run overlap odd.csv even.csv
is 'no bin in common' "$(cat out)" 0
finish
