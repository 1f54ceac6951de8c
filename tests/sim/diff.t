#!/bin/sh
# diff.t - margay diff, against a comparison in Perl
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

head='trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio'
printf '%s\n' $head a,,1,,1000,20,0.02 a,,2,,1000,10,0.01 >base.csv
printf '%s\n' $head a,,2,,1000,9,0.009 a,,1,,1000,30,0.03 >new.csv
run diff base.csv new.csv
is 'the table' "$(cat out)" "trace,block_bytes,cache_blocks,cache_bytes,column,base,new,change
a,,1,,misses,20,30,10
a,,1,,miss_ratio,0.02,0.03,0.01
a,,2,,misses,10,9,-1
a,,2,,miss_ratio,0.01,0.009,-0.001"
is 'the words' "$(cat err)" "margay diff: trace a, cache_blocks 1: miss_ratio rose from 0.02 to 0.03, by 0.01
margay diff: of 2 miss ratios, 1 rose by more than 0, 0 by less, and 1 fell, by at most 0.001"
is 'what is worse is denied' "$status" 1
run diff --tolerance 0.01 base.csv new.csv
is 'a rise by the tolerance is not' "$status" 0
run diff base.csv - <base.csv
is 'nothing differs' "$status $(wc -l <out)" '0 1'
run diff -o out.csv base.csv new.csv
is 'the table is written where a ratio rose' "$status $(wc -l <out.csv)" '1 5'
awk 'BEGIN { print "'$head'"; for (i = 1; i < 30; i++) print "a,," i ",,10,1,0.1" }' >many.csv
sed 's/1,0.1$/2,0.2/' many.csv >twice.csv
run diff many.csv twice.csv
is 'ten rises are told, the others counted' \
    "$(grep -c ' rose from ' err) $(grep -c 'and 19 more' err)" '10 1'
printf 'key,value\nformat,din\nreads,18446744073709551615\n' >one.csv
printf 'key,value\nformat,lackey\nreads,18446744073709551614\n' >other.csv
run diff one.csv other.csv
is 'texts, and large counts' "$status $(tail -n 2 out | tr '\n' ' ')" \
    '0 format,value,din,lackey, reads,value,18446744073709551615,18446744073709551614,-1 '
like 'no ratio is none' "$(cat err)" 'no miss ratios or misses'

printf 'machine,trace,cache,miss_ratio,L1.ways\nm,t,L1,0.5,1\nm,t,L1,0.4,2\n' >vary.csv
sed 's/0.4/0.45/' vary.csv >varied.csv
run diff vary.csv varied.csv
is 'varied values are keys' "$status $(cat out)" \
    '1 machine,trace,cache,L1.ways,column,base,new,change
m,t,L1,2,miss_ratio,0.4,0.45,0.05'

# Two recordings, of names of their own.
sed 's/^a,/b,/' new.csv >other.csv
run diff base.csv other.csv
is 'two traces: the table' "$status $(cat out)" "1 block_bytes,cache_blocks,cache_bytes,column,base,new,change
,1,,misses,20,30,10
,1,,miss_ratio,0.02,0.03,0.01
,2,,misses,10,9,-1
,2,,miss_ratio,0.01,0.009,-0.001"
is 'and the words' "$(head -n 2 err)" 'margay diff: a is compared with b
margay diff: cache_blocks 1: miss_ratio rose from 0.02 to 0.03, by 0.01'
run diff -q base.csv other.csv
is 'which are not said quietly' "$status $(cat err)" '1 '
sed '1d; s/^b/d/' other.csv | cat other.csv - >others.csv
sed '1d; s/^a/d/' base.csv | cat base.csv - >bases.csv
refuses 'others.csv: found 0 rows of trace a, cache_blocks 1' diff bases.csv others.csv
refuses 'others.csv: found 0 rows of trace a, cache_blocks 1, .* of base.csv$' \
    diff base.csv others.csv

refuses 'found key as column 1, expected trace as in base.csv' diff base.csv one.csv
sed '$d' base.csv >short.csv
refuses 'short.csv: found 0 rows of trace a, cache_blocks 2, expected 1, one for line 3 of base.csv' \
    diff base.csv short.csv
refuses 'short.csv: found 0 rows of .*, expected 1, one for line 3 of base.csv' \
    diff short.csv base.csv
refuses 'of cache_blocks 2, expected 1, .*; write both with the same list of --sizes' \
    diff short.csv other.csv
sed 's/^trace,/program,/' base.csv >program.csv
sed 's/^trace,/program,/; s/^a,/b,/' new.csv >programs.csv
refuses 'programs.csv: found 0 rows of program a' diff program.csv programs.csv

# Rows of the same keys, as a trace that is named twice has them.
sed p base.csv | sed 1d >twice.csv
refuses 'base.csv: found 1 row of trace a, cache_blocks 1, expected 2, one for line 3 of twice.csv' \
    diff twice.csv base.csv
printf '%s\n' $head a,,1,,1000,40,0.04 a,,2,,1000,10,0.01 a,,1,,1000,30,0.03 \
    a,,1,,1000,50,0.05 >three.csv
