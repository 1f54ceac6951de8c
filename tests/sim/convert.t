#!/bin/sh
# convert.t - traces in other formats, all to all: units, compression, and what
# fails; tests/frozen has single ones
. tests/sim/lib.sh

# read_back FORMAT FILE: every number as it stands, one per line.
read_back() {
    case $1 in
    arc | vscsi) set -- "$1" "$2" -b 512 ;;
    *) set -- "$1" "$2" --ids ;;
    esac
    back_format=$1
    back_file=$2
    shift 2
    "$MARGAY" distances -q -e naive -f "$back_format" "$@" "$back_file" |
        tail -n +2 | cut -d, -f4
}

# ------------------------------------------- every format, to each kind --
# 600 numbers that fit all formats, multiples of 512 so that addresses become
# blocks of 512 bytes and blocks addresses without a loss.
writable='din lackey ls id hex u32 u64 u32be u64be lines arc csv vscsi'
"$MARGAY" generate zipf --refs 600 --blocks 90 --unit 512 --to lines -o bytes
"$MARGAY" generate zipf --refs 600 --blocks 90 --to lines -o blocks
# expected FORMAT: its numbers for the trace that `bytes` holds as addresses.
expected() {
    case $1 in arc | vscsi) cat blocks ;; *) cat bytes ;; esac
}
"$MARGAY" convert -q -f lines --unit 1 bytes bytes.u64 --to u64
for from in $writable; do
    run convert -q bytes.u64 from --to "$from"
    read_back "$from" from >got
    expected "$from" >want
    check "addresses to $from" cmp -s got want
    wrong=
    for to in din u64be lines arc csv vscsi; do
        # Numbers that lines and csv do not explain are addresses here.
        unit=
        case $from in lines | csv) unit='--unit 1' ;; esac
        # shellcheck disable=SC2086 # two words or none
        run convert -q -f "$from" $unit from to --to "$to"
        read_back "$to" to >got
        expected "$to" >want
        [ "$status" = 0 ] && cmp -s got want || {
            # Ids stay ids, with every unit.
            case $from-$to in
            arc-lines | arc-csv | vscsi-lines | vscsi-csv) cmp -s got blocks ;;
            *) false ;;
            esac || wrong="$wrong $to($status)"
        }
    done
    is "$from to each kind of format" "$wrong" ''
done

# ------------------------------------------------------------------- units --
letters abca >ids.lines
printf '10 3 0 0\n7 0 0 1\n20 1 0 2\n' >e.arc
# mgt says of ids what --unit says, and changes no number: what is measured is
# what the trace itself gives with the same unit.
"$MARGAY" convert -q e.arc e.vscsi --to vscsi
"$MARGAY" convert -q --unit 64 ids.lines e.din --to din
"$MARGAY" convert -q e.arc unit512.mgt --to mgt
for trace in ids.lines e.arc e.vscsi unit512.mgt e.din; do
    ids=
    case $trace in e.din) ids=--ids ;; esac
    for unit in 64 512 4096; do
        name="$trace with --unit $unit to mgt"
        # shellcheck disable=SC2086 # one word or none
        run convert -q $ids --unit $unit $trace unit.mgt --to mgt
        is "$name: status" "$status" 0
        # shellcheck disable=SC2086
        "$MARGAY" distances -q $ids --unit $unit -b $unit,8192 $trace |
            cut -d, -f2- >want
        "$MARGAY" distances -q -b $unit,8192 unit.mgt | cut -d, -f2- >got
        check "$name: the same" cmp -s got want
    done
done

# ------------------------------------------------------------- compression --
"$MARGAY" generate uniform --refs 100000 --blocks 70000 --to hex -o plain.hex
: >empty
for tool in gzip:gz xz:xz zstd:zst bzip2:bz2 lz4:lz4; do
    suffix=${tool#*:}
    run convert -q plain.hex "packed.hex.$suffix" --to hex
    cp "packed.hex.$suffix" first
    run convert -q plain.hex "packed.hex.$suffix" --to hex
    check ".$suffix: the same bytes every time" cmp -s first "packed.hex.$suffix"
    check ".$suffix: smaller" test "$(wc -c <first)" -lt 600000
    run convert -q "packed.hex.$suffix" back --to hex
    check ".$suffix: the same references" cmp -s back plain.hex
    run convert -q -f hex empty "empty.hex.$suffix" --to hex
    check ".$suffix: nothing, compressed" test -s "empty.hex.$suffix"
    run info "empty.hex.$suffix"
    is ".$suffix: no references in it" "$(sed -n 3p out)" 'references,0'
    if command -v "${tool%:*}" >/dev/null; then
        "${tool%:*}" -dc <first >back
        check ".$suffix: ${tool%:*} agrees" cmp -s back plain.hex
        "${tool%:*}" -dc <"empty.hex.$suffix" >back
        is ".$suffix: ${tool%:*} finds nothing, too" "$? $(wc -c <back)" '0 0'
    else
        skip ".$suffix: ${tool%:*} agrees" "no ${tool%:*}"
        skip ".$suffix: ${tool%:*} finds nothing, too" "no ${tool%:*}"
    fi
done
is '.gz: no time in it' "$(od -An -tu1 -j4 -N4 packed.hex.gz | tr -d ' ')" 0000
run generate loop --refs 1000 --blocks 10 --to csv -o g.csv.GZ
is 'generate compresses, too' "$(gzip -dc g.csv.GZ | head -n 3 | tr '\n' ' ')" \
    'id 0 1 '

# ------------------------------------------------------------------ output --
cp plain.hex first.hex
run convert -q plain.hex plain.hex --to lines
is 'a trace may replace itself' "$(wc -l <plain.hex)" 100000
(cat first.hex first.hex && echo zz) |
    "$MARGAY" convert -f hex - - --to u64 >out 2>err
check 'a bad end: nothing on standard output' test ! -s out
like 'and why' "$(cat err)" "^margay convert: -:200001: found 'zz'"
echo old >kept
printf '0x10\nzz\n' >bad.hex
refuses ":2: found 'zz'" convert bad.hex kept --to u64
is 'a bad end: the old file is kept' "$(cat kept)" old
run convert -q back.hex /dev/null --to din
check '/dev/null stays a device' test -c /dev/null
status=0
(ulimit -f 64 && exec "$MARGAY" convert -q --unit 1 -f lines plain.hex \
    small.xz --to u64) >out 2>err || status=$?
is 'no room for a compressed file' "$status" 2
check 'nothing is left behind' absent small.xz
finish
