# paper.pl - what the scripts of all papers begin with
#
#     NAME.pl [--quick] [OPTION...] MARGAY TOOLS FILES OUT [TRACE...]
#
# MARGAY is the command, TOOLS the folder of the tools of tests/bench, FILES where
# inputs and traces are kept, OUT the folder that gets tables/ and pictures/.
# --quick does less.
use strict;
use warnings;
use File::Basename qw(basename);
use File::Path qw(make_path);
use Getopt::Long;
require './tests/bench/commands.pl';
require './tests/papers/tables.pl';

our ($margay, $tools);

# The arguments: {quick, margay, tools, files, out}; the rest stays in @ARGV.
sub arguments {
    my (%options) = @_;
    my $given = { quick => 0 };
    GetOptions('quick' => \$given->{quick}, %options) && @ARGV >= 4
        or die 'usage: ', basename($0), " [--quick] MARGAY TOOLS FILES OUT\n";
    @$given{qw(margay tools files out)} = splice @ARGV, 0, 4;
    ($margay, $tools) = @$given{qw(margay tools)};
    make_path($given->{files});
    return $given;
}

1;
