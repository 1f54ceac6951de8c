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
use Getopt::Long;

my ($csv, $only, $blocks, $plain) = (0, '', '8,64', 0);
GetOptions('csv' => \$csv, 'plain' => \$plain, 'only=s' => \$only, 'blocks=s' => \$blocks)
    && @ARGV == 3
    or die "usage: evaluate.pl [--csv] [--plain] [--only NAME,...] "
    . "[--blocks B,...] MARGAY PROGRAMS FILES\n";
my ($margay, $own, $files) = @ARGV;
my %wanted = map { $_ => 1 } split /,/, $only;
mkdir $files;

# ------------------------------------------------------------- programs --

# What prints the trace of a size; sizes are those of the data.
sub squares { return map { $_ * $_ } @_ }
sub cubes   { return map { $_**3 } @_ }
sub root    { my ($size, $n) = @_; return int($size**(1 / $n) + 0.5) }

sub matmul
{
    my $n = root($_[0], 2);
    return generate('matmul', 3 * $n * $n, $n * $n * (2 * $n + 1));
}

sub stencil
{
    my ($name, $dimensions, $points, $size) = @_;
    my $n = root($size, $dimensions);
    my $sweep = $points * ($n - 2)**$dimensions;
    return generate($name, 2 * $size, 4 * $sweep);
}

# 2^bits complex numbers; in bit reversal, those that are no palindromes swap.
sub fft
{
    my ($size) = @_;
    my $bits = int(log($size) / log(2) + 0.5);
    my $swaps = ($size - 2**int(($bits + 1) / 2)) / 2;
    return generate('fft', 2 * $size, 8 * ($swaps + $size / 2 * $bits));
}

sub generate
{
    my ($name, $elements, $refs) = @_;
    return "$margay generate $name -q --blocks $elements --refs $refs "
        . '--to u64';
}

# A program compresses a text of a number of bytes.
sub compress
{
    my ($program, $bytes) = @_;
    my $text = "$files/text-$bytes";
    write_text($text, $bytes) unless -e $text;
    return "valgrind --tool=lackey --trace-mem=yes --log-fd=9 $program -c "
        . "$text 9>&1 1>/dev/null | grep '^ '";
}

# Words of a made-up language, the frequent ones often, in sentences.
sub write_text
{
    my ($path, $bytes) = @_;
    my $state = 12345;
    my $draw = sub {
        $state = ($state * 1103515245 + 12345) & 0x7fffffff;
        return ($state >> 8) % $_[0];
    };
    my @words = map {
        join '', map { chr(97 + $draw->(26)) } 1 .. 2 + $draw->(7)
    } 1 .. 2000;
    my $text = '';
    while (length $text < $bytes) {
        $text .= $words[2000 * ($draw->(1000) / 1000)**2.5];
        $text .= $draw->(12) == 0 ? ".\n" : ' ';
    }
    open my $file, '>', "$path.part" or die "$path: $!\n";
    print $file substr $text, 0, $bytes;
    close $file and rename "$path.part", $path or die "$path: $!\n";
}

my $sort = [4096, 8192, 16384, 32768, 65536, 131072];
my @programs = (
    { name => 'matmul', trace => \&matmul,
      sizes => [squares 24, 36, 54, 80, 120, 180] },
    { name => 'fft', trace => \&fft,
      sizes => [1024, 2048, 4096, 8192, 16384, 32768] },
    { name => 'stencil', trace => sub { stencil('stencil', 2, 6, @_) },
      sizes => [squares 64, 96, 144, 216, 324, 486] },
    { name => 'stencil3d', trace => sub { stencil('stencil3d', 3, 8, @_) },
      sizes => [cubes 16, 24, 32, 48, 64, 80] },
    { name => 'lu', sizes => [squares 48, 72, 108, 160, 220, 300] },
    { name => 'spmv', sizes => $sort },
    { name => 'nbody', sizes => [96, 144, 216, 324, 486, 729] },
    { name => 'quicksort', sizes => $sort },
    { name => 'mergesort', sizes => $sort },
    { name => 'heapsort', sizes => $sort },
    { name => 'tree', sizes => [1024, 2048, 4096, 8192, 16384, 32768] },
    { name => 'hash', sizes => $sort },
    { name => 'search', sizes => $sort },
    { name => 'lisp', sizes => [250, 500, 1000, 2000, 4000, 8000] },
    { name => 'gzip', trace => sub { compress('gzip', @_) }, valgrind => 1,
      sizes => [16384, 32768, 65536, 131072, 262144, 524288] },
    { name => 'bzip2', trace => sub { compress('bzip2', @_) }, valgrind => 1,
      sizes => [8192, 16384, 32768, 65536, 131072, 262144] },
);
my @methods = (
    { name => 'single_2', runs => 2, options => '--method single' },
    { name => 'single_3', runs => 3, options => '--method single' },
    { name => 'multi_log2', runs => 3, options => '--bins log2' },
    { name => 'multi_loglinear', runs => 3, options => '--bins loglinear' },
    { name => 'multi_reference', runs => 3,
      options => '--method multi --bins reference' },
);

# ------------------------------------------------------------- measuring --

sub run
{
    my ($command) = @_;
    system('bash', '-c', "set -o pipefail; $command") == 0
        or die "failed: $command\n";
}

sub histogram_of
{
    my ($program, $block, $size) = @_;
    my $path = "$files/$program->{name}-$block-$size.csv";
    return $path if -e $path;
    my $trace =
        $program->{trace}
        ? $program->{trace}->($size)
        : "$own $program->{name} $size";
    my $format =
        $program->{valgrind} ? '-f lackey --kind read,write' : '-f u64';
    my @parts = map { "$files/$program->{name}-$_-$size.csv" }
        split /,/, $blocks;
    # All block sizes from one pass; then a table for each.
    run("$trace | $margay histogram -q $format -b $blocks -o $files/all.csv");
    for my $b (split /,/, $blocks) {
        my $table = "$files/$program->{name}-$b-$size.csv";
        run("awk -F, 'NR == 1 || \$2 == $b' $files/all.csv >$table.part");
        rename "$table.part", $table or die "$table: $!\n";
    }
    unlink "$files/all.csv";
    return $path;
}

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

sub mean
{
    my $sum = 0;
    $sum += $_ for @_;
    return $sum / @_;
}

# -------------------------------------------------------------- printing --

my @names = map { $_->{name} } @methods;
my $has_valgrind = `sh -c 'command -v valgrind'` ne '';
print 'program,block_bytes,size,method,accuracy,no_change,miss_ratio_error,'
    . "no_change_error,trusted\n"
    if $csv;
for my $block (split /,/, $blocks) {
    my (%all, @none);
    print "\nblocks of $block bytes\n\n| program | no change | ",
        join(' | ', @names), " |\n", '| --- ' x (2 + @names), "|\n"
        unless $csv;
    for my $program (@programs) {
        next if $only && !$wanted{$program->{name}};
        next if $program->{valgrind} && !$has_valgrind;
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
