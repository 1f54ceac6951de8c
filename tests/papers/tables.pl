# tables.pl - tables in files, as pages of docs/measured/ show them
#
# A page shows a table between two comments, and a number of one as a link:
#
#     <!-- table tables/NAME.csv [rows COLUMN=VALUE] [columns A,B,...] -->
#     | a | b |
#     ...
#     <!-- end of table -->
#
#     [13.3](tables/NAME.csv#ROW/COLUMN)
#
# ROW is the first value of the row, or COLUMN=VALUE,... of some of its columns,
# and COLUMN the name of a column, all with _ for what is no letter, digit, point,
# - or +.  So what a page says is what the last measurement wrote, which pages.pl
# sees to and tests/docs/tables.t checks.
use strict;
use warnings;
use Digest::MD5;
use File::Basename qw(basename dirname);

# {columns => [...], rows => [[...], ...]} of the lines of a CSV without quotes.
sub table_of {
    my ($head, @rows) = map { [split /,/, s/\n//r, -1] } @_;
    return { columns => $head, rows => \@rows };
}

sub read_table {
    my ($path) = @_;
    open my $file, '<', $path or return undef;
    return table_of(<$file>);
}

# The rows that a command prints.
sub printed_rows { return rows_of(table_of(lines_of(@_))) }

# The rows of a table, each {COLUMN => VALUE}.
sub rows_of {
    my ($table) = @_;
    return map {
        my %row;
        @row{ @{ $table->{columns} } } = @$_;
        \%row;
    } @{ $table->{rows} };
}

# The objects of a JSON array, {NAME => VALUE}; values are texts and numbers.
sub objects_of {
    return map {
        my ($line, %row) = $_;
        $row{$1} = $2 // $3
            while $line =~ /"(\w+)":(?:"((?:[^"\\]|\\.)*)"|([^,}]*))/g;
        %row ? \%row : ();
    } @_;
}

# Replace a table, whole or not at all.
sub write_table {
    my ($path, @lines) = @_;
    open my $file, '>', "$path.new" or die "$path: $!\n";
    print $file @lines;
    close $file && rename "$path.new", $path or die "$path: $!\n";
}

sub column_number {
    my ($table, $name) = @_;
    my @columns = @{ $table->{columns} };
    my ($found) = grep { $columns[$_] eq $name } 0 .. $#columns;
    return $found;
}

# The lines of a table in Markdown, of the rows and columns asked for; a line
# that says why where there is no such table.
sub render {
    my ($folder, $description) = @_;
    my ($name, %asked) = split ' ', $description;
    my $table = read_table("$folder/$name");
    return "$name: no such table\n" unless $table;
    my @columns = split /,/, $asked{columns} // join ',', @{ $table->{columns} };
    my @numbers = map { column_number($table, $_) } @columns;
    return "$name: no such column\n" if grep { !defined } @numbers;
    my ($key, $value) = split /=/, $asked{rows} // '=';
    my $key_number = $key eq '' ? undef : column_number($table, $key);
    my @rows = map { [@$_[@numbers]] } grep {
        !defined $key_number || $_->[$key_number] eq $value =~ tr/_/ /r
    } @{ $table->{rows} };
    my @right = map {
        my $i = $_;
        !grep { $_->[$i] !~ /^([-+]?[\d.]+( [kMG])?%?)?$/ } @rows
    } 0 .. $#columns;
    my @lines = ([map { tr/_/ /r } @columns],
        [map { $_ ? '---:' : '---' } @right], @rows);
    return join '', map { '| ' . join(' | ', @$_) . " |\n" } @lines;
}

sub plain { return $_[0] =~ s/[^\w.+-]/_/gr }

# Is the row the one that a link names?
sub is_named {
    my ($table, $row, $name) = @_;
    return plain($row->[0]) eq $name unless $name =~ /=/;
    for (split /,/, $name) {
        my ($column, $value) = split /=/;
        my $number = column_number($table, $column);
        return 0 unless defined $number && plain($row->[$number]) eq $value;
    }
    return 1;
}

# The target of a link to tables/NAME.csv#ROW/COLUMN, or undef.
sub cell {
    my ($path, $place) = @_;
    my ($name, $column_name) = split m{/}, $place, 2;
    my $table = read_table($path) or return undef;
    my @rows = grep { is_named($table, $_, $name) } @{ $table->{rows} };
    my $column = column_number($table, $column_name // '');
    return @rows == 1 && defined $column ? $rows[0][$column] : undef;
}

# The page as its tables would have it.
sub renewed {
    my ($page) = @_;
    open my $file, '<', $page or die "$page: $!\n";
    my $text = join '', <$file>;
    my $folder = dirname($page);
    $text =~ s{(<!-- table (tables/[^\n]*?) -->\n).*?(<!-- end of table -->)}
        {$1 . "\n" . render($folder, $2) . "\n" . $3}ges;
    $text =~ s{\[([^\]\n]*)\]\((tables/[^)#\s]+)\#([^)\s]+)\)}
        {'[' . (cell("$folder/$2", $3) // "no cell $3") . "]($2#$3)"}ge;
    return $text;
}

# A last row with the means of columns, but for one.
sub mean_row {
    my ($name, $without, $head, @rows) = @_;
    chomp(my @columns = split /,/, $head);
    my @values = ($name);
    for my $i (1 .. $#columns) {
        my $sum = 0;
        $sum += (split /,/)[$i] for @rows;
        push @values,
            $columns[$i] eq $without ? '' : sprintf '%.2f', $sum / @rows;
    }
    return join(',', @values) . "\n";
}

# ------------------------------------------------------------- pictures --

sub sum_of {
    my ($path) = @_;
    open my $file, '<:raw', $path or return '';
    return Digest::MD5->new->addfile($file)->hexdigest;
}

# What is drawn from which table: pictures/drawn.csv, in which the check sums of
# both stand, so that a picture of an older table is seen.
sub drawn_row {
    my ($out, $picture, $table) = @_;
    return join(',', $picture, $table, sum_of("$out/pictures/$picture"),
        sum_of("$out/tables/$table"));
}

# Draw OUT/pictures/PICTURE of OUT/tables/TABLE with a script of this folder.
sub draw {
    my ($out, $script, $picture, $table, @arguments) = @_;
    system('gnuplot', '-c', "tests/papers/$script", "$out/pictures/$picture",
        "$out/tables/$table", @arguments) == 0
        or die "$script: cannot draw $picture\n";
    note_drawn($out, $picture, $table);
}

# A picture has been drawn of a table.
sub note_drawn {
    my ($out, $picture, $table) = @_;
    my $drawn = read_table("$out/pictures/drawn.csv") // { rows => [] };
    my %rows = map { $_->[0] => join ',', @$_ } @{ $drawn->{rows} };
    $rows{$picture} = drawn_row($out, $picture, $table);
    write_table("$out/pictures/drawn.csv",
        "picture,table,picture_sum,table_sum\n",
        map { "$rows{$_}\n" } sort keys %rows);
}

1;
