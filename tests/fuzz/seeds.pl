#!/usr/bin/perl
# seeds.pl pack FOLDER | unpack FOLDER - the fuzzers' seeds, in one file
#
# seeds.txt has them all: `= TARGET/NAME`, and then their bytes, as lines of
# text after a bar, of which the last one has no newline if a backslash follows
# the bar; or, where they are no text, compressed by zlib and in base 64.
# `unpack` makes files of them below FOLDER, and `pack` prints the file that
# FOLDER's files make.
use strict;
use warnings;
use Compress::Zlib qw(compress uncompress);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use MIME::Base64 qw(decode_base64 encode_base64);

my ($what, $folder) = @ARGV;
die "usage: seeds.pl pack|unpack FOLDER\n" unless defined $folder;

sub is_text {
    return $_[0] =~ /\A[\t\n\x20-\x7e]*\z/ && $_[0] !~ /[^\n]{400}|^\\/m;
}

sub packed {
    my ($bytes) = @_;
    return encode_base64(compress($bytes, 9), '') =~ s/(.{1,78})/$1\n/gr
        unless is_text($bytes);
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
    local $/ = "\n= ";
    open my $in, '<:raw', 'tests/fuzz/seeds.txt' or die "seeds.txt: $!\n";
    while (my $seed = <$in>) {
        my ($name, $bytes) = $seed =~ /^(?:= )?(.+)\n((?s).*?)(?:\n= )?\z/ or die;
        if ($bytes =~ /^\|/) {
            $bytes .= "\n" unless $bytes =~ /\n\z/;
            $bytes =~ s/^\|(\\?)(.*\n)/$1 ? substr($2, 0, -1) : $2/gme;
        } else {
            $bytes = uncompress(decode_base64($bytes)) if $bytes ne '';
        }
        make_path(dirname("$folder/$name"));
        open my $out, '>:raw', "$folder/$name" or die "$folder/$name: $!\n";
        print $out $bytes;
        close $out or die "$folder/$name: $!\n";
    }
}

$what eq 'pack' ? pack_all() : unpack_all();
