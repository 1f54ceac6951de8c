#!/usr/bin/perl
# freed.t - a function that frees what an out-pointer points to says so
#
# `free(*thing)` is followed by an assignment to `*thing`: the caller, or the
# caller's caller, frees what it finds there once more.
use strict;
use warnings;
use File::Find;
require './tests/tap.pl';

my @sources;
find({ wanted => sub { push @sources, $_ if /\.c$/ }, no_chdir => 1 },
    qw(traces stackdist assoc sim));
my ($freed, @stale) = (0);
for my $source (sort @sources) {
    my @lines = split /^/m, contents($source);
    for my $i (0 .. $#lines) {
        next unless $lines[$i] =~ /\b\w*free\(\*(\w+)\);/;
        $freed++;
        push @stale, "$source:" . ($i + 1) . ": *$1 still points there"
            unless ($lines[$i + 1] // '') =~ /^\s*\*$1 = /;
    }
}
report($freed, 'sources free what out-pointers point to');
report(!@stale, 'and clear these', @stale);
conclude();
