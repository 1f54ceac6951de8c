#!/bin/sh
# sqlite.sh - the pages that SQLite reads with five sizes of its cache, and what
# Margay predicts from one run
#
#     docs/recipes/sqlite.sh [QUERIES]
#
# looks rows of a table up by their key, some much more often than others.  strace
# sees each page that is read; with the smallest cache these are nearly all that
# are used, so that one run is the trace, and its curve what others will read.
set -eu
queries=${1:-4000}
margay=${MARGAY:-margay}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sqlite3 "$folder/db" "pragma page_size = 4096;
    create table t(k integer primary key, v text);
    with recursive c(i) as (select 1 union all select i + 1 from c
        where i < 20000)
    insert into t select i, printf('%0.200d', i) from c;"
perl -e 'srand 1; for (1 .. shift) {
    printf "select length(v) from t where k = %d;\n",
        1 + int 20000 * rand() ** 3 }' "$queries" >"$folder/queries"

# Read with a cache of some pages, and prints how many were read.
run() {
    { echo "pragma cache_size = $1; begin;" && cat "$folder/queries"; } |
        strace -y -e trace=pread64 -o "$folder/log.$1" \
            sqlite3 "$folder/db" >"$folder/out"
    grep -c 'pread64(.*db>' "$folder/log.$1"
}
echo "SQLite $(sqlite3 --version | cut -d' ' -f1), $(run 0) pages used"
"$margay" curve -q -f strace -b 4096 --sizes 20,50,100,200,400 \
    "$folder/log.0" >"$folder/curve"
printf '%6s %8s %8s\n' pages sqlite margay
for pages in 20 50 100 200 400; do
    printf '%6d %8d %8d\n' $pages "$(run $pages)" \
        "$(awk -F, -v pages=$pages '$3 == pages { print $6 }' "$folder/curve")"
done
