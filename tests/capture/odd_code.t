#!/bin/sh
# odd_code.t - unmodified programs: unusual instructions, and code that is left
# in its middle
. tests/sim/lib.sh
. "$root/tests/capture/recording.sh"
for program in machine interrupted forks; do
    check "$program is built" "$compiler" -O2 -pthread -static -no-pie -o $program \
        "$sources/$program.c"
done
thrown=
if "${CXX:-c++}" -O2 -o thrown "$sources/thrown.cpp" 2>/dev/null; then
    thrown=yes
fi

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
    skip "method valgrind" "$(tail -n 1 err)"
    finish
}
run record -q --method valgrind --to lackey -o trace ./machine expected
if [ "$status" = 77 ]; then
    skip "valgrind: unusual instructions" 'no such kernel for this machine'
else
    read -r from to <out
    within "$from" "$to" >got
    check "valgrind: unusual instructions" cmp -s got expected
    diff expected got | head -n 10 | sed 's/^/#   /'
fi
all_stores 'a handler that jumps out of a fault' ./interrupted jump
all_stores 'jumps out of calls' ./interrupted long
all_stores 'a handler of a timer' ./interrupted timer
if [ "$thrown" ]; then
    all_stores 'exceptions of C++' ./thrown
else
    skip "valgrind: exceptions of C++" 'needs a compiler of C++'
fi
run record -q --method valgrind --to lackey -o trace ./machine expected all
read -r from to <out
within "$from" "$to" >got
check "valgrind: long accesses, and those of vectors" cmp -s got expected
diff expected got | head -n 10 | sed 's/^/#   /'
all_stores 'a handler that mends a fault' ./interrupted mend
all_stores 'threads on both sides of a fork' ./forks
finish
