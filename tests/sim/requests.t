#!/bin/sh
# requests.t - caches of prefixes: curve --requests, against a plain cache
. tests/sim/lib.sh

# replay SIZE TOUCH [TTL] <TABLE: a row for each block, REQUEST,BLOCK; prints
# blocks, misses, requests and missed requests of a cache that looks a request up
# until a block is missing, and then uses all of its blocks.  The number of a
# request is its time.
replay() {
    perl -e '
        my ($size, $touch, $ttl) = @ARGV;
        my (@stack, @list, @counts, $last, %end);
        sub is_there {
            my ($block) = @_;
            return (grep { $_ eq $block } @stack) && $last <= $end{$block};
        }
        sub request {
            my $hits = 0;
            for my $block (@list) {
                last unless is_there($block);
                $hits++;
            }
            $counts[0] += @list;
            $counts[1] += @list - $hits;
            $counts[2]++;
            $counts[3] += $hits < @list;
            for my $block ($touch eq "back" ? reverse @list : @list) {
                $end{$block} = $last + ($ttl // 1e9) unless is_there($block);
                @stack = ($block, grep { $_ ne $block } @stack);
                pop @stack if @stack > $size;
            }
            @list = ();
        }
        @counts = (0, 0, 0, 0);
        while (<STDIN>) {
            chomp;
            my ($request, $block) = split /,/;
            request() if @list && $request ne $last;
            push @list, $block;
            $last = $request;
        }
        request() if @list;
        print join(",", @counts), "\n";' "$@"
}

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

for touch in front back; do
    run curve -q --requests --touch $touch --sizes pow2 --column $columns \
        requests.csv
    is "from the $touch: each size is a plain cache" \
        "$(tail -n +2 out | cut -d, -f3,5,6,8,9)" \
        "$(tail -n +2 out | cut -d, -f3 | while read -r size; do
            echo "$size,$(replay "$size" $touch <rows)"
        done)"
    cp out $touch
done
is 'its columns' "$(head -1 out)" \
    trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio,requests,missed_requests,request_tokens,hit_tokens,token_hit_ratio
check 'the two ends differ' test "$(cat front)" != "$(cat back)"
run curve -q --requests --sizes pow2 --column $columns requests.csv
check 'front is usual' cmp -s out front
run curve -q --requests --sizes pow2 --column $columns -j 1 -e olken requests.csv
check 'engines agree' cmp -s out front
run curve -q --requests --sizes pow2 --column $columns requests.csv requests.csv
is 'two traces' "$(tail -n +2 out)" "$(tail -n +2 front; tail -n +2 front)"
for touch in front back; do
    run curve -q --requests --touch $touch --sizes 1,7,30,90,400 --ttl 25 \
        --column $columns,time=request requests.csv
    is "from the $touch: each size is a plain cache whose blocks expire" \
        "$(tail -n +2 out | cut -d, -f3,5,6,8,9)" \
        "$(for size in 1 7 30 90 400; do
            echo "$size,$(replay $size $touch 25 <rows)"
        done)"
done
sed '1s/$/,policy/; 2,$s/$/,lru/' out >expected
run curve -q --requests --touch back --sizes 1,7,30,90,400 --ttl 25 \
    --policy lru --column $columns,time=request requests.csv
check 'as with the policy lru' cmp -s out expected
refuses '--policy opt: it is not known where blocks expire' curve --requests \
    --ttl 25 --policy opt --column $columns,time=request requests.csv
refuses 'does not say the times' curve --requests --ttl 25 --column $columns \
    requests.csv
run curve -q --requests --sizes 8 --bound 16 --column $columns requests.csv
is 'a bound' "$(tail -n +2 out | cut -d, -f3,5,6,8,9)" "8,$(replay 8 front <rows)"
run curve --requests --sizes 8 --column $columns --at-most 1 \
    --histogram histogram requests.csv
like 'the summary' "$(cat err)" \
    " references of 300 requests, distinct [0-9]+ blocks, "
like '--at-most answers' "$(cat err)" ' miss ratio of at most 1 has 1 block'
is 'the histogram counts all blocks' \
    "$(awk -F, 'NR > 1 { n += $5 } END { print n }' histogram)" \
    "$(wc -l <rows | tr -d ' ')"
