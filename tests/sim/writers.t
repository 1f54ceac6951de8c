#!/usr/bin/perl
# writers.t - tables, oracle and champsim as they are written
#
# Random requests and references become what a program of these lines says, byte
# for byte; what is read back gives the same curves, and columns that a trace
# lacks are refused by name.
use strict;
use warnings;
require './tests/tap.pl';

my $margay = begin_in_folder();
srand 37;

sub margay {
    my ($line) = @_;
    return scalar `$margay $line 2>err`;
}

# -------------------------------------------------------------- requests --

my @ops = qw(get set delete);

sub any_requests {
    my $time = 1e6 + int rand 1e9;
    return map {
        $time += int(rand 3) * (1e6, 250_000, 1)[rand 3];
        [$time / 1e6, int(rand 20) ** 3, 1 + int rand 5000, $ops[rand @ops],
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
    webcachesim => sub { join '', map { int($_->[0]) . " $_->[1] $_->[2]\n" } @_ },
    twitter => sub {
        join '', map { int($_->[0]) . ",$_->[1],0,$_->[2],0,$_->[3],$_->[4]\n" } @_;
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

# A file read without options is the same trace, as far as its format goes.
my @lines = ('thread,site,kind,address');
push @lines, join ',', int rand 3, 4 * int rand 9, (qw(read write fetch))[rand 3],
    4096 * int rand(rand 60)
    for 1 .. 300;
write_file('o.csv', @lines);
margay('convert -q o.csv o.mgt');
write_file('i.lines', map { int rand(rand 60) } 1 .. 300);
my %has = map { $_ => 'reads|writes|fetches|' } 'csv:kind,address', qw(din xdin
    lackey mgt words);
for my $to (sort keys %has, 'csv:address,site', qw(ls ramulator id hex u64 u64be lines
    arc vscsi csv ids:csv ids:csv:id ids:mgt))
{
    my ($from, $format) = $to =~ /^ids:(.*)/ ? ('i.lines', $1) : ('o.csv', $to);
    my $back = 'back.' . $format =~ s/:.*//r;
    margay("convert -q $from $back --to $format");
    my $of = ($to eq 'lines' ? '--unit 1' : '') . ($from eq 'o.csv' ? ' -b 4096' : '');
    my $keys = ($has{$to} // '') . 'references|distinct_blocks|block_bytes';
    my @runs = map {
        my $curve = margay("curve -q $of --sizes all $_") =~ s/^(o|i|back)\.[^,]*//mgr;
        join '', $curve, margay("info $of $_") =~ /^(?:$keys),.*\n/mg
    } $from, $back;
    report($runs[0] eq $runs[1] && index($runs[0], 'references,300') >= 0,
        "$to: the same trace", @runs);
}

# ------------------------------------------------ what caches send on --

# A first level of each core, split, of which the data cache has a prefetcher of
# the next block: a list of [block, dirty] for each set, the last used first.
# Returns [time, address, size, op, ttl, kind, thread, site, purpose] of all that is
# asked of the second level, with the columns of the reference that is the cause.
sub sent_on {
    my (%lines, @sent);
    for my $cause (@_) {
        my $send = sub {
            my ($block, $kind, $purpose) = @_;
            push @sent, [$cause->[0], 64 * $block, 64, @$cause[3, 4], $kind,
                @$cause[6, 7], $purpose];
        };
        my $cache = ($cause->[5] eq 'fetch' ? 'I' : 'D') . $cause->[6];
        # True: the block was missing.
        my $use = sub {
            my ($block, $dirty, $purpose) = @_;
            my $set = $lines{$cache, $block % 4} //= [];
            my ($at) = grep { $set->[$_][0] == $block } 0 .. $#$set;
            if (defined $at) {
                unshift @$set, splice @$set, $at, 1;
                $set->[0][1] ||= $dirty;
                return 0;
            }
            my $gone = @$set == 2 ? pop @$set : undef;
            $send->($gone->[0], 'write', 'writeback') if $gone && $gone->[1];
            $send->($block, $cause->[5] eq 'fetch' ? 'fetch' : 'read', $purpose);
            unshift @$set, [$block, $dirty];
            return 1;
        };
        my $block = $cause->[1] >> 6;
        my $missed = $use->($block, $cause->[5] eq 'write', 'demand');
        my $there = grep { $_->[0] == $block + 1 }
            @{ $lines{$cache, ($block + 1) % 4} // [] };
        $use->($block + 1, 0, 'prefetch') if $missed && !$there && $cache =~ /D/;
    }
    return @sent;
}

# An instruction has a fetch, then up to four reads, then up to two writes.
sub champsim {
    my @records;
    for (@_) {
        my ($address, $kind, $site) = @$_[1, 5, 7];
        $site = $address if $kind eq 'fetch';
        my $now = $records[-1];
        push @records, $now = [$site, [], []]
            if $kind eq 'fetch' || !$now || $now->[0] != $site || @{ $now->[2] } == 2
            || $kind eq 'read' && (@{ $now->[1] } == 4 || @{ $now->[2] });
        push @{ $now->[$kind eq 'read' ? 1 : 2] }, $address if $kind ne 'fetch';
    }
    return join '', map {
        pack 'Q<x8Q<2Q<4', $_->[0], @{ $_->[2] }, (0) x (2 - @{ $_->[2] }),
            @{ $_->[1] }, (0) x (4 - @{ $_->[1] })
    } @records;
}
$text{champsim} = \&champsim;
my $columns = 'time,address,size,op,ttl,kind,thread,site';
my $table = sub {
    my $names = shift;
    join '', map { join(',', @$_[0 .. $names =~ tr/,//]) . "\n" } [split /,/, $names], @_;
};
$text{"csv:$columns,purpose"} = sub { $table->("$columns,purpose", @_) };
write_file('m.csv', 'cache,holds,bytes,block_bytes,ways,next,prefetch',
    'L1I,fetch,512,64,2,L2,', 'L1D,data,512,64,2,L2,next-line',
    'L2,all,4K,64,4,,');
my %seen;
for my $round (1 .. 8) {
    my $cores = 1 + $round % 3;
    my @trace = map {
        [$_ / 8, 8 * (8 + int rand(rand() < 0.5 ? 100 : 400)), 8, $ops[rand 2], int rand 5,
            (qw(read write fetch))[rand 3], int rand $cores, 4 + 4 * int rand 3]
    } 1 .. 200;
    write_file('t.csv', $columns, map { join ',', @$_ } @trace);
    my $of = '-f csv --column ' . join ',', map { "$_=$_" } split /,/, $columns;
    my @sent = sent_on(@trace);
    $seen{"$_->[5], $_->[8]"}++ for @sent;
    for my $format (sort keys %text) {
        margay("simulate -q $of --machine m.csv --misses L1I,L1D -o sent --to $format t.csv");
        $wrong{"sent as $format"}++ if contents('sent') ne $text{$format}->(@sent);
    }
    margay("simulate -q $of --machine m.csv --misses L1D,L1I -o sent --to csv:$columns,purpose t.csv");
    $wrong{'sent, read back'}++ if margay("convert -q sent - --to csv:$columns") ne
        $table->($columns, @sent);
}
report(!$wrong{$_}, $_) for map({ "sent as $_" } sort keys %text), 'sent, read back';
report(keys %seen == 4, 'reads, write-backs, prefetches and fetches were sent');

# -------------------------------------------------------------- refusals --

write_file('a.din', '0 1000', '1 2000');
for (['oracle', '(sizes|times)'], ['twitter', '(sizes|times)'],
    ['champsim', 'sites'], ['csv:id,thread', 'threads'])
{
    my ($format, $column) = @$_;
    for my $line ("convert a.din x", "filter --bytes 64 a.din -o x") {
        my $out = margay("$line --to $format");
        my $said = contents('err') =~ /does not say the $column of its ref/;
        report($? >> 8 == 2 && $out eq '' && !-e 'x' && $said,
            "$line --to $format is refused", contents('err'));
    }
}
my $said;
for (['csv:id,sise', "'sise' .expected up to"], ['csv:', "'' .expected up to"],
    ['csv:id,', "'' .expected up to"], ['ls:kind', 'only csv: .* of id, .*kind'],
    ['csv:id,purpose', 'takes the purposes .* not known'])
{
    margay("convert a.din x --to $_->[0]");
    $said = contents('err') =~ $_->[1];
    report($? >> 8 == 2 && $said, "$_->[0] is refused", contents('err'));
}
margay('generate uniform --refs 9 --blocks 3 --to oracle -o x');
$said = contents('err') =~ /format oracle cannot be written/;
report($? >> 8 == 2 && $said, 'what is generated has no sizes', contents('err'));
conclude();
