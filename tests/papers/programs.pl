# programs.pl - the programs of the evaluation, and recordings of them
use strict;
use warnings;
use Cwd 'abs_path';
use File::Path 'make_path';

my @quick = qw(bzip2 fft sort);

# The short runs of tests/evaluation that are wanted, made ready; each has `record`,
# which prints its trace in a format.
sub prepared_programs {
    my ($margay, $tools, $files, $quick, $is_wanted) =
        ((map { abs_path($_) } @_[0 .. 2]), @_[3, 4]);
    my $table = do './tests/evaluation/programs.pl'
        or die 'programs.pl: ', $@ || $!, "\n";
    my @programs = grep { my $program = $_;
        $_->{group} eq 'usual' && $is_wanted->($_) && (!$quick
            || $_->{method} eq 'runtime' && grep { $_ eq $program->{name} } @quick)
    } @$table;
    # evaluate.pl makes the inputs and builds the programs.
    grep { $_->{method} eq 'runtime' && !-x "$files/programs/hooked/"
            . ($_->{command} =~ m{BUILT/(\w+)})[0] } @programs
        and system($^X, 'tests/evaluation/evaluate.pl', '--prepare',
        '--method', 'runtime', $quick ? ('--only', join(',', @quick)) : (),
        $margay, "$tools/measure", $files) != 0
        and die "programs: evaluate.pl failed\n";
    for my $program (@programs) {
        my $command = $program->{command} =~ s{BUILT}{'$files/programs/hooked'}r;
        $program->{record} = sub {
            my ($format, $out) = @_;
            return "cd '$files/inputs' && { '$margay' record -q --method "
                . "$program->{method} --to $format -o '$out' -- $command; } "
                . "<$program->{input}";
        };
    }
    return @programs;
}

# [{name, trace}, ...]: each program that is recorded by the runtime, as mgt in
# FILES/traces, made once; those named, or all, with $quick three of them.
sub recorded_programs {
    my ($margay, $tools, $files, $quick, @names) = @_;
    my @programs = prepared_programs($margay, $tools, $files, $quick, sub {
        my ($program) = @_;
        return $program->{method} eq 'runtime'
            && (!@names || grep { $_ eq $program->{name} } @names);
    });
    make_path("$files/traces");
    for my $program (@programs) {
        my $trace = $program->{trace} =
            abs_path($files) . "/traces/$program->{name}.mgt";
        next if -e $trace;
        system('sh', '-c', $program->{record}->('mgt', "$trace.new")
            . ' >/dev/null') == 0
            or die "programs: cannot record $program->{name}\n";
        rename "$trace.new", $trace or die "$trace: $!\n";
    }
    return @programs;
}

1;
