#!/usr/bin/perl
# toplas.pl - speed and precision as in Zhong, Shen and Ding (2009)
#
#     toplas.pl [--quick] [--only STEP,...] MARGAY TOOLS FILES OUT
#
# The arguments are as paper.pl says.  Writes
#
#   tables/toplas-engines.csv    what the analysers take, and ours that stand for
#                                them (their Table I)
#   tables/NAME-sweep.csv, pictures/NAME-sweep.png
#                                what `engines --sweep` writes, each row from
#                                the fastest of three rounds, and its picture;
#                                NAME is toplas, the eight lines of their Figure
#                                7, or engines-exact or engines-others
#   tables/NAME-speed.csv        the same, a row for each engine, in million
#                                references per second
#   tables/toplas-largest.csv    the same and the memory at the end of the sweep,
#                                once each, `exact` and `hp-rda` first
#   tables/toplas-precision.csv  nodes, and references in a wrong bin of 2,048, of
#                                the approximations on a Fourier transform, and
#   tables, pictures/toplas-fft  its longest distances (Figure 7, lower graph)
#   tables, pictures/toplas-sp, toplas-sp-reference
#                                distances of SP with an edge of 28 (Figure 5)
#   tables/toplas-small.csv      predictions of SP from small runs (Table VI)
#   tables/toplas-constant.csv   the share of parts that do not grow (section 4.3.1)
#   tables, pictures/toplas-predicted
#                                a run, and what two small ones predict (Figure 8)
#   tables, pictures/toplas-gcc, toplas-latex, tables/toplas-likeness.csv
#                                runs of a compiler and of LaTeX (Figure 9)
#
#   tables/prediction-*.csv      accuracies of predictions (Tables II, III and V), as
#                                tests/prediction/evaluate.pl says
#
# STEP is engines, speed, largest, precision, programs, sp, constant, predicted or
# translators.
# --quick goes up to 100,000 blocks, transforms 2,048 numbers, and takes two
# programs and two runs of the compiler.
use strict;
use warnings;
use lib './tests/prediction';
use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use Programs qw(configure find_programs histogram_of predict mean);
require './tests/papers/paper.pl';

my $only = '';
my ($quick, $margay, $tools, $files, $out) =
    @{ arguments('only=s' => \$only) }{qw(quick margay tools files out)};
# Commands are run in other folders.
($margay, $tools, $files) = map { abs_path($_) } $margay, $tools, $files;

# ------------------------------------------------------- their Table I --

# The engine; its time and space as published, in our letters; ours.
my @analysers = (
    ['trace as a stack', 'O(N M)', 'O(M)', 'naive'],
    ['trace as a vector', 'O(N log N)', 'O(N)', 'bennett-kruskal'],
    ['trace as a tree', 'O(N log M)', 'O(M)', 'olken'],
    ['aggregate counting', 'O(N s)', 'O(M)', 'markers'],
    ['approximation using time', 'O(N)', 'O(1)', 'shen'],
    ['relative precision', 'O(N log log M)', 'O(log M)', 'scale-tree'],
    ['absolute precision', 'O(N log (M / b))', 'O(M / b)', 'absolute'],
    ['', '', '', 'exact'],
);

sub write_analysers {
    my %of = map { $_->{name} => $_ } objects_of(lines_of($margay, 'engines',
        '--json'));
    write_table("$out/tables/toplas-engines.csv",
        "analyser,published_time,published_space,engine,time,space\n", map {
            join(',', @$_, map { tr/,/;/r } @{ $of{ $_->[3] } }{qw(time space)})
                . "\n"
        } @analysers);
}

# ----------------------------------------------------------------- speed --

my ($most_blocks, $rounds) = $quick ? (100_000, 1) : (10_000_000, 3);
my %lines = (
    'toplas' => [qw(olken bennett-kruskal:k=2 bennett-kruskal:k=16
        bennett-kruskal:k=256 markers scale-tree), 'absolute:c=0,tree=splay',
        'absolute'],
    'engines-exact' => [qw(exact naive olken bennett-kruskal holes bounded parda)],
    'engines-others' => [qw(exact markers scale-tree absolute shen shards
        hp-rda)],
);
my %title = (
    'toplas' => 'Speed of the analysers of Figure 7 over the number of blocks',
    'engines-exact' => 'Speed of exact engines over the number of blocks',
    'engines-others' =>
        'Speed of other engines, beside exact, over the number of blocks',
);

# In millions, two digits.
sub millions {
    my ($rate) = @_;
    return '' unless defined $rate;
    return sprintf '%.*f', $rate < 1e6 ? 2 : $rate < 1e7 ? 1 : 0,
        sprintf('%.1e', $rate) / 1e6;
}

