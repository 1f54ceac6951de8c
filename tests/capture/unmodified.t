#!/bin/sh
# unmodified.t - programs as they are, under Valgrind, with unusual instructions
# and code that is left in its middle, too
. tests/sim/lib.sh
. "$root/tests/capture/recording.sh"

# Without libraries of its own and at fixed addresses, a program does the same
# under all methods.
for program in many ends; do
    check "$program is built" "$compiler" -O2 -static -no-pie -o $program \
        "$sources/$program.c" -pthread
done
# address PROGRAM SYMBOL: as traces have it.
address() {
    printf '%08x\n' "0x$(nm "$1" | awk -v name="$2" '$3 == name { print $1 }')"
}

recorded=
if can valgrind ./ends; then
    recorded=yes

    run record --method valgrind --to lackey --fetches -o trace ./ends
    check "valgrind: instructions" grep -q '^I  ' trace
    run record --method valgrind --to lackey -o trace ./ends
    check "valgrind: no instructions where they are not asked for" \
        test "$(grep -c '^I' trace)" = 0

    array=$(address ends array)
    array_end=$(printf '%08x' $((0x$array + 4096 * 8)))
    for end in return:0:1000 exit:7:1000 _exit:8:1000 abort:134:1000 \
        fault:139:1000 handler:41:1000 kill:137:1000 exec:0:1500; do
        how=${end%%:*} refs=${end##*:} expected=${end#*:}
        run record --method valgrind --to lackey -o trace ./ends "$how"
        is "valgrind: ends by $how" \
            "$status $(in_range "$array" "$array_end")" \
            "${expected%:*} $refs"
    done
    check "valgrind: whole records" \
        test "$(grep -vc '^ [LS] [0-9a-f]*,[0-9]*$' trace)" = 0

    run record -q --method valgrind --to lackey -o - ./ends say
    is "valgrind: what the program says" "$(cat err)" said
    is "valgrind: and nothing in the trace but references" \
        "$(grep -vc '^ [LS] [0-9a-f]*,[0-9]*$' out)" 0
    head -c 3000 ends >broken
    chmod +x broken
    run record --method valgrind -o broken.u64 ./broken
    is "valgrind: a program that it cannot run" \
        "$status $(ls broken.u64 2>/dev/null)" '126 '
    like "valgrind: says so" "$(tail -n 1 err)" \
        '^margay record: ./broken: .* cannot run it$'

    run record --method valgrind --to lackey -o trace ./many 3 5000
    head -n 3 out >arrays
    while read -r from to; do
        is "valgrind: all references of a thread" \
            "$(in_range "$from" "$to")" 5000
    done <arrays
else
    skip 'method valgrind' "$(tail -n 1 err)"
fi

# A program is not in a directory that cannot be looked into: what is found is the
# file in the next one, which is no program.
name='a directory of PATH that cannot be searched has no program'
if [ "$(id -u)" != 0 ]; then
    mkdir closed readable
    chmod 0 closed
    echo >readable/ends
    PATH=$PWD/closed:$PWD/readable run record -o trace.u64 ends
    like "$name" "$status $(cat err)" \
        '^126 .*readable/ends: cannot run: Permission denied'
else
    skip "$name" 'root may search everywhere'
fi
# A script, by who can run scripts, and by who asks the system to.
for method in runtime valgrind auto; do
    for line in '#!/no/interpreter' '#! /no/interpreter -x' '#!./by-script'; do
        echo "$line" >wants-other
        echo '#!/no/interpreter' >by-script
        chmod +x wants-other by-script
        run record --method $method -o nothing.u64 ./wants-other
        is "$method: $line" "$status $(cat err) $(ls nothing.u64 2>/dev/null)" \
            '127 margay record: ./wants-other: cannot run: /no/interpreter, its interpreter: No such file or directory '
    done
done
echo '#!/dev/null' >wants-other
run record -o nothing.u64 ./wants-other
is 'an interpreter that is no program' "$status $(ls nothing.u64 2>/dev/null)" '126 '

if [ "$recorded" ]; then
    run record -q --method valgrind -o trace.u64 env
    check 'the program does not see what records it' \
        test "$(grep -c MARGAY_CAPTURE out)" = 0
    run record --method auto -o trace.u64 ./ends
    like 'it is chosen by itself' "$(head -n 1 err)" \
        'ends: method valgrind, which takes about .* times its time'
fi
run record --method runtime --fetches -o trace.u64 ./ends
is 'what the runtime cannot do' "$status" 125
like 'says so' "$(cat err)" 'ends: not with method runtime: .*--fetches'

# -------------- unusual instructions, and code that is left in its middle --
for program in machine interrupted forks; do
    check "$program is built" "$compiler" -O2 -pthread -static -no-pie -o $program \
        "$sources/$program.c"
done

# all_stores NAME PROGRAM [ARGUMENT]
all_stores() {
    name=$1
    shift
    run record -q --method valgrind --to lackey -o trace "$@"
    read -r from to stores <out
    is "valgrind: $name" "$status $(within "$from" "$to" | grep -c '^ S')" \
        "0 $stores"
}

can valgrind ./machine || {
    skip "unusual instructions, and code that is left" "$(tail -n 1 err)"
    finish
}
run record -q --method valgrind --to lackey -o trace ./machine expected
if [ "$status" = 77 ]; then
    skip "valgrind: unusual instructions" 'no such kernel for this machine'
else
    read -r from to <out
    within "$from" "$to" >got
    check "valgrind: unusual instructions, and long accesses" cmp -s got expected
    diff expected got | head -n 10 | sed 's/^/#   /'
fi
all_stores 'a handler that jumps out of a fault' ./interrupted jump
all_stores 'jumps out of calls' ./interrupted long
all_stores 'a handler of a timer' ./interrupted timer
all_stores 'a handler that mends a fault' ./interrupted mend
all_stores 'threads on both sides of a fork' ./forks
finish
