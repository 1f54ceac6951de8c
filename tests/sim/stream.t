#!/bin/sh
# stream.t - windows, snapshots, and runs that are saved and continued
. tests/sim/lib.sh

"$MARGAY" generate zipf --refs 100000 --blocks 5000 --unit 64 --to u64 -o all.u64
part() { # FROM COUNT: references of all.u64
    tail -c +$((8 * $1 + 1)) all.u64 | head -c $((8 * $2))
}

# --------------------------------------------------------------- snapshots --
for threads in 1 4; do
    run curve -j $threads -f u64 --sizes all --every 30000 -o out.csv \
        --limit 90000 all.u64
    is "-j $threads: a run with snapshots: status" "$status" 0
    is 'one line for each' \
        "$(grep -c 'margay curve: out.csv.snapshot: the first' err)" 3
    run curve -q -f u64 --sizes all -o expected.csv --limit 90000 all.u64
    check 'the table is the same' cmp -s out.csv expected.csv
    check 'the last snapshot stays' cmp -s out.csv.snapshot expected.csv
    run curve -f u64 -b 64,128 --sizes all --every 35000 -o out.csv all.u64
    like 'it says what it stands for' "$(tail -n 3 err | head -n 1)" \
        'out.csv.snapshot: the first 70000 references$'
    run curve -q -f u64 -b 64,128 --sizes all --limit 70000 -o expected.csv \
        all.u64
    check 'and is what the trace gives up to there' \
        cmp -s out.csv.snapshot expected.csv
    rm ./*.csv out.csv.snapshot
done
run histogram -q -f u64 --every 99999 -o out.csv all.u64
is 'quietly, it says nothing' "$status $(cat err)" '0 '
run histogram -q -f u64 --limit 99999 -o expected.csv all.u64
check 'a histogram has snapshots too' cmp -s out.csv.snapshot expected.csv
rm ./*.csv out.csv.snapshot
run histogram -f u64 --warmup 50000 --every 20000 -o out.csv all.u64
run histogram -q -f u64 --warmup 50000 -o expected.csv all.u64
check 'none in the warm-up, then as ever' cmp -s out.csv.snapshot expected.csv

# A run that dies leaves its last snapshot.
# This shell keeps the pipe open.
mkfifo pipe
exec 9<>pipe
part 0 50000 >pipe 9>&- &
feeder=$!
"$MARGAY" curve --sizes all -f u64 --every 20000 -o dead.csv pipe 9>&- \
    2>err &
reader=$!
await grep -q 'first 40000' err
ended $feeder
kill -KILL $reader
ended $reader
exec 9>&-
rm -f .margay-*
run curve -q -f u64 --sizes all --limit 40000 -o expected.csv all.u64
sed 's/^all.u64,/pipe,/' expected.csv >expected
check 'a run that is killed leaves a whole snapshot' \
    cmp -s dead.csv.snapshot expected
check 'and nothing else' [ ! -e dead.csv ]

# Every second, also while nothing comes.
exec 9<>pipe
part 0 1000 >&9
"$MARGAY" curve -f u64 --every 1s -o slow.csv pipe 9>&- 2>err &
reader=$!
check 'a snapshot every second' await grep -q 'first 1000 references' err
exec 9>&-
ended $reader
# A writer that dies within a record.
{ part 0 1000; printf abc; } >pipe &
run curve -f u64 --every 500 -o torn.csv pipe
is 'a writer that dies in a record: status' "$status" 2
like 'the reason' "$(tail -n 1 err)" 'pipe: byte 8000: found half a record'
is 'the last snapshot is whole' \
    "$(tail -n 1 torn.csv.snapshot | cut -d, -f5)" 1000
check 'and there is no table' absent torn.csv

# -------------------------------------------------------- save and resume --
run curve -q --sizes all -o whole.csv all.u64
run histogram -q -o whole.hist all.u64
for engines in 'exact exact' 'exact naive' 'olken exact:filter=on' \
    'holes bennett-kruskal:k=2'; do
    part 0 30000 >one.u64
    part 30000 70000 >two.u64
    run curve -q -e "${engines% *}" --save state one.u64
    is "$engines: saved" "$status" 0
    run curve -e "${engines#* }" --sizes all --resume state two.u64
    is 'continued' "$status" 0
    like 'and said' "$(cat err)" 'state: goes on after 30000 references'
    sed 's/^two/all/' out >got
    check 'the curve of both' cmp -s got whole.csv
    run histogram -q -e "${engines#* }" --resume state --skip 30000 all.u64
    check 'and the histogram' cmp -s out whole.hist
done
run curve -q -b 64,256 --bound 100 --sizes all all.u64
mv out expected
run curve -q -b 64,256 --bound 100 --limit 50000 --save state all.u64
run curve -q -b 64,256 --bound 100 --skip 50000 --limit 1 --resume state \
    --save state all.u64
run curve -q -b 64,256 --bound 100 --skip 50001 --sizes all --resume state \
    -e bounded all.u64
check 'block sizes and a bound, saved twice' cmp -s out expected
run curve -q --every 30000 --save state -o out.csv all.u64
run curve -q --resume state --sizes all --limit 0 all.u64
check 'nothing more' cmp -s out whole.csv
run curve -q --limit 0 --save state all.u64
run curve -q --resume state --sizes all all.u64
check 'nothing before' cmp -s out whole.csv

# The warm-up goes on where it was, and what it counted is forgotten at its end.
run curve -q --warmup 50000 --sizes all -o warm.csv all.u64
for first in 0 1 30000 49999 50000 50001 70000; do
    for threads in 1 2; do
        run curve -q -j $threads -b 64 --warmup 50000 --limit $first \
            --save state all.u64
        run curve -j $threads --resume state --skip $first --sizes all all.u64
        check "-j $threads: a warm-up of 50000, saved after $first" \
            cmp -s out warm.csv
        left=$((50000 - first))
        case $left in
        50000 | 20000) like 'what is left of it is said' "$(cat err)" \
            "after $first references, of whose warm-up $left are still to come"
            ;;
        esac
    done
done
run curve -q --warmup 50000 --limit 10000 --save state all.u64
run curve -q --resume state --skip 10000 --limit 10000 --save state all.u64
run curve -q --resume state --skip 20000 --every 5000 -o out.csv --sizes all \
    all.u64
check 'in three runs' cmp -s out.csv warm.csv

# What is left out because of its kind is skipped by who goes on, too.
"$MARGAY" generate zipf --refs 20000 --blocks 500 --unit 64 --to hex -o all.hex
awk '{ print (NR % 3 == 1), $1 }' all.hex >kinds.din
run curve -q -f din --kind write --sizes all -o writes.csv kinds.din
run curve -q -f din --kind write --limit 7000 --save state kinds.din
run curve -f din --kind write --resume state --skip 7000 --sizes all kinds.din
check 'a run of one kind goes on' cmp -s out writes.csv
like 'after as many references of all kinds' "$(cat err)" \
    'state: goes on after 7000 references'
run curve -q -f din --kind write --every 3500 -o out.csv --save state kinds.din
run curve -q -f din --kind write --limit 17500 -o expected.csv kinds.din
check 'its snapshots count all kinds, as --limit does' \
    cmp -s out.csv.snapshot expected.csv
rm -f out.csv out.csv.snapshot

# The state is written before the snapshot, which never is ahead of it.
mkdir out.csv.snapshot
run curve -q --every 30000 --save ahead -o out.csv all.u64
is 'a snapshot that cannot be written' "$status" 2
run curve --resume ahead --skip 30000 --sizes all all.u64
check 'is what the state was ready for' cmp -s out whole.csv
rmdir out.csv.snapshot

# In the warm-up there is no snapshot, but a state.
exec 9<>pipe
part 0 30000 >pipe 9>&- &
feeder=$!
"$MARGAY" curve -q --sizes all -f u64 --warmup 50000 --every 10000 \
    --save warming -o dead.csv pipe 9>&- 2>err &
reader=$!
saved_after() { # REFERENCES
    [ "$(od -An -v -tu8 -j48 -N8 warming 2>/dev/null | tr -d ' ')" = "$1" ]
}
await saved_after 30000
kill -KILL $reader
ended $reader
ended $feeder
exec 9>&-
rm -f .margay-* dead.csv.snapshot
run curve -q --resume warming --skip 30000 --sizes all all.u64
check 'killed in the warm-up, and continued' cmp -s out warm.csv

# A pipe that says nothing: from where on it goes on is said, and what the state
# has is told and saved, at each signal.
run curve -q --warmup 10 --limit 30000 --sizes all --save state -o old.csv \
    all.u64
sed 's/^all.u64,/pipe,/' old.csv >expected
for save in state other; do
    cp state good
    rm -f err
    exec 9<>pipe
    "$MARGAY" curve -q --resume state --save $save --sizes all -o old.csv \
        pipe 9>&- 2>err &
    reader=$!
    check 'a pipe may wait to be told' \
        await grep -q 'state: goes on after 30000 references$' err 2>/dev/null
    kill -INT $reader
    ends $reader
    exec 9>&-
    is 'interrupted before the format is known' "$status" 130
    check 'the table is that of the state' cmp -s old.csv expected
    check "the state is saved in $save" cmp -s $save good
done
rm -f old.csv other err
exec 9<>pipe
"$MARGAY" curve --save other pipe 9>&- >out 2>err &
reader=$!
analyses $reader
kill -INT $reader
ended $reader
exec 9>&-
check 'without a state to go on from there is none, and that is said' \
    grep -q 'first 0 references only, and no state was saved$' err
check 'nor is there one' [ ! -e other ]

# An interrupted run goes on.
exec 9<>pipe
part 0 50000 >pipe 9>&- &
feeder=$!
"$MARGAY" curve -f u64 --save state pipe 9>&- >out 2>err &
reader=$!
analyses $reader '[1-9][0-9]* references,'
kill -INT $reader
ends $reader
exec 9>&-
ended $feeder
refs=$(sed -n 's/.* first \([0-9]*\) references.*/\1/p' err)
run curve -q -f u64 --resume state --skip "$refs" --sizes all all.u64
check "interrupted after $refs references, and continued" \
    cmp -s out whole.csv

