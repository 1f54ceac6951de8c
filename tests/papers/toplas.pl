#!/usr/bin/perl
# toplas.pl - speed and precision as in Zhong, Shen and Ding (2009)
#
#     toplas.pl [--quick] MARGAY TOOLS FILES OUT
#
# The arguments are as paper.pl says.  Writes
#
#   tables/NAME-sweep.csv, pictures/NAME-sweep.png
#                                what `engines --sweep` writes, each row from
#                                the fastest of three rounds, and its picture;
#                                NAME is toplas, the eight lines of their Figure
#                                7, or engines-exact or engines-others
#   tables/NAME-speed.csv        the same, a row for each engine, in million
#                                references per second
#   tables/toplas-precision.csv  nodes and errors of the approximations on a
#                                Fourier transform of 65,536 numbers, all of it
#
# The other tables of the paper are of predictions: `make prediction`.  --quick
# goes up to 100,000 blocks and transforms 4,096 numbers.
use strict;
use warnings;
require './tests/papers/paper.pl';

my ($quick, $margay, $files, $out) =
    @{ arguments() }{qw(quick margay files out)};

# ----------------------------------------------------------------- speed --

my ($most_blocks, $rounds) = $quick ? (100_000, 1) : (10_000_000, 3);
my %lines = (
    'toplas' => [qw(olken bennett-kruskal:k=2 bennett-kruskal:k=256 markers
        absolute:tree=splay absolute scale-tree), 'absolute:c=0,tree=splay'],
    'engines-exact' => [qw(exact naive olken bennett-kruskal holes bounded parda)],
    'engines-others' => [qw(exact markers scale-tree absolute statstack aet shen
        shards shards-hybrid hp-rda)],
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
    for (lines_of($margay, 'engines', '--run', "$files/fft.u64", '-b', 8, '-q',
        '--only', join(',', map { $_->[0] } @precise), '--json')) {
        # A name, and a text or what is no text.
        my %row;
        $row{$1} = $2 // $3 while /"(\w+)":(?:"([^"]*)"|([^,}]*))/g;
        push @rows, sprintf "%s,%d,%s,%.4f,%.5f,%.4f\n",
            $row{engine} =~ tr/,/ /r, $row{nodes}, $paper{ $row{engine} },
            @row{qw(accuracy mean_abs_error_linear max_error_linear)};
    }
    write_table("$out/tables/toplas-precision.csv", @rows);
    unlink "$files/fft.u64";
}

sweep($_) for sort keys %lines;
write_precision();
