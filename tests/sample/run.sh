#!/bin/sh
# run.sh MARGAY OUTDIR - analyse the sample and say what came out, shortly
set -eu

margay=$1
out=$2
sample=tests/sample/walk.lackey.xz
export MARGAY_PLOTS="${MARGAY_PLOTS:-plots}"

mkdir -p "$out"
"$margay" curve -q -o "$out/curve.csv" "$sample"
"$margay" plot -o "$out/curve.png" "$out/curve.csv"
"$margay" info -q -o "$out/info.csv" "$sample"

echo "Analysed $sample, the data references of an awk program:"
awk -F, '
    $1 == "references" || $1 == "distinct_blocks" || $1 == "block_bytes" {
        value[$1] = $2
    }
    END {
        printf "  %d references to %d blocks of %d bytes\n",
            value["references"], value["distinct_blocks"],
            value["block_bytes"]
    }' "$out/info.csv"

echo "Miss ratio of a fully associative LRU cache of"
"$margay" curve -q --sizes 1KiB,4KiB,16KiB,64KiB,256KiB,1MiB "$sample" |
    awk -F, 'NR > 1 { printf "  %5d KiB  %.4f\n", $4 / 1024, $7 }'

echo "All sizes: $out/curve.csv"
echo "Picture:   $out/curve.png"