# ------------------------------------------------------------ bad states --
run curve -q --limit 50000 --save state all.u64
cp state good
bytes=$(wc -c <good)
for length in 0 1 8 15 16 63 72 1000 $((bytes - 8)) $((bytes - 1)); do
    head -c "$length" good >state
    refuses 'state: (not a state that --save wrote|the state is damaged)' \
        curve --resume state all.u64
done
{ cat good; printf 12345678; } >state
refuses 'state: the state is damaged' curve --resume state all.u64
for offset in 17 40 100 $((bytes / 2)) $((bytes - 3)); do
    cp good state
    printf '\252' | dd of=state bs=1 seek="$offset" conv=notrunc 2>/dev/null
    refuses 'state: the state is damaged' curve --resume state all.u64
done
cp good state
printf '\003' | dd of=state bs=1 seek=8 conv=notrunc 2>/dev/null
refuses 'state: a state of version 3, expected version 2' \
    curve --resume state all.u64
# What has no end is noticed as soon as it is not a state.
endless() { # FILE: it, and zeros for ever
    cat "$1" /dev/zero
}
refuses_endless() { # PATTERN FILE
    endless "$2" 2>/dev/null | (
        # Sanitizers reserve more than any machine has.
        # shellcheck disable=SC3045
        grep -q '__[at]san_init' "$MARGAY" || ulimit -v 2000000
        exec timeout 120 "$MARGAY" curve --resume /dev/stdin all.u64
    ) >out 2>err
    is "endless after $2" "$? $(cat out)" '2 '
    like 'the reason' "$(cat err)" "/dev/stdin: $1"
}
refuses_endless 'not a state that --save wrote' /dev/null
refuses_endless "the state is damaged or cut short: byte $bytes: found more" good
head -c 16 good >begun
refuses_endless 'the state is damaged or cut short: byte 72: ' begun
head -c 200 good >begun
refuses_endless 'the state is damaged or cut short: byte [0-9]+: found the ch' begun
# A state of the first version, which had no warm-up.
{
    printf 'margay s\001\0\0\0\0\0\0\0'
    tail -c +17 good | head -c 40
    tail -c +65 good
} >first
refuses 'first: .* damaged .* byte [0-9]*: found the checksum' \
    curve --resume first all.u64
