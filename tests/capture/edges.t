#!/bin/sh
# edges.t - what `margay record` does at its edges: compilers by any name,
# programs that it can record only in part or not at all, and odd descriptors
. tests/sim/lib.sh
. "$root/tests/capture/recording.sh"

# ------------------------------------------------------------- compilers --
# The flags are those of the compiler, however CC names it.
cat >vector.cc <<'END'
#include <vector>
int main() { return std::vector<int>(100, 1)[9] - 1; }
END
flags_of() { # NAME
    CC=$1 "$MARGAY" record --cflags --libs
}
names_of() { # COMPILER COMPILER_OF_CXX
    printf '#!/bin/sh\nexec %s "$@"\n' "$1" >another-name
    chmod +x another-name
    echo "$1 $2 $(command -v "$2") $PWD/another-name"
}
for pair in gcc:g++ clang:clang++; do
    gnu=${pair%:*} cxx=${pair#*:}
    if ! command -v $gnu >/dev/null || ! $cxx -o plain vector.cc 2>/dev/null; then
        skip "flags for $gnu by its other names" "no $gnu, or no $cxx"
        continue
    fi
    for name in $(names_of $gnu $cxx) "env $cxx"; do
        is "the flags for $name are those for $gnu" "$(flags_of "$name")" \
            "$(flags_of $gnu)"
    done
done
for name in cc c++; do
    kind=$($name --version 2>/dev/null | sed -n '1s/.*clang version.*/clang/p')
    if command -v $name >/dev/null; then
        is "the flags for $name are those of what it is" "$(flags_of $name)" \
            "$(flags_of "${kind:-gcc}")"
    else
        skip "the flags for $name" "no $name"
    fi
done
for name in '' no-such-compiler true; do
    is "CC='$name' names neither: the flags fit both" "$(flags_of "$name")" \
        "$(unset CC && "$MARGAY" record --cflags --libs)"
done
name='C++ with CC=g++ and -flto is recorded'
# shellcheck disable=SC2046 # words
if g++ -flto -o plain vector.cc 2>/dev/null; then
    check "$name: built" g++ -O1 -flto $(CC=g++ "$MARGAY" record --cflags) \
        -o vector vector.cc $(CC=g++ "$MARGAY" record --libs)
    run record -q --method runtime --to lackey -o trace ./vector
    is "$name" "$status $(grep -c '^ L .*,4$' trace)" '0 1'
else
    skip "$name" 'no g++ with -flto'
fi

# ------------------------------------------------------------- functions --
# A function that is left by a jump has not returned, in neither build, nor has
# one that calls it; and one that is called again later is not the first call.
cat >jumper.c <<'END'
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf place;
static volatile long cells[64];
__attribute__((noinline)) static void fill(int count)
{
    for (int i = 0; i < count; i++)
        cells[i] = i;
}
__attribute__((noinline)) static void deep(int depth, int jumps)
{
    fill(1);
    if (depth > 0)
        deep(depth - 1, jumps);
    else if (jumps)
        longjmp(place, 1);
    fill(1);
}
__attribute__((noinline)) void jumper(int jumps)
{
    fill(2);
    if (jumps > 1)
        longjmp(place, 1);
    deep(3, jumps);
    fill(2);
}
__attribute__((noinline)) static void catcher(int jumps)
{
    if (setjmp(place) == 0)
        jumper(jumps);
    fill(10);
}
static void last(void) { fill(50); }
int main(int count, char **arguments)
{
    atexit(last);
    catcher(count - 1);
    fill(5);
    jumper(0);
    return arguments == NULL;
}
END
# shellcheck disable=SC2046 # words
for each in '' gcc clang; do
    ${each:-$compiler} -O1 $(CC=$each "$MARGAY" record --cflags) -o jumper \
        jumper.c $(CC=$each "$MARGAY" record --libs) 2>/dev/null || {
        skip "CC=$each: functions left by a jump" "no $each"
        continue
    }
    for level in 0 2; do
        name="CC=$each -O$level"
        check "$name: built" ${each:-$compiler} -O$level \
            $(CC=$each "$MARGAY" record --cflags) -o jumper jumper.c \
            $(CC=$each "$MARGAY" record --libs)
        run record -q --to lackey --start jumper --stop jumper -o trace ./jumper
        is "$name: a function that returns" \
            "$(grep -c '^ S.*,8$' trace) $(cat err)" '12 '
        # Of the call 6 or 2, then 10 + 5, 12 of the second, 50 of the last.
        for case in 83:deep '79:by itself'; do
            # shellcheck disable=SC2086 # words
            run record -q --to lackey --start jumper --stop jumper -o trace \
                ./jumper ${case#*:}
            is "$name: and one that is left by a jump, ${case#*:}" \
                "$(grep -c '^ S.*,8$' trace)" "${case%:*}"
            like "$name: is told" "$(cat err)" 'stop jumper: it did not return'
        done
    done
done

# ----------------------------------------------------------- the summary --
run record --thread-traces separate -o one.mgt ./jumper
like 'a trace of one thread is named as its file is' "$(tail -n 1 err)" \
    '^margay record: one.0.mgt: [0-9]* references as mgt$'
is 'which is there' "$(echo one*)" one.0.mgt

# -------------------------------------------------- programs as they are --
for static in -static -static-pie; do
    name="a program with the runtime that is linked with $static"
    if with_runtime "$compiler" $static -O1 -o static jumper.c 2>/dev/null; then
        run record -o static.mgt ./static
        is "$name is refused" "$status $(ls static.mgt 2>/dev/null)" '125 '
        like "$name: why" "$(tail -n 1 err)" 'static: it is statically linked'
    else
        skip "$name is refused" 'no static library of C'
    fi
done

# Its status is 3.
cat >none.s <<'END'
        .globl _start
_start: mov $60, %eax
        mov $3, %edi
        syscall
END
for method in auto valgrind; do
    name="method $method: a program without a reference"
    if ! "$compiler" -nostdlib -static -o none none.s 2>/dev/null; then
        skip "$name" 'it is for x86-64'
        continue
    fi
    run record --method $method -o none.mgt ./none
    if [ "$status" = 125 ] && grep -Eq 'not? (with )?method' err; then
        skip "$name" "$(tail -n 1 err)"
    else
        is "$name" "$status $(tail -n 1 err)" \
            '3 margay record: none.mgt: 0 references as mgt'
    fi
done

# --------------------------------------------------------------- signals --
# A signal ends the program, and a second one the wait for the process that it
# left.
cat >leaves.c <<'END'
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>
static volatile long cells[64];
int main(int count, char **arguments)
{
    for (int i = 0; i < 64; i++)
        cells[i] = i;
    pid_t child = fork();
    if (child != 0) {
        FILE *file = fopen("pids.new", "w");
        fprintf(file, "%d %d\n", (int)getpid(), (int)child);
        fclose(file);
        rename("pids.new", "pids");
    }
    for (int i = 0; i < 600; i++)
        usleep(100000);
    return count > 1 && arguments == NULL;
}
END
check 'a program that leaves a process is built' with_runtime "$compiler" -O1 \
    -o leaves leaves.c
"$MARGAY" record -q --to lackey -o left ./leaves & recorder=$!
check 'it has begun' await test -e pids
read -r program child <pids
kill -TERM $recorder
check 'the first signal ends the program' await dead "$program"
check 'and the recorder sees that' await test ! -e "/proc/$program"
kill -TERM $recorder
ended $recorder
is 'the second one ends the trace' "$? $(grep -c '^ S.*,8$' left)" '143 64'
kill -KILL "$child"
finish
