#!/usr/bin/perl
# parts.pl - what the parts of recording cost, each alone
#
#     parts.pl [--rounds N] [--only NAME,...] MARGAY TOOLS FOLDER OUT
#
# MARGAY is the command, TOOLS the folder of the tools of tests/bench, FOLDER that
# of evaluate.pl.  Writes, or those that --only names,
#
#   OUT/tables/recording-delivery.csv     a second process that has the words
#   OUT/tables/recording-memory.csv       two commands that share memory, or a pipe
#   OUT/tables/recording-instructions.csv what a program executes for a reference
#   OUT/tables/recording-translation.csv  Valgrind without anything of ours
#   OUT/tables/recording-sites.csv        the place of each reference in the program
#
# Processor seconds of all processes of a case, medians of the rounds (3), in which
# the cases of a row take turns; or times over those of the row's first case.
use strict;
use warnings;
use Cwd 'abs_path';
use Getopt::Long;
require './tests/papers/tables.pl';

my ($rounds, $only) = (3, '');
GetOptions('rounds=i' => \$rounds, 'only=s' => \$only) && @ARGV == 4 && $rounds > 0
    or die "usage: parts.pl [--rounds N] [--only NAME,...] MARGAY TOOLS FOLDER OUT\n";
my ($margay, $tools) = map { abs_path($_) } @ARGV[0, 1];
my $out = "$ARGV[3]/tables";
system($^X, 'tests/evaluation/evaluate.pl', '--long', '--prepare', '--only',
    'multiply,sort,bzip2', '--method',
    'runtime,runtime clang', $margay, "$tools/measure", $ARGV[2]) == 0
    or die "parts: evaluate.pl failed\n";
my $folder = abs_path($ARGV[2]);
my %wanted = map { $_ => 1 } split /,/, $only;

# What stands in commands for paths.
my %paths = (
    MARGAY => $margay, DELIVER => "$tools/deliver", FOLDER => $folder,
    NATIVE => "$folder/programs/native", CALLS => "$folder/programs/hooked",
    PASS => "$folder/programs/hooked-clang", OUTPUT => "$folder/part",
);
my $names = join '|', keys %paths;

sub expanded { return $_[0] =~ s/\b($names)\b/$paths{$1}/gr }

sub run {
    system('bash', '-o', 'pipefail', '-c', expanded($_[0])) == 0
        or die "parts: failed: $_[0]\n";
}

# User and system seconds of a command of the shell and all that it waits for.
sub time_of {
    my ($command) = @_;
    my @measured = ("$tools/measure", '-o', "$folder/report", 'bash', '-o',
        'pipefail', '-c', "cd $folder/inputs && { " . expanded($command) . '; } '
            . ">/dev/null 2>$folder/messages");
    system(@measured) == 0 or die "parts: failed: $command\n";
    open my $in, '<', "$folder/report" or die "parts: report: $!\n";
    return (split ' ', <$in>)[0, 1];
}

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

# Medians of [user, system] for each of the commands, which take turns.
sub times_of {
    my @commands = @_;
    my @times;
    for (1 .. $rounds) {
        for my $i (0 .. $#commands) {
            my @both = time_of($commands[$i]);
            push @{ $times[$i][$_] }, $both[$_] for 0, 1;
        }
    }
    return map { [median(@{ $_->[0] }), median(@{ $_->[1] })] } @times;
}

sub seconds { return sprintf '%.2f', $_[0][0] + $_[0][1] }

sub sides { return map { sprintf '%.2f', $_ } @{ $_[0] } }

sub over {
    my ($one, $other) = @_;
    return ($one->[0] + $one->[1]) / ($other->[0] + $other->[1]);
}

sub times_over {
    my ($first, @others) = @_;
    return map { sprintf '%.1f', over($_, $first) } @others;
}

sub note { print STDERR "parts: @_\n" }

# A table unless others are asked for; `rows` returns lists of cells.
sub table {
    my ($name, $columns, $rows) = @_;
    return if %wanted && !$wanted{$name};
    note($name);
    write_table("$out/recording-$name.csv", map { join(',', @$_) . "\n" }
        [split ' ', $columns], $rows->());
}

# ---------------------------------------------------------------- tables --

