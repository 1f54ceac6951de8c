#!/usr/bin/perl
# performance.pl - the tables of docs/measured/performance.md
#
#     performance.pl [--tables A,B,...] MARGAY TOOLS FILES OUT [TRACES]
#
# MARGAY is the command, TOOLS the folder of the tools of tests/bench, FILES a
# folder for inputs, which are made when they are first asked for, and TRACES one
# of published traces.  Writes OUT/tables/A.csv and so on, without --tables all
# of the page.  A table that needs a trace that is not there stays as it is, and a
# line says so.
#
# performance-exact and performance-threads want a machine with nothing else to
# do; for the others user time is near enough on one that is shared.
# performance-cheetah is made by hand, next to `make bench-peers`.
use strict;
use warnings;
use File::Basename qw(basename);
use File::Path qw(make_path);
use Getopt::Long;
require './tests/bench/inputs.pl';
require './tests/papers/tables.pl';

our ($margay, $tools, $files);
my ($out, $traces);
my @workloads = workloads();

# The path of a published trace.
sub published {
    my ($trace) = @_;
    my $path = defined $traces ? "$traces/$trace" : $trace;
    -e $path or die "there is no $trace: TRACES= names their folder\n";
    return $path;
}

# A published trace, repeated, in the format that is named.
sub repeated {
    my ($trace, $times, $to, @options) = @_;
    my $path = published($trace);
    return make_file(basename($trace) . "-$times.$to", sub {
        my $once = "$_[0].once";
        run($margay, 'convert', '-q', @options, $path, $once, '--to', $to);
        run('sh', '-c', 'for i in $(seq $2); do cat "$1"; done >"$3"', 'sh',
            $once, $times, $_[0]);
        unlink $once;
    });
}

# {user, system, wall, peak}, each the median, of commands that take turns.
sub measured {
    my ($rounds, @commands) = @_;
    my @runs;
    for (1 .. $rounds) {
        push @{ $runs[$_] }, measure(@{ $commands[$_] }) for 0 .. $#commands;
    }
    return map {
        my $of = $_;
        my %median = map {
            my $key = $_;
            $key => median(map { $_->{$key} } @$of)
        } qw(user system wall peak);
        \%median;
    } @runs;
}

# A number rounded to as many digits as are asked for, or 2.
sub digits {
    my ($number, $digits) = @_;
    $digits //= 2;
    return '0' if $number == 0;
    my $rounded = sprintf '%.*e', $digits - 1, $number;
    my ($power) = $rounded =~ /e([-+]\d+)/;
    return sprintf '%.*f', $power < $digits ? $digits - 1 - $power : 0, $rounded;
}

# What `make bench` has, {WORKLOAD}{QUANTITY} in millions or as it is.
sub bench {
    my ($only, $rounds) = @_;
    my %of;
    for (printed_rows('perl', 'tests/bench/bench.pl', '--rounds', $rounds,
        '--only', $only, $margay, $tools, $files)) {
        my $quantity = $_->{quantity} =~ s/_refs_per_second$//r;
        $of{ $_->{workload} }{$quantity} =
            $_->{value} / ($quantity ne $_->{quantity} ? 1e6 : 1);
    }
    return \%of;
}

# The files of W1 to W5 that are asked for, each [NAME, FILE, OPTION...].
sub inputs {
    my %asked = map { $_ => 1 } @_;
    return map {
        [$_->{name}, numbers_of($_), defined $_->{make} ? '--ids' : ()]
    } grep { $asked{ $_->{name} } } @workloads;
}

# ------------------------------------------------------------ one thread --

sub exact {
    my $of = bench('W1,W2,W3,W4,W5', 5);
    return map {
        my ($exact, $hash, $sized, $olken) =
            @{ $of->{$_} }{qw(exact hash hash_sized olken)};
        [$_, digits($exact, 3), digits($hash, 3), sprintf('%.2f', $exact / $hash),
            digits($sized, 3), sprintf('%.2f', $exact / $sized),
            digits($olken, 3), digits($exact / $olken)];
    } sort keys %$of;
}

# Reading: tables of 5 million rows, of the references of W1.
my %row = (
    webcachesim => sub { "$_[0] $_[1] $_[2]\n" },
    csv => sub { "$_[0],$_[1],$_[2]\n" },
    twitter => sub { "$_[0],key-$_[1],10,$_[2],7,get,0\n" },
    msr => sub { 128166372000000000 + $_[0] . ",host,0,Read,"
        . 4096 * $_[1] . ",4096,100\n" },
);

