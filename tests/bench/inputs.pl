# inputs.pl - workloads of the scripts that measure commands, and files for them
#
# A script sets $margay, the command, and $files, the folder of inputs, which are
# made when they are first asked for; see commands.pl, too.
use strict;
use warnings;
no warnings 'portable';    # addresses have more than 32 bits
use File::Basename qw(basename);
require './tests/bench/commands.pl';

our ($margay, $files);
my $name = basename($0, '.pl');
my $sample = 'tests/sample/walk.lackey.xz';

# Name, what it is, its references and blocks, and `generate`'s options; W4 is
# the sample over and over.
sub workloads {
    return (
        { name => 'W1', what => 'Zipf 0.8 over 1 M blocks', refs => 10_000_000,
          blocks => 1_000_000,
          make => 'zipf --exponent 0.8 --blocks 1000000' },
        { name => 'W2', what => 'uniform over 1 M blocks', refs => 10_000_000,
          blocks => 1_000_000,
          make => 'uniform --blocks 1000000' },
        { name => 'W3', what => 'uniform over 16 M blocks', refs => 20_000_000,
          blocks => 12_000_000,
          make => 'uniform --blocks 16000000' },
        { name => 'W4', what => "a program's references", refs => 20_000_000,
          blocks => 10_000 },
        { name => 'W5', what => 'loop over 1 M blocks', refs => 10_000_000,
          blocks => 1_000_000,
          make => 'loop --blocks 1000000' },
    );
}

# Those of a list of names that an option may have; without one, all.
sub wanted_of {
    my ($list, @names) = @_;
    my %known = map { $_ => 1 } @names;
    my @wanted = split /,/, $list;
    for (grep { !$known{$_} } @wanted) {
        note("--only: found '$_', expected one of @names");
        exit 2;
    }
    return map { $_ => 1 } @wanted ? @wanted : @names;
}

# Written elsewhere and renamed, so that an interrupted run leaves no half file.
sub make_file {
    my ($file, $write) = @_;
    mkdir $files unless -d $files;
    my $path = "$files/$file";
    return $path if -e $path;
    note("making $path");
    $write->("$path.new");
    rename "$path.new", $path or die "$name: $path: $!\n";
    return $path;
}

sub generate {
    my ($file, $refs, $options) = @_;
    return make_file($file, sub {
        run($margay, 'generate', split(/ /, $options), '--refs', $refs,
            '--seed', 1, '--to', 'u64', '-o', $_[0]);
    });
}

# The sample's references over and over, each as `encode` writes it.
my @program;
sub repeat_program {
    my ($file, $refs, $encode) = @_;
    return make_file($file, sub {
        if (!@program) {
            open my $in, '-|', 'xz', '-dc', $sample or die "$name: xz: $!\n";
            local $_;
            while (<$in>) {
                my ($letter, $address, $bytes) = /^ ([LSM]) (\w+),(\d+)/
                    or next;
                push @program, [0, $address, $bytes] if $letter ne 'S';
                push @program, [1, $address, $bytes] if $letter ne 'L';
            }
            close $in or die "$name: xz failed\n";
        }
        my $once = join '', map { $encode->(@$_) } @program;
        open my $out, '>:raw', $_[0] or die "$name: $_[0]: $!\n";
        my $left = $refs;
        for (; $left >= @program; $left -= @program) {
            print $out $once;
        }
        print $out map { $encode->(@$_) } @program[0 .. $left - 1];
        close $out or die "$name: $_[0]: $!\n";
    });
}

# Ways to write a reference that is read or written (0, 1) at an address.
sub encoders {
    return (
        u64 => sub { pack 'Q<', hex $_[1] },
        blocks => sub { pack 'Q<', hex($_[1]) >> 6 },
        din => sub { "$_[0] $_[1]\n" },
        lackey => sub { ' ' . qw(L S)[$_[0]] . " $_[1],$_[2]\n" },
        hex => sub { "0x$_[1]\n" },
    );
}

# The file of a workload: ids where it is generated, else a program's addresses.
sub numbers_of {
    my ($workload) = @_;
    my ($name, $refs, $make) = @$workload{qw(name refs make)};
    return defined $make ? generate("$name.u64", $refs, $make)
        : repeat_program("$name.u64", $refs, { encoders() }->{u64});
}

# The same as numbers of blocks: a program's are of 64 bytes.
sub blocks_of {
    my ($workload) = @_;
    return numbers_of($workload) if defined $workload->{make};
    return repeat_program("$workload->{name}.blocks.u64", $workload->{refs},
        { encoders() }->{blocks});
}

# A hash of 32 bits.
sub mixed {
    my ($x) = @_;
    for my $factor (0x7feb352d, 0x846ca68b) {
        $x = ($x ^ $x >> 16) * $factor & 0xffffffff;
    }
    return $x ^ $x >> 16;
}

1;
