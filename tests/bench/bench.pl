#!/usr/bin/perl
# bench.pl - how fast, and in how much memory
#
#     bench.pl [--csv] [--rounds N] [--only W1,...] MARGAY TOOLS FILES
#
# MARGAY is the command, TOOLS the folder of `measure` and `passes`, FILES a
# folder for the inputs, which are made on the first run (1.2 GB).  All rates
# are references per second of user time of a whole command on one analysis
# thread, input in the page cache; medians over rounds in which the commands
# take turns, so that a change of the machine's speed meets all of them.  Without
# --rounds, each has up to five, and is not asked again after a second in all: all
# is meant to end within three minutes.  Of the workloads W1 to W5, the rates of
# user and system time together, and of the clock, and page faults are printed as
# well.  The engine `olken`, the field's reference, is slow and runs once.
# Of programs that are recorded, system time counts as well, and what it takes
# all processes; without a compiler for them they are left out.
use strict;
use warnings;
use Getopt::Long;
require './tests/bench/inputs.pl';

our ($margay, $tools, $files);
my ($csv, $rounds, $only) = (0, 0, '');
GetOptions('csv' => \$csv, 'rounds=i' => \$rounds, 'only=s' => \$only)
    && @ARGV == 3 && $rounds >= 0
    or die "usage: bench.pl [--csv] [--rounds N] [--only NAME,...] "
    . "MARGAY TOOLS FILES\n";
($margay, $tools, $files) = @ARGV;

my @workloads = workloads();
my %encode = encoders();
# Set-associative caches: 15 numbers of sets x 16 ways, in one block size and
# in six; those on two threads; and a single cache by itself.
my @caches = (
    [assoc => '-j1'],
    [assoc6 => '-j1'],
    [assoc6_two_threads => '-j2'],
    [one_cache => '-j1 --sets 256 --ways 4'],
);
my %cached = map { $_ => 1 } qw(W1 W2 W4);
# Policies, each at 16 sizes, of the first references.
my @policies = qw(fifo clock sieve s3fifo);
my $policy_sizes = join ',', map { 1 << $_ } 4 .. 19;
my $policy_refs = 2_000_000;
my @texts = qw(din lackey hex);
my $text_refs = 10_000_000;
my $generated_refs = 10_000_000;
my $compact_refs = 20_000_000;
my $request_blocks = 10_000_000;
# A kernel and how it is called: native, with its hooks idle, recorded, and
# analysed while it runs.
my $kernels = 'tests/evaluation/kernels.c';
my @kernel = qw(multiply 256);
my @recorded = qw(native idle recorded online);
# Beyond 4 M blocks; the last just beyond a power of two.
my @scans = (4_194_304, 6_000_000, 8_500_000);

my %wanted = wanted_of($only, (map { $_->{name} } @workloads), qw(assoc policies
    objects requests), @texts, qw(mgt generator record memory));

sub is_wanted { return $wanted{ $_[0] } }

# ------------------------------------------------------------- measuring --

# Each case is measured once per round; results{workload}{quantity} collects.
# So do totals of user and system time together, and walls of the clock.
my (@cases, %results, %totals, %walls, %systems, %faults);

sub add_case {
    my ($workload, $quantity, $refs, @command) = @_;
    push @cases, { workload => $workload, quantity => $quantity,
        refs => $refs, command => \@command };
}

for my $workload (grep { is_wanted($_->{name}) } @workloads) {
    my ($name, $refs) = @$workload{qw(name refs)};
    my $made = $workload->{make};
    my $path = numbers_of($workload);
    my @numbers = defined $made ? ('--ids') : ();
    add_case($name, 'exact', $refs,
        $margay, 'curve', '-q', '-j1', @numbers, $path);
    add_case($name, 'exact_two_threads', $refs,
        $margay, 'curve', '-q', '-j2', @numbers, $path);
    add_case($name, 'olken', $refs,
        $margay, 'curve', '-q', '-j1', '-e', 'olken', @numbers, $path);
    # The program's addresses are not shifted to blocks in the hash pass, so
    # they are written as blocks for it.
    my $blocks = blocks_of($workload);
    add_case($name, 'hash', $refs, "$tools/passes", 'hash', $blocks);
    add_case($name, 'hash_sized', $refs, "$tools/passes", 'hash', $blocks,
        $workload->{blocks});
}

