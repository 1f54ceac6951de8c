# shellcheck shell=sh
# lib.sh - what the tests of the command share: TAP, a work folder, checks
#
# Each script sources this and ends with `finish`.  It runs in a folder of its
# own, which is removed in the end.
set -u
LC_ALL=C
export LC_ALL
: "${MARGAY:=build/margay}" "${BUILD:=build}"
root=$PWD
case $MARGAY in /*) ;; *) MARGAY=$root/$MARGAY ;; esac
case $BUILD in /*) ;; *) BUILD=$root/$BUILD ;; esac
[ -x "$MARGAY" ] || {
    echo "not ok 1 - $MARGAY is there to be tested"
    echo 1..1
    exit 1
}
# The scripts and machines of the sources, wherever a build lies.
MARGAY_PLOTS=$root/plots MARGAY_MACHINES=$root/sim/machines
export MARGAY_PLOTS MARGAY_MACHINES
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
checks=0
failures=0

# check NAME COMMAND...: passes if the command succeeds.
check() {
    check_name=$1
    shift
    checks=$((checks + 1))
    if "$@"; then
        echo "ok $checks - $check_name"
    else
        failures=$((failures + 1))
        echo "not ok $checks - $check_name"
        echo "#   failed: $*" | tr '\n' ' '
        echo
        [ ! -s err ] || sed 's/^/#   stderr: /' err
    fi
}

skip() {
    checks=$((checks + 1))
    echo "ok $checks - $1 # SKIP $2"
}

# is NAME GOT EXPECTED: texts, compared whole.
is() {
    check "$1" test "$2" = "$3"
    [ "$2" = "$3" ] || {
        printf '%s\n' "$2" | sed 's/^/#   got:      /'
        printf '%s\n' "$3" | sed 's/^/#   expected: /'
    }
}

# like NAME TEXT PATTERN: an extended regular expression.
like() {
    check "$1" matches "$2" "$3"
    matches "$2" "$3" || printf '%s\n' "$2" | sed 's/^/#   got: /'
}

matches() {
    printf '%s\n' "$1" | grep -Eq -e "$2"
}

# run ARGUMENT...: margay, its output in the files out and err, its exit
# status in $status.
run() {
    status=0
    "$MARGAY" "$@" >out 2>err || status=$?
}

# refuses PATTERN ARGUMENT...: status 2, nothing on standard output, and one
# line on standard error, which matches.
refuses() {
    pattern=$1
    shift
    run "$@"
    name="$* is refused: $pattern"
    if [ "$status" = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] &&
        matches "$(cat err)" "^margay( [a-z]+)?: .*$pattern"; then
        check "$name" true
    else
        check "$name (status $status, $(wc -c <out) bytes of output)" false
    fi
}

# await COMMAND...: until it succeeds, or says with status 3 that it never will.
# Only what is broken takes a minute: the tests never wait for a time, but for
# what they want to see.
await() {
    await_most 1200 "$@"
}
await_most() { # ATTEMPTS COMMAND...
    attempts=$1
    shift
    until "$@"; do
        [ $? != 3 ] || return 1
        attempts=$((attempts - 1))
        [ $attempts -gt 0 ] || return 1
        sleep 0.05
    done
}

# ended PID...: waits for processes of this shell; the exit status of the last.
# One that does not end within some minutes is killed, which gives 137.  The
# shell's own wait is this, too.
ended() {
    wait "$@"
}
wait() {
    for process; do
        await_most 6000 dead "$process" || kill -KILL "$process"
        ended_status=0
        command wait "$process" 2>/dev/null || ended_status=$?
    done
    return $ended_status
}
dead() {
    ! lives "$1"
}

# ends PID: waits likewise, and has its exit status in $status.
ends() {
    status=0
    ended "$1" || status=$?
}

# has_child PID: whether that process has started another.
has_child() {
    lives "$1" || return 3
    grep -qs "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status
}

# started PID: until it has installed its handlers, of which SIGUSR1's (signal
# 10, so bit 9) is the last.
started() {
    await catches_usr1 "$1"
}
catches_usr1() {
    lives "$1" || return 3
    mask=$(sed -n 's/^SigCgt:[[:space:]]*[0-9a-f]*\([0-9a-f]\)..$/\1/p' \
        "/proc/$1/status")
    case $mask in [2367abef]) ;; *) return 1 ;; esac
}

# analyses PID [PATTERN]: until it tells on request, on its standard error in
# the file err, that it analyses; until the line matches.
analyses() {
    started "$1" && await tells "$1" "${2:-references,}"
}
tells() {
    lives "$1" || return 3
    kill -USR1 "$1" && sleep 0.05 && grep -Eq "$2" err
}
# lives PID: is there anything still to wait for?
lives() {
    grep -q '^State:[[:space:]]*[^XZ]' "/proc/$1/status" 2>/dev/null
}

# letters WORD: a trace of block ids, one per letter, in the format lines.
letters() {
    printf '%s' "$1" | od -An -v -tu1 -w1 | tr -d ' '
}

# Nothing half-written is left in the current folder, or another.
# shellcheck disable=SC2120 # a folder is optional
no_leftovers() {
    for leftover in "${1:-.}"/.margay-*; do
        [ ! -e "$leftover" ] || return 1
    done
}

# options_in FILE...: what help names, "--option" or "--option -o", sorted.  An
# option stands two or more blanks from the text before it.
options_in() {
    grep -hoE '(^|  )(-[a-z], )?--[a-z][a-z-]*' "$@" |
        sed 's/^ *//; s/^\(-.\), \(.*\)/\2 \1/' | sort -u
}

# public_functions HEADER...: what they declare for others, sorted.
public_functions() {
    awk '/^MARGAY_API/ { on = 1 } on { printf "%s ", $0 }
        on && /;/ { print ""; on = 0 }' "$@" |
        sed 's/ *(.*//; s/.*[ *]//' | sort
}

# absent FILE: there is no such file, and nothing half-written.
absent() {
    [ ! -e "$1" ] && no_leftovers
}

finish() {
    echo "1..$checks"
    [ $failures = 0 ]
    exit
}

# drawn FILE: the page of a report with what its script draws, once for each
# page; nothing where there is no nodejs.
node=$(command -v node || :)
drawn() {
    [ -n "$node" ] || return 0
    [ "$1.drawn" -nt "$1" ] ||
        "$node" "$root/tests/sim/draw.js" "$1" >"$1.drawn" || return
    cat "$1.drawn"
}

# shows CHECK NAME ARGUMENT...: a check of what is drawn.
shows() {
    if [ -n "$node" ]; then
        "$@"
    else
        skip "$2" 'no nodejs'
    fi
}
