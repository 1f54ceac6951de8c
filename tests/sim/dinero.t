#!/bin/sh
# dinero.t - first levels and what comes behind them, against Dinero IV
#
# DINERO=path/to/dineroIV has the program, for those who have it; simulate.t and
# tests/assoc/test_hierarchy.c make the same comparisons with what is here.
# DINERO_TRACES="A B C" has other traces than three that are made here.
case ${DINERO:-} in
'')
    echo '1..0 # SKIP no DINERO=path/to/dineroIV'
    exit 0
    ;;
/*) dinero=$DINERO ;;
*) dinero=$PWD/$DINERO ;;
esac
. tests/sim/lib.sh

# din FILE: as din, a word of 4 bytes and an address of 31 bits, as Dinero IV
# reads it; then reads of blocks that are nowhere else, which drive out all of
# up to 64 KiB: Dinero IV writes dirty blocks back in the end, Margay does not.
din() {
    "$MARGAY" convert -q "$1" - --to din | head -n "${DINERO_REFS:-20000}" |
        perl -ne '($kind, $address) = split;
            printf "%d %x\n", $kind, hex($address) & 0x7ffffffc;
            END { printf "0 %x\n", 0x80000000 + 16 * $_ for 0 .. 4095 }'
}
if [ -n "${DINERO_TRACES:-}" ]; then
    count=0
    for trace in $DINERO_TRACES; do
        case $trace in /*) ;; *) trace=$root/$trace ;; esac
        count=$((count + 1))
        din "$trace" >$count.din
    done
else
    "$MARGAY" convert -q "$root/tests/sample/walk.lackey.xz" \
        --to din -o walk.din
    # A fetch after each second reference, of loops of 300 instructions and more.
    perl -ne 'print; printf "2 %x\n", 0x400000
        + 4 * ($. % (300 + 100 * int($. / 9000))) if $. % 2' walk.din >code.din
    din code.din >1.din
    "$MARGAY" generate -q zipf --refs 20000 --blocks 3000 --unit 8 --to din |
        perl -pe 's/^./int(7 * sin $.) % 3/e' >zipf.din
    din zipf.din >2.din
    "$MARGAY" generate -q matmul --refs 20000 --blocks 900 --to din -o matmul.din
    din matmul.din >3.din
    rm walk.din code.din zipf.din matmul.din
fi
set -- ./*.din

# number CACHE LINE WORD: of what Dinero IV wrote.
number() {
    awk -v cache="l$1" -v title="$2" -v word="$3" '
        /^l[0-9]-/ { here = $1 == cache }
        here && index($0, " " title) == 1 {
            print $(split(title, words, " ") + word); exit }' theirs
}
# ours CACHE: fetches, reads, writes and their misses, write-backs, prefetches.
ours() {
    awk -F, -v cache="$1" '$3 == cache {
        print $7, $9, $11, $8, $10, $12, $13, $14 }' out
}
# kinds CACHE: the same of Dinero IV's, but for write-backs.
kinds() {
    for line in 'Demand Fetches' 'Demand Misses'; do
        for word in 2 4 5; do number "$1" "$line" $word; done
    done | xargs
}
moved() { # CACHE: bytes from memory, and to it
    echo "$(number "$1" 'Bytes From Memory' 1) $(number "$1" 'Bytes To Memory' 1)"
}

# power SIZE: the power of two that holds it.  Dinero IV takes no other sizes,
# and has as many whole sets in one as it holds.
power() {
    power=1
    while [ "$power" -lt "$1" ]; do power=$((power * 2)); done
    echo "$power"
}

# compare TRACE ISIZE IBLOCK IWAYS DSIZE DBLOCK DWAYS POLICY ALLOCATE BACK AHEAD
compare() {
    name="$*"
    ahead=
    [ "${11}" = m ] && ahead='"next-line:on=read,fetch,renew=on"'
    case $8 in l) policy=lru ;; *) policy=fifo ;; esac
    case $9 in a) allocate=on ;; *) allocate=off ;; esac
    case ${10} in a) write=back ;; *) write=through ;; esac
    cat >m.csv <<END
cache,holds,bytes,block_bytes,ways,next,policy,allocate,write,prefetch
I,fetch,$2,$3,$4,L2,$policy,,,$ahead
D,data,$5,$6,$7,L2,$policy,$allocate,$write,$ahead
L2,all,65536,64,8,,,,,
END
    run simulate -q --machine m.csv "$1"
    is "$name: simulated" "$status" 0
    timeout 600 "$dinero" -l1-isize "$2" -l1-ibsize "$3" -l1-iassoc "$4" -l1-irepl "$8" \
        -l1-dsize "$(power "$5")" -l1-dbsize "$6" -l1-dassoc "$7" \
        -l1-drepl "$8" -l1-dwalloc "$9" -l1-dwback "${10}" \
        -l1-ifetch "${11}" -l1-dfetch "${11}" \
        -l2-usize 65536 -l2-ubsize 64 -l2-uassoc 8 -l2-urepl l \
        -informat d <"$1" >theirs 2>err
    code=$(ours I) data=$(ours D)
    is "$name: instructions" "${code% *}" "$(kinds 1-icache) 0"
    is "$name: data" "${data% * *}" "$(kinds 1-dcache)"
    # Bytes of blocks that were brought in, and written back or passed on.
    # shellcheck disable=SC2086 # numbers
    set -- "$3" "$6" "$9" "${10}" $code $data
    misses=$((${17} + ${20}))
    back=$((${19} * $2))
    [ "$3" = a ] && misses=$((misses + ${18}))
    [ "$3$4" = na ] && back=$((back + 4 * ${18}))
    [ "$4" = n ] && back=$((back + 4 * ${15}))
    is "$name: bytes of instructions" "$(((${8} + ${12}) * $1)) 0" \
        "$(moved 1-icache)"
    is "$name: bytes of data" "$((misses * $2)) $back" "$(moved 1-dcache)"
    second=$(ours L2)
    there=$(kinds 2-ucache)
    is "$name: what comes to the second level" \
        "$(echo "$second" | cut -d' ' -f1-3)" "$(echo "$there" | cut -d' ' -f1-3)"
}
for trace; do
    check "$trace has references" test "$(wc -l <"$trace")" -gt 5000
    compare "$trace" 8192 32 2 16384 64 4 l a a d
    compare "$trace" 1024 16 1 2048 32 64 l a a d
    compare "$trace" 4096 64 4 8160 32 3 f a a d
    compare "$trace" 2048 16 8 8192 16 2 l n n d
    compare "$trace" 2048 32 8 4096 64 2 l n a d
    compare "$trace" 8192 32 2 16384 64 4 l a a m
    compare "$trace" 2048 16 8 4096 32 4 f a a m
    compare "$trace" 2048 32 8 4096 64 2 l n n m
done
finish