# Ids stand for 16 bytes, so that six block sizes divide them as they divide a
# program's addresses.
for my $workload (grep { is_wanted('assoc') && $cached{ $_->{name} } }
    @workloads) {
    my ($name, $refs) = @$workload{qw(name refs)};
    my $made = $workload->{make};
    my $path = numbers_of($workload);
    my @numbers = defined $made ? qw(--ids --unit 16) : ();
    for my $case (@caches) {
        my ($quantity, $options) = @$case;
        my $blocks = $quantity =~ /^assoc6/ ? '16,32,64,128,256,512'
            : defined $made ? '16' : '64';
        add_case($name, $quantity, $refs, $margay, 'assoc', '-q', '-b', $blocks,
            split(/ /, $options), @numbers, $path);
    }
}
for my $workload (grep { is_wanted('policies') && $cached{ $_->{name} } }
    @workloads) {
    my ($name, $made) = @$workload{qw(name make)};
    my $path = numbers_of($workload);
    my @numbers = defined $made ? ('--ids') : ();
    for my $policy (@policies) {
        for my $threads (1, 2) {
            add_case($name, "policy_${policy}_$threads", $policy_refs, $margay,
                'curve', '-q', "-j$threads", @numbers, '--policy', $policy,
                '--limit', $policy_refs,
                '--sizes', $policy_sizes, $path);
        }
    }
}

# The blocks of W1 as objects of log-normal sizes, a median of 8 KiB: with their
# sizes, and as blocks that are all alike.
if (is_wanted('objects')) {
    my $blocks = generate('W1.u64', 10_000_000, $workloads[0]{make});
    my $path = make_file('W1.oracle', sub {
        open my $in, '<:raw', $blocks or die "bench: $blocks: $!\n";
        open my $out, '>:raw', $_[0] or die "bench: $_[0]: $!\n";
        my ($time, @sizes) = (0);
        while (read $in, my $number, 8) {
            my $id = unpack 'Q<', $number;
            # Two numbers in (0, 1] that are fixed by the id.
            my ($u, $v) = map { (1 + mixed(2 * $id + $_)) / 4294967296 } 1, 2;
            $sizes[$id] //= int 8192 * exp 1.5 * sqrt(-2 * log $u)
                * cos 6.2831853 * $v;
            print $out pack 'V Q< V q<', $time++ / 100, $id, $sizes[$id], -1;
        }
        close $out or die "bench: $_[0]: $!\n";
    });
    my @curve = ($margay, 'curve', '-q', '-j1', '-f', 'oracle', $path);
    add_case('objects', 'sized', 10_000_000, @curve, '--objects');
    add_case('objects', 'alike', 10_000_000, @curve);
    add_case('objects', 'lru', 10_000_000, "$tools/lru", 1 << 30, $path);
}

# Requests that go on where one of the last 3,000 was after most of its blocks.
if (is_wanted('requests')) {
    my $path = make_file('requests.jsonl', sub {
        open my $out, '>', $_[0] or die "bench: $_[0]: $!\n";
        my ($written, $id, $drawn, @past) = (0, 0, 0);
        my $draw = sub { mixed($drawn++) % $_[0] };
        while ($written < $request_blocks) {
            my @blocks = @past && $draw->(20) < 17
                ? @{ $past[$draw->(scalar @past)] } : ();
            splice @blocks, @blocks / 2 + $draw->(@blocks / 2 + 1);
            push @blocks, $id++ for 0 .. $draw->(60);
            push @past, \@blocks if @blocks < 400;
            shift @past if @past > 3000;
            $written += @blocks;
            print $out '{"timestamp": 0, "hash_ids": [', join(', ', @blocks),
                "]}\n";
        }
        close $out or die "bench: $_[0]: $!\n";
    });
    my @curve = ($margay, 'curve', '-q', '-j1', $path);
    add_case('requests', 'blocks', $request_blocks, @curve);
    add_case('requests', $_, $request_blocks, @curve, '--requests', '--touch',
        $_) for qw(front back);
}
for my $format (grep { is_wanted($_) } @texts) {
    my $path = repeat_program("program.$format", $text_refs, $encode{$format});
    add_case($format, 'read', $text_refs, "$tools/passes", 'read', $path);
}

