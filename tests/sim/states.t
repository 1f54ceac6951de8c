#!/usr/bin/perl
# states.t - a trace that is cut anywhere, saved and resumed, is the whole trace
#
# Of random tables and command lines: the table of the whole, and that of its
# last part, after each part before it has been read from the state that the one
# before saved.  And states that are damaged, or of other options.
use strict;
use warnings;
require './tests/tap.pl';

my $margay = begin_in_folder();
my $seed = $ENV{SEED} // 41;
srand $seed;

my $columns = '--column id=id,size=size,op=op,time=time,request=request';
my @measures = map { "curve $_" } '', '--objects', '--requests', '--model footprint',
    '--policy opt,fifo,random', '--objects --policy lru,fifo', '--requests --policy arc',
    '--half-life 50', '--objects --half-life 40', '--requests --half-life 30',
    '--objects --ttl 20', '--requests --ttl 9', '-e shards:rate=0.5',
    '--objects -e shards:rate=0.5', '--objects --bound 400', '--writebacks',
    '--requests --touch back --tokens-per-block 7', '--requests --tiers 3,5',
    '--policy fifo --sample 0.5', '--policy lru,sieve --bound 9', '--policy arc --writebacks';
push @measures, 'histogram', 'histogram --of time', 'histogram --objects --by op --half-life 40',
    'histogram --objects', map { "curve $_ --window 35" } '', '--policy fifo';

sub run {
    my $text = `$margay $_[0] 2>err`;
    return ($text, $? >> 8, contents('err'));
}

sub table {
    my ($name, @rows) = @_;
    chomp @rows;
    write_file("$name.csv", 'id,size,op,time,who,request', @rows);
}

