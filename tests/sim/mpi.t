#!/bin/sh
# mpi.t - the ranks of a cluster under mpirun; ranks.t tests what they do
program=$BUILD/margay-mpi
for needed in mpirun timeout mkfifo; do
    command -v $needed >/dev/null || {
        echo "1..0 # SKIP no $needed here"
        exit 0
    }
done
[ -x "$program" ] || {
    echo '1..0 # SKIP no margay-mpi in the build'
    exit 0
}
. tests/sim/lib.sh

# on RANKS ARGUMENT...: as run, on RANKS ranks; 124 if they hang.  Nothing is
# forwarded to them: Open MPI 4.1's mpirun now and then crashes when it forwards
# standard input.
on() {
    ranks=$1
    shift
    status=0
    timeout 300 mpirun --oversubscribe --allow-run-as-root --bind-to none \
        --mca btl_base_warn_component_unused 0 --stdin ${input-none} \
        -n "$ranks" "$program" "$@" >out 2>err || status=$?
}
on 1 version </dev/null
if [ "$status" != 0 ]; then
    echo '1..0 # SKIP mpirun does not work here'
    exit 0
fi
is 'version' "$(cat out)" "$("$MARGAY" version)"

"$MARGAY" generate zipf --refs 60000 --blocks 3000 --unit 64 --to u64 -o zipf.u64
for ranks in 2 3 7; do
    run histogram -q -b 64,512 --phase 9999 --bound 3KiB zipf.u64
    mv out expected
    on $ranks histogram -q -b 64,512 --phase 9999 --bound 3KiB zipf.u64
    check "a file, $ranks ranks" cmp -s out expected
done

mkfifo pipe
run curve -q --sizes all zipf.u64
sed 's/^zipf.u64/pipe/' out >expected
cat zipf.u64 >pipe &
on 3 curve -q -f u64 --sizes all pipe
is 'a named pipe: status' "$status" 0
check 'a named pipe' cmp -s out expected

# Standard input is worth another try, as the crash says nothing about us.
for attempt in 1 2 3 4 5; do
    input=0 on 3 curve -q -f u64 --sizes all - <zipf.u64
    grep -q 'mca_iof_hnp' err || break
    echo "# attempt $attempt: mpirun crashed on its own"
done
sed -i 's/^pipe/-/' expected
is 'standard input: status' "$status" 0
check 'standard input' cmp -s out expected

{ cat zipf.u64; printf abc; } >torn.u64
on 3 curve torn.u64
is 'a rank that fails: status' "$status" 2
is 'nothing on standard output' "$(cat out)" ''
is 'and one line' "$(grep -c '^margay' err)" 1
like 'which says why' "$(cat err)" 'torn.u64: byte 480000: found half a record'

# Ranks that wait for input do not stay when mpirun is killed.
sleep 300 >pipe &
writer=$!
mpirun --oversubscribe --allow-run-as-root --bind-to none --stdin none -n 3 \
    "$program" curve -f u64 "$PWD/pipe" >out 2>err &
mpirun=$!
# Each is the program, with that pipe among its arguments.
ranks_left() {
    for process in /proc/[0-9]*; do
        cat "$process/cmdline" 2>/dev/null | tr "\0" " " |
            grep -q "^[^ ]*margay-mpi curve -f u64 $PWD/pipe" &&
            lives "${process#/proc/}" && echo "$process"
    done
}
all_there() { [ "$(ranks_left | wc -l)" = 3 ]; }
none_left() { [ "$(ranks_left | wc -l)" = 0 ]; }
check 'ranks wait' await all_there
kill -KILL $mpirun
check 'and go with mpirun' await none_left
kill $writer
finish
