#!/usr/bin/perl
# mix.t - several traces as one: simulate --mix, and --join of any command
#
# Random traces and machines of a private and a shared level, against caches
# that are lists of blocks, most recent first, and a merge of the traces that is
# written down before the caches see any of it.  What is joined is measured as a
# table that was merged so.
use strict;
use warnings;
require './tests/tap.pl';

my $margay = begin_in_folder();
srand 37;

# One LRU cache: a list of [key, dirty] for each set.  Returns what it asks of
# the next level.
sub reference {
    my ($cache, $key, $write) = @_;
    my ($core, $block) = split /:/, $key;
    my $set = $cache->{lines}[$block % $cache->{sets}] //= [];
    my ($at) = grep { $set->[$_][0] eq $key } 0 .. $#$set;
    $cache->{references}++;
    if (defined $at) {
        my ($line) = splice @$set, $at, 1;
        unshift @$set, [$key, $line->[1] || $write];
        return;
    }
    $cache->{misses}++;
    my @asked;
    my $gone = @$set == $cache->{ways} ? pop @$set : undef;
    push @asked, [$gone->[0], 1] if $gone && $gone->[1];
    $cache->{writebacks} += @asked;
    unshift @$set, [$key, $write];
    return @asked, [$key, 0];
}

# The order of a mix, as [core, index].
sub order {
    my ($traces, $interleave) = @_;
    my @at = (0) x @$traces;
    my @order;
    if ($interleave eq 'time') {
        while (1) {
            my ($next) = sort {
                $traces->[$a][$at[$a]][2] <=> $traces->[$b][$at[$b]][2]
                    || $a <=> $b
            } grep { $at[$_] < @{ $traces->[$_] } } 0 .. $#$traces;
            return @order unless defined $next;
            push @order, [$next, $at[$next]++];
        }
    }
    while (grep { $at[$_] < @{ $traces->[$_] } } 0 .. $#$traces) {
        for my $core (0 .. $#$traces) {
            my $trace = $traces->[$core];
            if ($interleave eq 'instructions' && $at[$core] < @$trace) {
                do {
                    push @order, [$core, $at[$core]++];
                } until $at[$core] == @$trace || $trace->[$at[$core]][1] == 2;
                next;
            }
            next if $interleave eq 'instructions';
            for (1 .. $interleave) {
                push @order, [$core, $at[$core]++]
                    if $at[$core] < @{ $traces->[$core] };
            }
        }
    }
    return @order;
}

sub round {
    my ($round) = @_;
    my $cores = 1 + int rand 4;
    my $interleave = ('time', 'instructions', 1 + int rand 9)[rand 3];
    my @sets = map { 2**int rand 4 } 1 .. 2;
    my @ways = map { 1 + int rand 4 } 1 .. 2;
    my $shared = rand() < 0.3 ? 2 : 'all';
    my $warmup = rand() < 0.5 ? 0 : int rand 40;
    my @kinds = rand() < 0.5 ? 0 .. 2 : (int rand 3); # of any order
    my (@traces, @names);
    for my $core (0 .. $cores - 1) {
        my ($time, $range) = (0, 1 + int rand 60);
        push @traces, [map { [int rand $range, int rand 3, $time += int rand 3] }
            1 .. 1 + int rand 150];
        push @names, "t$core.csv";
        write_file($names[-1], 'id,kind,time',
            map { join ',', $_->[0], (qw(read write fetch))[$_->[1]], $_->[2] }
                @{ $traces[-1] });
    }
    write_file('machine.csv', 'cache,holds,bytes,block_bytes,ways,next,shared',
        join(',', 'L1', 'all', $sets[0] * $ways[0] * 64, 64, $ways[0], 'L2', 1),
        join(',', 'L2', 'all', $sets[1] * $ways[1] * 64, 64, $ways[1], '',
            $shared));
    my ($done, $counted, @caches) = (0, 0);
    my $made = sub { { sets => $sets[$_[0]], ways => $ways[$_[0]] } };
    for (order(\@traces, $interleave)) {
        my ($core, $index) = @$_;
        my ($block, $write) = @{ $traces[$core][$index] };
        my $first = $caches[0]{$core} //= $made->(0);
        my $second = $caches[1]{ $shared eq 'all' ? 0 : int $core / 2 }
            //= $made->(1);
        if (grep { $_ == $write } @kinds) {
            reference($second, @$_) for reference($first, "$core:$block", $write == 1);
            $counted += $done >= $warmup;
        }
        if (++$done == $warmup) {
            @$_{qw(references misses writebacks)} = (0, 0, 0)
                for map { values %$_ } @caches;
        }
    }
    my $expected = '';
    for my $level (0, 1) {
        my %sum;
        for my $cache (values %{ $caches[$level] }) {
            $sum{$_} += $cache->{$_} // 0 for qw(references misses writebacks);
        }
        $expected .= join(',', join('+', @names), 'L' . ($level + 1),
            @sum{qw(references misses writebacks)}) . "\n";
    }
    $expected = '' if $counted == 0;
    return ("--interleave $interleave --warmup $warmup --kind " .
        join(',', (qw(read write fetch))[@kinds]), $expected, @names);
}

