#!/usr/bin/perl
# inputs.pl FOLDER - what the programs of the evaluation work on
#
# The same bytes on every machine: numbers from a generator of our own, and
# nothing that depends on the time.
use strict;
use warnings;

my ($folder) = @ARGV;
defined $folder or die "usage: inputs.pl FOLDER\n";

my $state = 12345;

# In [0, $below).
sub random {
    my ($below) = @_;
    $state = ($state * 1103515245 + 12345) & 0x7fffffff;
    return ($state >> 8) % $below;
}

sub put {
    my ($name, @parts) = @_;
    open my $out, '>:raw', "$folder/$name" or die "$folder/$name: $!\n";
    print $out @parts;
    close $out or die "$folder/$name: $!\n";
}

sub words {
    my ($letters, $count, $shortest, $longest) = @_;
    return map {
        join '', map { $letters->[random(scalar @$letters)] }
            1 .. $shortest + random($longest - $shortest + 1)
    } 1 .. $count;
}

# Words of a vocabulary, the first ones far more often.
sub prose {
    my ($bytes) = @_;
    my @vocabulary = words(['a' .. 'z'], 4000, 2, 9);
    my ($text, $count) = ('', 0);
    while (length $text < $bytes) {
        $text .= $vocabulary[random(1 + random(4000))];
        $text .= ++$count % 11 ? ' ' : "\n";
    }
    return substr $text, 0, $bytes;
}

# Functions that call each other, full of conditions, for the compiler.
sub c_program {
    my ($functions) = @_;
    my $text = '';
    for my $i (1 .. $functions) {
        $text .= "static int t$i\[64];\nint f$i(int n, const int *v)\n{\n"
            . "    int sum = $i;\n    for (int i = 0; i < n; i++) {\n";
        for my $line (1 .. 6) {
            my @n = map { random(60) + 2 } 1 .. 4;
            my $shift = $line % 5 + 1;
            $text .= "        if ((v[i] ^ $n[0]) > sum % $n[1])\n"
                . "            sum += t$i\[(sum + $n[2]) & 63] "
                . "* v[(i + $n[3]) % n];\n        else\n"
                . "            t$i\[i & 63] -= sum >> $shift;\n";
        }
        my $before = $i - 1;
        $text .= "    }\n    return sum"
            . ($before ? " + f$before(n / 2, v)" : '') . ";\n}\n";
    }
    return $text;
}

# Moving waves with noise on them, as YUV4MPEG2.
sub film {
    my ($frames, $width, $height) = @_;
    my $film = "YUV4MPEG2 W$width H$height F25:1 Ip A1:1 C420jpeg\n";
    for my $frame (0 .. $frames - 1) {
        $film .= "FRAME\n";
        for my $y (0 .. $height - 1) {
            $film .= pack 'C*', map {
                128 + int(60 * sin(($_ + 3 * $frame) / 9)
                    * cos(($y - 2 * $frame) / 7)) + random(5)
            } 0 .. $width - 1;
        }
        $film .= pack 'C*',
            map { 128 + ($_ + $frame) % 9 } 1 .. $width * $height / 2;
    }
    return $film;
}

# Three seconds of sliding tones and noise: 16,000 samples of 16 bits a second.
sub sound {
    return pack 's<*',
        map { int(6000 * sin($_ * $_ / 90000) * sin($_ / 3000)) + random(900) }
        0 .. 47_999;
}

sub sql {
    my ($parts, $sales) = @_;
    my $text = "create table part(id integer primary key, name text, "
        . "price real, kind int);\n"
        . "create table sale(part int, year int, amount int);\nbegin;\n";
    for my $id (1 .. $parts) {
        $text .= sprintf "insert into part values(%d, 'part %d', %.2f, %d);\n",
            $id, random(100000), random(10000) / 100, random(40);
    }
    for (1 .. $sales) {
        $text .= sprintf "insert into sale values(%d, %d, %d);\n",
            1 + random($parts), 1990 + random(30), random(500);
    }
    return $text . <<'END';
commit;
create index by_part on sale(part);
select kind, year, sum(amount * price) from sale join part on part = id
    group by kind, year order by 3 desc limit 5;
select count(*) from part a, part b
    where a.kind = b.kind and a.price < b.price and a.name like '%7';
select name, (select count(*) from sale where part = id) n from part
    order by n desc, name limit 5;
END
}

my @amino_acids = split //, 'ACDEFGHIKLMNPQRSTVWY';

# Variations of one protein, and many proteins some of which contain it.
sub family {
    my ($motif) = @_;
    my $text = "# STOCKHOLM 1.0\n";
    for my $i (1 .. 12) {
        my $variation = $motif;
        substr($variation, random(length $motif), 1) =
            $amino_acids[random(20)] for 1 .. 18;
        $text .= "sequence$i $variation\n";
    }
    return "$text//\n";
}

sub proteins {
    my ($motif, $count) = @_;
    my $text = '';
    for my $i (1 .. $count) {
        my ($protein) = words(\@amino_acids, 1, 300, 300);
        substr($protein, random(200), length $motif) = $motif if $i % 40 == 0;
        $text .= ">protein$i\n$protein\n";
    }
    return $text;
}

# Goods from every source to every destination at the least cost.
sub transport {
    my ($sources, $destinations) = @_;
    my $sum = sub {
        my ($term, $count) = @_;
        return join ' + ', map { $term->($_) } 1 .. $count;
    };
    my $text = "Minimize\n cost: " . $sum->(sub {
        my ($i) = @_;
        return $sum->(sub { 1 + random(90) . " x${i}_$_[0]" }, $destinations);
    }, $sources) . "\nSubject To\n";
    for my $i (1 .. $sources) {
        $text .= " s$i: " . $sum->(sub { "x${i}_$_[0]" }, $destinations)
            . ' <= ' . (200 + random(50)) . "\n";
    }
    for my $j (1 .. $destinations) {
        $text .= " d$j: " . $sum->(sub { "x$_[0]_$j" }, $sources)
            . ' >= ' . (40 + random(60)) . "\n";
    }
    return "${text}End\n";
}

# Clauses of three literals, about as many as can be satisfied.
sub clauses {
    my ($variables, $count) = @_;
    return "p cnf $variables $count\n", map {
        join(' ', map {
            (random(2) ? '' : '-') . (1 + random($variables))
        } 1 .. 3) . " 0\n"
    } 1 .. $count;
}

my ($motif) = words(\@amino_acids, 1, 90, 90);
put('large.txt', prose(4_000_000));
put('middle.txt', prose(1_500_000));
put('small.txt', prose(500_000));
put('program.c', c_program(5));
put('film.y4m', film(40, 176, 144));
put('sound.raw', sound());
put('work.sql', sql(6000, 24000));
put('family.sto', family($motif));
put('proteins.fasta', proteins($motif, 10_000));
put('transport.lp', transport(90, 170));
put('clauses.cnf', clauses(210, 893));
put('points.dat', map { "$_ " . sin($_ / 40) * random(100) . "\n" } 1 .. 6000);
put('more_clauses.cnf', clauses(270, 1150));

# More than a stack of ten million words holds.
open my $numbers, '>', "$folder/numbers.txt" or die "$folder/numbers.txt: $!\n";
print $numbers join(' ', map { random(1_000_000) } 1 .. 7), "\n"
    for 1 .. 1_700_000;
close $numbers or die "$folder/numbers.txt: $!\n";
