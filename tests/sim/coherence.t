#!/bin/sh
# coherence.t - private caches that agree, by hand
. tests/sim/lib.sh

# A trace in drmemtrace's format of lines: THREAD r|w ADDRESS BYTES [SITE].
cat >pack.pl <<'EOF'
sub record { print pack "vvQ<", @_ }
binmode STDOUT;
my $last = -1;
record(25, 0, 4);
while (<STDIN>) {
    my ($thread, $kind, $address, $bytes, $site) = split;
    record(22, 4, 100 + $thread) if $thread != $last;
    $last = $thread;
    record(10, 4, $site // 4096);
    record($kind eq "w" ? 1 : 0, $bytes, $address);
}
record(26, 0, 0);
EOF
pack() { # FILE: of standard input
    perl pack.pl >"$1"
}
first=cache,holds,bytes,block_bytes,ways,next
cat >m.csv <<END
$first,coherence
L1,data,1K,64,2,L2,mesi
L2,all,8K,64,8,,
END
counts() { # TRACE [MACHINE]: references, misses, write-backs and what is behind
    "$MARGAY" simulate -q --machine "${2:-m.csv}" "$1" | awk -F, '
        $3 == "L1" { print $4, $5, $13, $23, $24, $25, $26, $27, $28 }'
}

pack empty </dev/null
run simulate -q --machine m.csv empty
is 'columns' "$status $(cut -d, -f16,23- out)" "0 mpki,coherence_misses,\
true_sharing_misses,false_sharing_misses,invalidations,interventions,upgrades"

# Two threads write to words of their own in a block: all misses but the first
# two are false.
perl -e 'print "0 w 640 8\n1 w 648 8\n" x 4' | pack false
is 'false sharing' "$(counts false)" '8 8 7 6 0 6 7 7 0'
# The same word.
perl -e 'print "0 w 640 8\n1 r 640 8\n" x 4' | pack true
is 'true sharing' "$(counts true)" '8 5 4 3 3 0 3 4 3'
# Threads that share a core share its caches; the third of two cores runs on the
# first.
run simulate --machine m.csv --cores 1 false
is 'both on one core' "$(awk -F, '$3 == "L1" { print $5, $23 }' out)" '1 0'
like 'which is said' "$(cat err)" '16 references of 1 core that threads share$'
perl -e 'print "0 w 640 8\n1 w 648 8\n2 w 656 8\n" x 4' | pack three
run simulate --machine m.csv three
is 'three cores' "$(awk -F, '$3 == "L1" { print $5, $23 }' out)" '12 9'
like 'nothing is shared' "$(cat err)" '24 references of 3 cores$'
run simulate --machine m.csv --cores 2 three
# The third takes it for the first, which then has it.
is 'two cores' "$(awk -F, '$3 == "L1" { print $5, $23 }' out)" '9 7'
like 'threads share them' "$(cat err)" '24 references of 2 cores that threads share$'
run simulate --machine m.csv --cores 3 three
like 'there are enough' "$(cat err)" '24 references of 3 cores$'
perl -e 'print "$_ w 640 8\n" for 0 .. 4999' | pack crowd
refuses 'crowd: found thread 4096, expected at most 4096 threads, a core' \
    simulate --machine m.csv crowd
run simulate --machine m.csv --cores 4096 crowd
like 'fewer cores run any number' "$(cat err)" \
    '10000 references of 4096 cores that threads share$'
refuses 'found 4097 cores, expected at most 4096' \
    simulate --machine m.csv --cores 4097 crowd
# A byte of the other thread's, after the miss: it was needed.
pack later <<'END'
0 r 640 8
1 w 648 8
0 r 640 8
0 r 655 1
0 r 648 1
1 w 648 8
0 r 640 8
1 w 656 8
0 r 656 1
END
is 'a miss is needed by what comes after it' "$(counts later)" \
    '9 5 3 3 2 1 3 3 2'
# Exclusive, silently Modified; Shared, upgraded.
pack states <<'END'
0 r 640 8
0 w 640 8
1 r 640 8
0 w 640 8
1 r 1280 8
1 w 1280 8
END
is 'a write to a Shared block is an upgrade' "$(counts states)" \
    '6 3 1 0 0 0 1 1 1'
# What was replaced is no coherence miss, though another thread wrote to it.
pack replaced <<'END'
0 r 0 8
0 r 512 8
0 r 1024 8
1 w 0 8
0 r 0 8
END
is 'a replaced block is no coherence miss' "$(counts replaced)" \
    '5 5 1 0 0 0 0 1 0'
# Without coherence, the table is what it was.
sed 's/,mesi/,/' m.csv >none.csv
is 'without coherence: columns' "$("$MARGAY" simulate -q --machine none.csv \
    false | head -n 1 | tr , '\n' | wc -l)" 22
is 'and misses' "$("$MARGAY" simulate -q --machine none.csv false |
    awk -F, '$3 == "L1" { print $5 }')" 2

