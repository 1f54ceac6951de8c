# programs.pl - recordings of the programs that are built from source
use strict;
use warnings;
use Cwd 'abs_path';
use File::Path 'make_path';

# [{name, trace}, ...]: each program of tests/evaluation that is recorded by the
# runtime, as mgt in FILES/traces, made once; with $quick three of them.
sub recorded_programs {
    my ($margay, $tools, $files) = map { abs_path($_) } @_[0 .. 2];
    my $quick = $_[3];
    make_path("$files/traces");
    my $table = do './tests/evaluation/programs.pl'
        or die 'programs.pl: ', $@ || $!, "\n";
    my @programs = grep { $_->{group} eq 'usual' && $_->{method} eq 'runtime' } @$table;
    my @quick = qw(bzip2 fft sort);
    @programs = grep { my $name = $_->{name}; grep { $_ eq $name } @quick }
        @programs if $quick;
    $_->{trace} = "$files/traces/$_->{name}.mgt" for @programs;
    # evaluate.pl makes the inputs and builds the programs.
    grep { !-e $_->{trace} } @programs
        and system($^X, 'tests/evaluation/evaluate.pl', '--prepare',
        $quick ? ('--method', 'runtime', '--only', join(',', @quick)) : (),
        $margay, "$tools/measure", $files) != 0
        and die "programs: evaluate.pl failed\n";
    for my $program (@programs) {
        my $trace = $program->{trace};
        next if -e $trace;
        my $command = $program->{command}
            =~ s{BUILT}{'$files/programs/hooked'}r;
        system('sh', '-c', "cd '$files/inputs' && { '$margay' record "
            . "-q --method runtime --to mgt -o '$trace.new' -- $command; } "
            . "<$program->{input} >/dev/null") == 0
            or die "programs: cannot record $program->{name}\n";
        rename "$trace.new", $trace or die "$trace: $!\n";
    }
    return @programs;
}

1;
