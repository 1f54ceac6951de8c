# tap.pl - checks as TAP, for scripts in Perl, which require it from the root
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Temp qw(tempdir);

my ($checks, $failures) = (0, 0);

# The notes of a check that fails say why.
sub report {
    my ($passed, $name, @notes) = @_;
    $checks++;
    $failures++ unless $passed;
    print $passed ? '' : 'not ', "ok $checks - $name\n";
    print map { "#   $_\n" } map { split /\n/ } @notes unless $passed;
}

# How many there were.
sub reported {
    return $checks;
}

# The last line of a script.
sub conclude {
    print "1..$checks\n";
    exit($failures != 0);
}

sub write_file {
    my ($name, @lines) = @_;
    open my $file, '>', $name or die "$name: $!\n";
    print $file map { "$_\n" } @lines;
    close $file or die "$name: $!\n";
}

# All of a file; nothing of one that is not there.
sub contents {
    my ($name) = @_;
    open my $file, '<:raw', $name or return '';
    local $/;
    return <$file> // '';
}

# Go to an empty folder, until the end; returns the program that is tested.
sub begin_in_folder {
    my $margay = abs_path($ENV{MARGAY} // 'build/margay');
    chdir tempdir(CLEANUP => 1) or die;
    $ENV{LC_ALL} = 'C';
    return $margay;
}

# Run a program with these arguments, which writes `out` and `err`.  Returns its
# exit status.
sub status_of {
    my ($program, @arguments) = @_;
    my $child = fork // die "fork: $!\n";
    if ($child == 0) {
        open STDIN, '<', '/dev/null' or die "no input: $!\n";
        open STDOUT, '>', 'out' or die "out: $!\n";
        open STDERR, '>', 'err' or die "err: $!\n";
        exec $program, @arguments or die "$program: $!\n";
    }
    waitpid $child, 0;
    return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

1;
