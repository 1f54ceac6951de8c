#!/usr/bin/perl
# library.t - what the library's symbols say about its manners
#
# Every external symbol begins with margay_; nothing in it prints, ends the
# process or reads the environment.
use strict;
use warnings;
require './tests/tap.pl';

my $library = ($ENV{BUILD} // 'build') . '/libmargay.a';
my %forbidden = map { $_ => 1 } qw(printf vprintf puts putchar perror
    __printf_chk __vprintf_chk stdout stderr exit _exit abort quick_exit
    getenv secure_getenv setenv putenv system);

open my $nm, '-|', 'nm', '-A', '-g', $library or die "nm: $!\n";
my (@strange, @rude);
my $symbols = 0;
while (<$nm>) {
    # LIBRARY:MEMBER: [ADDRESS] TYPE NAME
    next unless /:([^:]+\.o):.* ([A-Za-z]) (\S+)$/;
    my ($member, $type, $name) = ($1, $2, $3);
    $symbols++;
    if ($type eq 'U') {
        push @rude, "$member: $name" if $forbidden{$name};
    } elsif ($name !~ /^margay_/ && $name !~ /^(__|_GLOBAL_)|asan|tsan/) {
        push @strange, "$member: $name";
    }
}
close $nm;

report($symbols, "$library has symbols");
report(!@strange, 'external symbols begin with margay_', @strange);
report(!@rude, 'nothing prints, exits or reads the environment', @rude);
conclude();
