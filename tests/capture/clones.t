#!/bin/sh
# clones.t - processes and threads that are made in unusual ways, or too many,
# are recorded, or the recording says what it lost
. tests/sim/lib.sh
. "$root/tests/capture/recording.sh"
for program in clones many; do
    check "$program is built" with_runtime "$compiler" -O2 -o $program \
        "$sources/$program.c"
done

run record -q --to lackey -o trace ./clones copy
read -r from to expected <out
is 'a copy of the memory: all references of parents and children' \
    "$status $(in_range "$from" "$to")" "0 $expected"
run record -q --to lackey -o trace2 ./clones share
is 'variables that two have: no trace' "$status $(ls trace2 2>/dev/null)" '125 '
like 'says so' "$(tail -n 1 err)" \
    ': 1 process made another .* by a call of clone: references are missing$'

run record -q --to lackey -o trace ./clones wait
read -r from to _ <out
is 'a child of vfork: all references' \
    "$status $(in_range "$from" "$to")" "0 $((20 * 23000))"

# Numbers of processes that mean something else to the recorder.
cat >spaces.sh <<'END'
#!/bin/sh
unshare --pid --fork ./many 2 20000 | unshare --pid --fork ./many 2 20000 |
    unshare --pid --fork ./many 2 20000
END
chmod +x spaces.sh
name='processes with equal numbers in three name spaces'
if unshare --pid --fork true 2>err; then
    run record -q --method runtime --to lackey -o trace ./spaces.sh
    # One of them is the program's only other store of 8 bytes.
    is "$name" "$status $(grep -c '^ S .*,8$' trace)" '0 180003'
else
    skip "$name" "$(head -n 1 err)"
fi
name='more threads at a time than there are buffers'
if ./clones crowd 4100 2>/dev/null; then
    run record -q --to lackey -o trace2 ./clones crowd 4100
    is "$name: no trace" "$status $(ls trace2 2>/dev/null)" '125 '
    like "$name: says so" "$(tail -n 1 err)" \
        ': 1 process had more threads .*: references are missing$'
else
    skip "$name: no trace" 'the system has not as many'
    skip "$name: says so" 'the system has not as many'
fi
finish
