#!/usr/bin/perl
# lru.pl CACHE_BYTES,... TTL|- TRACE [vscsi] - plain LRU caches of objects
#
# The trace is one of the format oracle, unless vscsi is said.
# Prints for each cache its size, references, misses, their bytes and those of
# the misses.  An object has the size that its last request names; one that is
# larger than the cache passes it by.  With a TTL, a request that comes later
# after the cache stored its object misses.
use strict;
use warnings;

my ($sizes, $ttl, $path, $vscsi) = @ARGV;
open my $file, '<:raw', $path or die "$path: $!\n";
my @requests;
my $length = $vscsi ? 32 : 24;
while (read($file, my $record, $length) == $length) {
    my ($time, $id, $bytes) = unpack 'V Q< V', $record;
    (undef, $bytes, undef, undef, undef, $id, $time) =
        unpack 'V V V v v Q< Q<', $record if $vscsi;
    $time *= 1e6 if !$vscsi;
    push @requests, [$time, $id, $bytes];
}

# A ring of the objects in the cache; '' is its head, after the oldest.
my (%size, %next, %before, $used);
sub take_out {
    my ($id) = @_;
    my ($after, $ahead) = (delete $next{$id}, delete $before{$id});
    ($next{$ahead}, $before{$after}) = ($after, $ahead);
    $used -= $size{$id};
}

for my $capacity (split /,/, $sizes) {
    my %stored;
    (%size, %next, %before) = ();
    ($next{''}, $before{''}) = ('', '');
    $used = 0;
    my @counts = (0, 0, 0, 0);
    for (@requests) {
        my ($time, $id, $bytes) = @$_;
        my $miss = !exists $next{$id} ||
            ($ttl ne '-' && $time > $stored{$id} + 1e6 * $ttl);
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
        ($next{''}, $before{$id}, $next{$id}, $before{$first}) =
            ($id, '', $first, $id);
        $used += $bytes;
    }
    print join(',', $capacity, @counts), "\n";
}
