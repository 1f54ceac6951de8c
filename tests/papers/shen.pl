#!/usr/bin/perl
# shen.pl - the tables and figures of Shen and Shaw (2008), on our programs
#
#     shen.pl [--quick] [--only STEP,...] MARGAY TOOLS FILES OUT
#
# The arguments are as paper.pl says.  Writes
#
#   tables/shen-distributions.csv  accuracy on distances drawn from distributions
#   tables/shen-programs.csv       accuracy on programs, and speed over that of
#                                  `exact` and of `scale-tree` (their SPEC table)
#   tables/shen-NAME.csv, pictures/shen-NAME.png
#                                  histograms of two programs, true and inferred
#   tables, pictures/shen-pulses   the same of a made trace whose distances are a few
#                                  pulses, and shen-pulses-times its reuse times
#   tables, pictures/shen-misses   miss ratios of a program, by distances and by
#                                  those that are inferred
#
# Accuracy is the overlap of the log2 histograms, in percent.  Speeds are those of
# `margay engines --run`, of references per second of the engine alone.
#
# STEP is distributions, pulses, programs or histograms.  --quick takes three
# programs, the first 20 million references of each.
use strict;
use warnings;
use List::Util qw(min sum);
require './tests/papers/paper.pl';
require './tests/papers/distributions.pl';
require './tests/papers/programs.pl';

my $only = '';
my ($quick, $margay, $tools, $files, $out) =
    @{ arguments('only=s' => \$only) }{qw(quick margay tools files out)};
my %wanted = map { $_ => 1 }
    split /,/, $only || 'distributions,pulses,programs,histograms';
my @engines = qw(exact scale-tree shen);
my @drawn = qw(bzip2 fft);
my @programs = $wanted{programs} || $wanted{histograms}
    ? recorded_programs($margay, $tools, $files, $quick,
        $wanted{programs} ? () : @drawn) : ();
my @limit = $quick ? ('--limit', '20M') : ();

# The distances, variance, share of repeats, and the values of the paper.
my @distributions = (
    ['normal variance 20', 20, 0, 92.8], ['normal variance 100', 100, 0, 96.3],
    ['normal variance 200', 200, 0, 95.8], ['exponential', 0, 0, 96.9],
    ['exponential with half repeats', 0, 0.5, ''],
    ['exponential with nine in ten repeats', 0, 0.9, ''],
);

# Both forms, with our repairs and as the paper has it.  As it does not give its mean
# there are three; distances full of repeats are ours.
sub write_distributions {
    my @specs = map { ($_, $_ . ($_ eq 'shen' ? ':' : ',') . 'repair=off') }
        'shen', 'shen:form=basic';
    my @lines = join(',', qw(distances mean shen unrepaired basic basic_unrepaired
        the_paper)) . "\n";
    my ($seed, @all) = 0;
    for (@distributions) {
        my ($name, $variance, $repeats, $published) = @$_;
        for my $mean (30, 100, 300) {
            write_distribution("$files/distances.csv", $mean, $variance, $repeats);
            run($margay, 'generate', 'histogram', '--from',
                "$files/distances.csv", '--refs', 1_000_000, '--seed', ++$seed,
                '--to', 'u64', '-q', '-o', "$files/distances.u64");
            my $of = engines_on($margay, \@specs, "$files/distances.u64", '--ids');
            my @shares = map { 100 * $of->{$_}{accuracy} } @specs;
            push @lines, join(',', $name, $mean, (map { sprintf '%.1f', $_ } @shares),
                $published) . "\n";
            push @all, [@shares, $published] if $published ne '';
        }
    }
    unlink "$files/distances.csv", "$files/distances.u64";
    write_table("$out/tables/shen-distributions.csv", @lines,
        join(',', "mean of the paper's", '', map {
            my $i = $_;
            sprintf '%.1f', sum(map { $_->[$i] / @all } @all)
        } 0 .. 4) . "\n");
}

