#!/usr/bin/perl
# bench.pl - how fast, and in how much memory
#
#     bench.pl [--rounds N] [--only W1,...] MARGAY TOOLS FILES
#
# MARGAY is the command, TOOLS the folder of `measure` and `passes`, FILES a
# folder for the inputs, which are made on the first run (1.2 GB).  All rates
# are references per second of user time of a whole command on one analysis
# thread, input in the page cache; medians over rounds in which the commands
# take turns, so that a change of the machine's speed meets all of them.  Without
# --rounds, each has up to five, and is not asked again after a second in all: all
# is meant to end within three minutes.  The rates of user and system time together,
# and of the clock, the system's seconds and the page faults are printed as well.
# The engine `olken`, the field's reference, is slow and runs once.
use strict;
use warnings;
use Getopt::Long;
require './tests/bench/inputs.pl';

our ($margay, $tools, $files);
my ($rounds, $only) = (0, '');
GetOptions('rounds=i' => \$rounds, 'only=s' => \$only)
    && @ARGV == 3 && $rounds >= 0
    or die "usage: bench.pl [--rounds N] [--only NAME,...] "
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
# Beyond 4 M blocks; the last just beyond a power of two.
my @scans = (4_194_304, 6_000_000, 8_500_000);

my %wanted = wanted_of($only, (map { $_->{name} } @workloads), qw(assoc policies
    objects requests), @texts, qw(mgt generator memory));

sub is_wanted { return $wanted{ $_[0] } }

# ------------------------------------------------------------- measuring --

# Each case is measured once per round, and collects seconds.
my @cases;

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
    add_case('objects', 'lru', 10_000_000, "$tools/passes", 'lru', $path, 1 << 30);
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

my $most_rounds = $rounds || 5;
for my $round (1 .. $most_rounds) {
    note("round $round of $most_rounds");
    for my $case (@cases) {
        next if $round > 1 && ($case->{quantity} eq 'olken'
            || !$rounds && $case->{spent} > 1);
        my $measured = measure(@{ $case->{command} });
        my $both = $measured->{user} + $measured->{system};
        $case->{spent} += $both;
        push @{ $case->{both} }, $both;
        push @{ $case->{$_} }, $measured->{$_} for qw(user system wall faults);
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
        $memory{$blocks} = sprintf '%.1f',
            ($full->{peak} - $empty->{peak}) / $blocks;
    }
}

# -------------------------------------------------------------- printing --

print "workload,quantity,value\n";
for my $case (@cases) {
    my %rate = map { $_ => $case->{refs} / (median(@{ $case->{$_} }) || 1e-6) }
        qw(user both wall);
    printf "%s,%s_refs_per_%ssecond,%.0f\n", @$case{qw(workload quantity)}, @$_
        for ['', $rate{user}], ['processor_', $rate{both}],
        ['wall_', $rate{wall}];
    printf "%s,%s_system_seconds,%.3f\n%1\$s,%2\$s_page_faults,%.0f\n",
        @$case{qw(workload quantity)}, map { median(@{ $case->{$_} }) } qw(system faults);
}
print "scan-$_,peak_bytes_per_block,$memory{$_}\n"
    for sort { $a <=> $b } keys %memory;
