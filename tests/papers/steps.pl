# steps.pl - what the steps of engine hp-rda take, in instructions
#
# A step is a function of stackdist/engines/hp_rda.c, whose lines Callgrind counts
# although it is inlined, or what such a function calls.
use strict;
use warnings;

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

sub steps { return @steps }

1;
