#!/usr/bin/perl
# peers.pl - whole commands compared with those of other programs
#
#     peers.pl [--rounds N] [--only PEER,...] [--on WORKLOAD,...]
#         [--refs N] [--seconds N] [--trace NAME=FILE.u64]...
#         MARGAY TOOLS FILES PEERS
#
# PEERS is a folder with the sources of other programs, each where it likes; the
# table below says what they are known by.  What is not there, or cannot be
# built, is left out with a line about it.  A peer in C or C++ is built by gcc and
# clang, or by CC and CXX where these are set, and the faster one counts.  MARGAY, TOOLS and FILES are those of
# bench.pl, whose workloads are run; a trace adds one of a program's addresses,
# of 8 bytes each.  --refs makes the workloads shorter.
#
# First every answer is compared; then the commands take turns, on one thread
# each.  Times are of user and system together, medians over rounds; who took
# more than 20 seconds is not asked again.  A program of others that fails, or
# does not end in --seconds (600), has no row, and the others go on.  Exits with 1
# if answers differ or one has failed.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Find;
use File::Path qw(make_path);
use Getopt::Long;
require './tests/bench/inputs.pl';
require './tests/papers/tables.pl';

our ($margay, $tools, $files);
my $patience = 20;
my ($rounds, $only, $on, $refs, $seconds, @traces) = (3, '', '', 0, 600);
GetOptions('rounds=i' => \$rounds, 'only=s' => \$only,
    'on=s' => \$on, 'refs=i' => \$refs, 'seconds=i' => \$seconds,
    'trace=s' => \@traces)
    && @ARGV == 4 && $rounds > 0 && $seconds > 0 && -d $ARGV[3]
    or do {
        print STDERR "usage: peers.pl [--rounds N] [--only PEER,...] "
            . "[--on WORKLOAD,...] [--refs N] [--seconds N] "
            . "[--trace NAME=FILE.u64]... MARGAY TOOLS FILES PEERS\n";
        exit 2;
    };
($margay, $tools, $files) = @ARGV;
my $peers_folder = abs_path($ARGV[3]);
$ENV{OMP_NUM_THREADS} = 1;

# --------------------------------------------------------------- workloads --

my @workloads = workloads();
if ($refs > 0) {
    $files = "$files/$refs";
    make_path($files);
    $_->{refs} = $refs for @workloads;
}
for (@traces) {
    my ($name, $file) = /^(\w+)=(.+)$/;
    if (!defined $file || !-f $file || (-s $file) % 8 != 0) {
        note("--trace: found '$_', expected NAME=FILE of 8-byte addresses");
        exit 2;
    }
    push @workloads, { name => $name, what => $file, file => $file,
        refs => (-s $file) / 8 };
}

# A file of numbers, each mapped.
sub mapped {
    my ($name, $from, $map) = @_;
    return make_file($name, sub {
        open my $in, '<:raw', $from or die "peers: $from: $!\n";
        open my $out, '>:raw', $_[0] or die "peers: $_[0]: $!\n";
        while (read $in, my $numbers, 1 << 16) {
            print $out pack 'Q<*', map { $map->($_) } unpack 'Q<*', $numbers;
        }
        close $out or die "peers: $_[0]: $!\n";
    });
}

sub block_file {
    my ($workload) = @_;
    return blocks_of($workload) unless defined $workload->{file};
    return mapped("$workload->{name}.blocks.u64", $workload->{file},
        sub { $_[0] >> 6 });
}

# Addresses that every program takes: of words, below 2^31.  Ids are 16 bytes.
sub address_file {
    my ($workload) = @_;
    my $unit = defined $workload->{make} ? 16 : 1;
    return mapped("$workload->{name}.words.u64",
        $workload->{file} // numbers_of($workload),
        sub { $_[0] * $unit & 0x7ffffffc });
}

sub din_file {
    my ($workload) = @_;
    my $words = address_file($workload);
    return make_file("$workload->{name}.words.din", sub {
        run($margay, 'convert', '-q', $words, '--to', 'din', '-o', $_[0]);
    });
}

# --------------------------------------------------------------- our side ---

