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
# started PID: until its handlers are installed, of which SIGUSR1's (signal 10,
# so bit 9) is the last, and then some.
started() {
    await catches_usr1 "$1"
    sleep 0.3
}
catches_usr1() {
    mask=$(sed -n 's/^SigCgt:[[:space:]]*[0-9a-f]*\([0-9a-f]\)..$/\1/p' \
        "/proc/$1/status")
    case $mask in [2367abef]) ;; *) return 1 ;; esac
}

# An endless trace, of which nobody knows how much has been read when the
# signal arrives: the output says it, and must be exact for that much.
endless() {
    while cat big.u64; do :; done 2>/dev/null
}
for number in "INT 130" "TERM 143"; do
    for command in "curve -q --sizes all" "histogram -q --bins exact"; do
        mkfifo pipe
        endless >pipe &
        feeder=$!
        # shellcheck disable=SC2086 # several words
        "$MARGAY" $command -f u64 --ids - <pipe >out 2>err &
        reader=$!
        started $reader
        kill -"${number% *}" $reader
        status=0
        wait $reader 2>/dev/null || status=$?
        kill $feeder 2>/dev/null
        wait $feeder 2>/dev/null
        rm pipe
        is "SIG${number% *}: $command: status" "$status" "${number#* }"
        like 'and a note' "$(cat err)" \
            '^margay [a-z]+: -: interrupted; .* first [0-9]+ references only$'
        refs=$(sed -n 's/.* first \([0-9]*\) references.*/\1/p' err)
        # shellcheck disable=SC2086 # several words
        endless | "$MARGAY" $command -f u64 --ids --limit "$refs" - >expected
        check "the result of those $refs references is exact" \
            cmp -s out expected
    done
done

# A pipe that says nothing at all.
mkfifo pipe
sleep 20 >pipe &
feeder=$!
"$MARGAY" curve -f u64 -o silent.csv - <pipe >out 2>err &
reader=$!
started $reader
kill -INT $reader
status=0
wait $reader 2>/dev/null || status=$?
is 'an interrupt while the pipe is silent' "$status" 130
is 'leaves the header' "$(wc -l <silent.csv)" 1

for command in curve histogram distances info; do
    "$MARGAY" $command - <pipe >out 2>err &
    reader=$!
    started $reader
    kill -INT $reader
    status=0
    wait $reader 2>/dev/null || status=$?
    is "$command: and while the format is unknown" \
        "$status $(wc -l <out)" '130 1'
done
kill $feeder
wait $feeder 2>/dev/null

# It waits for somebody to read the FIFO, until there is a second one.
mkfifo unread
"$MARGAY" curve -q -f u64 -o unread --histogram half.csv - <pipe 2>err &
reader=$!
sleep 20 >pipe &
feeder=$!
started $reader
kill -INT $reader
await test -s err
sleep 0.3
kill -INT $reader
status=0
wait $reader 2>/dev/null || status=$?
is 'a second interrupt kills at once' "$status" 130
check 'and leaves nothing behind' absent half.csv
kill $feeder
wait $feeder 2>/dev/null

# generate has nothing exact to show for half of the work.
"$MARGAY" generate zipf --refs 99999999999 --blocks 9 --to u64 -o part.u64 &
writer=$!
sleep 0.3
check 'a temporary file is there while it is written' \
    test -e .margay-$writer-0
kill -TERM $writer
status=0
wait $writer 2>/dev/null || status=$?
is 'generate dies of the signal' "$status" 143
check 'and leaves nothing behind' absent part.u64

# ---------------------------------------------------------------- progress --
mkfifo feed
sleep 20 >feed &
feeder=$!
cat big.u64 >feed &
"$MARGAY" curve -f u64 --ids - <feed >out 2>err &
reader=$!
started $reader
kill -USR1 $reader
check 'SIGUSR1: a line' await grep -Eq \
    '^margay curve: -: [0-9]+ references, [0-9.]+ M/s$' err
is 'and no more than one' "$(wc -l <err)" 1
kill $feeder
status=0
wait $reader 2>/dev/null || status=$?
is 'and the analysis goes on' "$status $(tail -n 1 out | cut -d, -f5)" \
    '0 300000'
wait $feeder 2>/dev/null

"$MARGAY" curve -q -f u64 --ids - <feed >out 2>err &
reader=$!
exec 9>feed
started $reader
kill -USR1 $reader
sleep 0.3
cat big.u64 >&9
exec 9>&-
status=0
wait $reader 2>/dev/null || status=$?
is 'with -q it says nothing, and lives' "$status $(cat err)" '0 '

if command -v script >script.path; then
    mkfifo slow
    { cat big.u64; sleep 1; cat big.u64; } >slow &
    script -qec "'$MARGAY' curve -f u64 --ids slow >/dev/null" /dev/null \
        >terminal </dev/null
    wait
    check 'on a terminal, progress is kept up to date' \
        grep -q "$(printf '\r')slow: .* references, .*M/s" terminal
else
    skip 'progress on a terminal' 'no script(1) here'
fi
finish
