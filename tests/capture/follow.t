#!/bin/sh
# follow.t - a recording follows what its program starts and becomes, or says
# what it leaves out
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
        check "valgrind: $*: nothing is left out" test "$(grep -c 'left out' err)" = 0
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
like 'and is left out' "$(cat err)" \
    'sh: at least 1 program of this recording is left out: .*not built'
run record --method runtime --to lackey -o trace sh -c './built & ./built exec; wait'
is 'runtime: three programs' "$status $(grep -c '^ S.*,8$' trace)" '0 2500'
run record --method runtime --to lackey -o trace ./built exec
is 'runtime: nothing is left out' \
    "$status $(grep -c 'left out' err)" '0 0'

# Each function that starts programs; the program that is started writes down
# what it was given.
check 'one that starts others is built' with_runtime "$compiler" -O2 -o starts \
    "$sources/starts.c"
printf '#!/bin/sh\necho "$@" $X >given\n' >given.sh
chmod +x given.sh
for how in execve execv execvp execvpe fexecve execl execlp execle execveat \
    vfork posix_spawn posix_spawnp system popen; do
    case $how in
    *execve* | execvpe | execle | posix_spawnp) given='one two 3' ;;
    *) given='one two' ;;
    esac
    rm -f given
    run record --method runtime -o trace ./starts $how "$PWD/given.sh"
    is "runtime: $how starts the program" "$status $(cat given)" "0 $given"
    is "runtime: $how: and says what is left out" \
        "$(grep -c 'at least 1 program of this recording is left out' err)" 1
    run record --method runtime -o trace ./starts $how "$PWD/none"
    case $how in
    system | popen) ;;
    *) is "runtime: $how fails, and nothing is left out" \
        "$status $(grep -c 'left out' err)" '1 0' ;;
    esac
done

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

# A fork that fails, in a process that has started one that is not recorded.
cat >childless.c <<'CODE'
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
extern char **environ;
pid_t _Fork(void) __attribute__((weak));
int main(int count, char **arguments)
{
    const struct rlimit none = {0, 0};
    char *words[] = {"sleep", "300", NULL};
    pid_t orphan, made = 1;
    if (posix_spawnp(&orphan, "sleep", NULL, NULL, words, environ) != 0)
        return 1;
    printf("%d\n", (int)orphan);
    fflush(stdout);
    if ((geteuid() != 0 || setuid(65534) == 0) &&
        setrlimit(RLIMIT_NPROC, &none) == 0) {
        if (strcmp(arguments[count - 1], "_Fork") != 0)
            made = fork();
        else if (_Fork != NULL)
            made = _Fork();
    }
    if (made != 0)
        printf("%d\n", (int)made);
    return 0;
}
CODE
check 'one whose fork fails is built' with_runtime "$compiler" -O2 -o childless \
    childless.c
for how in fork _Fork; do
    name="runtime: no process is waited for where $how fails"
    "$MARGAY" record -q --method runtime -o trace ./childless $how \
        >orphan 2>err & recorder=$!
    await_most 400 dead $recorder
    # shellcheck disable=SC2046 # two words
    set -- $(cat orphan)
    case ${2:-} in
    -1) check "$name" dead $recorder ;;
    *) skip "$name" 'it does not fail' ;;
    esac
    kill "$1"
    ended $recorder
done

run record --method runtime -o trace ./starts posix_spawn ./built
is 'runtime: one that is started is not left out' \
    "$status $(grep -c 'left out' err)" '0 0'
finish
