#!/usr/bin/perl
# include_rule.t - traces <- stackdist <- assoc <- sim, and nothing else
#
# A file may include whatever lies in its own folder; from the folders to the
# left only the public header <margay/NAME.h> and NAME/NAME_internal.h.
# Quoted includes are written from the root of the tree.
use strict;
use warnings;
use File::Find;

my @folders = qw(traces stackdist assoc sim);
my %rank = map { $folders[$_] => $_ } 0 .. $#folders;

# Why `name`, included from `folder`, breaks the rule; '' if it does not.
sub breach {
    my ($folder, $quoted, $name) = @_;
    if (!$quoted) {
        return '' unless $name =~ m{^margay/(\w+)\.h$};
        return '' if $1 eq 'status';
        return "no such public header" unless defined $rank{$1};
        return $rank{$1} <= $rank{$folder} ? '' : "lies to the right";
    }
    return "not written from the root" unless $name =~ m{^(\w+)/} && -e $name;
    my $target = $1;
    return "not a folder of the rule" unless defined $rank{$target};
    return '' if $target eq $folder;
    return "lies to the right" if $rank{$target} > $rank{$folder};
    return '' if $name eq "$target/${target}_internal.h";
    return "only ${target}_internal.h may be included from outside";
}

# The test must be able to fail: each of these is a breach, or is not.
my @cases = (
    ['traces', 1, 'traces/base/error.h', 0],
    ['stackdist', 1, 'traces/traces_internal.h', 0],
    ['stackdist', 0, 'margay/traces.h', 0],
    ['traces', 0, 'stdio.h', 0],
    ['stackdist', 1, 'traces/base/error.h', 1],
    ['traces', 1, 'stackdist/engine.h', 1],
    ['traces', 0, 'margay/stackdist.h', 1],
    ['traces', 1, 'error.h', 1],
    ['sim', 1, 'tests/tap.h', 1],
);

my ($number, $failed) = (0, 0);
sub report {
    my ($passed, $name) = @_;
    $number++;
    $failed++ unless $passed;
    print $passed ? '' : 'not ', "ok $number - $name\n";
}

for my $case (@cases) {
    my ($folder, $quoted, $name, $expected) = @$case;
    my $why = breach($folder, $quoted, $name);
    report(($why ne '') == $expected,
        "$folder " . ($expected ? "may not" : "may") . " include $name");
}

for my $folder (@folders) {
    my @breaches;
    find({ no_chdir => 1, wanted => sub {
        return unless /\.[ch]$/ || /\.def$/;
        my $path = $_;
        open my $file, '<', $path or die "$path: $!\n";
        while (my $line = <$file>) {
            next unless $line =~ /^\s*#\s*include\s*([<"])([^>"]+)[>"]/;
            my $why = breach($folder, $1 eq '"', $2);
            push @breaches, "$path:$.: $2: $why" if $why ne '';
        }
        close $file;
    }}, $folder) if -d $folder;
    report(!@breaches, "$folder/ keeps to the rule");
    print "#   $_\n" for @breaches;
}

print "1..$number\n";
exit($failed != 0);