# The compact format: read alone, and read and written.
if (is_wanted('mgt')) {
    my $text = repeat_program('program-long.lackey', $compact_refs,
        $encode{lackey});
    my $path = make_file('program.mgt', sub {
        run($margay, 'convert', '-q', $text, $_[0], '--to', 'mgt');
    });
    add_case('mgt', 'read', $compact_refs, "$tools/passes", 'read', $path);
    add_case('mgt', 'convert', $compact_refs, $margay, 'convert', '-q', $path,
        '/dev/null', '--to', 'mgt');
}

# A trace of a million blocks, made from the histogram of another one.
if (is_wanted('generator')) {
    my $path = generate('W1.u64', 10_000_000, $workloads[0]{make});
    my $histogram = make_file('W1.csv', sub {
        run($margay, 'histogram', '-q', '--ids', '--bins', 'reference:1000',
            '-o', $_[0], $path);
    });
    add_case('histogram', 'generate', $generated_refs, $margay, 'generate',
        '-q', 'histogram', '--from', $histogram, '--refs', $generated_refs,
        '--to', 'u64', '-o', '/dev/null');
}

# Compiled with the flags; false: it cannot be.
sub build_kernel {
    my ($path, $flags, $libs) = @_;
    my $compiler = $ENV{CC} || 'cc';
    return system("$compiler -O2 $flags -o $path $kernels $libs -lm") == 0;
}

if (is_wanted('record')) {
    my ($native, $hooked) = map { "$files/$_" } qw(native hooked);
    if (build_kernel($native, '', '')
        && build_kernel($hooked, "\$($margay record --cflags)",
            "\$($margay record --libs)")) {
        my $record = "$margay record -q -o -";
        my $curve = "$margay curve -q -j1 --sizes pow2 -";
        my ($refs) = `$record $hooked @kernel 2>/dev/null | $margay info -q -`
            =~ /^references,(\d+)$/m or die "bench: nothing recorded\n";
        my %commands = (
            native => "$native @kernel",
            idle => "$hooked @kernel",
            recorded => "$record $hooked @kernel 2>/dev/null",
            online => "$record $hooked @kernel 2>/dev/null | $curve",
        );
        for my $quantity (@recorded) {
            add_case('record', $quantity, $refs, 'sh', '-c',
                $commands{$quantity});
            $cases[-1]{system} = 1;
        }
    } else {
        note('no compiler for programs to record');
    }
}

my $most_rounds = $rounds || 5;
for my $round (1 .. $most_rounds) {
    note("round $round of $most_rounds");
    for my $case (@cases) {
        next if $round > 1 && ($case->{quantity} eq 'olken'
            || !$rounds && $case->{spent} > 1);
        my $measured = measure(@{ $case->{command} });
        $case->{spent} += $measured->{user} + $measured->{system};
        push @{ $systems{ $case->{workload} }{ $case->{quantity} } },
            $measured->{system};
        push @{ $faults{ $case->{workload} }{ $case->{quantity} } },
            $measured->{faults};
        push @{ $results{ $case->{workload} }{ $case->{quantity} } },
            $case->{refs} / (($measured->{user}
                + ($case->{system} ? $measured->{system} : 0)) || 1e-6);
        push @{ $totals{ $case->{workload} }{ $case->{quantity} } },
            $case->{refs} / (($measured->{user} + $measured->{system}) || 1e-6);
        push @{ $walls{ $case->{workload} }{ $case->{quantity} } },
            $measured->{wall};
    }
}

