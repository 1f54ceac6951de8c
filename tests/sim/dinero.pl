# dinero.pl - a stand-in for Dinero IV: its options and its output, of lists
#
#     perl dinero.pl -l1-isize 8192 -l1-ibsize 32 ... -informat d <trace.din
#
# It is written from what Dinero IV is described to do, takes those options that
# dinero.t gives, with plain numbers, and shares no line with the caches it is
# compared with.  A set is a list of [block, dirty], the one that stays longest
# first.
use strict;
use warnings;

my %given = ('-informat' => '');
while (@ARGV) {
    my ($name, $value) = splice @ARGV, 0, 2;
    die "dinero.pl: $name: no such option\n"
        unless $name =~ /^-l[12]-[iud](size|bsize|assoc|repl|walloc|wback)$/
        || $name eq '-informat';
    $given{$name} = $value;
}
$given{'-informat'} eq 'd' or die "dinero.pl: expected -informat d\n";

# ------------------------------------------------------------- the caches --

sub make {
    my ($name, $option, $next) = @_;
    my $size = $given{"$option" . 'size'} or return $next;
    my $block = $given{"$option" . 'bsize'};
    my $ways = $given{"$option" . 'assoc'};
    die "dinero.pl: $size: expected a power of two\n" if $size & ($size - 1);
    return {
        name => $name, next => $next, block => $block, ways => $ways,
        sets => int($size / $block / $ways), lists => [],
        fifo => $given{"$option" . 'repl'} eq 'f',
        allocates => ($given{"$option" . 'walloc'} // 'a') eq 'a',
        back => ($given{"$option" . 'wback'} // 'a') eq 'a',
        fetches => [0, 0, 0], misses => [0, 0, 0], read => 0, written => 0,
    };
}

sub pass_on {
    my ($cache, $kind, $address, $bytes) = @_;
    $cache->{$kind == 1 ? 'written' : 'read'} += $bytes;
    refer($cache->{next}, $kind, $address, $bytes) if $cache->{next};
}

# A reference of `kind` 0, read, 1, write, or 2, fetch, within a block.
sub refer {
    my ($cache, $kind, $address, $bytes) = @_;
    my $block = int($address / $cache->{block});
    my $set = $cache->{lists}[$block % $cache->{sets}] //= [];
    my ($at) = grep { $set->[$_][0] == $block } 0 .. $#$set;
    my $missed = !defined $at;
    my ($line, $out);
    $cache->{fetches}[$kind]++;
    $cache->{misses}[$kind]++ if $missed;
    if (!$missed) {
        $line = $set->[$at];
        push @$set, splice @$set, $at, 1 if !$cache->{fifo};
    } elsif ($kind != 1 || $cache->{allocates}) {
        push @$set, $line = [$block, 0];
        $out = shift @$set if @$set > $cache->{ways};
    }
    my $back = $kind == 1 && $line && $cache->{back};
    $line->[1] = 1 if $back;
    # What is missing is asked for before the dirty block is written.
    pass_on($cache, $kind == 2 ? 2 : 0, $block * $cache->{block},
            $cache->{block})
        if $missed && $line && !($kind == 1 && $bytes == $cache->{block});
    pass_on($cache, 1, $address, $bytes) if $kind == 1 && !$back;
    pass_on($cache, 1, $out->[0] * $cache->{block}, $cache->{block})
        if $out && $out->[1];
}

my $second = make('l2-ucache', '-l2-u', undef);
my $data = make('l1-dcache', '-l1-d', $second);
my $code = make('l1-icache', '-l1-i', $second);
while (<STDIN>) {
    my ($kind, $address) = /^([012]) ([0-9a-f]+)$/
        or die "dinero.pl: line $.: expected din\n";
    refer($kind == 2 ? $code : $data, $kind, hex($address) & ~3, 4);
}
# The end writes all dirty blocks back.
for my $set (grep { defined } @{$data->{lists}}) {
    for my $line (grep { $_->[1] } @$set) {
        pass_on($data, 1, $line->[0] * $data->{block}, $data->{block});
    }
}

# ------------------------------------------------------------- the output --

sub line {
    my ($title, $format, @numbers) = @_;
    printf " %s%s\n", $title, join '', map { sprintf "\t$format", $_ } @numbers;
}

# Total, instructions, data, reads, writes, and others.
sub spread {
    my ($read, $write, $fetch) = @_;
    return ($read + $write + $fetch, $fetch, $read + $write, $read, $write, 0);
}

print "---Dinero IV cache simulator, version 7\n\n";
print "---Summary of options (-help option gives usage information).\n\n";
print "$_ $given{$_}\n" for sort keys %given;
print "\n---Simulation begins.\n---Simulation complete.\n";
for my $cache (grep { defined } $code, $data, $second) {
    my @fetches = spread(@{$cache->{fetches}});
    my @misses = spread(@{$cache->{misses}});
    print "$cache->{name}\n";
    line("Metrics\t\t", '%12s', qw(Total Instrn Data Read Write Misc));
    line('-----------------', '%12s', ('------') x 6);
    line("Demand Fetches\t", '%12.0f', @fetches);
    line(' Fraction of total', '%12.4f', map { $_ / ($fetches[0] || 1) } @fetches);
    print "\n";
    line("Demand Misses\t", '%12.0f', @misses);
    line(' Demand miss rate', '%12.4f',
         map { $misses[$_] / ($fetches[$_] || 1) } 0 .. 5);
    print "\n";
    printf " Multi-block refs      %12.0f\n", 0;
    line('Bytes From Memory', '%12.0f', $cache->{read});
    line('( / Demand Fetches)', '%12.4f', $cache->{read} / ($fetches[0] || 1));
    line('Bytes To Memory', '%12.0f', $cache->{written});
    line('( / Demand Writes)', '%12.4f', $cache->{written} / ($fetches[4] || 1));
    print "\n";
}
print "---Execution complete.\n";
