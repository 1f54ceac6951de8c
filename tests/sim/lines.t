#!/bin/sh
# lines.t - a file of text in parts: what -j 1 says, to the byte
. tests/sim/lib.sh

# Lines of any length: blanks, carriage returns, empty lines, comments, and no
# newline in the end.
ragged() {
    perl -e 'srand 5; my ($comment, $rest) = @ARGV;
        while (<STDIN>) {
            chomp;
            my $what = int rand 40;
            print $what == 1 ? "\n" : $what == 2 ? "$comment\n"
                : $what == 3 ? " \t" x rand(20) : "";
            print;
            print $what == 4 ? "\r" : $what == 5 ? " " x rand 300
                : $what == 6 ? $rest : "";
            print "\n" unless eof STDIN;
        }' "$1" "$2"
}

# same TRACE OPTION...: what it writes and says, but for rates and plans.
same() {
    for threads in 1 2; do
        run curve -v --sizes all -j $threads "$@"
        sed -e 's/, [0-9.]* M refs.*//' -e '/: analysed /d' err >said
        plan=$(grep -c 'analysed in parts' err)
        case $threads in
        1)
            is "$*: status" "$status" "$expected_status"
            mv out whole
            mv said whole.said
            ;;
        *)
            check "$*: -j $threads" cmp -s out whole
            is "$*: -j $threads, what it says" "$(cat said)" "$(cat whole.said)"
            [ $status != 0 ] ||
                is "$*: -j $threads, in parts" "$plan" "$expected_parts"
            ;;
        esac
    done
}

"$MARGAY" generate zipf --refs 2700000 --blocks 30000 --unit 64 --to din -o a.din
expected_status=0
expected_parts=1
while IFS=, read -r format comment rest; do
    "$MARGAY" convert -q a.din - --to "$format" |
        ragged "$comment" "$rest" >"t.$format"
    same "t.$format" -f "$format"
done <<'END'
din,, 4 x
lackey,==1== M 1
lines,*,
END
tail -c 1 t.din | grep -q . || is 'the last line lacks its newline' no yes
same t.din --kind read -b 4096
same t.din --kind write
same t.lackey --straddle split

# What is left out counts as read in parts of records, too.
"$MARGAY" convert -q --unit 512 --limit 800000 a.din t.vscsi --to vscsi
same t.vscsi --kind write

# Rows of a table stand alone behind the first ones, unless quotes may hold a
# newline.
"$MARGAY" convert -q a.din - --to csv:id |
    perl -ne 'chomp; print $. == 1 ? "time,$_,bytes\n" : "$.,$_,70\n"' >a.csv
same a.csv --column id=id,size=bytes
cp a.csv quoted.csv
printf '1,7,"7\n0"\n' >>quoted.csv
expected_parts=0
same quoted.csv --column id

# Where references have to be counted, or lines lean on each other, the file is
# read in one piece.
expected_parts=0
same t.din --skip 100
same t.din --limit 2500000
same t.din --warmup 100
"$MARGAY" convert -q --limit 800000 a.din t.csv --to csv
same t.csv

printf '9,9\n' >>a.csv
expected_status=2
same a.csv --column id=id,size=bytes
check 'the row that is too short is named' \
    grep -q "a.csv:2700002: found '9,9', expected a size" err

# What is wrong is told with its line, in every part; of two, the first.
expected_status=2
for line in 3 1500001; do
    sed "${line}s/^./x/; 2699999s/^./y/" a.din >bad.din
    same bad.din -f din
    check "line $line is named" grep -q "bad.din:$line: found '[xy] " err
    is "line $line: nothing on standard output" "$(cat out)" ''
done
finish
