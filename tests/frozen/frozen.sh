#!/bin/sh
# frozen.sh check|update|show [TEXT] - outputs stay the same, byte for byte
#
# commands.txt has command lines; {a|b} in one stands for two lines, one with a
# and one with b.  Each runs in a folder of its own, where t/ has small traces
# and s/ the fuzzers' seeds.  digests.txt has its status and digests of what it
# writes to stdout, to stderr and to files.  `check` compares with that,
# `update` writes it anew, and `show` prints what the lines write that have
# TEXT in them.  MARGAY is the program, JOBS says how many run at once, and
# where EVERY is N each Nth alone is run.
set -u
LC_ALL=C
export LC_ALL
: "${MARGAY:=build/margay}" "${JOBS:=$(nproc)}" "${root:=$PWD}" "${EVERY:=1}"
case $MARGAY in /*) ;; *) MARGAY=$root/$MARGAY ;; esac
expected=tests/frozen/digests.txt

what=$1

# ----------------------------------------------------------------- traces --
prepare() { # in $work
    mkdir bin t s
    ln -s "$MARGAY" bin/margay
    # In place of a gnuplot, whose pictures change with its version: what it
    # is asked to draw.
    cat >bin/gnuplot <<'END'
#!/bin/sh
# gnuplot -d -e SETTINGS -c SCRIPT PICTURE TABLE...
exec >"$6"
echo '<?xml version="1.0"?><svg>'
printf '%s\n' "$3" "${5##*/}"
shift 6
cat "$@"
echo '</svg>'
END
    chmod +x bin/gnuplot
    # The first byte of a seed of a format is no part of the trace.
    (cd "$root" && perl tests/fuzz/seeds.pl unpack "$work/seeds")
    for seed in seeds/*/*; do
        folder=${seed%/*}
        name=s/${folder##*/}-${seed##*/}
        case ${folder##*/} in
        options | specs | receiver | optimum | words) ;;
        compressed | histogram | model | mooncake | regions | report)
            cp "$seed" "$name"
            ;;
        *) tail -c +2 "$seed" >"$name" ;;
        esac
    done
    generate() { # FILE ARGUMENT...
        file=t/$1
        shift
        "$MARGAY" generate -q -o "$file" --to "${file##*.}" "$@"
    }
    generate zipf.u64 --refs 6000 --blocks 700 zipf
    generate other.u64 --refs 5000 --blocks 300 --seed 7 zipf
    generate uniform.u32 --refs 4000 --blocks 500 uniform
    generate loop.lines --refs 3000 --blocks 200 loop
    generate phases.mgt --refs 8000 --blocks 400 phases
    generate stencil.din --refs 6000 --blocks 2500 stencil
    generate stencil.words --refs 3000 --blocks 900 stencil
    generate matmul.lackey --refs 5000 --blocks 900 matmul
    cp "$root/tests/sample/walk.lackey.xz" t/walk.lackey.xz
    cp "$MARGAY_MACHINES/intel-nehalem.csv" t/
    printf '%s\n' cache,holds,bytes,block_bytes,ways,next,shared,coherence \
        L1D,data,4K,64,4,L2,1,none L2,all,32K,64,8,,1,mesi >t/mesi.csv
    # A generator of its own: linear, modulo 2^31.
    awk 'function next_one(n) {
            x = (1103515245 % 65536 * x + 12345) % 2147483648
            return int(x / 256) % n
        }
        BEGIN {
            x = 5
            print "time,key,size,op,tenant" >"t/objects.csv"
            for (i = 0; i < 4000; i++) {
                key = next_one(30) * next_one(30)
                printf "%d,%d,%d,%s,%d\n", i / 10, key, 100 + key * 37 % 5000,
                    next_one(6) ? "get" : "set", next_one(3) >"t/objects.csv"
                address = next_one(90) * 64 + next_one(8) * 4096
                printf "%d %x\n", next_one(3), address >"t/kinds.din"
            }
            print "name,from,to\nlow,0,0x2000\nhigh,0x2000,0x80000" \
                >"t/regions.csv"
            print "who,block,request,size,time,op" >"t/table.csv"
            print "thread,kind,address,size,site" >"t/threads.csv"
            for (i = 0; i < 500; i++) {
                block = next_one(24) * (1 + next_one(2))
                request += next_one(3) == 0
                printf "%s,%d,%d,%d,%d,%s\n", substr("abc", 1 + next_one(3), 1),
                    block, request, 8 + block % 9, i,
                    next_one(3) ? "read" : "write" >"t/table.csv"
                printf "%d,%s,%d,%d,%d\n", next_one(3), next_one(3) ? "r" : "w",
                    8 * next_one(40), 2 ^ next_one(4), 4096 + next_one(9) \
                    >"t/threads.csv"
            }
        }'
    # Table III of PARDA, as ids.
    printf dacbccgefafbcmtmacfbdcac | od -An -v -tu1 -w1 | tr -d ' ' >t/ids.lines
    cd t || exit 1
    "$MARGAY" histogram -q -o zipf.csv zipf.u64
    "$MARGAY" histogram -q -o other.csv other.u64
    "$MARGAY" histogram -q -o ids.csv ids.lines
    "$MARGAY" histogram -q --objects -o objects-histogram.csv --column \
        id=key,size=size,op=op,time=time objects.csv
    "$MARGAY" curve -q -o curve.csv zipf.u64 other.u64
    "$MARGAY" curve -q -o other-curve.csv --skip 700 zipf.u64
    "$MARGAY" assoc -q --sets 1..16 --ways 1..4 -o assoc.csv zipf.u64
    "$MARGAY" curve -q --policy lru,opt,fifo,sieve --sizes pow2 -o policies.csv \
        zipf.u64
    for size in 10 20 30 40; do
        "$MARGAY" generate -q --refs $((size * 100)) --blocks $((size * 8)) \
            --to u64 zipf | "$MARGAY" histogram -q -f u64 -o "run$size.csv" -
    done
    cd ..
}

