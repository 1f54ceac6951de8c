#!/usr/bin/perl
# waits.t - no test waits without a bound
#
# Scripts wait by `await` and `ended` of tests/sim/lib.sh, which give up; a
# loop around sleep and a wait for all processes do not.  pgrep and its like are
# not on every machine: /proc is.
use strict;
use warnings;
require './tests/tap.pl';

my @rules = (
    ['loops around sleep', qr/\b(?:while|until)\b.*\bsleep\b/],
    ['waits for all processes', qr/(?:^|[;&|({]|\bthen\b|\bdo\b)\s*wait\s*(?:$|[;&|)}])/],
    ['loops for ever', qr/\bwhile\s+(?:true|:)\s*(?:;|$)/],
    ['asks what may be missing', qr/\b(?:pgrep|pkill|killall|pidof)\b/],
);
my $library = 'tests/sim/lib.sh';

# What a script does, in lines: each loop is one, and comments are none.
sub lines_of {
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    my ($line, $depth, @lines) = ('', 0);
    while (my $text = <$file>) {
        $text =~ s/(?:^|\s)#.*//;
        chomp $text;
        $depth++ if $text =~ /^\s*(?:while|until)\b/;
        $depth-- if $depth && $text =~ /(?:^|;)\s*done\b/;
        $line .= "$text ";
        next if $depth;
        push @lines, $line;
        $line = '';
    }
    return (@lines, $line);
}

my @scripts = sort grep { -T && $_ ne $0 && $_ ne $library }
    glob 'tests/*.t tests/*/*.t tests/*/*.sh';
for my $path (@scripts) {
    open my $file, '<', $path or die "$path: $!\n";
    next if (<$file> // '') =~ /perl/;
    my @found;
    for my $line (lines_of($path)) {
        push @found, map { "$_->[0]: " . substr $line, 0, 70 }
            grep { $line =~ $_->[1] } @rules;
    }
    report(!@found, $path, @found);
}
conclude();
