#!/usr/bin/perl
# overlaps.pl SVG... - texts of gnuplot's pictures that touch another, or an edge
#
# Prints a line for each pair, and for each text that is not all in the picture.
# A character is taken to be 0.5 of the font's height wide, which is less than
# most are, and 0.7 of it high, so that what is found is a fault.
use strict;
use warnings;

sub boxes {
    my ($svg) = @_;
    my @boxes;
    while ($svg =~ m{<g\ transform="translate\(([-\d.]+),([-\d.]+)\)(?:
            \s*rotate\(([-\d.]+)\))?"[^>]*font-size="([\d.]+)"[^>]*
            text-anchor="(\w+)"[^>]*>\s*<text>(.*?)</text>}gsx) {
        my ($x, $y, $turn, $size, $anchor, $text) = ($1, $2, $3 // 0, $4, $5, $6);
        $text =~ s/<[^>]*>//g;
        $text =~ s/&\w+;/x/g;
        utf8::decode($text);
        $text =~ s/^\s+|\s+$//g;
        next if $text eq '';
        my $width = 0.5 * $size * length $text;
        my $start = $anchor eq 'middle' ? -$width / 2
            : $anchor eq 'end' ? -$width : 0;
        # gnuplot puts the baseline a third of the height below the middle.
        my @box = ($start, -0.7 * $size, $start + $width, 0);
        @box = ($box[1], -$box[2], $box[3], -$box[0]) if $turn < 0;
        next if $turn != 0 && $turn != -90;
        push @boxes, [$x + $box[0], $y + $box[1], $x + $box[2], $y + $box[3],
            $text];
    }
    return @boxes;
}

my $faults = 0;
for my $path (@ARGV) {
    open my $file, '<', $path or die "$path: $!\n";
    my $svg = do { local $/; <$file> };
    my ($width, $height) = $svg =~ /viewBox="0 0 ([\d.]+) ([\d.]+)"/
        or die "$path: no size\n";
    my @boxes = boxes($svg);
    die "$path: no texts\n" if @boxes == 0;
    for my $i (0 .. $#boxes) {
        my $a = $boxes[$i];
        print "$path: '$a->[4]' leaves the picture\n" and $faults++
            if $a->[0] < 0 || $a->[1] < 0 || $a->[2] > $width || $a->[3] > $height;
        for my $b (@boxes[0 .. $i - 1]) {
            next if "@$a" eq "@$b"; # a text in a box is drawn twice
            print "$path: '$a->[4]' touches '$b->[4]'\n" and $faults++
                if $a->[0] < $b->[2] && $b->[0] < $a->[2] &&
                   $a->[1] < $b->[3] && $b->[1] < $a->[3];
        }
    }
}
exit($faults > 0);
