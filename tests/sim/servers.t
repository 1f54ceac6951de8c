#!/bin/sh
# servers.t - real servers miss what is predicted of them (docs/recipes)
. tests/sim/lib.sh

# near RECIPE MOST 'TOOLS' FIRST SECOND ARGUMENT...: in each line of the recipe's
# table, which ends in numbers, the column SECOND is FIRST, but for a share.
near() {
    recipe=$1 most=$2 tools=$3 first=$4 second=$5
    shift 5
    for tool in $tools; do
        command -v "$tool" >/dev/null || {
            skip "what $recipe misses" "$tool is not installed"
            return
        }
    done
    timeout 120 sh "$root/docs/recipes/$recipe.sh" "$@" >table 2>err || cat err
    check "$recipe misses what is predicted" awk -v most="$most" \
        -v first="$first" -v second="$second" '
        NR > 2 { rows++; error = $second - $first;
            if (error < 0) error = -error;
            if (!(error <= most * $first)) wrong = 1 }
        END { exit !(rows >= 3 && !wrong) }' table
}
export MARGAY
strace -o t.strace true 2>/dev/null || tool=strace
near sqlite 0.04 "sqlite3 strace${tool:+ a-strace-that-may-trace}" 2 3 1500
near nginx 0 nginx 3 4 5000 1500
near redis 0.15 redis-server 4 5 6000 2000 12000
near memcached 0.1 memcached 3 4 12000 8000
near postgresql 0.1 'psql /usr/lib/postgresql/*/bin/initdb' 2 3 1500
finish
