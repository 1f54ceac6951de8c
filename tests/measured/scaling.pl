#!/usr/bin/perl
# scaling.pl - the tables of docs/measured/scaling.md; see measured.pl
#
# scaling-schedule and scaling-ranks compare with the clock and want a machine
# with nothing else to do.  scaling-projection is arithmetic.
use strict;
use warnings;
require './tests/measured/measured.pl';

our ($margay, $tools, $files);
my @first = system('chrt -f 10 true 2>/dev/null') == 0 ? qw(chrt -f 10) : ();

sub schedule {
    my @rows;
    for (workloads()) {
        my @options = defined $_->{make} ? () : ('--block', 6);
        my @seconds = map { ($_->{rounds_seconds}, $_->{threads_seconds}) }
            csv_rows(@first, "$tools/critical_path", '--engines', 'exact',
                '--rounds', 5, '--ranks', '1,2,4,8,16,32,64', @options,
                numbers_of($_));
        push @rows, [$_->{name}, @seconds[0 .. 3], @seconds[4, 6, 8, 10, 12]];
    }
    return @rows;
}

# What -v says of a run: executor, percent, seconds, leading, reading.
sub serial_share {
    my ($what, $command) = @_;
    my $said = join '', lines_of('sh', '-c', "($command) 2>&1 >/dev/null");
    my ($seconds, $percent, $leading, $reading) = $said =~ /
        in\s([\d.]+)\ss\sof\sthe\sprocessor,\s(\d+)%.*?:\s([\d.]+)\ss\sof\sthe\sleading.*?([\d.]+)\ss\sof\sthe\sread/x
        or die "no serial share in: $said\n";
    my $executor = $said =~ /analysed in parts/ ? 'in parts'
        : $said =~ /rank/ ? 'on ranks' : 'in order';
    return [$what, $executor, "$percent%", $seconds, $leading, $reading];
}

sub serial_shares {
    needs($_) for 'mpirun', "$margay-mpi", 'zstd';
    my ($w1, $w2) = map { numbers_of($_) } (workloads())[0, 1];
    my $half = make_file('W1-half.u64', sub {
        run('sh', '-c', 'head -c 40000000 "$1" >"$2"', 'sh', $w1, $_[0]);
    });
    my $zstd = make_file('W1-half.u64.zst', sub {
        run('zstd', '-q', '-f', $half, '-o', $_[0]);
    });
    my $din = make_file('W1-half.din', sub {
        run($margay, 'convert', '-q', '--ids', '--unit', 64, $half, $_[0], '--to',
            'din');
    });
    my $curve = "$margay curve -v";
    return map { serial_share(@$_) }
        ['W1 -j 2', "$curve --ids -j2 $w1"], ['W2 -j 2', "$curve --ids -j2 $w2"],
        ['half of W1 in zstd -j 1', "$curve --ids -j1 $zstd"],
        ['half of W1 as din through a pipe -j 2',
            "cat $din | $curve -j2 -f din"],
        ['2 M of W1 by olken', "$curve --ids --limit 2000000 -e olken $w1"],
        ['W1 on two ranks', "mpirun --allow-run-as-root -n 2 $margay-mpi curve "
            . "-v --ids -j1 $w1"];
}

# Seconds of the clock, those of the start taken off.
sub ranks {
    needs($_) for 'mpirun', "$margay-mpi";
    my @rows;
    my $mpi = sub { ('mpirun', '--allow-run-as-root', '-n', $_[0], "$margay-mpi",
        'curve', '-q', '-j1', '--ids') };
    for my $kind (['Zipf 0.8', 'zipf --exponent 0.8'], ['uniform', 'uniform']) {
        my $path = generate("$kind->[1]-40.u64" =~ tr/ /_/r, 40_000_000,
            "$kind->[1] --blocks 1000000");
        for my $bound ([], ['--bound', 65536]) {
            my @margay = @$bound ? ()
                : map { [$margay, 'curve', '-q', "-j$_", '--ids', $path] } 1, 2;
            my ($start, @all) = measured(3, [$mpi->(1), '--limit', 1, $path],
                (map { [$mpi->($_), @$bound, $path] } 1, 2), @margay);
            my @seconds = map { $_->{wall} } @all;
            $_ -= $start->{wall} for @seconds[0, 1];
            my @cells = map { my ($one, $two) = @$_;
                defined $one ? ((map { sprintf '%.2f', $_ } $one, $two),
                    sprintf '%.1f', $one / $two) : ('', '', '')
            } [@seconds[0, 1]], [@seconds[2, 3]];
            push @rows, [$kind->[0], $bound->[1] // 'none', @cells];
        }
    }
    return @rows;
}

# The first references of a file, in seconds of the clock, by a thread and by two.
sub streams {
    my $path = generate('zipf_0.8-20.u64', 20_000_000,
        'zipf --exponent 0.8 --blocks 1000000');
    return map {
        my $refs = $_;
        my @seconds = map { $_->{wall} } measured(7, map { [$margay, 'curve', '-q',
            "-j$_", '--ids', '--limit', $refs, $path] } 1, 2);
        [$refs, (map { sprintf '%.3f', $_ } @seconds),
            sprintf '%.2f', $seconds[0] / $seconds[1]];
    } 2_500_000, 5_000_000, 10_000_000, 20_000_000;
}

# Seconds for 10^11 references: look-up and rank, an answer, 8 bytes sent.  Without
# a bound it is 10^8 blocks answered for once, or once by each rank.
sub projection {
    my ($refs, $both, $answer, $sent) = (1e11, 20e-9, 15e-9, 8 / 10e9);
    return map {
        my $ranks = $_;
        my $parts = $refs / $ranks * $both;
        my @more = map { $ranks == 1 ? 0 : $_ } (map { 2 * $_ * ($answer + $sent) }
            2**16, 2**21, 1e8), $ranks * 1e8 * $answer;
        [$ranks, map { digits($parts + $_, $parts > 100 ? 3 : 2) } @more];
    } 1, 16, 64, 256;
}

make_tables(
    'scaling-schedule' => ['workload,1,1_clock,2,2_clock,4,8,16,32,64',
        \&schedule],
    'scaling-serial' => ['trace,executor,serial,of_seconds,leading,reading',
        \&serial_shares],
    'scaling-ranks' => ['blocks,bound,one_rank,two_ranks,times_faster,-j_1,-j_2,'
        . 'faster', \&ranks],
    'scaling-streams' => ['references,one_thread,two_threads,times_faster',
        \&streams],
    'scaling-projection' => ['ranks,bound_2^16,bound_2^21,no_bound_least,'
        . 'no_bound_most', \&projection],
);
