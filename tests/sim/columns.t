#!/bin/sh
# columns.t - a trace is not asked for what it does not say
. tests/sim/lib.sh
. "$root/tests/sim/layouts.sh"

# One small trace in each format.
printf 'I  10,4\n L 3e,4\n S 40,8\n M 1000,4\n' >t.lackey
for format in din xdin ls id hex u32 u64 u32be u64be mgt; do
    "$MARGAY" convert -q t.lackey t.$format --to $format
done
for format in lines arc csv vscsi; do
    "$MARGAY" convert -q --unit 1 t.lackey t.$format --to $format
done
printf '%024d' 0 | tr 0 '\001' >t.oracle
# Recorded: with threads and with sites; its first byte is the fuzzer's.
tail -c +2 "$BUILD/tests/fuzz/seeds/mgt/columns" >sites.mgt
"$MARGAY" convert -q t.lackey t.words --to words

tail -c +2 "$BUILD/tests/fuzz/seeds/lcs/version" >t.lcs
echo '8,0 3 1 0.5 697 Q W 223490 + 8 [a]' >t.blkparse
echo '1339518083.1 [0 127.0.0.1:60866] "get" "a"' >t.redis
echo '0x401136: R 0x7ffe10' >t.pinatrace
echo 'prog 12 7.5: mem-loads: 7ffe10 401136 main' >t.perf-script
printf '%032d%032d' 0 0 | tr 0 '\001' >t.champsim
for format in drmemtrace gem5; do
    tail -c +2 "$BUILD/tests/fuzz/seeds/$format/whole" >t.$format
done
echo '{"hash_ids": [1, 2]}' >t.mooncake
printf 'fio version 2 iolog\n/a read 0 9\n' >t.fio
echo 'read(3</a>, "", 9) = 9' >t.strace
echo 'a 1.5: mm_filemap_fault: dev=8:1 ino=5 ofs=0' >t.filemap

# What each says, by hand: r, w, f for kinds that it tells apart, e for
# extents, t for threads, s for sites; a dash for nothing.
cat >traces <<'END'
t.lackey rwfe
t.ls rw
t.id rf
t.hex -
t.arc e
t.din rwf
t.lines -
t.csv -
t.u32 -
t.u64 -
t.u32be -
t.u64be -
t.oracle -
t.vscsi rwe
t.words rwfet
t.lcs rw
t.msr rwe
t.alibaba rwe
t.tencent rwe
t.meta-block rwe
t.fiu rwe
t.twitter rw
t.meta-kv rw
t.meta-cdn rw
t.wiki -
t.webcachesim -
t.ibm-cos rw
t.blkparse rwe
t.redis rw
t.clf rw
t.xdin rwfe
t.pinatrace rws
t.perf-script rwfs
t.champsim rwfs
t.drmemtrace rwfets
t.gem5 rwfes
t.mgt rwfe
sites.mgt rwfets
t.mooncake -
t.w3c rw
t.fio rwe
t.strace rwe
t.filemap rwe
t.memcached rw
t.rocksdb -
t.haproxy rw
t.squid rw
t.elb rw
t.s3 rw
t.gcs rw
t.caddy rw
t.cloudflare rw
t.envoy rw
END
absent=
"$MARGAY" info -q -f mooncake t.mooncake >out 2>&1 || absent=mooncake
[ -z "$absent" ] || {
    skip 'the columns of mooncake' 'built without yajl'
    sed -i -E "/mooncake|$no_json/d" traces
}
left_out=$("$MARGAY" version | sed -n 's/^left out: *//p')
if [ -n "$absent" ]; then
    like 'version lists what is left out' "$left_out" 'yajl \(the formats mooncake and jsonl\)'
else
    check 'version lists nothing that is there' \
        test -n "$left_out" -a "${left_out#*yajl}" = "$left_out"
fi
mkdir runtime
: >runtime/calls.h
without=$(MARGAY_RUNTIME=runtime "$MARGAY" version | grep -c '^left out:.*the plugin for clang (record --cflags)')
: >runtime/margay_llvm99.so
with=$(MARGAY_RUNTIME=runtime "$MARGAY" version | grep -c '^left out:.*plugin')
is 'the plugin for clang is left out where there is none' "$without $with" '1 0'
# The columns of three are what --column and --pattern say.
is 'every format is among them' \
    "$(sed 's/^[a-z]*\.//; s/ .*//' traces | sort -u | tr '\n' ' ')" \
    "$("$MARGAY" version | sed -n 's/^formats: *//p' | tr -d , |
        tr ' ' '\n' | grep -vxE "jsonl|logfmt|regex|${absent:-none}|$no_json" | sort -u | tr '\n' ' ')"