# {command, answers}: what runs for a workload, and the misses that its output
# tells, by the names of the caches.
my $powers = join ',', map { 1 << $_ } 0 .. 24;
my %ours = (
    shards => {
        command => sub {
            ($margay, qw(curve -q -j1 --ids -e shards:rate=0.01 --sizes), $powers,
                block_file($_[0]));
        },
        answers => sub { by_columns('cache_blocks', @_) },
    },
    curve => {
        command => sub {
            ($margay, qw(curve -q -j1 --ids --sizes), $powers, block_file($_[0]));
        },
        answers => sub { by_columns('cache_blocks', @_) },
    },
    assoc => {
        command => sub { ($margay, qw(assoc -q -j1 -b 16), address_file($_[0])) },
        answers => sub { by_columns('block_bytes sets ways', @_) },
    },
    assoc6 => {
        command => sub {
            ($margay, qw(assoc -q -j1 -b), '16,32,64,128,256,512',
                address_file($_[0]));
        },
        answers => sub { by_columns('block_bytes sets ways', @_) },
    },
    one_cache => {
        command => sub {
            ($margay, qw(assoc -q -j1 -b 64 --sets 256 --ways 4),
                din_file($_[0]));
        },
        answers => sub { by_columns('sets ways', @_) },
    },
    fifo_grid => {
        command => sub {
            ($margay, qw(assoc -q -j1 -b 64 --policy fifo --sets 1..16384 --ways),
                '1,2,4,8,16', din_file($_[0]));
        },
        answers => sub { by_columns('sets ways', @_) },
    },
);

sub by_columns {
    my ($key, @lines) = @_;
    return { map { join(' ', @$_{ split / /, $key }) => $_->{misses} }
        rows_of(table_of(@lines)) };
}

# ------------------------------------------------------------- their side ---

