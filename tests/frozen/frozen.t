#!/bin/sh
# frozen.t - outputs of two thousand command lines are what they were
. tests/sim/lib.sh

# Where programs are slow, under sanitizers, a third of them.
EVERY=1
[ "${MARGAY_TEST_ROUNDS:-100}" -ge 100 ] || EVERY=3
export EVERY
said=$(cd "$root" && MARGAY=$MARGAY sh tests/frozen/frozen.sh check 2>&1)
is "$(wc -l <"$root/tests/frozen/digests.txt") command lines" "$said" ''
finish
