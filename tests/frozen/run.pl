#!/usr/bin/perl
# run.pl JOBS <commands - run frozen.sh's command lines, and digest what they
# write
#
# A line has a number and a command, which runs in a folder of that number, with
# links to t and s.  Writes for each, in their order: its status, digests of
# what it writes to stdout, to stderr and to files, and itself.  With 0 JOBS one
# after the other, and what they write instead.  $root and $work are masked.
use strict;
use warnings;
use Digest::SHA 'sha256_hex';
use File::Find;

my ($jobs) = @ARGV;
my ($root, $work) = @ENV{qw(root work)};
my (%running, %line);
$ENV{PATH} = "$work/bin:$ENV{PATH}";

# Neither rates nor folders are results.
sub masked {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!\n";
    my $text = '';
    while (<$in>) {
        s/\Q$root\E/ROOT/g;
        s{\Q$work\E(?:/[0-9]{4})?}{WORK}g;
        s{, [0-9.]+ (?:[kMG] )?refs/s}{};
        $text .= $_;
    }
    return $text;
}

# Compressed bytes differ with each version of a library.
sub files {
    my @names;
    find({no_chdir => 1,
          wanted => sub { push @names, $_ if -f && !-l && !m{/\.std[^/]*$} }},
         '.');
    return join '', map {
        ("$_\n", /\.(?:gz|xz|zst|mgt)$/ ? '' : masked($_))
    } sort @names;
}

# '-' where there is nothing, as in most.
sub digest {
    my ($text) = @_;
    return $text eq '' ? '-' : substr sha256_hex($text), 0, 12;
}

sub start {
    my ($number, $command) = @_;
    mkdir "$work/$number" or die "$work/$number: $!\n";
    my $pid = fork // die "fork: $!\n";
    if ($pid == 0) {
        chdir "$work/$number" or die "$work/$number: $!\n";
        symlink "../$_", $_ for 't', 's';
        $ENV{TMPDIR} = "$work/$number";
        open STDIN, '<', '/dev/null' or die "/dev/null: $!\n";
        open STDOUT, '>', '.stdout' or die ".stdout: $!\n";
        open STDERR, '>', '.stderr' or die ".stderr: $!\n";
        exec 'sh', '-c', $command or die "sh: $!\n";
    }
    $running{$pid} = [$number, $command];
}

sub finish {
    my ($pid) = @_;
    my $status = $? & 127 ? 128 + ($? & 127) : $? >> 8;
    my ($number, $command) = @{delete $running{$pid}};
    chdir "$work/$number" or die "$work/$number: $!\n";
    my ($said, $complained, $files) = (masked('.stdout'), masked('.stderr'),
                                       files());
    if (!$jobs) {
        print "\$ $command\n$said$complained${files}status $status\n";
    } elsif ($complained =~ /built without/) {
        $line{$number} = "skipped - - - $command\n";
    } else {
        $line{$number} = join(' ', $status, digest($said), digest($complained),
                              digest($files), $command) . "\n";
    }
    chdir $work and system 'rm', '-rf', $number;
}

while (<STDIN>) {
    chomp;
    start(split / /, $_, 2);
    finish(wait) if keys %running >= ($jobs || 1);
}
finish(wait) while %running;
print map { $line{$_} } sort keys %line;
