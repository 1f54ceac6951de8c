#!/usr/bin/perl
# evaluate.pl - what it costs to record real programs and analyse them
#
#     evaluate.pl [--rounds N] [--only NAME,...] [--method NAME,...]
#         [--olken-refs N] [--whole NAME,...] [--long | --large]
#         [--associative [--cache-blocks N,...]] [--prepare]
#         MARGAY MEASURE FOLDER
#
# MARGAY is the command, MEASURE the tool of tests/bench, FOLDER where inputs
# and programs are made and kept.  Prints a row per program:
#
#     program,stands_for,method,by,references,distinct_blocks,native_seconds,
#     dropped_seconds,capture_seconds,pipe_seconds,olken_seconds,
#     margay_seconds,margay_both_seconds,olken_whole_seconds
#
# `by` is the version of the compiler or of Valgrind.  Of table IV of PARDA
# are the distinct blocks and references of the program; its own time; the time
# with its references recorded and thrown away; sent through a pipe that is not
# read; analysed at the other end by Olken's algorithm, and by the default
# engine.  Beside them, all references dropped in the program, by a recorder that
# has stopped or is not there.
#
# Seconds are of processor time, medians of the rounds; native_seconds is the
# median of runs before each other run.  Of Olken's algorithm they are those of the
# first --olken-refs references (20 million) times as many as there are; of programs
# that --whole names all references are analysed as well, in olken_whole_seconds.
# Of a pipeline they are what it needs on two cores at least: the time of its dearer
# side or half of both, whichever is more; margay_both_seconds is the sum of both.
# So they hold on a machine that does other work as well.  The program and `margay
# record` are one side, the analysis is the other.
#
# With --long the programs are longer runs, without Olken's algorithm and without
# counted repeats.  With --large they are programs that use more than ten million
# words of 8 bytes, which are the blocks.
#
# Where a method cannot be had, its programs are left out, and a row of a program
# `none` says what it lacks in the place of the version.
#
# With --associative a second kind of table is printed instead, in the manner
# of Fu, Zhang and Chen: miss ratios in 32-byte blocks of caches of 2^6 to 2^17
# blocks, or some of these, fully associative and of 1, 2, 4 and 8 ways.
#
#     program,method,references,cache_blocks,fully_associative,ways_1,ways_2,
#     ways_4,ways_8
#
# --prepare only makes inputs and programs.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Basename;
use Getopt::Long;
use List::Util 'uniq';
require './tests/bench/commands.pl';
require './tests/papers/tables.pl';

my ($rounds, $only, $method, $associative, $prepare) = (3, '', '', 0, 0);
my @cache_blocks = map { 1 << $_ } 6 .. 17;
my ($olken_refs, $whole, $group) = (20_000_000, '', 'usual');
GetOptions('rounds=i' => \$rounds, 'only=s' => \$only,
    'olken-refs=i' => \$olken_refs,
    'method=s' => \$method, 'associative' => \$associative,
    'prepare' => \$prepare, 'whole=s' => \$whole,
    'long' => sub { $group = 'long' }, 'large' => sub { $group = 'large' },
    'cache-blocks=s' => sub { @cache_blocks = split /,/, $_[1] })
    && @ARGV == 3 && $rounds > 0
    or die "usage: evaluate.pl [--rounds N] [--only NAME,...] "
    . "[--method NAME,...] [--long | --large] [--olken-refs N] "
    . "[--whole NAME,...] [--associative [--cache-blocks N,...]] [--prepare] "
    . "MARGAY MEASURE FOLDER\n";
my ($margay, $measure) = map { abs_path($_) } @ARGV[0, 1];
my $here = abs_path(dirname(__FILE__));
mkdir $ARGV[2] unless -d $ARGV[2];
my $folder = abs_path($ARGV[2]);
my $block_bytes = $group eq 'large' ? 8 : 64;

my $table = do "$here/programs.pl" or die "programs.pl: ", $@ || $!, "\n";
my %wanted = map { $_ => 1 } split /,/, $only;
my %methods = map { $_ => 1 } split /,/, $method;
my @programs = grep {
    $_->{group} eq $group && (!%wanted || $wanted{ $_->{name} })
        && (!%methods || $methods{ $_->{method} })
} @$table;

sub shell { run('bash', '-o', 'pipefail', '-c', $_[0]) }

# --------------------------------------------------------------- methods --

# The version of a command, as it prints it.
sub version {
    my ($name, $command, $says) = @_;
    return `$command 2>&1` =~ $says ? "$name $1" : "no $name";
}

