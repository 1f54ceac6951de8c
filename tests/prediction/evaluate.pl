#!/usr/bin/perl
# evaluate.pl - how well the locality of programs is predicted, as in Tables II, III
# and V of Zhong, Shen and Ding (2009)
#
#     evaluate.pl [--only NAME,...] MARGAY PROGRAMS FILES OUT
#
# MARGAY is the command, PROGRAMS the one built from this folder, FILES a folder for
# the histograms, which are made on the first run.  Each program runs on six sizes
# of its input; recordings by valgrind need valgrind.  Writes
#
#   OUT/tables/prediction-means.csv  mean accuracies, in percent, of the three large
#       sizes predicted from the three small ones (the larger two, for the method of
#       two inputs), by five methods; "as published" are those of `predict --plain`
#       without the compressors
#   OUT/tables/prediction-data.csv   the data of each program's largest run:
#       elements of 8 bytes, reuses of each, and their mean distance
#   OUT/tables/prediction-sizes.csv  accuracies of the single method of three runs:
#       of the largest run from the three small ones, where the size is given, where
#       it is found from the beginning of the run ("sampled"), and where the number
#       of elements is taken for it; how much of the run was to come when the size
#       was found; and of the smallest run from the three large ones.  "n": not
#       trusted, no change is predicted.  "-": no size is found.
#   OUT/tables/prediction-found.csv  means of these and the paper's
use strict;
use warnings;
use FindBin;
use Getopt::Long;
use lib $FindBin::Bin;
use Programs qw(configure find_programs trace_of histogram_of predict mean);
require './tests/papers/tables.pl';

my $only = '';
GetOptions('only=s' => \$only) && @ARGV == 4
    or die "usage: evaluate.pl [--only NAME,...] MARGAY PROGRAMS FILES OUT\n";
my ($margay, $own, $files, $out) = @ARGV;
configure($margay, $own, $files, '8,64');
my @programs = find_programs(split /,/, $only);

my @methods = (
    # Runs that are learnt from, and options.
    ['single_2', 2, '--method single'], ['single_3', 3, '--method single'],
    ['multi_log2', 3, '--bins log2'], ['multi_loglinear', 3, '--bins loglinear'],
    ['multi_reference', 3, '--method multi --bins reference'],
);

sub table {
    my ($name, @rows) = @_;
    write_table("$out/tables/prediction-$name.csv",
        map { join(',', @$_) . "\n" } @rows);
}

sub percent { return sprintf '%.1f', 100 * mean(@_) }

# ----------------------------------------------------------------- Table V --

# The means of no change and of each method.
sub method_means {
    my ($block, $plain, @of) = @_;
    my (%accuracy, @no_change);
    for my $program (@of) {
        my @sizes = @{ $program->{sizes} };
        my @runs = map { [histogram_of($program, $block, $_), $_] } @sizes;
        for my $method (@methods) {
            my ($name, $count, $options) = @$method;
            for my $run (@runs[3 .. 5]) {
                my $got = predict("$options $plain", @$run, @runs[3 - $count .. 2]);
                push @{ $accuracy{$name} }, $got->{accuracy};
                push @no_change, $got->{no_change};
            }
        }
    }
    return map { percent(@$_) } \@no_change, map { $accuracy{ $_->[0] } } @methods;
}

my @plain = grep { $_->{name} !~ /^(gzip|bzip2)$/ } @programs;
table('means', ['mean_accuracy', 'no_change', map { $_->[0] } @methods],
    ['Zhong et al. Table V', '', '90.0', 95.6, 93.2, 94.9, 88.5],
    ['8-byte blocks', method_means(8, '', @programs)],
    ['as published without compressors', method_means(8, '--plain', @plain)],
    ['64-byte blocks', method_means(64, '', @programs)]);

# ------------------------------------------------------- Tables II and III --

# Elements, references at finite distances, and the mean of these.
sub data_of {
    my ($path) = @_;
    my ($elements, $references, $sum) = (0, 0, 0);
    open my $table, '<', $path or die "$path: $!\n";
    while (my $row = <$table>) {
        my ($from, $count) = (split /,/, $row)[2, 4];
        $elements = $count if $from eq 'inf';
        next if $from !~ /^\d+$/;
        $references += $count;
        $sum += $from * $count;
    }
    return { elements => $elements, references => $references,
             distance => $sum / $references };
}

