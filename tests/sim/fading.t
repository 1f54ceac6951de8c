#!/usr/bin/perl
# fading.t - all tables with --half-life, against weights added one by one
use strict;
use warnings;
require './tests/tap.pl';

my $margay = begin_in_folder();
my $rounds = int(15 * ($ENV{MARGAY_TEST_ROUNDS} // 100) / 100) || 1;
srand 31;

# The reuse distances of a list of names: undef for a first one.
sub distances {
    my (@stack, @distances);
    for my $name (@_) {
        my ($at) = grep { $stack[$_] eq $name } 0 .. $#stack;
        push @distances, $at;
        splice @stack, $at, 1 if defined $at;
        unshift @stack, $name;
    }
    return @distances;
}

# What a count of this mass may be: where a half is just missed, either.
sub is_count {
    my ($count, $mass) = @_;
    return $count == int($mass + 0.5) || $count == int($mass + 0.5 + 1e-12);
}

# Rows of CSV, of JSON, or samples of Prometheus, as hashes.
sub rows {
    my ($command) = @_;
    chomp(my @lines = `$margay $command`) or die "$command\n";
    return map { +{ /"(\w+)":"?([^",}]*)/g } } @lines if $command =~ /--json/;
    my @names = split /,/, shift @lines;
    return map { my %row; @row{@names} = split /,/, $_, -1; \%row } @lines;
}

