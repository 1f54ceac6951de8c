#!/bin/sh
# refusals.t - what cannot be done: exit status 2, one line that says why, and
# nothing on standard output
. tests/sim/lib.sh

printf '0 10\n1 20\n' >good.din
letters abcab >ids.lines

# ------------------------------------------------------------ command line --
refuses 'expected a command'
refuses "unknown command 'curv' \(did you mean 'curve'\?\)" curv
refuses "unknown command 'frobnicate', and no such file; 'margay help' lists" \
    frobnicate
refuses "unknown command 'nosuch'; 'margay help' lists them" help nosuch
refuses "unknown option '--sise' \(did you mean '--sizes'\?\)" \
    curve --sise 4 good.din
refuses "unknown option '--size' \(did you mean '--sizes'\?\)" \
    curve --size 4 good.din
refuses "unknown option '--sizes' \(it is for 'margay curve'\)" \
    histogram --sizes 4 good.din
refuses "unknown option '--blcok' \(did you mean '--block'\?\)" \
    histogram --blcok 4 good.din
run help policies
is 'policies and their parameters' "$status $(grep -c '^  [a-z0-9]' out) \
$(grep -A 1 '^  tinylfu' out | sed -n '2s/ *//p')" \
    "0 27 window=0.01,protected=0.8"
printf 'id,size\n1,1\n' >objects.csv
for policy in $(sed -n 's/^  \([a-z0-9-]*\) .*/\1/p' out); do
    "$MARGAY" curve -q --objects --policy "$policy" --sizes 1 \
        --column id=id,size=size objects.csv >unused 2>&1 && echo "$policy"
done >takes
is 'and those that objects have' \
    "$(sed -n 's/^With --objects: //p' out)" "$(paste -sd ' ' takes)"
refuses "unknown option '-z'" curve -z good.din
refuses "unknown option '-z'" curve -qz good.din
refuses '--block needs a value' curve good.din -b
refuses '--skip needs a value' curve good.din --skip
refuses "--quiet takes no value, but 'yes' was given" curve --quiet=yes
refuses "unexpected operand 'b'" info a b
refuses "unexpected operand 'b'" distances a b
refuses "unexpected operand 'x'" engines x
refuses 'missing operand: expected NAME' generate
refuses 'missing operand: expected CSV' plot
refuses "--histogram: 'x.csv' is where the curve goes" \
    curve -o x.csv --histogram x.csv good.din
refuses "--save: 'x.csv' is where a table goes" \
    curve -o x.csv --save x.csv good.din
ln -s good.din same.din
refuses "--output: 'good.din' is the trace" histogram -o good.din same.din
refuses "--output: 'same.din' is the trace" assoc -o same.din good.din
refuses "--save: 'good.din' is the trace" curve --save good.din good.din
is 'and is still there' "$(cat good.din)" '0 10
1 20'
refuses "--histogram: '-'" curve --histogram - good.din
refuses "--kind: 'reads'" curve --kind reads good.din
refuses "--kind: ''" curve --kind= good.din
refuses "--straddle: 'last' \(expected first or split\)" \
    curve --straddle last good.din
refuses "--straddle: 'frist' \(expected first or split; did you mean 'first'\?\)" \
    curve --straddle frist good.din
refuses "'-sizes' begins with one hyphen \(did you mean '--sizes'\?\)" \
    curve -sizes 4 good.din
refuses "unknown option '-e' \(it is for 'margay curve'\)" \
    assoc -e exact good.din
refuses "--block: '48' \(expected a power of two such as 32 or 64\)" \
    curve -b 48 good.din
refuses "'msr' can be read, but not written; these can: lackey, ls, id, hex and [0-9]* others" \
    convert good.din x --to msr
refuses "'': No such file" curve ''
for number in '' -1 +1 1x ' 1' 0x10 18446744073709551616; do
    refuses "--skip: '" curve --skip "$number" good.din
done
for number in K 1k 1m 1KB 1KiB 1MK 1.5M 1T 18446744073709552K \
    20000000000G; do
    refuses "--limit: '$number' \(expected a number of references" \
        curve --limit "$number" good.din
done
for option in window chunk phase; do
    refuses "--$option: '0K' \(expected a number of references from 1" \
        curve --$option 0K good.din
done
for threads in 0 -1 x 1.5; do
    refuses "--threads: '$threads'" curve -j "$threads" good.din
done
for block in 0 3 63 65 1.5 64,65 '64,' ',64' -64 x 17179869184GiB; do
    refuses '--block: ' curve -b "$block" good.din
done
for sizes in 0 1,0 '1,' pow octave octave:0 octave:65537 octave:x 1q \
    18446744073709551616 17179869184GiB 100B 1,100B 18446744073709551615; do
    refuses '--sizes: ' curve --sizes "$sizes" good.din
done
refuses '--bound: .*0' curve --bound 0 good.din
refuses '--bound: 100 bytes is not a multiple of the block of 64 bytes' \
    curve --bound 100B good.din
refuses 'bound' curve --bound 1 --sizes 2 ids.lines
for bins in x linear linear:0 linear:x reference reference:0 log2:1; do
    refuses "--bins: " histogram --bins "$bins" good.din
done
refuses "oklen.*olken" curve -e oklen good.din
refuses "engine" curve -e exact:filter=maybe good.din
refuses "engine|spec" curve -e exact: good.din
refuses "bound" curve -e bounded good.din
refuses "unknown format 'dim'.*din|'dim'.*'din'" curve -f dim good.din
refuses 'one block size at a time' info -b 64,128 good.din
refuses 'standard input can be read only once' curve - -

