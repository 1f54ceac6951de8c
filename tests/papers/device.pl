#!/usr/bin/perl
# device.pl - how fast hp-rda is on a device
#
#     device.pl [--quick] MARGAY TOOLS FILES OUT BACKEND DEVICE
#
# The first arguments are as paper.pl says; BACKEND may be auto, and DEVICE is a
# number of it.  Writes
#
#   tables/hp-rda-device.csv  million references per second of hp-rda on the
#                             device, on one core and on four, and of `exact` and
#                             `olken` on one core, on the traces of hp-rda.pl
#   tables/hp-rda-device-adjust.csv
#                             the same of the paper's rule, with its factor and
#                             without it
#   tables/hp-rda-device-sweep.csv
#                             error and speed, by the paper's rule, over the
#                             references of a chunk
#
# With a driver for a processor everything is written into FILES, as its
# figures say nothing about devices.  Speeds are by the clock, medians of three,
# less what the first thousand references take, in which the device is opened and
# the kernels are compiled.  --quick makes shorter traces and fewer runs.
use strict;
use warnings;
use File::Path qw(make_path);
require './tests/papers/paper.pl';
require './tests/papers/traces.pl';

my ($quick, $margay, $files, $out) =
    @{ arguments() }{qw(quick margay files out)};
my ($backend, $number) = @ARGV;
defined $number or die "device: no backend and device\n";
my ($refs, $few, $runs) = $quick ? (20_000, 1000, 1) : (16_000_000, 1000, 3);
my @chunks = map { 1 << $_ } $quick ? (8, 11) : 8 .. 14;

# ([BACKEND, NUMBER, NAME, is it a processor?], ...), as `margay version -v` says.
sub devices {
    return map {
        /^devices:\s+(\w+) (\d+): (.*?)(, [\d.]+ \w+)?( \(this machine's processor\))?$/
            ? [$1, $2, $3, defined $5] : ()
    } lines_of($margay, qw(version -v));
}

sub choose_device {
    my @fitting = $backend eq 'auto'
        ? sort { $a->[3] <=> $b->[3] } devices()
        : grep { $_->[0] eq $backend && $_->[1] == $number } devices();
    return $fitting[$backend eq 'auto' ? $number : 0] // die
        "device: there is no device $number of $backend; margay version -v says what "
        . "there is\n";
}

# Seconds by the clock of the first references.
sub seconds {
    my ($limit, @command) = @_;
    return median(map { measure(@command, '--limit', $limit)->{wall} } 1 .. $runs);
}

# Million references per second of a whole run.
sub speed {
    my ($trace, $engine, $threads) = @_;
    my @command = command($trace, $engine, $threads);
    my $seconds = seconds($refs, @command) - seconds($few, @command);
    return $seconds > 0 ? sprintf '%.1f', ($refs - $few) / $seconds / 1e6 : '';
}

# The device's speed over that of a processor.
sub ratio {
    my ($device, $processor) = @_;
    return $device ne '' && $processor ne ''
        ? sprintf '%.1f', $device / $processor : '';
}

my ($found_backend, $found_number, $name, $is_processor) =
    @{ choose_device() };
my $choice = "backend=$found_backend,device=$found_number";
$name =~ tr/,/ /;
if ($is_processor) {
    note("$name is a processor: the tables go to $files");
    $out = $files;
}
make_path("$out/tables");

my @traces = made_traces($files, $refs);
my @lines = "trace,device,references,hp_rda,cpu,cpu_4,exact,olken,over_exact,"
    . "over_olken\n";
my @adjusted = "trace,times,on,off\n";
for my $trace (@traces) {
    note($trace->{name});
    my ($on, $off) =
        map { speed($trace, "hp-rda:$choice,nb=64,adjust=$_") } qw(on off);
    my $speed = speed($trace, "hp-rda:$choice");
    my ($cpu, $exact, $olken) =
        map { speed($trace, $_) } qw(hp-rda exact olken);
    push @lines, join(',', $trace->{name}, $name, $refs, $speed, $cpu,
        speed($trace, 'hp-rda', 4), $exact, $olken, ratio($speed, $exact),
        ratio($speed, $olken)) . "\n";
    push @adjusted, join(',', $trace->{name}, $speed, $on, $off) . "\n";
}
write_table("$out/tables/hp-rda-device.csv", @lines);
write_table("$out/tables/hp-rda-device-adjust.csv", @adjusted);

my @sweep = "trace,st,error,overlap,speed\n";
for my $trace (grep { $_->{name} =~ /^(zipf|phases|fft)$/ } @traces) {
    note("$trace->{name}, chunks of $chunks[0] to $chunks[-1]");
    my $true = bars(command($trace, 'exact'));
    for my $st (@chunks) {
        my $engine = "hp-rda:$choice,st=$st,nb=64,adjust=on";
        push @sweep, sprintf "%s,%d,%.6f,%.6f,%s\n", $trace->{name}, $st,
            errors($true, bars(command($trace, $engine))),
            speed($trace, $engine);
    }
}
write_table("$out/tables/hp-rda-device-sweep.csv", @sweep);
