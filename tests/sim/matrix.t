#!/usr/bin/perl
# matrix.t - measures times modifiers: every pair runs, or is known not to
#
# Each measure is run with each modifier that its command takes.  A pair that
# runs has to equal the same measure of a table to which the modifier was
# applied by hand.  A pair that is refused has to be a row of
# sim/options/conflicts.def, whose message it gives, or one of the few below
# that a question refuses by what it can do.
use strict;
use warnings;
use Cwd qw(getcwd);
require './tests/tap.pl';

my $root = getcwd();
my $margay = begin_in_folder();
srand 73;

# ------------------------------------------------------------------ the table --

my @rows; # id, size, op, time, who, request
for my $i (0 .. 299) {
    my $id = int rand(rand() < 0.6 ? 8 : 60);
    push @rows, [$id, 10 + $id % 7 * 5, rand() < 0.7 ? 'get' : 'set',
        int $i / 3, substr('abc', rand 3, 1), int $i / 4];
}
my @names = qw(id size op time who request);
my $columns = '--column id=id,size=size,op=op,time=time,request=request';

my $files = 0;
sub table {
    my $name = 't' . $files++ . '.csv';
    write_file($name, join(',', @names), map { join ',', @$_ } @_);
    return $name;
}

# ---------------------------------------------------------- running commands --

# Status, rows of the table as hashes without its trace, and what was said.
my %known;
sub measure {
    my ($arguments, $file) = @_;
    return @{ $known{"$arguments $file"} //= [run($arguments, $file)] };
}
sub run {
    my ($arguments, $file) = @_;
    my @lines = split /\n/, `$margay $arguments $file 2>err`;
    my $status = $? >> 8;
    my $said = contents('err');
    my @rows;
    if ($arguments =~ /-o (\S+)/ && $status == 0) {
        local @ARGV = ($1);
        chomp(@lines = <>);
    }
    if ($arguments =~ /--json/) {
        for my $line (@lines) {
            my %row;
            $row{$1} = $2 eq 'null' ? '' : $2
                while $line =~ /"(\w+)":"?([^",}]*)/g;
            push @rows, \%row;
        }
    } elsif (@lines) {
        my @header = split /,/, shift @lines;
        @rows = map { my %r; @r{@header} = split /,/, $_, -1; \%r } @lines;
    }
    delete $_->{trace} for @rows;
    return ($status, \@rows, $said);
}

sub text {
    my ($rows, @without) = @_;
    return join '', map {
        my %row = %$_;
        delete @row{@without};
        join(' ', map { "$_=$row{$_}" } sort keys %row) . "\n";
    } @$rows;
}

# ---------------------------------------------------------------- the measures --

my $blocks = '--sizes 1,2,4,8,16,32';
my $bytes = '--sizes 10,50,100,400,1000,3000';
my %measures = (
    lru => "curve $blocks", fifo => "curve --policy fifo $blocks",
    opt => "curve --policy opt $blocks", objects => "curve --objects $bytes",
    'objects fifo' => "curve --objects --policy fifo $bytes",
    requests => "curve --requests --tokens-per-block 16 $blocks",
    'back to front' => "curve --requests --tokens-per-block 16 --touch back $blocks",
    groups => "curve --requests --tokens-per-block 16 --groups full,window=33 $blocks",
    tiers => 'curve --requests --tokens-per-block 16 --tiers 3,5',
    histogram => 'histogram', 'histogram objects' => 'histogram --objects',
    'histogram by op' => 'histogram --by op',
    'histogram objects by op' => 'histogram --objects --by op',
    'reuse times' => 'histogram --of time', distances => 'distances',
    'distances objects' => 'distances --objects',
    sets => 'assoc --sets 2,4 --ways 1..4', footprint => "curve --model footprint $blocks",
    info => 'info', machine => 'simulate --unit 64 --machine l.csv',
);
write_file('l.csv', 'cache,holds,bytes,block_bytes,ways,next', 'L1,data,1K,64,4,L2', 'L2,all,4K,64,4,');

# --------------------------------------------------------------- the modifiers --

# The expected rows of a measure whose rows are those of some of the table.
sub of_rows {
    my $file = table(@_);
    return sub { (measure("$_[0] -q $columns", $file))[1] };
}
my $whole = table(@rows);
my $plain = sub { (measure("$_[0] -q $columns", $whole))[1] };

# A label is added, in whose groups rows are those of parts of the table.
sub of_tenants {
    my ($measure) = @_;
    my (@order, %seen);
    $seen{ $_->[4] }++ or push @order, $_->[4] for @rows;
    my @expected;
    for my $who (@order) {
        my $part = of_rows(grep { $_->[4] eq $who } @rows)->($measure);
        push @expected, map { { %$_, tenant => $who } } @$part;
    }
    # Sizes come before tenants in some tables.
    return [sort { text([$a]) cmp text([$b]) } @expected];
}

