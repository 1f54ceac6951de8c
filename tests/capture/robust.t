#!/bin/sh
# robust.t - nothing that happens to a recording, or that its program does,
# makes its recorder crash, hang or leave files behind
. tests/sim/lib.sh
. "$root/tests/capture/recording.sh"

build() { # NAME
    with_runtime "$compiler" -O2 -I"$root" -o "$1" "$sources/$1.c" &&
        "$compiler" -O2 -I"$root" -o "$1.plain" "$sources/$1.c" -pthread
}
for program in hostile ends many; do
    check "$program is built" build $program
done

# A process of ours ends before await gives up; `ended` then has its status.
ends_by_itself() { # PID
    await dead "$1"
}

# ---------------------------------------------------- what the program does --
run record --to lackey -o trace ./hostile truncate
is 'a program that cuts the memory that it shares with us' \
    "$status $(grep -c '^ S.*,8$' trace)" '3 300000'

run record --to lackey -o trace.scrawl ./hostile scrawl
is 'a program that frees buffers that are full: no trace' \
    "$status $(ls trace.scrawl 2>/dev/null)" '125 '
like 'and the words that did not come are told' "$(tail -n 1 err)" \
    ': [0-9]* words that were sent did not come, .*references are missing$'

run record --to lackey -o trace.confine ./hostile confine
is 'a program that may have no more memory: no trace' \
    "$status $(ls trace.confine 2>/dev/null)" '125 '
like 'says so' "$(tail -n 1 err)" \
    ': 1 process had no memory left .*references are missing$'

nothing_is_missing() { # NAME
    often=$(awk '$1 == "S" && /,8$/ { n[$2]++ } END {
        for (a in n) if (n[a] >= 72) m++; print m + 0 }' trace)
    check "$1: nothing is missing" test "$status" = 3 -a "$often" -ge 4096
}
for method in runtime valgrind; do
    program=./hostile
    name="method $method: a program that closes what it did not open"
    if [ $method != runtime ]; then
        program=./hostile.plain
        can $method ./ends.plain || {
            skip "$name" "$(tail -n 1 err)"
            continue
        }
    fi
    run record --method $method --to lackey -o trace $program close
    nothing_is_missing "$name"
    rm trace
    run record --method $method --to lackey -o trace $program lose
    if [ $method = valgrind ]; then
        # Its limit of descriptors is the program's, and not the recorder's.
        nothing_is_missing "$name, and may open no more"
        continue
    fi
    is "$name, and lets it open no more: no trace" \
        "$status $(ls trace 2>/dev/null)" '125 '
    like "$name, and so on: says so" "$(tail -n 1 err)" \
        ': 1 process closed the recorder.s descriptors, .*references are missing$'
done

# Where the method's tool itself fails, its status is not the program's.
cat >starve.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
static int order(const void *a, const void *b) { return memcmp(a, b, 1); }
int main(void)
{
    FILE *pages = fopen("/proc/self/statm", "r");
    unsigned long sum = 0, has = 0;
    char text[64] = "";
    if (pages == NULL || fscanf(pages, "%lu", &has) != 1)
        return 4;
    fclose(pages);
    setrlimit(RLIMIT_AS, &(struct rlimit){has * 4096, has * 4096});
    for (int i = 0; i < 20; i++) {
        snprintf(text, sizeof text, "%d %f %g", i, (double)i, 1e9 * i);
        sum += strlen(text);
        qsort(text, sizeof text, 1, order);
    }
    return sum == 0 ? 1 : 3;
}
END
name='method valgrind: Valgrind has no memory'
if can valgrind ./ends.plain; then
    $compiler -O1 -o starve starve.c
    ./starve
    is "$name: the program needs none" "$?" 3
    run record --method valgrind -o trace.starve ./starve
    is "$name: no trace" "$status $(ls trace.starve 2>/dev/null)" '125 '
    like "$name: says so" "$(tail -n 1 err)" \
        ': .*valgrind itself failed before the program ended, with status 1'
    for limit in 12 14 16 18; do
        status=0
        # shellcheck disable=SC3045 # ulimit -n is in every sh here
        (ulimit -n $limit && exec "$MARGAY" record -q --method valgrind \
            -o trace.few ./starve) 2>err || status=$?
        is "$name: $limit descriptors" "$status $(ls trace.few 2>/dev/null)" \
            '125 '
    done
    like "$name: and says so" "$(cat err)" ': at most 18 descriptors .*ulimit -n'
