#!/bin/sh
# stream.t - runs that are saved and continued, by each engine, from pipes, and
# where they are interrupted; tests/faults/test_kills.c kills them, pairs.t has
# windows and snapshots
. tests/sim/lib.sh

"$MARGAY" generate zipf --refs 100000 --blocks 5000 --unit 64 --to u64 -o all.u64
part() { # FROM COUNT: references of all.u64
    tail -c +$((8 * $1 + 1)) all.u64 | head -c $((8 * $2))
}

# Every so often, also while nothing comes.  This shell keeps the pipe open.
mkfifo pipe
exec 9<>pipe
part 0 1000 >&9
"$MARGAY" curve -f u64 --every 300ms -o slow.csv pipe 9>&- 2>err &
reader=$!
check 'a snapshot after a third of a second' await grep -q 'first 1000 references' err
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
    sed 's/^two/all/' out >got
    check "$engines: the curve of both" cmp -s got whole.csv
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

# The warm-up goes on where it was, and what it counted is forgotten at its end.
run curve -q --warmup 50000 --sizes all -o warm.csv all.u64
for first in 0 1 49999 50000 50001 70000; do
    run curve -q -j 2 -b 64 --warmup 50000 --limit $first --save state all.u64
    run curve -j 2 --resume state --skip $first --sizes all all.u64
    check "a warm-up of 50000, saved after $first" cmp -s out warm.csv
done

# What is left out because of its kind is skipped by who goes on, too.
"$MARGAY" generate zipf --refs 20000 --blocks 500 --unit 64 --to hex -o all.hex
awk '{ print (NR % 3 == 1), $1 }' all.hex >kinds.din
run curve -q -f din --kind write --sizes all -o writes.csv kinds.din
run curve -q -f din --kind write --limit 7000 --save state kinds.din
run curve -f din --kind write --resume state --skip 7000 --sizes all kinds.din
check 'a run of one kind goes on' cmp -s out writes.csv
like 'after as many references of all kinds' "$(cat err)" \
    'state: goes on after 7000 references'

# The state is written before the snapshot, which never is ahead of it.
mkdir out.csv.snapshot
run curve -q --every 30000 --save ahead -o out.csv all.u64
is 'a snapshot that cannot be written' "$status" 2
run curve --resume ahead --skip 30000 --sizes all all.u64
check 'is what the state was ready for' cmp -s out whole.csv
rmdir out.csv.snapshot

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

# What has no end is noticed as soon as it is not a state.
run curve -q --limit 50000 --save good all.u64
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
refuses_endless "the state is damaged or cut short: byte [0-9]*: found more" good
head -c 16 good >begun
refuses_endless 'the state is damaged or cut short: byte 104: ' begun
head -c 200 good >begun
refuses_endless 'the state is damaged or cut short: byte [0-9]+: found the ch' begun

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