# What a window counts is what is counted up to its end, less what is up to its
# beginning.
sub of_windows {
    my ($measure) = @_;
    my ($before, @expected) = ();
    # The model has no differences: a window is what follows a warm-up.
    return [map { my $window = $_; map { +{ %$_, window => $window } } @{ $plain->("$measure "
        . "--warmup ${window}00 --limit " . ($window + 1) . '00') } } 0 .. 2]
        if $measure =~ /footprint/;
    for my $window (0 .. 2) {
        my $upto = of_rows(@rows[0 .. 100 * ($window + 1) - 1])->($measure);
        for my $i (0 .. $#$upto) {
            my %row = (%{ $upto->[$i] }, window => $window);
            $row{$_} -= $before ? $before->[$i]{$_} : 0
                for grep { /^(references|misses|missed_\w+|hit_blocks|\w+_bytes|requests|\w+_tokens)$/
                    && !/cache_bytes|block_bytes/ } keys %row;
            push @expected, \%row;
        }
        $before = $upto;
    }
    return \@expected;
}

my @modifiers = (
    ['-j 3' => $plain], ['--json' => $plain], ['--limit 170' => of_rows(@rows[0 .. 169])],
    ['--skip 45' => of_rows(@rows[45 .. 299])],
    ['--skip 45 --limit 100' => of_rows(@rows[45 .. 144])],
    ['--op get' => of_rows(grep { $_->[2] eq 'get' } @rows)],
    ['--kind read' => of_rows(grep { $_->[2] eq 'get' } @rows)],
    ['--warmup 0' => $plain], ['--tenant who' => \&of_tenants],
    ['--window 100' => \&of_windows], ['--every 100 -o out.csv' => $plain],
    ['--save state' => $plain], ['--resume half.s' => $plain],
    ['--at-most 100%' => $plain], ['--at-most-bytes 100%' => $plain],
    ['--knees 2' => $plain], ['--prometheus x.prom' => $plain],
    ['--sample 1' => $plain], ['--half-life 1000000000000000' => $plain],
    ['--sample 1 --window 100' => \&of_windows],
    ['--sample 0.5 --half-life 1000000000000000' => sub { $plain->("$_[0] --sample 0.5") }],
    ['--bound 16 --sizes 1,4,16' => sub { $plain->("$_[0] --sizes 1,4,16") }],
    ['--bound 5000' => $plain], ['--histogram more.csv' => $plain],
    ['--ttl 1000000' => $plain], ['--sizes-from max' => $plain],
    ['-e olken' => $plain], ['--seed 9' => $plain], ['--writebacks' => undef],
);

# ------------------------------------------------------------------- the rules --

my @rules = do {
    my $text = contents("$root/sim/options/conflicts.def");
    $text =~ s/"\s*\n\s*"//g;
    map { my $m = quotemeta; $m =~ s/\\%s/.*/g; $m }
        $text =~ /^(?:CONFLICT|NEEDS)\(.*?,\s*"([^"]*)"\)/gms;
};
# What a question, or an engine, says that it cannot do: only reuse distances
# have an LRU stack, which can be bounded, and measured by other engines.
my @unable = (
    qr/reuse times and footprints take no bound/,
    qr/gives a miss curve only/,
    qr/knows nothing of sizes/, qr/are not one number/,
    qr/does not know the distance of a single reference/,
);

# ------------------------------------------------------------------- the pairs --

my %count = map { $_ => 0 } qw(pairs equal rows unable);
my (%refused, %taken);
for my $name (sort keys %measures) {
    my $measure = $measures{$name};
    my ($command) = $measure =~ /^(\w+)/;
    my @wrong;
    for (@modifiers) {
        my ($modifier, $oracle) = @$_;
        next if system("$margay $command $modifier --help >/dev/null 2>&1") != 0
            || ($command eq 'info' && $modifier eq '--json'); # other rows
        my $file = $whole;
        $taken{$modifier} = 1;
        if ($modifier =~ /--resume/) {
            my $half = table(@rows[0 .. 149]);
            $file = table(@rows[150 .. 299]);
            unlink 'half.s';
            run("$measure -q $columns --save half.s", $half);
        }
        $count{pairs}++;
        my ($status, $got, $said) = run("$measure -q $columns $modifier", $file);
        if ($status == 2) {
            $refused{"$name, $modifier"} = $said;
            my $by = grep({ $said =~ /^margay \w+: (?:$_)$/m } @rules) ? 'rows'
                : grep({ $said =~ $_ } @unable) ? 'unable' : undef;
            defined $by ? $count{$by}++ : push @wrong, "$modifier: $said";
            next;
        }
        next if !defined $oracle;
        my $expected = $oracle->($measure);
        my @added = grep { !$expected->[0] || !exists $expected->[0]{$_} }
            keys %{ $got->[0] // {} };
        $got = [sort { text([$a], @added) cmp text([$b], @added) } @$got]
            if $modifier =~ /tenant/;
        # Windows are told by counts, from which ratios follow.
        my @left_out = $modifier =~ /window/
            ? grep { /ratio|share$/ } keys %{ $expected->[0] // {} } : ();
        my ($is, $ought) = (text($got, @added, @left_out),
            text($expected, @left_out));
        $is eq $ought ? $count{equal}++ : push @wrong,
            "$modifier: got", substr($is, 0, $ENV{NOTES} // 900), 'expected',
            substr $ought, 0, $ENV{NOTES} // 900;
    }
    report(!@wrong, "$name: all modifiers", @wrong);
}
print "# $count{pairs} pairs: $count{equal} equal their oracle, $count{rows} are "
    . "rows of conflicts.def, $count{unable} are refused by what a question can\n";
print "# $_: $refused{$_}" for $ENV{VERBOSE} ? sort keys %refused : ();
report($count{equal} > 200, 'there are many that run');
report(keys %taken == @modifiers, 'some command takes each modifier');
conclude();
