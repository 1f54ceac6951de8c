#!/usr/bin/perl
# evaluate.pl - what it costs to record real programs and analyse them
#
#     evaluate.pl [--rounds N] [--only NAME,...] [--method NAME]
#         [--olken-refs N] [--whole NAME,...] [--no-collapsed] [--long | --large]
#         [--associative [--cache-blocks N,...]] [--prepare]
#         MARGAY MEASURE FOLDER
#
# MARGAY is the command, MEASURE the tool of tests/bench, FOLDER where inputs
# and programs are made and kept.  Prints a row per program:
#
#     program,stands_for,method,references,distinct_blocks,native_seconds,
#     capture_seconds,pipe_seconds,olken_seconds,margay_seconds,
#     collapsed_seconds,margay_slowdown,collapsed_slowdown,
#     margay_wall_seconds,collapsed_wall_seconds
#
# The first ones are the columns of table IV of PARDA: the distinct blocks and
# references of the program; its own time; the time with its references
# recorded and thrown away; sent through a pipe that is not read; analysed at the
# other end by Olken's algorithm, and by the default engine; and again with
# immediate repeats counted where they are recorded, for which --no-collapsed
# leaves no time.
#
# Seconds are of processor time, medians of the rounds, but for Olken's
# algorithm, whose time is that of the first --olken-refs references (20
# million) times as many as there are; of those that --whole names it is measured
# as well, as olken_whole_seconds, of all references.  Of a pipeline, the time it needs on two
# cores at least, which is that of its dearer side or half of both together,
# whichever is more.  So they hold on a machine that does other work as well;
# the columns of wall seconds are what a clock showed.  The program and `margay
# record` are one side, the analysis is the other.
#
# With --long the programs are longer runs, without Olken's algorithm and without
# counted repeats, and the last column is the time with all references dropped
# in the program.  With --large they are programs that use more than ten million
# words of 8 bytes, which are the blocks.
#
#     ...,olken_whole_seconds,dropped_seconds
#
# With CC in the environment that compiler builds what is built here.
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

my ($rounds, $only, $method, $associative, $prepare) = (3, '', '', 0, 0);
my @cache_blocks = map { 1 << $_ } 6 .. 17;
my ($olken_refs, $whole, $with_collapsed, $group) = (20_000_000, '', 1, 'usual');
GetOptions('rounds=i' => \$rounds, 'only=s' => \$only,
    'olken-refs=i' => \$olken_refs, 'collapsed!' => \$with_collapsed,
    'method=s' => \$method, 'associative' => \$associative,
    'prepare' => \$prepare, 'whole=s' => \$whole,
    'long' => sub { $group = 'long' }, 'large' => sub { $group = 'large' },
    'cache-blocks=s' => sub { @cache_blocks = split /,/, $_[1] })
    && @ARGV == 3 && $rounds > 0
    or die "usage: evaluate.pl [--rounds N] [--only NAME,...] "
    . "[--method qemu|runtime|valgrind] [--long | --large] [--olken-refs N] "
    . "[--whole NAME,...] [--no-collapsed] [--associative [--cache-blocks N,...]] [--prepare] "
    . "MARGAY MEASURE FOLDER\n";
$with_collapsed &&= $group eq 'usual';
my ($margay, $measure) = map { abs_path($_) } @ARGV[0, 1];
my $here = abs_path(dirname(__FILE__));
mkdir $ARGV[2] unless -d $ARGV[2];
my $folder = abs_path($ARGV[2]);
my $block_bytes = $group eq 'large' ? 8 : 64;

my $table = do "$here/programs.pl" or die "programs.pl: ", $@ || $!, "\n";
my %wanted = map { $_ => 1 } split /,/, $only;
my @programs = grep {
    $_->{group} eq $group && (!%wanted || $wanted{ $_->{name} })
        && ($method eq '' || $method eq $_->{method})
} @$table;

sub note { print STDERR "evaluate: $_[0]\n" }

sub run {
    system('bash', '-o', 'pipefail', '-c', $_[0]) == 0
        or die "evaluate: failed: $_[0]\n";
}

# ------------------------------------------------------ inputs, programs --

# A folder is made once, and again when what makes it has changed.
sub is_older {
    my ($path, @sources) = @_;
    return !-e $path || grep { -M $_ < -M $path } @sources;
}

sub prepare {
    if (is_older("$folder/inputs", "$here/inputs.pl", glob("$here/tasks/*"))) {
        note('making the inputs');
        run("rm -rf '$folder/new' && mkdir '$folder/new' && "
            . "perl '$here/inputs.pl' '$folder/new' && "
            . "cp '$here'/tasks/* '$folder/new' && cd '$folder/new' && "
            . 'hmmbuild family.hmm family.sto >/dev/null');
        run("rm -rf '$folder/inputs'");
        rename "$folder/new", "$folder/inputs" or die "evaluate: $!\n";
    }
    if (grep { $_->{method} eq 'runtime' } @programs) {
        note('building programs from source');
        my @built = uniq(map { $_->{command} =~ m{BUILT/(\w+)} } @programs);
        run("sh '$here/sources.sh' '$margay' '$folder/programs' @built");
        # The interpreter's library of Scheme.
        run("cp '$folder/programs/tinyscheme/init.scm' '$folder/inputs'");
    }
}

