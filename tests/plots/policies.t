#!/bin/sh
# policies.t - pictures of curves of policies, by the texts in an SVG
. tests/sim/lib.sh
. "$root/tests/plots/texts.sh"

LC_ALL=C.UTF-8
export LC_ALL
columns=trace,block_bytes,cache_blocks,cache_bytes,references,misses,miss_ratio

coloured() {
    check "$1 has the colour $2" grep -Fqi -e "rgb($2)" -e "$3" "$1.svg"
}

"$MARGAY" generate zipf --refs 20000 --blocks 500 --to u64 -o z.u64
"$MARGAY" curve -q --policy lru,fifo,opt z.u64 -o one.csv
drawn one one.csv
shows one 'Misses of fully associative caches, by policy' \
    'z.u64, 64-byte blocks' 'between LRU and opt' lru fifo 'cache size'
coloured one '213,  94,   0' '#d55e00'
is 'the lines after the first have dashes of their own' \
    "$(grep -o "stroke-dasharray='[^']*'" one.svg | sort -u | wc -l)" 2
drawn gain --gain one.csv
shows gain 'From LRU to the optimum, by policy' \
    'gain: LRU 0, optimum 1' fifo
coloured gain '213,  94,   0' '#d55e00'

"$MARGAY" curve -q --policy fifo,clock --ids z.u64 -o two.csv
drawn two two.csv
shows two 'cache size in blocks' 'z.u64'
lacks two 'between LRU and opt'
refuses 'two.csv: --gain needs the policies lru and opt' \
    plot --gain two.csv -o x.svg
"$MARGAY" curve -q -b 64,128 --policy lru,opt z.u64 -o blocks.csv
drawn blocks blocks.csv
shows blocks 'opt, 128-byte blocks'
drawn blocks --gain blocks.csv

# Names with all that a table may hold, and a policy with commas.
{
    echo "$columns,policy"
    for policy in lru opt '"new:a=1,b=2"' '"new:a=2,b=2"' '"a""b"'; do
        case $policy in
        opt) ratios='0.4 0.3' ;;
        '"new:a=1'*) ratios='0.5 0.58' ;;
        *) ratios='0.5 0.5' ;;
        esac
        size=1
        for ratio in $ratios; do
            echo "\"d/a, \"\"b\"\", c.x\",64,$size,$((64 * size)),100,10,$ratio,$policy"
            size=$((2 * size))
        done
    done
} >odd.csv
drawn odd odd.csv
shows odd 'a, "b"; c.x, 64-byte blocks' 'new:a=1,b=2' 'new:a=2,b=2' 'a"b'
# (0.5 - 0.58) / (0.5 - 0.3)
drawn worse --gain odd.csv
shows worse '-0.4'
lacks worse '-0.6'
is 'a share of the way: no other tick is below 0' \
    "$(grep -o '>-0[.][0-9]*<\|\[-0[.][0-9]*\]' worse.svg | sort -u | wc -l)" 2

refuses 'one.csv: --map needs a table of' plot --map one.csv -o x.svg
"$MARGAY" curve -q z.u64 -o curve.csv
refuses "curve.csv: --gain needs a table of 'margay curve --policy'" \
    plot --gain curve.csv -o x.svg
refuses '--gain: found --map too, expected one picture' \
    plot --gain --map one.csv -o x.svg
refuses 'another kind' plot one.csv curve.csv -o x.svg
printf '%s,policy\n' $columns >none.csv
refuses 'none.csv: no rows' plot none.csv -o x.svg
finish
