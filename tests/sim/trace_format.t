#!/bin/sh
# trace_format.t - the format of what generate, convert and filter write
. tests/sim/lib.sh

"$MARGAY" generate zipf -q --refs 2000 --blocks 300 --to words -o given.words.zst
run generate zipf -q --refs 2K --blocks 0.3K -o named.words.zst
like 'numbers of blocks are whole' "$(cat err)" '0.3K'
run generate zipf -q --refs 2K --blocks 300 -o named.words.zst
check 'generate: the name tells' cmp -s given.words.zst named.words.zst
"$MARGAY" generate zipf -q --refs 2000 --blocks 3000 --to u32 -o given.u32
run generate zipf -q --refs 2K --blocks 3K -o named.u32
check '--blocks 3K are 3000' cmp -s given.u32 named.u32

run convert -q --unit 64 given.u32 named.hex
"$MARGAY" convert -q --unit 64 --to hex given.u32 given.x
check 'convert: the name tells' cmp -s given.x named.hex
run convert -q --to hex --unit 64 given.u32 hex.u64
check '--to does before the name' cmp -s given.x hex.u64
run convert given.u32 u32.hex.u64
like 'the last format of a name' "$(cat err)" 'as u64$'
run filter -q --sets 4 --ways 2 -o named.din named.hex
"$MARGAY" filter -q --sets 4 --ways 2 --to din named.hex >given.x
check 'filter: the name tells' cmp -s given.x named.din

mkdir a.u64
refuses '--to FORMAT is needed' generate zipf --refs 4 --blocks 4 -o a.u64/b
refuses '--to FORMAT is needed' convert given.u32 b
refuses '--to FORMAT is needed' convert given.u32 b.lcs
refuses '--to FORMAT is needed' filter --sets 1 --ways 1 -o b named.hex
finish
