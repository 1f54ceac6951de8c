# Programs.pm - the programs whose locality is predicted, and their histograms
#
# Each program runs on six sizes of its input.  What valgrind records needs
# valgrind.
package Programs;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(configure find_programs trace_of histogram_of predict mean);

my ($margay, $own, $files, $blocks);

# The paths of the command, of the program built from this folder and of a
# folder for histograms, which are made on the first run; and the block sizes,
# separated by commas.
sub configure {
    ($margay, $own, $files, $blocks) = @_;
    mkdir $files;
}

# ------------------------------------------------------------- programs --

# What prints the trace of a size; sizes are those of the data.
sub squares { return map { $_ * $_ } @_ }
sub cubes   { return map { $_**3 } @_ }
sub root    { my ($size, $n) = @_; return int($size**(1 / $n) + 0.5) }

sub matmul {
    my $n = root($_[0], 2);
    return generate('matmul', 3 * $n * $n, $n * $n * (2 * $n + 1));
}

sub stencil {
    my ($name, $dimensions, $points, $size) = @_;
    my $n = root($size, $dimensions);
    my $sweep = $points * ($n - 2)**$dimensions;
    return generate($name, 2 * $size, 4 * $sweep);
}

# 2^bits complex numbers; in bit reversal, those that are no palindromes swap.
sub fft {
    my ($size) = @_;
    my $bits = int(log($size) / log(2) + 0.5);
    my $swaps = ($size - 2**int(($bits + 1) / 2)) / 2;
    return generate('fft', 2 * $size, 8 * ($swaps + $size / 2 * $bits));
}

sub generate {
    my ($name, $elements, $refs) = @_;
    return "$margay generate $name -q --blocks $elements --refs $refs "
        . '--to u64';
}

# A program compresses a text of a number of bytes.
sub compress {
    my ($program, $bytes) = @_;
    my $text = "$files/text-$bytes";
    write_text($text, $bytes) unless -e $text;
    return "valgrind --tool=lackey --trace-mem=yes --log-fd=9 $program -c "
        . "$text 9>&1 1>/dev/null | grep '^ '";
}

# Words of a made-up language, the frequent ones often, in sentences.
sub write_text {
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
our @programs = (
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

# ------------------------------------------------------------- measuring --

sub run {
    my ($command) = @_;
    system('bash', '-c', "set -o pipefail; $command") == 0
        or die "failed: $command\n";
}

# The command that prints a program's references, and how they are read.
sub trace_of {
    my ($program, $size) = @_;
    my $trace =
        $program->{trace}
        ? $program->{trace}->($size)
        : "$own $program->{name} $size";
    my $format =
        $program->{valgrind} ? '-f lackey --kind read,write' : '-f u64';
    return ($trace, $format);
}

# The histogram of a program in blocks of a size, made unless it is there.
sub histogram_of {
    my ($program, $block, $size) = @_;
    my $path = "$files/$program->{name}-$block-$size.csv";
    return $path if -e $path;
    my ($trace, $format) = trace_of($program, $size);
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

# The programs that can be run here, or those that are named.
sub find_programs {
    my %wanted = map { $_ => 1 } @_;
    my $has_valgrind = `sh -c 'command -v valgrind'` ne '';
    return grep { (!%wanted || $wanted{$_->{name}})
            && ($has_valgrind || !$_->{valgrind}) } @programs;
}

# The accuracy, that of no change, the dimension of the patterns and trust, of runs,
# each [PATH, SIZE], for the truth, whose size is said to be `size`.
sub predict {
    my ($options, $truth, $size, @runs) = @_;
    my $said = `$margay predict $options --size $size \\
        @{[map { "$_->[0]=$_->[1]" } @runs]} --truth $truth 2>&1 >/dev/null`;
    my %got = (trusted => scalar $said =~ /: trusted$/m);
    ($got{patterns}) = $said =~ /patterns of (\d)-/;
    @got{qw(accuracy no_change)} =
        $said =~ /\bpredict: accuracy (\S+) no_change (\S+)/
        or die "predict: $said\n";
    return \%got;
}

sub mean {
    my $sum = 0;
    $sum += $_ for @_;
    return @_ ? $sum / @_ : 0;
}

1;
