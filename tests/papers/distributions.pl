# distributions.pl - traces whose distances have a distribution, as Shen and Shaw
# judge their method on: normal distances, and exponential ones
use strict;
use warnings;
use List::Util qw(sum);
require './tests/papers/tables.pl';

# Write the histogram of distances below 1000 for `generate histogram --from`.
# Variance 0 is exponential, with the same mean.  A share `repeats` of all
# references is to the block of the one before.
sub write_distribution {
    my ($path, $mean, $variance, $repeats) = @_;
    my @density = map {
        exp($variance > 0 ? -($_ - $mean)**2 / (2 * $variance) : -$_ / $mean)
    } 0 .. 999;
    $density[0] += sum(@density) * $repeats / (1 - $repeats);
    write_table($path,
        "trace,block_bytes,distance_from,distance_to,references,share\n",
        (map { sprintf "-,1,%d,%d,%d,0\n", $_, $_ + 1, 1e12 * $density[$_] }
            0 .. 999), "-,1,inf,inf,0,0\n");
}

# {ENGINE => {COLUMN => VALUE}} of `engines --run` on a trace.
sub engines_on {
    my ($margay, $engines, @trace) = @_;
    return { map { $_->{engine} => $_ } objects_of(lines_of($margay, 'engines',
        '-q', '-j', 1, '--json', '--only', join(',', @$engines), '--run',
        @trace)) };
}

1;
