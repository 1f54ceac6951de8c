#!/usr/bin/perl
# conflicts.t - options that have no meaning together are refused, all of them
#
# Walks the rows of sim/options/conflicts.def: each pair of options is put on a
# command line of each command that has both, and has to be refused with exit
# status 2, nothing on standard output, and the message of the row.  What needs
# another option is refused without it, and runs with it.
use strict;
use warnings;
use Cwd qw(getcwd);
require './tests/tap.pl';

my $root = getcwd();
my $margay = begin_in_folder();

# --------------------------------------------------------------- the tables --

# A value of each option that has one.  It is not the usual one; "COMMAND NAME"
# comes before "NAME".
my %sample = (
    'at-most' => 0.5, 'at-most-bytes' => 0.5, 'bad-lines' => 3, best => 2,
    'histogram bins' => 'log2', 'predict bins' => 'log2', block => 128,
    bound => 8, by => 'thread', bytes => '1K', chunk => 100, column => 'id=1',
    delimiter => 'tab', engine => 'olken', every => 100, format => 'din',
    from => 'input', 'half-life' => 100, histogram => 'output', instructions => 5,
    kind => 'read', layout => 'input', limit => 5, 'load-model' => 'input', 'max-bytes' => '1M',
    memory => 'low', only => 'exact', run => 'input', interleave => 3, misses => 'L1', method => 'multi', model => 'footprint', of => 'time',
    op => 'get', pareto => 'output', pattern => '1d', phase => 100, policy => 'lru',
    prometheus => 'output', quote => 'none', resume => 'input',
    'curve sample' => 0.5, 'report sample' => 0.5, save => 'output', 'save-model' => 'output',
    sets => 4, sharing => 'output', size => 9, sizes => 64, 'sizes-from' => 'max', skip => 1,
    straddle => 'split', to => 'din', tenant => 'thread', touch => 'back', truth => 'input', validate => 'input',
    'bytes-per-token' => 4, 'tokens-per-block' => 16, tiers => '8,9', groups => 'full', inclusion => 'none',
    ttl => 10, unit => 64, vary => 'L1.bytes=1K', warmup => 3, window => 100,
);

# The commands of the sets that the table names.
my %commands = (
    ON_CURVE => [qw(curve)], ON_HISTOGRAM => [qw(histogram)],
    ON_MEASURES => [qw(curve histogram distances)],
    ON_PREDICT => [qw(predict)], ON_FILTER => [qw(filter)],
    'ON_ASSOC | ON_FILTER' => [qw(assoc filter)],
    ON_ASSOC => [qw(assoc)], ON_SIMULATE => [qw(simulate)],
    ON_TABLES => [qw(curve histogram assoc simulate share info)],
    'ON_CURVE | ON_REPORT' => [qw(curve report)], ON_INFO => [qw(info)], ON_REPORT => ['report'], ON_ENGINES => ['engines'],
    ON_JOINS => [qw(curve histogram info phases)],
);

# What a command runs on, with the option that is needed.
my %runs_on = (
    objects => ['--column', 'id=id,size=size,time=time', 'objects.csv'],
    requests => ['--column', 'id=block,request=request,time=time',
        'requests.csv'],
    map({ $_ => ['--requests', '--column', 'id=block,request=request',
        'requests.csv'] } qw(groups tiers)),
    join => ['--column', 'id=id,time=time', ('objects.csv') x 2],
    policy => ['--column', 'id=id,size=size', 'objects.csv'], best => ['--unit', 64, 'ids.lines'],
    mix => [qw(--unit 64 --machine machine.csv ids.lines ids.lines)],
    misses => [qw(--unit 64 --machine machine.csv ids.lines)],
    run => ['--run', 'ids.lines'], sweep => [qw(--blocks 1000)], curve => [qw(--size 90 runs1.csv=10 runs2.csv=20 runs3.csv=30)],
);

# And what the option before needs besides.
my %also = ('written objects' => 'policy', 'written policy' => 'objects', 'inclusion requests' => 'tiers');

