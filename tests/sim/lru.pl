#!/usr/bin/perl
# lru.pl CACHE_BYTES TTL|- TRACE [vscsi] - a plain LRU cache of objects
#
# The trace is one of the format oracle, unless vscsi is said.
# Prints references, misses, their bytes and those of the misses.  An object has
# the size that its last request names; one that is larger than the cache passes
# it by.  With a TTL, a request that comes later after the cache stored its
# object misses.
use strict;
use warnings;

my ($capacity, $ttl, $path, $vscsi) = @ARGV;
open my $file, '<:raw', $path or die "$path: $!\n";
my (%size, %stored, %next, %before);
# A ring of the objects in the cache; '' is its head, behind the oldest.
($next{''}, $before{''}) = ('', '');
my ($used, @counts) = (0, 0, 0, 0, 0);

sub take_out {
    my ($id) = @_;
    my ($after, $ahead) = (delete $next{$id}, delete $before{$id});
    ($next{$ahead}, $before{$after}) = ($after, $ahead);
    $used -= $size{$id};
}

my $length = $vscsi ? 32 : 24;
while (read($file, my $record, $length) == $length) {
    my ($time, $id, $bytes) = unpack 'V Q< V', $record;
    (undef, $bytes, undef, undef, undef, $id, $time) =
        unpack 'V V V v v Q< Q<', $record if $vscsi;
    $time = int($time / 1e6) if $vscsi;
    my $miss = !exists $next{$id} ||
        ($ttl ne '-' && $time > $stored{$id} + $ttl);
    $stored{$id} = $time if $miss;
    $counts[0]++;
    $counts[1] += $miss;
    $counts[2] += $bytes;
    $counts[3] += $bytes if $miss;
    take_out($id) if exists $next{$id};
    $size{$id} = $bytes;
    next if $bytes > $capacity;
    take_out($before{''}) while $used + $bytes > $capacity;
    my $first = $next{''};
    ($next{''}, $before{$id}, $next{$id}, $before{$first}) = ($id, '', $first, $id);
    $used += $bytes;
}
print join(',', @counts), "\n";
