#!/bin/sh
# threads.t - threads change nothing but the time it takes
. tests/sim/lib.sh

"$MARGAY" generate zipf --refs 700000 --blocks 20000 --unit 64 --to u64 -o a.u64
"$MARGAY" generate uniform --refs 300000 --blocks 3000 --seed 2 --unit 64 --to u64 -o b.u64
"$MARGAY" generate phases --refs 50000 --blocks 900 --seed 3 --unit 64 --to u64 -o c.u64
: >empty.u64
for i in 1 2 3 4 5 6 7 8 9; do printf '2 %x\n0 %x\n' $((i * 64)) $i; done >d.din
set -- a.u64 b.u64 empty.u64 c.u64 d.din

# What the run said, but for its speed and its plan.
said() {
    sed -e 's/, [0-9.]* M refs.*//' -e '/: analysed /d' err | sort
}


# same NAME COMMAND...: what -j 1 writes is what more threads write, and also
# says, but for the rates, and for the order when several traces begin.
same() {
    name=$1
    shift
    run "$@" -j 1
    is "$name: status" "$status" 0
    mv out expected
    said >expected.err
    for threads in 2 5; do
        run "$@" -j $threads
        check "$name: -j $threads" cmp -s out expected
        said | cmp -s - expected.err
        check "$name: -j $threads, what it says" [ $? = 0 ]
    done
}

same 'one trace' curve --sizes all a.u64
same 'traces' curve --sizes all "$@"
same 'traces and block sizes' histogram -b 64,128,4096 "$@"
same 'more block sizes than threads' \
    histogram -b 8,16,32,64,128,256,512,1024 -e olken c.u64
same 'an engine that cannot split' curve --sizes all -e olken --bound 500 "$@"
same 'a warm-up' histogram --warmup 60000 -b 64,4096 "$@"
same 'nothing but warm-up' histogram --warmup 99999999 -b 64,4096 "$@"
same 'distances of more than is kept in memory' distances -b 64,256 a.u64
same 'phases of a trace' phases c.u64
same 'chunks' curve --sizes all --chunk 1000 a.u64
same 'phases' curve --sizes all --phase 1000 a.u64
same 'an engine of words' curve -v -q -b 64,128 "$@"
# More threads than there are tasks, or than any system has.
for engine in exact parda hp-rda; do
    run histogram -j 1 -e $engine c.u64
    mv out expected
    run histogram -j 1000000000 -e $engine c.u64
    check "$engine: -j 1000000000" cmp -s out expected
done
for policy in lru fifo opt; do
    run assoc -j 1000000000 --policy $policy --sets 1,2 --ways 1 --limit 9 c.u64
    is "assoc --policy $policy: -j 1000000000" "$status" 0
done

# A bound that only the parts together exceed.
for i in 1 2 3 4; do echo $i; done >few.lines
for merge in space plain; do
    same "a few, bounded, parda:merge=$merge" \
        histogram --bound 3 -e parda:merge=$merge few.lines
done

# A file whose references can be counted is read in parts, if it is long
# enough for that.
"$MARGAY" generate zipf --refs 2700000 --blocks 90000 --unit 32 --to u64 -o long.u64
same 'parts' curve --sizes all long.u64
same 'parts of parts' \
    histogram --skip 12345 --limit 1800001 -b 64,4096 long.u64
cat long.u64 | "$MARGAY" curve -q -f u64 -j 1 --sizes all - | cut -d, -f2- >piped
"$MARGAY" curve -v -j 1 --sizes all long.u64 2>err | cut -d, -f2- >alone
check 'one thread reads and analyses' grep -q 'without a reading thread' err
check 'what it writes is that of a pipe' cmp -s alone piped
same 'parts, bounded' curve --bound 7000 -e exact:filter=on long.u64
run curve -j 2 --skip 2600000 long.u64
is 'skipping nearly all' "$(sed 's/ references.*//;s/.*: //' err)" 100000
printf 'abc' >>long.u64
refuses 'long.u64: byte 21600000: found half a record of 3 bytes' \
    curve -j 2 long.u64
"$MARGAY" curve -q -j 1 --limit 2700000 long.u64 >expected
run curve -q -j 5 --limit 2700000 long.u64
check 'what is not wanted is not looked at' cmp -s out expected

# What comes first on the command line fails first.
printf '0 10\n0 zz\n' >bad.din
for threads in 1 2 8; do
    refuses 'bad.din:2: found' curve -j $threads "$@" bad.din a.u64
    refuses 'bad.din:2: found' \
        curve -j $threads a.u64 bad.din bad.din -b 64,128
done
for option in chunk phase; do
    refuses "--$option: '0' \(expected a number of references from 1" \
        curve --$option 0 a.u64
    refuses "--$option: 'x' \(expected" curve --$option x a.u64
    refuses "--$option: '-1' \(expected" curve --$option -1 a.u64
done
finish