sub read_rows {
    my $text = contents("$root/sim/options/conflicts.def");
    $text =~ s{/\*.*?\*/}{}gs;
    $text =~ s/"\s*\n\s*"//g; # a text on several lines
    my @rows;
    while ($text =~ /^(CONFLICT|NEEDS)\("(.*?)",\s*"(.*?)",\s*([\w |]+),\s*"(.*?)"\)/gms) {
        push @rows, {
            needs => $1 eq 'NEEDS',
            options => [split ' ', $2],
            others => [split ' ', $3],
            commands => $commands{$4} // die("$4: no commands known"),
            message => $5,
        };
    }
    my $macros = () = $text =~ /^(?:CONFLICT|NEEDS)\(/gm;
    die "some rows are not understood" if $macros != @rows;
    return @rows;
}

# ------------------------------------------------------------- command lines --

my %taken; # "COMMAND ARGUMENTS" => does the command take them?

# Does the command take all of these options, with their values?
sub takes {
    my ($command, @options) = @_;
    for my $option (@options) {
        my @line = ($command, arguments($command, $option), '--help');
        $taken{"@line"} //= (run(@line))[0] == 0 ? 1 : 0;
        return 0 unless $taken{"@line"};
    }
    return 1;
}

# NAME or NAME=VALUE as arguments.
sub arguments {
    my ($command, $option) = @_;
    my ($name, $value) = split /=/, $option;
    $value //= $sample{"$command $name"} // $sample{$name};
    return defined $value ? ("--$name", $value) : ("--$name");
}

# As the messages have it.
sub typed {
    my ($option) = @_;
    return "--" . join ' ', split /=/, $option;
}

sub run {
    return (status_of($margay, @_), -s 'out' // 0, contents('err'));
}

sub refuses {
    my ($message, $command, @options) = @_;
    my @line = map { arguments($command, $_) } @options;
    my ($status, $bytes, $said) = run($command, @line, $command eq 'engines' ? () : 'trace');
    report($status == 2 && $bytes == 0
            && $said eq "margay $command: $message\n",
        "$command @line is refused", "status $status, $bytes bytes", $said,
        "expected: $message");
}

sub fill {
    my ($message, $option) = @_;
    my $typed = typed($option);
    return $message =~ s/%s/$typed/r;
}

# --------------------------------------------------------------- the checks --

sub make_traces {
    my @ids = map { $_ * $_ % 23 } 1 .. 200;
    write_file('ids.lines', @ids);
    write_file('machine.csv', 'cache,holds,bytes,block_bytes,ways,next',
        'L1,all,1K,64,0,');
    write_file('objects.csv', 'id,size,time',
        map { "$ids[$_]," . (10 + $ids[$_]) . ",$_" } 0 .. 199);
    write_file('requests.csv', 'request,block,time',
        map { int($_ / 3) . ",$ids[$_]," . int($_ / 3) } 0 .. 199);
    write_file("runs$_.lines", map { $_ } @ids, 1 .. 60 * $_) for 1 .. 3;
    system "$margay histogram -q -o runs$_.csv "
        . "runs$_.lines" for 1 .. 3;
}

sub check_conflict {
    my ($row) = @_;
    for my $other (@{ $row->{others} }) {
        my $found = 0;
        for my $command (@{ $row->{commands} }) {
            next unless takes($command, @{ $row->{options} }, $other);
            refuses(fill($row->{message}, $other), $command,
                @{ $row->{options} }, $other);
            $found = 1;
        }
        report(0, "a command takes @{ $row->{options} } and $other")
            unless $found;
    }
}

sub check_need {
    my ($row) = @_;
    for my $option (@{ $row->{options} }) {
        my $found = 0;
        for (map { my $command = $_; map { [$command, $_] } @{ $row->{others} } }
            @{ $row->{commands} }) {
            my ($command, $needed) = @$_;
            next unless takes($command, $option, $needed);
            my @also = $also{"$option $needed"} // ();
            refuses(fill($row->{message}, $option), $command, $option, @also);
            my @line = map { arguments($command, $_) } $option, $needed, @also;
            my ($status, $bytes, $said) =
                run($command, '-q', @line, @{ $runs_on{$needed} });
            report($status == 0 && $bytes > 0, "$command @line runs",
                "status $status, $bytes bytes", $said);
            $found = 1;
        }
        report(0, "a command takes $option and what it needs") unless $found;
    }
}

make_traces();
for my $row (read_rows()) {
    $row->{needs} ? check_need($row) : check_conflict($row);
}
report(reported() > 120, 'there are many');
conclude();