# Memory: the bytes a process has more than one that analyses nothing, per
# distinct block; the same in every round, so measured once.
my %memory;
if (is_wanted('memory')) {
    my $empty = measure($margay, 'curve', '-q', '-j1', '-f', 'u64',
        '/dev/null');
    for my $blocks (@scans) {
        my $path = generate("scan-$blocks.u64", $blocks, 'scan --blocks 1');
        my $full = measure($margay, 'curve', '-q', '-j1', '--ids', $path);
        $memory{$blocks} = ($full->{peak} - $empty->{peak}) / $blocks;
    }
}

# -------------------------------------------------------------- printing --

sub rate {
    my ($workload, $quantity) = @_;
    return median(@{ $results{$workload}{$quantity} });
}

# The same of user and system time together, and of the clock.
sub total_rate {
    my ($workload, $quantity) = @_;
    return median(@{ $totals{$workload}{$quantity} });
}

sub clock_rate {
    my ($workload, $quantity, $refs) = @_;
    return $refs / (median(@{ $walls{$workload}{$quantity} }) || 1e-6);
}

# How much less time the second takes.
sub speedup {
    my ($workload, $before, $after) = @_;
    return median(@{ $walls{$workload}{$before} })
        / median(@{ $walls{$workload}{$after} });
}

sub print_csv {
    print "workload,quantity,value\n";
    for my $case (@cases) {
        printf "%s,%s_refs_per_second,%.0f\n",
            @$case{qw(workload quantity)},
            rate(@$case{qw(workload quantity)});
        printf "%s,%s_refs_per_processor_second,%.0f\n",
            @$case{qw(workload quantity)},
            total_rate(@$case{qw(workload quantity)});
    }
    for my $blocks (sort { $a <=> $b } keys %memory) {
        printf "scan-%d,peak_bytes_per_block,%.1f\n", $blocks,
            $memory{$blocks};
    }
}

sub print_objects {
    printf "\n%-31s %8s %8s %10s %10s\n", 'objects', 'sized', 'alike', 'ratio',
        'one LRU';
    my ($sized, $alike, $lru) = map { rate('objects', $_) } qw(sized alike lru);
    printf "%-31s %8.1f %8.1f %10.2f %10.1f\n",
        'Zipf 0.8 over 1 M, log-normal', $sized / 1e6, $alike / 1e6,
        $sized / $alike, $lru / 1e6;
}

sub print_requests {
    printf "\n%-31s %8s %8s %10s\n", 'requests', 'front', 'back', 'as blocks';
    printf "%-31s %8.1f %8.1f %10.1f\n", 'conversations',
        map { rate('requests', $_) / 1e6 } qw(front back blocks);
}

# A pass over all caches of six block sizes lasts as long as this number of passes over
# single ones.
sub print_caches {
    printf "\n%-31s %8s %8s %10s %10s\n", 'set-associative caches', '240',
        '1,440', 'in passes', '2 threads';
    for my $workload (grep { $results{ $_->{name} }{assoc} } @workloads) {
        my $name = $workload->{name};
        my ($one, $six, $single) =
            map { rate($name, $_) } qw(assoc assoc6 one_cache);
        printf "%-4s %-26s %8.1f %8.2f %10.1f %9.2fx\n", $name,
            $workload->{what}, $one / 1e6, $six / 1e6, $single / $six,
            speedup($name, 'assoc6', 'assoc6_two_threads');
    }
}

# References through 16 sizes each, on one thread and, by the clock, on two.
sub print_policies {
    printf "\n%-31s %8s %10s %12s\n", 'policies, 16 sizes', '', 'x 16 sizes',
        '2 threads';
    for my $workload (grep { $results{ $_->{name} }{policy_fifo_1} }
        @workloads) {
        my $name = $workload->{name};
        for my $policy (@policies) {
            my $rate = rate($name, "policy_${policy}_1") / 1e6;
            my $wall = median(@{ $walls{$name}{"policy_${policy}_2"} });
            printf "%-4s %-26s %8.1f %10.0f %12.0f\n", $name, $policy, $rate,
                16 * $rate, 16 * $policy_refs / ($wall || 1e-6) / 1e6;
        }
    }
}

