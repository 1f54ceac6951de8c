# commands.pl - what the scripts that measure have in common: running a command,
# and what it took
#
# A script sets $tools, the folder of `measure`.
use strict;
use warnings;
use File::Basename qw(basename);

our $tools;
my $name = basename($0, '.pl');

sub note { print STDERR "$name: $_[0]\n" }

sub run { system(@_) == 0 or die "$name: failed: @_\n" }

sub lines_of {
    open my $in, '-|', @_ or die "$name: $_[0]: $!\n";
    my @lines = <$in>;
    close $in or die "$name: failed: @_\n";
    return @lines;
}

# {user, system, wall, peak, faults} of a command: seconds, bytes and pages.
sub measure {
    my ($line) = lines_of("$tools/measure", @_);
    my %of;
    @of{qw(user system wall peak faults)} = split ' ', $line;
    return \%of;
}

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

1;