# name; what it is; the files by which its folder is known; a script of the shell
# that builds it there ($1) into a folder ($2); and what is measured: against
# which of ours, on which workloads (of programs and generated ones, or of all),
# by which command, and what it says.  Scripts and commands may use $CC and $CXX.
my $folder;    # of what is built
my @peers = (
    { name => 'iaf', what => 'Increment-and-Freeze',
      known_by => [qw(increment_and_freeze.cc projection.cc bounded_iaf.cc)],
      build => '$CXX -std=c++20 -w -O3 -march=native -DNDEBUG -DADDR_BIT32 '
          . '-fopenmp -I"$1" -I"$1/../includes" -o "$2/iaf" '
          . 'tests/bench/peers/iaf.cc "$1"/increment_and_freeze.cc '
          . '"$1"/projection.cc "$1"/bounded_iaf.cc',
      cases => [
          map {
              my $mode = $_;
              { name => "iaf_$mode", ours => 'curve', on => 'W1 W2 W3 W4 W5',
                command => sub { ("$folder/iaf", $mode, block_file($_[0])) },
                answers => \&hits_by_size }
          } qw(whole bounded)
      ] },
    { name => 'parda', what => 'PARDA, in order',
      known_by => [qw(parda.c parda_print.c main.c narray.c process_args.c
          seperate.c splay.c)],
      build => 'cd "$1" && $CC -w -O2 -fopenmp -o "$2/parda" parda.c '
          . 'parda_print.c main.c narray.c process_args.c seperate.c splay.c '
          . '$(pkg-config --cflags --libs glib-2.0)',
      # Names of files have 19 characters at most.  The tree may be a list of all
      # blocks when it is given back, which needs a stack.
      cases => [{
          name => 'parda', ours => 'curve', on => 'W1 W2 W3 W4 W5',
          command => sub {
              ('sh', '-c', 'ulimit -s unlimited && cd "$1" && '
                  . 'ln -sf "$2" trace && exec ./parda --fileformat=binary '
                  . '--input=trace --lines="$3"', 'sh', $folder,
                  abs_path(block_file($_[0])), $_[0]{refs});
          },
          answers => \&hits_by_distance,
      }] },
    { name => 'libcachesim', what => 'libCacheSim, one LRU cache',
      known_by => [qw(CMakeLists.txt libCacheSim/bin/cachesim/main.c)],
      build => 'cmake -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Release && '
          . 'cmake --build "$2" --target cachesim',
      cases => [{
          name => 'libcachesim', ours => 'curve', on => 'W1 W2 W3 W4 W5',
          command => sub {
              ("$folder/bin/cachesim", block_file($_[0]), 'binary', 'lru',
                  65536, '-t', 'format=<Q,obj-id-col=1', '--ignore-obj-size',
                  1, '--num-thread', 1, '-o', "$folder/result");
          },
          answers => \&ratio_by_size,
      }] },
    { name => 'dace', what => 'the splay tree of dace', compilers => [qw(rustc)],
      known_by => [qw(Cargo.toml src/olken.rs src/scale_tree.rs)],
      build => 'mkdir -p "$2/src" && cp tests/bench/peers/dace.rs "$2/src/main.rs" '
          . '&& cp "$1/src/olken.rs" "$2/src" && cd "$2" && printf "%s\n" '
          . '"[package]" "name = \"dace\"" "version = \"0.0.0\"" '
          . '"edition = \"2021\"" "[dependencies]" "fxhash = \"0.2\"" '
          . '"[workspace]" >Cargo.toml && RUSTFLAGS="-C target-cpu=native" '
          . 'cargo build --release',
      cases => [{
          name => 'dace', ours => 'curve', on => 'W1 W2 W3 W4 W5',
          command => sub {
              ("$folder/target/release/dace", block_file($_[0]));
          },
          answers => \&hits_by_size,
      }] },
    { name => 'online_mrc', what => 'online_mrc, SHARDS of a hundredth',
      known_by => [qw(src/mrc/shards/fixed_rate_shards.c src/mrc/olken/olken.c)],
      build => 'cd "$1" && $CC -std=gnu11 -w -O3 -march=native -DNDEBUG '
          . '-o "$2/online_mrc" $(find src -type d -name include | sed s/^/-I/) '
          . '"$OLDPWD/tests/bench/peers/online_mrc.c" '
          . 'src/mrc/shards/fixed_rate_shards.c src/mrc/olken/olken.c '
          . 'src/lib/tree/*_tree.c src/lib/lookup/hash_table.c '
          . 'src/lib/lookup/k_hash_table.c '
          . 'src/lib/histogram/histogram.c '
          . 'src/lib/miss_rate_curve/miss_rate_curve.c src/lib/io/io.c '
          . '$(pkg-config --cflags --libs glib-2.0) -lm',
      cases => [{
          name => 'online_mrc', ours => 'shards', on => 'W1 W2 W3 W4 W5',
          command => sub {
              ("$folder/online_mrc", 0.01, block_file($_[0]));
          },
          answers => sub {
              return { map { /^(\d+) ([\d.]+)$/ ? ($1 => "~$2") : () }
                  @{ $_[0] } };
          },
      }] },
    { name => 'dinero', what => 'Dinero IV, one cache of 64 KiB in 4 ways',
      known_by => [qw(d4.h cmdmain.c dinfmt.c ref.c misc.c)],
      build => 'cp "$1"/* "$2" 2>/dev/null; cd "$2" && '
          . '{ test -f config.h || sh ./configure; } && '
          . '$CC -std=gnu89 -w -O2 -o dineroIV *.c -lm',
      cases => [{
          name => 'dinero', ours => 'one_cache', on => 'W1 W2 W4',
          command => sub {
              ('sh', '-c', 'exec "$1"/dineroIV -l1-usize 64k -l1-ubsize 64 '
                  . '-l1-uassoc 4 -informat d <"$2"', 'sh', $folder,
                  din_file($_[0]));
          },
          answers => \&demand_misses,
      }, {
          name => 'dinero_fifo', ours => 'fifo_grid', on => 'W1 W2 W4',
          command => sub {
              ('sh', '-c', 'for ways in 1 2 4 8 16; do sets=1; '
                  . 'while [ $sets -le 16384 ]; do echo "cache $sets $ways"; '
                  . '"$1"/dineroIV -l1-usize $((64 * sets * ways)) -l1-ubsize 64 '
                  . '-l1-uassoc $ways -l1-urepl f -informat d <"$2" || exit; '
                  . 'sets=$((2 * sets)); done; done', 'sh', $folder,
                  din_file($_[0]));
          },
          answers => \&demand_misses,
      }] },
    { name => 'cheetah', what => 'Cheetah',
      known_by => [qw(saclru.c util.c)],
      # The copy in SimpleScalar's tree takes headers of that, as it is configured
      # or for PISA.
      build => 'mkdir -p "$2/src" && cp "$1"/*.[ch] "$2/src"; '
          . 'cp "$1"/../target-pisa/pisa.h "$2/machine.h"; '
          . 'cp "$1"/../target-pisa/pisa.def "$2/machine.def"; '
          . 'cp "$1"/../*.h "$1"/../*.def "$2"; '
          . '$CC -std=gnu89 -w -O2 -march=native -fcommon '
          . '-o "$2/cheetah" tests/bench/peers/cheetah.c "$2/src"/saclru.c '
          . '"$2/src"/util.c',
      cases => [
          { name => 'cheetah_240', ours => 'assoc', on => 'W1 W2 W4',
            command => sub {
                ("$folder/cheetah", 4, 14, 4, address_file($_[0]));
            },
            answers => \&last_is_misses },
          { name => 'cheetah_1440', ours => 'assoc6', on => 'W1 W2 W4',
            command => sub {
                ('sh', '-c', 'for bits in 4 5 6 7 8 9; do '
                    . '"$1"/cheetah $bits 14 4 "$2" || exit; done', 'sh',
                    $folder, address_file($_[0]));
            },
            answers => \&last_is_misses },
      ] },
);