# Each line of commands.txt, and its number, for each choice of its braces.
expand() {
    awk 'function expand(line,    head, tail, n, i, parts) {
            if (!match(line, /[{][^{}]*[|][^{}]*[}]/)) {
                printf "%04d %s\n", ++lines, line
                return
            }
            head = substr(line, 1, RSTART - 1)
            tail = substr(line, RSTART + RLENGTH)
            n = split(substr(line, RSTART + 1, RLENGTH - 2), parts, "[|]")
            for (i = 1; i <= n; i++)
                expand(head parts[i] tail)
        }
        /^[^#]/ { expand($0) }' "$root/tests/frozen/commands.txt"
}

# ------------------------------------------------------------------- all --
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
for name in $(env | sed -n 's/^\(MARGAY_[A-Z_]*\)=.*/\1/p'); do
    unset "$name"
done
MARGAY_PLOTS=$root/plots MARGAY_MACHINES=$root/sim/machines
export MARGAY MARGAY_PLOTS MARGAY_MACHINES root work
cd "$work" || exit 1
prepare
[ "$what" != show ] || JOBS=0
expand | grep -F -e "${2-}" | awk "NR % $EVERY == 0" |
    perl "$root/tests/frozen/run.pl" "$JOBS" >digests
case $what in
show)
    cat digests
    ;;
update)
    ! grep '^skipped' digests >&2 || exit 1
    cp digests "$root/$expected"
    ;;
check)
    awk -v every="$EVERY" -v said="sh tests/frozen/frozen.sh show" '
        { command = $0; sub(/^[^ ]* [^ ]* [^ ]* [^ ]* /, "", command) }
        FNR == NR { line[command] = $0; count++; next }
        { seen++ }
        !(command in line) { print "new: " command; bad++; next }
        $1 != "skipped" && $0 != line[command] {
            split(line[command], was)
            print "differs in" ($1 != was[1] ? " status" : "") \
                ($2 != was[2] ? " stdout" : "") \
                ($3 != was[3] ? " stderr" : "") \
                ($4 != was[4] ? " files" : "") ": " command
            bad++
        }
        END {
            count = int(count / every)
            if (seen != count)
                print count " commands are expected, " seen " ran"
            if (bad)
                print "MARGAY=PROGRAM " said " \047COMMAND\047 prints what " \
                    "PROGRAM writes: compare with an older build"
            exit(bad || seen != count)
        }' "$root/$expected" digests
    ;;
*)
    echo 'usage: frozen.sh check|update|show [TEXT]' >&2
    exit 2
    ;;
esac