sed '/^2,/d; s/^\([0-9]*\),/r\1,/' rows >named
run curve -q --requests --sizes 64 --column request=1,id=2 named
is 'requests may have names' "$(tail -n +2 out | cut -d, -f3,5,6,8,9)" \
    "64,$(replay 64 front <named)"
warm=$(grep -n '^150,' rows | head -1 | cut -d: -f1)
run curve -q --requests --sizes 64 --column $columns --warmup $((warm - 1)) \
    requests.csv
is 'a warm-up counts no requests' "$(tail -n +2 out | cut -d, -f8)" 151

run curve --column $columns --sizes 8 requests.csv
like 'a curve of blocks mentions the requests' "$(cat err)" \
    'requests.csv: the trace has requests: --requests counts them$'
run curve -q --column $columns --sizes 8 requests.csv
is 'unless it is to be quiet' "$status$(cat err)" 0
run report -q --column $columns requests.csv -o requests.html
is 'a report has a curve of requests' \
    "$status $(grep -c '<h2>Miss curve of requests' requests.html)" '0 1'
shows like 'and says what the others count' "$(drawn requests.html)" \
    'count the blocks of requests, each for itself'
run report --requests --policy lru,leaf-lru --column $columns requests.csv \
    -o policies.html
is 'and one of their policies, and does not say that it lacks them' \
    "$status $(grep -c '<h2>Miss curve of requests' policies.html) $(grep -c \
        'data-drawing="requestPolicies"' policies.html) $(grep -c -e --requests \
        err)" '0 1 1 0'
shows like 'which has a line for each' "$(drawn policies.html | tr '\n' ' ')" \
    'by replacement policy</figcaption>.*<span>leaf-lru</span>'
refuses '--requests does not go with --objects' report --requests --objects \
    --column $columns requests.csv
printf 'id,size\n1,100\n2,50\n1,100\n' >sized.csv
run curve --column id=1,size=2 sized.csv
like 'a curve of blocks mentions sizes' "$(cat err)" \
    'sized.csv: the trace has sizes: --objects counts bytes$'
: >empty.csv
run curve -f csv --column id=1,size=2 empty.csv
like 'which an empty trace has not' "$status $(grep -c objects err)" '0 0'
refuses 'does not say the requests of its references \(it is read as csv; these may: csv, mooncake, jsonl, logfmt, w3c, regex; --column names a table.s columns\)' \
    curve --requests --column block requests.csv
refuses 'engine shards does not' curve --requests -e shards --column $columns requests.csv
refuses 'does not go with --objects' curve --requests --objects requests.csv
refuses 'does not go with --from' curve --requests --from requests.csv
refuses "--touch: .*'middle'" curve --requests --touch middle requests.csv
refuses '--touch is for' curve --touch back --column $columns requests.csv
refuses 'a request in column 3' \
    curve --requests --column id=2,request=3 requests.csv

# ---- tokens ----
run curve -q --requests --sizes 64 --tokens-per-block 16 --column $columns \
    requests.csv
is 'tokens of whole blocks' "$(tail -n +2 out | cut -d, -f10-)" \
    "$(tail -n +2 out | awk -F, '{ all = 16 * $5; hit = all - 16 * $6
        printf "%d,%d,%.12g", all, hit, hit / all }')"
run curve -q --requests --sizes all --tokens-per-block 16 --column $columns \
    requests.csv