# Each reads lines for a workload and returns misses by cache, or a ratio with a
# point that is rounded, or after ~ one that is a guess.
sub last_is_misses {
    return { map { /^(.+) (\d+)$/ ? ($1 => $2) : () } @{ $_[0] } };
}

sub hits_by_size {
    my ($lines, $workload) = @_;
    return { map { /^(\d+) (\d+)$/ ? ($1 => $workload->{refs} - $2) : () }
        @$lines };
}

# Distances below a million have a line of their own, if there are any.
sub hits_by_distance {
    my ($lines, $workload) = @_;
    my %misses = map { (1 << $_) => $workload->{refs} } 0 .. 19;
    for (map { /^\s*(\d+)\s+(\d+)\s/ ? [$1, $2] : () } @$lines) {
        my ($distance, $count) = @$_;
        $misses{$_} -= $count for grep { $_ > $distance } keys %misses;
    }
    return \%misses;
}

sub ratio_by_size {
    my ($lines) = @_;
    return { map { /cache size\s+(\d+),.*, miss ratio ([\d.]+)/
        ? ($1 => $2) : () } @$lines };
}

# Of one cache, or after a line with its sets and ways.
sub demand_misses {
    my ($lines) = @_;
    my ($cache, %misses) = '256 4';
    for (@$lines) {
        $cache = $1 if /^cache (\d+ \d+)$/;
        $misses{$cache} = $1 if /^\s*Demand Misses\s+(\d+)/;
    }
    return \%misses;
}

# ---------------------------------------------------------------- building --

# The first folder that has all of a peer's files.
sub find_peer {
    my ($peer) = @_;
    my @folders;
    find({ no_chdir => 1, preprocess => sub { sort @_ },
        wanted => sub { push @folders, $_ if -d } }, $peers_folder);
    for my $folder (@folders) {
        return $folder
            unless grep { !-f "$folder/$_" } @{ $peer->{known_by} };
    }
    note("$peer->{name}: left out: no folder in $peers_folder has "
        . join ', ', @{ $peer->{known_by} });
    return undef;
}

