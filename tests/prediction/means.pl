#!/usr/bin/perl
# means.pl - the means of predictions beside the paper's, and misses of caches
#
#     means.pl MARGAY PROGRAMS FILES TABLES
#
# MARGAY, PROGRAMS and FILES as in evaluate.pl; TABLES is the folder of the tables
# that evaluate.pl and sizes.pl have made.  Prints three tables: mean accuracies
# beside Tables V and II and III of Zhong, Shen and Ding (2009), and the errors of
# `margay compare --prediction` of some programs.
use strict;
use warnings;
use FindBin;
use List::Util qw(max);
use lib $FindBin::Bin;
use Programs qw(configure find_programs trace_of histogram_of mean);
require './tests/papers/tables.pl';

@ARGV == 4 or die "usage: means.pl MARGAY PROGRAMS FILES TABLES\n";
my ($margay, $own, $files, $tables) = @ARGV;
configure($margay, $own, $files, '8,64');
my %is_compressor = (gzip => 1, bzip2 => 1);
my @programs = grep { !$is_compressor{ $_->{name} } } find_programs();

sub print_table {
    my ($head, @rows) = @_;
    print "\n| ", join(' | ', @$head), " |\n", '| --- ' x @$head, "|\n",
        map { '| ' . join(' | ', @$_) . " |\n" } @rows;
}

# The numbers of a cell, without what stands around them.
sub numbers { return map { /([\d.]+)/ ? $1 : () } @_ }

# The means of columns, over all programs or without the compressors.
sub means_of {
    my ($table, $without) = @_;
    my @rows = grep { !$is_compressor{ $_->[0] } && $_->[0] !~ /mean|error/ }
        @{ $table->{rows} };
    my ($all) = grep { $_->[0] =~ /mean/ } @{ $table->{rows} };
    my @columns = 1 .. $#{ $table->{columns} };
    return numbers(@$all[@columns]) unless $without;
    return map { my $i = $_; sprintf '%.1f', mean(numbers(map { $_->[$i] } @rows)) }
        @columns;
}

# As published: no trust, and no part that grows.
sub plain_means {
    my $names = join ',', map { $_->{name} } @programs;
    my ($row) = grep { /mean/ } `perl tests/prediction/evaluate.pl --plain \\
        --blocks 8 --only $names $margay $own $files`;
    return numbers((split /\|/, $row // die "evaluate.pl failed\n")[2 .. 7]);
}

my ($small, $large, $sizes) =
    map { read_table("$tables/prediction-$_.csv") // die "no prediction-$_\n" }
    qw(8-bytes 64-bytes sizes);
print_table(['mean accuracy', 'no change', 'single 2', 'single 3', 'multi log2',
        'multi loglinear', 'multi reference'],
    ['Zhong et al. Table V', '', '90.0', 95.6, 93.2, 94.9, 88.5],
    ['8-byte blocks', means_of($small)],
    ['without compressors', means_of($small, 1)],
    ['as published without compressors', plain_means()],
    ['64-byte blocks', means_of($large)],
    ['64 without compressors', means_of($large, 1)]);

# ------------------------------------------------------- sizes that are found --

my @found = grep { $_->{sampled} =~ /\d/ && $_->{program} !~ /mean/ }
    rows_of($sizes);
my ($mean) = grep { $_->{program} =~ /mean/ } rows_of($sizes);
my @sampled = sort { $a <=> $b } numbers(map { $_->{sampled} } @found);
print_table(['mean', 'Zhong et al.', 'Margay'],
    ['accuracy of sampled sizes', 93.5, $mean->{sampled}],
    ['the same with true sizes', '',
        sprintf '%.1f', mean(numbers(map { $_->{size_given} } @found))],
    ['least', 72.8, $sampled[0]], ['most', 99.2, $sampled[-1]],
    ['accuracy of sizes of the data', 88.6, $mean->{elements}],
    ['coverage', 0.991, $mean->{coverage}]);

# ------------------------------------------------------------------ caches --

my @chosen = qw(matmul stencil3d lu mergesort hash spmv lisp);
my %program = map { $_->{name} => $_ } @programs;
my @rows;
for my $program (map { $program{$_} } @chosen) {
    my @sizes = @{ $program->{sizes} };
    my @runs = map { histogram_of($program, 64, $_) . "=$_" } @sizes[0 .. 2];
    my ($trace, $format) = trace_of($program, $sizes[5]);
    system("$margay predict -q --method single --size $sizes[5] @runs "
        . "-o $files/predicted.csv 2>/dev/null") == 0 or die "predict failed\n";
    chomp(my ($head, @lines) = `$trace | $margay compare -q $format -b 64 \\
        --sets 1..1024 --ways 1,2,4,8,16 --prediction $files/predicted.csv - \\
        2>/dev/null`);
    my @caches = rows_of({ columns => [split /,/, $head // die "compare failed\n"],
        rows => [map { [split /,/] } @lines] });
    push @rows, [$program->{name}, map {
        my $column = $_;
        my @errors = map { abs $_->{$column} } @caches;
        map { sprintf '%.4f', $_ } mean(@errors), max(@errors);
    } qw(error_signature error_binomial error_total)];
}
print_table(['program', map { ("$_ mean", "$_ most") } 'distances', 'to sets',
    'both'], @rows);
