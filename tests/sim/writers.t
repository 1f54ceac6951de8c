#!/usr/bin/perl
# writers.t - tables, oracle and champsim as they are written
#
# Random requests and references become what a program of these lines says, byte
# for byte; what is read back gives the same curves, and columns that a trace
# lacks are refused by name.
use strict;
use warnings;
use Cwd qw(getcwd abs_path);
use File::Temp qw(tempdir);
require './tests/tap.pl';

my $margay = abs_path($ENV{MARGAY} // 'build/margay');
chdir tempdir(CLEANUP => 1) or die;
$ENV{LC_ALL} = 'C';
srand 37;

sub contents {
    my ($name) = @_;
    open my $file, '<:raw', $name or return '';
    local $/;
    return <$file> // '';
}

sub margay {
    my ($line) = @_;
    return scalar `$margay $line 2>err`;
}

# -------------------------------------------------------------- requests --

my @ops = qw(get set delete);

sub any_requests {
    my $time = int rand 1000;
    return map {
        $time += int rand 3;
        [$time, int(rand 20) ** 3, 1 + int rand 5000, $ops[rand @ops],
            int rand 4 ? int rand 50 : 0]
    } 1 .. 1 + rand 300;
}

sub oracle {
    my (@requests) = @_;
    my ($bytes, %next) = ('');
    for my $i (reverse 0 .. $#requests) {
        my ($time, $id, $size) = @{ $requests[$i] };
        $bytes = pack('VQ<Vq<', $time, $id, $size, $next{$id} // -1) . $bytes;
        $next{$id} = $i + 1;
    }
    return $bytes;
}

my %text = (
    webcachesim => sub { join '', map { "$_->[0] $_->[1] $_->[2]\n" } @_ },
    twitter => sub {
        join '', map { "$_->[0],$_->[1],0,$_->[2],0,$_->[3],$_->[4]\n" } @_;
    },
    'csv:id,size,op,time' => sub {
        join '', "id,size,op,time\n",
            map { "$_->[1],$_->[2],$_->[3],$_->[0]\n" } @_;
    },
    oracle => \&oracle,
);
my %wrong;
for my $round (1 .. 12) {
    my @requests = any_requests();
    write_file('r.csv', map { join ',', @$_ } ['time', 'id', 'size', 'op', 'ttl'],
        @requests);
    my $columns = '-f csv --column time=time,id=id,size=size,op=op,ttl=ttl';
    my $want = margay("curve -q --objects -f csv --column "
            . "time=time,id=id,size=size --sizes all r.csv");
    for my $format (sort keys %text) {
        margay("convert -q $columns r.csv out --to $format");
        $wrong{$format}++ if contents('out') ne $text{$format}->(@requests);
        next if $format =~ /^(twitter|csv)/;
        my $got = margay("curve -q --objects -f $format --sizes all out");
        $wrong{"$format, read back"}++ if $got ne $want =~ s/^r.csv/out/mgr;
    }
}
report(!$wrong{$_}, "$_: as written by hand") for sort keys %text;
report(!$wrong{"$_, read back"}, "$_: read back") for qw(oracle webcachesim);

# ------------------------------------------------------------ references --

# Instructions with reads before writes go through champsim as they are.
for my $round (1 .. 12) {
    my @lines = ('address,kind,site');
    my ($bytes, $last) = ('', 0);
    for (1 .. 1 + rand 100) {
        my $site = $last + 4 * (1 + int rand 3);
        my @reads = map { 1 + int rand 9999 } 1 .. rand 5;
        my @writes = map { 1 + int rand 9999 } 1 .. rand 3;
        push @lines, "$site,fetch,$site", (map { "$_,read,$site" } @reads),
            map { "$_,write,$site" } @writes;
        $bytes .= pack 'Q<x8Q<2Q<4', $site, @writes, (0) x (2 - @writes),
            @reads, (0) x (4 - @reads);
        $last = $site;
    }
    write_file('p.csv', @lines);
    my $of = '--column address=address,kind=kind,site=site -f csv';
    margay("convert -q $of p.csv out --to champsim");
    $wrong{champsim}++ if contents('out') ne $bytes;
    $wrong{'champsim, read back'}++
        if margay('convert -q -f champsim out - --to csv:address,kind,site') ne
        join "\n", @lines, '';
    $wrong{'after a cache'}++
        if margay("filter -q $of --bytes 64 --to csv:address,site p.csv") eq '';
}
report(!$wrong{$_}, $_) for 'champsim', 'champsim, read back', 'after a cache';

# -------------------------------------------------------------- refusals --

write_file('a.din', '0 1000', '1 2000');
for (['oracle', 'sizes'], ['twitter', 'sizes'], ['champsim', 'sites'],
    ['csv:id,thread', 'threads'])
{
    my ($format, $column) = @$_;
    for my $line ("convert a.din x", "filter --bytes 64 a.din -o x") {
        my $out = margay("$line --to $format");
        my $said = contents('err') =~ /does not say the $column of its ref/;
        report($? >> 8 == 2 && $out eq '' && !-e 'x' && $said,
            "$line --to $format is refused", contents('err'));
    }
}
margay('convert a.din x --to csv:id,sise');
my $said = contents('err') =~ /'sise' \(expected up to/;
report($? >> 8 == 2 && $said, 'a column that is none', contents('err'));
margay('generate uniform --refs 9 --blocks 3 --to oracle -o x');
$said = contents('err') =~ /format oracle cannot be written/;
report($? >> 8 == 2 && $said, 'what is generated has no sizes', contents('err'));
conclude();
