#!/usr/bin/perl
# pages.pl PAGE... - put the tables of docs/measured/tables into pages
use strict;
use warnings;
require './tests/papers/tables.pl';

for my $page (@ARGV) {
    my $text = renewed($page);
    open my $file, '>', $page or die "$page: $!\n";
    print $file $text;
    close $file or die "$page: $!\n";
}
