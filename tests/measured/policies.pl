#!/usr/bin/perl
# policies.pl - the tables of docs/measured/policies.md; see measured.pl
#
# Hit ratios are exact.  Speeds are of user time, but those of policies-clock,
# which are of the clock and want a machine with nothing else to do.
# policies-lirs-stack is made by hand: it takes a build for each of its columns.
use strict;
use warnings;
use List::Util qw(max sum);
require './tests/measured/measured.pl';

our ($margay, $tools, $files);
my @all = qw(lru opt fifo clock sieve s3fifo lfu arc 2q lirs tinylfu);

# Hits in percent.
sub hit_ratio {
    my ($trace, $blocks, $policy) = @_;
    my ($row) = csv_rows($margay, 'assoc', '-q', '--sets', 1, '--ways', $blocks,
        '--policy', $policy, $trace =~ /P\d/ ? ('-b', 512) : (), $trace);
    return sprintf '%.2f', 100 * (1 - $row->{miss_ratio});
}

# Megiddo and Modha 2003.
my @megiddo = (
    [OLTP => 1000, lru => 32.83, arc => 38.93, '2q' => 40.48, lirs => 34.80,
        opt => 53.61],
    [OLTP => 2000, lru => 42.47, arc => 46.08],
    [OLTP => 5000, lru => 53.65, arc => 55.25],
    [OLTP => 10000, lru => 60.70, arc => 61.87],
    [OLTP => 15000, lru => 64.63, arc => 65.40],
    [P3 => 32768, lru => 3.57, arc => 17.12],
    [P6 => 32768, lru => 4.24, arc => 23.84],
);

sub beside_megiddo {
    my @rows;
    for (@megiddo) {
        my ($trace, $blocks, @ratios) = @$_;
        while (my ($policy, $published) = splice @ratios, 0, 2) {
            push @rows, [$trace, $blocks, $policy, sprintf('%.2f', $published),
                hit_ratio(published("$trace.lis.zst"), $blocks, $policy)];
        }
    }
    return @rows;
}

my @lirs_paper = ([cs => 500, 1000], [gli => 1000], [loop => 512],
    [sprite => 400, 1000], ['2_pools' => 200], [multi1 => 500, 1500],
    [multi2 => 1000, 2500]);
my @lirs_policies = qw(fifo clock lru lfu sieve s3fifo 2q arc lirs tinylfu opt);

sub lirs_traces {
    my @rows;
    for (@lirs_paper) {
        my ($trace, @sizes) = @$_;
        for my $blocks (@sizes) {
            push @rows, [$trace, $blocks, map {
                hit_ratio(published("lirs-$trace.trace.gz"), $blocks, $_)
            } @lirs_policies];
        }
    }
    return @rows;
}

# ----------------------------------------------------------------- speed --

sub engine_speeds {
    my $trace = generate('zipf-policies.u64', 4_000_000,
        'zipf --blocks 1000000 --exponent 0.9');
    my (undef, @lines) = lines_of("$tools/policies", 3, $trace, qw(fifo sieve
        random clock lru 2q s3fifo lfu arc lirs tinylfu));
    return map { my ($name, @rates) = split; [$name, map { digits($_) } @rates] }
        @lines;
}

# Objects of 1 to 64 KiB, as many of 1 to 2 as of 32 to 64.
sub objects {
    my $ids = generate('zipf-objects.u64', 2_000_000,
        'zipf --blocks 500000 --exponent 0.8');
    return make_file('objects.csv', sub {
        open my $in, '<:raw', $ids or die "$ids: $!\n";
        open my $to, '>', $_[0] or die "$_[0]: $!\n";
        print $to "id,size\n";
        while (read $in, my $number, 8) {
            my $id = unpack 'Q<', $number;
            printf $to "%d,%d\n", $id, 1024 * 64 ** (mixed($id) / 2**32);
        }
        close $to or die "$_[0]: $!\n";
    });
}

# What 15 sizes more take, on one thread.
sub object_speeds {
    my $path = objects();
    my @sizes = map { int 1e7 * 1150 ** ($_ / 15) } 0 .. 15;
    my @curve = ($margay, qw(curve -q --objects --column), 'id=id,size=size', '-j1');
    return map {
        my $policy = $_;
        my ($one, $all) = measured(3, map { [@curve, '--policy', $policy,
            '--sizes', $_, $path] } $sizes[0], join ',', @sizes);
        [$policy, digits(15 * 2 / ($all->{user} - $one->{user}))];
    } qw(random sieve clock fifo lfu s3fifo);
}

my $sixteen = join ',', map { 1 << $_ } 4 .. 19;

sub sixteen_sizes {
    my @rows;
    my ($workload) = workloads();
    for (['W1', 10, '--ids', numbers_of($workload)],
        ['P3', 3.912296, published('P3.lis.zst')]) {
        my ($trace, $millions, @input) = @$_;
        for my $policy (qw(fifo clock sieve s3fifo)) {
            my ($one, $two) = map {
                $millions / $_->{user}
            } measured(5, map { [$margay, 'curve', '-q', $_, '--policy', $policy,
                '--sizes', $sixteen, @input] } '-j1', '-j2');
            push @rows, [$trace, $policy, digits($one), digits(16 * $one),
                $policy eq 'fifo' ? '' : digits(16 * 2 * $two)];
        }
    }
    return @rows;
}

