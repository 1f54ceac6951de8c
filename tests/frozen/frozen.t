#!/bin/sh
# frozen.t - outputs of two thousand command lines are what they were
. tests/sim/lib.sh

said=$(cd "$root" && MARGAY=$MARGAY sh tests/frozen/frozen.sh check 2>&1)
is "$(wc -l <"$root/tests/frozen/digests.txt") command lines" "$said" ''
finish
