#!/usr/bin/perl
# links.t - every link from page to page leads somewhere
#
# Relative links of all Markdown pages: the file has to be there, and where
# the link names a section, a heading of that name in it.  install.t runs this
# among the pages that are installed.
use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);

# How a heading is named in links.
sub anchor {
    my ($heading) = @_;
    $heading = lc $heading;
    $heading =~ s/[^\w\- ]//g;
    $heading =~ tr/ /-/;
    return $heading;
}

sub lines_of {
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    my @lines = <$file>;
    return @lines;
}

my %anchors;
sub has_section {
    my ($path, $section) = @_;
    $anchors{$path} //= { map { /^#+ +(.*)/ ? (anchor($1) => 1) : () }
                          lines_of($path) };
    return $anchors{$path}{$section};
}

# Why a link of `page` leads nowhere; '' if it does not.
sub fault {
    my ($page, $link) = @_;
    return '' if $link =~ /^\w+:/;
    my ($target, $section) = split /#/, $link, 2;
    my $path = $target eq '' ? $page : dirname($page) . "/$target";
    return 'no such file' unless -e $path;
    # What a link into a table names, tables.t looks for.
    return '' if !defined $section || $target =~ /\.csv$/;
    return has_section($path, $section) ? '' : 'no such section';
}

# The test must be able to fail.
ok(fault('docs/using/formats.md', 'nowhere.md') ne '',
    'a missing file is seen');
ok(fault('README.md', 'docs/using/formats.md#nowhere') ne '',
    'a missing section is seen');
ok(fault('README.md', 'docs/using/formats.md#mgt') eq '',
    'a section is found');

for my $page (sort glob('*.md docs/*.md docs/*/*.md tests/*/*.md')) {
    my @faults;
    my $text = join '', lines_of($page);
    while ($text =~ /\]\(([^)\s]+)\)/g) {
        my $why = fault($page, $1);
        push @faults, "$1: $why" if $why ne '';
    }
    ok(!@faults, "the links of $page lead somewhere");
    diag("  $_") for @faults;
}

# Pages are named in comments and messages, too, from the top.
my %absent;
my $sources = join ' ', map { "*.$_ */*.$_ */*/*.$_ */*/*/*.$_" }
    qw(md c h t mk pl awk def mdoc 1 3 sh);
my @sources = grep { !/^build/ } glob("GNUmakefile $sources");
for my $path (-e 'GNUmakefile' ? @sources : ()) {
    for (lines_of($path)) {
        $absent{"$path: $1"} = 1
            while m{(?<![\w/.*])(docs/[\w/-]+\.(?:md|mdoc|awk|sh|c|[13]))\b}g
            && !-e $1;
    }
}
ok(!%absent, 'pages that are named are there');
diag("  $_") for sort keys %absent;

done_testing();
