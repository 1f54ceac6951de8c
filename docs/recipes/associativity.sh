#!/bin/sh
# associativity.sh - how fast set-associative caches come near the fully
# associative one
#
#     associativity.sh OUT TRACE...
#
# For each trace, 32-byte blocks and up to 2^17 of them: the miss ratios of
# caches of 1, 2, 4 and 8 ways next to that of the fully associative cache, as
# a table on standard output and as a picture in OUT/TRACE.png.  It is the
# experiment by which Fu, Zhang and Chen checked reuse distances (2006).
# MARGAY names the program if it is not on the path.
set -eu
margay=${MARGAY:-margay}
[ $# -ge 2 ] || {
    echo "usage: $0 OUT TRACE..." >&2
    exit 2
}
out=$1
shift
mkdir -p "$out"
blocks=131072

for trace; do
    name=$out/$(basename "$trace")
    "$margay" curve -q -b 32 --bound $blocks --sizes pow2 \
        -o "$name.curve.csv" "$trace"
    "$margay" assoc -q -b 32 --sets 1..$blocks --ways 1,2,4,8 \
        -o "$name.assoc.csv" "$trace"
    "$margay" plot "$name.curve.csv" "$name.assoc.csv" -o "$name.png"
    echo "$trace"
    # Fields are counted from the end: a name may hold commas.
    awk -F, -v most=$blocks '
        FNR == 1 { table++; next }
        table == 1 { full[$(NF - 4)] = last = $NF; next }
        { ratio[$(NF - 6) * $(NF - 5), $(NF - 5)] = $(NF - 1) }
        END {
            printf "%8s %10s %10s %10s %10s %10s\n", "blocks", "full",
                "1 way", "2 ways", "4 ways", "8 ways"
            for (size = 8; size <= most; size *= 2)
                printf "%8d %10.6f %10.6f %10.6f %10.6f %10.6f\n", size,
                    size in full ? full[size] : last, ratio[size, 1],
                    ratio[size, 2], ratio[size, 4], ratio[size, 8]
        }' "$name.curve.csv" "$name.assoc.csv"
done
