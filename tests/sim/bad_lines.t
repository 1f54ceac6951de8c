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
