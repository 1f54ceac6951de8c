#!/usr/bin/perl
# small.pl - is a prediction from small inputs ever worse than no change?
#
#     small.pl [--only NAME,...] [--farthest N] MARGAY PROGRAMS FILES
#
# MARGAY, PROGRAMS and FILES as in evaluate.pl.  From every two and every three
# neighbouring sizes of a program's small inputs every larger one is predicted
# that is at most N times the largest of them, 16 unless told, by the single
# method, from two runs and from three, and by multi/log2, from two and from
# three, and multi/reference, in blocks of 8 and 64 bytes.  Prints for each
# program how many predictions there are, how many are of trusted models, how
# many of these are worse than no change, and by how much at most; and the mean
# accuracy of trusted ones, and of no change in their place.
use strict;
use warnings;
use FindBin;
use Getopt::Long;
use List::Util qw(max);
use lib $FindBin::Bin;
use Programs qw(configure find_programs histogram_of mean %small);

my ($only, $farthest) = ('', 16);
GetOptions('only=s' => \$only, 'farthest=f' => \$farthest) && @ARGV == 3
    or die "usage: small.pl [--only NAME,...] [--farthest N] "
    . "MARGAY PROGRAMS FILES\n";
my ($margay, $own, $files) = @ARGV;
configure($margay, $own, $files, '8,64');

my @methods = (
    [2, '--method single'], [3, '--method single'],
    [2, '--bins log2'],     [3, '--bins log2'],
    [3, '--method multi --bins reference'],
);

# Accuracy, that of no change, and trust; nothing where no model is learnt.
sub predict
{
    my ($program, $block, $options, $size, @from) = @_;
    my $runs = join ' ', map { histogram_of($program, $block, $_) . "=$_" } @from;
    my $truth = histogram_of($program, $block, $size);
    my $said = `$margay predict $options --size $size $runs --truth $truth \\
        2>&1 >/dev/null`;
    my ($accuracy, $no_change) =
        $said =~ /\bpredict: accuracy (\S+) no_change (\S+)/
        or return;
    return { accuracy => $accuracy, no_change => $no_change,
             trusted => scalar $said =~ /: trusted$/m };
}

sub predict_all
{
    my ($program, $block) = @_;
    my @sizes = @{$small{$program->{name}}};
    my @got;
    for my $method (@methods) {
        my ($runs, $options) = @$method;
        for my $first (0 .. @sizes - $runs - 1) {
            my @from = @sizes[$first .. $first + $runs - 1];
            push @got, map { predict($program, $block, $options, $_, @from) }
                grep { $_ <= $farthest * $from[-1] }
                @sizes[$first + $runs .. $#sizes];
        }
    }
    return @got;
}

sub print_row
{
    my ($name, @got) = @_;
    my @trusted = grep { $_->{trusted} } @got;
    my @losses = map { $_->{no_change} - $_->{accuracy} } @trusted;
    my @means = map { my $key = $_; 100 * mean(map { $_->{$key} } @trusted) }
        qw(accuracy no_change);
    printf "| %s | %d | %d | %d | %s |\n", $name, scalar @got, scalar @trusted,
        scalar(grep { $_ > 5e-5 } @losses), @trusted
        ? sprintf('%.4f | %.1f | %.1f', max(0, @losses), @means)
        : '- | - | -';
}

print "| program | predictions | trusted | worse | by at most | accuracy | ",
    "no change |\n", '| --- ' x 7, "|\n";
my @all;
for my $program (grep { $small{$_->{name}} } find_programs(split /,/, $only)) {
    my @got = map { predict_all($program, $_) } 8, 64;
    print_row($program->{name}, @got);
    push @all, @got;
}
print_row('**all**', @all);
