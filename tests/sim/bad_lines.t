#!/bin/sh
# bad_lines.t - lines that cannot be read are passed over, counted and named
. tests/sim/lib.sh

# The warning's count and the first line that it names; 0 without a warning.
said() {
    sed -n 's/^margay [a-z]*: [^:]*: \([0-9]*\) lines\{0,1\} could not be read.*: [^ :]*:\([0-9]*\): found.*/\1 \2/p' err |
        grep . || echo 0
}

# spoil FORMAT SEED BAD...: bad lines between those of standard input.  What is
# left out is the good trace, and `bad` has the numbers of the bad lines.
spoil() {
    perl -e 'my ($name, $seed, @bad) = @ARGV;
        srand $seed;
        open my $bad, ">", "bad";
        my $often = 2 + int rand 30;
        while (my $line = <STDIN>) {
            my $header = $name eq "table" && $. == 1;
            while (!$header && !int rand $often) {
                my $text = $bad[rand @bad];
                $text = "x" x (60000 + rand 300000) if $text eq "long";
                $text = "a\0b" if $text eq "nul";
                print "$text\n";
                print $bad ++$number, "\n";
            }
            print $line;
            $number++;
        }' "$@"
}

# same NAME OPTION... TRACE: what the spoilt trace gives is what the good one
# does, from a file and a pipe, with any number of threads; one line too many is
# named, and so is the first.
same() {
    name=$1
    shift
    lines=$(wc -l <bad) first=$(head -n 1 bad)
    "$MARGAY" "$@" good >expected 2>err || check "$name: the good trace" false
    sed 's/^good,/spoilt,/' expected >expected.file
    sed 's/^good,/-,/' expected >expected.pipe
    for threads in 1 4; do
        run "$@" -q -j $threads --bad-lines all spoilt
        check "$name: a file, -j $threads" cmp -s out expected.file
        is "$name: said, -j $threads" "$status $(said)" "0 $lines $first"
    done
    mkfifo "$name.pipe"
    cat spoilt >"$name.pipe" &
    run "$@" -q --bad-lines "$lines" - <"$name.pipe"
    wait $!
    check "$name: a pipe" cmp -s out expected.pipe
    is "$name: said of a pipe" "$status $(said)" "0 $lines $first"
    run "$@" --bad-lines $((lines - 1)) spoilt
    is "$name: one too many" "$status $(wc -c <out) $(wc -l <err)" '2 0 1'
    like "$name: which" "$(cat err)" \
        "spoilt:$(tail -n 1 bad): found .*first was line $first\$"
    run "$@" spoilt
    like "$name: none without the option" "$status $(cat err)" \
        "^2 .*spoilt:$first: found"
}

"$MARGAY" generate zipf --refs 4000 --blocks 300 --unit 64 --to din -o a.din
for format in din lackey ls id hex xdin lines arc; do
    "$MARGAY" convert -q --unit 512 a.din good --to $format
    spoil $format 7 '?' '0x x 1' 'r q 7' long nul '- -' <good >spoilt
    same $format curve --sizes pow2 -f $format
done

# Tables, one of whose columns is a size; an id in quotes may hold newlines.
perl -e 'srand 3; print "time,key,bytes\n"; for (1 .. 3000) {
    my $k = int rand 200; my $text = $k % 3 ? $k : "\"k\n$k\"";
    printf "%d,%s,%d\n", $_, $text, 10 + $k }' >good
spoil table 9 '1,2' '1,2,x' 'a"b,c"d,4' '7,,1' 'y,1,1' long nul <good >spoilt.lines
# A bad line within a row in quotes would be part of the row.
perl -ne 'if (/^\d+,"k$/ .. /^\d+"/) { next unless /^\d+,"k$|^\d+"/ } print' \
    spoilt.lines >spoilt
perl -e 'open my $good, "<", "good"; my @good = <$good>; open my $in, "<", "spoilt";
    open my $bad, ">", "bad"; my $next = 0; my $number = 0;
    while (<$in>) { $number++; if (defined $good[$next] && $_ eq $good[$next]) { $next++ } else { print $bad "$number\n" } }'
same table curve --objects --column id=key,size=bytes,time=time

# A line with several keys is left out whole.
cat >spoilt <<'END'
OK
1700000000.1 [0 127.0.0.1:1] "mget" "1" "2" "3"
1700000000.2 [0 127.0.0.1:1] "mget" "4" "5" "6
1700000000.3 [0 127.0.0.1:1] "mset" "1" "x" "7" y
OK
1700000000.4 [0 127.0.0.1:1] "get" "2"
END
run distances -f redis --bad-lines all spoilt
is 'redis: no half of a line, and a second OK' "$(cut -d, -f4- out | tr '\n' ' ')" \
    'block,distance 1,inf 2,inf 3,inf 2,1 '
