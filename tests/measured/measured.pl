# measured.pl - what the scripts that measure for a page of docs/measured begin with
#
#     NAME.pl [--tables A,B,...] MARGAY TOOLS FILES OUT [TRACES]
#
# MARGAY is the command, TOOLS the folder of the tools of tests/bench, FILES a
# folder for inputs, which are made when they are first asked for, and TRACES one
# of published traces.  Writes OUT/tables/A.csv and so on, without --tables all
# of the page.  A table that needs a trace or a program that is not there stays
# as it is, and a line says so.
use strict;
use warnings;
use File::Basename qw(basename);
use File::Path qw(make_path);
use Getopt::Long;
require './tests/bench/inputs.pl';
require './tests/papers/tables.pl';

our ($margay, $tools, $files);
my ($out, $traces);

# The path of a published trace.
sub published {
    my ($trace) = @_;
    my $path = defined $traces ? "$traces/$trace" : $trace;
    -e $path or die "there is no $trace: TRACES= names their folder\n";
    return $path;
}

# Give the table up where a program is not there.
sub needs {
    my ($program) = @_;
    system('sh', '-c', 'command -v "$1" >/dev/null', 'sh', $program) == 0
        or die "there is no $program\n";
}

# A published trace, repeated, in the format that is named.
sub repeated {
    my ($trace, $times, $to, @options) = @_;
    my $path = published($trace);
    return make_file(basename($trace) . "-$times.$to", sub {
        my $once = "$_[0].once";
        run($margay, 'convert', '-q', @options, $path, $once, '--to', $to);
        run('sh', '-c', 'for i in $(seq $2); do cat "$1"; done >"$3"', 'sh',
            $once, $times, $_[0]);
        unlink $once;
    });
}

sub lines_of {
    open my $in, '-|', @_ or die "$_[0]: $!\n";
    my @lines = <$in>;
    close $in or die "failed: @_\n";
    return @lines;
}

# The rows of a CSV without quotes that a command prints, each {COLUMN => VALUE}.
sub csv_rows {
    chomp(my ($head, @rows) = lines_of(@_));
    return rows_of({ columns => [split /,/, $head],
        rows => [map { [split /,/, $_, -1] } @rows] });
}

# {user, system, wall, peak}, each the median, of commands that take turns.
sub measured {
    my ($rounds, @commands) = @_;
    my @runs;
    for (1 .. $rounds) {
        push @{ $runs[$_] }, measure(@{ $commands[$_] }) for 0 .. $#commands;
    }
    return map {
        my $of = $_;
        my %median = map {
            my $key = $_;
            $key => median(map { $_->{$key} } @$of)
        } qw(user system wall peak);
        \%median;
    } @runs;
}

# A number rounded to as many digits as are asked for, or 2.
sub digits {
    my ($number, $digits) = @_;
    $digits //= 2;
    return '0' if $number == 0;
    my $rounded = sprintf '%.*e', $digits - 1, $number;
    my ($power) = $rounded =~ /e([-+]\d+)/;
    return sprintf '%.*f', $power < $digits ? $digits - 1 - $power : 0, $rounded;
}

# Make the tables: NAME => ['COLUMN,...', sub that returns rows, each an array, and
# perhaps one that draws pictures of the table into the folder that it is given].
sub make_tables {
    my @tables = @_;
    my ($only, @names) = ('', map { $tables[2 * $_] } 0 .. $#tables / 2);
    my %table = @tables;
    my $page = basename($0, '.pl');
    GetOptions('tables=s' => \$only) && @ARGV >= 4 && @ARGV <= 5
        or die "usage: $page.pl [--tables A,B,...] MARGAY TOOLS FILES OUT "
        . "[TRACES]\n";
    ($margay, $tools, $files, $out, $traces) = @ARGV;
    my %wanted = wanted_of($only, @names);
    make_path($files, "$out/tables", "$out/pictures");
    for my $name (grep { $wanted{$_} } @names) {
        my ($columns, $rows, $draw) = @{ $table{$name} };
        note($name);
        my @rows = eval { $rows->() };
        if ($@) {
            die $@ unless $@ =~ /^there is no (.*)/;
            note("$name stays as it is: there is no $1");
            next;
        }
        write_table("$out/tables/$name.csv", "$columns\n",
            map { join(',', @$_) . "\n" } @rows);
        $draw->($out) if $draw;
    }
}

1;
