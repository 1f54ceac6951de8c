#!/usr/bin/perl
# include_rule.t - traces <- stackdist <- assoc <- sim, and nothing else
#
# A file may include all that lies in its own room; from the rooms of its folder
# that stand before its own, anything; from the folders to the left only the
# public header <margay/NAME.h> and NAME/NAME_internal.h.  Quoted includes are
# written from the root of the tree.  No files include each other in a circle,
# where NAME.h and NAME.c count as one: who includes the header uses the other.
use strict;
use warnings;
use File::Find;
use File::Path qw(make_path);
use File::Temp qw(tempdir);
require './tests/tap.pl';

my @folders = qw(traces stackdist assoc sim);
my %rank = map { $folders[$_] => $_ } 0 .. $#folders;

# Public headers that are not named after their folder: those of a room.
my %public = (
    objects => 'stackdist',
    prediction => 'stackdist',
    phases => 'stackdist',
    prefixes => 'stackdist',
    sharing => 'stackdist',
    columns => 'traces',
    writing => 'traces',
    analysis => 'sim',
    questions => 'sim',
    run => 'sim',
    hierarchy => 'assoc',
    family => 'assoc',
    policy => 'assoc',
);

# The rooms of each folder, in their order.  The folder's own files come before
# all of them; they are its ground floor.
my %rooms = (
    traces => [qw(base formats capture capture/runtime
        capture/valgrind generate)],
    stackdist => [qw(exact objects parts reference optimal gpu engines generate
        predict sharing phases)],
    assoc => [qw(one_pass policies hierarchy)],
    sim => [qw(run terminal options result plot annotate record command report
        python mpi)],
);

