#!/usr/bin/perl
# sharing.pl - how well `margay share` says what programs do to each other
#
#     sharing.pl MARGAY FILES
#
# Records programs of the distribution and kernels (FILES is where the traces
# are kept), mixes the references of each pair, and of some quadruples, by
# turns, and compares what each program misses in caches of 1, 2, 4, ... blocks
# with what `share` says from the histogram of each.  Programs that are not
# installed are left out.
use strict;
use warnings;
$| = 1;

my ($margay, $files) = @ARGV;
@ARGV == 2 or die "usage: sharing.pl MARGAY FILES\n";
my $refs = 1_000_000;
system('mkdir', '-p', $files) == 0 or die;

sub run {
    my ($command) = @_;
    system('sh', '-c', $command) == 0 or die "sharing: $command: failed\n";
}

# ----------------------------------------------------------------- programs --

# The first seven of small.pl.
my @wanted = (do './tests/evaluation/small.pl' or die)->($files);
splice @wanted, 7;

# The addresses of a program, after its start.
my (@programs, %numbers);
for my $program (@wanted) {
    my ($name, $command) = @$program;
    my $trace = "$files/$name.u64";
    run("$margay record -q --method valgrind --stop " . 4 * $refs
        . " -o $files/$name.mgt -- $command >/dev/null 2>&1")
        if !-e "$files/$name.mgt";
    run("$margay convert -q --skip " . 2 * $refs . " --limit $refs $files/$name.mgt $trace "
        . '--to u64') if !-e $trace;
    next if -s $trace != 8 * $refs;
    run("$margay histogram -q $trace -o $files/$name.csv");
    push @programs, $name;
    open my $in, '<:raw', $trace or die "sharing: $trace: $!\n";
    local $/;
    # Addresses of different programs differ.
    my $space = @programs << 48;
    $numbers{$name} = [map { $_ & ~(63 | -1 << 48) | $space } unpack 'Q<*', <$in>];
}

# --------------------------------------------------------------- comparison --

# References of the programs by turns, `rates` of each in a turn.
sub mix {
    my ($path, $names, $rates) = @_;
    my @at = (0) x @$names;
    my $turns = (sort { $a <=> $b } map { $refs / $_ } @$rates)[0];
    open my $out, '>:raw', $path or die "sharing: $path: $!\n";
    for (my $turn = 0; $turn < $turns; $turn += 4096) {
        my @mixed;
        for (1 .. 4096) {
            for my $i (0 .. $#$names) {
                my $rate = $rates->[$i];
                push @mixed, @{ $numbers{ $names->[$i] } }[$at[$i] .. $at[$i] + $rate - 1];
                $at[$i] += $rate;
            }
        }
        print $out pack 'Q<*', grep { defined } @mixed;
    }
    close $out or die "sharing: $path: $!\n";
}

# Rows of a table, as hashes.
sub table {
    my ($command) = @_;
    my ($head, @rows) = map { chomp; [split /,/] } `$command`;
    return map { my %row; @row{@$head} = @$_; \%row } @rows;
}

# The shares of references that miss at 1, 2, 4, ... blocks, of each program.
sub simulated {
    my ($names, $rates) = @_;
    my $path = "$files/mixed.u64";
    mix($path, $names, $rates);
    open my $map, '>', "$files/map.csv" or die;
    print $map "name,from,to\n";
    for my $i (0 .. $#$names) {
        my ($space) = grep { $programs[$_] eq $names->[$i] } 0 .. $#programs;
        printf $map "%s,0x%x,0x%x\n", $names->[$i], $space + 1 << 48,
            $space + 2 << 48;
    }
    close $map;
    my (%misses, %all);
    for my $row (table("$margay histogram -q --by region=$files/map.csv "
            . "--bins log2 $path")) {
        $all{ $row->{region} } += $row->{references};
        push @{ $misses{ $row->{region} } }, $row->{references}
            if $row->{distance_to} ne 'inf';
    }
    for my $name (keys %misses) {
        my $left = $all{$name};
        $_ = ($left -= $_) / $all{$name} for @{ $misses{$name} };
    }
    return \%misses;
}

# The mean error of a mixture, and the largest.
sub compare {
    my ($names, $rates) = @_;
    my $misses = simulated($names, $rates);
    my $runs = join ' ', map { "$files/$names->[$_].csv=$rates->[$_]" } 0 .. $#$names;
    my ($sum, $count, $most) = (0, 0, 0);
    for my $row (table("$margay share $runs --sizes pow2")) {
        my ($name) = $row->{program} =~ m{([^/]*)\.csv$};
        my $list = $misses->{$name};
        my $k = int(0.5 + log($row->{cache_blocks}) / log 2);
        my $error = abs($row->{shared_misses} / $row->{references}
            - $list->[$k > $#$list ? $#$list : $k]);
        $sum += $error;
        $count++;
        $most = $error if $error > $most;
    }
    return ($sum / $count, $most);
}

my %errors;
sub report {
    my ($kind, $names, $rates) = @_;
    my ($mean, $most) = compare($names, $rates);
    printf "| %s | %s | %.4f | %.4f |\n", join(', ', @$names),
        join(':', @$rates), $mean, $most;
    push @{ $errors{$kind} }, $mean;
}

print "| programs | rates | mean error | largest |\n| --- | --- | --- | --- |\n";
for my $i (0 .. $#programs) {
    report('pairs 1:1', [@programs[$i, $_]], [1, 1]) for $i + 1 .. $#programs;
}
for my $i (0 .. $#programs) {
    report('pairs 1:4', [@programs[$i, ($i + 1) % @programs]], [1, 4]);
    report('quadruples', [@programs[map { ($i + $_) % @programs } 0, 1, 3, 6]],
        [1, 1, 1, 1]);
}
print "\n| mixtures | number | mean error |\n| --- | --- | --- |\n";
for my $kind (sort keys %errors) {
    my $sum = 0;
    $sum += $_ for @{ $errors{$kind} };
    printf "| %s | %d | %.4f |\n", $kind, scalar @{ $errors{$kind} },
        $sum / @{ $errors{$kind} };
}
unlink "$files/mixed.u64";
