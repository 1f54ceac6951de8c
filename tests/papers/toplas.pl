#!/usr/bin/perl
# toplas.pl - precision as in Zhong, Shen and Ding (2009), on a whole transform
#
#     toplas.pl [--quick] MARGAY TOOLS FILES OUT
#
# The arguments are as paper.pl says.  Writes
#
#   tables/toplas-precision.csv  nodes and errors of the approximations on a
#                                Fourier transform of 65,536 numbers, all of it
#
# The other tables of the paper are of predictions: `make prediction`.  --quick
# transforms 4,096 numbers.
use strict;
use warnings;
require './tests/papers/paper.pl';

my ($quick, $margay, $files, $out) =
    @{ arguments() }{qw(quick margay files out)};
my $bits = $quick ? 12 : 16;
my @engines = ('scale-tree:e=0.1', 'scale-tree', 'scale-tree:e=0.001',
    'absolute', 'absolute:c=0,tree=splay');

# Eight references for each exchange of the bit reversal and each butterfly.
my $numbers = 2**$bits;
my $exchanges = ($numbers - 2**int(($bits + 1) / 2)) / 2;
run($margay, 'generate', 'fft', '--blocks', 2 * $numbers, '--refs',
    8 * ($exchanges + $numbers / 2 * $bits), '--to', 'u64', '-q', '-o',
    "$files/fft.u64");
my @lines = "engine,nodes,accuracy,mean_error,largest_error\n";
for (lines_of($margay, 'engines', '--run', "$files/fft.u64", '-b', 8, '-q',
    '--only', join(',', @engines), '--json')) {
    # A name, and a text or what is no text.
    my %row;
    $row{$1} = $2 // $3 while /"(\w+)":(?:"([^"]*)"|([^,}]*))/g;
    push @lines, sprintf "%s,%d,%.4f,%.5f,%.4f\n", $row{engine} =~ tr/,/ /r,
        $row{nodes}, @row{qw(accuracy mean_abs_error_linear max_error_linear)};
}
write_table("$out/tables/toplas-precision.csv", @lines);
unlink "$files/fft.u64";