my $rounds = int 40 * ($ENV{MARGAY_TEST_ROUNDS} // 100) / 100 || 1;
my @wrong;
for my $round (1 .. $rounds) {
    my $count = 20 + int rand 200;
    my @rows = map {
        my $id = int rand(rand() < 0.6 ? 8 : 60);
        join(',', $id, 10 + int(rand() < 0.9 ? $id : rand 40),
            rand() < 0.7 ? 'get' : rand() < 0.7 ? 'set' : 'delete', int $_ / 3,
            (qw(web db x), "a long name")[rand 4], int $_ / 4) . "\n"
    } 1 .. $count;
    table('whole', @rows);
    my $measure = $measures[$round % @measures];
    my $options = "$measure -q $columns";
    $options .= ' --tenant who' if $measure =~ /curve/ && rand() < 0.5
        && $measure !~ /writebacks|model|shards/;
    my $warmup = rand() < 0.3 ? '--warmup ' . int rand $count : '';
    my $op = $measure =~ /objects|requests/ || rand() < 0.7 ? '' : '--op get,set';
    my ($expected, $status, $said) = run("$options $op $warmup whole.csv");
    my @cuts = sort { $a <=> $b } map { int rand $count + 1 } 0 .. rand 3;
    my ($from, $resume, $got) = (0, $warmup);
    for my $i (0 .. @cuts) {
        my $to = $cuts[$i] // $count;
        my $part = $i == @cuts ? '' : "--save state$to";
        table('part', @rows[$from .. $to - 1]);
        ($got, my $ended, $said) = run("$options $op $resume $part part.csv");
        $status ||= $ended;
        ($from, $resume) = ($to, "--resume state$to");
    }
    my ($window) = $got =~ /^(\d+),/m; # that goes on, or the next one
    $expected =~ s{^(\d+),.*\n}{$1 < ($window // 1e9) ? '' : $&}gme if $measure =~ /window/;
    $got =~ s/\bpart\.csv/whole.csv/g;
    push @wrong, "round $round, cut after @cuts of $count: $options $op $warmup: $said",
        'got', $got, 'expected', $expected
        if ($status || $got ne $expected) && @wrong < 8;
}
report(!@wrong, "$rounds tables (SEED=$seed): each part goes on from the one before",
    @wrong);

# The same references by --skip and --limit, with names that come before them.
table('whole', map { "$_,1,get,$_," . ($_ % 3 ? 'late' : 'early') . ",$_\n" } 1 .. 30);
my $options = "curve -q $columns --objects --tenant who";
run("$options --limit 11 --save state whole.csv");
report((run("$options --skip 11 --resume state whole.csv"))[0] eq
    (run("$options whole.csv"))[0], 'the rest of a file');

# A run that goes on from a silent pipe and is interrupted has the state's
# results, with the bytes and tokens of a block that the trace would say.
write_file('moon.jsonl', map {
    sprintf qq({"timestamp": %d, "input_length": 1200, "output_length": 9, )
        . qq("hash_ids": [1, %d, %d]}), $_, $_ % 3, $_ } 1 .. 20);
for my $more ('', '--bytes-per-token 128KiB', '--policy leaf-lru', '--tiers 2,9') {
    my $moon = "curve --requests -f mooncake $more";
    my ($expected, $status, $said) = run("$moon -q --save moon moon.jsonl");
    last if $said =~ /built with yajl/;
    $expected =~ s/\bmoon\.jsonl/-/g;
    pipe my $silent, my $writer or die;
    my $child = fork // die;
    if ($child == 0) {
        open STDIN, '<&', $silent or die;
        open STDOUT, '>', 'out' or die;
        open STDERR, '>', 'err' or die;
        exec "$margay $moon --resume moon -" or die;
    }
    for (1 .. 1000) {
        last if -s 'err';
        select undef, undef, undef, 0.01;
    }
    kill INT => $child;
    waitpid $child, 0;
    my $ended = $? >> 8;
    my ($got, $why) = map { contents($_) } 'out', 'err';
    report($status == 0 && $ended == 130 && $got eq $expected,
        "interrupted before anything came: $moon", $ended, $why, $got, $expected);
}
# A trace that does not say what a block is has the state's; others are refused.
system q(printf 'block,request\n1,0\n2,0\n1,1\n9,1\n' >few.csv);
run("curve -q --requests -f mooncake --bytes-per-token 1K --save moon moon.jsonl");
my ($unsaid, $as_said, $other) = map { join '', run(
    "curve -q --requests --column id=block,request=request --resume moon few.csv $_") }
    '', '--tokens-per-block 512 --bytes-per-token 1K', '--tokens-per-block 8';
report(!-e 'moon' || $unsaid eq $as_said && $unsaid =~ /,524288,/
    && $other =~ /its number of tokens of a block .* 512, and here it is 8$/m,
    "tokens and bytes that are not said are the state's", $unsaid, $other);

# Requests without names are others in another file, whatever their number.
write_file("$_.jsonl", qq({"h": [1, $_]})) for 1, 2;
system 'cat 1.jsonl 2.jsonl >both.jsonl';
my $lists = 'curve -q --column id=h --requests';
my ($both, $unread, $why) = run("$lists both.jsonl");
run("$lists --save lists 1.jsonl");
my ($second) = run("$lists --resume lists 2.jsonl");
report($unread ? $why =~ /built with yajl/
        : $second =~ s/\b2(?=\.jsonl)/both/gr eq $both, 'a request of another file',
    $second, $both);

# Damaged states, and those of other options.
my $state = contents('state');
sub refuses {
    my ($bytes, $pattern, $what, $more) = @_;
    open my $file, '>', 'bad' or die;
    print $file $bytes;
    close $file or die;
    my ($text, $status, $said) = run("$more --skip 11 --resume bad whole.csv");
    return if $status == 2 && $text eq '' && $said =~ /^margay curve: bad: $pattern/
        && $said =~ tr/\n// == 1;
    return "$what: $status $said";
}
my @bad = grep { defined } map {
    refuses(substr($state, 0, $_), '.*byte \d+|not a state', "cut after $_", $options)
} map { int rand length $state } 1 .. 40;
push @bad, grep { defined } map {
    my $changed = $state;
    substr($changed, $_, 1) ^= chr 1 + int rand 255;
    refuses($changed, '.*byte \d+|not a state|a state of version', "byte $_", $options)
} map { int rand length $state } 1 .. 40;
report(!@bad, 'damaged states are refused', @bad);
my @other = grep { defined } map {
    refuses($state, 'a state of other options', $_, "curve -q $columns $_")
} '', '--policy fifo', '--requests', '--objects --op get', '--kind read';
my ($plain) = run("curve -q $columns --limit 11 --save plain whole.csv");
my $lru = contents('plain');
push @other, grep { defined } map {
    refuses($lru, 'a state of other options', $_, "curve -q $columns $_")
} '--policy fifo', '--objects', '--requests', '--half-life 9';
(run("$options --limit 11 --save who whole.csv"), run("curve -q $columns --policy fifo "
    . '--window 9 --limit 11 --save nine whole.csv'))[1] and die;
run("curve -q --column id=id,size=size --objects --limit 11 --save sized whole.csv");
my $sized = contents('sized');
push @other, grep { defined } map {
    refuses($sized, 'a state of other options: it was saved without ', $_, "curve -q $columns $_")
} '--objects --tenant who', '--objects --ttl 9';
push @other, grep { !/a state of other options: its (tenants are in 'who', and here in 'op'|window in references .* is 9,)/ }
    map { (run("$_ whole.csv"))[2] } "curve -q $columns --policy fifo --window 8 --resume nine",
    'curve -q --column id=id,size=size --objects --tenant op --resume who';
report(!@other, 'states of other options are refused', @other);
run("curve -q $columns --requests --tiers 3+3,5 --save none whole.csv");
report(!-e 'none', 'tiers that cannot be leave no state');
conclude();
