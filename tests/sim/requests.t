#!/bin/sh
# requests.t - curve --requests of more traces, threads and formats, and reports
# of it; tests/stackdist/test_prefixes.c and tests/assoc/test_prefix_cache.c hold
# it against plain caches, and tests/frozen has its tables
. tests/sim/lib.sh

# Requests that share beginnings.
perl -e '
    require shift;
    seed(7);
    my @past = ([]);
    for my $request (1 .. 300) {
        my @list = @{ $past[draw(scalar @past)] };
        splice @list, draw(@list + 1);
        push @list, $request * 10 + $_ for 0 .. draw(6);
        push @past, \@list;
        print "$request,$_\n" for @list;
    }' "$root/tests/sim/draw.pl" >rows
{ echo request,block; cat rows; } >requests.csv
columns=request=request,id=block

run curve -q --requests --sizes pow2 --column $columns requests.csv
cp out front
run curve -q --requests --sizes pow2 --column $columns -j 1 -e olken requests.csv
check 'engines agree' cmp -s out front
run curve -q --requests --sizes pow2 --column $columns requests.csv requests.csv
is 'two traces' "$(tail -n +2 out)" "$(tail -n +2 front; tail -n +2 front)"
sed '/^2,/d; s/^\([0-9]*\),/r\1,/' rows >named
sed '/^2,/d' rows >numbered
run curve -q --requests --sizes 64 --column request=1,id=2 named
cp out names
run curve -q --requests --sizes 64 --column request=1,id=2 numbered
is 'requests may have names' "$(sed 's/named/numbered/' names)" "$(cat out)"

# From back to front leaf-lru is LRU, which is measured, not simulated.
for options in '--warmup 0' '--warmup 1000' '--window 500'; do
    # shellcheck disable=SC2086 # words
    run curve -q --requests --column $columns --tokens-per-block 16 \
        --touch back $options --sizes 64,100,300 --policy leaf-lru,lru \
        requests.csv
    is "$options: what is simulated counts as what is measured" \
        "$(sed -n 's/,leaf-lru$//p' out)" "$(sed -n 's/,lru$//p' out)"
done
run curve -q --requests --touch back --sizes 1,7,30,90,400 --ttl 25 \
    --column $columns,time=request requests.csv
sed '1s/$/,policy/; 2,$s/$/,lru/' out >expected
run curve -q --requests --touch back --sizes 1,7,30,90,400 --ttl 25 \
    --policy lru --column $columns,time=request requests.csv
check 'blocks that expire: as with the policy lru' cmp -s out expected
run curve -q --requests --column $columns --policy lru,lfu,arc requests.csv
cp out all
run curve -q -j 1 --requests --column $columns --policy lru,lfu,arc requests.csv
check 'threads change nothing' cmp -s out all
for touch in front back; do
    run curve -q --requests --column $columns --touch $touch --sizes 1,2,5,20,64 \
        --policy opt:bypass=on,lru,leaf-lru,slru,lfu,arc,opt requests.csv
    is "from the $touch: no policy misses less than the optimum with bypass" \
        "$(awk -F, '$13 == "opt:bypass=on" { least[$3] = $6; n++ }
            $6 < least[$3] { print } END { print n }' out)" 5
done

run report -q --tokens-per-block 16 --column $columns requests.csv -o tokens.html
is 'a report has a curve of requests' \
    "$status $(grep -c '<h2>Miss curve of requests' tokens.html)" '0 1'
shows like 'and says what a hit is' "$(drawn tokens.html)" \
    'A block hits if all before it in its request do'
shows like 'and which blocks save most tokens' "$(drawn tokens.html)" \
    'Of the tokens that hit at [0-9,]+ blocks, 90% hit from [0-9,]+ blocks\.'
run report --requests --policy lru,leaf-lru --column $columns requests.csv \
    -o policies.html
is 'and one of their policies, and does not say that it lacks them' \
    "$status $(grep -c '<h2>Miss curve of requests' policies.html) $(grep -c \
        'data-drawing="requests"' policies.html) $(grep -c -e --requests \
        err)" '0 1 2 0'
shows like 'which has a line for each' "$(drawn policies.html | tr '\n' ' ')" \
    'Blocks of requests that miss a cache .*</figcaption>.*<span>leaf-lru</span>'

# The sizes of a tier are different ones in blocks, so that a row is of one split.
run curve -q --requests --column $columns --tiers 1+3,3+1 --inclusion none \
    requests.csv
is 'splits of the same sum have rows of their own' \
    "$status $(tail -n +2 out | cut -d, -f1-4 | grep -c .) $(tail -n +2 out |
        cut -d, -f1-4 | sort -u | grep -c .)" '0 8 8'
for tiers in 2+2,4 1KiB+16,4; do
    run curve -q --requests --column $columns --unit 64 --tiers $tiers \
        requests.csv
    like "$tiers is refused" "$status $(cat err)" '^2 .*tier 1 has .* twice'
done

perl -ne 'chomp; my ($r, $b) = split /,/;
    print $. == 1 ? "" : "]}\n", "{\"timestamp\": $r, \"hash_ids\": [" if $r ne $last;
    print $r eq $last ? "," : "", $b; $last = $r;
    END { print "]}\n" }' rows >requests.jsonl
if "$MARGAY" info -q requests.jsonl >info 2>err; then
    is 'Mooncake is told by its content' "$(sed -n 2p info)" format,mooncake
    gzip -k requests.jsonl
    for trace in requests.jsonl requests.jsonl.gz -; do
        "$MARGAY" curve -q --requests --sizes pow2 $trace <requests.jsonl >out
        is "$trace: the same curve" "$(cut -d, -f3- out)" \
            "$(cut -d, -f3- front)"
    done
else
    like 'without yajl the format is refused' "$(cat err)" 'built with yajl'
fi
finish
