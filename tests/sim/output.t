#!/bin/sh
# output.t - output that appears whole or not at all, in each kind of file
. tests/sim/lib.sh

printf '0 10\n1 50\n0 10\n' >good.din
printf '0 10\nbad\n' >bad.din
"$MARGAY" curve -q good.din >expected
"$MARGAY" histogram -q good.din >expected_histogram

# --------------------------------------------------------- regular files --
run curve -q -o new.csv good.din
check 'a new file' cmp -s new.csv expected
is 'nothing on standard output then' "$(cat out)" ''
(umask 027 && "$MARGAY" curve -q -o masked.csv good.din)
is 'a new file follows the umask' "$(stat -c %a masked.csv)" 640
echo old >old.csv
chmod 604 old.csv
run curve -q -o old.csv good.din
check 'an old file is replaced' cmp -s old.csv expected
is 'and keeps its mode' "$(stat -c %a old.csv)" 604
echo precious >kept.csv
run curve -q -o kept.csv bad.din
is 'an old file survives a failure' "$status $(cat kept.csv)" '2 precious'
run curve -q -o never.csv bad.din
check 'a new file does not appear in a failure' test ! -e never.csv
run curve -q -o kept.csv --histogram never.csv bad.din
is 'nor does either of two' "$status $(cat kept.csv)" '2 precious'
check 'and no temporary files are left' absent never.csv

# ------------------------------------------------------------------- links --
mkdir elsewhere
echo old >elsewhere/target.csv
ln -s elsewhere/target.csv link.csv
ln -s link.csv link_to_link.csv
run curve -q -o link_to_link.csv good.din
check 'a link stays a link' test -L link.csv -a -L link_to_link.csv
check 'what it points to is replaced' cmp -s elsewhere/target.csv expected
ln -s elsewhere/absent.csv dangling.csv
run curve -q -o dangling.csv good.din
check 'a dangling link stays one, and points to a file now' \
    test -L dangling.csv -a -f elsewhere/absent.csv
check 'whole' cmp -s elsewhere/absent.csv expected
ln -s loop.csv loop.csv
refuses 'loop.csv: cannot write' curve -q -o loop.csv good.din
check 'no temporary files are left there' no_leftovers elsewhere

# ------------------------------------------------- devices, FIFOs, folders --
run curve -q -o /dev/null good.din
check '/dev/null stays a device' test "$status" = 0 -a -c /dev/null
mkfifo fifo
cat fifo >through_fifo &
reader=$!
run curve -q -o fifo good.din
ended $reader
check 'a FIFO stays one' test -p fifo
check 'and carries everything' cmp -s through_fifo expected
"$MARGAY" curve -q -o /dev/stdout good.din >through_device
check '/dev/stdout into a file' cmp -s through_device expected
echo before >appended
"$MARGAY" curve -q -o /dev/stdout good.din >>appended
check '/dev/stdout appended to a file loses nothing' \
    sh -c 'echo before | cat - expected | cmp -s appended -'
"$MARGAY" curve -q -o /dev/stdout good.din | cmp -s - expected
is '/dev/stdout into a pipe' $? 0
refuses 'elsewhere: cannot write: Is a directory' \
    curve -q -o elsewhere good.din
refuses 'nowhere/x.csv: cannot write: No such file' \
    curve -q -o nowhere/x.csv good.din
refuses 'good.din/x.csv: cannot write: Not a directory' \
    curve -q -o good.din/x.csv good.din
if [ "$(id -u)" = 0 ]; then
    skip 'an unwritable folder' 'root may write everywhere'
    skip 'an unwritable file' 'root may write everywhere'
else
    mkdir locked
    chmod 500 locked
    refuses 'locked/x.csv: cannot write: Permission denied' \
        curve -q -o locked/x.csv good.din
    echo old >locked.csv
    chmod 400 locked.csv
    refuses 'locked.csv: cannot write: Permission denied' \
        curve -q -o locked.csv good.din
fi
run curve -q -o c.csv --histogram - good.din
check '--histogram to standard output' cmp -s out expected_histogram
check 'and the curve to a file' cmp -s c.csv expected

# --------------------------------------------------------------- full disks --
for command in "curve good.din" "histogram good.din" "distances good.din" \
    "info good.din" engines help version "curve --help"; do
    status=0
    # shellcheck disable=SC2086 # several words
    "$MARGAY" $command >/dev/full 2>err || status=$?
    is "$command: a full standard output" "$status" 2
    like "$command: and why" "$(tail -n 1 err)" \
        ': -: cannot write: No space left on device$'
done
refuses '/dev/full: cannot write: No space' curve -q -o /dev/full good.din
refuses '/dev/full: cannot write: No space' \
    curve -q --histogram /dev/full good.din
status=0
"$MARGAY" curve -q --histogram never.csv good.din >/dev/full 2>err || status=$?
is 'no file beside a full standard output' \
    "$status $(ls never.csv 2>/dev/null)" '2 '
status=0
"$MARGAY" curve -q good.din >&- 2>err || status=$?
is 'a closed standard output' "$status" 2
"$MARGAY" generate loop --refs 600000 --blocks 300000 --to u64 -o long.u64
# A file that may not grow is as good as a full disk, and needs no root.
for arguments in 'distances -o small.csv long.u64' \
    'curve -q --sizes all --histogram small.csv --bins linear:1 long.u64' \
    'generate loop --refs 300000 --blocks 9 --to u64 -o small.csv'; do
    status=0
    # shellcheck disable=SC2086 # several words
    (ulimit -f 64 && exec "$MARGAY" $arguments) >out 2>err || status=$?
    is "$arguments: no room for the file" "$status $(wc -c <out)" '2 0'
    check 'nothing is left behind' absent small.csv
done
status=0
(ulimit -f 64 && exec "$MARGAY" distances long.u64) 2>err | cat >out
check 'no room for what is held back: nothing comes out' test ! -s out
like 'and why' "$(cat err)" 'temporary file'
TMPDIR=$work/nowhere "$MARGAY" distances long.u64 >out 2>err || status=$?
is 'nowhere to hold it back' "$status $(wc -c <out)" '2 0'
if [ "$(id -u)" = 0 ] && mkdir tiny &&
    mount -t tmpfs -o size=64k tmpfs tiny 2>/dev/null; then
    run distances -o tiny/x.csv long.u64
    is 'a full file system' "$status $(ls -A tiny)" '2 '
    umount tiny
else
    skip 'a full file system' 'only root may mount a small one'
fi

# ----------------------------------------------------------------- memory --
# shellcheck disable=SC3045 # dash and bash know -v, and others skip
# A sanitizer reserves terabytes, so such a build cannot be limited.
if (ulimit -v 400000 && "$MARGAY" version) >version.out 2>&1; then
    status=0
    "$MARGAY" generate loop --refs 30000000 --blocks 30000000 --to u64 |
        (ulimit -v 400000 && exec "$MARGAY" curve -j 2 -f u64 --ids) \
            >out 2>err ||
        status=$?
    is 'memory that cannot be had: status, output' \
        "$status $(wc -c <out)" '2 0'
    like 'memory that cannot be had: the message' "$(cat err)" \
        '^margay curve: .*memory.*--bound SIZE'
else
    skip 'memory that cannot be had' 'the address space cannot be limited'
fi
finish
