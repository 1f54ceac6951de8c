# traces.pl - traces and errors of the figures of HP-RDA
use strict;
use warnings;

our $margay;
my @made = (
    { name => 'zipf', make => 'zipf --exponent 0.8 --blocks 100000' },
    { name => 'uniform', make => 'uniform --blocks 100000' },
    { name => 'phases', make => 'phases --blocks 100000' },
    { name => 'loop', make => 'loop --blocks 100000' },
    { name => 'matmul', make => 'matmul --blocks 200', options => '-b 64' },
    { name => 'fft', make => 'fft --blocks 65536', options => '-b 64' },
);

# [{name, path, options}, ...]: each as u64 in FILES, made once; the options are
# those of commands that read it.
sub made_traces {
    my ($files, $refs) = @_;
    for my $trace (@made) {
        $trace->{path} = "$files/hp-$trace->{name}-$refs.u64";
        $trace->{options} //= '--ids';
        next if -e $trace->{path};
        note("making $trace->{path}");
        run($margay, 'generate', split(/ /, $trace->{make}), '--refs', $refs,
            '--seed', 1, '--to', 'u64', '-q', '-o', "$trace->{path}.new");
        rename "$trace->{path}.new", $trace->{path}
            or die "$trace->{path}: $!\n";
    }
    return @made;
}

# The command for the log2 histogram of a trace by an engine.
sub command {
    my ($trace, $engine, $threads) = @_;
    return ($margay, 'histogram', '-q', '-j' . ($threads // 1), '--bins', 'log2',
        split(/ /, $trace->{options}), '-e', $engine, $trace->{path});
}

# Shares of the log2 bars that a command prints.
sub bars {
    my %share;
    for (lines_of(@_)) {
        $share{$1} = $2 if /,(\w+),\w+,\d+,([\d.e+-]+)$/;
    }
    return \%share;
}

# The paper's error, differences added up and divided by the number of bars, and
# the overlap of the histograms.
sub errors {
    my ($true, $got) = @_;
    my %bars = (%$true, %$got);
    my $sum = 0;
    $sum += abs(($true->{$_} // 0) - ($got->{$_} // 0)) for keys %bars;
    return ($sum / keys %bars, 1 - $sum / 2);
}

1;