my ($rounds, $right) = (60, 0);
my $columns = '--column id=id,kind=kind,time=time --unit 64';
for (1 .. $rounds) {
    my ($options, $expected, @names) = round();
    my @lines = split /\n/, `$margay simulate -q --machine machine.csv $columns --mix $options @names`;
    my $got = join '', map { my @f = split /,/; "$f[1],$f[2],$f[3],$f[4],$f[12]\n" }
        @lines[1 .. $#lines];
    $right += $got eq $expected;
    report(0, "$options @names", "got", $got, "expected", $expected)
        if $got ne $expected;
}
report($right == $rounds, "$rounds mixes are as lists say");

# ------------------------------------------------------------- around these --

write_file('machine.csv', 'cache,holds,bytes,block_bytes,ways,next,shared',
    'L1,all,1K,64,2,L2,1', 'L2,all,8K,64,4,,all');
write_file("$_.din", map { int(rand 3) . sprintf ' %x', rand 20000 } 1 .. 900)
    for qw(a b);
# What all first levels send on, each core in addresses of its own.
system "$margay simulate -q --machine machine.csv --mix a.din b.din >table";
system "$margay simulate -q --machine machine.csv --mix --misses L1 "
    . '-o below.mgt a.din b.din';
write_file('below.csv', 'cache,holds,bytes,block_bytes,ways,next,shared',
    'L2,all,8K,64,4,,all');
my @fields = split /,/, (`cat table`)[2];
my @below = split /,/,
    (`$margay simulate -q --machine below.csv below.mgt`)[1];
report("@fields[2 .. 12]" eq "@below[2 .. 12]", 'a second level after a mix',
    "@fields", "@below");

# ----------------------------------------------------------------- --join ---

# One table of all, in the order of their times, apart or not.
my @joined;
my $fields = '--column id=id,size=size,op=op,time=time,request=request';
my @whole = ('', '--apart');
for my $core (0 .. 2) {
    my $time = int rand 9;
    my @rows = map { [int rand 40, 10 + int rand 90, rand() < 0.8 ? 'get' : 'set',
        $time += (0, 0.125, 1)[rand 3], $_ >> 2] } 1 .. 150;
    write_file("j$core.csv", 'id,size,op,time,request', map { join ',', @$_ } @rows);
    push @joined, map { [@{ $rows[$_] }, $core, $_] } 0 .. $#rows;
}
@joined = sort { $a->[3] <=> $b->[3] || $a->[5] <=> $b->[5] || $a->[6] <=> $b->[6] }
    @joined;
for my $apart (0, 1) {
    write_file("whole$apart.csv", 'id,size,op,time,request,core', map {
        my ($id, $size, $op, $time, $request, $core) = @$_;
        join ',', $apart ? $id ^ $core << 48 : $id, $size, $op, $time,
            "$core-$request", $core;
    } @joined);
    my @wrong;
    for my $what ('curve --sizes all', 'curve --objects --sizes all', 'histogram',
        'curve --requests --tokens-per-block 16', 'curve --sizes 2,5,9 --every 40 -o x.csv',
        'curve --sizes 2,5,9 --window 70', 'curve --policy fifo,opt', 'distances',
        'histogram --objects', 'distances --objects', 'assoc --ways 1..3 --sets 1,4',
        'compare --ways 1,2 --sets 4', 'info', 'phases', 'curve --op set',
        'curve --warmup 33 --sizes 3,30', 'filter --sets 2 --ways 3 --to csv:id,time,size',
        'convert --to csv:time,size,op,id -o y.csv', 'curve --tenant thread --sizes 4,9') {
        (my $own = "$what $fields") =~ s/thread/core/;
        my ($out) = $what =~ /-o (\S+)/;
        my @got = map {
            unlink 'x.csv', 'y.csv';
            my @lines = `$margay $_ 2>&1`;
            @lines = `cat $out` if $out;
            s/(?:j\d\.csv\+)+j\d\.csv|whole\d\.csv/T/, s/,j(\d)\.csv/,$1/ for @lines;
            join '', $what =~ /tenant/ ? sort @lines : @lines;
        } "$what --join -q $whole[$apart] $fields j0.csv j1.csv j2.csv",
            "$own -q whole$apart.csv";
        push @wrong, $what, @got if $got[0] ne $got[1] || $got[0] !~ /\n.*\n/;
    }
    report(!@wrong, "joined $whole[$apart], as a table that was merged", @wrong);
}
# Each trace alone.
# What is left out counts as read, as it does of one trace.
for my $what ('--op get --warmup 30', '--op set --every 40', '--op get,set --warmup 9') {
    my ($expected, $got) = map {
        join '', `$margay curve -q $fields $what -o counted.csv $_ j0.csv && cat counted.csv*`
    } '', '--join';
    report($got eq $expected && $got ne '', "joined alone, $what", $got, $expected);
}
my $alone = join '', map { `$margay info -q $fields $_` =~ s/\n/\ntrace,$_\n/r }
    'j0.csv', 'j2.csv';
$alone =~ s/(.)key,value\n/$1/s;
for (['info', $alone], map { my $what = $_;
        [$what, join '', map { my @lines = `$margay $what -q $fields $_`;
            $_ eq 'j2.csv' ? @lines[1 .. $#lines] : @lines } 'j0.csv', 'j2.csv']
    } 'curve', 'distances', 'distances --objects', 'phases', 'histogram') {
    my ($what, $expected) = @$_;
    my $got = `$margay $what -q $fields j0.csv j2.csv`;
    report($got eq $expected && $got ne '', "$what of two traces", $got, $expected);
}
write_file('ids.lines', 1 .. 9);
for (['curve --join', 'ids.lines: --join: the trace does not say the times'],
    ['simulate --machine machine.csv --unit 64 --mix --interleave instructions',
        'j0.csv: --interleave instructions: the trace does not say the fetches'],
    ['filter --ways 2 --sets 2 --to lines', 'found 2 traces, expected one'],
    ['curve --join --tenant core', "found 'core', expected 'thread'"]) {
    my ($what, $message) = @$_;
    my $files = $what =~ /--unit/ ? "$fields j0.csv" : 'j0.csv';
    my $said = `$margay $what $files ids.lines 2>&1 >table` =~ s/\n//r;
    report($? >> 8 == 2 && $said =~ /\Q$message\E/, "refused: $what", $said);
}
conclude();
