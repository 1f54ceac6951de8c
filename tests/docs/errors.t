#!/usr/bin/perl
# errors.t - the algorithms that papers print with an error, as printed
#
# Each is followed to the letter as far as its error, on a case that shows it; the
# page docs/measured/errors.md says what it should be.  That the engines do not have
# these errors is what their own tests show.
use strict;
use warnings;
use Test::More;

# ------------------------------------------------------------ PARDA --

# A field of a node, which has to be there.
sub of {
    my ($node, $field) = @_;
    return ($node // die "no node\n")->{$field};
}

# Algorithm 2.
sub printed_distance {
    my ($cur, $t) = @_;
    my $d = 0;
    while (1) {
        if ($t > of($cur, 'ts')) { $cur = $cur->{right} }
        elsif ($t < $cur->{ts}) {
            $d++;
            $d += $cur->{right}{weight} if $cur->{right};
            $cur = $cur->{left};
        } else { return $d + of($cur->{right}, 'weight') }
    }
}

my $leaf = { ts => 3, weight => 1 };
my $root = { ts => 2, weight => 3, right => $leaf, left => { ts => 1, weight => 1 } };
is(printed_distance($root, 2), 1, 'Algorithm 2 is right at a node with both');
is(eval { printed_distance($root, 3) } // $@, "no node\n",
    'but wants the right child of a leaf');
is(eval { printed_distance($root, 4) } // $@, "no node\n",
    'and goes on below a leaf for a time that is not there');

# Algorithm 3, of which messages alone are kept: does a rank wait for ever?
sub hangs {
    my ($ranks, $receives) = @_;
    my @sent = (0) x ($ranks + 1);
    for my $p (reverse 0 .. $ranks - 1) {
        for my $i (0 .. $ranks - $p - 1) {
            $sent[$p]++ if $p > 0;
            next unless $receives->($p, $i);
            return 1 if $sent[$p + 1]-- == 0;
        }
    }
    return 0;
}

for my $ranks (2, 3, 8) {
    ok(hangs($ranks, sub { $_[0] < $ranks - 1 }),
        "Algorithm 3 waits for ever on $ranks ranks");
    ok(!hangs($ranks, sub { $_[1] + 1 < $ranks - $_[0] }),
        'and not with one message less');
}
is(int(10 / 3) * 3, 9, 'and 3 ranks have 9 of 10 references, C = N / np each');

# Algorithm 7: how many blocks are kept of a phase of new blocks.
sub printed_phase {
    my ($kept, $l, $bound, @blocks) = @_;
    for my $z (@blocks) {
        if ($l < $bound) { $l++ }
        elsif (@$kept >= $bound) { shift @$kept }
        push @$kept, $z;
    }
    return scalar @$kept;
}

my @kept;
is(printed_phase(\@kept, 0, 4, 1 .. 20), 4, 'Algorithm 7 keeps the bound in a phase');
is(printed_phase(\@kept, 0, 4, 21 .. 40), 8,
    'but twice of it in the next, which begins with l = 0');
is(printed_phase([1 .. 4], 4, 4, 21 .. 40), 4, 'and with l = B keeps it');

# --------------------------------------------------- the scale tree --

# Figure 3, the search alone.
sub printed_search {
    my ($node, $last) = @_;
    my $distance = 0;
    while (1) {
        if ($last < $node->{time} && $node->{prev} && $last <= $node->{prev}{time}) {
            $distance += $node->{right}{weight} if $node->{right};
            last unless $node->{left};
            $distance += $node->{size};
            $node = $node->{left};
        } elsif ($last > $node->{time}) {
            last unless $node->{right};
            $node = $node->{right};
        } else { last }
    }
    return $distance;
}

my $old = { time => 5, size => 2, weight => 2 };
my $new = { time => 20, size => 3, weight => 3 };
my $host = { time => 10, size => 2, weight => 7, prev => $old, left => $old,
    right => $new };
$new->{prev} = $host;
is(printed_search($host, 5), 5, 'Figure 3 counts what is newer on its way');
is(printed_search($host, 8), 0, 'but not the 3 blocks to the right of the host');

# Figure 4: which node is freed when the newest and the one before become one.
sub printed_merge {
    my ($n) = @_;
    $n->{size} += $n->{prev}{size};
    $n->{prev} = $n->{prev}{prev};
    return $n->{prev};
}

my ($first, $second) = ({ size => 1 }, { size => 1 });
$second->{prev} = $first;
my $third = { size => 1, prev => $second };
is(printed_merge($third), $first, 'Figure 4 frees the node that stays');

# Figure 3 makes the newest node without one before it, where Figure 4 begins.
sub visited {
    my ($n) = @_;
    my $count = 1;
    $count++ while $n = $n->{prev};
    return $count;
}
is(visited({ time => 21, size => 1 }), 1, 'and then looks at the newest alone');
is(visited({ time => 21, size => 1, prev => $new }), 4, 'instead of all four');

# --------------------------------------------------------------- Fu --

sub in_order {
    my ($node) = @_;
    return $node ? (in_order($node->{left}), $node->{time}, in_order($node->{right}))
        : ();
}

# Splaying: the node goes up and its parent down.
sub rotated {
    my ($parent) = @_;
    my $node = $parent->{left};
    ($parent->{left}, $node->{right}) = ($node->{right}, $parent);
    return $node;
}

my $tree = { time => 2, left => { time => 1 }, right => { time => 3 } };
$tree->{left}{time} = 4;
is(join(' ', in_order($tree)), '4 2 3', 'Figure 3 of Fu changes a key in its place');
is(join(' ', in_order(rotated($tree))), '4 2 3', 'which no rotation puts in order');

my ($bound, %seen) = (7);
my @trace = map { $_ % 100 } 1 .. 1000;
my @last = map { my $before = $seen{$_}; $seen{$_} = 1; $before } @trace;
cmp_ok(scalar @last, '>', $bound, 'and has a time for each reference, of a bound of 7');

# ----------------------------------------------------------- HP-RDA --

# Formula 2.
sub printed_rule {
    my ($dist, $m, $ef) = @_;
    return $dist > $m ? $dist * $ef : $dist;
}
is(printed_rule(6, 7, 0.7), 6, 'Formula 2 leaves the 6 of Figure 8, which is 4');

# ------------------------------------------------------------- the page --

open my $page, '<', 'docs/measured/errors.md' or die "errors.md: $!\n";
my $rows = 0;
while (<$page>) {
    my ($tests) = /^\|.*\|(.*)\|$/ or next;
    my @tests = $tests =~ /`([^`]+)`/g or next;
    $rows++;
    ok(-e $_, "errors.md names $_, which is there") for @tests;
}
is($rows, 11, 'errors.md has as many errors');

done_testing();
