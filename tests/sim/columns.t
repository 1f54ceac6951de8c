#!/bin/sh
# columns.t - a trace is not asked for what it does not say
. tests/sim/lib.sh
. "$root/tests/sim/layouts.sh"

# One small trace in each format.
printf 'I  10,4\n L 3e,4\n S 40,8\n M 1000,4\n' >t.lackey
for format in din xdin ls ramulator id hex u32 u64 u32be u64be mgt; do
    "$MARGAY" convert -q t.lackey t.$format --to $format
done
for format in lines arc csv vscsi; do
    "$MARGAY" convert -q --unit 1 t.lackey t.$format --to $format
done
printf '%024d' 0 | tr 0 '\001' >t.oracle
# Recorded: with threads and with sites; its first byte is the fuzzer's.
(cd "$root" && perl tests/fuzz/seeds.pl unpack "$work/seeds")
tail -c +2 seeds/mgt/columns >sites.mgt
"$MARGAY" convert -q t.lackey t.words --to words
tail -c +2 seeds/lcs/version >t.lcs
echo '8,0 3 1 0.5 697 Q W 223490 + 8 [a]' >t.blkparse
echo '1339518083.1 [0 127.0.0.1:60866] "get" "a"' >t.redis
echo '0x401136: R 0x7ffe10' >t.pinatrace
echo 'prog 12 7.5: mem-loads: 7ffe10 401136 main' >t.perf-script
printf '%032d%032d' 0 0 | tr 0 '\001' >t.champsim
for format in drmemtrace gem5; do
    tail -c +2 "seeds/$format/whole" >t.$format
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
t.ramulator rw
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
t.biosnoop rwe
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
        # Samples have all this, and are no trace.
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

refuses 't.lines: --kind: the trace does not say the kinds .*lackey, ls, din,' \
    convert --kind write t.lines x.csv --to csv
check 'nothing was written' test ! -e x.csv
gzip -c t.lines >t.lines.gz
refuses '-: --kind: the trace does not say the kinds' \
    curve --kind write - <t.lines.gz
# Who knows that each reference is there can convert samples.
run convert -q t.perf-script t.xdin
run curve -q t.xdin
is 'samples can be converted' "$status" 0
finish
