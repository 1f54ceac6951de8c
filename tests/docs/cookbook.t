#!/usr/bin/perl
# cookbook.t - the commands of docs/using/cookbook.md print what stands there
#
# Runs every ```console block, all in one folder, as a reader would.  With
# --update the outputs in the page are replaced by new ones.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Copy qw(copy);
use File::Temp qw(tempdir);
require './tests/tap.pl';

my $page = 'docs/using/cookbook.md';
my $update = @ARGV && $ARGV[0] eq '--update';
my $margay = abs_path($ENV{MARGAY} // 'build/margay');
my $root = abs_path('.');
my $folder = tempdir(CLEANUP => 1);
copy('tests/sample/walk.lackey.xz', $folder) or die "the sample: $!\n";
mkdir "$folder/bin" or die "$folder/bin: $!\n";
symlink $margay, "$folder/bin/margay" or die "$folder/bin/margay: $!\n";
$ENV{PATH} = "$folder/bin:$ENV{PATH}";
$ENV{MARGAY_PLOTS} //= "$root/plots";
$ENV{MARGAY_MACHINES} //= "$root/sim/machines";
$ENV{LC_ALL} = 'C';

# A command goes on as long as the shell would ask for more.
sub complete {
    my ($command) = @_;
    return 0 if $command =~ /[|\\]\n\z/;
    open my $shell, '|-', 'sh -n 2>/dev/null' or die "sh: $!\n";
    print $shell $command;
    return close $shell;
}

# Pairs of command and expected output.
sub commands_of {
    my @commands;
    for my $line (@_) {
        if (@commands && !complete($commands[-1][0])) {
            $commands[-1][0] .= $line;
        } elsif ($line =~ /^\$ (.*)/s) {
            push @commands, [$1, ''];
        } else {
            $commands[-1][1] .= $line;
        }
    }
    return @commands;
}

sub is_there {
    my ($program) = @_;
    return grep { -x "$_/$program" } split /:/, $ENV{PATH};
}

# The output of a command, and its fault; errors are faults.
sub run_command {
    my ($command) = @_;
    open my $script, '>', "$folder/bin/command" or die "a script: $!\n";
    print $script $command;
    close $script or die "a script: $!\n";
    my $output = `cd '$folder' && sh bin/command 2>bin/errors`;
    my $failed = $? != 0 || -s "$folder/bin/errors";
    return ($output, $failed ? `cat '$folder/bin/errors'` || "status $?" : '');
}

my ($recipes, $updated, $title) = (0, '', '');
sub check {
    my ($command, $expected) = @_;
    my ($name) = split /\n/, "$title $command";
    for my $tool (qw(python3 gnuplot)) {
        my $needed = $tool eq 'gnuplot' ? 'margay plot|\.svg' : $tool;
        next if $command !~ /$needed/ || is_there($tool);
        report(1, "$name # SKIP no $tool");
        return $expected;
    }
    my ($output, $trouble) = run_command($command);
    report($trouble eq '' && ($update || $output eq $expected), $name,
        $trouble, 'printed:', $output, 'expected:', $expected);
    return $output;
}

open my $file, '<', $page or die "$page: $!\n";
my $block;
while (my $line = <$file>) {
    if ($line =~ /^## (.*)/) {
        $title = "$1:";
        $recipes++;
    }
    if (defined $block && $line =~ /^```/) {
        for (commands_of(@$block)) {
            my ($command, $expected) = @$_;
            $updated .= "\$ $command" . check($command, $expected);
        }
        undef $block;
    }
    if (defined $block) {
        push @$block, $line;
    } else {
        $updated .= $line;
    }
    $block = [] if $line =~ /^```console/;
}
close $file;
report($recipes >= 15, 'there are fifteen recipes');
if ($update) {
    open my $new, '>', $page or die "$page: $!\n";
    print $new $updated;
    close $new or die "$page: $!\n";
}
conclude();
