#!/bin/sh
# redis.sh - what a Redis server misses at three sizes, and what Margay predicts
#
#     docs/recipes/redis.sh [REQUESTS [KEYS [PER_SECOND]]]
#
# starts a server of its own, without a network, and asks it for keys by Zipf's
# law, so many each second; what it lacks is stored, as a cache in front of
# something slower does.  A line for each policy and limit of memory: how many
# keys fit, the share of requests that the server counts as keyspace_misses, and
# what 'margay curve' says of a cache of as many keys.
set -eu
requests=${1:-100000} keys=${2:-10000} per_second=${3:-5000}
margay=${MARGAY:-margay}
folder=$(mktemp -d)
redis-server --port 0 --unixsocket "$folder/socket" --save '' --appendonly no \
    --dir "$folder" --daemonize no >"$folder/log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; wait; rm -rf "$folder"' EXIT
"$margay" generate -q zipf --refs "$requests" --blocks "$keys" --exponent 0.9 \
    --to lines -o "$folder/trace"

# Ask for the keys of standard input with LIMIT bytes of memory (0: none); prints
# the misses that the server has counted, the keys that it held on average, and in
# the end, and its memory.
cat >"$folder/ask.pl" <<'EOP'
use strict;
use warnings;
use IO::Socket::UNIX;
use Time::HiRes qw(time sleep);
my ($socket, $policy, $limit, $per_second) = @ARGV;
my $server;
for (1 .. 100) {
    last if $server = IO::Socket::UNIX->new(Peer => $socket);
    sleep 0.05;
}
$server // die "no server\n";
$server->autoflush;
sub ask {
    print $server '*', scalar @_, "\r\n",
        map { '$' . length($_) . "\r\n$_\r\n" } @_;
    my $answer = <$server>;
    die $answer if $answer =~ /^-/;
    return $answer if $answer !~ /^\$(-?\d+)/ || $1 < 0;
    read $server, my $text, $1 + 2;
    return $text;
}
sub used { ask('INFO', 'memory') =~ /used_memory:(\d+)/; return $1 }
ask('FLUSHALL');
ask('CONFIG', 'SET', 'maxmemory-policy', $policy);
ask('CONFIG', 'SET', 'maxmemory', $limit);
ask('CONFIG', 'RESETSTAT');
my ($asked, $begin, @held) = (0, time);
while (my $key = <STDIN>) {
    chomp $key;
    ask('SET', $key, 'x' x 100) if ask('GET', $key) =~ /^\$-1/;
    next if ++$asked % 100;
    ask('DBSIZE') =~ /(\d+)/;
    push @held, $1;
    my $early = $begin + $asked / $per_second - time;
    sleep $early if $early > 0;
}
ask('INFO', 'stats') =~ /keyspace_misses:(\d+)/;
my $misses = $1;
# What fits in the second half, as buffers take of the memory, too.
@held = @held[@held / 2 .. $#held];
my $sum = 0;
$sum += $_ for @held;
ask('DBSIZE') =~ /(\d+)/;
printf "%d %.0f %d %d\n", $misses, $sum / (@held || 1), $1, used();
EOP
ask() {
    perl "$folder/ask.pl" "$folder/socket" "$@"
}
# The memory of no key, and of all.
# shellcheck disable=SC2046 # four numbers each
set -- $(ask allkeys-lru 0 1000000 </dev/null) \
    $(sort -un "$folder/trace" | ask allkeys-lru 0 1000000)
none=$4 held=$7 all=$8
printf 'server %s, %s requests to %s keys, %s each second, %s bytes a key\n' \
    "$(redis-server --version | sed 's/.* v=\([^ ]*\).*/\1/')" "$requests" \
    "$held" "$per_second" $(((all - none) / held))
printf '%-12s %9s %7s %8s %8s %9s\n' policy bytes keys server margay 'lru, lfu'
for policy in lru lfu; do
    for part in 10 4 2; do
        limit=$((none + (all - none) / part))
        # shellcheck disable=SC2046 # likewise
        set -- $(ask allkeys-$policy $limit "$per_second" <"$folder/trace")
        spec=redis-$policy:samples=5
        [ $policy = lfu ] || spec=$spec,tick=$per_second
        "$margay" curve -q --policy "$spec,$policy" --sizes "$2" \
            "$folder/trace" | awk -F, -v policy=$policy -v limit=$limit \
            -v misses="$1" 'NR > 1 { found[NR] = $7; all = $5; keys = $3 }
            END { printf "%-12s %9d %7d %8.4f %8.4f %9.4f\n",
                "redis-" policy, limit, keys, misses / all, found[2], found[3] }'
    done
done
