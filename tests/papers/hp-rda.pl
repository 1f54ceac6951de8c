#!/usr/bin/perl
# hp-rda.pl - the figures of Cui et al. (2012), on our traces
#
#     hp-rda.pl [--quick] [--only histograms] MARGAY TOOLS FILES OUT [TRACE...]
#
# The arguments are as paper.pl says.  Writes
#
#   tables/hp-rda-speed.csv   millions of references per second of user time by
#                             `olken` and by hp-rda (their speeds, on processors)
#   tables/hp-rda-steps.csv   what each step takes, in percent of the instructions
#                             of the engine (their breakdown of the time)
#   tables/hp-rda-adjust.csv, pictures/hp-rda-adjust.png
#                             the error of each trace, with the effective factor
#                             and without it (their Figure 14), and as we do it
#   tables/hp-rda-histograms.csv
#                             accumulated histograms of each trace by `exact`, and
#                             by hp-rda without the factor and with it (their
#                             Figures 12 and 13), and
#   tables, pictures/hp-rda-zipf, hp-rda-phases
#                             two of these
#   tables/hp-rda-sweep.csv, pictures/hp-rda-sweep-error.png, -speed.png
#                             error, with the factor, and speed over ST, the
#                             references of a chunk (their Figures 16 and 17)
#
# The error is theirs: differences of the shares of log2 bars, the infinite one
# among them, added up and divided by the number of bars.  As that flatters,
# the overlap of the histograms stands beside it.  Traces are made once, beside
# those that are given; blocks of 64 bytes where a trace has addresses.
use strict;
use warnings;
use File::Basename qw(basename);
require './tests/papers/paper.pl';
require './tests/papers/traces.pl';

my $only = '';
my ($quick, $margay, $files, $out) =
    @{ arguments('only=s' => \$only) }{qw(quick margay files out)};
my $refs = $quick ? 500_000 : 2_000_000;
my @swept = qw(zipf phases fft);
my @adjusts = qw(off on times);
my @chunks = map { 1 << $_ } $quick ? (9, 11) : 7 .. 14;

