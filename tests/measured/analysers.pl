#!/usr/bin/perl
# analysers.pl - the tables of docs/measured/analysers.md; see measured.pl
#
# Errors come out the same everywhere.  The speeds of analysers-accuracy want a
# machine with nothing else to do.
use strict;
use warnings;
use List::Util qw(max sum);
require './tests/measured/measured.pl';

our ($margay, $tools, $files);

# -------------------------------------------------- accuracy and speed --

my @engines = qw(exact olken bennett-kruskal holes bounded parda markers scale-tree
    absolute shen shards hp-rda);
my @traces = qw(zipf phases matmul fft program);

sub inputs {
    my $made = sub {
        my ($name, $refs, $options) = @_;
        return generate("analysers-$name.u64", $refs, $options);
    };
    return (
        zipf => ['--ids', '--run', $made->('zipf', 5_000_000, 'zipf --blocks 500000')],
        phases => ['--ids', '--run',
            $made->('phases', 5_000_000, 'phases --blocks 200000')],
        matmul => ['-b', 8, '--run', $made->('matmul', 5_000_000,
            'matmul --blocks 270000')],
        fft => ['-b', 8, '--run', $made->('fft', 9_435_136,
            'fft --blocks 262144')],
        program => ['-b', 64, '--run', published('cse240a-mat_20M.bz2')],
    );
}

sub accuracy {
    my %inputs = inputs();
    my %cells;
    for my $trace (@traces) {
        my %of;
        for (1 .. 3) {
            push @{ $of{ $_->{engine} } }, $_ for csv_rows($margay, qw(engines
                -q -j1 --only), join(',', @engines), @{ $inputs{$trace} });
        }
        for my $engine (@engines) {
            my $error = $of{$engine}[0]{mean_abs_error_log2};
            push @{ $cells{$engine} },
                digits(median(map { $_->{refs_per_second} / 1e6 }
                    @{ $of{$engine} }), 3),
                $error eq '' ? '-' : sprintf '%.2g', $error;
        }
    }
    return map { ["`$_`", @{ $cells{$_} }] } @engines;
}

my %titles = (
    zipf => 'Error and speed of engines on references by the law of Zipf',
    fft => 'Error and speed of engines on a Fourier transform of 131,072 numbers',
);

# As `margay engines --run` writes it; what the table lacks is empty.
sub draw_errors {
    my ($to) = @_;
    my @rows = rows_of(read_table("$to/tables/analysers-accuracy.csv"));
    for my $trace (sort keys %titles) {
        my $run = "$files/errors-$trace.csv";
        write_table($run, 'engine,references,seconds,refs_per_second,peak_bytes,'
            . 'nodes,accuracy,max_error_log2,mean_abs_error_log2,max_error_linear,'
            . "mean_abs_error_linear\n", map {
                sprintf "%s,0,0,%.0f,,,,,%s,,\n", $_->{engine} =~ tr/`//dr,
                    1e6 * $_->{$trace}, $_->{"${trace}_error"} =~ tr/-//dr eq ''
                    ? '' : $_->{"${trace}_error"};
            } @rows);
        run($margay, 'plot', '-q', $run, '-o',
            "$to/pictures/engines-$trace.png", '--title', $titles{$trace});
        note_drawn($to, "engines-$trace.png", 'analysers-accuracy.csv');
    }
}

# ------------------------------------------------------------- samples --

# Requests as `id,size`, which the command awk writes.
sub sized {
    needs('zstd');
    my ($trace, $program) = @_;
    my $path = published($trace);
    return make_file("$trace.csv", sub {
        run('sh', '-c', '{ echo id,size; zstd -dcq "$1" | awk "$2"; } >"$3"',
            'sh', $path, $program, $_[0]);
    });
}

sub object_curve {
    my %of = map { $_->{cache_bytes} => [@$_{qw(miss_ratio byte_miss_ratio)}] }
        csv_rows($margay, qw(curve -q -j1 --objects), @_);
    return \%of;
}

sub object_samples {
    my $blocks = '{ print $1 "," 512 * $2 }';
    my @inputs = (
        ['cloudPhysicsIO oracle', published('cloudPhysicsIO.oracleGeneral.bin')],
        ['cloudPhysicsIO vscsi', published('cloudPhysicsIO.vscsi')],
        ['adaptsize-request', '-f', 'webcachesim',
            published('adaptsize-request.trace.xz')],
        map { [$_, '--column', 'id=id,size=size', sized("$_.lis.zst", $blocks)] }
            qw(P3 P6));
    my @rows;
    for (@inputs) {
        my ($name, @trace) = @$_;
        my $true = object_curve(@trace);
        my @sizes = sort { $a <=> $b } grep { $_ >= 1 << 20 } keys %$true;
        for my $rate (0.01, 0.1) {
            my @of;
            for my $seed (1 .. 3) {
                my $sampled = object_curve('--sizes', join(',', @sizes), '-e',
                    "shards:rate=$rate", '--seed', $seed, @trace);
                for my $number (0, 1) {
                    my @errors = map { abs $sampled->{$_}[$number]
                        - $true->{$_}[$number] } @sizes;
                    push @{ $of[2 * $number] }, sum(@errors) / @errors;
                    push @{ $of[2 * $number + 1] }, max(@errors);
                }
            }
            push @rows, [$name, $rate, map { sprintf '%.3f', median(@$_) } @of];
        }
    }
    return @rows;
}

# --------------------------------------------------------------- wanted --

sub wanted {
    my ($head, undef, @rows) =
        map { [split / *\| */, s/^\| *| *\|\n$//gr, -1] } 
        lines_of("$tools/analysers", 100_000_000);
    return @rows;
}

make_tables(
    'analysers-accuracy' => [join(',', 'engine', map { ($_, "${_}_error") }
        @traces), \&accuracy, \&draw_errors],
    'analysers-objects' => ['trace,rate,mean,largest,mean_bytes,largest_bytes',
        \&object_samples],
    'analysers-wanted' => ['engine_and_trace,wanted,million/s,against,ratio',
        \&wanted],
);
