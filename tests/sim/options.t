#!/bin/sh
# options.t - the ways to write options, and help for each of them
. tests/sim/lib.sh

letters abcabcab >ids.lines
run curve -q --unit 64 -b 64,128 --skip 1 --sizes 1,2 ids.lines
cp out expected
same() {
    run "$@"
    check "the same: $*" cmp -s out expected
}
same curve ids.lines -q --unit 64 -b 64,128 --skip 1 --sizes 1,2
same curve -q --unit=64 -b64,128 ids.lines --skip=1 --sizes=1,2
same curve -qb 64,128 --unit=64B --skip 1 --sizes 1,2 -- ids.lines
same curve -qvb128,64,64 ids.lines --unit 64 --skip 1 --sizes 2,1,1
same curve --quiet -b 32 --block 64,128 --unit 64 --skip 1 --sizes 2,1 ids.lines
check 'a trace named like an option, behind --' sh -c \
    'cp ids.lines ./-q && "$0" info -- -q | grep -q "^references,8"' "$MARGAY"
"$MARGAY" info - <ids.lines >dash
"$MARGAY" info <ids.lines >nothing
check 'no operand is standard input, and so is -' cmp -s dash nothing
run info -o - ids.lines
check '-o - is standard output' grep -q '^references,8' out
run curve -v ids.lines
like '-v tells the format' "$(cat err)" 'ids.lines: format lines, from '
like '-v tells the engine' "$(cat err)" 'ids.lines: engine exact'

# -------------------------------------------------------------------- help --
commands=$("$MARGAY" help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
for command in $commands; do
    run "$command" --help --nonsense
    is "$command --help: status, stderr" "$status $(cat err)" '0 '
    cp out "help.$command"
    run help "$command"
    check "help $command is the same" cmp -s out "help.$command"
    like "help $command: usage" "$(head -n 1 out)" "^Usage: margay $command"
    check "help $command: a screen of 24 lines, 80 columns" sh -c \
        'test "$(wc -l <out)" -le 24 && ! grep -q ".\{81\}" out'
done
run --help
cp out help.all
run help
check 'margay --help is margay help' cmp -s out help.all
check 'it fits a screen' sh -c \
    'test "$(wc -l <out)" -le 24 && ! grep -q ".\{81\}" out'
run --version
like 'margay --version' "$(head -n 1 out)" '^margay [0-9]+\.[0-9]+'
check 'help lists the commands' test "$(echo "$commands" | wc -l)" -ge 9

# The table of options is what the compiler reads, so it is what counts.
sed -n 's/^[A-Z]*("\([a-z-]*\)", \(.\)\(.\).*/\1 \2\3/p' \
    "$root/sim/options/options.def" | sed "s/ '/ /; s/ 0.*/ /" |
    while read -r name letter; do
        echo "--$name${letter:+ -$letter}"
    done | sort -u >table
check 'there is a table' test "$(wc -l <table)" -ge 20
options_in help.* >helped
check 'each option is in the help of some command' cmp -s table helped
diff table helped | sed 's/^/# /'
# What fits only some of the commands that share a name.
help_has() {
    run help "$1"
    like "help $1: $2" "$(tr -s ' ' <out)" "$2"
}
help_has curve '--block BYTES\[,...\] block sizes'
help_has engines '--blocks N how many --sweep goes up to'
help_has record '--verbose say why faster methods'
help_has biosnoop "^ biosnoop bcc's biosnoop"
help_has clock ' max=1,new=0'
help_has policy '^The policies of'
help_has groups '--groups GROUP'
help_has machines ' intel-skylake$'
is 'help clock has no other policy' "$("$MARGAY" help clock | wc -l)" 2
refuses "unknown policy 'sive' .*; 'margay help policies'" \
    curve --policy sive /dev/null
refuses "no format 'din2'.*'margay help formats'" curve -f din2 /dev/null
printf '0 10\n' >one.din
run assoc -v --sets 1 --ways 1 one.din
like 'assoc -v tells the format' "$(head -n 1 err)" 'from content: 1 line$'
like 'and the plan' "$(sed -n 2p err)" 'analysed in one piece, with'
like 'and the serial share' "$(tail -n 1 err)" '% of them serial: '
is 'and speaks of no engine' "$(wc -l <err)" 3
run compare -v --sets 1 --ways 1 one.din
like 'compare -v does' "$(cat err)" 'engine exact; the fastest'

run help options
sed -n 's/^  -\(.\), --\([a-z-]*\) .*  *[a-z].*/--\2 -\1/p
    s/^      --\([a-z-]*\) .*  *[a-zN].*/--\1/p' out | sort -u >helped
check 'help options has a line for each' cmp -s table helped
check 'of 80 columns' sh -c '! grep -q ".\{81\}" out'

# The columns that the program writes are those of the schema.
sed -n 's/.*"\([a-z_,]*,[a-z_,]*\)"$/\1/p' "$root/sim/result/csv.h" | tr , '\n' |
    sort -u | while read -r column; do
        grep -q "\`$column\`" "$root/docs/using/csv-schema.md" || echo "$column"
    done >undescribed
is 'the schema describes every column' "$(cat undescribed)" ''
finish
