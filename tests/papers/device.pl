#!/usr/bin/perl
# device.pl - how fast hp-rda is on a device
#
#     device.pl [--quick] MARGAY TOOLS FILES OUT BACKEND DEVICE
#
# The first arguments are as paper.pl says; BACKEND may be auto, and DEVICE is a
# number of it.  Writes
#
#   tables/hp-rda-device.csv  million references per second of hp-rda and of
#                             `olken` on one core, on the traces of hp-rda.pl
#
# With a driver for a processor everything is written into FILES, as its
# figures say nothing about devices.  Speeds are by the clock, less what the first
# thousand references take, in which the device is opened and the kernels are
# compiled.  --quick makes shorter traces.
use strict;
use warnings;
use File::Path qw(make_path);
require './tests/papers/paper.pl';
require './tests/papers/traces.pl';

my ($quick, $margay, $tools, $files, $out) =
    @{ arguments() }{qw(quick margay tools files out)};
my ($backend, $number) = @ARGV;
defined $number or die "device: no backend and device\n";
my ($refs, $few) = ($quick ? 100_000 : 16_000_000, 1000);

# ([BACKEND, NUMBER, NAME, is it a processor?], ...), as `margay version` says.
sub devices {
    return map {
        /^devices:\s+(\w+) (\d+): (.*?)(, [\d.]+ \w+)?( \(this machine's processor\))?$/
            ? [$1, $2, $3, defined $5] : ()
    } lines_of($margay, 'version');
}

sub choose_device {
    my @fitting = $backend eq 'auto'
        ? sort { $a->[3] <=> $b->[3] } devices()
        : grep { $_->[0] eq $backend && $_->[1] == $number } devices();
    return $fitting[$backend eq 'auto' ? $number : 0] // die
        "device: there is no device $number of $backend; margay version says what "
        . "there is\n";
}

# Million references per second of a whole run.
sub speed {
    my ($trace, $engine, $all, $seconds_of) = @_;
    my @command = ("$tools/measure", $margay, 'histogram', '-q', '-j1',
        split(/ /, $trace->{options}), '-e', $engine, $trace->{path});
    my @seconds;
    for my $limit ($all, $few) {
        my ($report) = lines_of(@command, '--limit', $limit);
        push @seconds, (split ' ', $report)[$seconds_of eq 'wall' ? 2 : 0];
    }
    my $seconds = $seconds[0] - $seconds[1];
    return $seconds > 0 ? sprintf '%.1f', ($all - $few) / $seconds / 1e6 : '';
}

# The device's speed over that of a processor's core.
sub ratio {
    my ($device, $core) = @_;
    return $device ne '' && $core ne '' ? sprintf '%.1f', $device / $core : '';
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

my @lines = "trace,device,references,hp_rda,olken,over_olken\n";
for my $trace (made_traces($margay, $files, $refs)) {
    note($trace->{name});
    my $speed = speed($trace, "hp-rda:$choice", $refs, 'wall');
    my $olken = speed($trace, 'olken', $refs, 'user');
    push @lines, join(',', $trace->{name}, $name, $refs, $speed, $olken,
        ratio($speed, $olken)) . "\n";
}
write_table("$out/tables/hp-rda-device.csv", @lines);
