#!/bin/sh
# own_policy.t - policies of shared objects: one that is fifo, the example, and
# what is none
. tests/sim/lib.sh

object() { # NAME: of NAME.c
    ${CC:-cc} -shared -fPIC -O1 -Wall -Wextra -Werror \
        -I "${BUILD:-$root/build}/include" "$1.c" -o "$1.so"
}

cat >fifo.c <<'END'
#include <margay/policy.h>
static uint64_t bytes(uint64_t sets, uint32_t ways)
{
    (void)ways;
    return sets * sizeof(uint32_t);
}
static void use_way(const struct margay_own_cache *cache, uint64_t set,
                    uint32_t way, const struct margay_own_use *use)
{
    (void)cache, (void)set, (void)way, (void)use;
}
static uint32_t evict(const struct margay_own_cache *cache, uint64_t set,
                      const struct margay_own_use *use)
{
    uint32_t *next = cache->memory;
    (void)use;
    return next[set]++;
}
const struct margay_own_policy margay_own_policy = {
    MARGAY_OWN_POLICY_VERSION, bytes, use_way, evict, use_way};
END
cp "$root/docs/example_policy.c" example.c
sed 's/MARGAY_OWN_POLICY_VERSION, bytes/9, bytes/' fifo.c >version.c
sed 's|bytes, use_way, evict|bytes, 0, evict|' fifo.c >lacking.c
echo 'int nothing;' >nothing.c
echo 'const unsigned margay_own_policy = 1;' >small.c
for name in fifo example version lacking nothing small; do
    check "$name.c is built" object $name
done

perl -e 'srand 8; for (1 .. 20000) {
    printf "%d %x\n", rand 3, int(rand(3) < 1 ? rand 4000 : $_ % 700) * 64 }' \
    >t.din
same() { # WHAT: the table of fifo is that of the object
    sed 's|\./fifo\.so|fifo|' object >object.csv
    check "$1" cmp fifo object.csv
}
shape='--sets 1,3,16 --ways 1..5,70'
"$MARGAY" assoc -q $shape --policy fifo t.din >fifo
"$MARGAY" assoc -q $shape --policy ./fifo.so t.din >object
same 'assoc: as fifo'
"$MARGAY" curve -q --policy fifo --sizes 1,7,64,300 t.din >fifo
"$MARGAY" curve -q --policy ./fifo.so --sizes 1,7,64,300 t.din >object
same 'curve: as fifo'
cat >machine.csv <<'END'
cache,holds,bytes,block_bytes,ways,next,policy
L1,all,4K,64,4,L2,fifo
L2,all,48K,64,12,,fifo
END
"$MARGAY" simulate -q --machine machine.csv --vary L2.policy=fifo t.din >fifo
sed 's|fifo|./fifo.so|' machine.csv >own.csv
"$MARGAY" simulate -q --machine own.csv --vary L2.policy=./fifo.so t.din |
    sed 's/^own/machine/' >object
same 'simulate: as fifo'
"$MARGAY" assoc -q --sets 1..64 --ways 1,2 --policy lru t.din |
    sed 's/,[^,]*$//' >lru
"$MARGAY" assoc -q --sets 1..64 --ways 1,2 --policy ./example.so t.din |
    sed 's/,[^,]*$//' >object
check 'the example is lru of two ways' cmp lru object
"$MARGAY" assoc -q --sets 64 --ways 8 --policy lru,./example.so t.din |
    awk -F, 'NR > 1 { print $9, $7 }' | sed 's|./example.so|NotLast|' >object
if [ -e "$BUILD/python/margay/_library.py" ]; then
    PYTHONPATH=$BUILD/python python3 "$root/docs/example_policy.py" t.din >class
    check 'the example in Python is that in C' cmp class object
else
    skip 'the example in Python' 'needs the package'
fi

refuses 'policy ./absent.so: .*absent.so.* .expected a shared object' \
    assoc --policy ./absent.so t.din
refuses 'policy ./nothing.so: found no margay_own_policy' \
    curve --policy ./nothing.so t.din
refuses 'policy ./small.so: found no margay_own_policy' \
    assoc --policy ./small.so t.din
for bytes in 0 40 1000 4200 9000; do
    head -c $bytes fifo.so >cut.so
    refuses 'policy ./cut.so: .*expected a shared object' \
        assoc --policy ./cut.so t.din
done
mkfifo pipe.so
refuses 'policy ./pipe.so: it is no regular file' \
    assoc --policy ./pipe.so t.din
refuses 'policy ./version.so: found version 9, expected 1' \
    assoc --policy ./version.so t.din
refuses 'L2: policy: policy ./lacking.so: found a function that is NULL' \
    simulate --machine machine.csv --vary L2.policy=./lacking.so t.din
refuses 'policy ./fifo.so: it is not defined for objects' \
    curve --objects --policy ./fifo.so t.din
finish
