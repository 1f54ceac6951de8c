#!/usr/bin/perl
# check.pl - prove, with a limit for each test and a line that sums up
#
# Takes prove's options.  A test that has not ended after MARGAY_TEST_SECONDS
# is killed with all that it started, and has failed.  The last line counts
# checks, where a program without any, or one that dies, counts as one; the
# lines before it say what was left out, and why.
use strict;
use warnings;

package Counted;
use parent 'TAP::Harness';

my $seconds = $ENV{MARGAY_TEST_SECONDS} // 1200;
my (%skipped, %count);

# Nothing is typed into a test: one that asked for the terminal of another
# process group would be stopped.
my @limited = ('sh', '-c', 'exec timeout -k 10 "$@" </dev/null', 'sh', $seconds);

sub command {
    my ($path) = @_;
    open my $file, '<', $path or return ($path);
    my $line = <$file> // '';
    return $line =~ /^#!\s*(.*\S)/ ? (split(' ', $1), $path) : ($path);
}

sub new {
    my ($class, $options) = @_;
    my $exec = $options->{exec};
    $options->{exec} = sub {
        my (undef, $path) = @_;
        return [@limited, $exec ? (@$exec, $path) : command($path)];
    };
    my $self = $class->SUPER::new($options);
    $self->callback(made_parser => \&watch);
    $self->callback(after_test => \&count);
    return $self;
}

# Every skip of a program, which are counted when the result is there.
sub watch {
    my ($parser, $job) = @_;
    $parser->callback(test => sub {
        my ($test) = @_;
        return unless $test->has_skip && $test->is_ok;
        skip($test->explanation, $job->[0]);
    });
}

sub skip {
    my ($reason, $path) = @_;
    $reason =~ s/^\s+|\s+$//g;
    $count{skipped}++;
    $skipped{$reason || 'no reason given'}{$path =~ s{.*/(?=tests/)}{}r}++;
}

sub count {
    my ($job, $parser) = @_;
    my ($failed, $skips) = map { scalar $parser->$_ } qw(failed skipped);
    skip($parser->skip_all, $job->[0]) if $parser->skip_all;
    $failed ||= 1 if $parser->has_problems;
    $count{failed} += $failed;
    $count{passed} += scalar($parser->passed) - $skips;
    print "$job->[0]: not ended after $seconds s, and killed\n"
        if $parser->exit == 124 || $parser->exit == 137;
}

sub give_up {
    print @_;
    $count{failed} ||= 1;
}

sub sum_up {
    print "Skipped:\n" if %skipped;
    for my $reason (sort keys %skipped) {
        my $paths = $skipped{$reason};
        print "  $reason: ", join(', ', map {
            $_ . ($paths->{$_} > 1 ? " ($paths->{$_})" : '')
        } sort keys %$paths), "\n";
    }
    printf "%d passed, %d failed, %d skipped\n",
        map { $count{$_} // 0 } qw(passed failed skipped);
}

package main;
use App::Prove;

# A signal also ends the running tests: each has a group of its own.
sub stop {
    my ($signal) = @_;
    for my $path (glob '/proc/[0-9]*/stat') {
        open my $file, '<', $path or next;
        kill TERM => $1, -$1 if (<$file> // '') =~ /^(\d+) .*\) \S $$ /;
    }
    $SIG{$signal} = 'DEFAULT';
    kill $signal => $$;
}
$SIG{$_} = \&stop for qw(INT TERM HUP);

$INC{'Counted.pm'} = __FILE__;
my $prove = App::Prove->new;
$prove->process_args('--harness', 'Counted', @ARGV);
my $passed = eval { $prove->run };
# A test has bailed out, which ends all of them.
Counted::give_up($@) if $@;
Counted::sum_up();
exit($passed ? 0 : 1);