# Each row of the sweep from the round in which it was fastest, as what else runs
# on the machine only slows it down.
sub fastest_rows {
    my (%seconds, %line, @order);
    for (1 .. $rounds) {
        my ($head, @rows) = lines_of($margay, 'engines', '--sweep', '-q', '-j', 1,
            '--blocks', $most_blocks, '--only', join(',', @_));
        @order = ($head) unless @order;
        for my $row (@rows) {
            my ($place, $seconds) = $row =~ /^(.*),\d+,([^,]+),[^,]+$/;
            push @order, $place unless $seconds{$place};
            ($seconds{$place}, $line{$place}) = ($seconds, $row)
                if $seconds < ($seconds{$place} // 'inf');
        }
    }
    return map { $line{$_} // $_ } @order;
}

sub write_speeds {
    my ($name, @rows) = @_;
    my (%rate, @engines);
    for (@rows) {
        # An engine with a comma has quotes.
        my ($engine, $blocks, $rate) = /^"?(.+?)"?,(\d+),\d+,[^,]+,([\d.e+]+)$/
            or next;
        push @engines, $engine unless $rate{$engine};
        $rate{$engine}{$blocks} = $rate;
    }
    my @powers = 3 .. length($most_blocks) - 1;
    write_table("$out/tables/$name-speed.csv",
        join(',', 'engine', map { "1e$_" } @powers) . "\n", map {
            my $of = $rate{$_};
            join(',', tr/,/ /r, map { millions($of->{ 10**$_ }) } @powers) . "\n"
        } @engines);
}

sub sweep {
    my ($name) = @_;
    note("speed, $name");
    my @rows = fastest_rows(@{ $lines{$name} });
    write_table("$out/tables/$name-sweep.csv", @rows);
    run($margay, 'plot', '-q', '--labels', '--title', $title{$name}, '-o',
        "$out/pictures/$name-sweep.png", "$out/tables/$name-sweep.csv");
    note_drawn($out, "$name-sweep.png", "$name-sweep.csv");
    write_speeds($name, @rows);
}

# The last two sizes of the sweep, by the processor's time, and the bytes of
# memory for each block of the last.
sub write_largest {
    my $blocks = $most_blocks * 10;
    my @powers = map { '1e' . (length($blocks) - $_) } 2, 1;
    my @lines = join(',', 'engine', @powers, 'bytes_a_block') . "\n";
    for my $engine (qw(exact hp-rda), @{ $lines{toplas} }) {
        note("$blocks blocks, $engine");
        my @rows = lines_of("$tools/measure", '-o', "$files/largest", $margay,
            'engines', '--sweep', '-q', '-j', 1, '--blocks', $blocks, '--only',
            $engine);
        my ($bytes) = (split ' ', (lines_of('cat', "$files/largest"))[0])[3];
        my %rate = map { /,(\d+),\d+,[^,]+,([^,]+)$/ ? ($1 => $2) : () } @rows;
            push @lines, join(',', $engine =~ tr/,/ /r, map({ millions($rate{$_}) }
            $blocks / 10, $blocks), $rate{$blocks}
            ? sprintf('%.0f', $bytes / $blocks) : '') . "\n";
    }
    write_table("$out/tables/toplas-largest.csv", @lines);
}

# ------------------------------------------------------------- precision --

# A transform of 32,768 complex numbers, which are 65,536 elements: 67 thousand
# with them.  With the paper's line, and its nodes and wrong references where it
# says how many.
my $bits = $quick ? 11 : 15;
my @precise = (
    ['accurate', 'olken', '67 thousand', ''],
    ['99.9%', 'scale-tree:e=0.001', 5869, '0.2'],
    ['99%', 'scale-tree', 823, '2'],
    ['ZDK-2k', 'absolute', 2080, 'under 4'],
    ['Sampling', 'absolute:c=0,tree=splay', '', ''],
);

# {FROM => share of all references} in bins of 2,048.
sub linear_bins {
    my ($engine) = @_;
    my %share;
    for (lines_of($margay, 'histogram', '-q', '-j1', '-b', 8, '-e', $engine,
        '--bins', 'linear:2048', "$files/fft.u64")) {
        $share{$1} = $2 if /,(\d+),\d+,\d+,([\d.e+-]+)$/;
    }
    return \%share;
}

# The share of references in a wrong bin, in percent.
sub wrong {
    my ($true, $got, @bins) = @_;
    my $sum = 0;
    $sum += abs(($true->{$_} // 0) - ($got->{$_} // 0)) for @bins;
    return sprintf '%.2f', 100 * $sum / 2;
}

sub write_precision {
    # Eight references for each exchange of the bit reversal and each butterfly.
    my $numbers = 2**$bits;
    my $exchanges = ($numbers - 2**int(($bits + 1) / 2)) / 2;
    run($margay, 'generate', 'fft', '--blocks', 2 * $numbers, '--refs',
        8 * ($exchanges + $numbers / 2 * $bits), '--to', 'u64', '-q', '-o',
        "$files/fft.u64");
    my %of = map { $_->{engine} => $_ } objects_of(lines_of($margay, 'engines',
        '--run', "$files/fft.u64", '-b', 8, '-q', '--only',
        join(',', map { $_->[1] } @precise), '--json'));
    my %bins = map { $_->[0] => linear_bins($_->[1]) } @precise;
    my $true = $bins{accurate};
    my @all = sort { $a <=> $b } keys %{ { map { %$_ } values %bins } };
    my @drawn = grep { $_ >= 2048 * int(0.84 * 2 * $numbers / 2048) } @all;
    my @rows = 'line,engine,nodes,their_nodes,wrong_percent,their_wrong,'
        . "of_the_bins_drawn,mean_error\n";
    my $last = 0;
    $last += $true->{$_} // 0 for @drawn;
    for (@precise) {
        my ($line, $engine, $nodes, $theirs) = @$_;
        push @rows, sprintf "%s,%s,%d,%s,%s,%s,%.2f,%.5f\n", $line,
            $engine =~ tr/,/ /r, $of{$engine}{nodes}, $nodes,
            wrong($true, $bins{$line}, @all), $theirs,
            wrong($true, $bins{$line}, @drawn) / $last,
            $of{$engine}{mean_abs_error_linear};
    }
    write_table("$out/tables/toplas-precision.csv", @rows);
    write_table("$out/tables/toplas-fft.csv",
        join(',', 'distance', map { $_->[0] } @precise[0 .. 3]) . "\n", map {
            my $from = $_;
            join(',', $from, map { 100 * ($bins{ $_->[0] }{$from} // 0) }
                @precise[0 .. 3]) . "\n"
        } @drawn);
    draw($out, 'series.gp', 'toplas-fft.png', 'toplas-fft.csv', 'bars',
        'The longest distances of a Fourier transform', 'percent of all references '
        . 'in bins of 2048, by the precision of the analyser', 'distance, from',
        'percent of references');
    unlink "$files/fft.u64";
}

# ------------------------------------------------------------ signatures --

# [DISTANCE, REFERENCES] of a histogram, without the infinite ones.
sub distances_of {
    return grep { $_->[0] =~ /^\d/ } map { [(split /,/)[2, 4]] } lines_of('cat', @_);
}

# Shares of references with finite distances, by log2 bins.
sub signature {
    my ($path) = @_;
    my (%count, $all);
    for (distances_of($path)) {
        my ($from, $count) = @$_;
        my $bin = $from == 0 ? 0 : 2**int(log($from) / log(2) + 1e-9);
        $count{$bin} += $count;
        $all += $count;
    }
    return { map { $_ => $count{$_} / $all } keys %count };
}

# Means of equal parts of the finite distances, in order.
sub parts_of {
    my ($path, $parts) = @_;
    my @rows = distances_of($path);
    my ($all, $sum, $left, @parts) = (0, 0, 0);
    $all += $_->[1] for @rows;
    my $size = $all / $parts;
    $left = $size;
    for (@rows) {
        my ($distance, $count) = @$_;
        while ($count >= $left) {
            push @parts, ($sum + $distance * $left) / $size;
            $count -= $left;
            ($sum, $left) = (0, $size);
        }
        $sum += $distance * $count;
        $left -= $count;
    }
    push @parts, $sum / ($size - $left) if @parts < $parts && $left < $size;
    return @parts;
}

# A table of signatures, {NAME => PATH of a histogram}, and its picture.
sub write_signatures {
    my ($name, $heading, @named) = @_;
    my @columns = map { $_->[0] } @named;
    my %of = map { $_->[0] => signature($_->[1]) } @named;
    my @bins = sort { $a <=> $b } keys %{ { map { %$_ } values %of } };
    write_table("$out/tables/$name.csv", join(',', 'distance', @columns) . "\n",
        map {
            my $bin = $_;
            join(',', $bin, map { sprintf '%.5f', $of{$_}{$bin} // 0 } @columns)
                . "\n"
        } @bins);
    draw($out, 'series.gp', "$name.png", "$name.csv", 'bars', $heading,
        'shares of the references with finite distances, in log2 bins',
        'distance, from', 'share of references');
}

# ------------------------------------------------------------------- SP --

my $programs = "$tools/../prediction/programs";
my $histograms = "$files/../prediction";
configure($margay, $programs, $histograms, '8');
my $sp = { name => 'sp' };
sub sp { return histogram_of($sp, 8, $_[0]**3) }

# Their Figure 5: an edge of 28, as a distance histogram and as a reference
# histogram of a hundred parts.
sub write_sp_histograms {
    my $edge = $quick ? 10 : 28;
    my $path = sp($edge);
    write_signatures('toplas-sp', "Distances of SP with an edge of $edge",
        ["sp_$edge", $path]);
    my @parts = parts_of($path, 100);
    write_table("$out/tables/toplas-sp-reference.csv", "percent,distance\n",
        map { sprintf "%d,%.0f\n", $_ + 1, $parts[$_] } 0 .. $#parts);
    draw($out, 'series.gp', 'toplas-sp-reference.png', 'toplas-sp-reference.csv',
        'lines', "Distances of SP with an edge of $edge, in order",
        'references with finite distances, in a hundred parts, shortest first',
        'percent of references', 'distance');
}

# Their Table VI: the largest edge that is learnt from, the edge predicted, and
# what they have for the four methods.
my @methods = qw(single_2 single_3 multi_log2 multi_loglinear);
my %options = (single_2 => '--method single', single_3 => '--method single',
    multi_log2 => '--bins log2', multi_loglinear => '--bins loglinear');
my %learnt = (8 => [6, 7, 8], 10 => [7, 8, 10], 16 => [10, 12, 16]);
my @small = (
    [8, 10, 79.61, 79.61, 85.92, '89.50'], [8, 12, 79.72, 75.93, 79.35, 82.84],
    [8, 14, 69.62, 71.12, 74.12, 85.14],
    [8, 28, 64.38, 68.03, 76.46, '80.30'],
    [10, 12, 91.25, 87.09, 84.58, 90.44],
    [10, 14, 81.91, '83.20', 78.52, 87.23],
    [10, 16, 77.28, 77.64, 76.01, 84.61], [16, 28, 75.93, 74.11, 77.86, '83.50'],
);

# Of a cube by edges.
sub predict_sp {
    my ($method, $edge, @from) = @_;
    @from = @from[1, 2] if $method eq 'single_2';
    return predict("--plain $options{$method}", sp($edge), $edge**3,
        map { [sp($_), $_**3] } @from);
}

sub percents { return sprintf '%.2f', 100 * $_[0] }

sub write_small {
    my @lines = join(',', qw(largest_edge edge no_change),
        map { ($_, "their_$_") } @methods) . "\n";
    for my $row ($quick ? $small[0] : @small) {
        my ($largest, $edge, @theirs) = @$row;
        my @got = map { predict_sp($_, $edge, @{ $learnt{$largest} }) } @methods;
        push @lines, join(',', $largest, $edge, percents($got[0]{no_change}),
            map { (percents($got[$_]{accuracy}), $theirs[$_]) } 0 .. $#methods)
            . "\n";
    }
    write_table("$out/tables/toplas-small.csv", @lines);
}

# ------------------------------------------------------ constant patterns --

# Of two runs, the share of parts whose ratio of distances is nearest to 1 among
# the ratios of the paper's patterns.
sub constant_share {
    my ($program) = @_;
    my @sizes = @{ $program->{sizes} }[1, 2];
    my @parts = map { [parts_of(histogram_of($program, 8, $_), 1000)] } @sizes;
    my @ratios = map { ($sizes[1] / $sizes[0])**$_ } 0, 1 / 3, 1 / 2, 2 / 3, 1;
    my $constant = 0;
    for my $i (0 .. 999) {
        my ($small, $large) = map { $_->[$i] // 0 } @parts;
        my $ratio = $small > 0 ? $large / $small : $large > 0 ? 9e9 : 1;
        my ($nearest) = sort { abs($a - $ratio) <=> abs($b - $ratio) } @ratios;
        $constant++ if $nearest == 1;
    }
    return $constant / 10;
}

sub write_constants {
    my @lines = "program,constant_percent\n";
    my @shares;
    for my $program (find_programs($quick ? ('matmul', 'fft') : ())) {
        push @shares, constant_share($program);
        push @lines, sprintf "%s,%.1f\n", $program->{name}, $shares[-1];
    }
    write_table("$out/tables/toplas-constant.csv", @lines,
        sprintf "mean,%.1f\n", mean(@shares));
}

# Their Figure 8: a large run, and the prediction of two small ones.
sub write_predicted {
    my ($test, $train, $ref) = $quick ? (7, 8, 10) : (10, 16, 28);
    run('bash', '-c', "$margay predict -q --method single --size " . $ref**3 . ' '
        . join(' ', map { sp($_) . '=' . $_**3 } $test, $train)
        . " >$files/predicted.csv");
    write_signatures('toplas-predicted', 'SP, predicted from two small runs',
        ["test_$test", sp($test)], ["train_$train", sp($train)],
        ['predicted', "$files/predicted.csv"], ["measured_$ref", sp($ref)]);
}

# -------------------------------------------------- a compiler and TeX --

# The histogram of a command's references in blocks of 8 bytes, made once.
sub recorded {
    my ($name, $folder, $command) = @_;
    my $path = "$files/$name.csv";
    return $path if -e $path;
    note($name);
    run('bash', '-o', 'pipefail', '-c', "cd '$folder' && $margay record -q "
        . "--method valgrind -o - -- $command 2>/dev/null </dev/null | "
        . "$margay histogram -q -b 8 -o $path -");
    return $path;
}

# The compiler on the largest sources of the engines, after the preprocessor; with
# --quick on the smallest.
sub compiler_runs {
    my ($compiler) = map { s/\n//r } lines_of('gcc', '-print-prog-name=cc1');
    my @sources = sort { -s $b <=> -s $a } glob 'stackdist/*/*.c';
    @sources = @sources[$quick ? (-2, -1) : 0 .. 4];
    return map {
        my $name = basename($_, '.c') =~ tr/_/-/r;
        run('gcc', '-std=gnu17', '-E', '-I.', '-I' . dirname($margay) . '/include',
            $_, '-o', "$files/gcc-$name.i");
        [$name, recorded("gcc-$name", $files,
            "$compiler -quiet -fpreprocessed -O2 gcc-$name.i -o /dev/null")];
    } @sources;
}

# LaTeX, where there is one, on the words of our pages.
sub latex_runs {
    return () if $quick || system('sh', '-c', 'command -v latex >/dev/null') != 0;
    return map {
        my $text = join '', lines_of('cat', "docs/using/$_.md");
        $text =~ s/[^\w\s.,;:()'-]+/ /g;
        $text =~ tr/_/-/;
        write_table("$files/$_.tex", '\documentclass{article}\begin{document}',
            "\n$text\n", '\end{document}', "\n");
        [$_, recorded("latex-$_", $files, "latex -interaction=batchmode $_.tex")];
    } qw(formats cookbook csv-schema machines);
}

# How alike runs are: the least and the mean of all pairs.
sub likeness {
    my @paths = @_;
    my @all;
    for my $i (0 .. $#paths) {
        push @all, map { (lines_of($margay, 'overlap', $paths[$i], $_))[0] }
            @paths[$i + 1 .. $#paths];
    }
    my ($least) = sort { $a <=> $b } @all;
    return @all ? map { sprintf '%.3f', $_ } $least, mean(@all) : ('', '');
}

sub write_translators {
    my @compiler = compiler_runs();
    my @latex = latex_runs();
    write_signatures('toplas-gcc', 'A compiler on five sources', @compiler);
    write_signatures('toplas-latex', 'LaTeX on four texts', @latex) if @latex;
    my @between = @latex ? map { my $gcc = $_->[1];
        map { (lines_of($margay, 'overlap', $gcc, $_->[1]))[0] } @latex } @compiler
        : ();
    write_table("$out/tables/toplas-likeness.csv", "runs,number,least,mean\n",
        join(',', 'gcc', scalar @compiler, likeness(map { $_->[1] } @compiler))
        . "\n", @latex ? (join(',', 'latex', scalar @latex,
        likeness(map { $_->[1] } @latex)) . "\n", sprintf(
        "gcc with latex,%d,%.3f,%.3f\n", scalar @between,
        (sort { $a <=> $b } @between)[0], mean(@between))) : ());
}

my %steps = (
    engines => \&write_analysers,
    speed => sub { sweep($_) for sort keys %lines },
    largest => \&write_largest,
    precision => \&write_precision,
    programs => sub {
        run($^X, 'tests/prediction/evaluate.pl', $quick ? ('--only', 'matmul,fft')
            : (), $margay, $programs, $histograms, $out);
    },
    sp => sub { write_sp_histograms(); write_small() },
    constant => \&write_constants,
    predicted => \&write_predicted,
    translators => \&write_translators,
);
my @order = qw(engines speed largest precision programs sp constant predicted
    translators);
for (split /,/, $only || join ',', @order) {
    ($steps{$_} // die "toplas: $_ is none of @order\n")->();
}
