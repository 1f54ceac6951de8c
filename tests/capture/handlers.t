#!/bin/sh
# handlers.t - handlers of signals lose nothing of what they interrupt, and put
# nothing where it does not belong
. tests/sim/lib.sh
sources=$root/tests/capture
case $(uname -m) in
x86_64) ;;
*)
    echo '1..0 # SKIP needs a processor that stops after each instruction'
    exit 0
    ;;
esac

cat >tell.pl <<'END'
# How many words the program, its handler and its other thread have written,
# and how many of the program's are there twice or out of order.
my ($own, $theirs, $others, $wrong, $last, $thread) = (0) x 5;
for my $name (@ARGV) {
    open my $trace, '<', $name or die;
    while (<$trace>) {
        my ($at, $bytes) = /^ S ([0-9a-f]+),(\d+)/ or next;
        $at = hex $at;
        $theirs += $bytes / 8 if $at >> 44 == 2;
        $others += $bytes / 8 if $at >> 44 == 3;
        next if $at >> 44 != 1;
        $own += $bytes / 4;
        $thread //= $name;
        $wrong++ if $at <= $last || $name ne $thread;
        $last = $at;
    }
}
print "$own $theirs $others $wrong";
END

build() { # COMPILER NAME
    # shellcheck disable=SC2046 # words
    CC=$1 "$1" -O2 $(CC=$1 "$MARGAY" record --cflags) -o "$2" \
        "$sources/$2.c" $(CC=$1 "$MARGAY" record --libs)
}

for compiler in ${CC:-cc} clang; do
    way="$compiler's calls"
    case $(CC=$compiler "$MARGAY" record --cflags) in
    -fpass-plugin*) way="a pass of $compiler" ;;
    *) [ "$compiler" != clang ] || continue ;;
    esac
    if build "$compiler" stepped 2>err; then
        for mode in fill end; do
            rm -f apart.*
            run record -q --thread-traces separate --to lackey -o apart \
                ./stepped $mode
            is "$way: a handler at each instruction, $mode" \
                "$(perl tell.pl apart.*)" "$(cat out) 0"
        done
        timeout 60 "$MARGAY" record -q --sites -o sites.mgt ./stepped end >out
        is "$way: with sites, the program ends" "$?" 0
    else
        skip "$way: single steps" "$(head -n 1 err)"
    fi
    check "$way: handlers are built" build "$compiler" handlers
    for words in 1 5 10000; do
        run record -q --to lackey -o trace ./handlers nest $words
        is "$way: handlers of handlers, $words words" \
            "$(perl tell.pl trace)" "$(cat out) 0 0"
    done
done
finish
