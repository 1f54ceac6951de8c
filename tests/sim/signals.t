#!/bin/sh
# signals.t - closed pipes, interrupts, requests for progress
. tests/sim/lib.sh

"$MARGAY" generate zipf --refs 300000 --blocks 5000 --to u64 -o big.u64

# ------------------------------------------------------------ closed pipes --
{
    status=0
    "$MARGAY" distances big.u64 2>err || status=$?
    echo $status >status
} | head -n 0
is 'a closed pipe: death by SIGPIPE' "$(cat status)" 141
is 'in silence' "$(cat err)" ''
{
    status=0
    "$MARGAY" distances --limit 9 -o - big.u64 2>err || status=$?
    echo $status >status
} | :
like 'a short output may still fit in the pipe' "$(cat status)" '^(0|141)$'

# -------------------------------------------------------------- interrupts --
# An endless trace, of which it is not known how much has been read when the
# signal arrives: the output says it, and must be exact for that much.
endless() {
    while cat big.u64; do :; done 2>/dev/null
}
for number in "INT 130" "TERM 143"; do
    for command in "curve --sizes all" "histogram --bins exact"; do
        mkfifo pipe
        endless >pipe &
        feeder=$!
        # shellcheck disable=SC2086 # several words
        "$MARGAY" $command -f u64 --ids - <pipe >out 2>err &
        reader=$!
        analyses $reader
        kill -"${number% *}" $reader
        ends $reader
        kill $feeder 2>/dev/null
        ended $feeder
        rm pipe
        is "SIG${number% *}: $command: status" "$status" "${number#* }"
        like 'and a note' "$(cat err)" \
            '^margay [a-z]+: -: interrupted; .* first [0-9]+ references only$'
        refs=$(sed -n 's/.* first \([0-9]*\) references.*/\1/p' err)
        # shellcheck disable=SC2086 # several words
        endless | "$MARGAY" $command -q -f u64 --ids --limit "$refs" - \
            >expected
        check "the result of those $refs references is exact" \
            cmp -s out expected
    done
done

# Policies are simulated once all has been read: the table has the caches that
# there was time for.
"$MARGAY" curve --ids --policy lru,s3fifo,fifo --sizes octave:64 -j 2 big.u64 \
    >out 2>err &
reader=$!
check 'SIGUSR1 tells that policies are simulated' \
    analyses $reader 'references simulated, [0-9.]+ M/s'
kill -INT $reader
ends $reader
is 'an interrupt while policies are simulated' "$status" 130
like 'and a note' "$(grep interrupted err)" \
    '^margay curve: big.u64: interrupted when all was read; the output lacks [0-9]+ of the [0-9]+ caches to be simulated$'
is 'which counts them' \
    "$(sed -n 's/.* lacks \([0-9]*\) of the \([0-9]*\) .*/\1 \2/p' err)" \
    "$(awk -F, '{ rows[$8]++ } END { all = 2 * rows["lru"]
        print all - rows["fifo"] - rows["s3fifo"], all }' out)"
cp out cut.csv
for policy in lru fifo s3fifo; do
    sizes=$(awk -F, -v policy=$policy '$8 == policy { print $3 }' cut.csv |
        tail -n 9 | paste -sd,)
    [ -n "$sizes" ] || continue
    run curve -q --ids --policy $policy --sizes "$sizes" big.u64
    is "$policy: what there is is whole" "$(tail -n +2 out)" \
        "$(grep ",$policy\$" cut.csv | tail -n 9)"
done

# A pipe that says nothing at all, as this shell holds it open.
mkfifo pipe
exec 9<>pipe
"$MARGAY" curve -f u64 -o silent.csv - <pipe 9>&- >out 2>err &
reader=$!
analyses $reader
kill -INT $reader
ends $reader
is 'an interrupt while the pipe is silent' "$status" 130
is 'leaves the header' "$(wc -l <silent.csv)" 1

for command in curve histogram distances info; do
    "$MARGAY" $command - <pipe 9>&- >out 2>err &
    reader=$!
    analyses $reader
    kill -INT $reader
    ends $reader
    is "$command: and while the format is unknown" \
        "$status $(wc -l <out)" '130 1'
done

"$MARGAY" curve -j 1 -f u64 - big.u64 big.u64 <pipe 9>&- >out 2>err &
reader=$!
analyses $reader
kill -INT $reader
ends $reader
is 'traces that are left' "$status $(grep interrupted err)" '130 '\
'margay curve: -: interrupted; the output covers the first 0 references only
margay curve: interrupted; the output does not cover 2 of the 3 traces'

# It waits for a reader of the FIFO, until there is a second signal.  Under
# ThreadSanitizer no signal would arrive there: it keeps them back until a system
# call has returned that, to its knowledge, never waits, as to open a file.
if grep -q __tsan_init "$MARGAY"; then
    skip 'a second interrupt kills at once' 'not under ThreadSanitizer'
    skip 'and leaves nothing behind' 'not under ThreadSanitizer'
else
    mkfifo unread
    "$MARGAY" curve -f u64 -o unread --histogram half.csv - <pipe 9>&- 2>err &
    reader=$!
    analyses $reader
    kill -INT $reader
    await grep -q interrupted err
    kill -INT $reader
    ends $reader
    is 'a second interrupt kills at once' "$status" 130
    check 'and leaves nothing behind' absent half.csv