# The program's command line, of its build with the hooks or without.
sub command {
    my ($program, $build) = @_;
    my $command = $program->{command};
    $build .= "-$ENV{CC}" if $ENV{CC};
    $command =~ s{BUILT}{'$folder/programs/$build'};
    return $command;
}

# ------------------------------------------------------------- measuring --

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

sub report {
    open my $in, '<', $_[0] or die "evaluate: $_[0]: $!\n";
    my ($user, $system, $wall) = split ' ', <$in>;
    return ($user + $system, $wall);
}

# What both sides of a pipeline take on two cores at least.
sub together {
    my ($one, $other) = @_;
    return (sort { $b <=> $a } $one, $other, ($one + $other) / 2)[0];
}

# Processor seconds of each command of a pipeline of one or two, and the wall
# seconds of the first.
sub time_of {
    my ($program, @sides) = @_;
    my @reports = map { "$folder/report.$_" } 0 .. $#sides;
    my $line = join ' | ',
        map { "{ '$measure' -o '$reports[$_]' $sides[$_]; }" } 0 .. $#sides;
    run("cd '$folder/inputs' && { $line; } <$program->{input} "
        . ">/dev/null 2>'$folder/messages'");
    my @times = map { [report($_)] } @reports;
    return ($times[0][0], @times > 1 ? $times[1][0] : 0, $times[0][1]);
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
    my $build = $program->{method} eq 'runtime' ? 'hooked' : 'native';
    return "'$margay' record -q --method $program->{method} @options "
        . "-o $out -- " . command($program, $build);
}

sub measure_program {
    my ($program) = @_;
    my $collapse = "--collapse $block_bytes";
    # One thread: the other core is the program's.
    my $curve = "'$margay' curve -j 1 -b $block_bytes";
    my %cases = (
        native => [command($program, 'native')],
        dropped => [$program->{method} eq 'runtime'
            ? command($program, 'hooked')
            : record($program, '/dev/null', '--to words --stop 1')],
        capture => [record($program, '/dev/null', '--to words')],
        pipe => [record($program, '-'), 'cat'],
        collapsed => [record($program, '-', $collapse), "$curve -"],
        margay => [record($program, '-'), "$curve -"],
    );
    my (%seconds, %walls);
    for my $round (1 .. $rounds) {
        # The last one leaves its summary behind.
        for my $case (qw(native dropped capture pipe collapsed margay)) {
            next if $case eq 'collapsed' && !$with_collapsed;
            next if $case eq 'dropped' && $group ne 'long';
            my ($one, $other, $wall) = time_of($program, @{ $cases{$case} });
            push @{ $seconds{$case} }, together($one, $other);
            push @{ $walls{$case} }, $wall;
        }
    }
    my %row = map { (
        "${_}_seconds" => median(@{ $seconds{$_} }),
        "${_}_wall_seconds" => median(@{ $walls{$_} }),
    ) } keys %seconds;
    for my $case (grep { $seconds{$_} } qw(margay collapsed)) {
        $row{"${case}_slowdown"} =
            $row{"${case}_seconds"} / $row{native_seconds};
    }
    my %counts = counts();
    return (%row, %counts) if $group eq 'long';
    my $all = $counts{references};
    $row{olken_seconds} = olken_seconds($program, $curve, $all, $olken_refs,
        $row{pipe_seconds});
    $row{olken_whole_seconds} =
        olken_seconds($program, $curve, $all, $all, $row{pipe_seconds})
        if grep { $_ eq $program->{name} } split /,/, $whole;
    return (%row, %counts);
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

my @columns = qw(references distinct_blocks native_seconds capture_seconds
    pipe_seconds olken_seconds margay_seconds collapsed_seconds margay_slowdown
    collapsed_slowdown margay_wall_seconds collapsed_wall_seconds);
push @columns, qw(olken_whole_seconds dropped_seconds) if $group ne 'usual';

sub print_times {
    print join(',', qw(program stands_for method), @columns), "\n";
    for my $program (@programs) {
        note("$program->{name}, $program->{method}");
        my %row = measure_program($program);
        my @values = map {
            !defined $row{$_} ? ''
                : /seconds$/ ? sprintf('%.3f', $row{$_})
                : /slowdown$/ ? sprintf('%.1f', $row{$_}) : $row{$_}
        } @columns;
        print join(',', @$program{qw(name stands_for method)}, @values), "\n";
    }
}

# A cache's row of `compare` names its sets and ways, both ratios among others.
sub print_associative {
    print "program,method,references,cache_blocks,fully_associative,"
        . join(',', map { "ways_$_" } 1, 2, 4, 8), "\n";
    for my $program (@programs) {
        note("$program->{name}, $program->{method}");
        run("cd '$folder/inputs' && { " . record($program, '-')
            . "; } <$program->{input} 2>'$folder/messages' | "
            . "'$margay' compare -q -b 32 --sets 8..131072 --ways 1,2,4,8 "
            . ">'$folder/compare' -");
        open my $in, '<', "$folder/compare" or die "evaluate: compare: $!\n";
        my @names = split /,/, <$in>;
        my (%ratios, %full, $references);
        while (<$in>) {
            my %row;
            @row{@names} = split /,/;
            my $blocks = $row{sets} * $row{ways};
            $ratios{$blocks}{ $row{ways} } = $row{miss_ratio};
            $full{$blocks} = $row{predicted_fully_associative};
            $references = $row{references};
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
