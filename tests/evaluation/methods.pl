#!/usr/bin/perl
# methods.pl - runs of a second and more by each way to record, beside PARDA's
#
#     methods.pl [[OPTION...] MARGAY MEASURE FOLDER] OUT
#
# Options, MARGAY, MEASURE and FOLDER are those of evaluate.pl, whose group is
# `long` here.  Writes
#
#   OUT/tables/recording-debian-N.csv  times over the program's own, where N is the
#       version of Debian; a row that was measured takes the place of the one of its
#       program and method, as soon as there is one, and the others stay
#   OUT/tables/recording-means.csv     the means of all such tables by method, with
#       what PARDA has
#   OUT/tables/recording-goals.csv     what is wanted of them, and what it is
#
# With OUT alone nothing is measured, and the last two are written again.
#
# `exact` is the analysis by the default engine as two cores need at least, as all
# columns are, and `exact_sum` that of both processors together.
use strict;
use warnings;
require './tests/papers/tables.pl';

@ARGV == 1 || @ARGV >= 4
    or die "usage: methods.pl [[OPTION...] MARGAY MEASURE FOLDER] OUT\n";
my $out = pop . '/tables';
my @methods = ('runtime clang', 'runtime', 'valgrind');
my %place = map { $methods[$_] => $_ } 0 .. $#methods;
my @times = qw(dropped capture pipe exact exact_sum);
my %seconds = (exact => 'margay_seconds', exact_sum => 'margay_both_seconds');
my @columns = (qw(program method by references_millions native_seconds), @times);

# The number of this Debian, or the name of another system.
sub system_here {
    my $text = do { local (@ARGV, $/) = '/etc/os-release'; <> };
    my ($system) = $text =~ /^ID="?([\w-]+)/m;
    my ($version) = $text =~ /^VERSION_ID="?([\w.-]+)/m;
    return "$system-" . ($version // 'testing');
}

sub times_of {
    my ($row) = @_;
    my $native = $row->{native_seconds};
    my %new = (%$row{qw(program method by)});
    return \%new if $native eq '';
    $new{references_millions} = sprintf '%.0f', $row->{references} / 1e6;
    $new{native_seconds} = sprintf '%.2f', $native;
    $new{$_} = sprintf '%.1f', $row->{ $seconds{$_} // "${_}_seconds" } / $native
        for @times;
    return \%new;
}

sub key { return "$_[0]{program},$_[0]{method}" }

# Rows by program, those of none at the end.
sub write_rows {
    my ($path, %rows) = @_;
    my @sorted = sort {
        ($a->{program} eq 'none') <=> ($b->{program} eq 'none')
            || $a->{program} cmp $b->{program}
            || $place{ $a->{method} } <=> $place{ $b->{method} }
    } values %rows;
    write_table($path, map { join(',', @$_) . "\n" } \@columns,
        map { [map { $_ // '' } @$_{@columns}] } @sorted);
}

# Each row goes into the table as soon as it is measured.
sub measure {
    my ($path, @command) = @_;
    my $table = read_table($path);
    my %rows = map { key($_) => $_ } $table ? rows_of($table) : ();
    open my $in, '-|', $^X, 'tests/evaluation/evaluate.pl', '--long', @command
        or die "methods: $!\n";
    chomp(my @names = split /,/, <$in> // '');
    while (<$in>) {
        chomp;
        my %row;
        @row{@names} = split /,/, $_, -1;
        delete $rows{"none,$row{method}"};
        $rows{ key(\%row) } = times_of(\%row);
        write_rows($path, %rows);
    }
    close $in or die "methods: evaluate.pl failed\n";
}

# Of a method: the means, and the extremes of the exact analysis.
sub mean_row_of {
    my ($system, $method, @rows) = @_;
    my @measured = grep { $_->{program} ne 'none' } @rows;
    my $by = (@measured ? @measured : @rows)[0]{by};
    my @exact = sort { $a <=> $b } map { $_->{exact} } @measured;
    my @means = map {
        my ($column, $sum) = ($_, 0);
        $sum += $_->{$column} for @measured;
        @measured ? sprintf '%.1f', $sum / @measured : '';
    } @times;
    return join(',', $system, $method, $by, scalar @measured, @means,
        $exact[0] // '', $exact[-1] // '') . "\n";
}

# {SYSTEM => [rows of its table]}.
sub systems {
    return map {
        my ($system) = /recording-(\w+-[\w.]+)\.csv$/;
        ($system =~ tr/-/ /r => [rows_of(read_table($_))]);
    } glob "$out/recording-debian-*.csv";
}

sub write_means {
    my %systems = @_;
    my @lines = (join(',', qw(system method by programs), @times,
        qw(exact_least exact_most)) . "\n",
        "PARDA,Pin,its authors,,,10.2,16.3,28.5,,13.8,50.2\n");
    for my $system (sort keys %systems) {
        for my $method (@methods) {
            my @of = grep { $_->{method} eq $method } @{ $systems{$system} } or next;
            push @lines, mean_row_of($system, $method, @of);
        }
    }
    write_table("$out/recording-means.csv", @lines);
}

# The goals of a step, for programs built for the recorder and unchanged ones.
my @goals = (
    ['in the program', 'dropped', 1.6, 'runtime clang'],
    ['delivered', 'capture', 3, 'runtime clang'],
    ['analysed', 'exact', 8, 'runtime clang'],
    ['delivered', 'capture', 8, 'valgrind'],
    ['analysed', 'exact', 12, 'valgrind'],
);

# Beside each goal the mean of each system, and how many programs are within.
sub write_goals {
    my %systems = @_;
    my @names = sort keys %systems;
    my @lines = join(',', qw(goal column method wanted), map { tr/ /_/r } @names) . "\n";
    for my $goal (@goals) {
        my ($name, $column, $wanted, @by) = @$goal;
        for my $method (@by) {
            push @lines, join(',', $name, $column, $method, $wanted, map {
                mean_and_count($column, $wanted, grep { $_->{method} eq $method
                    && $_->{program} ne 'none' } @{ $systems{$_} })
            } @names) . "\n";
        }
    }
    write_table("$out/recording-goals.csv", @lines);
}

sub mean_and_count {
    my ($column, $wanted, @rows) = @_;
    return 'none' unless @rows;
    my $sum = 0;
    $sum += $_->{$column} for @rows;
    return sprintf '%.1f (%d of %d within)', $sum / @rows,
        scalar(grep { $_->{$column} <= $wanted } @rows), scalar @rows;
}

measure("$out/recording-" . system_here() . '.csv', @ARGV) if @ARGV;
write_means(systems());
write_goals(systems());
