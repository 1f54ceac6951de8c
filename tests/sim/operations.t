#!/bin/sh
# operations.t - histogram --by op, against a list of blocks in Perl
. tests/sim/lib.sh

# make SEED: a random table of requests, in the words of several traces.
make() {
    perl -e '
        require shift;
        seed(shift);
        my @words = qw(get GETS read 28 set Put write 2a delete DEL unlink);
        my ($most, $used) = (1 + draw(60), 1 + draw(scalar @words));
        print "op,count,size,id\n";
        for (1 .. draw(400)) {
            printf "%s,%d,%d,%d\n", $words[draw($used)],
                draw(9) == 0 ? 1 + draw(5) : 1, 1 + draw(4), draw($most);
        }' "$root/tests/sim/draw.pl" "$1" >t.csv
}

# by_hand WARMUP UNITS <TABLE: operation, distance and how many; UNITS=1: each
# request is of the units of its size.
by_hand() {
    perl -e '
        my ($warmup, $units) = @ARGV;
        my %of = (get => "get", gets => "get", read => "get", 28 => "get",
            set => "set", put => "set", write => "set", "2a" => "set",
            delete => "delete", del => "delete", unlink => "delete");
        my (@list, %found);
        <STDIN>;
        while (<STDIN>) {
            chomp;
            my ($op, $count, $size, $id) = split /,/;
            $op = $of{lc $op};
            for (1 .. $count) {
                my $counts = $warmup-- <= 0;
                for my $block ($id .. $id + ($units ? $size - 1 : 0)) {
                    my ($at) = grep { $list[$_] == $block } 0 .. $#list;
                    $found{"$op " . ($at // "inf")}++ if $counts;
                    splice @list, $at, 1 if defined $at;
                    unshift @list, $block;
                }
            }
        }
        print "$_ $found{$_}\n" for sort keys %found;' "$1" "$2"
}

# measured OPTION...: the same from the table.
measured() {
    run histogram -q --by op "$@" t.csv
    awk -F, 'NR > 1 && $6 > 0 { print $1, $4, $6 }' out | sort
}

columns=op=op,id=id,count=count
seed=1
: >wrong
while [ $seed -le 60 ]; do
    make $seed
    warmup=$((seed % 3 * 20))
    [ "$(measured --column $columns --warmup $warmup -j $((1 + seed % 2)))" = \
        "$(by_hand $warmup 0 <t.csv)" ] || echo "$seed: blocks" >>wrong
    [ "$(measured --column $columns,size=size --unit 1 --straddle split)" = \
        "$(by_hand 0 1 <t.csv)" ] || echo "$seed: requests that are split" >>wrong
    seed=$((seed + 1))
done
is 'random tables are as a list of blocks has them' "$(cat wrong)" ''

make 5
run histogram -q --by op --column $columns t.csv
is 'its columns' "$(head -n 1 out)" \
    'op,trace,block_bytes,distance_from,distance_to,references,share'
is 'get, set and delete, in this order' \
    "$(tail -n +2 out | cut -d, -f1 | uniq | tr '\n' ' ')" 'get set delete '
cp out whole.csv
for op in get set delete; do
    is "$op: as many as --op selects" \
        "$(awk -F, -v op=$op '$1 == op { n += $6 } END { print n }' whole.csv)" \
        "$("$MARGAY" histogram -q --op $op --column $columns t.csv |
            awk -F, 'NR > 1 { n += $5 } END { print n }')"
done
run histogram -q --by op --op set,delete --column $columns t.csv
is 'what --op leaves out has no rows' \
    "$(tail -n +2 out | cut -d, -f1 | uniq | tr '\n' ' ')" 'set delete '

# ------------------------------------------------------- what others make --
run diff whole.csv whole.csv
is 'diff tells the rows of operations apart' "$status" 0
run overlap -q whole.csv whole.csv
is 'overlap compares operations' "$(head -n 1 out)$(tail -n +2 out |
    cut -d, -f1,4 | tr '\n' ' ')" \
    'op,references,other_references,overlapdelete,1 get,1 set,1 '
cp out overlap.csv
if command -v gnuplot >/dev/null; then
    for table in whole overlap; do
        run plot $table.csv -o $table.svg
        is "plot draws $table.csv" "$status$(cat err)" 0
        check 'with the operations as labels' grep -q '>delete<' $table.svg
    done
else
    skip 'plot draws them' 'no gnuplot'
fi

# --------------------------------------------------------------- refusals --
printf '1\n2\n1\n' >t.lines
refuses 't.lines: --by op: the trace does not say the operations' \
    histogram --by op t.lines
refuses 't.csv: --by op: the trace does not say the operations .*--column' \
    histogram --by op --column id t.csv
refuses '--by: .put. .expected site, thread, op or region=MAP' \
    histogram --by put t.csv
refuses '--by does not go with --save' \
    histogram --by op --column $columns --save state t.csv
finish
