#!/usr/bin/perl
# measured.t - the scripts that make the tables of pages
use strict;
use warnings;
use File::Temp qw(tempdir);
use Test::More;

my $tables = 'docs/measured/tables';
my $out = tempdir(CLEANUP => 1);

sub text_of {
    my ($path) = @_;
    open my $file, '<', $path or return '';
    return join '', <$file>;
}

# What a script says, and its exit status, with no command and no traces.
sub made {
    my ($page, $names) = @_;
    my $said = `perl tests/measured/$page.pl --tables $names none none $out \\
        $out 2>&1`;
    return ($said, $? >> 8);
}

my ($said, $status) = made('scaling', 'scaling-projection');
is($status, 0, 'a table that needs no command is made');
is(text_of("$out/tables/scaling-projection.csv"),
    text_of("$tables/scaling-projection.csv"), 'and says what the page says');

($said, $status) = made('policies', 'policies-lirs,policies-published');
is($status, 0, 'without its traces');
like($said, qr/policies-lirs stays as it is: there is no lirs-cs/,
    'a table stays as it is, and a line says so');
ok(!-e "$out/tables/policies-lirs.csv", 'nothing is written');

($said, $status) = made('policies', 'policies-lris');
is($status, 2, 'a table that is not of the page is refused');
like($said, qr/found 'policies-lris', expected one of/, 'by name');

# All tables are made by a script, or it says that they are not.
for my $script (glob 'tests/measured/*.pl') {
    my ($page) = $script =~ m{/(\w+)\.pl$};
    for (glob "$tables/$page-*.csv") {
        my ($name) = m{/([\w-]+)\.csv$};
        like(text_of($script), qr/\b$name\b/, "$script knows $name");
    }
}

done_testing();
