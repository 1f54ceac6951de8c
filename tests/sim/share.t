#!/bin/sh
# share.t - programs that share a cache: the command around the arithmetic,
# which tests/stackdist/test_sharing.c holds against simulations
. tests/sim/lib.sh

for row in 'a uniform 600 1' 'b zipf 900 2' 'c loop 300 3'; do
    # shellcheck disable=SC2086
    set -- $row
    "$MARGAY" generate "$2" --blocks "$3" --seed "$4" --refs 40000 --to lines \
        -q -o "$1.lines"
    "$MARGAY" histogram -q --unit 64 "$1.lines" -o "$1.csv"
done

run share a.csv b.csv c.csv --sizes 100,1000,1MiB
cp out table
# misses NAME BLOCKS: of the program alone.
misses() {
    [ "$2" -gt 0 ] || { echo 40000; return; }
    "$MARGAY" curve -q --from "$1" --sizes "$2" | sed -n '2s/.*,\(.*\),.*/\1/p'
}
is 'parts miss what they do alone' "$(sed 1d table | cut -d, -f7)" \
    "$(sed 1d table | while IFS=, read -r _ _ name _ _ part _; do
        misses "$name" "$part"
    done)"
for name in a b c; do misses $name.csv 16384; done >alone
is 'a cache for all is no loss' "$(tail -3 table | cut -d, -f5)" "$(cat alone)"

# Against the references themselves, by turns.
paste a.lines b.lines | perl -ane 'print pack "Q<Q<", $F[0] * 64,
    $F[1] * 64 + (1 << 40)' >mixed.u64
printf 'name,from,to\na,0,0x10000000000\nb,0x10000000000,0x20000000000\n' >map.csv
"$MARGAY" histogram -q --by region=map.csv --bins log2 mixed.u64 -o mixed.csv
run share a.csv b.csv --sizes 64,256,1024
sed 1d out | while IFS=, read -r size _ name _ shared _; do
    awk -F, -v name="${name%.csv}" -v size="$size" -v shared="$shared" '
        $1 == name && ($5 == "inf" || $4 + 0 >= size + 0) { n += $6 }
        END { d = (n - shared) / 40000; if (d > 0.01 || d < -0.01) print name, size, n, shared }' \
        mixed.csv
done >wrong
is 'two programs by turns miss as estimated' "$(cat wrong)" ''

# Tenants of one trace, from one table: as from a table of each.
awk '{ print "a," $0 }' a.lines >tenants.rows
awk 'NR <= 20000 { print "b," $0 }' b.lines >>tenants.rows
{ echo who,id; cat tenants.rows; } >tenants.trace
"$MARGAY" curve -q -f csv --unit 64 --tenant who --column id --sizes 1 \
    --histogram tenants.csv tenants.trace >unused
head -20000 b.lines | "$MARGAY" histogram -q -f lines --unit 64 -o half.csv
run share tenants.csv --sizes 100,1000
sed 's/half.csv/b/; s/a.csv/a/' out >got
run share a.csv=2 half.csv=1 --sizes 100,1000
is 'tenants share as programs do that are as fast' "$(cat got)" \
    "$(sed 's/half.csv/b/; s/a.csv/a/' out)"
run share --fair a.csv c.csv --sizes 600
is 'a fair division' "$(sed 1d out | cut -d, -f6,7)" \
    "$(printf '300,%s\n300,%s' "$(misses a.csv 300)" "$(misses c.csv 300)")"
# Objects: against caches of bytes simulated for every part, and every division.
cat >objects.pl <<'END'
use strict; use warnings;
sub misses {
    my ($requests, $bytes) = @_;
    my (@stack, %size, $used, $misses); $used = $misses = 0;
    return scalar @$requests if $bytes == 0;
    for my $request (@$requests) {
        my ($object, $size) = @$request;
        if (defined $size{$object}) { @stack = grep { $_ != $object } @stack }
        else { $misses++; $size{$object} = $size; $used += $size }
        unshift @stack, $object;
        while ($used > $bytes) { $used -= delete $size{pop @stack} }
    }
    return $misses;
}
sub best {
    my ($bytes, @curves) = @_;
    my $curve = shift @curves;
    return $curve->[$bytes] if !@curves;
    my $fewest;
    for my $part (0 .. $bytes) {
        my $sum = $curve->[$part] + best($bytes - $part, @curves);
        $fewest = $sum if !defined $fewest || $sum < $fewest;
    }
    return $fewest;
}
sub run { system(@_) == 0 or die "@_\n" }
for my $round (1 .. $ARGV[0]) {
    srand $round;
    my (@curves, @names);
    my $bytes = 1 + int rand 40;
    for my $program (0 .. int rand 3) {
        my @sizes = map { int rand 9 } 0 .. int rand 7;
        my @requests = map { my $o = int rand @sizes; [$o, $sizes[$o]] } 0 .. 30 + int rand 30;
        push @curves, [map { misses(\@requests, $_) } 0 .. $bytes];
        open my $file, '>', "o$program.trace" or die;
        print $file "id,size\n", map { "$_->[0],$_->[1]\n" } @requests;
        close $file or die;
        run $ENV{MARGAY}, 'histogram', '-q', '--objects', '-f', 'csv', '--column', 'id=id,size=size',
            "o$program.trace", '-o', "o$program.csv";
        push @names, "o$program.csv";
    }
    run $ENV{MARGAY}, 'share', '--objects', '--sizes', $bytes, @names, '-o', 'o.csv';
    open my $table, '<', 'o.csv' or die;
    my ($header, @rows) = map { chomp; [split /,/, $_, -1] } <$table>;
    my ($parts, $sum) = (0, 0);
    for my $i (0 .. $#rows) {
        my (undef, undef, undef, undef, undef, undef, $misses, $part) = @{$rows[$i]};
        print "round $round: program $i misses $misses with $part\n"
            if $misses != $curves[$i][$part];
        $parts += $part; $sum += $misses;
    }
    print "round $round: $parts of $bytes bytes\n" if $parts != $bytes || @rows != @names;
    my $fewest = best($bytes, @curves);
    print "round $round: $sum misses, not $fewest\n" if $sum != $fewest;
}
END
export MARGAY
is 'objects are divided as by trying all' "$(perl objects.pl 60)" ''
finish
