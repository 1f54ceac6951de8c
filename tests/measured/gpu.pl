#!/usr/bin/perl
# gpu.pl - the table of docs/measured/gpu.md that needs no device; see measured.pl
#
# `make bench-gpu` makes the other one.
use strict;
use warnings;
require './tests/measured/measured.pl';

our ($margay, $tools, $files);
my $refs = 4_000_000;
my @engines = (['`exact`', 'exact'], ['`olken`', 'olken'],
    ['`gpu:backend=emulate`', 'gpu:backend=emulate'],
    ['the same with transfer=4000000', 'gpu:backend=emulate,transfer=4000000'],
    ['`gpu:backend=opencl` PoCL', 'gpu:backend=opencl']);

sub on_a_processor {
    grep { /opencl/ } lines_of($margay, 'version')
        or die "there is no device for OpenCL\n";
    my @paths = map { numbers_of($_) } (workloads())[0 .. 2];
    return map {
        my ($name, $engine) = @$_;
        [$name, map {
            my ($time) = measured(3, [$margay, qw(histogram -q -j1 --ids --limit),
                $refs, '-e', $engine, $_]);
            digits($refs / $time->{user} / 1e6)
        } @paths];
    } @engines;
}

make_tables('gpu-processor' => ['engine,W1,W2,W3', \&on_a_processor]);