my @kernels = ('multiply 500', 'lu 700', 'sort 3000000', 'fft 1048576');
my @builds = (['calls', 'CALLS'], ['pass', 'PASS']);
my $curve = 'MARGAY curve -q -j 1';

# For each kernel and build a row of what `cells` makes of both.
sub by_build {
    my ($cells) = @_;
    return map {
        my $kernel = $_;
        map { [$kernel, $_->[0], $cells->($kernel, "$_->[1]/kernels $kernel")] } @builds;
    } @kernels;
}

table('delivery', 'kernel built_by native_seconds not_recorded dropped_by_the_reader '
    . 'every_word_read', sub {
    by_build(sub {
        my ($kernel, $program) = @_;
        my @times = times_of("NATIVE/kernels $kernel", $program,
            "DELIVER --drop $program", "DELIVER $program");
        return (seconds($times[0]), times_over(@times));
    });
});

table('memory', 'kernel native pipe_user pipe_system memory_user memory_system '
    . 'the_pass_all', sub {
    map {
        my $record = 'MARGAY record -q -o -';
        my @times = times_of("NATIVE/kernels $_",
            "$record CALLS/kernels $_ | cat | $curve -",
            "$record CALLS/kernels $_ | $curve -",
            "$record PASS/kernels $_ | $curve -");
        [$_, seconds($times[0]), sides($times[1]), sides($times[2]), seconds($times[3])];
    } @kernels;
});

# What the last command said.
sub messages {
    open my $in, '<', "$folder/messages" or die "parts: messages: $!\n";
    local $/;
    return <$in>;
}

# Instructions, as callgrind counts them: `rep stosq`, which clears buffers, has one
# for each word.
sub instructions_of {
    my ($command) = @_;
    run("valgrind --tool=callgrind --callgrind-out-file=/dev/null $command "
        . ">/dev/null 2>FOLDER/messages");
    my ($count) = messages() =~ /Collected : (\d+)/;
    return $count // die "parts: callgrind counted nothing: $command\n";
}

sub references_of {
    my ($program) = @_;
    run("MARGAY record -q --to words -o OUTPUT $program >/dev/null");
    my ($count) = `@{[expanded('MARGAY info OUTPUT')]}` =~ /^references,(\d+)$/m;
    return $count;
}

table('instructions', 'kernel built_by references_millions own added', sub {
    map {
        my $kernel = $_;
        map {
            my ($name, $build) = @$_;
            my $program = "FOLDER/programs/hooked$build/kernels $kernel";
            my $references = references_of($program);
            my $own = instructions_of("FOLDER/programs/native$build/kernels $kernel");
            my $with = instructions_of($program);
            [$kernel, $name, sprintf('%.1f', $references / 1e6),
                map { sprintf '%.1f', $_ / $references } $own, $with - $own];
        } grep { -x "$folder/programs/hooked$_->[1]/kernels" }
            ['pass clang', '-clang'], ['calls', ''];
    } 'multiply 200', 'lu 250', 'sort 200000', 'fft 65536', 'walk 200000';
});

table('translation', 'program native_seconds valgrind_alone valgrind_dropped', sub {
    my $record = 'MARGAY record -q --to words --stop 1 -o /dev/null --method';
    map {
        my ($name, $command) = @$_;
        my @times = times_of($command, "valgrind -q --tool=none $command",
            "$record valgrind -- $command");
        [$name, seconds($times[0]), times_over(@times)];
    } ['bzip2', 'NATIVE/bzip2 -c large.txt'],
        ['gzip -9', 'gzip -9 -c large.txt large.txt large.txt large.txt'],
        ['sort', 'NATIVE/kernels sort 3000000'],
        ['multiply', 'NATIVE/kernels multiply 800'],
        ['walk', 'NATIVE/kernels walk 40000000'];
});

table('sites', 'program method format plain_seconds sites_seconds ratio', sub {
    map {
        my ($name, $method, $command) = @$_;
        map {
            my $record = "MARGAY record -q --method $method --to $_ -o OUTPUT";
            my @times = times_of("$record -- $command", "$record --sites -- $command");
            [$name, $method, $_, map({ seconds($_) } @times),
                sprintf '%.2f', over($times[1], $times[0])];
        } qw(words mgt);
    } ['multiply 300', 'runtime', 'CALLS/kernels multiply 300'],
        ['gzip of 1.5 MB', 'valgrind', 'gzip -c middle.txt'];
});