cp good state
refuses 'nosuch: No such file' curve --resume nosuch all.u64
refuses 'all.u64: not a state' curve --resume all.u64 all.u64
refuses 'its block size in bytes is 64, and here it is 128' \
    curve --resume state -b 128 all.u64
refuses 'its number of block sizes is 1, and here it is 2' \
    curve --resume state -b 64,128 all.u64
refuses 'its bound in blocks \(0 = none\) is 0, and here it is 9' \
    curve --resume state --bound 9 all.u64
refuses 'its kind of numbers .* is 0, and here it is 1' \
    curve --resume state --ids all.u64
# One that has kinds and extents.
"$MARGAY" convert -q all.u64 all.lackey --to lackey
refuses 'its set of kinds .* is 7, and here it is 1' \
    curve --resume state --kind read all.lackey
refuses 'its splitting of references .* is 0' \
    curve --resume state --straddle split all.lackey
refuses 'a state that is resumed is warm already' \
    curve --resume state --warmup 3 all.u64
refuses 'for one trace at a time, not 2' curve --resume state all.u64 all.u64
check 'the state is still what it was' cmp -s state good
refuses '(No such file|cannot write)' curve --save no/such/place all.u64

for option in every window; do
    refuses "--$option: '0' \(expected" curve --$option 0 -o x all.u64
    refuses "--$option: '-1' \(expected" curve --$option -1 -o x all.u64