sub write_programs {
    my @lines = ('program,references,'
        . join(',', map { tr/-/_/r } @engines[1 .. $#engines])
        . ",speed_over_exact,speed_over_scale_tree\n");
    for my $program (@programs) {
        my $of = engines_on($margay, \@engines, $program->{trace}, @limit, '-b', 64);
        push @lines, join(',', $program->{name}, $of->{exact}{references},
            (map { sprintf '%.1f', 100 * $of->{$_}{accuracy} }
                @engines[1 .. $#engines]),
            map { sprintf '%.2f', $of->{shen}{refs_per_second}
                / $of->{$_}{refs_per_second} } qw(exact scale-tree)) . "\n";
    }
    write_table("$out/tables/shen-programs.csv", @lines,
        mean_row('mean', 'references', @lines));
}

# Shares of references by the lower ends of log2 bins, {FROM => SHARE}.
sub shares_of {
    my (@command) = @_;
    run($margay, 'histogram', '-q', '--bins', 'log2', '-o',
        "$files/histogram.csv", @command);
    return { map { $_->{distance_from} => $_->{share} }
        rows_of(read_table("$files/histogram.csv")) };
}

# A table of columns {NAME => shares} in log2 bins, and its picture.
sub draw_shares {
    my ($name, $heading, $xlabel, @columns) = @_;
    my %bins = map { %{ $_->[1] } } @columns;
    my @bins = sort { $a <=> $b } grep { $_ ne 'inf' } keys %bins;
    write_table("$out/tables/$name.csv",
        join(',', 'from', map { $_->[0] } @columns) . "\n", map {
            my $bin = $_;
            join(',', $bin, map { sprintf '%.6f', $_->[1]{$bin} // 0 } @columns)
                . "\n"
        } @bins, 'inf');
    draw($out, 'series.gp', "$name.png", "$name.csv", 'bars', $heading,
        'shares of all references in log2 bins; the last is of infinite ones',
        $xlabel, 'share of references');
}

sub draw_histogram {
    my ($trace, $name, $heading, @options) = @_;
    draw_shares($name, $heading, 'distance, from', map { [$_ eq 'shen'
            ? 'from_times' : $_,
            shares_of(@options, '-e', $_, $trace)] } qw(exact shen));
}

# Distances in six pulses, and a few new blocks, as a trace of the generator.
sub draw_pulses {
    my @pulses = ([3, 30], [20, 15], [150, 20], [1000, 10], [6000, 15], [30000, 10]);
    write_table("$files/pulses.csv",
        "trace,block_bytes,distance_from,distance_to,references,share\n",
        (map { join(',', '-', 1, $_->[0], $_->[0] + 1, 20_000 * $_->[1],
            $_->[1] / 100) . "\n" } @pulses), "-,1,inf,inf,40000,0.02\n");
    run($margay, 'generate', 'histogram', '--from', "$files/pulses.csv", '--refs',
        2_000_000, '--seed', 1, '--to', 'u64', '-q', '-o',
        "$files/pulses.u64");
    draw_histogram("$files/pulses.u64", 'shen-pulses',
        'Distances in pulses, true and inferred', '--ids');
    my ($true, $got) = map { shares_of('--ids', '-e', $_, "$files/pulses.u64") }
        qw(exact shen);
    my $overlap = 0;
    $overlap += min($true->{$_} // 0, $got->{$_}) for keys %$got;
    write_table("$out/tables/shen-overlap.csv", "trace,accuracy\n",
        sprintf "pulses,%.1f\n", 100 * $overlap);
    draw_shares('shen-pulses-times', 'Reuse times of a trace whose distances are '
        . 'pulses', 'reuse time, from',
        ['times', shares_of('--ids', '--of', 'time', "$files/pulses.u64")]);
    unlink "$files/pulses.u64";
}

# Miss ratios in caches of powers of two.
sub draw_misses {
    my ($program) = @_;
    my %ratio;
    for my $engine (qw(exact shen)) {
        run($margay, 'curve', '-q', '-b', 64, '-e', $engine, '--sizes', 'pow2',
            @limit, '-o', "$files/curve.csv", $program->{trace});
        $ratio{ $_->{cache_blocks} }{$engine} = $_->{miss_ratio}
            for rows_of(read_table("$files/curve.csv"));
    }
    write_table("$out/tables/shen-misses.csv", "blocks,exact,from_times\n",
        map { join(',', $_, map { sprintf '%.6f', $_ // '' }
            @{ $ratio{$_} }{qw(exact shen)}) . "\n" } sort { $a <=> $b }
        grep { defined $ratio{$_}{exact} && defined $ratio{$_}{shen} } keys %ratio);
    draw($out, 'series.gp', 'shen-misses.png', 'shen-misses.csv', 'log',
        "Misses of $program->{name}, true and inferred",
        'fully associative caches of blocks of 64 bytes', 'blocks of the cache',
        'miss ratio');
}

write_distributions() if $wanted{distributions};
draw_pulses() if $wanted{pulses};
write_programs() if $wanted{programs};
for my $program ($wanted{histograms} ? @programs : ()) {
    draw_histogram($program->{trace}, "shen-$program->{name}",
        "Reuse distances of $program->{name}, in blocks of 64 bytes", '-b', 64,
        @limit) if grep { $_ eq $program->{name} } @drawn;
    draw_misses($program) if $program->{name} eq 'bzip2';
}
