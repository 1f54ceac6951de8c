# small.pl - programs of the distribution that run for a second
#
# A row: the program's name, and its command.  FILES, the first argument of the
# function that is returned, is the folder of what they read, which is made
# there.  Programs that are not installed are left out.
use strict;
use warnings;

# Words of which some come more often than others.
sub write_text {
    my ($text) = @_;
    return if -e $text;
    open my $out, '>', $text or die "$text: $!\n";
    my $state = 5;
    my @words = map { $state = ($state * 1103515245 + 12345) & 0x7fffffff;
        join '', map { chr 97 + ($state >> $_) % 26 } 8 .. 8 + $state % 9 }
        1 .. 3000;
    for (1 .. 200_000) {
        $state = ($state * 1103515245 + 12345) & 0x7fffffff;
        print $out $words[($state >> 8) % (1 + ($state >> 12) % 3000)],
            $_ % 12 ? ' ' : "\n";
    }
    close $out or die "$text: $!\n";
}

my $rows = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n '
    . 'LIMIT 20000) SELECT count(*), sum(x % 97) FROM n GROUP BY x % 1013';
my $count = 'while (<>) { $n{$_}++ for split } print scalar keys %n';
my $primes = 'print(sum(all(n % k for k in range(2, int(n ** .5) + 1)) '
    . 'for n in range(2, 20000)), len({str(n): [n] for n in range(50000)}))';

return sub {
    my ($files) = @_;
    my $text = "$files/text";
    write_text($text);
    my @wanted = (
        ['gzip', "gzip -c $text"],
        ['bzip2', "bzip2 -c $text"],
        ['xz', "xz -T1 -c $text"],
        ['sort', "sort --parallel=1 $text"],
        ['perl', "perl -e '$count' $text"],
        ['sqlite3', "sqlite3 :memory: '$rows'"],
        ['awk', "awk '{ n[\$1]++; s += length } END { print s }' $text"],
        ['python3', "python3 -S -c '$primes'"],
        ['zstd', "zstd -q -9 --single-thread -c $text"],
        ['m4', "m4 -DA=B -Daa=bb $text"],
    );
    return grep {
        my ($binary) = split / /, $_->[1];
        system("command -v $binary >/dev/null") == 0;
    } @wanted;
};