my @made = made_traces($files, $refs);
my @traces = (@made,
    map { { name => basename($_) =~ s/[._].*//r, path => $_, options => '' } }
        @ARGV);

# By times is the default.
sub engine {
    my ($adjust) = @_;
    return $adjust eq 'times' ? 'hp-rda' : "hp-rda:nb=64,adjust=$adjust";
}

# Seconds of user time, the median of nine; of three where they are many.
sub seconds {
    my @seconds;
    push @seconds, measure(@_)->{user}
        while @seconds < (@seconds && $seconds[0] > 0.5 ? 3 : 9);
    return median(@seconds);
}

# Millions of references per second of user time.
sub write_speeds {
    my @lines = "trace,olken,hp_rda,over_olken\n";
    for my $trace (@made) {
        note("$trace->{name}, speed");
        my ($olken, $ours) =
            map { $refs / seconds(command($trace, $_)) / 1e6 } qw(olken hp-rda);
        push @lines, sprintf "%s,%.1f,%.1f,%.1f\n", $trace->{name}, $olken,
            $ours, $ours / $olken;
    }
    write_table("$out/tables/hp-rda-speed.csv", @lines);
}

# A step is a function of the engine's source, whose lines Callgrind counts although
# it is inlined, or what such a function calls.
my $source = 'stackdist/engines/hp_rda.c';
my @steps = qw(look_up rank histogram places clear merge);

# The step of each line of the source.
sub step_of_lines {
    my ($function, @step) = ('');
    open my $file, '<', $source or die "$source: $!\n";
    while (<$file>) {
        $function = $1 if /^static [^=;]*?(\w+)\(/;
        $step[$.] = /->(?:local|across)\[.*\]\+\+/ ? 'histogram'
            : $function eq 'count_live' ? 'rank'
            : $function eq 'find_place' ? 'look_up' : 'places';
    }
    return @step;
}

# The step of a function that hp-rda calls, or whose lines are inlined in it.
sub step_of {
    my ($name) = @_;
    return $name =~ /hash/ ? 'look_up' : $name =~ /popcount/ ? 'rank'
        : $name =~ /memset/ ? 'clear' : 'places';
}

# ({STEP => share}, instructions of all steps) of a file of Callgrind, in which
# "fn=(7) NAME" begins a function, "fi=(3) FILE" the lines of a file in it, and
# later "fn=(7)" means the same; "calls=" stands above the cost of a call.
sub shares_of_steps {
    my ($path) = @_;
    my @step = step_of_lines();
    my (%names, %now, %sum, $line);
    my $all = 0;
    open my $file, '<', $path or die "$path: $!\n";
    while (<$file>) {
        if (/^(c?)(f[lien])=\((\d+)\)(?: (.*))?$/) {
            my ($called, $kind, $number, $text) = ($1, $2, $3, $4);
            $kind = 'file' if $kind ne 'fn';
            $names{$kind}{$number} = $text if defined $text;
            $now{"$called$kind"} = $names{$kind}{$number};
        }
        my $is_call = /^calls=/;
        $_ = <$file> if $is_call;
        my ($at, $cost) = /^([-+]?\d+|\*) (\d+)$/ or next;
        $line = $at =~ /^[-+]/ ? $line + $at : $at eq '*' ? $line : $at;
        my $step =
            $now{fn} =~ /^run_pending/
            ? ($is_call && $now{cfn} =~ /crew|device/ ? next : 'merge')
            : $now{fn} !~ /^run_(block|chunk)$/ ? next
            : $is_call ? step_of($now{cfn})
            : $now{file} =~ /\Q$source\E$/ ? $step[$line] : step_of($now{file});
        $sum{$step} += $cost;
        $all += $cost;
    }
    return ({ map { $_ => ($sum{$_} // 0) / $all } @steps }, $all);
}

# By Callgrind, of the first references, with the paper's correction and ours.
sub write_steps {
    my ($some, $counts) = (200_000, "$files/callgrind");
    my @lines =
        join(',', qw(trace adjust), @steps, 'instructions_per_reference') . "\n";
    for my $trace (@made) {
        note("$trace->{name}, steps");
        for my $adjust (qw(on times)) {
            lines_of('valgrind', '-q', '--tool=callgrind',
                "--callgrind-out-file=$counts",
                command($trace, engine($adjust)), '--limit', $some);
            my ($share, $all) = shares_of_steps($counts);
            push @lines, join(',', $trace->{name}, $adjust,
                (map { sprintf '%.1f', 100 * $share->{$_} } @steps),
                sprintf '%.0f', $all / $some) . "\n";
        }
    }
    write_table("$out/tables/hp-rda-steps.csv", @lines);
}

# Accumulated shares at the upper ends of log2 bars; the infinite ones are left out.
my @drawn = qw(zipf phases);
sub write_histograms {
    my @lines = "trace,up_to,sequential,without_the_factor,with_it\n";
    for my $trace (@made) {
        my @bars = map { bars(command($trace, $_)) } 'exact', engine('off'),
            engine('on');
        my @from = sort { $a <=> $b }
            grep { $_ ne 'inf' } keys %{ { map { %$_ } @bars } };
        my (@sums, @rows) = (0) x 3;
        for my $from (@from) {
            $sums[$_] += $bars[$_]{$from} // 0 for 0 .. 2;
            push @rows, join(',', $from ? 2 * $from - 1 : 0, map { sprintf '%.5f', $_ } @sums) . "\n";
        }
        push @lines, map { "$trace->{name},$_" } @rows;
        next if !grep { $_ eq $trace->{name} } @drawn;
        write_table("$out/tables/hp-rda-$trace->{name}.csv",
            "up_to,sequential,without_the_factor,with_it\n",
            map { /^0,/ ? () : $_ } @rows);
        draw($out, 'series.gp', "hp-rda-$trace->{name}.png",
            "hp-rda-$trace->{name}.csv", 'log', "Reuse distances of $trace->{name}",
            'share of references up to a distance, by the sequential analysis and '
            . 'by hp-rda', 'distance', 'share of references');
    }
    write_table("$out/tables/hp-rda-histograms.csv", @lines);
}

write_histograms();
exit 0 if $only eq 'histograms';
my @adjust_lines = "trace,adjust,error,overlap\n";
my %mean;
for my $trace (@traces) {
    note($trace->{name});
    $trace->{true} = bars(command($trace, 'exact'));
    for my $adjust (@adjusts) {
        my $got = bars(command($trace, engine($adjust)));
        my ($error, $overlap) = errors($trace->{true}, $got);
        push @adjust_lines, sprintf "%s,%s,%.6f,%.6f\n", $trace->{name},
            $adjust, $error, $overlap;
        $mean{$adjust} += $error / @traces;
    }
}
push @adjust_lines, sprintf "mean,%s,%.6f,\n", $_, $mean{$_} for @adjusts;
write_table("$out/tables/hp-rda-adjust.csv", @adjust_lines);

my @sweep_lines = "trace,st,backend,error,overlap,refs_per_second\n";
for my $name (@swept) {
    my ($trace) = grep { $_->{name} eq $name } @traces;
    note("$name, chunks of $chunks[0] to $chunks[-1]");
    for my $st (@chunks) {
        my @command = command($trace, "hp-rda:st=$st,nb=64,adjust=on,backend=cpu");
        push @sweep_lines, sprintf "%s,%d,cpu,%.6f,%.6f,%.0f\n", $name, $st,
            errors($trace->{true}, bars(@command)), $refs / seconds(@command);
    }
}
write_table("$out/tables/hp-rda-sweep.csv", @sweep_lines);
write_speeds();
write_steps();

draw($out, 'hp-rda.gp', 'hp-rda-adjust.png', 'hp-rda-adjust.csv', 'adjust');
draw($out, 'hp-rda.gp', "hp-rda-sweep-$_.png", 'hp-rda-sweep.csv', $_)
    for qw(error speed);
