#!/bin/sh
# coherence.t - false sharing of a program that is recorded; private caches are
# held against tests/assoc/naive_coherence.h, and tests/frozen has their tables
. tests/sim/lib.sh

# More threads than there may be cores.
printf 'cache,holds,bytes,block_bytes,ways,next,coherence
L1,data,32K,64,8,L2,mesi\nL2,all,1M,64,16,,\n' >l1.csv
perl -e 'print "thread,address\n", map { "$_,640\n" } 0 .. 4999' >crowd.csv
of='--column thread=thread,address=address'
# shellcheck disable=SC2086 # two words
refuses 'crowd.csv: found thread 4096, expected at most 4096 threads, a core' \
    simulate --machine l1.csv $of crowd.csv
# shellcheck disable=SC2086 # two words
run simulate --machine l1.csv --cores 4096 $of crowd.csv
like 'fewer cores run any number' "$(cat err)" \
    '5000 references of 4096 cores that threads share$'

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
finish
