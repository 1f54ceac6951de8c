#!/bin/sh
# late.t - libraries that are opened when they are first needed, and may be gone
. tests/sim/lib.sh
letters abcabcaab >trace.lines
echo '{"hash_ids": [1, 2]}' >trace.jsonl
zstd -q trace.lines -o trace.zst
xz -k trace.lines
run curve -q trace.lines
cp out expected

LD_DEBUG=files "$MARGAY" curve -q trace.lines >out 2>opened
check 'a plain file opens none of them' sh -c \
    'cmp -s out expected && ! grep -qE "lib(archive|xml2|yajl|pcre2|dw|OpenCL)" opened'
LD_DEBUG=files "$MARGAY" curve -q trace.zst >out 2>opened
check 'a compressed one does' grep -q 'libarchive' opened

for library in archive lzma pcre2-8 yajl dw; do
    soname=$(readelf -d "$(cc -print-file-name=lib$library.so)" 2>/dev/null |
        sed -n 's/.*soname: \[\(.*\)\]/\1/p')
    [ -z "$soname" ] || check "the interface of the headers is $soname" \
        grep -q "$soname" "$MARGAY"
done

# A file that is no library stands before each.
mkdir gone
for library in archive.so.13 lzma.so.5 pcre2-8.so.0 yajl.so.2 dw.so.1; do
    : >"gone/lib$library"
done
printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$PWD/gone" "$MARGAY" >without
chmod +x without
"$MARGAY" convert -q --ids trace.lines trace.mgt
MARGAY=$PWD/without
run curve -q trace.lines
check 'without them a plain file is read' cmp -s out expected
for trace in zst lines.xz; do
    refuses "trace.$trace: libarchive.so.13, which reads (zstd|xz), cannot be used" \
        curve -q "trace.$trace"
done
refuses 'libarchive.so.13, which writes gzip, cannot be used' \
    convert -q --to lines trace.lines out.gz
check 'nothing is written' absent out.gz
refuses 'libyajl.so.2, which reads mooncake' curve -q -f mooncake trace.jsonl
refuses 'libyajl.so.2, which reads jsonl' \
    curve -q -f jsonl --column id=hash_ids trace.jsonl
refuses 'libyajl.so.2, which reads jsonl' \
    curve -q -f jsonl --column id=hash_ids --bad-lines all trace.jsonl
echo '{"time": 1.5}' >other.log
refuses 'libyajl.so.2, which reads JSON' curve -q other.log
refuses 'libpcre2-8.so.0, which reads regex' curve -q --pattern '(?<id>.)' trace.lines
refuses 'libdw.so.1, which finds lines' annotate -q --sizes 4 trace.mgt
run version
like 'version says what is gone' "$(grep -E '^(libraries|left out):' out |
    tr '\n' ' ')" 'no libarchive.*left out: *libdw .*libarchive .*liblzma .*PCRE2 .*yajl'
finish