fi
exec 9>&-

# A report is whole or not at all, and what makes a part of it speaks of no output.
simulates() { # PID: a child of it is at the policies
    child=$(cat /proc/"$1"/task/"$1"/children 2>/dev/null)
    child=${child% }
    [ -n "$child" ] && awk '{ exit !($14 > 20) }' /proc/"$child"/stat 2>/dev/null
}
"$MARGAY" generate zipf --refs 3000000 --blocks 90000 -q --to u64 -o long.u64
for number in "TERM 143" "INT 130"; do
    for to in all alone; do
        "$MARGAY" report --policy lru,s3fifo,lfu,arc --sizes octave:64 -j 2 -o page.html \
            long.u64 2>err &
        reporter=$!
        await simulates $reporter
        [ $to = alone ] || kill -"${number% *}" "$child"
        kill -"${number% *}" $reporter
        ends $reporter
        await dead "$child"
        is "SIG${number% *} to a report ($to)" "$status $(grep -c interrupted err)" \
            "${number#* } 0"
        check 'which is not there' absent page.html
    done
done

# generate has nothing exact to show for half of the work.  Until then a file has
# no name, or where the file system lacks that, another one.
mkdir here
writes() { # a command that does not end, for the file $1
    "$MARGAY" generate zipf --refs 99999999999 --blocks 9 --to u64 -o "$1" &
    writer=$!
}
has_begun() {
    [ -n "$(find /proc/$writer/fd -lname '*/here/*')" ]
}
for number in "TERM 143" "QUIT 131" "KILL 137"; do
    writes here/part.u64
    check "SIG${number% *}: a temporary file is there while it is written" \
        await has_begun
    is 'but has no name' "$(ls -A here)" ''
    kill -"${number% *}" $writer
    ends $writer
    is 'generate dies of the signal' "$status" "${number#* }"
    is 'and leaves nothing behind' "$(ls -A here)" ''
done

cat >named.c <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    int mode = va_arg(arguments, int);
    va_end(arguments);
    errno = EOPNOTSUPP;
    return (flags & O_TMPFILE) == O_TMPFILE
        ? -1
        : ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(path, flags, mode);
}
EOF
if ! ${CC:-cc} -shared -fPIC -o named.so named.c -ldl 2>unused ||
    ! LD_PRELOAD=$PWD/named.so "$MARGAY" version >unused 2>&1; then
    skip 'where files need a name' 'no compiler here, or a sanitizer'
else
    echo old >here/part.u64
    for number in "TERM 143" "KILL 137"; do
        LD_PRELOAD=$PWD/named.so writes here/part.u64
        check "SIG${number% *}, where files need a name" \
            await test -e here/.margay-$writer-0
        kill -"${number% *}" $writer
        ends $writer
        is 'generate dies of the signal' "$status" "${number#* }"
        is 'the old file stays' "$(cat here/part.u64)" old
        is 'what is half-written only if killed' "$(no_leftovers here; echo $?)" \
            "$([ "${number% *}" = TERM ]; echo $?)"
    done
fi

# ---------------------------------------------------------------- progress --
mkfifo feed
exec 9<>feed
cat big.u64 >feed 9>&- &
feeder=$!
"$MARGAY" curve -f u64 --ids - <feed 9>&- >out 2>err &
reader=$!
started $reader
kill -USR1 $reader
check 'SIGUSR1: a line' await grep -Eq \
    '^margay curve: -: [0-9]+ references, [0-9.]+ M/s$' err
is 'and no more than one' "$(wc -l <err)" 1
exec 9>&-
ended $feeder
ends $reader
is 'and the analysis goes on' "$status $(tail -n 1 out | cut -d, -f5)" \
    '0 300000'

exec 9<>feed
"$MARGAY" curve -q -f u64 --ids - <feed 9>&- >out 2>err &
reader=$!
started $reader
kill -USR1 $reader
sleep 0.3
cat big.u64 >&9
exec 9>&-
ends $reader
is 'with -q it says nothing, and lives' "$status $(cat err)" '0 '

if command -v script >script.path; then
    # A name that would clear the terminal is shown with a question mark.
    slow=$(printf 'slow\033[2J')
    mkfifo "$slow"
    shows_progress() {
        grep -q "$(printf '\r')slow?\[2J: .* references, .*M/s" terminal
    }
    : >terminal
    { cat big.u64; await shows_progress; cat big.u64; } >"$slow" &
    feeder=$!
    script -qec "'$MARGAY' curve -f u64 --ids '$slow' >/dev/null" /dev/null \
        >terminal </dev/null
    ended $feeder
    check 'on a terminal, progress is kept up to date' shows_progress
    script -qec "'$MARGAY' curve --ids --policy s3fifo --sizes octave:16 \
        big.u64 >/dev/null" /dev/null >terminal </dev/null
    check 'while policies are simulated, too' \
        grep -q '%, [0-9]* references simulated, .* left' terminal
else
    skip 'progress on a terminal' 'no script(1) here'
    skip 'progress of simulations' 'no script(1) here'
fi
finish