awk -F, 'NR == 1; NR == 3; { row[NR] = $0 } END { sub(/30,0.03/, "31,0.031", row[4])
    print row[2] ORS row[4] ORS row[5] }' three.csv >other.csv
run diff three.csv other.csv
is 'the second row of some keys is compared with the second' "$status $(cat out)" \
    '1 trace,block_bytes,cache_blocks,cache_bytes,column,base,new,change
a,,1,,misses,30,31,1
a,,1,,miss_ratio,0.03,0.031,0.001'

# A ratio that only one of the tables has is no better than one that rose.
sed 's/0.02$//' base.csv >empty.csv
run diff --tolerance 1 base.csv empty.csv
is 'a ratio that is gone is denied' "$status $(cat err)" \
    '1 margay diff: trace a, cache_blocks 1: miss_ratio is empty, and was 0.02
margay diff: of 1 miss ratio, 0 rose by more than 1, 0 by less, and 0 fell'
run diff empty.csv base.csv
is 'and so is one that was not there' "$status $(head -n 1 err)" \
    '1 margay diff: trace a, cache_blocks 1: miss_ratio is 0.02, and was empty'
run diff empty.csv empty.csv
is 'one that neither has is not' "$status" 0

# Misses, in a table without ratios.
lines='trace,file,line,function,cache_bytes,references,misses'
printf '%s\n' $lines t,a.c,1,f,64,1000,20 t,a.c,2,f,64,0,0 >lines.csv
sed 's/1000,20/5000,22/; s/0,0$/9,1/' lines.csv >more.csv
run diff lines.csv more.csv
is 'more misses are worse, however many references' "$status $(cat err)" \
    '1 margay diff: trace t, file a.c, line 2, function f, cache_bytes 64: misses rose from 0 to 1, of 0 references
margay diff: trace t, file a.c, line 1, function f, cache_bytes 64: misses rose from 20 to 22, of 1000 references
margay diff: of 2 counts, 2 rose by more than 0 of the references, 0 by less, and 0 fell'
sed 's/9,1$/0,0/' more.csv >some.csv
run diff --tolerance 0.002 lines.csv some.csv
is 'the tolerance is a part of the references' "$status" 0
run diff --tolerance 0.0019 lines.csv some.csv
is 'and not more' "$status" 1
sed 's/22$/18446744073709551615/' more.csv >most.csv
sed 's/22$/18446744073709551614/' more.csv >less.csv
run diff less.csv most.csv
is 'counts are compared exactly' "$status" 1
sed 's/22$/x/' more.csv >wrong.csv
refuses "wrong.csv:2: found misses 'x', expected a count" diff lines.csv wrong.csv

run diff -q lines.csv more.csv
is 'quiet: the table and the status, no words' "$status $(wc -l <out) $(cat err)" '1 5 '

# What a spreadsheet writes: a byte order mark, and lines that end in CR LF.
{ printf '\357\273\277' && sed 's/$/\r/' base.csv; } >marked.csv
run diff base.csv marked.csv
is 'a table of a spreadsheet is the same' "$status $(wc -l <out)" '0 1'
run diff base.csv - <marked.csv
is 'on standard input, too' "$status $(wc -l <out)" '0 1'
printf '\357\273\277' >mark.csv
refuses 'mark.csv: found nothing' diff base.csv mark.csv
sed '1s/^/\xef\xbb\xbf/' marked.csv >marks.csv
refuses 'marks.csv:1: found .*, expected trace as in base.csv' diff base.csv marks.csv

sed 's/0.02/nan/' base.csv >nan.csv
refuses "nan.csv:2: found miss_ratio 'nan', expected a number" diff base.csv nan.csv
sed '2s/[^,]*$/1.5/' nan.csv >high.csv
refuses "high.csv:2: found miss_ratio '1.5', expected a number from 0 to 1" \
    diff base.csv high.csv
sed 's/0.02/0.02,/' base.csv >long.csv
refuses 'long.csv:2: found 8 fields, expected 7' diff long.csv base.csv
echo 'a,b' >unknown.csv
refuses 'unknown.csv:1: found no column that tells rows apart' diff unknown.csv unknown.csv
refuses 'null: found nothing' diff base.csv /dev/null
refuses 'none.csv' diff none.csv base.csv

# What a level of a machine misses for write-backs and victims is no regression.
head=machine,trace,cache,references,misses,miss_ratio,demand_references
head=$head,demand_misses,demand_miss_ratio
printf '%s\n' $head m,t,L3,100,40,0.4,90,30,0.33 >before.csv
printf '%s\n' $head m,t,L3,200,120,0.6,90,30,0.33 >after.csv
run diff before.csv after.csv
is 'of a machine the demand counts' "$status" 0
printf '%s\n' $head m,t,L3,100,40,0.4,90,36,0.4 >after.csv
run diff before.csv after.csv
is 'and is told' "$status $(grep -c 'demand_miss_ratio rose' err)" '1 1'
finish
