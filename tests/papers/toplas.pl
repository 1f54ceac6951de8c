#!/usr/bin/perl
# toplas.pl - speed and precision as in Zhong, Shen and Ding (2009)
#
#     toplas.pl [--quick] MARGAY TOOLS FILES OUT
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
#   tables/toplas-precision.csv  nodes and errors of the approximations on a
#                                Fourier transform of 65,536 numbers, all of it
#   tables/toplas-growth.csv     the accuracy of predictions by how much larger a
#                                run is than those that are learnt from, and
#   tables/toplas-predicted.csv  run by run
#
# Tables II, III and V are of `make prediction`, whose programs and runs are used.
# --quick goes up to 100,000 blocks, transforms 4,096 numbers and predicts two
# programs.
use strict;
use warnings;
use lib './tests/prediction';
use Programs qw(find_programs mean);
require './tests/papers/paper.pl';

my ($quick, $margay, $tools, $files, $out) =
    @{ arguments() }{qw(quick margay tools files out)};

# The objects of a JSON array, {NAME => VALUE}; values are texts and numbers.
sub objects_of {
    return map {
        my ($line, %row) = $_;
        $row{$1} = $2 // $3
            while $line =~ /"(\w+)":(?:"((?:[^"\\]|\\.)*)"|([^,}]*))/g;
        %row ? \%row : ();
    } @_;
}

# ------------------------------------------------------- their Table I --

# What it is; its time and space as published, in our letters; ours.
my @analysers = (
    ['trace as a stack', 'O(N M)', 'O(M)', 'naive'],
    ['trace as a vector', 'O(N log N)', 'O(N)', 'bennett-kruskal'],
    ['trace as a tree', 'O(N log M)', 'O(M)', 'olken'],
    ['list-based aggregation', 'O(N s)', 'O(M)', 'markers'],
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
    'toplas' => [qw(olken bennett-kruskal:k=2 bennett-kruskal:k=256 markers
        absolute:tree=splay absolute scale-tree), 'absolute:c=0,tree=splay'],
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

my $bits = $quick ? 12 : 16;
# With the paper's nodes, where it says how many.
my @precise = (['scale-tree:e=0.1', ''], ['scale-tree', 823],
    ['scale-tree:e=0.001', 5869], ['absolute', ''],
    ['absolute:c=0,tree=splay', '']);

sub write_precision {
    # Eight references for each exchange of the bit reversal and each butterfly.
    my $numbers = 2**$bits;
    my $exchanges = ($numbers - 2**int(($bits + 1) / 2)) / 2;
    run($margay, 'generate', 'fft', '--blocks', 2 * $numbers, '--refs',
        8 * ($exchanges + $numbers / 2 * $bits), '--to', 'u64', '-q', '-o',
        "$files/fft.u64");
    my %paper = map { @$_ } @precise;
    my @rows =
        "engine,nodes,nodes_of_the_paper,accuracy,mean_error,largest_error\n";
    for my $row (objects_of(lines_of($margay, 'engines', '--run',
        "$files/fft.u64", '-b', 8, '-q', '--only',
        join(',', map { $_->[0] } @precise), '--json'))) {
        push @rows, sprintf "%s,%d,%s,%.4f,%.5f,%.4f\n",
            $row->{engine} =~ tr/,/ /r, $row->{nodes}, $paper{ $row->{engine} },
            @$row{qw(accuracy mean_abs_error_linear max_error_linear)};
    }
    write_table("$out/tables/toplas-precision.csv", @rows);
    unlink "$files/fft.u64";
}

# ----------------------------------------------------------- prediction --

my @methods = qw(single_2 single_3 multi_log2 multi_loglinear multi_reference);

# Each run that is predicted: the program, how much larger it is than the largest
# that is learnt from, and accuracies in percent, of no change and by method.
sub predictions {
    my %learnt = map { $_->{name} => $_->{sizes}[2] } find_programs();
    my ($head, @rows) = lines_of($^X, 'tests/prediction/evaluate.pl', '--csv',
        '--blocks', 8, $quick ? ('--only', 'matmul,fft') : (), $margay,
        "$tools/../prediction/programs", "$files/../prediction");
    chomp(my @columns = split /,/, $head);
    my (%run, @runs);
    for (@rows) {
        chomp;
        my %row;
        @row{@columns} = split /,/;
        my $run = $run{"$row{program} $row{size}"};
        if (!$run) {
            $run = $run{"$row{program} $row{size}"} = {
                program => $row{program}, no_change => 100 * $row{no_change},
                times => $row{size} / $learnt{ $row{program} } };
            push @runs, $run;
        }
        $run->{ $row{method} } = 100 * $row{accuracy};
    }
    return @runs;
}

# Means over runs.
sub means {
    my @runs = @_;
    return map {
        my $name = $_;
        sprintf '%.1f', mean(map { $_->{$name} } @runs);
    } 'no_change', @methods;
}

sub write_predictions {
    my $columns = join ',', 'no_change', @methods;
    my @runs = predictions();
    my @growth;
    for (my $from = 1; $from < 16; $from *= 2) {
        my @some = grep { $_->{times} > $from && $_->{times} <= 2 * $from } @runs;
        push @growth, join(',', "$from to " . 2 * $from, scalar @some,
            means(@some)) . "\n" if @some;
    }
    write_table("$out/tables/toplas-growth.csv",
        "times_as_large,runs,$columns\n", @growth);
    write_table("$out/tables/toplas-predicted.csv",
        "program,times_as_large,$columns\n", map {
            join(',', $_->{program}, sprintf('%.1f', $_->{times}), means($_))
                . "\n"
        } @runs);
}

write_analysers();
sweep($_) for sort keys %lines;
write_largest();
write_precision();
write_predictions();
