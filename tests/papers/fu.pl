#!/usr/bin/perl
# fu.pl - the table and figures of Fu, Zhang and Chen (2006), on our programs
#
#     fu.pl [--quick] [--only STEP] MARGAY TOOLS FILES OUT
#
# The arguments are as paper.pl says.  Writes
#
#   tables/fu-distances.csv  accesses of each program, how many have distance 0 and
#                         an infinite one with a bound of 2^17, and the mean of the
#                         others, and theirs (their Table 1)
#   tables, pictures/fu-histograms
#                         shares of these in log2 bins (the left of their Figure 4)
#   tables/fu-space.csv   the memory that a bound of 2^17 takes of `bounded`, and
#                         none of `olken`, for more and more blocks
#   tables/fu-ways.csv    miss ratios of each program in caches of 2^6 to 2^17
#                         blocks of 32 bytes, fully associative and of 1, 2, 4
#                         and 8 ways
#   tables/fu-errors.csv  how far the fully associative ratio is from those of so
#                         many ways: mean and largest difference
#   pictures/fu-NAME.png  the ratios of two programs (the right of their Figure 4,
#                         and Figure 5)
#
# --quick takes three programs; --only does space, distances or ways alone.
use strict;
use warnings;
use Cwd qw(abs_path);
require './tests/papers/paper.pl';
require './tests/papers/programs.pl';

my $only = '';
my ($quick, $margay, $tools, $files, $out) =
    @{ arguments('only=s' => \$only) }{qw(quick margay tools files out)};
# Programs run in another folder.
$margay = abs_path($margay);
my @drawn = $quick ? (['bzip2', 'runtime']) : (['gcc', 'valgrind'], ['fft', 'runtime']);
my @ways = (1, 2, 4, 8);

# Their Table 1: accesses, those of distance 0, infinite ones, and the mean of the
# rest.
my @theirs = (
    ['164.gzip', 1257322879, 366655159, 18091, 88.26],
    ['176.gcc', 731217636, 252501729, 117462, 50.32],
    ['181.mcf', 59222122, 12152319, 43782, 1192.41],
    ['197.parser', 1689710350, 654521072, 203891, '223.90'],
    ['256.bzip2', 3781432077, 2583014793, 3567656, 350.55],
    ['179.art', 1390561635, 326897504, 64431, 4494.51],
    ['183.equake', 538863120, 146180412, 9982792, 327.28],
    ['188.ammp', 2743136395, 577383657, 2014455, 1007.09],
);

sub percent { return sprintf '%.4f', 100 * $_[0] / $_[1] }

sub distances_row {
    my ($name, $all, $repeats, $infinite, $mean) = @_;
    return join(',', $name, $all, $repeats, percent($repeats, $all), $infinite,
        percent($infinite, $all), $mean) . "\n";
}

sub mean_shares {
    my ($name, @rows) = @_;
    my @sums = (0, 0);
    for (@rows) {
        my @cells = split /,/;
        $sums[0] += $cells[3] / @rows;
        $sums[1] += $cells[5] / @rows;
    }
    return sprintf "%s,,,%.2f,,%.2f,\n", $name, @sums;
}

# Shares by number of the bin, 0 of {0} and i of [2^(i-1), 2^i), and inf.
sub measure_distances {
    my (@lines, %share, @names);
    # Gzip, gcc and bzip2 as one finds them, the others as they are built here.
    my $is_wanted = sub {
        my ($program) = @_;
        return $quick || ($program->{method} eq 'runtime'
            xor $program->{name} =~ /^(gzip|gcc|bzip2)$/);
    };
    for my $program (prepared_programs($margay, $tools, $files, $quick,
        $is_wanted)) {
        note($program->{name});
        my ($all, $repeats, $infinite, $rest, $sum) = (0) x 5;
        for (lines_of('bash', '-c', '{ ' . $program->{record}->('words', '-')
            . "; } 2>/dev/null | '$margay' histogram -q -j1 -b 32 --bound 131072 -")) {
            my ($distance, $to, $count) = (split /,/)[2 .. 4];
            next if $distance !~ /^(\d+|inf)$/;
            # Beyond the bound, new or not.
            $distance = 'inf' if $to eq 'inf';
            $all += $count;
            my $bin = $distance eq 'inf' ? 'inf'
                : $distance == 0 ? 0 : 1 + int(log($distance) / log(2) + 1e-9);
            $share{$bin}{ $program->{name} } += $count;
            if ($distance eq 'inf') { $infinite += $count }
            elsif ($distance == 0) { $repeats += $count }
            else { $rest += $count; $sum += $distance * $count }
        }
        $share{$_}{ $program->{name} } /= $all for grep {
            $share{$_}{ $program->{name} } } keys %share;
        push @names, $program->{name};
        push @lines, distances_row($program->{name}, $all, $repeats, $infinite,
            sprintf '%.2f', $sum / $rest);
    }
    my @their_lines = map { distances_row(@$_) } @theirs;
    write_table("$out/tables/fu-distances.csv", join(',', qw(program accesses zero
        zero_percent infinite infinite_percent mean_of_the_rest)) . "\n", @lines,
        mean_shares('mean of ours', @lines), @their_lines,
        mean_shares('mean of theirs', @their_lines));
    my @drawn = grep { /^(gzip|gcc|bzip2|fft)$/ } @names;
    write_table("$out/tables/fu-histograms.csv", join(',', 'bin', @drawn) . "\n",
        map {
            my $bin = $_;
            join(',', $bin, map { sprintf '%.5f', $share{$bin}{$_} // 0 } @drawn)
                . "\n"
        } 0 .. 17, 'inf');
    draw($out, 'series.gp', 'fu-histograms.png', 'fu-histograms.csv', 'bars',
        'Reuse distances of programs, in blocks of 32 bytes', 'shares of all '
        . 'references; bin i has distances from 2^(i-1) to below 2^i', 'bin',
        'share of references');
}

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

# Megabytes of a whole command on uniform references, each to a block of so many.
sub measure_space {
    my @lines = "blocks,bounded_MB,olken_MB\n";
    for my $blocks (map { 1 << $_ } $quick ? 18 : (18, 20, 22)) {
        run($margay, 'generate', 'uniform', '--blocks', $blocks, '--refs',
            2 * $blocks, '--seed', 1, '--to', 'u64', '-q', '-o', "$files/space.u64");
        push @lines, join(',', $blocks, map {
            sprintf '%.1f', measure($margay, 'histogram', '-q', '-j1', '--ids',
                '--bins', 'log2', @$_, "$files/space.u64")->{peak} / 1e6
        } ['-e', 'bounded', '--bound', 1 << 17], ['-e', 'olken']) . "\n";
    }
    unlink "$files/space.u64";
    write_table("$out/tables/fu-space.csv", @lines);
}

my %wanted = map { $_ => 1 } split /,/, $only || 'space,distances,ways';
measure_space() if $wanted{space};
measure_distances() if $wanted{distances};
if ($wanted{ways}) {
    measure_ways();
    write_errors();
    draw($out, 'fu.gp', "fu-$_->[0].png", 'fu-ways.csv', @$_) for @drawn;
}