sub samples {
    local @ARGV = ('x.prom');
    return { map {
        /^margay_(?:miss_ratio|references)(\{.*?cache_\w+="(\d+)")?.* (\S+)$/
            ? ($2 // 'all', $3) : () } <> };
}

my ($checks, $wrong, $first) = (0, 0, '');
sub expect {
    my ($what, $holds) = @_;
    $checks++;
    return if $holds;
    $wrong++;
    $first ||= $what;
}

# The mass at distances from one on to another; the last are infinite ones.
sub between {
    my ($masses, $from, $to) = @_;
    my $sum = 0;
    $sum += $masses->[$_] // 0 for $from .. ($to < @$masses ? $to : @$masses) - 1;
    return $sum;
}

# All that count, those of them with no distance below a bound, and the masses of
# distances, of the references that follow `warm` ones.  Those that are 'out' of a
# sample pass by.
sub masses {
    my ($half, $bound, $warm, @distances) = @_;
    my $piece = $half < 16 ? 1 : int $half / 16;
    my ($all, $infinite, @masses) = (0, 0);
    splice @distances, 0, $warm;
    for my $i (0 .. $#distances) {
        my $ended = int(@distances / $piece) - int($i / $piece);
        my $weight = 2 ** -($ended * $piece / $half);
        my $distance = $distances[$i];
        $all += $weight;
        next if ($distance // '') eq 'out';
        if (defined $distance && $distance < $bound) { $masses[$distance] += $weight }
        else { $infinite += $weight }
    }
    return ($all, $infinite, @masses);
}

# Whether a name is there again, after the bin of a trace of this name alone,
# says whether it is in a sample of half of all.
write_file("$_.lines", $_, $_) for 0 .. 40;
my %in_sample = map { $_->{trace} =~ /\d+/g => 1 } grep { $_->{distance_from} eq 0 }
    rows('histogram -q -e shards:rate=0.5,adjust=off ' . join ' ', map({ "$_.lines" } 0 .. 40), '2>/dev/null');

for my $round (1 .. $rounds) {
    my ($count, $half) = (1 + int rand 300, 1 + int rand 150);
    my $most = 1 + int rand 40;
    my @names = map { int rand(1 + rand $most) } 1 .. $count;
    my @distances = distances(@names);
    my @sampled = map { $in_sample{$_} ? $_ : 'out' } @names;
    my @kept = distances(grep { $_ ne 'out' } @sampled);
    my @scaled = map { $_ eq 'out' ? $_ : map { defined ? 2 * $_ : $_ } shift @kept } @sampled;
    write_file('t.lines', @names);
    # Objects of one byte are blocks, of distances of 1 byte more.
    write_file('t.csv', 'id,size', map { "$_,1" } @names);
    my $options = "-q --half-life $half";
    my $warm = int rand $count;
    for my $kind ('t.lines', '--json t.lines', '--objects -f csv t.csv',
                  # A sample has all of the last 63 objects.
                  (keys %{ { map { $_ => 1 } @names } } < 20 ? ()
                      : '-e shards:rate=0.03 --objects -f csv t.csv'),
                  '-j 3 --bound 5 t.lines', "--warmup $warm t.lines",
                  "-e shards:rate=0.5,adjust=off --warmup $warm t.lines") {
        my ($all, $infinite, @masses) = masses($half, $kind =~ /bound/ ? 5 : 1e9,
            $kind =~ /warmup/ ? $warm : 0, $kind =~ /adjust/ ? @scaled : @distances);
        my $seen = $infinite + between(\@masses, 0, 1e9);
        next if !$seen;
        $_ *= $all / $seen for $infinite, grep { defined } @masses;
        my $case = "round $round, half-life $half, $kind";
        my $objects = $kind =~ /objects/;
        my $size = $objects ? 'cache_bytes' : 'cache_blocks';
        my $curve = $kind =~ /json/ ? '' : '--prometheus x.prom';
        my $samples;
        for my $row (rows("curve $options --sizes all $curve $kind")) {
            $samples //= samples() if $curve;
            my $misses = $infinite + between(\@masses, $row->{$size}, 1e9);
            expect("$case: misses of $row->{$size}",
                   is_count($row->{references}, $all) &&
                   is_count($row->{misses}, $misses) &&
                   abs($row->{miss_ratio} - $misses / $all) < 2e-12);
            expect("$case: Prometheus at $row->{$size}",
                   $samples->{ $row->{$size} } == $row->{miss_ratio} &&
                   $samples->{all} == $row->{references}) if $curve;
            expect("$case: bytes",
                   $row->{missed_bytes} == $row->{misses} &&
                   $row->{byte_miss_ratio} == $row->{miss_ratio}) if $objects;
        }
        for my $bins (qw(exact log2 loglinear linear:3 reference:4)) {
            my ($shares, $finite) = (0, $all - $infinite);
            for my $row (rows("histogram $options --bins $bins $kind")) {
                my ($from, $to) = @$row{qw(distance_from distance_to)};
                if ($objects) { $_ eq 'inf' || $_ == 0 || $_-- for $from, $to }
                my $mass = $to eq 'inf'           ? $infinite
                         : $bins eq 'reference:4' ? $finite / 4
                         : between(\@masses, $from, $to);
                $shares += $row->{share};
                expect("$case: $bins, $from to $to",
                       is_count($row->{references}, $mass) &&
                       abs($row->{share} - $mass / $all) < 2e-12);
            }
            expect("$case: $bins, all", abs($shares - 1) < 1e-11);
        }
    }
    # Those of other operations pass by.
    my @ops = map { rand() < .5 ? 'get' : 'set' } @names;
    write_file('o.csv', 'id,size,op', map { "$names[$_],1,$ops[$_]" } 0 .. $#names);
    for my $kind ($warm < $count ? ("--warmup $warm", '--bound 5', '--objects') : ()) {
        my %of = map { my $op = $_; $op => [masses($half, $kind =~ /bound/ ? 5 : 1e9,
            $kind =~ /warmup/ ? $warm : 0,
            map { $ops[$_] eq $op ? $distances[$_] : 'out' } 0 .. $#names)] } qw(get set);
        my $shares = 0;
        for my $row (rows("histogram $options --by op $kind o.csv")) {
            my ($all, $infinite, @masses) = @{ $of{ $row->{op} } };
            my $mass = $row->{distance_to} eq 'inf' ? $infinite
                : $masses[$row->{distance_from} - ($kind eq '--objects')];
            $shares += $mass / $all;
            expect("round $round, half-life $half, $kind by op: $row->{op}",
                is_count($row->{references}, $mass) && abs($row->{share} - $mass / $all) < 2e-12);
        }
        expect("round $round, half-life $half, $kind by op: all", abs($shares - 1) < 1e-11);
    }
    # A cache of 1 byte misses all references, and deletes belong to no piece.
    write_file('d.csv', 'id,size,op', map { "$_,2," . (rand() < .2 ? 'delete' : 'get') } @names);
    expect("round $round, half-life $half: all miss", $_->{references} == $_->{misses})
        for rows("curve $options --objects --policy sieve --sizes 1 d.csv");
    my ($from) = rows("curve $options --histogram h.csv t.lines");
    expect("round $round: --from", `$margay curve -q --of distance --from h.csv` ne '');
}
# A request fades as a whole, from its last block on.
for my $round (1 .. $rounds) {
    my $half = 1 + int rand 150;
    my $piece = $half < 16 ? 1 : int $half / 16;
    my (@past, @stack, @requests) = ([]);
    my $fed = 0;
    for (1 .. 1 + int rand 60) {
        my @list = @{ $past[rand @past] };
        splice @list, int rand(@list + 1);
        push @list, map { int rand 40 } 0 .. rand 5;
        push @past, \@list;
        # The depth before the request of the deepest block up to each.
        my ($deepest, @depths) = (0);
        for my $name (@list) {
            my ($at) = grep { $stack[$_] eq $name } 0 .. $#stack;
            $at //= 1e9;
            $deepest = $at if $at > $deepest;
            push @depths, $deepest;
        }
        for my $name (@list) {
            @stack = ($name, grep { $_ ne $name } @stack);
        }
        # The pieces that ended before its last block.
        $fed += @list;
        push @requests, { list => \@list, depths => \@depths,
            from => int(($fed - 1) / $piece) };
    }
    my $before = int(($fed - 1) / $piece);
    write_file('requests.csv', 'request,block,time',
        map { my $i = $_; map { "$i,$_,7" } @{ $requests[$i]{list} } } 0 .. $#requests);
    $_->{weight} = 2 ** -(($before - $_->{from}) * $piece / $half) for @requests;
    # Where blocks may expire, LRU is simulated, too.
    for my $row (map { rows("curve -q --requests --half-life $half --sizes 1,3,9,50 $_ "
            . "--tokens-per-block 3 --column request=request,id=block,time=time "
            . "requests.csv") } '', '--ttl 9') {
        my ($all, $missed, $asked, $lacking) = (0, 0, 0, 0);
        for my $request (@requests) {
            my $misses = grep { $_ >= $row->{cache_blocks} } @{ $request->{depths} };
            $all += $request->{weight} * @{ $request->{list} };
            $missed += $request->{weight} * $misses;
            $asked += $request->{weight};
            $lacking += $request->{weight} * ($misses > 0);
        }
        expect("round $round, half-life $half: requests at $row->{cache_blocks}",
            is_count($row->{references}, $all) && is_count($row->{misses}, $missed) &&
            abs($row->{miss_ratio} - $missed / $all) < 2e-12 &&
            is_count($row->{requests}, $asked) &&
            is_count($row->{missed_requests}, $lacking) &&
            is_count($row->{request_tokens}, 3 * $all) &&
            is_count($row->{hit_tokens}, 3 * ($all - $missed)) &&
            abs($row->{token_hit_ratio} - 1 + $missed / $all) < 2e-12);
    }
}
# Of caches, what the runs up to the end of each piece count more.
write_file('l.csv', 'cache,holds,bytes,block_bytes,ways,next,write,prefetch,victim_blocks,coherence',
    'L1,data,256,32,2,L2,back,next-line,2,mesi', 'L2,all,1K,64,4,,through,none,0,none');
write_file('shared.csv', 'cache,holds,bytes,block_bytes,ways,next,write',
    'L1,data,256,32,2,L2,back', 'L2,all,1K,64,4,,back');
write_file('opt.csv', 'cache,holds,bytes,block_bytes,ways,next,policy', 'L2,all,256,64,4,,opt');
for my $round (1 .. 1 + $rounds / 5) {
    my $count = 1 + int rand 300;
    my ($piece, $warm) = (1 + int $count / (2 + rand 25), int rand $count);
    my $half = $piece == 1 ? 1 + int rand 31 : 16 * $piece + int rand 16;
    write_file('m.csv', 'thread,address,size,op', map { my $at = int(rand() < .7 ? rand 40 : rand 400);
        join ',', int rand 3, 8 * $at, 1 + $at % 7, rand() < .3 ? 'set' : 'get' } 1 .. $count);
    for my $kind (map { ("$_ --warmup 0", "$_ --warmup $warm") } map { "$_ --column thread=thread,op=op,address=address,size=size" }
                  'assoc -b 32,64 --sets 1,4 --ways 1..3 --by kind', 'assoc --sets 2,3 --ways 1,2,70 --policy lru,opt,random,sieve',
                  'assoc --bytes 512,1K --ways 1..4 --write back --policy lru,fifo',
                  'simulate --machine l.csv', 'simulate --machine shared.csv --vary L2.ways=2,4', 'simulate --machine opt.csv',
                  'curve --policy lru,fifo,opt --sizes 1,3,9', 'curve --policy lru,opt,fifo --sample 0.5 --sizes 2,20,80',
                  'curve --objects --policy lru,fifo --sizes 5,30,90') {
        my ($case, $command) = ("round $round, half-life $half, $kind", "$kind -q m.csv");
        my ($from, @masses, @before, %bounded) = $kind =~ /(\d+)$/;
        for (; $from < $count; $from += $piece) {
            my $i = 0;
            for my $row (rows("$command --limit " . ($from + $piece))) {
                for (grep { /^(?!block|cache|sets|ways)\w+(?:s|_in|_out|_received)$/ } keys %$row) {
                    $masses[$i]{$_} += ($row->{$_} || 0) - ($before[$i]{$_} || 0);
                    $masses[$i]{$_} *= 2 ** -($piece / $half) if $from + $piece <= $count;
                }
                # A sample may find more misses than there are references.
                $bounded{$i} = 1 if $kind =~ /sample/ && $row->{misses} == $row->{references};
                $before[$i++] = $row;
            }
        }
        my @rows = rows("$command --half-life $half");
        expect("$case: 3 threads", `$margay $command --half-life $half -j 1` eq
            `$margay $command --half-life $half -j 3`);
        expect("$case: rows", @rows == @masses);
        for my $i (grep { !$bounded{$_} } 0 .. $#rows) {
            my ($row, $mass) = ($rows[$i], $masses[$i]);
            expect("$case: $_", is_count($row->{$_} || 0, $mass->{$_} < 0 ? 0 : $mass->{$_}))
                for keys %$mass;
            expect("$case: ratio", $row->{miss_ratio} eq ''
                || abs($row->{miss_ratio} - $mass->{misses} / $mass->{references}) < 2e-12);
        }
    }
}
report(!$wrong, "$checks rows of $rounds traces are of masses, and rounded",
    "$wrong are not, first $first");
conclude();
