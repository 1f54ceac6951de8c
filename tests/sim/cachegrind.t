#!/bin/sh
# cachegrind.t - the caches of a program, against those of Valgrind's cachegrind
#
# Cachegrind simulates LRU caches for instructions and for data, which feed one
# for both.  Its caches know no dirty blocks, and a reference to two blocks that
# misses in both counts once there and twice here, so that the misses of a first
# level may differ by as much as there are such references.
if ! command -v valgrind >/dev/null; then
    echo '1..0 # SKIP valgrind is not installed'
    exit 0
fi
. tests/sim/lib.sh

under() { # OPTION...: the program under valgrind, whose words are in words
    timeout 120 valgrind "$@" /bin/ls / >/dev/null 2>words </dev/null
}
if ! under --tool=lackey --trace-mem=yes --log-file=t.lackey ||
    ! under --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null; then
    skip 'as cachegrind says' 'valgrind does not run here'
    finish
    exit
fi
accesses() { # KIND: how many the trace has
    grep -c "^$1" t.lackey
}
said() { # LINE WORD: a number of cachegrind's, without commas
    sed -n "s/^==[0-9]*== $1[^:]*://p" words | tr -d ,\( | awk "{ print \$$2 }"
}
# Instructions, reads, writes, and those of which two halves may miss.
fetches=$(accesses I) reads=$(accesses ' L') writes=$(accesses ' S')
changes=$(accesses ' M')

within() { # NAME OURS THEIRS MORE: from theirs to MORE above
    check "$1: $2, and cachegrind $3" \
        test "$2" -ge "$3" -a "$2" -le $(($3 + $4))
}
for caches in '8192,2,64 8192,4,64' '32768,8,64 16384,1,64' \
    '2048,4,32 6144,3,32'; do
    first=${caches% *} second=${caches#* }
    under --tool=cachegrind --cache-sim=yes --I1="$first" --D1="$second" \
        --LL=262144,8,64 --cachegrind-out-file=/dev/null
    awk -F, -v OFS=, '
        BEGIN { print "cache,holds,bytes,block_bytes,ways,next,write" }
        NR == 1 { print "I1,fetch", $1, $3, $2, "LL,none" }
        NR == 2 { print "D1,data", $1, $3, $2, "LL,none" }
        END { print "LL,all,262144,64,8,,none" }' >m.csv <<END
$first
$second
END
    run simulate -q --machine m.csv --straddle split t.lackey
    is "$caches: status" "$status" 0
    there="$(said 'I *refs' 1) $(said 'D *refs' 1)"
    if [ "$there" != ' ' ] &&
        [ "$there" != "$fetches $((reads + writes + changes))" ]; then
        skip "$caches: as cachegrind says" 'the program ran another way'
        continue
    fi
    awk -F, '$1 != "machine" { print $3, $4, $8, $10, $12 }' out >ours
    while read -r cache references fetch_misses read_misses write_misses; do
        case $cache in
        I1) within "$caches: I1 misses" "$fetch_misses" \
            "$(said 'I1 *misses' 1)" $((references - fetches)) ;;
        D1)
            # A change is a read and a write here, and a read there.
            both=$((references - reads - writes - 2 * changes))
            within "$caches: D1 read misses" "$read_misses" \
                "$(said 'D1 *misses' 2)" $both
            within "$caches: D1 write misses" "$write_misses" \
                "$(said 'D1 *misses' 5)" $both
            ;;
        esac
    done <ours
done
finish
