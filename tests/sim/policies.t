#!/bin/sh
# policies.t - curves of several policies, against margay assoc, from one thread,
# a pipe and a sample; tests/assoc/test_policies.c holds each policy against
# lists, and tests/frozen has their tables
. tests/sim/lib.sh

all=lru,opt,opt:bypass=on,fifo,clock

# What the command knows; those for sets it refuses.
simulated=
for policy in $("$MARGAY" curve --policy x /dev/null 2>&1 |
    sed 's/.*the policies are //; s/,//g'); do
    run curve --policy "$policy" /dev/null
    grep -q 'is defined for' err || [ "$policy" = opt ] ||
        simulated=$simulated,$policy
done
simulated=${simulated#,}
like 'the policies' "$simulated" '^lru,fifo,clock,.*random'

# Numbered in the order of their first use, as the curve numbers blocks, whose
# hashes tinylfu looks at.
perl -e '
    srand 12;
    my %seen;
    for (1 .. 260) {
        my $block = int rand 40;
        $block = int rand($block + 1) if rand() < 0.6;
        $seen{$block} = scalar keys %seen unless exists $seen{$block};
        print "$seen{$block}\n";
    }' >random.lines

# in_one_set POLICY SIZES OPTION... TRACE: as many misses as margay assoc finds.
in_one_set() {
    policy=$1 sizes=$2
    shift 2
    run curve -q --policy "$policy" --sizes "$sizes" "$@"
    misses=$(cut -d, -f5,6 out)
    run assoc -q --policy "$policy" --sets 1 --ways "$sizes" "$@"
    is "$policy of $sizes: misses of margay assoc in one set, $*" "$misses" \
        "$(cut -d, -f6,7 out)"
}
# And as many write-backs, where all that is read is half of the references.
awk '{ printf "%d %x\n", NR * 7 % 5 % 2, $1 * 64 }' random.lines >random.din
run curve -q --policy "$simulated" --writebacks --sizes 1,2,3,8,17,40 random.din
sed 1d out | cut -d, -f5,6,8,9 | sort >got
run assoc -q --policy "$simulated" --sets 1 --ways 1,2,3,8,17,40 --write back random.din
sed 1d out | cut -d, -f6,7,9,12 | sort >expected
check 'write-backs are those of margay assoc' cmp got expected
"$MARGAY" generate zipf --refs 5000 --blocks 700 --to hex -o z.hex
for policy in opt opt:bypass=on $(echo "$simulated" | tr , ' '); do
    in_one_set "$policy" 9,200 z.hex
    in_one_set "$policy" 1,2,3,5,8,16,17,40 --warmup 34 random.lines
done

run curve -q --policy opt,lru -j 1 z.hex random.lines
cp out alone
run curve -q --policy opt,lru -j 2 z.hex random.lines
check 'two traces at the same time, in their order' cmp out alone
run curve -q random.lines
is 'without a simulation the grid is the usual one' \
    "$(sed -n 's/^\(random.*\),lru$/\1/p' alone)" "$(tail -n +2 out)"
run curve -q --policy lru,opt --sizes all random.lines
cp out all
steps=$(grep ',opt$' all | cut -d, -f3 | tr '\n' ,)
is 'all sizes: those at which any of the exact curves steps' \
    "$(sed -n 's/,lru$//p' all)" "$("$MARGAY" curve -q --sizes "${steps%,}" \
        random.lines | sed 1d)"
run assoc -q --policy opt --sets 1 \
    --ways "1..$(echo "${steps%,}" | sed 's/.*,//')" random.lines
is 'and no step is left out' "$(sed 1d out | cut -d, -f7 | uniq)" \
    "$(grep ',opt$' all | cut -d, -f6 | uniq)"

# ------------------------------------------ which references, and how read --
"$MARGAY" generate zipf --refs 40000 --blocks 3000 --to u64 -o z.u64
run curve -q --ids --policy "opt,$simulated" --sizes pow2 z.u64
cp out z.csv
is 'as many rows for each' "$(cut -d, -f8 out | uniq -c | awk '{ print $1 }' |
    sort -u | tr '\n' ' ')" '1 13 '
is 'one thread, and four' "$(run curve -q --ids --policy "opt,$simulated" -j1 \
    --sizes pow2 z.u64 && cmp out z.csv; run curve -q --ids -j4 \
    --policy "opt,$simulated" --sizes pow2 z.u64 && cmp out z.csv)" ''
run curve -q -f u64 --ids --policy "opt,$simulated" --sizes pow2 <z.u64
is 'a pipe' "$(sed 's/^-/z.u64/' out)" "$(cat z.csv)"

# ----------------------------------------------------------------- sample --
"$MARGAY" generate zipf --refs 400000 --blocks 20000 --exponent 0.7 --to u64 \
    -o large.u64
run curve -q --ids --policy $all --sizes 1000,4000 large.u64
cp out full.csv
run curve -q --ids --policy $all --sizes 1000,4000 --sample 0.2 large.u64
is 'a sample: within 0.03' "$(paste -d, full.csv out | tail -n +2 |
    awk -F, '{ d = $7 - $15; if (d * d > 0.0009 || $5 != $13) print }')" ''
cp out sampled.csv
run curve -q --ids --policy $all --sizes 1000,4000 --sample 0.2 -j1 large.u64
check 'a sample, by one thread' cmp -s out sampled.csv
run curve -q --ids --policy $all --sizes 1000,4000 --sample 0.2 --seed 2 \
    large.u64
check 'another seed, another sample' test "$(cat out)" != "$(cat sampled.csv)"
run curve -q --ids --policy lru --sample 0.2 --sizes 100000 large.u64
tail -1 out | cut -d, -f6 >cold
run curve -q --ids --policy fifo,lru --sample 0.2 large.u64
is 'the grid of a sample ends where LRU misses first uses only' \
    "$(tail -1 out | cut -d, -f6)" "$(cat cold)"
finish
