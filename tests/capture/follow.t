#!/bin/sh
# follow.t - a recording follows what its program starts and becomes
. tests/sim/lib.sh
. "$root/tests/capture/recording.sh"

# Without libraries and at fixed addresses, so that its array is known; and
# for the runtime.
check 'ends is built' "$compiler" -O2 -static -no-pie -o ends \
    "$sources/ends.c"
check 'ends is built for the runtime' with_runtime "$compiler" -O2 -o built \
    "$sources/ends.c"
from=$(nm ends | awk '$3 == "array" { print $1 }')

# stores FILE...: how many are to the array.
to=$(printf %x $((0x$from + 4096 * 8)))
stores() {
    within "$from" "$to" "$@" | grep -c '^ [SM]'
}

cat >plain <<EOF
#!/bin/sh
exec ./ends "\$@"
EOF
cat >nested <<EOF
#! $PWD/plain 
EOF
chmod +x plain nested

if ! can valgrind ./ends; then
    skip 'method valgrind' "$(tail -n 1 err)"
else
    for case in '1000:7:sh -c exec§./ends§exit' \
        '1234:0:sh -c ./ends;./ends§return§234' \
        '4567:3:sh -c ./ends§return§4567&exit§3' \
        '1000:137:sh -c (exec§./ends§kill)&wait§$!;exit§$?' \
        '1500:0:./ends exec' \
        '1500:0:sh -c ./ends§exec' \
        '300:0:./plain return 300' \
        '1000:7:env -i ./ends exit' \
        '2000:0:sh -c no-such-program§2>&-;./plain|./plain'; do
        refs=${case%%:*} command=${case#*:}
        expected=${command%%:*} command=${command#*:}
        set --
        for word in $command; do
            set -- "$@" "$(printf %s "$word" | sed 's/§/ /g')"
        done
        rm -f trace
        run record --method valgrind --to lackey -o trace -- "$@"
        is "valgrind: $*" "$status $(stores trace)" "$expected $refs"
    done
    run record --method valgrind --to lackey -o trace ./nested
    is "valgrind: a script whose interpreter is one" \
        "$status $(stores trace)" '0 1000'
    if command -v bash >/dev/null; then
        run record --method valgrind --to lackey -o trace bash -c '
            for file in /proc/self/fd/*; do
                [ ${file##*/} -le 2 ] || eval "exec ${file##*/}>&-"
            done
            ./ends return 77'
        is 'valgrind: started by one that closes all it has' \
            "$status $(stores trace)" '0 77'
    else
        skip 'valgrind: started by one that closes all it has' 'no bash'
    fi
    rm -f apart.*
    run record --method valgrind --to lackey --thread-traces separate \
        -o apart.trace sh -c './ends; exec ./ends return 234'
    set -- apart.*.trace
    is 'valgrind: each program has a trace of its own' \
        "$# $(stores "$1") $(stores "$2" "$3" "$4")" '4 0 1234'
fi

# The runtime.
run record --method runtime --to lackey -o trace sh -c 'exec ./built exit'
is 'runtime: a shell that becomes it' \
    "$status $(grep -c '^ S.*,8$' trace)" '7 1000'
like 'and is not recorded' "$(cat err)" 'sh: it is not built for the method runtime'
run record --method runtime --to lackey -o trace sh -c './built & ./built exec; wait'
is 'runtime: three programs' "$status $(grep -c '^ S.*,8$' trace)" '0 2500'
run record --method runtime --to lackey -o trace ./built exec
is 'runtime: one that becomes itself' \
    "$status $(grep -c '^ S.*,8$' trace)" '0 1500'

# A process that pthread_atfork() does not report.
cat >unannounced.c <<'CODE'
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile uint64_t array[64];
static void fill(void)
{
    for (int i = 0; i < 20000; i++)
        array[i % 64] = 1;
}
int main(void)
{
    for (int i = 0; i < 20; i++) {
        pid_t child = _Fork();
        fill();
        if (child == 0)
            _exit(0);
        waitpid(child, NULL, 0);
    }
}
CODE
if with_runtime "$compiler" -O2 -o unannounced unannounced.c 2>err; then
    run record --method runtime --to lackey -o trace ./unannounced
    is 'runtime: parent and child of _Fork have a buffer each' \
        "$status $(grep -c '^ S.*,8$' trace)" '0 800000'
else
    skip 'runtime: parent and child of _Fork have a buffer each' \
        'the C library has no _Fork'
fi

# A process that becomes another program is waited for, also where that takes a
# while to begin.
cat >slow.c <<'CODE'
#include <unistd.h>
__attribute__((constructor)) static void begin(void)
{
    usleep(900000);
}
CODE
check 'a slow library is built' "$compiler" -shared -fPIC -o slow.so slow.c
run record -q --method runtime --to lackey -o trace \
    sh -c "LD_PRELOAD=$PWD/slow.so ./built return &"
is 'runtime: one that its parent does not wait for, and begins late' \
    "$status $(grep -c '^ S.*,8$' trace)" '0 1000'

# Of the processes that a program leaves, those that record are waited for, and
# not one that has become another program, which has left its references.
cat >leaves.c <<'CODE'
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
static volatile uint64_t array[64];
static void fill(int references)
{
    for (int i = 0; i < references; i++)
        array[i % 64] = 1;
}
int main(void)
{
    fill(100);
    if (fork() == 0) {
        fill(5000);
        printf("%d\n", (int)getpid());
        fflush(stdout);
        execlp("sleep", "sleep", "300", (char *)0);
    }
    if (fork() == 0) {
        usleep(300000);
        fill(50000);
    }
}
CODE
check 'one that leaves processes is built' with_runtime "$compiler" -O2 \
    -o leaves leaves.c
"$MARGAY" record -q --method runtime --to lackey -o trace ./leaves \
    >orphan 2>err & recorder=$!
await_most 400 dead $recorder
check 'runtime: one that has become another is not waited for' dead $recorder
kill "$(cat orphan)"
ended $recorder
is 'runtime: what they wrote' "$(grep -c '^ S.*,8$' trace)" 55100
finish
