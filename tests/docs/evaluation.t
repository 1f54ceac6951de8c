#!/usr/bin/perl
# evaluation.t - means and goals follow from the tables of programs
use strict;
use warnings;
use Test::More;
use File::Temp qw(tempdir);
require './tests/papers/tables.pl';

my $out = tempdir(CLEANUP => 1);
mkdir "$out/tables";
write_table("$out/tables/recording-debian-12.csv",
    "program,method,by,references_millions,native_seconds,dropped,capture,pipe,"
    . "exact,exact_sum\n",
    "a,runtime clang,clang 1,10,1.00,1.5,2.0,3.0,4.0,6.0\n",
    "b,runtime clang,clang 1,10,1.00,1.8,3.5,5.0,9.0,12.0\n",
    "none,valgrind,valgrind 1 without tool,,,,,,,\n");
is(system($^X, 'tests/evaluation/methods.pl', $out), 0, 'the tables are made');

sub row_of {
    my ($name, %wanted) = @_;
    my ($row) = grep {
        my $row = $_;
        !grep { $row->{$_} ne $wanted{$_} } keys %wanted;
    } rows_of(read_table("$out/tables/recording-$name.csv"));
    return $row;
}

my $mean = row_of('means', method => 'runtime clang');
is_deeply([@$mean{qw(system by programs dropped capture pipe exact exact_sum
    exact_least exact_most)}],
    ['debian 12', 'clang 1', 2, '1.6', '2.8', '4.0', '6.5', '9.0', '4.0', '9.0'],
    'means and extremes');
my $none = row_of('means', method => 'valgrind');
is_deeply([@$none{qw(by programs exact)}], ['valgrind 1 without tool', 0, ''],
    'a method that cannot be had says so');
is(row_of('goals', column => 'capture', method => 'runtime clang')->{debian_12},
    '2.8 (1 of 2 within)', 'programs within a goal are counted');
is(row_of('goals', column => 'exact', method => 'valgrind')->{debian_12}, 'none',
    'nothing stands beside a goal that nothing was measured for');

done_testing();
