#!/usr/bin/perl
# keep.pl OUT NAME,... COMMAND... - keep the tables that a command prints
#
# Prints what COMMAND prints, and once it has succeeded writes the tables in it,
# which are in Markdown, to OUT/tables/NAME.csv in their order.
use strict;
use warnings;
require './tests/papers/tables.pl';

my ($out, $names, @command) = @ARGV;
@command or die "usage: keep.pl OUT NAME,... COMMAND...\n";
my @names = split /,/, $names;

my (@tables, $inside);
open my $printed, '-|', @command or die "keep: $command[0]: $!\n";
$| = 1;
while (<$printed>) {
    print;
    push @tables, [] if /^\|/ && !$inside;
    $inside = /^\|/;
    push @{ $tables[-1] }, $_ if $inside;
}
close $printed or die "keep: failed: @command\n";
@tables == @names
    or die 'keep: ', scalar @tables, ' tables for ', scalar @names, " names\n";
write_table("$out/tables/$names[$_].csv", csv_of(@{ $tables[$_] }))
    for 0 .. $#names;
