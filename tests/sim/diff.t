#!/bin/sh
# diff.t - margay diff, against a comparison in Perl; tests/frozen has its words
. tests/sim/lib.sh

# Pairs of curves in shuffled order, and what their difference is: the table,
# and how many ratios rose by more than 0.01.
perl -e '
    require shift;
    seed(5);
    sub rows {
        my ($path, @rows) = @_;
        open my $out, ">", $path or die;
        print $out "trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio\n";
        print $out splice(@rows, draw(scalar @rows), 1) while @rows;
    }
    sub ratio { return sprintf "%.12g", $_[0] / 1000 }
    for my $case (1 .. 60) {
        my (@base, @new, @expected);
        my $worse = 0;
        for my $size (map { 1 << $_ } 0 .. draw(10)) {
            for my $trace ("a", "\"b,c\"") {
                my $misses = draw(1000);
                my $more = $misses + (0, 0, 10, 11, 200, -30)[draw(6)];
                $more = 0 if $more < 0;
                $more = 1000 if $more > 1000;
                my $key = "$trace,64,$size," . 64 * $size;
                my @r = (ratio($misses), ratio($more));
                push @base, "$key,1000,$misses,$r[0]\n";
                push @new, "$key,1000,$more,$r[1]\n";
                next if $more == $misses;
                $worse += $more - $misses > 10;
                push @expected, "$key,misses,$misses,$more," . ($more - $misses),
                    "$key,miss_ratio,$r[0],$r[1]," . sprintf "%.12g", $r[1] - $r[0];
            }
        }
        rows("$case.base.csv", @base);
        rows("$case.new.csv", @new);
        open my $out, ">", "$case.expected" or die;
        print $out map { "$_\n" } sort @expected;
        print $worse > 0 ? 1 : 0, " $worse\n";
    }' "$root/tests/sim/draw.pl" >verdicts
# A table without ratios is judged by its misses, of which each is a thousandth
# of the references.
case=0
differing=0
differing_counts=0
while read -r verdict worse; do
    case=$((case + 1))
    run diff --tolerance 0.01 "$case.base.csv" "$case.new.csv"
    told=$(sed -n 's/.*, \([0-9]*\) rose by more than 0.01.*/\1/p' err)
    tail -n +2 out | LC_ALL=C sort | cmp -s - "$case.expected" &&
        [ "$status $told" = "$verdict $worse" ] ||
        differing=$((differing + 1))
    for table in base new; do
        sed 's/,[^,]*$//' "$case.$table.csv" >$table.counts.csv
    done
    run diff --tolerance 0.01 base.counts.csv new.counts.csv
    told=$(sed -n 's/.*, \([0-9]*\) rose by more than 0.01 of the ref.*/\1/p' err)
    [ "$status $told" = "$verdict $worse" ] ||
        differing_counts=$((differing_counts + 1))
done <verdicts
is "$case pairs differ as they should" "$differing" 0
is 'and so do their misses alone' "$differing_counts" 0
is 'some are worse, some are not' "$(cut -d' ' -f1 verdicts | sort -u | tr '\n' ' ')" '0 1 '
finish
