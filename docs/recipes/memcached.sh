#!/bin/sh
# memcached.sh - what memcached misses with three sizes of memory, and what Margay
# predicts
#
#     docs/recipes/memcached.sh [REQUESTS [KEYS]]
#
# starts servers of its own, without a network, and asks them for keys by Zipf's
# law; what they lack is stored.
set -eu
requests=${1:-60000} keys=${2:-20000}
margay=${MARGAY:-margay}
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null; wait; rm -rf "$folder"' EXIT
"$margay" generate -q zipf --refs "$requests" --blocks "$keys" \
    --exponent 0.9 --to lines -o "$folder/trace"
printf '%s, %s requests\n' "$(memcached -V)" "$requests"
printf '%5s %6s %9s %6s %6s %6s\n' MiB items memcached lru slru 2q
for memory in 2 4 8; do
    memcached -u "$(id -un)" -s "$folder/$memory" -m $memory -I 512k -t 1 \
        >/dev/null 2>&1 &
    server=$!
    # shellcheck disable=SC2046 # two numbers
    set -- $(perl -MIO::Socket::UNIX -MTime::HiRes=sleep -e '
        for (1 .. 100) {
            last if $server = IO::Socket::UNIX->new(Peer => $ARGV[0]);
            sleep 0.05;
        }
        $server // die "no server\n";
        $server->autoflush;
        while ($key = <STDIN>) {
            chomp $key;
            print $server "get $key\r\n";
            if (<$server> =~ /^VALUE/) {
                scalar <$server>, scalar <$server>;
            } else {
                print $server "set $key 0 0 900\r\n", "x" x 900, "\r\n";
                scalar <$server>;
            }
        }
        print $server "stats\r\n";
        while (defined($line = <$server>) && $line !~ /^END/) {
            $value{$1} = $2 if $line =~ /^STAT (\S+) (\S+)/;
        }
        print "$value{get_misses} $value{curr_items}\n"' \
        "$folder/$memory" <"$folder/trace")
    kill $server
    wait $server || true
    server=
    # shellcheck disable=SC2046 # three numbers
    printf '%5d %6d %9d %6d %6d %6d\n' $memory "$2" "$1" $("$margay" curve -q \
        --policy lru,slru,2q --sizes "$2" "$folder/trace" |
        awk -F, 'NR > 1 { print $6 }')
done
