#!/bin/sh
# redis.t - the miss curve of a Redis server while it serves
. tests/sim/lib.sh

for tool in redis-server redis-cli redis-benchmark; do
    command -v $tool >/dev/null || {
        skip 'a Redis server under load' \
            "$tool is not installed (Debian: redis)"
        finish
    }
done

# A server that listens on a socket in this folder and nowhere else.
redis-server --port 0 --unixsocket "$PWD/socket" --save '' --appendonly no \
    --dir "$PWD" >server.log 2>&1 &
server=$!
cli() {
    timeout 60 redis-cli -s "$PWD/socket" "$@"
}
answers() {
    [ "$(cli ping 2>/dev/null)" = PONG ]
}
check 'the server is there' await answers

mkfifo monitor
timeout 300 redis-cli -s "$PWD/socket" monitor >monitor &
monitor=$!
timeout 300 "$MARGAY" curve -f redis --sizes 100,400,1000 --every 1s \
    --half-life 2000 --prometheus live.prom -o curve.csv monitor 2>err &
margay=$!
watches() {
    cli client list | grep -q cmd=monitor
}
check 'the server is watched' await watches

# Until a curve is there, which the load of the last second is in.
load() {
    timeout 60 redis-benchmark -s "$PWD/socket" -t set,get -n 2000 -r 500 -q \
        >/dev/null
    test -s live.prom && grep -q '^margay_miss_ratio' live.prom
}
check 'the curve appears while the server serves' await load
cli shutdown nosave >/dev/null 2>&1
ended $server
ended $monitor
ended $margay
is 'margay ends with the server' $? 0
is 'at each size' "$(cut -d, -f3 curve.csv | tr '\n' ' ')" \
    'cache_blocks 100 400 1000 '
# 500 keys at random: a cache of 100 misses four of five, one of 1000 none.
check 'and is that of the load' awk -F, '
    $3 == 100 { small = $7 }
    $3 == 1000 { large = $7 }
    END { exit !(small > 0.7 && small < 0.9 && large < 0.05) }' curve.csv
finish
