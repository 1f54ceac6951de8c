#!/usr/bin/perl
# shen.pl - the tables and figures of Shen and Shaw (2008), on our programs
#
#     shen.pl [--quick] MARGAY TOOLS FILES OUT
#
# The arguments are as paper.pl says.  Writes
#
#   tables/shen-distributions.csv  accuracy on distances drawn from distributions
#   tables/shen-programs.csv       accuracy on programs, and speed over that of
#                                  `exact` and of `scale-tree` (their SPEC table)
#   tables/shen-NAME.csv, pictures/shen-NAME.png
#                                  histograms of two programs, true and inferred:
#                                  one with pulses
#
# Accuracy is the overlap of the log2 histograms, in percent.  Speeds are those of
# `margay engines --run`, of references per second of the engine alone.
#
# --quick takes three programs, the first 20 million references of each.
use strict;
use warnings;
require './tests/papers/paper.pl';
require './tests/papers/programs.pl';

my ($quick, $margay, $tools, $files, $out) =
    @{ arguments() }{qw(quick margay tools files out)};
my @programs = recorded_programs($margay, $tools, $files, $quick);
my @engines = qw(exact scale-tree shen);
my @drawn = qw(bzip2 fft);
my @limit = $quick ? ('--limit', '20M') : ();

# {ENGINE => {COLUMN => VALUE}} of one trace.
sub engines_on {
    my ($trace) = @_;
    run($margay, 'engines', '--run', $trace, '--only', join(',', @engines),
        @limit, '-q', '-j', 1, '-b', 64, '-o', "$files/engines.csv");
    return { map { $_->{engine} => $_ }
        rows_of(read_table("$files/engines.csv")) };
}

sub write_programs {
    my @lines = ('program,references,'
        . join(',', map { tr/-/_/r } @engines[1 .. $#engines])
        . ",speed_over_exact,speed_over_scale_tree\n");
    for my $program (@programs) {
        my $of = engines_on($program->{trace});
        push @lines, join(',', $program->{name}, $of->{exact}{references},
            (map { sprintf '%.1f', 100 * $of->{$_}{accuracy} }
                @engines[1 .. $#engines]),
            map { sprintf '%.2f', $of->{shen}{refs_per_second}
                / $of->{$_}{refs_per_second} } qw(exact scale-tree)) . "\n";
    }
    write_table("$out/tables/shen-programs.csv", @lines,
        mean_row('mean', 'references', @lines));
}

# A table of both histograms in log2 bins, and its picture.
sub draw_histogram {
    my ($program) = @_;
    my %share;
    for my $engine (qw(exact shen)) {
        run($margay, 'histogram', '-q', '-b', 64, '-e', $engine, '--bins',
            'log2', @limit, '-o', "$files/histogram.csv", $program->{trace});
        $share{ $_->{distance_from} }{$engine} = $_->{share}
            for rows_of(read_table("$files/histogram.csv"));
    }
    my @finite = sort { $a <=> $b } grep { $_ ne 'inf' } keys %share;
    my $name = "shen-$program->{name}";
    write_table("$out/tables/$name.csv", "distance_from,exact,shen\n",
        map { join(',', $_, $share{$_}{exact} // 0, $share{$_}{shen} // 0)
            . "\n" } @finite, 'inf');
    draw($out, 'shen.gp', "$name.png", "$name.csv", $program->{name});
}

write_table("$out/tables/shen-distributions.csv", lines_of("$tools/shen"));
write_programs();
for my $program (@programs) {
    draw_histogram($program) if grep { $_ eq $program->{name} } @drawn;
}