# The folder of a file, its room, '' for the folder itself, and the place of the
# room in the order; undef if it has none.
sub room_of {
    my ($path) = @_;
    my ($folder, $room) = $path =~ m{^(\w+)/(?:(.*)/)?[^/]*$} or return;
    # Headers for the folders on the right may be from any room.
    return ($folder, '', scalar @{ $rooms{$folder} // [] })
        if $path eq "$folder/${folder}_internal.h";
    return ($folder, '', 0) unless defined $room;
    my @rooms = @{ $rooms{$folder} // [] };
    my ($place) = grep { $rooms[$_] eq $room } 0 .. $#rooms;
    return ($folder, $room, defined $place ? $place + 1 : undef);
}

# Why `name`, included from the file `path`, breaks the rule; '' if it does not.
sub breach {
    my ($path, $quoted, $name) = @_;
    my ($folder, $room, $place) = room_of($path);
    return "$folder/$room has no place among the rooms of $0"
        unless defined $place;
    if (!$quoted) {
        return '' unless $name =~ m{^margay/(\w+)\.(?:h|def)$};
        return '' if $1 eq 'status';
        my $owner = $public{$1} // $1;
        return "no such public header" unless defined $rank{$owner};
        return $rank{$owner} <= $rank{$folder} ? '' : "lies to the right";
    }
    return "not written from the root" unless $name =~ m{^(\w+)/} && -e $name;
    my ($target, $target_room, $target_place) = room_of($name);
    return "not a folder of the rule" unless defined $rank{$target};
    return "lies to the right" if $rank{$target} > $rank{$folder};
    my $lent = $name eq "$target/${target}_internal.h";
    if ($target ne $folder) {
        return $lent ? ''
            : "only ${target}_internal.h may be included from outside";
    }
    return "is for the folders to the right" if $lent;
    return "$target/$target_room has no place among the rooms of $0"
        unless defined $target_place;
    return $target_place <= $place ? ''
        : "$folder/$target_room comes after "
            . ($room eq '' ? "the files of $folder/ itself" : "$folder/$room");
}

# A file and its header are one.
sub unit_of {
    my ($path) = @_;
    return $path =~ s/\.\w+$//r;
}

# Returns [path, line, quoted, name] of each include below the folders.
sub read_includes {
    my @includes;
    find({ no_chdir => 1, wanted => sub {
        return unless /\.(c|h|cu|def)$/;
        my $path = $_;
        open my $file, '<', $path or die "$path: $!\n";
        while (my $line = <$file>) {
            push @includes, [$path, $., $1 eq '"', $2]
                if $line =~ /^\s*#\s*include\s*([<"])([^>"]+)[>"]/;
        }
        close $file;
    }}, grep { -d } @folders);
    return @includes;
}

# Everything that can be reached from a unit, in %$uses.
sub reached_from {
    my ($uses, $start) = @_;
    my (%reached, @next);
    @next = keys %{ $uses->{$start} };
    while (defined(my $unit = pop @next)) {
        push @next, keys %{ $uses->{$unit} // {} } unless $reached{$unit}++;
    }
    return \%reached;
}

# The circles, each its units in order, between blanks.
sub circles {
    my %uses;
    for my $include (@_) {
        my ($path, undef, $quoted, $name) = @$include;
        my ($from, $to) = (unit_of($path), unit_of($name));
        $uses{$from}{$to} = 1 if $quoted && $from ne $to;
    }
    my %reached = map { $_ => reached_from(\%uses, $_) } keys %uses;
    my %circles;
    for my $unit (grep { $reached{$_}{$_} } keys %uses) {
        my @circle = grep { $reached{$_} && $reached{$_}{$unit} }
            keys %{ $reached{$unit} };
        $circles{join ' ', sort @circle} = 1;
    }
    return sort keys %circles;
}

# The faults below the working directory: breaches by folder, and circles.
sub check_tree {
    my @includes = read_includes();
    my %breaches = map { $_ => [] } @folders;
    for my $include (@includes) {
        my ($path, $line, $quoted, $name) = @$include;
        my $why = breach($path, $quoted, $name);
        my ($folder) = $path =~ m{^(\w+)};
        push @{ $breaches{$folder} }, "$path:$line: $name: $why" if $why ne '';
    }
    return (\%breaches, circles(@includes));
}

# ------------------------------------------------- the test is able to fail --

# Each of these is a breach, or is not.
my @cases = (
    ['traces/formats/din.c', 1, 'traces/base/error.h', 0],
    ['stackdist/curve.c', 1, 'traces/traces_internal.h', 0],
    ['stackdist/curve.c', 0, 'margay/traces.h', 0],
    ['stackdist/engines/shen.c', 1, 'stackdist/engine.h', 0],
    ['stackdist/parts/part.h', 1, 'stackdist/exact/hash.h', 0],
    ['stackdist/stackdist_internal.h', 1, 'stackdist/exact/hash.h', 0],
    ['traces/base/error.c', 0, 'stdio.h', 0],
    ['stackdist/curve.c', 1, 'traces/base/error.h', 1],
    ['traces/formats/din.c', 1, 'stackdist/engine.h', 1],
    ['traces/formats/din.c', 0, 'margay/stackdist.h', 1],
    ['traces/base/error.c', 1, 'error.h', 1],
    ['sim/result/csv.c', 1, 'tests/tap.h', 1],
    ['traces/base/error.c', 1, 'traces/formats/format.h', 1],
    ['stackdist/exact/rank.c', 1, 'stackdist/parts/part.h', 1],
    ['stackdist/engine.c', 1, 'stackdist/exact/rank.h', 1],
    ['stackdist/new_room/file.c', 1, 'stackdist/engine.h', 1],
    ['stackdist/exact/rank.c', 1, 'stackdist/stackdist_internal.h', 1],
);

for my $case (@cases) {
    my ($path, $quoted, $name, $expected) = @$case;
    my $why = breach($path, $quoted, $name);
    report(($why ne '') == $expected,
        "$path " . ($expected ? "may not" : "may") . " include $name", $why);
}

# A tree that has one of each: a room too far, and two circles, of which the
# second only closes by the other half of a file.
sub write_tree {
    my %files = @_;
    for my $path (keys %files) {
        my ($folder) = $path =~ m{^(.*)/};
        make_path($folder);
        write_file($path, map { "#include \"$_\"" } @{ $files{$path} });
    }
}

{
    my $home = `pwd`;
    chomp $home;
    chdir tempdir(CLEANUP => 1) or die "a temporary folder: $!\n";
    write_tree(
        'traces/base/a.h' => ['traces/formats/b.h'],
        'traces/formats/b.h' => [],
        'assoc/one.h' => ['assoc/two.h'],
        'assoc/two.h' => ['assoc/three.h'],
        'assoc/three.h' => ['assoc/one.h'],
        'sim/upper.c' => ['sim/upper.h', 'sim/lower.h'],
        'sim/upper.h' => [],
        'sim/lower.c' => ['sim/lower.h', 'sim/upper.h'],
        'sim/lower.h' => [],
        'sim/leaf.c' => ['sim/lower.h'],
    );
    my ($breaches, @circles) = check_tree();
    chdir $home or die "$home: $!\n";
    report("@{ $breaches->{traces} }" =~ m{^traces/base/a.h:1: [^:]*: \S.*after},
        'a room that comes later is found', @{ $breaches->{traces} });
    report("@circles[0, 1]" eq 'assoc/one assoc/three assoc/two sim/lower '
            . 'sim/upper' && @circles == 2,
        'circles are found, and what leads to them is none', @circles);
}

# ----------------------------------------------------------- the real tree --

my ($breaches, @circles) = check_tree();
report(!@{ $breaches->{$_} }, "$_/ keeps to the rule", @{ $breaches->{$_} })
    for @folders;

report(!@circles, 'no files include each other in a circle', @circles);

# The page that explains the rooms has them in the same order.
my $page = 'docs/inside/architecture.md';
my $table = contents($page) =~ /^\| room of `stackdist\/`.*?\n\n/ms ? $& : '';
my @listed = $table =~ /^\| `(\w+)\/`/mg;
report("@listed" eq "@{ $rooms{stackdist} }", "$page lists the rooms",
    "there: @listed", "here: @{ $rooms{stackdist} }");

conclude();
