#!/bin/sh
# systems.t - layouts as rows of a file, and what fio, strace and memcached print
#
# The rows that help prints are read back, and have to mean what those of the
# table mean. Logs of the real programs are converted by perl, which knows
# nothing of Margay, and compared.
. tests/sim/lib.sh
. "$root/tests/sim/layouts.sh"

# --------------------------------------------------------------- layouts --

"$MARGAY" help layouts >all
is 'every layout has a sample here' "$(ls t.* | sed 's/^t\.//' | sort)" \
    "$(sed -n 's/^\([a-z0-9-]*\) about=.*/\1/p' all |
        grep -vxE "jsonl|logfmt|regex|$no_json" | sort)"
for trace in t.*; do
    name=${trace#t.}
    is "$name is known by its content" \
        "$("$MARGAY" info -q <"$trace" | sed -n 's/^format,//p')" "$name"
done
for trace in t.*; do
    name=${trace#t.}
    { "$MARGAY" convert -q -f "$name" "$trace" --to mgt -o table &&
        "$MARGAY" curve -q -f "$name" "$trace"; } >table.out 2>&1
    { "$MARGAY" convert -q --layout all -f "$name" "$trace" --to mgt -o row &&
        "$MARGAY" curve -q --layout all -f "$name" "$trace"; } >row.out 2>&1
    check "$name: its row is read back" test -s table.out -a -z "$(
        diff table.out row.out
        cmp table row
    )"
done

printf 'x lines=regex pattern=(?<id>\n' >own
"$MARGAY" info --layout own own >out 2>err && check 'a pattern that is none' false
like 'a pattern that is none is refused' "$(cat err)" 'parenthesis|built with PCRE2'

# --------------------------------------------------------------- programs --

compare() { # NAME, FORMAT, LOG; `expected` has FILE,OFFSET,BYTES,r|w
    "$MARGAY" curve -q -f "$2" "$3" >got
    "$MARGAY" curve -q --layout files expected >want
    is "$1: the curve is that of what perl makes of it" \
        "$(cut -d, -f2- got)" "$(cut -d, -f2- want)"
}
echo 'files columns=device=1,id=2,size=3,op=4 unit=1 device-bits=20' >files
if command -v fio >/dev/null; then
    fio --name=j --filename="$PWD/data" --size=1m --bs=1k-16k --rw=randrw \
        --number_ios=500 --ioengine=psync --write_iolog=fio.log \
        --output=/dev/null >/dev/null 2>&1
    perl -lne 'print join ",", $1, $3, $4, $2
        if m{(/\S+) (read|write) (\d+) (\d+)}' fio.log >expected
    compare "fio's log" fio fio.log
    is 'it is known by its content' \
        "$("$MARGAY" info -q fio.log | sed -n 2p)" format,fio
else
    skip 'a log of fio' 'fio is not installed (Debian: fio)'
fi
if command -v strace >/dev/null && strace -o t.strace true 2>/dev/null; then
    head -c 300000 /dev/zero | tr '\0' x >data
    strace -f -y -o strace.log -e trace=read,write,pread64,pwrite64,openat,lseek \
        sh -c 'cat data >copy; tail -c 5000 data >end; cat copy end >all2'
    perl -lne 'if (/^(\d+) +openat\(.*= (\d+)<(\/[^>]*)>$/) { $at{$1}{$2} = 0 }
        elsif (/^(\d+) +lseek\((\d+)<.*= (\d+)$/) { $at{$1}{$2} = $3 }
        elsif (/^(\d+) +(read|write)\((\d+)<([^>]*)>.*= (\d+)$/ && $5 > 0) {
            my ($pid, $op, $fd, $file, $bytes) = ($1, $2, $3, $4, $5);
            print join ",", $file, $at{$pid}{$fd} // 0, $bytes, $op
                if $file =~ m{^/};
            $at{$pid}{$fd} += $bytes }
        elsif (/^(\d+) +p(read|write)64\((\d+)<(\/[^>]*)>.*, (\d+)\) += (\d+)$/ && $6 > 0) {
            print join ",", $4, $5, $6, $2 }' strace.log >expected
    compare "strace's log" strace strace.log
    is 'it is known by its content' \
        "$("$MARGAY" info -q strace.log | sed -n 2p)" format,strace
else
    skip 'a log of strace' 'strace is not installed, or may not trace'
fi
if command -v memcached >/dev/null; then
    memcached -u "$(id -un)" -s "$PWD/socket" -a 0777 >/dev/null 2>&1 &
    server=$!
    perl -MIO::Socket::UNIX -e '
        for (1 .. 100) {
            last if $watch = IO::Socket::UNIX->new(Peer => "socket");
            select undef, undef, undef, .05;
        }
        $watch->autoflush;
        print $watch "watch fetchers mutations\r\n";
        $ok = <$watch>;
        $asks = IO::Socket::UNIX->new(Peer => "socket");
        $asks->autoflush;
        srand 1;
        for (1 .. 300) {
            $key = "k" . int rand 40;
            $bytes = 1 + int rand 50;
            print $asks rand() < .5 ? "get $key\r\n"
                : "set $key 0 0 $bytes\r\n" . "x" x $bytes . "\r\n";
            while (<$asks>) { last if /^(END|STORED)/ }
            print scalar <$watch>;
        }' >memcached.log
    kill "$server"
    perl -lne 'print "key,size,op" if $. == 1;
        print join ",", $2, $1 eq "get" && $3 == 0 ? "-" : $3, $1
        if /type=item_(get|store) key=(\S+) .* size=(\d+)/' memcached.log |
        sed 's/store$/set/' >expected
    "$MARGAY" curve -q --objects -f memcached memcached.log | cut -d, -f2- >got
    "$MARGAY" curve -q --objects -f csv --column id=key,size=size,op=op expected |
        cut -d, -f2- >want
    check 'memcached was watched' test "$(wc -l <memcached.log)" = 300
    is "memcached's log is what perl makes of it" "$(cat got)" "$(cat want)"
else
    skip 'a log of memcached' 'memcached is not installed (Debian: memcached)'
fi
finish
