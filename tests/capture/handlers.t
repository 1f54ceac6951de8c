#!/bin/sh
# handlers.t - handlers of signals lose nothing of the interrupted code, and put
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
# and how many of the program's are there twice or out of order, where these are
# more than LATE.  Where a handler JUMPS, some are unwritten, or written late.
my ($own, $theirs, $others, $wrong, $last, $thread, %seen) = (0) x 5;
for my $name (@ARGV) {
    # Most lines are of words that fill buffers.
    open my $trace, '-|', 'grep', '^ S [123]', $name or die;
    while (<$trace>) {
        my ($at, $bytes) = /^ S ([0-9a-f]+),(\d+)/ or next;
        $at = hex $at;
        $theirs += $bytes / 8 if $at >> 44 == 2;
        $others += $bytes / 8 if $at >> 44 == 3;
        next if $at >> 44 != 1;
        $own += $bytes / 4;
        $thread //= $name;
        $wrong++ if $ENV{JUMPS} ? $seen{$at}++
            : $at <= $last || $name ne $thread;
        $last = $at;
    }
}
$wrong = 0 if $wrong <= ($ENV{LATE} // 0);
print "$own $theirs $others $wrong";
END

cat >order.pl <<'END'
# Of a file of words: how many the program has written, and how many stand on
# the wrong side of those of handlers, whose addresses say how many of the
# program's there were.
my ($own, $wrong, $last, $handled) = (0, 0, -1, 0);
open my $trace, '<:raw', $ARGV[0] or die;
read $trace, my $head, 16 or die;
read $trace, $head, 24, 16 if unpack('x12 V', $head) & 4;
while (read $trace, my $chunk, 8) {
    read $trace, my $words, 8 * unpack 'V', $chunk;
    for my $word (unpack 'Q<*', $words) {
        my $at = $word & (1 << 48) - 1;
        next if $word >> 62 == 3;
        if ($at >> 44 == 2) {
            $handled = ($at & (1 << 44) - 1) >> 17;
            $wrong++ if $last >= $handled + 8;
        } elsif ($at >> 44 == 1) {
            my $number = ($at & (1 << 44) - 1) / 4;
            $wrong++ if $number <= $last || $handled >> 3 > $number >> 3;
            $last = $number;
            $own++;
        }
    }
}
print $own > 0 ? $wrong : 'none';
END

# The flags that name the plugin for a compiler, or those for calls.
flags() { # WAY OPTION
    case $1 in
    calls) env -u CC "$MARGAY" record "$2" ;;
    *) CC=$1 "$MARGAY" record "$2" ;;
    esac
}

build() { # WAY NAME
    compiler=$1
    [ "$1" != calls ] || compiler=${CC:-cc}
    # shellcheck disable=SC2046 # words
    "$compiler" -g -O2 $(flags "$1" --cflags) -o "$2" "$sources/$2.c" \
        $(flags "$1" --libs)
}

# The words of each line of write_some().
by_line() { # TRACE: fails without libdw
    "$MARGAY" annotate -q --sizes 64 "$1" >annotated 2>err || return
    awk -F, '$4 == "write_some" { print $6 }' annotated | sort -n | tr '\n' ' '
}

tells_lines() { # NAME TRACE CALLS: of write_some()
    if by_line "$2" >lines; then
        is "$1" "$(cat lines)" "$3 $3 $3 $((5 * $3)) "
    else
        skip "$1" 'annotate needs libdw'
    fi
}

single_steps() { # WAY
    for mode in fill end; do
        rm -f apart.*
        run record -q --thread-traces separate --to lackey -o apart \
            ./stepped $mode
        # The handler may get its first buffer again, and go less far in it than
        # the program, which then leaves words that stay unused.
        is "$1: a handler at each instruction, $mode" \
            "$(LATE=3 perl tell.pl apart.*)" "$(cat out) 0"
    done
    for mode in fill few edge; do
        run record -q --sites --to mgt -o sites.mgt ./stepped $mode
        "$MARGAY" convert -q --to lackey -o sites sites.mgt
        # Handlers fill more buffers than one here, and a buffer may be late.
        is "$1: the same with sites, $mode" \
            "$(perl tell.pl sites | cut -d' ' -f1-3)" "$(cat out)"
    done
    tells_lines "$1: the lines of these sites" sites.mgt \
        $(($(cut -d' ' -f1 out) / 8))
    # The sites are new each time, and the handler writes from the same ones, or
    # from those that were known before.
    for mode in same many; do
        run record -q --sites --to mgt -o $mode.mgt ./stepped $mode
        tells_lines "$1: sites that a handler tells, too, $mode" $mode.mgt \
            $((($(cut -d' ' -f1 out) + 2 * $(cut -d' ' -f2 out)) / 8))
    done
    run record -q --to words -o order ./stepped order
    is "$1: the order of buffers" "$(perl order.pl order)" 0
    for turn in 0 100; do
        run record -q --sites --to mgt -o look.mgt ./stepped look $turn
        "$MARGAY" convert -q --to lackey -o look look.mgt
        is "$1: a handler in the search for a file, $turn" \
            "$(perl tell.pl look)" "$(cat out) 0"
    done
}

for way in calls clang; do
    case $(flags $way --cflags) in
    -fpass-plugin*) ;;
    *)
        if [ $way != calls ]; then
            skip "$way: its plugin" 'is not there'
            continue
        fi
        ;;
    esac
    if build $way stepped 2>err; then
        single_steps $way
    else
        skip "$way: single steps" "$(head -n 1 err)"
    fi
    check "$way: handlers are built" build $way handlers
    run record -q --to lackey -o trace ./handlers jump 10
    is "$way: handlers that jump lose none" \
        "$(JUMPS=1 perl tell.pl trace | cut -d' ' -f2,4)" \
        "$(cut -d' ' -f2 out) 0"
    for words in 1 5 10000; do
        # A buffer may be late where handlers fill more than one.
        late=0
        [ $words -lt 10000 ] || late=3
        run record -q --to lackey -o trace ./handlers nest $words
        is "$way: handlers of handlers, $words words" \
            "$(LATE=$late perl tell.pl trace)" "$(cat out) 0 0"
    done
    run record -q --sites --to mgt -o trace.mgt ./handlers nest 5
    "$MARGAY" convert -q --to lackey -o trace trace.mgt
    is "$way: handlers of handlers, with sites" \
        "$(perl tell.pl trace)" "$(cat out) 0 0"
done
finish
