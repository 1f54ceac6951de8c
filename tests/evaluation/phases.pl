#!/usr/bin/perl
# phases.pl - how well a few windows of a program stand for all of it
#
#     phases.pl MARGAY FILES
#
# Records the first references of the programs of small.pl (FILES is where the
# traces are kept), has `margay phases --weights` choose windows of each, and
# measures the sum of their miss curves, by weight, beside that of the whole, as
# a simulator would: each window by itself, once after what comes before it in
# the trace, and once with empty caches.
use strict;
use warnings;
$| = 1;

my ($margay, $files) = @ARGV;
@ARGV == 2 or die "usage: phases.pl MARGAY FILES\n";
my $refs = 8_000_000;
system('mkdir', '-p', $files) == 0 or die;

# Rows of a table, as hashes.
sub table {
    my ($command) = @_;
    my ($head, @rows) = map { chomp; [split /,/] } `$command`;
    $? == 0 && $head or die "phases: $command: failed\n";
    return map { my %row; @row{@$head} = @$_; \%row } @rows;
}

sub misses {
    my ($trace, $sizes, $options) = @_;
    return map { $_->{miss_ratio} }
        table("$margay curve -q --sizes $sizes $options $trace");
}

# The mean difference of miss ratios between the whole and windows that begin
# as `options` has them.
sub mean_error {
    my ($trace, $windows, $sizes, $whole, $options) = @_;
    my @mixture = (0) x @$whole;
    for my $window (@$windows) {
        my @ratios = misses($trace, $sizes, $options->($window));
        $mixture[$_] += $window->{weight} * $ratios[$_] for 0 .. $#ratios;
    }
    my $sum = 0;
    $sum += abs $mixture[$_] - $whole->[$_] for 0 .. $#mixture;
    return $sum / @mixture;
}

sub sum {
    my $sum = 0;
    $sum += $_ for @_;
    return $sum;
}

print "| program | phases | different | windows | share of references "
    . "| mean error | told | from empty caches |\n| --- | --- | --- | --- | --- "
    . "| --- | --- | --- |\n";
my @errors;
for my $program ((do './tests/evaluation/small.pl' or die)->($files)) {
    my ($name, $command) = @$program;
    my $trace = "$files/$name.mgt";
    system('sh', '-c', "$margay record -q --method valgrind --stop $refs -o $trace -- "
        . "$command >/dev/null 2>&1") if !-e $trace;
    next if !-s $trace;
    my @phases = table("$margay phases $trace --curves $files/curves.csv "
        . "--weights $files/windows.csv 2>$files/told");
    my ($told) = `cat $files/told` =~ /miss ratio ([0-9.]+), and about/;
    my @windows = table("cat $files/windows.csv");
    my %sizes = map { $_->{cache_blocks} => 1 } table("cat $files/curves.csv");
    my $sizes = join ',', sort { $a <=> $b } keys %sizes;
    my @whole = misses($trace, $sizes, '');
    my $warm = mean_error($trace, \@windows, $sizes, \@whole,
        sub { "--limit $_[0]{to} --warmup $_[0]{from}" });
    my $cold = mean_error($trace, \@windows, $sizes, \@whole,
        sub { "--skip $_[0]{from} --limit $_[0]{references}" });
    my $all = sum(map { $_->{references} } @phases);
    printf "| %s | %d | %d | %d | %.2f %% | %.4f | %.4f | %.4f |\n", $name,
        scalar @phases, scalar(grep { $_->{recurs} eq '' } @phases),
        scalar @windows, 100 * sum(map { $_->{references} } @windows) / $all,
        $warm, $told, $cold;
    push @errors, $warm;
}
my $largest = (sort { $b <=> $a } @errors)[0];
printf "%d programs: mean error %.4f, largest %.4f\n", scalar @errors,
    sum(@errors) / @errors, $largest;