# What asks for one of these letters, of every format, or of those alone that are
# the first to say what they do; an asterisk asks for nothing.
awk '!seen[$2]++' traces >first
cat >questions <<'END'
traces rwf curve --kind read
traces w info --kind write
traces f curve --kind fetch
traces s histogram --by site
traces t histogram --by thread
traces e info --straddle split
traces * curve --straddle first
first w curve --kind write
first w histogram --kind write
first w distances --kind write
first w assoc --kind write
first w compare --kind write
first wf curve --kind write,fetch
first * curve --kind read,write,fetch
first w curve --writebacks
first w assoc --write back
first w assoc --write through
first w assoc --allocate off
first w assoc --kind write --write back
first rwf assoc --by kind
first e curve --straddle split
first e assoc --straddle split
first * histogram --of time
END

# asked TRACE SAYS NEEDS COMMAND OPTION...: refused, by its name, the option's
# and the format's, or answered.
asked() {
    trace=$1 says=$2 needs=$3
    shift 3
    run "$@" -q "$trace"
    sed -i '/: these are samples, /d' err
    option=$(expr "$*" : '[a-z]* \(--[a-z]*\)')
    if [ "$needs" = '*' ] || matches "$says" "[$needs]"; then
        [ "$status" = 0 ] && [ ! -s err ] && return
        # Samples have all this, and are no trace; see the end.
        [ "$trace" = t.perf-script ] && matches "$(cat err)" 'samples of' &&
            return
    else
        [ "$status" = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] &&
            matches "$(cat err)" "$trace: $option.*: the trace does not say" &&
            matches "$(cat err)" "read as ${trace#*.};" &&
            return
    fi
    echo "$trace: $*: status $status, $(cat err)"
}

while read -r which needs question; do
    while read -r trace says; do
        # $question is a list of words.
        # shellcheck disable=SC2086
        asked "$trace" "$says" "$needs" $question
    done <"$which" >wrong
    is "$question: answered by traces that say it, refused for the rest" \
        "$(cat wrong)" ''
done <questions

# Sizes of addresses are bytes, which mean nothing to ids.
for trace in t.lackey sites.mgt t.words; do
    refuses "$trace: --straddle split: the trace does not say the extents .*without --ids" \
        curve --ids --straddle split $trace
done
run curve -q --ids --straddle split t.vscsi
is 'but those of ids do' "$status" 0

refuses 't.lines: --kind: the trace does not say the kinds .*lackey, ls, din,' \
    convert --kind write t.lines x.csv --to csv
check 'nothing was written' test ! -e x.csv
refuses 't.id: --writebacks: the trace does not say the writes of' \
    curve --writebacks t.id
refuses 't.id: --kind: the trace does not say the writes of' \
    curve --kind write t.id
refuses 't.lines: --kind: the trace does not say the kinds of' \
    curve --kind write t.din t.lines
refuses 't.lines: --kind: the trace does not say the kinds of' \
    engines --run t.lines --only exact --kind write
refuses 't.lines: --kind: the trace does not say the kinds of' \
    predict --sample --kind write t.lines
refuses 't.mgt: --by thread: .*read as mgt; one that does: margay record' \
    histogram --by thread t.mgt
gzip -c t.lines >t.lines.gz
refuses '-: --kind: the trace does not say the kinds' \
    curve --kind write - <t.lines.gz

# What is empty lacks nothing, unless it is said to be of a format.
run curve -q --kind write --straddle split /dev/null
is 'an empty trace' "$status $(wc -l <out)" '0 1'
refuses 'null: --kind: the trace does not say' \
    curve -f lines --kind write /dev/null

# ------------------------------------------- splitting, where it is usual --
# rows FILE OPTION...: references and distinct blocks.
rows() {
    run info "$@"
    sed -n 's/^references,//p; s/^distinct_blocks,//p' out | tr '\n' ' '
}
printf '0 8 0 0\n4 8 0 1\n100 0 0 2\n' >s.arc
"$MARGAY" convert -q s.arc s.vscsi --to vscsi
for trace in s.arc s.vscsi; do
    is "$trace splits" "$(rows $trace)" '16 12 '
    is "$trace splits when asked to" "$(rows --straddle split $trace)" '16 12 '
    is "$trace in blocks of 4096" "$(rows -b 4096 $trace)" '3 2 '
done
is 'an arc record is one reference, if asked for' \
    "$(rows --straddle first s.arc)" '3 3 '
is 'so is one of vscsi, which has none that cover nothing' \
    "$(rows --straddle first s.vscsi)" '2 2 '
"$MARGAY" convert -q s.arc s.mgt --to mgt
"$MARGAY" convert -q --straddle first s.arc first.mgt --to mgt
is 'mgt splits as what it was made of' "$(rows s.mgt)" '16 12 '
is 'or as was asked for then' "$(rows first.mgt)" '3 3 '
is 'or now' "$(rows --straddle first s.mgt) $(rows --straddle split first.mgt)" \
    '3 3  16 12 '