# ---------------------------------------------------------- ids and bytes --
refuses 'a unit .*holds addresses' curve --unit 64 good.din
refuses '--unit BYTES' curve -b 64 ids.lines
refuses '--unit BYTES' curve --sizes 4K ids.lines
refuses '--unit BYTES' curve --bound 4K ids.lines
refuses 'smaller than what an id stands for, 128 bytes' \
    curve --unit 128 -b 64,256 ids.lines
refuses 'power of two' curve --unit 100 ids.lines

# ------------------------------------------------------------------ traces --
refuses 'missing.din: No such file or directory' curve missing.din
mkdir folder.din
refuses 'folder.din: .*directory' curve folder.din
refuses 'missing.din: No such file' curve good.din missing.din
refused_text() { # PATTERN FORMAT TEXT
    # shellcheck disable=SC2059 # escapes are wanted
    printf "$3" >bad.txt
    for command in curve histogram distances info; do
        refuses "$1" $command -f "$2" bad.txt
    done
    : >empty
    refuses "$1" curve -f "$2" empty bad.txt
}
refused_text 'bad.txt:2: ' din '0 10\n0 1g\n'
refused_text 'bad.txt:1: ' din '3 10\n'
refused_text 'bad.txt:1: ' din '0 12345678123456789\n'
refused_text 'bad.txt:1: ' hex 'xyz\n'
refused_text 'bad.txt:2: ' lines '1\n18446744073709551616\n'
refused_text 'bad.txt: byte 8' u64 '123456789'
refused_text 'bad.txt: byte 4' u32 '12345'
printf 'neither this\nnor that is a trace\n' >prose
refuses "prose:1: found 'neither this', expected" curve prose
i=0
while [ $i -lt 3000 ]; do
    echo "0 $i"
    i=$((i + 1))
done >long.din
gzip -c long.din >whole.din.gz
echo bad >>long.din
refuses 'long.din:3001: ' curve long.din
refuses '--sizes: 100 bytes is not a multiple' curve --sizes 100B long.din
head -c 3000 whole.din.gz >cut.din.gz
refuses 'cut.din.gz: byte ' curve cut.din.gz
{ head -c 2000 whole.din.gz; printf 'garbage'; tail -c +2008 whole.din.gz; } \
    >corrupt.din.gz
refuses 'corrupt.din.gz: ' curve corrupt.din.gz
if [ "$(id -u)" != 0 ]; then
    cp good.din secret.din
    chmod 0 secret.din
    refuses 'secret.din: Permission denied' curve secret.din
fi
run curve -f u64 - <folder.din
is 'a directory on standard input' "$status $(wc -c <out)" '2 0'
run curve - <&-
is 'a closed standard input' "$status $(wc -c <out)" '2 0'

# --------------------------------------------------------------- generate --
refuses '--refs N is needed' generate zipf --blocks 4 --to u64
refuses '--blocks N is needed' generate zipf --refs 4 --to u64
refuses '--to FORMAT is needed' generate zipf --refs 4 --blocks 4
# "zipf" is near; what else is missing is said later.
refuses "unknown generator 'zip' .did you mean 'zipf'" generate zip
refuses "zipff.*zipf" generate zipff --refs 4 --blocks 4 --to u64
refuses "no format 'u46' to write \(did you mean 'u64'\?\)" \
    generate zipf --refs 4 --blocks 4 --to u46
refuses 'exponent' generate zipf --refs 4 --blocks 4 --exponent 9 --to u64
for exponent in -1 nan inf 0x1 1e '' 1,5; do
    refuses '--exponent: ' \
        generate zipf --refs 4 --blocks 4 --exponent "$exponent" --to u64
done
refuses 'over 64 bits' \
    generate loop --refs 4 --blocks 4294967297 --unit 4G --to u64
refuses 'u32' generate loop --refs 4 --blocks 4294967297 --to u32

# ------------------------------------------------------------------- plot --
printf 'key,value\nformat,din\n' >info.csv
refuses '-o FILE is needed, a name that ends in .png' plot info.csv
refuses "--output: 'x.gif'" plot info.csv -o x.gif
refuses "info.csv:1: found the columns 'key,value'" plot info.csv -o x.png
refuses 'none.csv: No such file' plot none.csv -o x.png
run curve -q good.din -o curve.csv
run histogram -q good.din -o histogram.csv
refuses 'do not go into one picture' plot curve.csv histogram.csv -o x.png
: >empty.din
run curve -q empty.din -o empty.csv
refuses 'no rows' plot empty.csv -o x.png
MARGAY_PLOTS=$work/folder.din
export MARGAY_PLOTS
refuses 'no picture.gp there' plot curve.csv -o x.png
touch folder.din/picture.gp
check 'gnuplot that is not there is asked for' sh -c \
    'PATH=/nowhere "$0" plot curve.csv -o x.png 2>&1 | grep -q "install"' \
    "$MARGAY"
check 'no picture is left of those' absent x.png

# ----------------------------------------------------------------- memory --
# shellcheck disable=SC3045 # dash and bash know -v, and others skip
# A sanitizer reserves terabytes, so such a build cannot be limited.
if (ulimit -v 400000 && "$MARGAY" version) >version.out 2>&1; then
    status=0
    "$MARGAY" generate loop --refs 30000000 --blocks 30000000 --to u64 |
        (ulimit -v 400000 && exec "$MARGAY" curve -j 2 -f u64 --ids) \
            >out 2>err ||
        status=$?
    is 'memory that cannot be had: status, output' \
        "$status $(wc -c <out)" '2 0'
    like 'memory that cannot be had: the message' "$(cat err)" \
        '^margay curve: .*memory.*--bound SIZE'
else
    skip 'memory that cannot be had' 'the address space cannot be limited'
fi
finish
