#!/usr/bin/perl
# evaluate.pl - how well the locality of programs is predicted
#
#     evaluate.pl [--csv] [--plain] [--only NAME,...] [--blocks 8,64]
#         MARGAY PROGRAMS FILES
#
# MARGAY is the command, PROGRAMS the one built from this folder, FILES a
# folder for the histograms, which are made on the first run.  Each program is
# run on six sizes of its input; from the three small ones (the larger two, for
# the method of two inputs) the three large ones are predicted, by five
# methods, and each prediction is compared with what the program really does.
# Prints a table for each block size: the accuracy of each method beside "no
# change", means over the three sizes.  "n": the command does not trust the
# model, and predicts no change; a "*" for each size at which no change was
# better.  With --csv all rows.  What valgrind
# records needs valgrind.
use strict;
use warnings;
use FindBin;
use Getopt::Long;
use lib $FindBin::Bin;
use Programs qw(configure find_programs histogram_of mean);

my ($csv, $only, $blocks, $plain) = (0, '', '8,64', 0);
GetOptions('csv' => \$csv, 'plain' => \$plain, 'only=s' => \$only, 'blocks=s' => \$blocks)
    && @ARGV == 3
    or die "usage: evaluate.pl [--csv] [--plain] [--only NAME,...] "
    . "[--blocks B,...] MARGAY PROGRAMS FILES\n";
my ($margay, $own, $files) = @ARGV;
configure($margay, $own, $files, $blocks);

my @methods = (
    { name => 'single_2', runs => 2, options => '--method single' },
    { name => 'single_3', runs => 3, options => '--method single' },
    { name => 'multi_log2', runs => 3, options => '--bins log2' },
    { name => 'multi_loglinear', runs => 3, options => '--bins loglinear' },
    { name => 'multi_reference', runs => 3,
      options => '--method multi --bins reference' },
);

# ------------------------------------------------------------- measuring --

# Accuracy, that of no change, their miss-ratio errors, trust.
sub predict
{
    my ($program, $block, $method, $size) = @_;
    my @runs = map { histogram_of($program, $block, $_) . "=$_" }
        @{$program->{sizes}}[3 - $method->{runs} .. 2];
    my $truth = histogram_of($program, $block, $size);
    my $form = $plain ? '--plain' : '';
    my $said = `$margay predict $method->{options} $form --size $size @runs \\
        --truth $truth 2>&1 >/dev/null`;
    my $trusted = $said =~ /: trusted$/m ? 1 : 0;
    $said =~ /\bpredict: accuracy (\S+) no_change (\S+)\n.*error (\S+) no_change (\S+)/
        or die "predict: $said\n";
    return { accuracy => $1, no_change => $2, error => $3,
             no_change_error => $4, trusted => $trusted };
}

# -------------------------------------------------------------- printing --

my @names = map { $_->{name} } @methods;
print 'program,block_bytes,size,method,accuracy,no_change,miss_ratio_error,'
    . "no_change_error,trusted\n"
    if $csv;
for my $block (split /,/, $blocks) {
    my (%all, @none);
    print "\nblocks of $block bytes\n\n| program | no change | ",
        join(' | ', @names), " |\n", '| --- ' x (2 + @names), "|\n"
        unless $csv;
    for my $program (find_programs(split /,/, $only)) {
        my (%of, @unchanged);
        for my $size (@{$program->{sizes}}[3 .. 5]) {
            for my $method (@methods) {
                my $got = predict($program, $block, $method, $size);
                push @{$of{$method->{name}}}, $got;
                push @{$all{$method->{name}}}, $got;
                push @unchanged, $got->{no_change};
                print join(',', $program->{name}, $block, $size,
                    $method->{name},
                    @$got{qw(accuracy no_change error no_change_error
                             trusted)}), "\n"
                    if $csv;
            }
        }
        my $unchanged = mean(@unchanged);
        push @none, $unchanged;
        next if $csv;
        printf '| %s | %.1f |', $program->{name}, 100 * $unchanged;
        for my $name (@names) {
            my $worse = grep { $_->{accuracy} < $_->{no_change} - 5e-5 }
                @{$of{$name}};
            my $mark = $of{$name}[0]{trusted} || $plain ? '' : ' n';
            printf ' %.1f%s%s |',
                100 * mean(map { $_->{accuracy} } @{$of{$name}}), $mark,
                '*' x $worse;
        }
        print "\n";
    }
    next if $csv;
    printf '| **mean** | %.1f |', 100 * mean(@none);
    printf ' **%.1f** |', 100 * mean(map { $_->{accuracy} } @{$all{$_}})
        for @names;
    print "\n";
    printf '| miss ratio error | %.4f |',
        mean(map { $_->{no_change_error} } @{$all{single_3}});
    printf ' %.4f |', mean(map { $_->{error} } @{$all{$_}}) for @names;
    print "\n";
}