# The size of a run by its beginning, and how much was still to come; nothing
# where no size is found.
sub sample {
    my ($program, $size, @known) = @_;
    my $path = "$files/$program->{name}-sampled.txt";
    my $format;
    my $runs = join ' ', map {
        (my $trace, $format) = trace_of($program, $_);
        "<($trace)" . ($_ == $size ? '' : "=$_");
    } @known, $size;
    system 'bash', '-c', "$margay predict --sample $format -b 8 $runs "
        . "2>$path >$path.csv"
        if !-e $path;
    open my $said, '<', $path or die "$path: $!\n";
    my $text = join '', <$said>;
    return $text =~ /input size (\S+), coverage (\S+)/ ? ($1, $2) : ();
}

sub examine {
    my ($program) = @_;
    my @sizes = @{ $program->{sizes} };
    my @paths = map { histogram_of($program, 8, $_) } @sizes;
    my @data = map { data_of($_) } @paths;
    my @runs = map { [$paths[$_], $sizes[$_]] } 0 .. 5;
    my $single = sub { predict('--method single', @_) };
    my ($found, $coverage) = sample($program, $sizes[5], @sizes[0 .. 2]);
    return {
        name => $program->{name}, size => $sizes[5], data => $data[5],
        found => $found, coverage => $coverage,
        given => $single->($paths[5], $sizes[5], @runs[0 .. 2]),
        sampled => $found ? $single->($paths[5], $found, @runs[0 .. 2]) : undef,
        by_data => $single->($paths[5], $data[5]{elements},
            map { [$paths[$_], $data[$_]{elements}] } 0 .. 2),
        smaller => $single->($paths[0], $sizes[0], @runs[3 .. 5]),
    };
}

sub trusted_percent {
    my ($got) = @_;
    return '-' unless $got;
    return percent($got->{accuracy}) . ($got->{trusted} ? '' : ' n');
}

my @rows = map { examine($_) } @programs;
my @found = grep { $_->{found} } @rows;
table('data', [qw(program size elements reuses_per_element mean_distance)], map {
    my $data = $_->{data};
    [@$_{qw(name size)}, $data->{elements}, sprintf('%.1f',
        $data->{references} / $data->{elements}),
        sprintf '%.0f', $data->{distance}]
} @rows);

# The mean accuracy of one of the predictions of rows.
sub mean_of {
    my ($key, @of) = @_;
    return @of ? percent(map { $_->{$key}{accuracy} } @of) : '-';
}

my $no_change = sub { percent(map { $_->{ $_[0] }{no_change} } @rows) };
my $coverage = @found ? sprintf '%.3f', mean(map { $_->{coverage} } @found) : '-';
my ($sampled, $by_data) = (mean_of('sampled', @found), mean_of('by_data', @rows));
table('sizes', [qw(program patterns no_change size_given sampled elements size_found
    off_by coverage smaller_no_change smaller)], map({
        my $row = $_;
        [$_->{name}, "$_->{given}{patterns}d", percent($_->{given}{no_change}),
            (map { trusted_percent($row->{$_}) } qw(given sampled by_data)),
            $_->{found} ? (sprintf('%.0f', $_->{found}), sprintf('%.1f%%',
                100 * abs($_->{found} / $_->{size} - 1)), sprintf('%.3f',
                $_->{coverage})) : ('-', '-', '-'),
            percent($_->{smaller}{no_change}), trusted_percent($_->{smaller})]
    } @rows), ['**mean**', '', $no_change->('given'), mean_of('given', @rows),
        $sampled, $by_data, '', '', $coverage, $no_change->('smaller'),
        mean_of('smaller', @rows)]);

my @accuracies = sort { $a <=> $b } map { $_->{sampled}{accuracy} } @found;
table('found', ['mean', 'Zhong_et_al.', 'Margay'],
    ['accuracy of sampled sizes', 93.5, $sampled],
    ['the same with true sizes', '', mean_of('given', @found)],
    ['least', 72.8, @found ? percent($accuracies[0]) : '-'],
    ['most', 99.2, @found ? percent($accuracies[-1]) : '-'],
    ['accuracy of sizes of the data', 88.6, $by_data],
    ['coverage', 0.991, $coverage]);