sub print_recorded {
    my %what = (
        native => 'as it is',
        idle => 'built for it, not recorded',
        recorded => 'recorded',
        online => 'and analysed meanwhile',
    );
    printf "\n%-31s %8s %10s\n", "a program, @kernel", '', 'slowdown';
    for my $quantity (@recorded) {
        printf "%-31s %8.1f %9.1fx\n", $what{$quantity},
            rate('record', $quantity) / 1e6,
            rate('record', 'native') / rate('record', $quantity);
    }
}

# What an exact analysis takes, and the share that it reaches of the rate of the
# hash pass, whose table grows or is made at the right size: by user time, and
# by user and system time together.
sub print_workloads {
    printf "%-31s %8s %8s %8s %7s %8s %8s %6s %9s\n", 'exact', 'user',
        '+system', 'clock', 'sys ms', 'faults', 'olken', 'times', '2 threads';
    my @measured = grep { $results{ $_->{name} }{exact} } @workloads;
    for my $workload (@measured) {
        my ($name, $refs) = @$workload{qw(name refs)};
        my ($exact, $olken) = map { rate($name, $_) } qw(exact olken);
        printf "%-4s %-26s %8.1f %8.1f %8.1f %7.0f %8.0f %8.2f %6.1f %8.2fx\n",
            $name, $workload->{what}, $exact / 1e6,
            total_rate($name, 'exact') / 1e6,
            clock_rate($name, 'exact', $refs) / 1e6,
            1000 * median(@{ $systems{$name}{exact} }),
            median(@{ $faults{$name}{exact} }), $olken / 1e6,
            $exact / $olken, speedup($name, 'exact', 'exact_two_threads');
    }
    printf "\n%-31s %8s %6s %8s %6s %8s %6s %8s %6s\n", 'the hash pass alone',
        'growing', 'of it', '+system', 'of it', 'sized', 'of it', '+system',
        'of it';
    for my $workload (@measured) {
        my $name = $workload->{name};
        printf "%-4s %-26s", $name, $workload->{what};
        for my $pass (qw(hash hash_sized)) {
            printf " %8.1f %6.2f", $_->($name, $pass) / 1e6,
                $_->($name, 'exact') / $_->($name, $pass)
                for \&rate, \&total_rate;
        }
        print "\n";
    }
}

sub print_table {
    printf "%s\n", machine();
    printf "million references per second of user time, one analysis thread, "
        . "medians of up to %d\n\n", $most_rounds;
    print_workloads() if grep { $_->{exact} } values %results;
    print_objects() if $results{objects};
    print_requests() if $results{requests};
    print_caches() if grep { $results{ $_->{name} }{assoc} } @workloads;
    print_policies()
        if grep { $results{ $_->{name} }{policy_fifo_1} } @workloads;
    print "\nreading alone\n" if grep { $results{$_} } @texts;
    for my $format (grep { $results{$_} } @texts) {
        printf "%-31s %8.1f\n", $format, rate($format, 'read') / 1e6;
    }
    printf "%-31s %8.1f\n%-31s %8.1f  %.3f bytes per reference\n", 'mgt',
        rate('mgt', 'read') / 1e6, 'mgt, read and written',
        rate('mgt', 'convert') / 1e6,
        (-s "$files/program.mgt") / $compact_refs if $results{mgt};
    printf "\n%-31s %8.1f\n", 'generated from a histogram',
        rate('histogram', 'generate') / 1e6 if $results{histogram};
    print_recorded() if $results{record};
    print "\nbytes per distinct block, at the peak\n" if %memory;
    for my $blocks (sort { $a <=> $b } keys %memory) {
        printf "%-31s %8.1f\n", "$blocks blocks", $memory{$blocks};
    }
}

$csv ? print_csv() : print_table();
