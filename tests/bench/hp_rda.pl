#!/usr/bin/perl
# hp_rda.pl - what the approximation of engine hp-rda is worth
#
#     hp_rda.pl [--backend NAME] MARGAY TOOLS FILES [TRACE...]
#
# NAME is a backend whose speed is measured beside that of cpu, TOOLS the folder
# of `measure`.  Writes into the folder FILES, after Cui et al. (2012):
#
#   hp-rda-adjust.csv, .png   the error of each trace, with the effective factor
#                             and without it (their Figure 14), and as we do it
#   hp-rda-sweep.csv, -error.png, -speed.png   error, with the factor, and speed
#                             over ST, the references of a chunk (their Figures
#                             16 and 17)
#
# The error is theirs: differences of the shares of log2 bars, the infinite one
# among them, added up and divided by the number of bars.  As that flatters,
# the overlap of the histograms stands beside it.  Traces are made once, beside
# those that are given; blocks of 64 bytes where a trace has addresses.
use strict;
use warnings;
use Getopt::Long;
use File::Basename;

my $backend = '';
GetOptions('backend=s' => \$backend) && @ARGV >= 3
    or die "usage: hp_rda.pl [--backend NAME] MARGAY TOOLS FILES "
    . "[TRACE...]\n";
my ($margay, $tools, $files, @given) = @ARGV;
my $refs = 2_000_000;
my @made = (
    { name => 'zipf', make => 'zipf --exponent 0.8 --blocks 100000' },
    { name => 'uniform', make => 'uniform --blocks 100000' },
    { name => 'phases', make => 'phases --blocks 100000' },
    { name => 'loop', make => 'loop --blocks 100000' },
    { name => 'matmul', make => 'matmul --blocks 200', options => '-b 64' },
    { name => 'fft', make => 'fft --blocks 65536', options => '-b 64' },
);
my @swept = qw(zipf phases fft);
my @adjusts = qw(off on times);
my @chunks = map { 1 << $_ } 7 .. 13;

sub note { print STDERR "bench: $_[0]\n" }

sub run { system(@_) == 0 or die "bench: failed: @_\n" }

mkdir $files unless -d $files;
for my $trace (@made) {
    $trace->{path} = "$files/hp-$trace->{name}.u64";
    $trace->{options} //= '--ids';
    next if -e $trace->{path};
    note("making $trace->{path}");
    run($margay, 'generate', split(/ /, $trace->{make}), '--refs', $refs,
        '--seed', 1, '--to', 'u64', '-q', '-o', "$trace->{path}.new");
    rename "$trace->{path}.new", $trace->{path} or die "$trace->{path}: $!\n";
}
my @traces = (@made,
    map { { name => basename($_) =~ s/[._].*//r, path => $_, options => '' } }
        @given);

sub command {
    my ($trace, $engine) = @_;
    return ($margay, 'histogram', '-q', '-j1', '--bins', 'log2',
        split(/ /, $trace->{options}), '-e', $engine, $trace->{path});
}

# Seconds of user time, the median of nine; of three where they are many.
sub seconds {
    my @seconds;
    while (@seconds < (@seconds && $seconds[0] > 0.5 ? 3 : 9)) {
        open my $out, '-|', "$tools/measure", command(@_)
            or die "bench: measure: $!\n";
        push @seconds, (split ' ', scalar <$out>)[0];
        close $out or die "bench: failed: @_\n";
    }
    return (sort { $a <=> $b } @seconds)[@seconds / 2];
}

# Shares of the log2 bars.
sub bars {
    my ($trace, $engine) = @_;
    my %share;
    open my $out, '-|', command($trace, $engine)
        or die "bench: $margay: $!\n";
    while (<$out>) {
        $share{$1} = $2 if /,(\w+),\w+,\d+,([\d.e+-]+)$/;
    }
    close $out or die "bench: failed: $engine on $trace->{path}\n";
    return \%share;
}

sub errors {
    my ($true, $got) = @_;
    my %bars = (%$true, %$got);
    my $sum = 0;
    $sum += abs(($true->{$_} // 0) - ($got->{$_} // 0)) for keys %bars;
    return ($sum / keys %bars, 1 - $sum / 2);
}

sub open_csv {
    my ($name, $columns) = @_;
    open my $csv, '>', "$files/$name" or die "bench: $files/$name: $!\n";
    print $csv "$columns\n";
    return $csv;
}

my $adjust_csv = open_csv('hp-rda-adjust.csv', 'trace,adjust,error,overlap');
my %mean;
for my $trace (@traces) {
    note($trace->{name});
    $trace->{true} = bars($trace, 'exact');
    for my $adjust (@adjusts) {
        my $engine = 'hp-rda';
        $engine .= ":nb=64,adjust=$adjust" if $adjust ne 'times';
        my $got = bars($trace, $engine);
        my ($error, $overlap) = errors($trace->{true}, $got);
        printf $adjust_csv "%s,%s,%.6f,%.6f\n", $trace->{name}, $adjust,
            $error, $overlap;
        $mean{$adjust} += $error / @traces;
    }
}
close $adjust_csv or die;
note(sprintf 'mean error: adjust=%s %.4f', $_, $mean{$_}) for @adjusts;

my $sweep_csv =
    open_csv('hp-rda-sweep.csv', 'trace,st,backend,error,overlap,refs_per_second');
for my $name (@swept) {
    my ($trace) = grep { $_->{name} eq $name } @traces;
    note("$name, chunks of $chunks[0] to $chunks[-1]");
    for my $st (@chunks) {
        for my $on ('cpu', $backend || ()) {
            my $engine = "hp-rda:st=$st,nb=64,adjust=on,backend=$on";
            my $got = bars($trace, $engine);
            my ($error, $overlap) = errors($trace->{true}, $got);
            printf $sweep_csv "%s,%d,%s,%.6f,%.6f,%.0f\n", $name, $st, $on,
                $error, $overlap, $refs / seconds($trace, $engine);
        }
    }
}
close $sweep_csv or die;

my $script = dirname($0) . '/hp_rda.gp';
run('gnuplot', '-c', $script, "$files/hp-rda-adjust.png",
    "$files/hp-rda-adjust.csv", 'adjust');
run('gnuplot', '-c', $script, "$files/hp-rda-sweep-$_.png",
    "$files/hp-rda-sweep.csv", $_, $backend)
    for qw(error speed);
print "$files/hp-rda-adjust.csv $files/hp-rda-sweep.csv\n";
