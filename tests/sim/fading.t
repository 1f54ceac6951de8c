#!/usr/bin/perl
# fading.t - all tables with --half-life, against weights added one by one
use strict;
use warnings;
use File::Temp qw(tempdir);

my $margay = $ENV{MARGAY} // 'build/margay';
$margay = "$ENV{PWD}/$margay" unless $margay =~ m{^/};
my $rounds = int(15 * ($ENV{MARGAY_TEST_ROUNDS} // 100) / 100) || 1;
my $folder = tempdir(CLEANUP => 1);
require './tests/tap.pl';
chdir $folder or die;
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
    my @lines = `$margay $command` or die "$command\n";
    chomp @lines;
    return map { +{ /"(\w+)":"?([^",}]*)/g } } @lines if $command =~ /--json/;
    my @names = split /,/, shift @lines;
    return map { my %row; @row{@names} = split /,/, $_, -1; \%row } @lines;
}

sub samples {
    open my $file, '<', 'x.prom' or die;
    my %samples;
    while (<$file>) {
        $samples{ $2 // 'all' } = $3
            if /^margay_(?:miss_ratio|references)(\{.*?cache_\w+="(\d+)")?.* (\S+)$/;
    }
    return \%samples;
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
# distances, of the references that follow `warm` ones.
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
        if (defined $distance && $distance < $bound) { $masses[$distance] += $weight }
        else { $infinite += $weight }
    }
    return ($all, $infinite, @masses);
}

for my $round (1 .. $rounds) {
    my ($count, $half) = (1 + int rand 300, 1 + int rand 150);
    my $most = 1 + int rand 40;
    my @names = map { int rand(1 + rand $most) } 1 .. $count;
    my @distances = distances(@names);
    open my $file, '>', 't.lines' or die;
    print $file "$_\n" for @names;
    close $file;
    # Objects of one byte are blocks, of distances of 1 byte more.
    open $file, '>', 't.csv' or die;
    print $file "id,size\n", map { "$_,1\n" } @names;
    close $file;
    my $options = "-q --half-life $half";
    my $warm = int rand $count;
    for my $kind ('t.lines', '--json t.lines', '--objects -f csv t.csv',
                  '-j 3 --bound 5 t.lines', "--warmup $warm t.lines") {
        my ($all, $infinite, @masses) = masses($half,
            $kind =~ /bound/ ? 5 : 1e9, $kind =~ /warmup/ ? $warm : 0, @distances);
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
    # Each cache is a list of blocks; one goes, or moves to the end.
    my %misses;
    for my $policy (qw(lru fifo opt)) { for my $size (1, 3, 9) {
        my @held;
        for my $i (0 .. $#names) {
            my ($name, %next) = $names[$i];
            my $hits = grep { $_ == $name } @held;
            push @{ $misses{$policy}[$size] }, $hits ? undef : 0;
            next if $hits && $policy ne 'lru';
            $next{ $names[$_] } = $_ for reverse $policy eq 'opt' ? $i + 1 .. $#names : ();
            my ($goes) = $hits ? $name : @held < $size ? -1
                : sort { ($next{$b} // 1e9) <=> ($next{$a} // 1e9) } @held;
            @held = ((grep { $_ != $goes } @held), $name);
        }
    } }
    for my $kind ('lru,fifo,opt t.lines', 'lru,fifo --objects -f csv t.csv',
                  "lru,fifo,opt --warmup $warm t.lines") {
        for my $row (rows("curve $options --sizes 1,3,9 --policy $kind")) {
            my $size = $row->{cache_blocks} || $row->{cache_bytes};
            my ($all, undef, $missed) = masses($half, 1e9,
                $kind =~ /warmup/ ? $warm : 0, @{ $misses{ $row->{policy} }[$size] });
            $missed //= 0;
            expect("round $round, half-life $half, $kind: $row->{policy} of $size",
                   is_count($row->{references}, $all) && is_count($row->{misses}, $missed)
                   && abs($row->{miss_ratio} - $missed / $all) < 2e-12);
        }
    }
    # A cache of 1 byte misses all references, and deletes belong to no piece.
    open $file, '>', 'd.csv' or die;
    print $file "id,size,op\n", map { "$_,2," . (rand() < .2 ? "delete\n" : "get\n") } @names;
    close $file;
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
    open my $file, '>', 'requests.csv' or die;
    print $file "request,block,time\n";
    for my $i (0 .. $#requests) {
        print $file "$i,$_,7\n" for @{ $requests[$i]{list} };
        $requests[$i]{weight} =
            2 ** -(($before - $requests[$i]{from}) * $piece / $half);
    }
    close $file;
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
report(!$wrong, "$checks rows of $rounds traces are of masses, and rounded",
    "$wrong are not, first $first");
conclude();