saved=$(awk -F, 'NR > 1 { size[NR] = $3; hit[NR] = $11 }
    END { for (i = 2; hit[i] < 0.9 * hit[NR];) i++
        print "Of the tokens that hit at " size[NR] " blocks, 90% hit from " \
            size[i] " blocks." }' out)
run curve -q --text --sizes all --requests --tokens-per-block 16 --column $columns \
    requests.csv
like 'words say where most of the tokens hit' "$(tail -1 out)" "$saved"
run report -q --tokens-per-block 16 --column $columns requests.csv -o tokens.html
shows like 'a report says it, too' "$(drawn tokens.html)" \
    'Of the tokens that hit at [0-9,]+ blocks, 90% hit from [0-9,]+ blocks\.'
is 'without them the columns are empty' \
    "$(sed -n '2p' front | cut -d, -f10-)" ,,
refuses 'is for requests' curve --tokens-per-block 16 --column $columns \
    requests.csv
refuses 'does not go with --block' curve --requests --bytes-per-token 4 -b 64 \
    --column $columns requests.csv

# ---- tiers ----
run curve -q --requests --column $columns --tokens-per-block 16 \
    --sizes 8,24,88,1000 requests.csv
mv out sums
run curve -q --requests --column $columns --tokens-per-block 16 \
    --tiers 8,16,64,912 requests.csv
is 'tiers hit the differences' "$(tail -n +2 out | cut -d, -f1,2,6,8-)" \
    "$(tail -n +2 sums | awk -F, 'BEGIN { split("8,16,64,912", size, ",") }
        { missed = NR == 1 ? $5 : before; hits = missed - $6; before = $6
          printf "%d,%d,%d,%d,%d,%d\n", NR, size[NR], $5, $10, 16 * hits, hits }')"
# Caches, each with a stack of its own: what one evicts goes to the next.
tiered() {
    perl -e '
        my @room = @ARGV; my (@tiers, @hits, @list, $last);
        sub request {
            for my $block (@list) {
                my ($tier) = grep { grep { $_ eq $block } @{ $tiers[$_] } }
                    0 .. $#room;
                last unless defined $tier;
                $deepest = $tier if $tier > $deepest;
                $hits[$deepest]++;
            }
            for my $moved (@list) {
                @$_ = grep { $_ ne $moved } @$_ for @tiers;
                my $block = $moved;
                for my $tier (0 .. $#room) {
                    unshift @{ $tiers[$tier] }, $block if defined $block;
                    $block = @{ $tiers[$tier] } > $room[$tier]
                        ? pop @{ $tiers[$tier] } : undef;
                }
            }
            @list = ();
            $deepest = 0;
        }
        @tiers = map { [] } @room; @hits = (0) x @room; $deepest = 0;
        while (<STDIN>) {
            chomp;
            my ($request, $block) = split /,/;
            request() if @list && $request ne $last;
            push @list, $block;
            $last = $request;
        }
        request();
        print "$_\n" for @hits;' "$@"
}
is 'tiers are caches of their own' "$(tail -n +2 out | cut -d, -f10)" \
    "$(tiered 8 16 64 912 <rows)"
run curve -q --column block --tiers 3,40 requests.csv
is 'tiers of blocks' "$(tail -n +2 out | cut -d, -f10)" \
    "$(awk -F, '{ print NR "," $2 }' rows | tiered 3 40)"
is 'which have no tokens' "$(sed -n 2p out | cut -d, -f8,9)" ,
refuses 'two sizes or more' curve --tiers 8 --column block requests.csv
refuses 'two sizes or more' curve --tiers pow2 --column block requests.csv
refuses 'tiers does not go with --sizes' curve --tiers 8,9 --sizes 8 \
    --column block requests.csv
refuses 'over 64 bits' curve --tiers 18446744073709551615,1 \
    --column block requests.csv

# ---- policies ----
# From back to front leaf-lru is LRU, which is measured, not simulated.
for warm in 0 1000; do
    run curve -q --requests --column $columns --tokens-per-block 16 \
        --touch back --warmup $warm --sizes 64,100,300 \
        --policy leaf-lru,lru,opt requests.csv
    is "warm-up $warm: what is simulated counts as what is measured" \
        "$(sed -n 's/,leaf-lru$//p' out)" "$(sed -n 's/,lru$//p' out)"
    check 'the optimum misses less' awk -F, '
        $13 == "lru" { lru += $6 } $13 == "opt" { opt += $6 }
        END { exit !(opt < lru) }' out
done
run curve -q --requests --column $columns --tokens-per-block 16 --touch back \
    --window 500 --sizes 64,300 --policy leaf-lru,lru requests.csv
is 'windows, too' "$(sed -n 's/,leaf-lru$//p' out)" "$(sed -n 's/,lru$//p' out)"
run curve -q --requests --column $columns --policy lru,lfu,arc requests.csv
is 'all have one grid' "$(grep -c lru out)" "$(grep -c arc out)"
cp out all
run curve -q -j 1 --requests --column $columns --policy lru,lfu,arc requests.csv
check 'threads change nothing' cmp -s out all
refuses 'not defined for requests' curve --requests --policy fifo \
    --column $columns requests.csv
for touch in front back; do
    run curve -q --requests --column $columns --touch $touch --sizes 1,2,5,20,64 \
        --policy opt:bypass=on,lru,leaf-lru,slru,lfu,arc,opt requests.csv
    is "from the $touch: no policy misses less than the optimum with bypass" \
        "$(awk -F, '$13 == "opt:bypass=on" { least[$3] = $6; n++ }
            $6 < least[$3] { print } END { print n }' out)" 5
done
refuses 'leaf-lru: given twice' curve --requests --policy leaf-lru,leaf-lru \
    --column $columns requests.csv
refuses 'leaf-lru: it is for requests' curve --policy leaf-lru \
    --column $columns requests.csv

perl -ne 'chomp; my ($r, $b) = split /,/;
    print $. == 1 ? "" : "]}\n", "{\"timestamp\": $r, \"hash_ids\": [" if $r ne $last;
    print $r eq $last ? "," : "", $b; $last = $r;
    END { print "]}\n" }' rows >requests.jsonl
if "$MARGAY" info -q requests.jsonl >info 2>err; then
    is 'Mooncake is told by its content' "$(sed -n 2p info)" format,mooncake
    gzip -k requests.jsonl
    for trace in requests.jsonl requests.jsonl.gz; do
        run curve -q --requests --sizes pow2 $trace
        is "$trace: the same curve" "$(cut -d, -f3- out)" \
            "$(cut -d, -f3- front)"
    done
    "$MARGAY" curve -q --requests --sizes pow2 <requests.jsonl >out
    is 'from a pipe' "$(cut -d, -f3- out)" "$(cut -d, -f3- front)"
    run curve -q --requests --sizes pow2 --skip 10 --limit 50 requests.jsonl
    is '--skip and --limit' "$(sed -n 2p out | cut -d, -f5)" 50
    # Prompts of 16 tokens a block, the last one short.
    perl -ne 's/"timestamp": (\d+), ("hash_ids".*)\}/my ($t, $ids) = ($1, $2);
        my $l = 16 * (1 + ($ids =~ tr:,::)) - $t % 16;
        "\"block_size\": 16, \"input_length\": $l, $ids}"/e; print' \
        requests.jsonl >lengths.jsonl
    run curve -q --requests --sizes 64 --bytes-per-token 3 lengths.jsonl
    is 'tokens of prompts' "$(tail -n +2 out | cut -d, -f2,4,10,11)" \
        "48,$((64 * 48)),$(perl -ne '
            /h": (\d+).*\[(.*)\]/;
            my ($length, @list, $hits) = ($1, split /,/, $2);
            $hits = 0;
            for my $block (@list) {
                last unless grep { $_ eq $block } @stack;
                $hits++;
            }
            $all += $length;
            $hit += 16 * $hits < $length ? 16 * $hits : $length;
            for my $block (@list) {
                @stack = ($block, grep { $_ ne $block } @stack);
                pop @stack if @stack > 64;
            }
            END { print "$all,$hit" }' lengths.jsonl)"
    run curve -q --requests --sizes 1KiB --bytes-per-token 3 lengths.jsonl
    is 'sizes are rounded down to blocks' "$(sed -n 2p out | cut -d, -f3,4)" \
        21,1008
    # A block is what any object says, or the first prompt of several blocks.
    {
        perl -e 'print "{\"seq_len\": 7, \"chunk_hashes\": []}\n" x 3'
        perl -e 'print "{\"seq_len\": 9, \"chunk_hashes\": []}\n" x 1000'
        echo '{"seq_len": 60, "chunk_hashes": ["a"]}'
        echo '{"seq_len": 150, "chunk_hashes": ["a", "b", "c"]}'
        echo '{"seq_len": 150, "chunk_hashes": ["a", "b", "c"]}'
    } >short.jsonl
    run curve -q --requests --sizes 4 short.jsonl
    is 'a prompt of several blocks says how large they are' \
        "$(sed -n 2p out | cut -d, -f10,11)" 9381,214
    sed '1s/}/, "chunk_size": 100}/' short.jsonl >said.jsonl
    run curve -q --requests --sizes 4 said.jsonl
    is 'a prompt of no blocks may say it' \
        "$(sed -n 2p out | cut -d, -f10,11)" 9381,250
    { sed /b/d short.jsonl
        echo '{"seq_len": 600, "chunk_hashes": ["a"]}'; } >one.jsonl
    run curve -q --requests --sizes 4 one.jsonl
    is 'else it is 512' "$(sed -n 2p out | cut -d, -f10,11)" 9681,512
else
    like 'without yajl the format is refused' "$(cat err)" 'built with yajl'
fi
finish