# The folders that it is built in, one for each compiler; none, and a line.
sub build_peer {
    my ($peer) = @_;
    my $from = find_peer($peer) // return;
    my %cxx = (gcc => 'g++', clang => 'clang++');
    my @compilers = @{ $peer->{compilers}
        // ($ENV{CC} || $ENV{CXX} ? [$ENV{CC} || 'cc'] : [sort keys %cxx]) };
    my @built;
    for my $compiler (@compilers) {
        my $into = abs_path($files) . "/peers/$peer->{name}-$compiler";
        make_path($into);
        local $ENV{CC} = $compiler;
        local $ENV{CXX} = $ENV{CXX} || $cxx{$compiler} || 'c++';
        push @built, $into if system('sh', '-c',
            "exec >\"\$2/log\" 2>&1; $peer->{build}", 'sh', $from, $into) == 0;
    }
    note("$peer->{name}: left out: it cannot be built, see "
        . abs_path($files) . "/peers/$peer->{name}-*/log") unless @built;
    return @built;
}

# Of these, the one whose program is the fastest.
sub fastest_of {
    my ($case, $workload, @built) = @_;
    my %seconds;
    for (@built > 1 ? @built : ()) {
        $folder = $_;
        my $measured = eval {
            measure('timeout', $seconds, $case->{command}->($workload))
        } // next;
        $seconds{$_} = $measured->{user} + $measured->{system};
    }
    my ($best) = sort { $seconds{$a} <=> $seconds{$b} } keys %seconds;
    note("$best is faster") if defined $best;
    return $best // $built[0];
}

# --------------------------------------------------------------- measuring --

# Compare the results of two for the caches that both name: 'equal' or a fault.
sub compared {
    my ($ours, $theirs, $refs) = @_;
    my @caches = grep { exists $ours->{$_} } sort keys %$theirs;
    my @wrong = grep {
        my ($mine, $other) = ($ours->{$_}, $theirs->{$_});
        $other =~ /^~(.*)/ ? abs($mine / $refs - $1) > 0.05
            : $other =~ /\./ ? abs($mine / $refs - $other) > 0.000051
            : $mine != $other
    } @caches;
    return 'nothing to compare' unless @caches;
    return 'equal (' . @caches . ')' unless @wrong;
    return sprintf 'DIFFER: %d of %d, cache %s: %s, theirs %s', scalar @wrong,
        scalar @caches, $wrong[0], map { $_->{ $wrong[0] } } $ours, $theirs;
}

my %wanted = wanted_of($only, map { $_->{name} } @peers);
my %wanted_on = wanted_of($on, map { $_->{name} } @workloads);
my (@cases, %commands, %answers, %times, %failed);

# A command that several cases share is measured once a round.
sub add_command {
    my ($key, $command) = @_;
    $commands{$key} //= $command;
    return $key;
}

# What FUNCTION makes of a command; undef where that fails.
sub unless_failed {
    my ($key, $function) = @_;
    my $made = eval { $function->(@{ $commands{$key} }) };
    return $made if defined $made;
    note("$key: left out: it failed, or took more than $seconds seconds");
    $failed{$key} = 1;
    return undef;
}

for my $peer (grep { $wanted{ $_->{name} } } @peers) {
    my (@built, $built) = build_peer($peer);
    next unless @built;
    for my $case (@{ $peer->{cases} }) {
        my %on = map { $_ => 1 } split / /, $case->{on};
        for my $workload (grep { $wanted_on{ $_->{name} }
            && ($on{ $_->{name} } || defined $_->{file}) } @workloads) {
            $folder = $built //= fastest_of($case, $workload, @built);
            my ($ours, $name) = ($ours{ $case->{ours} }, $workload->{name});
            my %case = (case => $case->{name}, workload => $workload,
                what => $peer->{what},
                ours => add_command("$case->{ours} $name",
                    [$ours->{command}->($workload)]),
                theirs => add_command("$case->{name} $name",
                    ['timeout', $seconds, $case->{command}->($workload)]));
            $answers{ $case{ours} } //=
                $ours->{answers}->(lines_of(@{ $commands{ $case{ours} } }));
            my $lines = unless_failed($case{theirs}, sub { [lines_of(@_)] }) // next;
            $case{answer} = compared($answers{ $case{ours} },
                $case->{answers}->($lines, $workload), $workload->{refs});
            note("$case{theirs}: $case{answer}");
            push @cases, \%case;
        }
    }
}

for my $round (1 .. $rounds) {
    note("round $round of $rounds");
    for my $key (sort keys %commands) {
        next if $failed{$key} || grep { $_ > $patience } @{ $times{$key} // [] };
        my $measured = unless_failed($key, \&measure) // next;
        push @{ $times{$key} }, $measured->{user} + $measured->{system} || 1e-6;
    }
}

# ---------------------------------------------------------------- printing --

# Millions of references per second.
sub rate {
    my ($case, $side) = @_;
    return $case->{workload}{refs} / median(@{ $times{ $case->{$side} } }) / 1e6;
}

print "peer,workload,ours,theirs,times,equal_caches\n";
for my $case (grep { !$failed{ $_->{ours} } && !$failed{ $_->{theirs} } } @cases) {
    my ($ours, $theirs) = map { rate($case, $_) } qw(ours theirs);
    printf "%s,%s,%.1f,%.2f,%.1f,%s\n", $case->{case}, $case->{workload}{name},
        $ours, $theirs, $ours / $theirs,
        $case->{answer} =~ /^equal \((\d+)/ ? $1 : 0;
}
exit(%failed || (grep { $_->{answer} !~ /^equal/ } @cases) ? 1 : 0);
