#!/bin/sh
# matrix.t - every method against every other, on ten kernels, reference by
# reference, and against what the kernels tell themselves
. tests/sim/lib.sh
. "$root/tests/capture/recording.sh"
source=$sources/matrix.c
kernels='multiply lu transform stencil sort hash list string atomics vectors'

check 'the kernels that tell are built' "$compiler" -O1 -DTELLS -o tells "$source"
./tells >told
# By arithmetic: of a matrix of 10, a stencil of 14 x 14, lists, strings, 40
# rounds of atomic operations, and 64 of vectors.
is 'as many as they must be' "$(perl -e '
    my ($kernel, @counts) = -1;
    while (<>) { /^S 0 8$/ ? $kernel++ : $counts[$kernel]++ }
    print "@counts[0 .. 3, 6 .. 9]"' told)" '2100 1145 768 980 698 133 240 384'

cat >compare.pl <<'END'
# Compare a trace with what is told, for each kernel; the arguments are both,
# where the arena lies, and which method it is.
my ($trace, $told, $from, $to, $method) = @ARGV;
sub split_up {
    my ($kernel, @parts) = -1;
    for (@_) {
        if ($_ eq 'S 0 8') { $kernel++; next }
        push @{ $parts[$kernel] }, $_ if $kernel >= 0;
    }
    return map { $_ // [] } @parts[0 .. 9];
}
sub lines { open my $file, '<', $_[0] or die; chomp(my @all = <$file>); @all }
($from, $to) = map { hex } $from, $to;
my @seen;
for (lines($trace)) {
    my ($kind, $at, $bytes) = /^ ([LS]) ([0-9a-f]+),(\d+)$/ or next;
    $at = hex $at;
    push @seen, sprintf '%s %x %d', $kind, $at - $from, $bytes
        if $at >= $from && $at < $to;
}
my @got = split_up(@seen);
my @told = split_up(lines($told));
# No compiler looks into assembly.
$told[7] = [] if $method eq 'runtime';
for my $kernel (0 .. 9) {
    my ($ours, $theirs) = ($got[$kernel], $told[$kernel]);
    my $i = 0;
    $i++ while $i < @$ours && $i < @$theirs && $ours->[$i] eq $theirs->[$i];
    next if $i == @$ours && $i == @$theirs;
    printf "kernel %d: %d references and not %d: after %d %s and not %s\n",
        $kernel, scalar @$ours, scalar @$theirs, $i, $ours->[$i] // 'the end',
        $theirs->[$i] // 'the end';
}
END

# Record with a method, and compare.
compare() { # NAME METHOD PROGRAM
    run record -q --method "$2" --to lackey -o trace "$3"
    if [ "$status" = 125 ] && grep -q 'not with method' err; then
        skip "$1" "$(tail -n 1 err)"
        return
    fi
    # shellcheck disable=SC2046 # two words
    is "$1: $kernels" "$status $(perl compare.pl trace told $(cat out) "$2")" \
        '0 '
}

for level in 0 2; do
    check "-O$level: built with calls" with_runtime "$compiler" -O$level -o calls \
        "$source"
    compare "-O$level: calls" runtime ./calls
    for name in gcc clang; do
        if ! $name -O$level -o /dev/null "$source" 2>err; then
            skip "-O$level: $name" "$(head -n 1 err)"
            continue
        fi
        # shellcheck disable=SC2046 # words
        check "-O$level: built by $name for itself" $name -O$level \
            $(CC=$name "$MARGAY" record --cflags) -o by.$name "$source" \
            $(CC=$name "$MARGAY" record --libs)
        compare "-O$level: $name" runtime ./by.$name
    done
    check "-O$level: built as it is" "$compiler" -O$level -o plain "$source"
    compare "-O$level: valgrind" valgrind ./plain
done
finish