sub by_the_clock {
    my $path = generate('W1-20.u64', 20_000_000,
        'zipf --exponent 0.8 --blocks 1000000');
    return map {
        my $policy = $_;
        my ($one, $two) = measured(5, map { [$margay, 'curve', '-q', $_, '--ids',
            '--policy', $policy, '--sizes', $sixteen, $path] } '-j1', '-j2');
        my $rate = 20 / $two->{wall};
        [$policy, sprintf('%.2f', $two->{wall}), digits($rate),
            digits(16 * $rate), sprintf '%.2f', $one->{user}];
    } qw(fifo clock sieve s3fifo);
}

# --------------------------------------------------------------- samples --

# {POLICY => {SIZE => miss ratio, and one by bytes}} of the sizes asked for.
sub ratios {
    my (%of);
    for (csv_rows($margay, 'curve', '-q', @_)) {
        $of{ $_->{policy} }{ $_->{cache_blocks} ne '' ? $_->{cache_blocks}
            : $_->{cache_bytes} } = [@$_{qw(miss_ratio byte_miss_ratio)}];
    }
    return \%of;
}

# [mean, largest] of the differences of the ratio with the number.
sub errors {
    my ($true, $sampled, $number) = @_;
    my @errors = map { abs $sampled->{$_}[$number] - $true->{$_}[$number] }
        keys %$sampled;
    return [sum(@errors) / @errors, max(@errors)];
}

my @sampled = ([P3 => 'P3.lis.zst'], [OLTP => 'OLTP.lis.zst'],
    [gzip => 'spec2000-gzip.trace.gz', '-b', 1],
    ['orm-busy' => 'cache2k-orm-busy.trace.xz', '-f', 'u32be', '--ids'],
    [sprite => 'lirs-sprite.trace.gz']);

sub samples {
    my @rows;
    for (@sampled) {
        my ($trace, $file, @options) = @$_;
        my @curve = (@options, published($file), '-j1', '--policy',
            join ',', @all);
        my $true = ratios(@curve, '--sizes', 'octave:4');
        for my $rate (0.1, 0.01) {
            my $sizes = join ',', sort { $a <=> $b }
                grep { $_ * $rate >= 10 } keys %{ $true->{lru} };
            my @seeds = map { ratios(@curve, '--sizes', $sizes, '--sample', $rate,
                '--seed', $_) } 1 .. 3;
            push @rows, [$trace, $rate, map {
                my $policy = $_;
                my @errors = map { errors($true->{$policy}, $_->{$policy}, 0) }
                    @seeds;
                sprintf '%.3f %.3f', median(map { $_->[0] } @errors),
                    median(map { $_->[1] } @errors);
            } @all];
        }
    }
    return @rows;
}

# The means, and of these the least and the most of some policies and seeds.
sub object_samples {
    my @curve = (published('cloudPhysicsIO.oracleGeneral.bin'), '--objects',
        '-j1', '--policy', 'lru,fifo,clock,sieve,s3fifo,lfu,random');
    my $true = ratios(@curve, '--sizes', 'octave:16');
    my @rows;
    for my $rate (0.1, 0.01) {
        my $sizes = join ',', sort { $a <=> $b }
            grep { $_ * $rate >= 655360 } keys %{ $true->{lru} };
        my @means = ([], []);
        for my $seed (1 .. 3) {
            my $of = ratios(@curve, '--sizes', $sizes, '--sample', $rate, '--seed',
                $seed);
            for my $policy (keys %$of) {
                push @{ $means[$_] },
                    errors($true->{$policy}, $of->{$policy}, $_)->[0] for 0, 1;
            }
        }
        push @rows, [$rate, map { my @sorted = sort { $a <=> $b } @$_;
            map { sprintf '%.3f', $_ } @sorted[0, -1] } @means];
    }
    return @rows;
}

make_tables(
    'policies-published' =>
        ['trace,blocks,policy,published,Margay', \&beside_megiddo],
    'policies-lirs' =>
        [join(',', 'trace,blocks', @lirs_policies), \&lirs_traces],
    'policies-speed' => ['policy,dense,hashed', \&engine_speeds],
    'policies-objects' => ['policy,million/s', \&object_speeds],
    'policies-sixteen' =>
        ['trace,policy,references,times_16,two_threads', \&sixteen_sizes],
    'policies-clock' => ['policy,seconds_-j2,million/s,times_16,'
        . 'user_seconds_-j1', \&by_the_clock],
    'policies-samples' => [join(',', 'trace,rate', @all), \&samples],
    'policies-samples-objects' =>
        ['rate,least,most,least_in_bytes,most_in_bytes', \&object_samples],
);
