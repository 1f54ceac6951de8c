#!/bin/sh
# typed.t - addresses, threads, sites and kinds of tables and lines by names
. tests/sim/lib.sh

# Random references in all formats at once, and in drmemtrace's, which another
# reader reads.  The sites of the former are hexadecimal or decimal, in turn.
cat >make.pl <<'END'
srand 41;
my %out;
for my $name (qw(t.csv n.csv j.jsonl l.logfmt w.w3c r.txt d.drmemtrace x)) {
    open $out{$name}, ">", $name or die;
}
binmode $out{"d.drmemtrace"};
sub record { print { $out{"d.drmemtrace"} } pack "vvQ<", @_ }
my @words = (["r", "Read", "load", "L"], ["w", "write", "STORE", "s"]);
my @kinds = ("r", "w", "f");
my $last = -1;
record(25, 0, 4);
print { $out{"t.csv"} } "when,address,kind,thread,size,site\n";
print { $out{"w.w3c"} } "#Fields: kind thread size site address\n";
for my $i (1 .. 4000) {
    my ($thread, $kind, $bytes) = ($i < 4 ? $i - 1 : int rand 3, int rand 2, 1 << int rand 4);
    my $address = 8 * int(rand 64) | (rand() < .1 ? 0xfffffffffffffc00 : 4096);
    my $site = 4096 + int rand 5;
    my $word = $words[$kind][rand 4];
    my $number = rand() < .5 ? $address : sprintf rand() < .5 ? "0x%x"
        : "0X%016X", $address;
    my $code = rand() < .5 ? $site : sprintf "0x%x", $site;
    record(22, 4, 100 + $thread) if $thread != $last;
    $last = $thread;
    record(10, 4, $site);
    record($kind, $bytes, $address);
    print { $out{"t.csv"} } "$i,$number,\"$word\",$thread,$bytes,$code\n";
    print { $out{"n.csv"} } "$thread,$word,$number,$bytes,$code\n";
    print { $out{"j.jsonl"} } qq({"thread": $thread, "kind": "$word", ),
        qq("a": {"at": "$number"}, "size": $bytes, "site": "$code"}\n);
    print { $out{"l.logfmt"} }
        "kind=$word address=$number thread=$thread size=$bytes site=$code\n";
    print { $out{"w.w3c"} } "$word $thread $bytes $code $number\n";
    print { $out{"r.txt"} } "$thread: $word $number $bytes by $code\n";
    print { $out{"x"} } sprintf "%s %x %d\n", $kinds[$kind], $address, $bytes;
}
record(26, 0, 0);
END
perl make.pl
cat >m.csv <<'END'
cache,holds,bytes,block_bytes,ways,next,coherence
L1,data,1K,64,2,L2,mesi
L2,all,8K,64,8,,
END
# Without the instructions of drmemtrace.
simulated() {
    run simulate -q --machine m.csv --kind read,write --sharing shared "$@"
    cut -d, -f3- out
    cut -d, -f3- shared
}
simulated d.drmemtrace >expected
all=thread=thread,kind=kind,address=address,size=size,site=site
agrees() { # NAME TRACE OPTION...: as drmemtrace, and as the addresses were
    agrees_name=$1
    shift
    simulated "$@" >got
    check "$agrees_name: the counts" cmp -s got expected
    run convert -q "$@" --to xdin --output got.xdin
    check "$agrees_name: the references" cmp -s got.xdin x
}
agrees csv t.csv --column $all
agrees 'csv by numbers' n.csv --column thread=1,kind=2,address=3,size=4,site=5
agrees logfmt l.logfmt -f logfmt --column $all
agrees w3c w.w3c --column $all
if "$MARGAY" version | grep -q 'left out:.*yajl'; then
    skip jsonl 'no yajl'
else
    agrees jsonl j.jsonl --column \
        thread=thread,kind=kind,address=a.at,size=size,site=site
fi
if "$MARGAY" version | grep -q 'left out:.*PCRE2'; then
    skip regex 'no PCRE2'
else
    agrees regex r.txt --pattern '^(?<thread>\d+): (?<kind>\w+) (?<address>\w+) (?<size>\d+) by (?<site>\w+)'
fi

# Sites that are texts are hashed.
printf '%s\n' f,0x40,main Fetch,64,main r,64,other >f.csv
run histogram -q --by site --column address=2,site=3 f.csv
is 'sites are hashed' "$(awk -F, 'NR > 1 { print $1, $6 }' out |
    grep -v ' 0$' | sort | uniq -c | wc -l) $(cut -d, -f1 out | grep -c "$(
    perl -Mbigint -e 'my $h = 0xcbf29ce484222325;
        $h = (($h ^ ord) * 0x100000001b3) % 2**64 for split //, "main";
        print $h->as_hex')")" '2 2'
finish