is 'redis: said' "$(said)" '2 3'
grep -v '"6$\| y$' spoilt >good
run curve -q good
is 'redis: a second OK is no fault' "$status $(wc -c <err)" '0 0'

# Tenants of bad rows are none.
printf 'time,device,key,size\n1,a,1,4\n2,b,2,x\n3,c,3,4\n' >spoilt.csv
run curve -q --sizes 1 --column id=key,size=size --tenant device \
    --bad-lines 1 spoilt.csv
is 'no tenant of a bad row' "$(grep -c ',[ac],' out) $(grep -c ',b,' out)" '2 0'

# The first row of a table: one that was held back, and ones before the names.
printf 'key,method\na,get\nb,get\na,set\n' >spoilt.csv
run distances -q --column id=1,op=2 --bad-lines 1 spoilt.csv
is 'a first row that is found bad late' "$(cut -d, -f5 out | tr '\n' ' ')" \
    'distance inf inf 1 '
printf 'starting\n\n#\nkey,op\na,get\nb,get\na,set\n' >spoilt.csv
run distances -q --column id=key,op=op --bad-lines 2 spoilt.csv
is 'lines before the names' "$(cut -d, -f5 out | tr '\n' ' ') $(said)" \
    'distance inf inf 1  2 1'
printf '1,2,3\na,b,c,d\n1,r\n0,R,0,4096,1\n0,W,4096,4096,2\n' >spoilt
run info -q -f alibaba --bad-lines 3 spoilt
is 'lines before the first row of a layout' \
    "$(sed -n 's/^references,//p' out) $(said)" '2 3 1'

# What is skipped or not reached.
printf '1\nx\n2\n3\ny\n4\nz\n' >spoilt
run distances -q -f lines --skip 1 --limit 2 --bad-lines all spoilt
is 'bad lines are no references, and none behind the last counts' \
    "$(cut -d, -f4 out | tr '\n' ' ')$(said)" 'block 2 3 1 2'
run distances -q -f lines --limit 3 --bad-lines 1 spoilt
is 'the limit comes before one too many' "$status $(said)" '0 1 2'
run convert --bad-lines all spoilt out.lines --to lines
is 'convert' "$status $(tr '\n' ' ' <out.lines)$(said)" '0 1 2 3 4 3 2'

# Detection: a bad first line, and lines that fit two formats.
printf 'MESSAGE: starting up\n0 10\n1 20\n2 30\n' >spoilt
refuses 'expected a record of a known' info spoilt
run info -q --bad-lines 1 spoilt
is 'a bad first line' "$(sed -n 's/^format,//p' out) $(said)" 'din 1 1'
printf 'MESSAGE: starting\n1 2 3\n1 3 4\n' >spoilt
refuses 'which is both din and webcachesim' info --bad-lines all spoilt
printf '\200\n\201\n\202' >spoilt
refuses 'expected a record of a known' info --bad-lines all spoilt

# One file after the other has its own count.
printf '1\nx\n2\n' >one.lines
printf '1\nx\ny\n2\n' >two.lines
run curve -q --bad-lines 2 one.lines two.lines
is 'each trace has a warning' "$status $(said | tr '\n' ' ')" '0 1 2 2 2 '
refuses 'two.lines:3: ' curve -q --bad-lines 1 one.lines two.lines

"$MARGAY" convert -q a.din a.mgt
refuses 'read by the line, but this is mgt' info --bad-lines 1 a.mgt
"$MARGAY" convert -q a.din a.u64
refuses 'but this is u64' info --bad-lines all a.u64
refuses "--bad-lines: '-1'" info --bad-lines -1 a.din
refuses 'no use for --bad-lines' curve --from h.csv --bad-lines 1

# A stream keeps what it has counted.
mkfifo pipe
"$MARGAY" curve -q -f lines --sizes 1,2 --every 2 --bad-lines all \
    --prometheus x.prom pipe >out 2>err &
process=$!
{
    # The file is there before the first reference.
    await test -e x.prom && cp x.prom early
    printf '1\n2\nnonsense\n'
    await grep -q ' 2$' x.prom
    printf '1\n2\n'
} >pipe
wait $process
is 'a stream' "$? $(cut -d, -f5 out | tail -n 1) $(said)" '0 4 1 3'
is 'Prometheus has a file from the start' "$(grep -v '^#' early)" \
    'margay_references{trace="pipe"} 0'
is 'and at the end' "$(grep references x.prom | tail -n 1)" \
    'margay_references{trace="pipe"} 4'
finish