for trace in s.arc s.vscsi; do
    "$MARGAY" convert -q $trace all.lines --to lines
    "$MARGAY" convert -q --straddle first $trace first.lines --to lines
    is "$trace as lines: each id, or each record" \
        "$(wc -l <all.lines) $(tr '\n' ' ' <first.lines)" \
        "16 0 4 $([ $trace = s.vscsi ] || echo '100 ')"
    for options in '-j 1' '-j 3' '-e olken'; do
        # $options is a list of words.
        # shellcheck disable=SC2086
        {
            "$MARGAY" curve -q --sizes all --unit 512 $options all.lines >want
            run curve -q --sizes all $options $trace
        }
        is "$trace is those ids, $options" "$(sed "s/^\([0-9]*,\)*$trace/\1/" out |
            cut -d, -f2-)" "$(sed 's/^\([0-9]*,\)*all.lines/\1/' want | cut -d, -f2-)"
    done
done
# A request ends within 64 bits, in records, rows and messages, too.
printf '\0\0\0\0\001\004\0\0\001\0\0\0\052\0\0\001\376\377\377\377\377\377\377\377\0\0\0\0\0\0\0\0' >end.vscsi
refuses 'end.vscsi: byte 0: .*ends within 64 bits' info end.vscsi
echo '18446744073709551615,513,1' >end.csv
refuses 'end.csv:1: .*a size that ends within the ids' \
    info --column id=1,size=2 --unit 512 end.csv
run info -q --column id=1,size=2 end.csv
is 'without a unit there is no extent' "$status" 0

# ----------------------------------------------------- names of columns --
# What the header says is what --column says.
printf 'TS,key,op,Bytes,note\n1,a,get,10,x\n2,b,set,20,y\n3,a,get,10,z\n' >names.csv
run distances --objects names.csv
mv out guessed
is 'what was taken is said' "$(cat err)" "margay distances: names.csv: the names \
of its columns are taken for --column id=key,size=Bytes,op=op,time=TS"
run distances --objects --column id=key,size=Bytes,op=op,time=TS names.csv
check 'and is so' cmp -s out guessed
is '--column wins, and nothing is said' "$(wc -c <err)" 0
run distances -q --column note names.csv
is '--column alone' "$(wc -l <out) $(wc -c <err)" '4 0'
run distances -q names.csv
is 'with -q nothing is said' "$status $(wc -c <err)" '0 0'
tr , '\t' <names.csv >names.tsv
run distances -q --objects --delimiter tab names.tsv
is 'with another delimiter' "$(cut -d, -f3- out)" "$(cut -d, -f3- guessed)"
"$MARGAY" distances -q --objects - <names.csv >out
is 'from a pipe' "$(cut -d, -f3- out)" "$(cut -d, -f3- guessed)"
printf 'id,url,size\n1,a,10\n' >two.csv
refuses 'to choose one of the columns id, url, size' info two.csv
printf 'id,size,bytes\n1,1,10\n' >two.csv
refuses 'to choose one of the columns id, size, bytes' info two.csv
printf 'time,name\n1,a\n' >none.csv
refuses 'to choose one of the columns time, name' info none.csv
printf '7,key,5\n1,a,10\n' >none.csv
refuses 'to choose one of the columns 7, key, 5' info none.csv
# One column: a header is a known name, or above a number.
for rows in 'url /a /b:2' 'name /a /b:3' 'name 1 2:2' 'id:0' '1 2:2'; do
    printf '%s\n' "${rows%:*}" | tr ' ' '\n' >one.csv
    is "one column: ${rows%:*}" \
        "$("$MARGAY" info -q one.csv | sed -n 's/^references,//p')" "${rows##*:}"
done

refuses "--straddle: 'split' \\(expected first\\)" \
    convert --straddle split s.arc x --to lines
# Samples are not all references: what measures a whole trace refuses them, and
# what counts them says so, even with -q.
for command in curve 'curve --policy fifo' histogram assoc compare phases \
    'filter --sets 1 --ways 1 --to din' 'simulate --machine intel-skylake'; do
    # shellcheck disable=SC2086 # a command and options
    refuses "t.perf-script: samples of references, .* expected all references" \
        $command t.perf-script
done
for command in distances 'histogram --by site'; do
    # shellcheck disable=SC2086 # a command and options
    run $command -q t.perf-script
    is "$command of samples" "$status $(cat err)" "0 margay ${command%% *}: \
t.perf-script: these are samples, not all references: distances and misses are \
not those of the program"
done
run info -q t.perf-script
is 'info only counts them' "$status$(cat err)" 0
run convert -q t.perf-script t.xdin
run curve -q t.xdin
is 'who knows that each reference is there can convert them' "$status" 0
finish
