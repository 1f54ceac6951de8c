#!/bin/sh
# postgresql.sh - the pages that PostgreSQL reads with four sizes of its buffers,
# and what Margay predicts from one run
#
#     docs/recipes/postgresql.sh [QUERIES]
#
# looks rows of a table up by their key, some much more often than others, in a
# server of its own without a network.  strace sees each page that is read; with
# the smallest shared_buffers, 16 pages, these are nearly all that are used, so
# that one run is the trace, and its curve what others will read.  Root runs the
# server as the user postgres.
set -eu
queries=${1:-6000}
margay=${MARGAY:-margay}
programs=$(find /usr/lib/postgresql/*/bin -maxdepth 0 | tail -1)
folder=$(mktemp -d)
as=
if [ "$(id -u)" = 0 ]; then
    as='setpriv --reuid=postgres --regid=postgres --clear-groups'
    chown postgres "$folder"
fi
control() {
    $as "$programs/pg_ctl" -D "$folder/data" -w "$@" >/dev/null
}
ask() {
    psql -qAt -h "$folder/data" -U postgres postgres "$@"
}
start() {
    control -l "$folder/data/log" -o "-c shared_buffers=$1 -k $folder/data \
-c listen_addresses='' -c autovacuum=off -c jit=off" start
}
trap 'control -m fast stop 2>/dev/null; rm -rf "$folder"' EXIT
$as "$programs/initdb" -D "$folder/data" -U postgres -A trust >/dev/null
start 16MB
ask -c "create table t(k int primary key, v text);
    insert into t select i, repeat('x', 200) from generate_series(1, 50000) i;"
ask -c 'vacuum analyze t'
control -m fast stop
perl -e 'srand 1;
    print "select pg_sleep(2); set enable_seqscan = off;\n",
        "set enable_bitmapscan = off; set enable_indexonlyscan = off;\n";
    for (1 .. shift) {
        printf "select length(v) from t where k = %d;\n",
            1 + int 50000 * rand() ** 3 }' "$queries" >"$folder/queries"

# The pages that the queries read, with BUFFERS; strace writes LOG, if there is
# one.
run() {
    start "$1"
    ask -c 'select pg_stat_reset()' >/dev/null
    ask -f "$folder/queries" >/dev/null &
    asks=$!
    sleep 1
    [ $# = 1 ] || strace -y -e trace=pread64 -o "$2" -p "$(ask -c "select pid
        from pg_stat_activity where query like 'select pg_sleep%'")" \
        2>/dev/null &
    wait $asks
    sleep 1
    ask -c "select heap_blks_read + idx_blks_read from pg_statio_user_tables
        where relname = 't'"
    control -m fast stop
}
echo "$("$programs/postgres" --version), $(run 128kB "$folder/log") pages used"
"$margay" curve -q -f strace -b 8192 --policy clock,lru \
    --sizes 512K,1M,2M,4M "$folder/log" >"$folder/curve"
printf '%6s %10s %6s %6s\n' buffers postgresql clock lru
for buffers in 64 128 256 512; do
    # shellcheck disable=SC2046 # two numbers
    printf '%6d %10d %6d %6d\n' $buffers "$(run $((8 * buffers))kB)" \
        $(awk -F, -v blocks=$buffers '$3 == blocks { print $6 }' \
            "$folder/curve")
done
