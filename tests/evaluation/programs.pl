# programs.pl - what the evaluation records
#
# A row: the program's name; the benchmark it stands for; how it is recorded;
# the command, run in the folder of the inputs; optionally what it reads from
# standard input.
#
# BUILT in a command is the folder of what sources.sh builds, with what records it
# for `runtime` (by calls) and `runtime clang` (by the plugin of that compiler), and without for `valgrind`.  All else is the distribution's
# own.  Of the three groups, `usual` has short runs; `long` has runs of a second and
# more, each by all methods that can; and `large` has programs that use more than
# ten million words of 8 bytes.
use strict;
use warnings;

my ($compiler) = split /\n/, `gcc -print-prog-name=cc1`;
my $film = '--threads 1 --quiet -o /dev/null film.y4m';
my $scene = '+Iscene.pov +W280 +H210 -D +O/dev/null +WT1 -GA';
my $speech = '-infile sound.raw -logfn /dev/null -dict digits.dict '
    . '-jsgf digits.gram';

# The programs as one finds them.
my @unmodified = (
    ['gzip', '164.gzip', 'gzip -c large.txt'],
    ['bzip2', '401.bzip2', 'bzip2 -c middle.txt'],
    ['xz', '557.xz', 'xz -T1 -c small.txt'],
    ['gcc', '403.gcc', "$compiler -quiet -O2 program.c -o /dev/null"],
    ['perl', '400.perlbench', 'perl words.perl middle.txt'],
    ['gnugo', '445.gobmk',
        '/usr/games/gnugo --mode gtp --gtp-input game.gtp --seed 1'],
    ['hmmsearch', '456.hmmer', 'hmmsearch --cpu 0 family.hmm proteins.fasta'],
    ['x264', '464.h264ref', "x264 $film"],
    ['povray', '453.povray', "povray $scene"],
    ['pocketsphinx', '482.sphinx3', "pocketsphinx_continuous $speech"],
    ['glpsol', '450.soplex', 'glpsol --lp transport.lp'],
    ['link-parser', '197.parser', 'link-parser en -batch', 'sentences.txt'],
    ['lua', 'an interpreter', 'lua5.4 tables.lua'],
    ['python', 'an interpreter', '/usr/bin/python3 -S trees.py'],
    ['sqlite3', 'a database', "sqlite3 :memory: '.read work.sql'"],
    ['gnuplot', 'floating point', 'gnuplot surface.gp'],
);

# Some of them with more to do.
my $texts = join ' ', ('large.txt') x 12;
my $middle = join ' ', ('middle.txt') x 24;
my @long = (
    ['gzip', '164.gzip', "gzip -9 -c $texts"],
    ['xz', '557.xz', 'xz -1 -T1 -c ' . 'middle.txt ' x 4],
    ['perl', '400.perlbench', "perl words.perl $middle"],
);

# Built here.
my @built = (
    ['bzip2', '401.bzip2', 'BUILT/bzip2 -c middle.txt'],
    ['zstd', '164.gzip', 'BUILT/zstd -q -9 --single-thread -c large.txt'],
    ['lua', 'an interpreter', 'BUILT/lua tables.lua'],
    ['tinyscheme', '130.li', 'BUILT/tinyscheme lists.scm'],
    ['glpsol', '450.soplex', 'BUILT/glpsol --lp transport.lp'],
    # Its exit status is the answer.
    ['picosat', '429.mcf',
        "BUILT/picosat -n clauses.cnf || expr \$? : '[12]0\$' >/dev/null"],
    ['fft', "Zhong's FFT", 'BUILT/kernels fft 1000000'],
    ['lu', '433.milc', 'BUILT/kernels lu 900'],
    ['sort', 'quicksort', 'BUILT/kernels sort 1000000'],
    ['multiply', '410.bwaves', 'BUILT/kernels multiply 500'],
);

my $lists = join ' ', ('lists.scm') x 28;
my @long_built = (
    ['multiply', '410.bwaves', 'BUILT/kernels multiply 1150'],
    ['lu', '433.milc', 'BUILT/kernels lu 1600'],
    ['sort', 'quicksort', 'BUILT/kernels sort 10500000'],
    ['fft', "Zhong's FFT", 'BUILT/kernels fft 16777216'],
    ['walk', 'a hash table', 'BUILT/kernels walk 200000000'],
    ['bzip2', '401.bzip2', 'BUILT/bzip2 -c ' . 'large.txt ' x 5],
    ['lua', 'an interpreter',
        q{BUILT/lua -e 'for i = 1, 12 do dofile("tables.lua") end'}],
    ['tinyscheme', '130.li', "BUILT/tinyscheme $lists"],
    ['picosat', '429.mcf',
        "BUILT/picosat -n more_clauses.cnf || expr \$? : '[12]0\$' >/dev/null"],
);

# As one finds them, with much memory.
my @large = (
    ['sort', 'quicksort', 'sort -S 1G --parallel=1 numbers.txt'],
    ['perl', '400.perlbench', 'perl keys.perl'],
    ['sqlite3', 'a database', "sqlite3 :memory: '.read wide.sql'"],
    ['zstd', '164.gzip', 'zstd -q -1 --single-thread --long=27 -c numbers.txt'],
);

sub rows {
    my ($method, $group, @table) = @_;
    my ($record, $compiler) = split ' ', $method;
    return map { {
        group => $group, name => $_->[0], stands_for => $_->[1],
        method => $method, record => $record, compiler => $compiler // '',
        command => $_->[2], input => $_->[3] // '/dev/null',
    } } @table;
}

return [
    rows('valgrind', 'usual', @unmodified), rows('runtime', 'usual', @built),
    (map { rows($_, 'long', @long_built) } 'runtime clang', 'runtime'),
    (map { rows($_, 'long', @long_built, @long) } 'valgrind'),
    rows('valgrind', 'large', @large),
    rows('runtime', 'large', ['fft', "Zhong's FFT", 'BUILT/kernels fft 8388608']),
];
