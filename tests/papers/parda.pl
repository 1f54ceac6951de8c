#!/usr/bin/perl
# parda.pl - the table and figures of PARDA (Niu et al. 2012), on our programs
#
#     parda.pl [--quick] [--only NAME,...] MARGAY TOOLS FILES OUT
#
# The arguments are as paper.pl says.  Writes
#
#   tables/parda-programs.csv  what recording and analysing takes (their Table IV)
#   tables/parda-means.csv     means of that over the programs' own time
#   tables/parda-large.csv     the same of programs that use more than ten million
#                              words of 8 bytes, two of them with Olken's algorithm
#                              on all their references
#   tables/recording-*.csv     the same of longer runs, by each way to record, as
#                              tests/evaluation/methods.pl says
#   tables/parda-ranks.csv     seconds by bound and ranks, by a schedule of steps
#                              that are timed one after the other (their Figures
#                              4 and 5)
#   tables/parda-gains.csv     how much faster 64 of them are than 8
#   pictures/parda-ranks.png   the speeds that follow
#
# --quick takes three programs and one large one, once, and a third of the
# references; --only does ranks, programs, large or methods alone.
use strict;
use warnings;
require './tests/papers/paper.pl';
require './tests/papers/programs.pl';

my $only = '';
my ($quick, $margay, $tools, $files, $out) =
    @{ arguments('only=s' => \$only) }{qw(quick margay tools files out)};
my %wanted = map { $_ => 1 } split /,/, $only || 'ranks,programs,large,methods';
my @steps = qw(native dropped capture pipe olken margay);
my $refs = $quick ? 8_000_000 : 24_000_000;

# The rows that evaluate.pl prints, which are kept in FILES.
sub evaluate {
    my ($name, @options) = @_;
    write_table("$files/$name.csv",
        lines_of($^X, 'tests/evaluation/evaluate.pl', @options, $margay,
            "$tools/measure", $files));
    return rows_of(read_table("$files/$name.csv"));
}

sub slowdown {
    my ($row, $step) = @_;
    return sprintf '%.1f', $row->{"${step}_seconds"} / $row->{native_seconds};
}

sub write_programs {
    my @only = $quick
        ? ('--rounds', 1, '--only', 'bzip2,fft,sort', '--method', 'runtime') : ();
    my @lines = join(',', qw(program stands_for method distinct_blocks
        references_millions), @steps, qw(slowdown)) . "\n";
    for my $row (evaluate('programs', @only)) {
        push @lines, join(',', @$row{qw(program stands_for method
            distinct_blocks)}, sprintf('%.0f', $row->{references} / 1e6),
            (map { sprintf '%.3f', $row->{"${_}_seconds"} } @steps),
            slowdown($row, 'margay')) . "\n";
    }
    write_table("$out/tables/parda-programs.csv", @lines);
}

# Once each, as every case takes minutes.
sub write_large {
    my @of = $quick ? ('--only', 'perl') : ('--whole', 'perl,zstd');
    my @taken = qw(native capture pipe olken olken_whole margay);
    my @lines = join(',', qw(program stands_for method words_millions
        references_millions), @taken, 'slowdown') . "\n";
    for my $row (evaluate('large', '--large', '--rounds', 1, @of)) {
        push @lines, join(',', @$row{qw(program stands_for method)},
            sprintf('%.1f', $row->{distinct_blocks} / 1e6),
            sprintf('%.0f', $row->{references} / 1e6),
            (map { $_ eq '' ? '' : sprintf '%.1f', $_ }
                @$row{ map { "${_}_seconds" } @taken }),
            slowdown($row, 'margay')) . "\n";
    }
    write_table("$out/tables/parda-large.csv", @lines);
}

# Means of the time of each step over the program's own, by method.
sub write_means {
    my @programs = rows_of(read_table("$out/tables/parda-programs.csv"));
    my @lines = 'method,programs,' . join(',', @steps[1 .. $#steps]) . "\n";
    for my $method (qw(valgrind runtime)) {
        my @rows = grep { $_->{method} eq $method } @programs or next;
        my %sum;
        for my $row (@rows) {
            $sum{$_} += $row->{$_} / $row->{native} for @steps;
        }
        push @lines, join(',', $method, scalar @rows,
            map { sprintf '%.1f', $sum{$_} / @rows } @steps[1 .. $#steps])
            . "\n";
    }
    write_table("$out/tables/parda-means.csv", @lines);
}

# Of one program, glpsol, which stands for a solver as their mcf does.
sub write_ranks {
    my ($program) = grep { $_->{name} eq ($quick ? 'bzip2' : 'glpsol') }
        recorded_programs($margay, $tools, $files, $quick);
    run($margay, 'convert', '-q', '--limit', $refs, '--to', 'u64',
        $program->{trace}, "$files/ranks.u64");
    write_table("$out/tables/parda-ranks.csv",
        lines_of("$tools/critical_path", $quick ? 1 : 3, 6, "$files/ranks.u64"));
    unlink "$files/ranks.u64";
}

# How much faster 64 ranks are than 8, as the paper says it.
sub write_gains {
    my %seconds;
    $seconds{ join ',', @$_{qw(engine bound_blocks)} }{ $_->{ranks} } = $_->{seconds}
        for rows_of(read_table("$out/tables/parda-ranks.csv"));
    write_table("$out/tables/parda-gains.csv", "engine,bound_blocks,64_over_8\n",
        map { sprintf "%s,%.1f\n", $_, $seconds{$_}{8} / $seconds{$_}{64} }
        sort keys %seconds);
}

sub write_methods {
    run($^X, 'tests/evaluation/methods.pl', '--rounds', 1,
        $quick ? ('--only', 'sort', '--method', 'runtime') : (), $margay,
        "$tools/measure", $files, $out);
}

if ($wanted{ranks}) {
    write_ranks();
    write_gains();
    draw($out, 'parda.gp', 'parda-ranks.png', 'parda-ranks.csv');
}
if ($wanted{programs}) {
    write_programs();
    write_means();
}
write_large() if $wanted{large};
write_methods() if $wanted{methods};
