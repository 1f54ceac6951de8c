#!/bin/sh
# check.t - check.pl counts checks, says what was skipped, and ends
. tests/sim/lib.sh
summary() { # TEST...: the lines behind prove's, in the file said
    status=0
    perl "$root/tests/check.pl" -j2 "$@" >out 2>err </dev/null || status=$?
    sed -n '/^Result: /,$p' out | sed 1d >said
}
write() { # NAME LINE...
    name=$1
    shift
    printf '%s\n' "$@" >"$name"
}
write good.t '#!/bin/sh' 'echo ok 1; echo ok 2 - b; echo 1..2'
write parts.t '#!/bin/sh' 'echo "ok 1 - a # SKIP no hen"' \
    'echo "ok 2 - b # SKIP no hen"' 'echo ok 3' 'echo 1..3'
write whole.t '#!/usr/bin/perl' 'print "1..0 # SKIP no egg\n"'
write bad.t '#!/bin/sh' 'echo ok 1; echo not ok 2; echo ok 3; echo 1..3; exit 1'
write dead.t '#!/bin/sh' 'echo ok 1; echo 1..1; exit 9'
write short.t '#!/bin/sh' 'echo 1..4; echo ok 1'

summary good.t parts.t whole.t
is 'what is skipped, why, and the sum' "$status
$(cat said)" '0
Skipped:
  no egg: whole.t
  no hen: parts.t (2)
3 passed, 0 failed, 3 skipped'
summary good.t
is 'nothing is skipped' "$status $(cat said)" '0 2 passed, 0 failed, 0 skipped'
summary good.t bad.t
is 'a check that fails' "$status $(cat said)" '1 4 passed, 1 failed, 0 skipped'
summary dead.t short.t
is 'a program that dies, and one that stops early' \
    "$status $(cat said)" '1 2 passed, 2 failed, 0 skipped'

write bails.t '#!/bin/sh' 'echo ok 1; echo "Bail out! no flour"'
status=0
perl "$root/tests/check.pl" good.t bails.t >out 2>err </dev/null || status=$?
is 'one that bails out' "$status $(tail -n 1 out)" \
    '1 3 passed, 1 failed, 0 skipped'
check 'says why' grep -q 'no flour' out

# Its child holds its standard output open.
write hangs.t '#!/bin/sh' 'echo ok 1' 'sleep 300 &' 'sleep 300' 'echo 1..1'
MARGAY_TEST_SECONDS=1
export MARGAY_TEST_SECONDS
summary good.t hangs.t
is 'one that never ends' "$status $(tail -n 1 said)" \
    '1 3 passed, 1 failed, 0 skipped'
check 'is named' grep -q '^hangs.t: not ended after 1 s, and killed$' out

# A signal ends the tests too.
MARGAY_TEST_SECONDS=100
write long.t '#!/bin/sh' "echo \$\$ >long.pid; exec sleep 300"
perl "$root/tests/check.pl" long.t >out 2>err &
prover=$!
check 'a long test runs' await test -s long.pid
kill -TERM $prover
ended $prover
is 'a signal ends it' $? 143
check 'with its tests' await dead "$(cat long.pid)"
finish
