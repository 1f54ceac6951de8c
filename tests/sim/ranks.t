#!/bin/sh
# ranks.t - the same command on the ranks of a cluster, which need no MPI here
. tests/sim/lib.sh
program=$BUILD/tests/sim/ranks

# on RANKS ARGUMENT...: as run, on RANKS ranks; 124 if they hang.  Standard
# input is $input.
input=/dev/null
on() {
    ranks=$1
    shift
    status=0
    timeout 300 "$program" "$ranks" "$@" <"$input" >out 2>err || status=$?
}

# same NAME ARGUMENT...: what margay writes, all these numbers of ranks write; a
# file named - is read from standard input.
numbers='1 2 3 4 7'
same() {
    name=$1
    shift
    run "$@" <input
    [ "$status" = 0 ] || check "$name: one process" false
    mv out expected
    for ranks in $numbers; do
        on $ranks "$@"
        check "$name: $ranks ranks" cmp -s out expected
        is "$name: $ranks ranks: status" "$status" 0
    done
}

"$MARGAY" generate zipf --refs 60000 --blocks 3000 --unit 64 --to u64 -o zipf.u64
"$MARGAY" generate phases --refs 40000 --blocks 900 --unit 64 --to u32be -o phases.u32be
"$MARGAY" generate uniform --refs 500 --blocks 90 --unit 64 --to din -o uniform.din
gzip -k uniform.din
head -c 40 zipf.u64 >short.u64
: >empty.u64
cp zipf.u64 input
input=input

same 'a file' curve -q --sizes all zipf.u64
same 'a file, bounded' curve -q --sizes all --bound 100 zipf.u64
same 'a file in phases' histogram -q --phase 7001 zipf.u64
same 'a file in phases, bounded' histogram -q --phase 7001 --bound 300 zipf.u64
same 'with a warm-up and a choice' histogram -q --skip 999 --warmup 12345 \
    --limit 50001 --phase 9999 -b 64,512 zipf.u64
same 'a pipe' curve -q -f u64 --sizes all -
same 'a pipe in phases, bounded' histogram -q -f u64 --phase 5000 --bound 77 -
same 'a pipe with a warm-up' histogram -q -f u64 --warmup 30000 --chunk 999 -
numbers='2 7'
same 'traces of all kinds' curve -q -b 64,128 --sizes all phases.u32be \
    empty.u64 uniform.din.gz short.u64 uniform.din zipf.u64
# A format of blocks, whose references are counted.
"$MARGAY" convert -q zipf.u64 zipf.mgt --to mgt
tail -c +2 "$BUILD/tests/fuzz/seeds/mgt/columns" >columns.mgt
same 'blocks' curve -q --sizes all --skip 12345 zipf.mgt columns.mgt
same 'blocks in parts' histogram -q -j 3 --chunk 1000 zipf.mgt
numbers=3
same 'an engine of words' histogram -q -e holes:form=vector zipf.u64
same 'an engine that cannot share' curve -q -e shards:rate=0.5 zipf.u64
same 'threads in ranks' curve -q -j 3 --chunk 1000 --sizes all zipf.u64
same 'all of it warm-up' histogram -q --warmup 99999999 zipf.u64
same 'nothing' curve -q --limit 0 zipf.u64
same 'another command' info zipf.u64
same 'single distances' distances --limit 50 zipf.u64
same 'help' help curve

run curve -q -o one.csv --histogram one.hist zipf.u64
on 3 curve -o three.csv --histogram three.hist zipf.u64
check 'tables in files' cmp -s one.csv three.csv
check 'and the other' cmp -s one.hist three.hist
is 'one summary' "$(grep -c 'margay curve: zipf.u64: 60000 references' err)" 1
check 'nothing is left behind' no_leftovers

# fails PATTERN ARGUMENT...: on one rank and on more: status 2, one line that
# matches, nothing on standard output, and an end.
fails() {
    pattern=$1
    shift
    for ranks in 1 3; do
        on $ranks "$@"
        is "$* on $ranks ranks: status" "$status" 2
        is 'nothing on standard output' "$(cat out)" ''
        is 'one line' "$(grep '^margay' err | grep -Ec -e "$pattern")" 1
        is 'and no other' "$(grep -c '^margay' err)" 1
    done
}
{ cat zipf.u64; printf abc; } >torn.u64
fails 'torn.u64: byte 480000: found half a record' curve torn.u64
fails 'torn.u64: byte 480000: found half a record' curve -f u64 --phase 9999 \
    torn.u64
cp torn.u64 input
fails '-: byte 480000: found half a record' curve -f u64 --phase 9999 -
"$MARGAY" generate uniform --refs 600 --blocks 90 --to vscsi -o bad.vscsi
for record in 5 350 590; do
    printf '\007' | dd of=bad.vscsi bs=1 seek=$((record * 32 + 15)) \
        conv=notrunc 2>/dev/null
    fails "bad.vscsi: byte $((record * 32)): found another record" \
        histogram -f vscsi bad.vscsi
    printf '\001' | dd of=bad.vscsi bs=1 seek=$((record * 32 + 15)) \
        conv=notrunc 2>/dev/null
done
printf '0 zz\n' >>uniform.din
fails 'uniform.din:501: found' curve uniform.din
fails 'nosuch: No such file' curve zipf.u64 nosuch
fails 'unknown option' curve --nosuch zipf.u64
fails 'is above the bound' curve --sizes 500 --bound 100 zipf.u64
fails 'cannot write' curve -o no/such/place zipf.u64
fails "unknown command 'nosuch'" nosuch
finish
