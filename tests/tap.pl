# tap.pl - checks as TAP, for scripts in Perl, which require it from the root
use strict;
use warnings;

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

1;