sub rows_file {
    my ($format) = @_;
    my ($blocks) = map { $_->[1] } inputs('W1');
    return make_file("rows.$format", sub {
        open my $in, '<:raw', $blocks or die "$blocks: $!\n";
        open my $to, '>', $_[0] or die "$_[0]: $!\n";
        print $to "time,id,size\n" if $format eq 'csv';
        for my $time (1 .. 5_000_000) {
            read $in, my $number, 8;
            print $to $row{$format}->($time, unpack('Q<', $number), 4096);
        }
        close $to or die "$_[0]: $!\n";
    });
}

sub reading {
    my $of = bench('din,lackey,hex,mgt', 5);
    my @formats = sort keys %row;
    my @times = measured(5, map { ["$tools/passes", 'read', rows_file($_),
        $_ eq 'csv' ? 'time=time,id=id,size=size' : ()] } @formats);
    return ((map { [$_, digits($of->{$_}{read}, 3)] } qw(mgt hex din lackey)),
        map { [$formats[$_], digits(5 / $times[$_]{user})] } 0 .. $#formats);
}

sub memory {
    my $of = bench('memory', 1);
    return map { [$_->[0], sprintf '%.1f', $_->[1]] }
        sort { $a->[0] <=> $b->[0] } map {
            [s/scan-//r, $of->{$_}{peak_bytes_per_block}]
        } keys %$of;
}

# --------------------------------------------- objects, requests, others --

sub objects {
    my $of = bench('objects', 5)->{objects};
    return [map { digits($of->{$_}, 3) } qw(sized alike lru)];
}

# Simulated policies, next to LRU, at one size and at ten, of the first requests.
sub object_policies {
    my $path = "$files/W1.oracle";
    bench('objects', 1) if !-e $path;
    my @policies = qw(lru fifo clock sieve s3fifo lfu arc 2q lirs tinylfu slru
        gdsf lfuda lhd hyperbolic);
    my $ten = join ',', map { 2**$_ . 'M' } 5 .. 14;
    my @curve = ($margay, qw(curve -q -j1 -f oracle --objects --limit 2000000));
    my @times = measured(3, map {
        my $policy = $_;
        map { [@curve, '--policy', $policy, '--sizes', $_, $path] } '1G', $ten;
    } @policies);
    return map {
        [$policies[$_], map { digits(2 / $_->{user}) } @times[2 * $_, 2 * $_ + 1]]
    } 0 .. $#policies;
}

sub requests {
    my $of = bench('requests', 5)->{requests};
    return [map { digits($of->{$_}, 3) } qw(front back blocks)];
}

# Traces in mgt, each [NAME, FILE].
sub compact_traces {
    my @traces = (['the sample', repeat_program('program-long.lackey', 20_000_000,
        { encoders() }->{lackey})]);
    push @traces, map { my ($trace, $times, $to, @options) = @$_;
        [$trace =~ s/\..*//r, repeated($trace, $times, $to, @options)]
    } ['spec2000-gzip.trace.gz', 20, 'lackey'],
        ['spec2000-gcc.trace.gz', 20, 'lackey'],
        ['spec2000-swim.trace.gz', 20, 'lackey'],
        ['cse240a-mat_20M.bz2', 1, 'lackey'];
    return map {
        my ($name, $path) = @$_;
        [$name, make_file(basename($path) . '.mgt', sub {
            run($margay, 'convert', '-q', $path, $_[0], '--to', 'mgt');
        })];
    } @traces;
}

# Three levels of LRU, and the first of them as a filter.
sub machines {
    my $machine = "$files/three-levels.csv";
    write_table($machine, "cache,holds,bytes,block_bytes,ways,next\n",
        "L1,all,32KiB,64,8,L2\n", "L2,all,512KiB,64,8,L3\n",
        "L3,all,8MiB,64,16,\n");
    return map {
        my ($name, $trace) = @$_;
        my @simulate = ($margay, qw(simulate -q -j1 --machine), $machine, $trace);
        my ($first) = printed_rows(@simulate);
        my @times = measured(3, \@simulate, [$margay, qw(filter -q --bytes 32KiB
            --ways 8 --to mgt -o /dev/null), $trace]);
        my $refs = $first->{references};
        [$name, $refs, sprintf('%.1f', 100 * $first->{misses} / $refs),
            map { digits($refs / $_->{user} / 1e6) } @times];
    } compact_traces();
}

# ----------------------------------------------------------- two threads --

sub threads {
    my %aim = (W1 => 1.5, W2 => 1.6, W3 => 1.6, W4 => 1.8);
    my @inputs = inputs(qw(W1 W2 W3 W4 W5));
    my $five = make_file('W4-5.u64', sub {
        run('sh', '-c', 'for i in 1 2 3 4 5; do cat "$1"; done >"$2"', 'sh',
            $inputs[3][1], $_[0]);
    });
    push @inputs, ['W4 five times over', $five],
        ['gzip 41 times over', repeated('spec2000-gzip.trace.gz', 41, 'u64')];
    # With real-time priority both cores are the command's, where that is allowed.
    my @first = system('chrt -f 10 true 2>/dev/null') == 0 ? qw(chrt -f 10) : ();
    return map {
        my ($name, @input) = @$_;
        my ($one, $two) = measured(9, map { [@first, $margay, 'curve', '-q', $_,
            @input] } '-j1', '-j2');
        [$name, (map { sprintf '%.3f', $_->{wall} } $one, $two),
            sprintf('%.2f', $one->{wall} / $two->{wall}), $aim{$name} // '',
            map { sprintf '%.2f', $_->{user} } $one, $two];
    } @inputs;
}

# --------------------------------------------------------------- caches --

sub optimal {
    my %file = map { $_->[0] => $_->[1] } inputs(qw(W1 W2 W4 W5));
    my $sample = make_file('sample.u64', sub {
        run($margay, 'convert', '-q', 'tests/sample/walk.lackey.xz', $_[0], '--to',
            'u64');
    });
    # Each with the shift of its numbers, a bound, and a bypass.
    my @inputs = (['W1', $file{W1}], ['W1 bound 65536', $file{W1}, 0, 65536],
        ['W1 with bypass', $file{W1}, 0, 0, 1], ['W2', $file{W2}],
        ['W5', $file{W5}], ['the sample', $sample, 6],
        ['gzip each address a block',
            repeated('spec2000-gzip.trace.gz', 1, 'u64')]);
    return map {
        my ($name, @arguments) = @$_;
        my @rows = map {
            printed_rows("$tools/passes", 'optimal', @arguments)
        } 1 .. 3;
        my $blocks = $rows[0]{distinct_blocks};
        [$name, digits(median(map { $_->{million_refs_per_second} } @rows)),
            $rows[0]{largest_distance},
            $blocks < 500_000 ? '' : sprintf '%.0f', $rows[0]{bytes_per_block}];
    } @inputs;
}

sub caches {
    my $of = bench('assoc', 3);
    return map { [$_, digits($of->{$_}{assoc}, 3), digits($of->{$_}{assoc6}, 3)] }
        sort keys %$of;
}

# NAME => ['COLUMN,...', sub that returns rows, each an array].
my @tables = (
    'performance-exact' => ['workload,exact,hash_pass,share_of_it,sized,'
        . 'share_of_sized,olken,times_olken', \&exact],
    'performance-reading' => ['format,million/s', \&reading],
    'performance-memory' => ['blocks,bytes_per_block', \&memory],
    'performance-objects' =>
        ['objects_all_sizes,blocks_all_sizes,one_LRU_cache', \&objects],
    'performance-object-policies' => ['policy,one_size,ten_sizes',
        \&object_policies],
    'performance-requests' =>
        ['front_to_back,back_to_front,as_blocks', \&requests],
    'performance-machines' => ['trace,references,misses_of_L1_%,simulate,filter',
        \&machines],
    'performance-threads' => ['workload,1_thread,2_threads,times_faster,aim,'
        . 'user_1,user_2', \&threads],
    'performance-optimal' => ['input,million/s,largest_distance,bytes_per_block',
        \&optimal],
    'performance-caches' => ['workload,240_caches,1440_caches', \&caches],
);

my $only = '';
GetOptions('tables=s' => \$only) && @ARGV >= 4 && @ARGV <= 5
    or die "usage: performance.pl [--tables A,B,...] MARGAY TOOLS FILES OUT "
    . "[TRACES]\n";
($margay, $tools, $files, $out, $traces) = @ARGV;
my @names = map { $tables[2 * $_] } 0 .. $#tables / 2;
my %wanted = wanted_of($only, @names);
my %table = @tables;
make_path($files, "$out/tables");
for my $name (grep { $wanted{$_} } @names) {
    my ($columns, $rows) = @{ $table{$name} };
    note($name);
    my @rows = eval { $rows->() };
    if ($@) {
        die $@ unless $@ =~ /^there is no (.*)/;
        note("$name stays as it is: there is no $1");
        next;
    }
    write_table("$out/tables/$name.csv", "$columns\n",
        map { join(',', @$_) . "\n" } @rows);
}
