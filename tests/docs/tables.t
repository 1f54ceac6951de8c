#!/usr/bin/perl
# tables.t - pages say what the tables of the last measurement say
use strict;
use warnings;
use Test::More;
use File::Temp qw(tempdir);
require './tests/papers/tables.pl';

sub read_page {
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    return join '', <$file>;
}

sub write_page {
    my ($path, $text) = @_;
    open my $file, '>', $path or die "$path: $!\n";
    print $file $text;
    close $file or die "$path: $!\n";
}

# The test must be able to fail.
my $work = tempdir(CLEANUP => 1);
mkdir "$work/tables";
write_page("$work/tables/a.csv", "name,slow_down\ngzip 1,3.5\nbzip2,12\n");
my $page = "<!-- table tables/a.csv -->\n\n| name | slow down |\n"
    . "| --- | ---: |\n| gzip 1 | 3.5 |\n| bzip2 | 12 |\n\n"
    . "<!-- end of table -->\n[3.5](tables/a.csv#gzip_1/slow_down) "
    . "[12](tables/a.csv#name=bzip2,slow_down=12/slow_down)\n";
write_page("$work/page.md", $page);
ok(renewed("$work/page.md") eq $page, 'a page that is right stays');
for my $wrong ([qr/ 12 /, ' 13 '], [qr/=12/, '=13'], [qr/\[3\.5\]/, '[3.6]'],
    [qr/gzip_1/, 'gzip_2'], [qr{a\.csv -->}, 'b.csv -->']) {
    write_page("$work/page.md", $page =~ s/$wrong->[0]/$wrong->[1]/r);
    ok(renewed("$work/page.md") ne read_page("$work/page.md"),
        "a page with '$wrong->[1]' is seen");
}
write_page("$work/page.md",
    "<!-- table tables/a.csv rows name=gzip_1 columns slow_down -->\n"
    . "<!-- end of table -->\n");
ok(renewed("$work/page.md") =~ /\n\| slow down \|\n.*\n\| 3\.5 \|\n\n/,
    'rows and columns can be chosen');

# Rows with a cell that begins with a number and that no table wrote.
sub written_by_hand {
    my ($text) = @_;
    $text =~ s/<!-- table .*?<!-- end of table -->//gs;
    return grep { /\| *[-+]?\d/ } $text =~ /^ *(\|.*)$/mg;
}
is(scalar written_by_hand("$page| a | 1 |\n| - | - |\n  | b | 2 |\n"), 2,
    'rows that are written by hand are found');

my %shown;
for my $path (sort glob('docs/measured/*.md')) {
    my $text = read_page($path);
    $shown{$_} = 1 for $text =~ m{(tables/[\w.-]+\.csv)}g;
    ok(renewed($path) eq $text, "$path says what its tables say");
    is(scalar written_by_hand($text), 0, "$path has figures of commands only");
}
# Nor is a picture older than its table.
my (%listed, %pictures);
my $drawn = read_table('docs/measured/pictures/drawn.csv');
for my $row (@{ $drawn->{rows} }) {
    my ($picture, $table) = @$row;
    $listed{$table} = $pictures{$picture} = 1;
    ok(join(',', @$row) eq drawn_row('docs/measured', $picture, $table),
        "$picture is drawn from $table as it is");
}
ok(drawn_row('docs/measured', 'none.png', 'none.csv') eq 'none.png,none.csv,,',
    'a picture that is not there has no sum');

my $script = read_page('docs/pictures.sh');
for my $path (sort glob('docs/measured/pictures/*.png')) {
    my ($picture) = $path =~ m{([^/]*)$};
    ok($pictures{$picture} || $script =~ m{pictures/\Q$picture\E}s,
        "$picture is drawn by a command");
}

for my $table (sort glob('docs/measured/tables/*')) {
    my ($name) = $table =~ m{(tables/.*)};
    ok($shown{$name} || $listed{ $name =~ s{tables/}{}r },
        "$name stands on a page, or is drawn there");
}

done_testing();