my %versions = (
    gcc => version('gcc', 'gcc -dumpfullversion', qr/^([\d.]+)$/m),
    clang => version('clang', 'clang --version', qr/clang version ([\d.]+)/),
    valgrind => version('valgrind', 'valgrind --version', qr/valgrind-([\d.]+)/),
);

sub cc { return $_[0] eq '' ? '' : "CC=$_[0] " }

# Can programs be recorded so here?  A compiler has to have its plugin.
sub is_usable {
    my ($record, $compiler) = @{ $_[0] }{qw(record compiler)};
    return system("'$margay' record -q --method $record -o /dev/null -- true "
        . '2>/dev/null') == 0 if $record ne 'runtime';
    return $compiler eq ''
        || `@{[cc($compiler)]}'$margay' record --cflags` =~ /plugin=/;
}

# Who records is known of each program; of a method that cannot be had one row is
# left, of no program.
my (%usable, @unusable);
for my $program (@programs) {
    my ($record, $compiler, $method) = @$program{qw(record compiler method)};
    $program->{by} =
        $versions{ $record ne 'runtime' ? $record : $compiler || 'gcc' };
    next if defined $usable{$method};
    $usable{$method} = is_usable($program);
    push @unusable, { name => 'none', stands_for => '', method => $method,
        by => "$program->{by} without " . ($record eq 'valgrind' ? 'tool' : 'plugins') }
        unless $usable{$method};
}
@programs = grep { $usable{ $_->{method} } } @programs;

# ------------------------------------------------------ inputs, programs --

# A folder is made once, and again when what makes it has changed.
sub is_older {
    my ($path, @sources) = @_;
    return !-e $path || grep { -M $_ < -M $path } @sources;
}

sub prepare {
    if (is_older("$folder/inputs", "$here/inputs.pl", glob("$here/tasks/*"))) {
        note('making the inputs');
        shell("rm -rf '$folder/new' && mkdir '$folder/new' && "
            . "perl '$here/inputs.pl' '$folder/new' && "
            . "cp '$here'/tasks/* '$folder/new' && cd '$folder/new' && "
            . 'hmmbuild family.hmm family.sto >/dev/null');
        shell("rm -rf '$folder/inputs'");
        rename "$folder/new", "$folder/inputs" or die "evaluate: $!\n";
    }
    my @from_source = grep { $_->{command} =~ /BUILT/ } @programs or return;
    note('building programs from source');
    for my $compiler (uniq(map { $_->{compiler} } @from_source)) {
        my @built = uniq(map { $_->{command} =~ m{BUILT/(\w+)} }
            grep { $_->{compiler} eq $compiler } @from_source);
        shell(cc($compiler)
            . "sh '$here/sources.sh' '$margay' '$folder/programs' @built");
    }
    # The interpreter's library of Scheme.
    shell("cp '$folder/programs/tinyscheme/init.scm' '$folder/inputs'");
}

# The program's command line, of its build with the hooks or without.
sub command {
    my ($program, $build) = @_;
    my $command = $program->{command};
    $build .= "-$program->{compiler}" if $program->{compiler};
    $command =~ s{BUILT}{'$folder/programs/$build'};
    return $command;
}

# ------------------------------------------------------------- measuring --

sub report {
    open my $in, '<', $_[0] or die "evaluate: $_[0]: $!\n";
    my ($user, $system) = split ' ', <$in>;
    return $user + $system;
}

# The least time of both sides of a pipeline on two cores.
sub together {
    my ($one, $other) = @_;
    return (sort { $b <=> $a } $one, $other, ($one + $other) / 2)[0];
}

