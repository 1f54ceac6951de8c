# recording.sh - what the tests of recordings share; included after lib.sh
# shellcheck shell=sh
sources=$root/tests/capture
compiler=${CC:-cc}

# with_runtime COMPILER OPTION...: compiles a program that records itself.
with_runtime() {
    # shellcheck disable=SC2046 # words
    "$@" $("$MARGAY" record --cflags) $("$MARGAY" record --libs)
}

# can METHOD PROGRAM: whether it is installed; why not is in the file err.
can() {
    run record --method "$1" --to u64 -o /dev/null "$2"
    [ "$status" != 125 ] || ! grep -q 'not with method' err
}

# within FROM TO [FILE...]: the references of these, or of the file trace, that
# lie there; in_range: how many.
within() {
    perl -e 'my ($from, $to) = map { hex } splice @ARGV, 0, 2;
        @ARGV = "trace" if !@ARGV;
        while (<>) { /([0-9a-f]+),/ or next; my $address = hex $1;
            print if $address >= $from && $address < $to }' "$@"
}
in_range() {
    within "$@" | wc -l
}