# The caches above a coherent one are those of its cores, too.
cat >two.csv <<END
$first,shared,coherence
I,fetch,1K,64,2,L1,,
D,data,512,64,1,L1,,
L1,all,2K,64,4,L2,1,mesi
L2,all,8K,64,8,,,
END
is 'two private levels' "$(counts false two.csv | cut -d' ' -f4-)" \
    '6 0 6 7 7 0'

run simulate -q --machine m.csv --vary L1.coherence=none,mesi false
is 'with --vary' "$status $(awk -F, '$3 == "L1" { print $5, $23, $NF }' out |
    tr '\n' ' ')" '0 2  none 8 6 mesi '

# ------------------------------------------------------------ for which blocks --
# Blocks 10 and 2: false sharing of 3 and of 1; block 3, true sharing alone.
pack blocks <<'END'
0 w 128 4 16
1 w 136 4 32
0 w 128 4 16
0 w 640 8 48
1 w 672 8 64
0 w 640 8 48
1 w 672 8 64
0 w 644 8 48
0 w 192 1 80
1 r 192 1 96
0 w 192 1 80
1 r 192 1 96
END
run simulate -q --machine m.csv --sharing places blocks
is 'blocks, threads, offsets and sites' "$(cut -d, -f3-7,11- places)" \
    "cache,block_address,offset,core,site,true_sharing_misses,\
false_sharing_misses,invalidations
L1,0x280,0,0,0x30,0,1,1
L1,0x280,4,0,0x30,0,1,1
L1,0x280,32,1,0x40,0,1,2
L1,0x80,0,0,0x10,0,1,1
L1,0x80,8,1,0x20,0,0,1
L1,0xc0,0,0,0x50,0,0,1
L1,0xc0,0,1,0x60,1,0,0"
is 'their sums are those of the cache' \
    "$(awk -F, 'NR > 1 { t += $11; f += $12; i += $13 } END { print t, f, i }' \
        places)" "$(awk -F, '$3 == "L1" { print $24, $25, $26 }' out)"
run simulate --machine m.csv --sharing places blocks
is 'the block with the most is named' "$(tail -n 1 err)" "margay simulate: \
blocks: most false sharing: block 0x280, 0x40 and 0x30, 3 misses"
run simulate --machine m.csv --sharing places true
is 'or that there is none' "$(tail -n 1 err)" \
    'margay simulate: true: no false sharing was seen'
run simulate --machine m.csv --vary L1.ways=1,2 --sharing places blocks
is 'with --vary' "$status $(cut -d, -f14 places | sort | uniq -c | xargs)" \
    '0 7 1 7 2 1 L1.ways'
like 'and the machine with the most' "$(tail -n 1 err)" '0x280, .*, 3 misses, with L1.ways=1'
refuses 'sharing: found no coherent cache in none.csv, expected .mesi.' \
    simulate --machine none.csv --sharing places blocks

