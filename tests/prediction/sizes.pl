#!/usr/bin/perl
# sizes.pl - predictions of larger and smaller runs, by sizes told three ways
#
#     sizes.pl [--only NAME,...] MARGAY PROGRAMS FILES
#
# MARGAY, PROGRAMS and FILES as in evaluate.pl; blocks are of 8 bytes, and the
# method is the single one of three runs.  Prints two tables.  The first has the
# data of each program's largest run: elements, reuses of each, and their mean
# distance.  The second has the accuracy of predictions: of the largest run from
# the three small ones, where the size is given, where it is found from the
# beginning of the run ("sampled"), and where the number of elements is taken
# for the size; how much of the run was to come when the size was found; and of
# the smallest run from the three large ones.  "n": not trusted, no change is
# predicted.  "-": no size is found.
use strict;
use warnings;
use FindBin;
use Getopt::Long;
use lib $FindBin::Bin;
use Programs qw(configure find_programs trace_of histogram_of mean);

my $only = '';
GetOptions('only=s' => \$only) && @ARGV == 3
    or die "usage: sizes.pl [--only NAME,...] MARGAY PROGRAMS FILES\n";
my ($margay, $own, $files) = @ARGV;
configure($margay, $own, $files, '8,64');

# ------------------------------------------------------------- measuring --

# Elements, references at finite distances, and the mean of these.
sub data_of
{
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

# The dimension of the patterns, the accuracy, that of no change, and trust, of
# runs, each with its size, for the truth, whose size is said to be `size`.
sub predict
{
    my ($truth, $size, @runs) = @_;
    my $said = `$margay predict --method single --size $size \\
        @{[map { "$_->[0]=$_->[1]" } @runs]} --truth $truth 2>&1 >/dev/null`;
    my %got = (trusted => scalar $said =~ /: trusted$/m);
    ($got{patterns}) = $said =~ /patterns of (\d)-/;
    @got{qw(accuracy no_change)} =
        $said =~ /\bpredict: accuracy (\S+) no_change (\S+)/
        or die "predict: $said\n";
    return \%got;
}

# The size of a run by its beginning, and how much was still to come; nothing
# where no size is found.
sub sample
{
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

sub examine
{
    my ($program) = @_;
    my @sizes = @{$program->{sizes}};
    my @paths = map { histogram_of($program, 8, $_) } @sizes;
    my @data = map { data_of($_) } @paths;
    my @small = map { [$paths[$_], $sizes[$_]] } 0 .. 2;
    my ($found, $coverage) = sample($program, $sizes[5], @sizes[0 .. 2]);
    return {
        name => $program->{name}, size => $sizes[5], data => $data[5],
        given => predict($paths[5], $sizes[5], @small),
        found => $found, coverage => $coverage,
        sampled => $found ? predict($paths[5], $found, @small) : undef,
        by_data => predict($paths[5], $data[5]{elements},
            map { [$paths[$_], $data[$_]{elements}] } 0 .. 2),
        smaller => predict($paths[0], $sizes[0],
            map { [$paths[$_], $sizes[$_]] } 3 .. 5),
    };
}

# -------------------------------------------------------------- printing --

sub percent
{
    my ($got) = @_;
    return '-' unless $got;
    return sprintf '%.1f%s', 100 * $got->{accuracy},
        $got->{trusted} ? '' : ' n';
}

my @rows = map { examine($_) } find_programs(split /,/, $only);
print "\n| program | size | elements | reuses per element | mean distance |\n",
    "| --- | --- | --- | --- | --- |\n";
printf "| %s | %d | %d | %.1f | %.0f |\n", $_->{name}, $_->{size},
    $_->{data}{elements}, $_->{data}{references} / $_->{data}{elements},
    $_->{data}{distance}
    for @rows;

print "\n| program | patterns | no change | size given | sampled | elements | ",
    "size found | off by | coverage | smaller, no change | smaller |\n",
    '| --- ' x 11, "|\n";
for my $row (@rows) {
    my $off = $row->{found} && abs($row->{found} / $row->{size} - 1);
    printf "| %s | %dd | %.1f | %s | %s | %s | %s | %s | %.1f | %s |\n",
        $row->{name}, $row->{given}{patterns},
        100 * $row->{given}{no_change},
        (map { percent($row->{$_}) } qw(given sampled by_data)),
        $row->{found}
        ? sprintf('%.0f | %.1f%%', $row->{found}, 100 * $off)
        : '- | -',
        $row->{found} ? sprintf('%.3f', $row->{coverage}) : '-',
        100 * $row->{smaller}{no_change}, percent($row->{smaller});
}
my @found = grep { $_->{found} } @rows;
printf "| **mean** | | %.1f | %.1f | %s | %.1f | | | %s | %.1f | %.1f |\n",
    100 * mean(map { $_->{given}{no_change} } @rows),
    100 * mean(map { $_->{given}{accuracy} } @rows),
    @found ? sprintf('%.1f', 100 * mean(map { $_->{sampled}{accuracy} } @found))
    : '-',
    100 * mean(map { $_->{by_data}{accuracy} } @rows),
    @found ? sprintf('%.3f', mean(map { $_->{coverage} } @found)) : '-',
    100 * mean(map { $_->{smaller}{no_change} } @rows),
    100 * mean(map { $_->{smaller}{accuracy} } @rows);
printf "\nprograms whose size is found: %d of %d; size given, of these: %.1f\n",
    scalar @found, scalar @rows,
    100 * mean(map { $_->{given}{accuracy} } @found)
    if @found;
