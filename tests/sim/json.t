#!/usr/bin/perl
# json.t - --json writes the values of the CSV
#
# Every command of `margay help` either has jobs here, whose tables are written
# in both forms, read by parsers that are not Margay's, and compared cell by
# cell; or it writes no table and refuses --json.  The jobs have to show every
# column of sim/result/csv.h.  margay plot draws each table, or says what it draws.
use strict;
use warnings;
use B ();
use Cwd qw(abs_path);
use Encode ();
use File::Copy qw(copy);
use JSON::PP ();
use Math::BigFloat ();
use Math::BigInt ();
use Test::More;
require './tests/tap.pl';

my $build = abs_path($ENV{BUILD} // 'build');
my $root = abs_path('.');
my $margay = begin_in_folder();

# A name for traces that no form holds as it is: a quotation mark, commas, a
# backslash, control characters, UTF-8 and, one after the other, a byte that is
# none, overlong characters, a surrogate, one beyond the last and one cut off.
my $odd = "a \"b\",\\c\t\x01\n\xc3\xa9\xf4\x8f\xbf\xbd.\xff\xc0\xaf\xe0\x80\xaf"
    . "\xf0\x80\x80\xaf\xed\xa0\x80\xf4\x90\x80\x80\xf5\xe2\x82,\xe2\x82";

sub text_file {
    my ($name, @lines) = @_;
    open my $file, '>', $name or die "$name: $!\n";
    print $file @lines;
    close $file or die "$name: $!\n";
}

sub margay {
    return status_of($margay, @_);
}

# ------------------------------------------------------------ two parsers --

# The rows of CSV, a list of fields each.
sub csv_rows {
    my ($text) = @_;
    my (@rows, @row);
    while ($text =~ /\G(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/gc) {
        my ($quoted, $plain, $end) = ($1, $2, $3);
        push @row, defined $quoted ? $quoted =~ s/""/"/gr : $plain;
        next if $end eq ',';
        push @rows, [@row];
        @row = ();
    }
    die "not CSV: $text\n" if (pos($text) // 0) != length $text;
    return @rows;
}

# Rows by their columns: of CSV, where info has a row for each column, and of
# JSON lines.
sub csv_table {
    my ($text) = @_;
    my ($columns, @rows) = csv_rows($text);
    return () unless $columns;
    return {map { ($_->[0], $_->[1]) } @rows} if "@$columns" eq 'key value';
    return map {
        my $row = $_;
        @$row == @$columns or die "a row of another length: @$row\n";
        +{map { ($columns->[$_], $row->[$_]) } 0 .. $#$columns};
    } @rows;
}

sub json_table {
    my ($text) = @_;
    my $parser = JSON::PP->new->utf8->allow_bignum;
    return map { $parser->decode($_) } split /\n/, $text;
}

# --------------------------------------------------------------- the cells --

my %is_text = map { ($_ => 1) } qw(trace policy role region op engine name property at exact machine cache event program tenant
    guarantee parameters time space source format column file
    function data);

# What no two runs measure alike.
my %varies = map { ($_ => 1) } qw(seconds refs_per_second peak_bytes);

sub is_number {
    my ($value) = @_;
    my $numeric = B::SVp_IOK() | B::SVp_NOK();
    return ref $value || B::svref_2object(\$value)->FLAGS & $numeric;
}

sub number_of {
    my ($text) = @_;
    return $text =~ /^0x/ ? Math::BigInt->from_hex($text)
                          : Math::BigFloat->new($text);
}

# What is wrong with a value of JSON; '' if nothing is.
sub wrong {
    my ($column, $cell, $value) = @_;
    return defined $value ? "$value, expected null" : '' if $cell eq '';
    return "null, expected $cell" unless defined $value;
    if ($is_text{$column} || $cell eq 'inf') {
        return "the number $value, expected a text" if is_number($value);
        my $text = Encode::decode('UTF-8', $cell, Encode::FB_DEFAULT);
        # Encode has one replacement for a run of such bytes.
        s/\x{fffd}+/\x{fffd}/g for $value, $text;
        return $value eq $text ? '' : "another text than $cell";
    }
    return "the text $value, expected a number" unless is_number($value);
    return '' if $varies{$column};
    return number_of($cell) == number_of("$value") ? '' : "$value, not $cell";
}

my %seen;

sub wrong_tables {
    my ($csv, $json) = @_;
    my @expected = csv_table($csv);
    my @rows = eval { json_table($json) };
    return "not JSON: $@" if $@;
    return "no rows" unless @expected;
    return scalar(@rows) . " rows, not " . scalar(@expected)
        unless @rows == @expected;
    for my $i (0 .. $#rows) {
        my ($row, $cells) = ($rows[$i], $expected[$i]);
        delete $row->{trace} unless exists $cells->{trace};
        return "other columns in row $i"
            unless "@{[sort keys %$row]}" eq "@{[sort keys %$cells]}";
        for my $column (keys %$cells) {
            $seen{$column} = 1;
            my $what = wrong($column, $cells->{$column}, $row->{$column});
            return "row $i, $column: $what" if $what ne '';
        }
    }
    return '';
}

# ---------------------------------------------------------------- the jobs --

text_file($odd, map { sprintf "%d %x\n", $_ % 3, $_ * $_ % 977 * 8 } 1 .. 2000);
text_file('large', "18446744073709551614\n9007199254740993\n" x 2);
text_file('far', "0xffffffffffffffff\n0x0\n");
text_file('objects.csv', "id,size\n", map { $_ % 7 . ',' . $_ % 7 * 100 . "\n" }
    1 .. 100);
text_file('requests.csv', "request,block\n", map { int($_ / 3) . ",$_\n" }
    1 .. 30);
text_file('tenants.csv', "who,block\n",
    map { '"a ""' . $_ % 3 . "\"\",\"," . $_ % 7 . "\n" } 1 .. 30);
text_file('ops.csv', "id,op\n",
    map { $_ % 7 . ',' . (qw(get set delete))[$_ % 3] . "\n" } 1 .. 30);
text_file('none.csv', "id,size\n1,0\n");
text_file('map.csv', "name,from,to\n\"the \"\"first\"\", half\",0,0x1000\n");
copy("$build/tests/fuzz/seeds/mgt/columns", 'columns') or die "$!\n";
text_file('sites.mgt', substr contents('columns'), 1);
copy("$build/tests/fuzz/seeds/mgt/data", 'data') or die "$!\n";
text_file('data.mgt', substr contents('data'), 1);
for my $blocks (100, 200) {
    margay('generate', 'loop', '--refs', 1000, '--blocks', $blocks, '--to',
           'din', '-o', "loop.$blocks");
    margay('histogram', '-q', "loop.$blocks", '-o', "loop.$blocks.csv");
}
text_file('sized.csv', "id,size\n", map { $_ % 7 . ',' . 10 * ($_ % 7 + 1) . "\n" }
    1 .. 40);
margay('histogram', '-q', '--objects', 'sized.csv', '-o', 'bytes.csv');
margay('histogram', '-q', '--by', 'region=map.csv', '-f', 'din', $odd, '-o',
       'places.csv');
for my $side (24, 36, 54) {
    margay('generate', 'stencil', '--refs', 30 * ($side - 2) ** 2, '--blocks',
           2 * $side ** 2, '--to', 'u64', '-o', "walk.$side");
}

text_file('machine.csv', "cache,holds,bytes,block_bytes,ways,next,cycles\n",
    "L1,all,2K,64,4,L2,3\nL2,all,8K,64,8,,7\n");
my $quoted = $odd =~ s/"/""/gr;
for my $misses (20, 30) {
    text_file($misses == 20 ? 'base.csv' : 'new.csv',
        "trace,block_bytes,misses,miss_ratio,format\n\"$quoted\",64,",
        "1844674407370955$misses,0.$misses,\"$misses\"\n");
}

my @din = ('-f', 'din', $odd);
# Two threads that write to one block, in drmemtrace's records.
text_file('counters.csv', "5000,,instructions,1,100.00,,\n",
    "60,,L1-dcache-load-misses,1,100.00,,\n", "0,,LLC-loads,1,100.00,,\n");
text_file('mesi.csv', "cache,holds,bytes,block_bytes,ways,next,coherence\n"
    . "L1,data,1K,64,2,L2,mesi\nL2,all,8K,64,8,,\n");
text_file('threads', join '', map { pack 'vvQ<', @$_ } [25, 0, 4],
    (map { [22, 4, 100 + $_ % 2], [10, 4, 4096], [1, 8, 640 + $_ % 2 * 8] }
     1 .. 9), [26, 0, 0]);
my @grid = ('--sets', '1,4', '--ways', '1..2');
my @runs = ('loop.100.csv=100', 'loop.200.csv=200');
my @objects = ('--objects', '--column', 'id=id,size=size', '-f', 'csv');

my $plots = grep { -x "$_/gnuplot" } split /:/, $ENV{PATH};
$ENV{MARGAY_PLOTS} = "$root/plots";

# A picture without a word, or one line that is not of gnuplot's failures.
sub wrong_picture {
    my ($csv) = @_;
    text_file('drawn.csv', $csv);
    unlink 'drawn.svg';
    my $status = margay('plot', 'drawn.csv', '-o', 'drawn.svg');
    my $said = contents('err');
    return '' if $status == 0 && $said eq '' && -s 'drawn.svg';
    return '' if $status == 2 && !-e 'drawn.svg' && $said =~
        /^margay plot: drawn.csv.*(no picture; expected a table of curve|no rows: |no engine here |traces, expected one).*\n\z/;
    return "status $status: $said";
}

# The commands that write tables, with what makes them do so; a second table in
# the file `beside`.
my %jobs = (
    curve => [
        [@din, '-b', '64,128', '--histogram', 'beside'],
        [@din, '--writebacks'],
        [@din, '--window', 500],
        [@din, '--policy', 'lru,arc,lirs:hir=0.1'],
        ['-f', 'lines', 'large', '--sizes', '1,18446744073709551615'],
        [@objects, 'objects.csv', '--histogram', 'beside'],
        ['--objects', '-f', 'csv', '--column', 'id=id,size=size,cost=size',
         '--policy', 'lru:tier=300', '--written', 'objects.csv'],
        [@objects, 'none.csv'],
        ['--tiers', '2,3', '--column', 'block', 'requests.csv'],
        ['--tiers', '2+3,4', '--column', 'block', 'requests.csv'],
        ['--requests', '--column', 'id=block,request=request', 'requests.csv',
         '--histogram', 'beside'],
        ['--tenant', 'who', '--column', 'id=block', 'tenants.csv',
         '--histogram', 'beside'],
    ],
    histogram => [
        [@din, '--bins', 'log2'],
        [@din, '--bound', 16],
        ['sites.mgt', '--by', 'site'],
        ['sites.mgt', '--by', 'thread'],
        ['--by', 'op', '--column', 'id=id,op=op', 'ops.csv'],
        [@din, '--by', 'region=map.csv'],
        [@objects, 'objects.csv'],
    ],
    overlap => [['places.csv', 'places.csv']],
    distances => [
        [@din, '-b', '64,128'],
        ['-f', 'lines', 'large'],
        [@objects, 'objects.csv'],
    ],
    assoc => [
        [@din, @grid, '--by', 'kind', '--write', 'back'],
        [@din, @grid, '--policy', 'fifo'],
        ['-f', 'lines', 'large', @grid],
    ],
    compare => [
        [@din, @grid],
        ['loop.100', @grid, '--prediction', 'loop.100.csv'],
    ],
    predict => [
        ['--size', 400, @runs],
        ['--size', 400, '--curve', '--with-runs', @runs],
        ['--sample', '-f', 'u64', '-b', 8, 'walk.24=576', 'walk.36=1296',
         'walk.54'],
    ],
    annotate => [
        ['sites.mgt'],
        ['--sizes', '64,4K', 'sites.mgt'],
        ['--data', '--sizes', '64,4K', 'data.mgt'],
    ],
    info => [
        [@din],
        ['-f', 'lines', 'large'],
        ['-f', 'hex', 'far'],
        ['--limit', 0, @din],
        ['--profile', @din],
        ['--profile', '--limit', 0, @din],
        ['--heatmap', @din],
        ['--heatmap', '-f', 'lines', 'large'],
    ],
    phases => [
        ['--weights', 'beside', @din],
        ['-f', 'lines', '--curves', 'beside', 'large'],
    ],
    diff => [
        ['--tolerance', 1, 'base.csv', 'new.csv'],
    ],
    share => [
        ['--sizes', '16,64', 'loop.100.csv', 'loop.200.csv'],
        ['--objects', '--sizes', '64', 'bytes.csv', 'bytes.csv'],
    ],
    simulate => [
        ['--machine', 'machine.csv', @din],
        ['--machine', 'machine.csv', '--vary', 'L1.ways=1,2', '--pareto',
            'beside', @din],
        ['--machine', 'machine.csv', '-f', 'lines', '--unit', 64, 'large'],
        ['--machine', 'mesi.csv', '--sharing', 'beside', 'threads'],
        ['--machine', 'machine.csv', '--vary', 'L1.ways=1,2', '--validate',
            'counters.csv', @din],
    ],
    engines => [
        [],
        ['--run', 'loop.100', '--only', 'exact,shards:rate=0.5,markers'],
        ['--sweep', '--blocks', 1000, '--only', 'exact'],
    ],
);

# The others.
my %writes_none = map { ($_ => 1) }
    qw(convert filter generate record plot report help version);

is(margay('help'), 0, 'the commands are known');
my @commands = contents('out') =~ /^  ([a-z]+) /mg;
cmp_ok(scalar @commands, '>', 10, 'there are commands');
margay('version');
my $annotates = contents('out') =~ /libdw/;
for my $command (@commands) {
    next if $command eq 'help' || $command eq 'annotate' && !$annotates;
    if ($writes_none{$command}) {
        isnt(margay($command, '--json'), 0, "$command takes no --json");
        like(contents('err'), qr/^margay $command: .*--json/, "and says so");
        next;
    }
    ok($jobs{$command}, "$command has a job in this test");
    for my $job (@{$jobs{$command} // []}) {
        my $name = join ' ', $command, map { s/\Q$odd\E/ODD/r } @$job;
        unlink 'beside';
        my $csv_status = margay($command, @$job);
        my @csv = (contents('out'), contents('beside'));
        my $json_status = margay($command, '--json', @$job);
        my @json = (contents('out'), contents('beside'));
        is("$csv_status $json_status", '0 0', "$name succeeds")
            or diag(contents('err'));
        is(wrong_tables($csv[0], $json[0]), '', "$name: the same values");
        is(wrong_tables($csv[1], $json[1]), '', "$name: and in the other table")
            if $csv[1] ne '';
        is(wrong_picture($_), '', "$name: drawn, or a reason why not")
            for $plots ? grep { $_ ne '' } @csv : ();
    }
}

# A run without references has no rows.
is(margay('curve', '-q', '--json', '-f', 'din', '--limit', 0, $odd), 0,
   'a run without references');
is(contents('out'), '', 'no row is no line');

# Each byte that is no character is replaced by itself.
margay('info', '--json', @din);
my ($info) = json_table(contents('out'));
(my $expected = $odd) =~
    s/[\xff\xc0\xaf\xf5]|\xe0\x80|\xf0\x80\x80|\xed\xa0\x80|\xf4\x90\x80\x80
      |\xe2\x82/'?' x length $&/gex;
$expected = join '', map { $_ eq '?' ? "\x{fffd}" : $_ }
    split //, Encode::decode('UTF-8', $expected);
is($info->{trace}, $expected, 'bytes that are no UTF-8 are replaced');

# All columns were there.
my %columns = map { ($_ => 1) } map { split /,/ } grep { !/\// }
    contents("$root/sim/result/csv.h") =~ /"([a-z0-9_,]+)"/g;
delete @columns{qw(file line function data)} if !$annotates;
delete @columns{qw(sampled no_guide)}; # of samples alone
is(join(' ', grep { !$seen{$_} } sort grep { $_ ne '' } keys %columns), '',
   'every column was compared');
done_testing();