# Processor seconds of both commands of a pipeline, 0 of the second where there is
# one.
sub time_of {
    my ($program, @sides) = @_;
    my @reports = map { "$folder/report.$_" } 0 .. $#sides;
    my $line = join ' | ',
        map { "{ '$measure' -o '$reports[$_]' $sides[$_]; }" } 0 .. $#sides;
    shell("cd '$folder/inputs' && { $line; } <$program->{input} "
        . ">/dev/null 2>'$folder/messages'");
    my ($one, $other) = map { report($_) } @reports;
    return ($one, $other // 0);
}

# Of Olken's algorithm on all references, of which it has seen some.
sub olken_seconds {
    my ($program, $curve, $references, $most, $pipe) = @_;
    my $some = $references < $most ? $references : $most;
    # The program is stopped by a pipe that is no longer read.
    my (undef, $seconds) = time_of($program, record($program, '-') . ' || :',
        "$curve -e olken --limit $some -");
    return together($seconds * $references / $some, $pipe);
}

sub record {
    my ($program, $out, @options) = @_;
    my $build = $program->{record} eq 'runtime' ? 'hooked' : 'native';
    return "'$margay' record -q --method $program->{record} @options "
        . "-o $out -- " . command($program, $build);
}

sub measure_program {
    my ($program) = @_;
    # One thread: the other core is the program's.
    my $curve = "'$margay' curve -j 1 -b $block_bytes";
    my %cases = (
        native => [command($program, 'native')],
        dropped => [$program->{record} eq 'runtime'
            ? command($program, 'hooked')
            : record($program, '/dev/null', '--to words --stop 1')],
        capture => [record($program, '/dev/null', '--to words')],
        pipe => [record($program, '-'), 'cat'],
        margay => [record($program, '-'), "$curve -"],
    );
    my @cases = qw(dropped capture pipe margay);
    my %seconds;
    # The program alone before each: the machine is not always as fast.
    for my $case (map { ('native', $_) } (@cases) x $rounds) {
        my @sides = time_of($program, @{ $cases{$case} });
        push @{ $seconds{$case} }, together(@sides);
        push @{ $seconds{margay_both} }, $sides[0] + $sides[1]
            if $case eq 'margay';
    }
    # The last one has left its summary.
    my %row = (counts(),
        map { ("${_}_seconds" => median(@{ $seconds{$_} })) } keys %seconds);
    return %row if $group eq 'long';
    my $all = $row{references};
    $row{olken_seconds} = olken_seconds($program, $curve, $all, $olken_refs,
        $row{pipe_seconds});
    $row{olken_whole_seconds} =
        olken_seconds($program, $curve, $all, $all, $row{pipe_seconds})
        if grep { $_ eq $program->{name} } split /,/, $whole;
    return %row;
}

# The numbers of references and distinct blocks, by the summary of the curve.
sub counts {
    open my $in, '<', "$folder/messages" or die "evaluate: messages: $!\n";
    while (<$in>) {
        return (references => $1, distinct_blocks => $2)
            if /: (\d+) references in blocks.*, (\d+) distinct blocks/;
    }
    die "evaluate: the analysis has no summary\n";
}

# -------------------------------------------------------------- printing --

my @columns = qw(references distinct_blocks native_seconds dropped_seconds
    capture_seconds pipe_seconds olken_seconds margay_seconds
    margay_both_seconds olken_whole_seconds);

sub print_row {
    my ($program, %row) = @_;
    my @values = map {
        !defined $row{$_} ? '' : /seconds$/ ? sprintf('%.3f', $row{$_}) : $row{$_}
    } @columns;
    print join(',', @$program{qw(name stands_for method by)}, @values), "\n";
}

sub print_times {
    print join(',', qw(program stands_for method by), @columns), "\n";
    print_row($_) for @unusable;
    for my $program (@programs) {
        note("$program->{name}, $program->{method}");
        print_row($program, measure_program($program));
    }
}

# A cache's row of `compare` names its sets and ways, both ratios among others.
sub print_associative {
    print "program,method,references,cache_blocks,fully_associative,"
        . join(',', map { "ways_$_" } 1, 2, 4, 8), "\n";
    for my $program (@programs) {
        note("$program->{name}, $program->{method}");
        shell("cd '$folder/inputs' && { " . record($program, '-')
            . "; } <$program->{input} 2>'$folder/messages' | "
            . "'$margay' compare -q -b 32 --sets 8..131072 --ways 1,2,4,8 "
            . ">'$folder/compare' -");
        my (%ratios, %full, $references);
        for my $row (rows_of(read_table("$folder/compare"))) {
            my $blocks = $row->{sets} * $row->{ways};
            $ratios{$blocks}{ $row->{ways} } = $row->{miss_ratio};
            $full{$blocks} = $row->{predicted_fully_associative};
            $references = $row->{references};
        }
        for my $blocks (@cache_blocks) {
            defined $full{$blocks}
                or die "evaluate: no cache of $blocks blocks was simulated\n";
            print join(',', @$program{qw(name method)}, $references, $blocks,
                map { sprintf '%.6f', $_ } $full{$blocks},
                @{ $ratios{$blocks} }{ 1, 2, 4, 8 }), "\n";
        }
    }
}

$| = 1;
prepare();
exit 0 if $prepare;
$associative ? print_associative() : print_times();
