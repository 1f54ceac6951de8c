#!/usr/bin/perl
# fu.pl - the table and figures of Fu, Zhang and Chen (2006), on our programs
#
#     fu.pl [--quick] MARGAY TOOLS FILES OUT
#
# The arguments are as paper.pl says.  Writes
#
#   tables/fu-ways.csv    miss ratios of each program in caches of 2^6 to 2^17
#                         blocks of 32 bytes, fully associative and of 1, 2, 4
#                         and 8 ways (their Table 1)
#   tables/fu-errors.csv  how far the fully associative ratio is from those of so
#                         many ways: mean and largest difference
#   pictures/fu-NAME.png  the ratios of two programs (their Figures 4 and 5)
#
# --quick takes three programs.
use strict;
use warnings;
require './tests/papers/paper.pl';

my ($quick, $margay, $tools, $files, $out) =
    @{ arguments() }{qw(quick margay tools files out)};
my @drawn = $quick ? (['bzip2', 'runtime']) : (['gcc', 'valgrind'], ['fft', 'runtime']);
my @ways = (1, 2, 4, 8);

sub measure_ways {
    my @only = $quick ? ('--only', 'bzip2,fft,sort', '--method', 'runtime') : ();
    write_table("$out/tables/fu-ways.csv",
        lines_of($^X, 'tests/evaluation/evaluate.pl', '--associative', @only,
            $margay, "$tools/measure", $files));
}

# Of one program or of all: the mean and the largest difference, by ways.
sub differences {
    my ($table, $wanted) = @_;
    my (%sum, %largest);
    my @rows = grep { $wanted->($_) } rows_of($table);
    for my $row (@rows) {
        for my $ways (@ways) {
            my $difference =
                abs($row->{"ways_$ways"} - $row->{fully_associative});
            $sum{$ways} += $difference;
            $largest{$ways} = $difference
                if $difference > ($largest{$ways} // -1);
        }
    }
    return map { sprintf '%.4f', $_ }
        map { ($sum{$_} / @rows, $largest{$_}) } @ways;
}

sub write_errors {
    my $table = read_table("$out/tables/fu-ways.csv");
    my %seen;
    my $blocks = column_number($table, 'cache_blocks');
    my @sizes = grep { !$seen{$_}++ } map { $_->[$blocks] } @{ $table->{rows} };
    my @lines = ('cache_blocks,' . join(',',
        map { ("mean_$_", "largest_$_") } @ways) . "\n");
    for my $size (@sizes) {
        push @lines, join(',', $size, differences($table,
            sub { $_[0]{cache_blocks} == $size })) . "\n";
    }
    push @lines, join(',', 'all', differences($table, sub { 1 })) . "\n";
    write_table("$out/tables/fu-errors.csv", @lines);
}

measure_ways();
write_errors();
draw($out, 'fu.gp', "fu-$_->[0].png", 'fu-ways.csv', @$_) for @drawn;
