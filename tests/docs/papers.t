#!/usr/bin/perl
# papers.t - each table, figure and algorithm of a paper has a row on its page
#
# tests/papers/items.csv lists what the papers have, by their texts.  The first
# table of a page has one row for each of its paper's items, which begins with it.
use strict;
use warnings;
use Test::More;
require './tests/papers/tables.pl';

my $head = '| item of the paper | their number | ours | same definition? '
    . '| verdict | command |';

# Why a page is wrong: a line for each fault.
sub faults {
    my ($text, @items) = @_;
    my ($first, @lines) = ($text =~ /^\|.*\n(?:\|.*\n)*/m ? $& : '') =~ /(.+)\n/g;
    return 'the first table is another' if ($first // '') ne $head;
    my @faults;
    my @rows = map { [split /\s*\|\s*/, s/^\|\s*//r] } @lines[1 .. $#lines];
    for my $row (@rows) {
        push @faults, "$row->[0]: a cell is empty"
            if @$row != 6 || grep { $_ eq '' } @$row;
    }
    for my $item (@items) {
        my $found = grep { $_->[0] =~ /^\Q$item\E(?![\w(])/ } @rows;
        push @faults, "$item has $found rows" if $found != 1;
    }
    return @faults;
}

# The test must be able to fail.
my $page = "# A\n\n$head\n| --- | --- | --- | --- | --- | --- |\n"
    . "| Table I | a | b | c | d | e |\n| Table II, x | a | b | c | d | e |\n\n";
is(join('', faults($page, 'Table I', 'Table II')), '', 'a whole page is right');
is(join('', faults($page, 'Table III')), 'Table III has 0 rows',
    'an item without a row is seen');
is(join('', faults($page =~ s/ d \|/ |/r, 'Table I')),
    'Table I: a cell is empty', 'an empty cell is seen');
is(join('', faults("| a |\n\n$page", 'Table I')), 'the first table is another',
    'another first table is seen');

my %items;
push @{ $items{ $_->{paper} } }, $_->{item}
    for rows_of(read_table('tests/papers/items.csv'));
for my $paper (sort keys %items) {
    open my $file, '<', "docs/measured/$paper.md" or die "$paper.md: $!\n";
    my @faults = faults(join('', <$file>), @{ $items{$paper} });
    ok(!@faults, "$paper.md has " . @{ $items{$paper} } . ' items');
    diag("  $_") for @faults;
}

done_testing();