done
for wrong in 0s s 1ss 1.5s 1m ''; do
    refuses '--every: ' curve --every "$wrong" -o x all.u64
done
refuses 'FILE.snapshot beside the FILE of --output, which is not given' \
    curve --every 5 all.u64
refuses "'-' is not a regular file" curve --every 5 -o - all.u64
refuses "'/dev/null' is not a regular file" curve --every 5 -o /dev/null all.u64
refuses 'engine shen cannot be looked into' curve -e shen --window 5 all.u64
refuses 'exact with --of time has no state' histogram --of time --save state all.u64
refuses '--window does not go with --every' \
    curve --window 5 --save state all.u64

# ----------------------------------------------------------------- windows --
letters abcabcaaad >letters.lines
run curve -q --window 3 --sizes 1,2,3 letters.lines
is 'windows of three' "$(cut -d, -f1,4,6,7 out)" \
    'window,cache_blocks,references,misses
0,1,3,3
0,2,3,3
0,3,3,3
1,1,3,3
1,2,3,3
1,3,3,0
2,1,3,1
2,2,3,1
2,3,3,0
3,1,1,1
3,2,1,1
3,3,1,1'
# All windows together are the whole, and no window is empty.
run curve -q --sizes 100,1000,5000 all.u64
cut -d, -f3,5,6 out | tail -n +2 >expected
for window in 1000 33333 50000 100000 200000; do
    for threads in 1 4; do
        run curve -q -j $threads --window $window --sizes 100,1000,5000 all.u64
        tail -n +2 out | awk -F, '{ refs[$4] += $6; misses[$4] += $7 }
            END { for (s in refs) print s "," refs[s] "," misses[s] }' |
            sort -t, -n >got
        check "-j $threads: windows of $window add up" cmp -s got expected
        is 'there are as many as there must be' \
            "$(tail -n 1 out | cut -d, -f1)" $((99999 / window))
    done
done
run curve -q --window 30000 --warmup 40000 --sizes 10 all.u64
is 'they begin after the warm-up' "$(cut -d, -f6 out | tr '\n' ' ')" \
    'references 30000 30000 '
: >empty.u64
run curve -q --window 5 -f u64 empty.u64 all.u64 -b 64,128 --sizes pow2 \
    --limit 7
is 'rows by trace, window and block size' \
    "$(tail -n +2 out | cut -d, -f1-3 | uniq | tr '\n' ' ')" \
    '0,all.u64,64 0,all.u64,128 1,all.u64,64 1,all.u64,128 '
# ------------------------------------------------------------- on the disk --
# A state and its name are on the disk before the run goes on.
cat >told.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/stat.h>
int fsync(int file)
{
    struct stat status;
    fstat(file, &status);
    fprintf(stderr, "fsync of a %s\n", S_ISDIR(status.st_mode) ? "folder" : "file");
    return 0;
}
int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *) =
        (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    fprintf(stderr, "rename to %s\n", to);
    return real(from, to);
}
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    int (*real)(int, const char *, int, const char *, int) =
        (int (*)(int, const char *, int, const char *, int))dlsym(RTLD_NEXT, "linkat");
    fprintf(stderr, "name %s\n", to);
    return real(from_folder, from, to_folder, to, flags);
}
END
name='a state is on the disk before it has its name, and then the name'
if ${CC:-cc} -shared -fPIC -o told.so told.c -ldl 2>/dev/null; then
    printf '0 10\n' >disk.din
    status=0
    LD_PRELOAD=$PWD/told.so "$MARGAY" curve -q --save disk.state \
        -o disk.csv disk.din 2>err || status=$?
    if [ "$status" = 0 ]; then
        is "$name" "$(sed 's,/.*/,,' err | tr '\n' ';')" \
            'fsync of a file;name disk.state;fsync of a folder;name disk.csv;'
    else
        skip "$name" 'nothing can be loaded before the sanitizer'
    fi
else
    skip "$name" 'no compiler'
fi
finish
