#!/bin/sh
# postgresql.sh - the pages that PostgreSQL reads with four sizes of its buffers,
# and what Margay predicts from one run
#
#     docs/recipes/postgresql.sh [QUERIES]
#
# looks rows of a table up by their key, some much more often than others, in a
# server of its own without a network.  Its own tables and pageinspect say which
# pages each query uses: the root of the index, a leaf and a page of the table.
# Without such knowledge, strace sees each page that is read: with the smallest
# shared_buffers, 16 pages, these are most that are used, so that one run is the
# trace, and its curve what others will read.  Root runs the server as the user
# postgres.
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
trap 'control -m fast stop 2>/dev/null || true; rm -rf "$folder"' EXIT
$as "$programs/initdb" -D "$folder/data" -U postgres -A trust >/dev/null
start 16MB
ask -c "create table t(k int primary key, v text);
    insert into t select i, repeat('x', 200) from generate_series(1, 50000) i;"
ask -c 'vacuum analyze t' -c 'create extension pageinspect'
ask -c 'create table asked(n serial, k int)'
perl -e 'srand 1; print 1 + int 50000 * rand() ** 3, "\n" for 1 .. shift' \
    "$queries" >"$folder/keys"
ask -c 'copy asked(k) from stdin' <"$folder/keys"
ask -c "select unnest(array[0, leaf, 1000 + (t.ctid::text::point)[0]::int])
    from asked join t using (k) join (select max(leaf) leaf, htid
        from (select leaf, (bt_page_items('t_pkey', leaf)).htid
            from generate_series(1, pg_relation_size('t_pkey') / 8192 - 1) leaf
            where (bt_page_stats('t_pkey', leaf)).type = 'l') items
        group by htid) leaves on htid = t.ctid order by n" >"$folder/uses"
control -m fast stop
{
    echo 'set enable_seqscan = off; set enable_bitmapscan = off;'
    echo 'set enable_indexonlyscan = off;'
    sed 's/.*/select length(v) from t where k = &;/' "$folder/keys"
} >"$folder/queries"

# The pages that the queries read, with BUFFERS; strace writes LOG, if there is
# one.
run() {
    start "$1"
    ask -c 'select pg_stat_reset()' >/dev/null
    {
        [ $# = 1 ] || echo 'select pg_sleep(2);'
        cat "$folder/queries"
    } | ask >/dev/null &
    asks=$!
    if [ $# = 2 ]; then
        sleep 1
        strace -y -e trace=pread64 -o "$2" -p "$(ask -c "select pid
            from pg_stat_activity where query like 'select pg_sleep%'")" \
            2>/dev/null || true
    fi
    wait $asks
    ask -c "select heap_blks_read + idx_blks_read from pg_statio_user_tables
        where relname = 't'"
    control -m fast stop
}
"$margay" curve -q -f lines --policy clock:max=5,new=1 \
    --sizes 64,128,256,512 "$folder/uses" >"$folder/curve"
# Where strace may not trace, its two columns stay empty.
if strace -o "$folder/log" true 2>/dev/null; then
    run 128kB "$folder/log" >/dev/null
    "$margay" curve -q -f strace -b 8192 --policy clock,lru \
        --sizes 512K,1M,2M,4M "$folder/log" >>"$folder/curve"
fi
"$programs/postgres" --version
echo 'buffers postgresql clock:max=5,new=1 | of strace: clock   lru'
for buffers in 64 128 256 512; do
    # shellcheck disable=SC2046 # three numbers
    printf '%7d %10d %17d %18s %5s\n' $buffers "$(run $((8 * buffers))kB)" \
        $(awk -F, -v blocks=$buffers '$3 == blocks { print $6 }' \
            "$folder/curve")
done
