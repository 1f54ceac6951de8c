#!/bin/sh
# convert.t - traces in other formats: units, compression
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
refuses "the format 'gem5' can be read, but not written" \
    convert bytes.u64 x --to gem5

# ------------------------------------------------------- kinds and extents --
printf 'I  1000,3\n L 2000,8\n S 2ffe,4\n M 4000,16\n' >k.lackey
run convert k.lackey k.din --to din
is 'kinds are kept' "$(tr '\n' ' ' <k.din)" '2 1000 0 2000 1 2ffe 0 4000 1 4000 '
is 'and references counted' "$(cat err)" \
    'margay convert: k.lackey: 5 references to k.din as din'
run convert -q k.lackey k.vscsi --to vscsi
run convert -q k.vscsi again --to lackey
is 'kinds and extents through vscsi, in blocks of 512' "$(tr -d ' ' <again |
    tr '\n' ' ')" 'L00001000,512 L00002000,512 S00002e00,1024 L00004000,512 S00004000,512 '
run convert -q --kind write k.lackey - --to hex
is '--kind' "$(sed 's/0x0*//' out | tr '\n' ' ')" '2ffe 4000 '
run convert -q --skip 1 --limit 2 k.lackey - --to ls
is '--skip and --limit' "$(sed 's/0x0*//' out | tr '\n' ' ')" 'l 2000 0 s 2ffe 0 '
printf '10 3 0 0\n7 0 0 1\n20 1 0 2\n' >e.arc
run convert -q e.arc - --to arc
is 'arc keeps what covers nothing' "$(cut -d' ' -f1,2 out | tr '\n' ,)" \
    '10 3,7 0,20 1,'
run convert -q e.arc - --to lines
is 'arc to a format without extents: a record a block' \
    "$(tr '\n' ' ' <out)" '10 11 12 20 '
run convert -q e.arc - --to lackey
is 'arc to lackey: bytes' "$(tr -d ' ' <out | tr '\n' ' ')" \
    'L00001400,1536 L00002800,512 '

# ------------------------------------------------------------------- units --
letters abca >ids.lines
run convert -q --unit 64 ids.lines - --to din
is 'ids times a unit are addresses' "$(tr '\n' ' ' <out)" \
    '0 1840 0 1880 0 18c0 0 1840 '
refuses 'ids become addresses only where' convert ids.lines x --to din
refuses '3 is not a power of two' convert --unit 3 ids.lines x --to din
run convert -q --unit 4096 ids.lines - --to arc
is 'ids of 4 KiB in sectors' "$(head -n 1 out)" '776 8 0 0'
run convert -q ids.lines - --to arc
is 'ids of nothing known stay' "$(head -n 1 out)" '97 1 0 0'
run convert -q --unit 64 k.lackey - --to lines
is 'addresses over a unit are ids' "$(tr '\n' ' ' <out)" \
    '64 128 191 256 256 '
echo 18446744073709551615 >top.lines
refuses 'number 18446744073709551615 \(extent 1\) times 64' \
    convert --unit 64 top.lines x --to din
echo 4294967296 >big.lines
refuses 'number 4294967296 \(extent 1\) does not fit the 4 bytes of a u32 record' \
    convert --unit 1 big.lines x --to u32
printf '1 4294967295 0 0\n' >long.arc
refuses 'number 1 .extent 4294967295. times 512 does not fit' convert long.arc x --to lackey
check 'nothing is left of what failed' absent x
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
refuses '\-\-to FORMAT is needed' convert bad.hex kept
refuses "no format 'dim' to write \(did you mean 'din'\?\)" \
    convert bad.hex kept --to dim
refuses 'missing operand: expected IN OUT' convert bad.hex --to din
run convert -q k.lackey operand.din --to din
run convert -q k.lackey -o option.din --to din
is 'the trace may be an option, as with other commands' "$status" 0
check 'the same one' cmp -s operand.din option.din
refuses "one file: found 'x.din' and --output 'y.din'" convert k.lackey x.din \
    -o y.din --to din
check 'and none of both appears' test ! -e x.din -a ! -e y.din
refuses 'nowhere/x: cannot write' convert k.lackey nowhere/x --to din
run convert -q k.lackey /dev/null --to din
check '/dev/null stays a device' test "$status" = 0 -a -c /dev/null
status=0
"$MARGAY" convert -q back.hex /dev/full --to din 2>err || status=$?
is 'a full device' "$status" 2
(ulimit -f 64 && exec "$MARGAY" convert -q --unit 1 -f lines plain.hex \
    small.xz --to u64) >out 2>err || status=$?
is 'no room for a compressed file' "$status" 2
check 'nothing is left behind' absent small.xz
finish
