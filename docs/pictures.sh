#!/bin/sh
# pictures.sh MARGAY WORK DOCS - draw the pictures of DOCS again
#
# Tables go into WORK.  `make papers` draws those of the tables that it measures.
set -eu
margay=$1 work=$2 docs=$3
sample=tests/sample/walk.lackey.xz
mkdir -p "$work"

# small NAME TABLE OPTION...: a picture of docs/using/pictures.md
small() {
    name=$1 table=$2
    shift 2
    "$margay" plot "$work/$table.csv" -o "$docs/pictures/$name.png" \
        --size 800x480 --font ,11 "$@"
}

"$margay" curve -q "$sample" -o "$work/sample.csv"
"$margay" plot "$work/sample.csv" -o "$docs/pictures/curve.png"

# ---------------------------------------------- docs/using/pictures.md --
"$margay" curve -q -b 32,64,128,256 "$sample" -o "$work/blocks.csv"
"$margay" curve -q --window 20000 "$sample" -o "$work/windows.csv"
"$margay" curve -q --policy lru,fifo,arc,s3fifo,opt "$sample" \
    -o "$work/policies.csv"
small usual blocks
small labels blocks --labels --title none
small linear blocks --hit --x linear --xrange 0..8KiB --legend below
small log blocks --y log --yrange 0.001..1 --legend inside \
    --title 'Misses of an awk program that walks three tables'
small windows windows --labels
small policies policies --labels

# -------------------------------------------- docs/using/prediction.md --
for side in 16 24 32 80; do
    "$margay" generate stencil3d -q --blocks $((2 * side * side * side)) \
        --refs $((32 * (side - 2) * (side - 2) * (side - 2))) --to u64 |
        "$margay" histogram -q -f u64 -b 8 -o "$work/$side.csv"
done
(cd "$work" && "$margay" predict --size 512000 --curve --with-runs \
    16.csv=4096 24.csv=13824 32.csv=32768 --truth 80.csv) \
    >"$work/stencil3d.csv" 2>/dev/null
"$margay" plot "$work/stencil3d.csv" \
    -o "$docs/pictures/prediction-stencil3d.png" --labels \
    --title 'Misses of a stencil over a cube, predicted from three small cubes'