else
    skip "$name" "$(tail -n 1 err)"
fi

name='method valgrind without /proc: says so'
if unshare -m mount -t tmpfs none /proc 2>/dev/null; then
    like "$name" "$(unshare -m sh -c 'mount -t tmpfs none /proc &&
        exec "$0" record --method valgrind -o trace.proc ./starve 2>&1' \
        "$MARGAY")" ': not found, as /proc does not say'
else
    skip "$name" 'nothing can be mounted'
fi

# ------------------------------------------------------- what cannot be written --
if [ -e /dev/full ]; then
    for method in runtime valgrind; do
        name="method $method: a full disk"
        program=./hostile
        case $method in runtime) ;; *)
            program=./hostile.plain
            can $method ./ends.plain || {
                skip "$name ends the recording" "$(tail -n 1 err)"
                skip "$name: why" "$(tail -n 1 err)"
                continue
            } ;;
        esac
        rm -f ready
        "$MARGAY" record -q --method $method --to u64 -o /dev/full $program \
            none >out 2>err & recorder=$!
        check "$name ends the recording" ends_by_itself $recorder
        ends $recorder
        like "$name: why" "$status $(tail -n 1 err)" \
            '^125 .*cannot write: No space'
    done
fi

# ------------------------------------------------------------------ signals --
for case in HUP:129 TERM:143; do
    signal=${case%:*} expected=${case#*:}
    rm -f ready
    "$MARGAY" record -q --thread-traces separate --to lackey -o apart \
        ./hostile wait ready & recorder=$!
    check "SIG$signal: the program waits" await test -e ready
    kill -"$signal" $recorder
    check "SIG$signal ends it" ends_by_itself $recorder
    ends $recorder
    is "SIG$signal is handed on, and the trace is whole" \
        "$status $(grep -c '^ S.*,8$' apart.0)" "$expected 100000"
done
rm -f ready
"$MARGAY" record -q --to lackey -o kept ./hostile deaf ready & recorder=$!
check 'a program that goes on when it is hung up: it waits' \
    await test -e ready
kill -HUP $recorder
check 'it ends when it will' ends_by_itself $recorder
ends $recorder
is 'and nothing is lost' "$status $(grep -c '^ S.*,8$' kept)" '3 300000'

# A killed recorder cannot warn its program, which must not wait for it.
name='a program whose recorder is killed'
mkfifo trace.fifo
"$MARGAY" record -q --to words -o - ./hostile forever >trace.fifo 2>/dev/null &
recorder=$!
exec 9<trace.fifo
left=$(head -c 1000000 <&9 | wc -c)
child=$(cat /proc/$recorder/task/$recorder/children 2>/dev/null)
kill -KILL $recorder
exec 9<&-
check "$name has begun" test "$left" -eq 1000000 -a -n "$child"
# shellcheck disable=SC2086 # a number and a space
check "$name ends" await dead $child
ended $recorder 2>/dev/null

# Nor may a recorder wait for an analysis that is killed.
mkfifo trace.words
"$MARGAY" record -q -o - ./hostile forever >trace.words 2>/dev/null & recorder=$!
"$MARGAY" curve -q trace.words >/dev/null & reader=$!
await has_child $recorder
sleep 0.3
kill -KILL $reader
check 'a recorder whose reader is killed ends' await dead $recorder
ended $reader 2>/dev/null
ended $recorder 2>/dev/null

# The second kills, and its files are removed: more files than
# any small number.
mkdir here
cat >there.c <<'EOF'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static volatile int array[200];
static void *write_one(void *place) { *(volatile int *)place = 1; return NULL; }
int main(int count, char **arguments)
{
    pthread_t thread;
    signal(SIGHUP, SIG_IGN);
    for (int i = 0; i < 200; i++) {
        pthread_create(&thread, NULL, write_one, (void *)&array[i]);
        pthread_join(thread, NULL);
    }
    close(open(arguments[count - 1], O_CREAT | O_WRONLY, 0600));
    for (int i = 0; i < 600; i++)
        usleep(100000);
}
EOF
check 'a program of two hundred threads' with_runtime "$compiler" -O2 -o there \
    there.c
temporaries() { # AT_LEAST
    [ "$(find /proc/$recorder/fd -lname '*/here/*' | wc -l)" -ge "$1" ]
}
"$MARGAY" record -q --thread-traces separate -o here/apart.din ./there ready2 &
recorder=$!
check 'it has begun' await test -e ready2
check 'a temporary file for each' await temporaries 200
program=$(cat /proc/$recorder/task/$recorder/children 2>/dev/null)
kill -HUP $recorder
hung_up() { # it has met its first one, and it is told nothing of that
    kill -HUP $recorder 2>/dev/null || true
    dead $recorder
}
check 'the second one kills' await hung_up
ended $recorder 2>/dev/null
[ -z "$program" ] || kill -KILL "$program"
is 'and leaves nothing behind' "$(find here -type f | wc -l)" 0

# ---------------------------------------------------------- what is looked into --
# A table of sections at an odd offset: the system does not look at it.
name='symbols of a program whose tables lie askew'
if perl -e '
    local $/;
    open my $in, "<:raw", "ends" or die;
    my $elf = <$in>;
    exit 1 unless substr($elf, 0, 6) eq "\x7fELF\x02\x01";
    my $from = unpack "Q<", substr $elf, 40, 8;
    my ($size, $count) = unpack "S<S<", substr $elf, 58, 4;
    my $to = length($elf) + 1 + length($elf) % 2;
    my $sections = substr $elf, $from, $size * $count;
    $elf .= "\0" x ($to - length $elf);
    $to++, $elf .= "\0" unless $to % 2;
    $elf .= $sections;
    for my $i (0 .. $count - 1) {
        my $at = $to + $i * $size;
        my $type = unpack "L<", substr $elf, $at + 4, 4;
        next unless $type == 2;
        my ($offset, $bytes) = unpack "Q<Q<", substr $elf, $at + 24, 16;
        my $symbols = substr $elf, $offset, $bytes;
        my $moved = length($elf) + 1 - length($elf) % 2;
        $elf .= "\0" x ($moved - length $elf) . $symbols;
        substr($elf, $at + 24, 8) = pack "Q<", $moved;
    }
    substr($elf, 40, 8) = pack "Q<", $to;
    open my $out, ">:raw", "askew" or die;
    print $out $elf;' && chmod +x askew; then
    run record --to lackey --start write_some --stop write_some -o trace ./askew
    is "$name" "$status $(grep -c '^ S' trace) $(grep -c 'runtime error' err)" \
        '0 1000 0'
else
    skip "$name" 'needs programs of 64 bits, little end first'
fi

# ----------------------------------------------------------- where it lies --
# Names that mean something in patterns, and to Valgrind.
for place in 'odd[1],b*' 'back\slash'; do
    mkdir "$place"
    for part in margay valgrind libmargay_runtime.a calls.h \
        no-tsan; do
        [ ! -e "$BUILD/$part" ] || cp -R "$BUILD/$part" "$place"
    done
    : >"$place/margay_llvm99.so"
    check "in $place: a plugin for clang is not left out" sh -c \
        '! "$0/margay" version | grep -q "left out:.*plugin"' "$place"
    like "in $place: what to compile with" \
        "$("$place/margay" record --cflags 2>&1)" '^-.*calls.h$'
    method=valgrind
    if can $method ./ends.plain; then
        status=0
        "$place/margay" record -q --method $method --to lackey -o trace \
            ./ends.plain exit 2>err || status=$?
        is "in $place: an unmodified program by $method" "$status" 7
    else
        skip "in $place: an unmodified program by $method" \
            "$(tail -n 1 err)"
    fi
done
run record --to lackey -o trace ./ends
MARGAY_RUNTIME="$PWD/odd[1],b*" run record --cflags
like 'a directory that is named' "$(cat out)" 'odd\[1\],b\*'
finish