# ------------------------------------------- a program of two threads, recorded --
cat >counters.c <<'EOF'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#ifndef APART
#define APART 8
#endif
enum { ROUNDS = 20, TIMES = 5000 };
static _Alignas(256) atomic_int turn;
static _Alignas(256) char counters[512];
static void count(int me, volatile uint64_t *counter)
{
    while (atomic_load(&turn) % 2 != me)
        sched_yield();
    for (int i = 0; i < TIMES; i++)
        ++*counter; /* line 16 */
    atomic_fetch_add(&turn, 1);
}
static void *first(void *context)
{
    for (int i = 0; i < ROUNDS; i++)
        count(0, (uint64_t *)counters);
    return context;
}
static void *second(void *context)
{
    for (int i = 0; i < ROUNDS; i++)
        count(1, (uint64_t *)(counters + APART));
    return context;
}
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
EOF
cat >l1.csv <<END
$first,coherence
L1,data,32K,64,8,L2,mesi
L2,all,1M,64,16,,
END
# record_counters METHOD FLAG...: counters.c, and what simulate says of it.
record_counters() {
    method=$1
    shift
    libraries=
    if [ "$method" = runtime ]; then
        # shellcheck disable=SC2046 # words
        set -- $("$MARGAY" record --cflags) "$@"
        libraries=$("$MARGAY" record --libs)
    fi
    # shellcheck disable=SC2086 # words
    "${CC:-cc}" -g -O1 -pthread "$@" -o counters counters.c $libraries \
        2>build.err &&
        run record --method "$method" --sites --to mgt -o counters.mgt \
            ./counters &&
        [ "$status" = 0 ] &&
        run simulate --machine l1.csv --sharing places counters.mgt
}
# The lines of false sharing at a place in the counters: LINE OFFSET.
false_lines() {
    awk -F, '$8 ~ /counters[.]c$/ && $9 == 16 && $12 > 0 { print $9, $5 }' places |
        sort -u | xargs
}
for method in runtime valgrind; do
    if ! record_counters "$method"; then
        skip "$method: two threads that count" "$(tail -n 1 err build.err)"
        continue
    fi
    is "$method: the block of most false sharing" \
        "$(awk -F, 'NR == 2 { print ($12 > 0) }' places)" 1
    if ! "$MARGAY" version | grep -q libdw; then
        skip "$method: the lines are named" 'built without libdw'
        continue
    fi
    is "$method: the line and the words are named" "$(false_lines)" '16 0 16 8'
    like "$method: and told" "$(tail -n 1 err)" \
        'most false sharing: block 0x[0-9a-f]*, counters.c:16, [0-9]* misses'
    is "$method: they are in the first block" "$(awk -F, '
        NR == 2 { block = $4 } $9 == 16 && $12 > 0 && $4 != block' places)" ''
    record_counters "$method" -DAPART=256
    is "$method: not where the counters are apart" "$(false_lines)" ''
done

# ----------------------------------------------------------- what is refused --
refuses_machine() { # PATTERN ROW...: of a table with these rows
    pattern=$1
    shift
    printf '%s\n' "$first,shared,write,policy,coherence" "$@" >bad.csv
    refuses "$pattern" simulate --machine bad.csv false
}
refuses_machine "L1: coherence: found 'moesi', expected mesi or none" \
    'L1,data,1K,64,1,,,,,moesi'
refuses_machine "bad.csv:3: L2: coherence: found 'mesi', expected it at a cache" \
    'L1,data,1K,64,1,L2,,,,' 'L2,data,4K,64,1,,all,,,mesi'
refuses_machine "bad.csv:2: L1: coherence: found 'mesi' before L2, expected it" \
    'L1,data,1K,64,1,L2,,,,mesi' 'L2,data,4K,64,1,L3,1,,,' \
    'L3,data,8K,64,1,,,,,'
refuses_machine "L1: coherence: found 'mesi' before L2, expected it at the last" \
    'L1,data,1K,64,1,L2,,,,mesi' 'L2,data,4K,64,1,L3,1,,,mesi' \
    'L3,data,8K,64,1,,,,,'
refuses_machine "bad.csv:2: L1: shared: found 1, expected 2 as L2 has" \
    'L1,data,1K,64,1,L2,1,,,' 'L2,data,4K,64,1,L3,2,,,mesi' \
    'L3,data,8K,64,1,,,,,'
refuses_machine "L1: block_bytes: found 32, expected 64 as L2 has, which is coh" \
    'L1,data,1K,32,1,L2,1,,,' 'L2,data,4K,64,1,L3,1,,,mesi' \
    'L3,data,8K,64,1,,,,,'
refuses_machine "L1: write: found 'none', expected back or through" \
    'L1,data,1K,64,1,L2,1,none,,mesi' 'L2,data,4K,64,1,,,,,'
refuses_machine "L1: policy: found 'arc', which remembers blocks" \
    'L1,data,1K,64,1,L2,1,,arc,mesi' 'L2,data,4K,64,1,,,,,'
echo '0 10' >t.din
refuses 'the machine: the trace does not say the threads' \
    simulate --machine m.csv t.din
finish
