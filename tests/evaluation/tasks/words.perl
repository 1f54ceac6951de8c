# Count words, look for patterns, and group anagrams.
use strict;
use warnings;

my (%count, @lines);
while (my $line = <>) {
    push @lines, $line;
    $count{$_}++ for split ' ', $line;
}
my @words = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;

my $found = 0;
for my $line (@lines) {
    $found++ while $line =~ /([aeiou])[^aeiou ]\1/g;
}

my %anagrams;
push @{ $anagrams{ join '', sort split //, $_ } }, $_ for @words;
print scalar(@words), " $found ", scalar(keys %anagrams), "\n";
