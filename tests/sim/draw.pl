# draw.pl - random numbers that are the same on every machine
#
# A script of -e gets the name of this file first, and says `require shift`.
use strict;
use warnings;

my $state = 1;

sub seed { ($state) = @_ }

# One of 0 .. N - 1.
sub draw {
    my ($n) = @_;
    $state = ($state * 1103515245 + 12345) & 0x7fffffff;
    return ($state >> 8) % $n;
}

1;
