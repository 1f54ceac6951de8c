#!/bin/sh
# record.t - a program's references are written as it makes them, by every
# method, even where the program is killed
. tests/sim/lib.sh
. "$root/tests/capture/recording.sh"

for program in many ends operations straddle; do
    check "$program is built" with_runtime "$compiler" -O2 -o $program \
        "$sources/$program.c"
done
check 'one is built as it is' "$compiler" -O2 -o plain "$sources/ends.c"
is 'what a program is built with, on one line' \
    "$("$MARGAY" record --libs --cflags | grep -c '^-.*fsanitize=thread.*runtime')" 1

# ------------------------------------------------------------- what is done --
run record --to lackey -o trace ./operations expected
is 'every atomic operation is done' "$status" 0
check_operations() { # NAME
    fence=$(cat out)
    awk -v fence="$fence," '$2 ~ "^" fence { inside = !inside; next } inside' \
        trace >got
    check "$1: atomic operations and copies, read and written" \
        cmp -s got expected
    diff got expected | head -n 5 | sed 's/^/#   /'
}
check_operations "$compiler"

# The flags fit both compilers, or the one that CC names.
for each in gcc clang; do
    command -v $each >/dev/null || {
        skip "$each builds programs for the runtime" "no $each"
        continue
    }
    for named in '' $each; do
        for fortify in '' -D_FORTIFY_SOURCE=2; do
            name="$each, CC=$named $fortify"
            # shellcheck disable=SC2046,SC2086 # words
            check "$name: built" $each -Werror -O2 $fortify \
                $(CC=$named "$MARGAY" record --cflags) -o built \
                "$sources/operations.c" $(CC=$named "$MARGAY" record --libs)
            run record --method runtime --to lackey -o trace ./built expected
            check_operations "$name"
        done
    done
done
# Without room a program ends as it would.
cat >overflow.c <<'END'
#include <string.h>
char target[16], source[32];
int main(int count, char **arguments)
{
    memcpy(target, source, 16 + (unsigned)count);
    return arguments == NULL;
}
END
# shellcheck disable=SC2046 # words
$compiler -O2 -D_FORTIFY_SOURCE=2 $("$MARGAY" record --cflags) -o overflow overflow.c \
    $("$MARGAY" record --libs)
run record --to lackey -o trace ./overflow
is 'a copy that lacks room ends the program, and is not made' \
    "$status $(wc -l <trace)" '134 0'

# --------------------------------------------------- threads and processes --
run record --to lackey -o trace ./many 5 20000
cp out arrays
while read -r from to; do
    is "all references of a thread or a process" "$(in_range "$from" "$to")" \
        20000
done <arrays
is 'there were five threads and a child' "$(wc -l <arrays)" 6
# More than there are buffers at first, so that each needs a new one.
run record --to lackey -o trace ./many 40 3000
while read -r from to; do in_range "$from" "$to"; done <out >counts
is 'forty threads at once' "$(sort counts | uniq -c | tr -s ' ')" ' 41 3000'
run record --thread-traces separate -o apart.din ./many 3 5000
is 'a trace for each thread: main, three, and the child' \
    "$(echo apart*)" 'apart.0.din apart.1.din apart.2.din apart.3.din apart.4.din'
"$MARGAY" info apart.2.din | grep -q 'writes,500[0-9]' 
check 'the trace of one' test $? = 0
for name in a.out.din a.din.lackey a.out.3.lackey.gz; do
    run record -q -o "$name" ./many 3 5
    wanted=${name%.gz}
    is "the last format among the suffixes of $name" \
        "$("$MARGAY" info -q "$name" | sed -n 2p)" "format,${wanted##*.}"
done
run record --thread-traces separate ./many
is 'separate traces need a name' "$status $(wc -c <out)" '125 0'

