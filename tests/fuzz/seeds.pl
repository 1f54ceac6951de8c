#!/usr/bin/perl
# seeds.pl pack FOLDER | unpack FOLDER - the fuzzers' seeds, in one file
#
# seeds.txt has them all: `= TARGET/NAME`, and then their bytes, as lines of
# text after a bar, of which the last one has no newline if a backslash follows
# the bar; or, where they are no text, in hexadecimal.  `unpack` makes files of
# them below FOLDER, and `pack` prints the file that FOLDER's files make.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Path qw(make_path);

my ($what, $folder) = @ARGV;
die "usage: seeds.pl pack|unpack FOLDER\n" unless defined $folder;

sub is_text {
    return $_[0] =~ /\A[\t\n\x20-\x7e]*\z/ && $_[0] !~ /[^\n]{400}|^\\/m;
}

sub packed {
    my ($bytes) = @_;
    return unpack('H*', $bytes) =~ s/(.{1,78})/$1\n/gr unless is_text($bytes);
    my @lines = split /(?<=\n)/, $bytes;
    return join '', map { /\n\z/ ? "|$_" : "|\\$_\n" } @lines;
}

sub pack_all {
    for my $path (sort glob "$folder/*/*") {
        local $/;
        open my $file, '<:raw', $path or die "$path: $!\n";
        my $bytes = <$file> // '';
        print '= ', $path =~ s{^\Q$folder\E/}{}r, "\n", packed($bytes);
    }
}

sub unpack_all {
    my $out;
    open my $in, '<:raw', 'tests/fuzz/seeds.txt' or die "seeds.txt: $!\n";
    while (my $line = <$in>) {
        if ($line =~ /^= (.+)\n/) {
            make_path(dirname("$folder/$1"));
            open $out, '>:raw', "$folder/$1" or die "$folder/$1: $!\n";
        } elsif ($line =~ /^\|\\(.*)\n/) {
            print $out $1;
        } elsif ($line =~ /^\|(.*\n)/) {
            print $out $1;
        } else {
            chomp $line;
            print $out pack('H*', $line);
        }
    }
    close $out or die "$folder: $!\n";
}

$what eq 'pack' ? pack_all() : unpack_all();
