# Make a table of numbers by keys, and add up what it holds.
use strict;
use warnings;

my %of;
my $x = 12345;
for my $i (1 .. 420_000) {
    $x = ($x * 1103515245 + 12345) & 0x7fffffff;
    $of{"key $x"} .= "value $i";
}
my $sum = 0;
$sum += length $of{$_} for keys %of;
print "$sum\n";