# ----------------------------------------------------------------- the end --
for end in return:0:1000 exit:7:1000 _exit:8:1000 abort:134:1000 \
    fault:139:1001 handler:41:1002 kill:137:1000 exec:0:1500; do
    how=${end%%:*} refs=${end##*:} expected=${end#*:}
    expected=${expected%:*}
    run record --to lackey -o trace ./ends $how
    is "a program that ends by $how: its status" "$status" "$expected"
    is "a program that ends by $how: its references" \
        "$(grep -c '^ S.*,[48]$' trace)" "$refs"
done
run record --to lackey -o trace ./ends fault 100000
is 'a crash after many: whole records' \
    "$(grep -c '^ S [0-9a-f]*,[48]$' trace) $(grep -vc '^ [LS] [0-9a-f]*,[0-9]*$' trace)" '100001 0'
run record -o trace ./ends close
is 'a program that closes all it has' "$status" 0
run record -o trace.u64 ./nothing-there
is 'no such program' "$status" 127
check 'and no trace' test ! -e trace.u64
: >file
run record -o trace.u64 ./file
is 'what cannot be run' "$status" 126
: >not-to-run
PATH=$PWD:$PATH run record -o trace.u64 not-to-run
is 'what is found and cannot be run' "$status" 126
run record -o trace.u64 ./
is 'a directory' "$status $(cat err)" \
    '126 margay record: ./: cannot run: Permission denied'
check 'and no trace of these, either' test ! -e trace.u64
run record --method runtime -o trace.u64 ./plain
is 'a program without the runtime' "$status" 125
check 'and no trace' test ! -e trace.u64
like 'says so at once' "$(head -n 1 err)" \
    'plain: it is not built for the method runtime'
like 'and in the end' "$(sed 1d err)" 'plain: it made no references'
run record --nonsense ./ends
is 'an option that there is not' "$status" 125
run record -o no/such/place ./ends
is 'a trace that cannot be written' "$status" 125

# -------------------------------------------------------------------- words --
# The same program gets the same addresses, so traces can be compared.
run record --to lackey -o trace ./straddle
check 'references that cover two blocks are there' \
    test "$(grep -c '[3f7b]e,4$' trace)" -ge 1000
for program in './operations expected' './ends return 20000' ./straddle; do
    run record -o whole.mgt $program
    for options in --sites '--stop 999999999'; do
        run record $options -o whole.words $program
        for trace in whole.mgt whole.words; do
            "$MARGAY" convert -q $trace $trace.lackey --to lackey
            "$MARGAY" curve -q -b 128 --sizes all --straddle split $trace |
                sed 's/whole[^,]*//' >$trace.csv
        done
        check "$program: $options as words" cmp -s whole.mgt.lackey \
            whole.words.lackey
        check 'and in blocks' cmp -s whole.mgt.csv whole.words.csv
    done
done
run record --sites -o sites.words ./straddle
run record --sites -o sites.mgt ./straddle
for trace in sites.words sites.mgt; do
    "$MARGAY" histogram -q --by site $trace |
        sed 's/,[a-z]*\.[a-z]*,/,trace,/' >$trace.csv
done
check 'words have the same sites' cmp -s sites.words.csv sites.mgt.csv

# -------------------------------------------------------------------- units --
# The output of convert for addresses.
run record --to mgt -o whole.mgt ./straddle
for format in arc vscsi lines; do
    run record --to $format -o recorded ./straddle
    "$MARGAY" convert -q whole.mgt converted --to $format
    for trace in recorded converted; do
        "$MARGAY" distances -q --unit 512 -f $format $trace |
            sed 's/^[a-z]*,//' >$trace.csv
    done
    check "$format: the ids that convert makes, too" \
        cmp -s recorded.csv converted.csv
done

# A sample, and counts of repeats, as record once wrote them.
for flags in 4 2; do
    perl -e 'print "mgwords\3", pack("V2", 0, shift)' $flags >old.words
    refuses 'old.words: byte 16: found counts of repeats, or a sample' curve \
        old.words
done

# ----------------------------------------------------------------- streams --
run record -q --to lackey -o - ./ends say
is 'the program says it on standard error' "$(cat err)" said
check 'and the trace is alone' test "$(grep -vc '^ [LS] ' out)" = 0
"$MARGAY" record -q --to lackey -o - ./ends return 1000000 |
    "$MARGAY" curve -q --sizes pow2 - >curve
# Its other reads are in one block or two.
like 'analysed while it runs' "$(tail -n 1 curve | cut -d, -f4-6)" \
    '^32768,1000002,51[34]$'
"$MARGAY" record -q -o - ./ends return 1000000 |
    "$MARGAY" curve -q --sizes pow2 - >direct
"$MARGAY" record -q -o - ./ends return 1000000 | tee kept.words |
    "$MARGAY" curve -q --sizes pow2 - >copied
"$MARGAY" curve -q --sizes pow2 - <kept.words >again
check 'with a copy on the way as without' cmp -s copied direct
check 'and from the copy' cmp -s copied again
rm kept.words
"$MARGAY" record -q --to u64 -o - ./ends return 3000000 2>err | head -c 800 >few
is 'a reader that has enough' "$(wc -c <few) $(cat err)" '800 '
if [ -e /dev/full ]; then
    run record --to u64 -o /dev/full ./ends return 1000000
    is 'a full disk' "$status" 125
    like 'says so' "$(tail -n 1 err)" 'cannot write: No space'
fi
"$MARGAY" record -q -o trace.din ./ends wait & recorder=$!
await has_child $recorder
sleep 0.1
kill -TERM $recorder
ended $recorder
is 'a signal is handed on' "$? $(grep -c '^1' trace.din)" '143 1000'

# ---------------------------------------------------------------- progress --
"$MARGAY" record -o trace.din ./ends wait 100000 2>err & recorder=$!
started $recorder
check 'SIGUSR1: a line' await eval "kill -USR1 $recorder || return 3
    grep -Eq '^margay record: ./ends: [0-9]{5,} references, [0-9.]+ M/s$' err"
kill -TERM $recorder
ends $recorder
is 'and the program does not hear of it' "$status" 143
"$MARGAY" record -q -o trace.din ./ends wait 100000 2>err & recorder=$!
started $recorder
kill -USR1 $recorder
sleep 0.3
kill -TERM $recorder
ended $recorder
is 'with -q it says nothing' "$(cat err)" ''
name='on a terminal it says how far it is'
if command -v script >/dev/null && script -qc true /dev/null >/dev/null; then
    timeout 60 script -qc "timeout 1 '$MARGAY' record -o trace.din ./ends wait \
        100000" /dev/null </dev/null >typescript
    check "$name" grep -q 'ends: [0-9]* references, .* M/s' typescript
else
    skip "$name" 'needs script'
fi

# ------------------------------------------------------------------- a part --
run record --to lackey --start write_some --stop write_some -o trace ./ends
is 'from the call of a function to its return' \
    "$status $(wc -l <trace) $(grep -c '^ S' trace)" '0 1000 1000'
run record --to lackey --start write_more --stop write_more -o trace \
    ./ends more 700
is 'one that calls another, and is not the last' \
    "$status $(wc -l <trace) $(grep -c '^ S' trace)" '0 1200 1200'
run record --to lackey --start 10 --stop 20 -o trace ./ends
is 'from one reference to another' "$(wc -l <trace)" 20
run record --start no_such_function -o trace ./ends
is 'a function that there is not' "$status" 125
like 'says so' "$(cat err)" "no function 'no_such_function'"
archive=$("$MARGAY" record --libs | tr ' ' '\n' | grep '\.a$')
is 'no static function of the runtime has a name there' \
    "$(nm "$archive" | grep -c ' t ')" 0
run record -q --to lackey --start on_fault -o trace ./ends
is 'a function that is not entered' "$status $(wc -l <trace)" '0 0'
like 'says so' "$(cat err)" 'start on_fault: it was not entered'
run record -q --to lackey --start write_some --stop on_fault -o trace ./ends
is 'a function that does not return' "$status" 0
like 'says so' "$(cat err)" 'stop on_fault: it did not return'
run record -q --start write_some --stop write_some -o trace ./ends
is 'and no word of functions that do' "$(cat err)" ''
cat >names.cc <<'EOF'
#define KEPT __attribute__((noinline))
static volatile int cells[100];
static inline void store(int count)
{
    for (int i = 0; i < count; i++)
        cells[i] = i;
}
KEPT static void work(unsigned x, unsigned y)
{
    store((int)(x + y));
}
namespace parts {
KEPT void fill(int)
{
    store(10);
}
KEPT void fill(double)
{
    store(20);
}
template <typename T> struct grid {
    KEPT T sum(T more) const
    {
        store(30);
        return more;
    }
};
template <typename T> KEPT void clear(T)
{
    store(40);
}
} // namespace parts
namespace {
KEPT void hide(void (*each)(int))
{
    each(1);
    store(50);
}
} // namespace
int main()
{
    work(30, 30);
    parts::fill(1);
    parts::fill(1.0);
    parts::clear(parts::grid<int>().sum(2));
    hide(parts::fill);
    return 0;
}
EOF
if ! command -v g++ >/dev/null; then
    skip 'functions of C++' 'no g++'
    finish
fi
# shellcheck disable=SC2046 # words
check 'a program in C++ is built' g++ -O1 $("$MARGAY" record --cflags) \
    -o names names.cc $("$MARGAY" record --libs)
while read -r stores function; do
    run record --to lackey --start "$function" --stop "$function" -o trace \
        ./names
    is "from $function to its return" "$status $(grep -c '^ S' trace)" \
        "0 $stores"
done <<'EOF'
60 _ZL4workjj
60 work
60 work(unsigned int, unsigned int)
10 fill(int)
20 parts::fill(double)
30 sum
30 grid<int>::sum
30 parts::grid<int>::sum(int)
30 sum(int) const
40 clear
40 clear<int>
60 hide
60 (anonymous namespace)::hide
60 hide(void (*)(int))
EOF
for function in ork parts ::fill 'work(unsigned int)' 'fill('; do
    run record -q --start "$function" -o trace ./names
    like "no function is called $function" "$status $(cat err)" \
        '^125 .*no function'
done
run record -q --start fill -o trace ./names
like 'where several are, they are named' "$status $(cat err)" "^125 .*several \
functions are called 'fill', expected one of '.*\\), 'parts::fill"
for function in "'parts::fill(int)' (_ZN5parts4fillEi)" \
    "'parts::fill(double)' (_ZN5parts4fillEd)"; do
    check "$function is" grep -qF "$function" err
done
# gcc makes a clone of a function without a parameter that is always the same.
# shellcheck disable=SC2046 # words
check 'it is built with clones' g++ -O2 $("$MARGAY" record --cflags) \
    -o names names.cc $("$MARGAY" record --libs)
run record -q --to lackey --start work --stop work -o trace ./names
is 'a clone has the name of its function' \
    "$status $(grep -c '^ S' trace)" '0 60'
finish
