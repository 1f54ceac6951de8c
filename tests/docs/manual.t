#!/bin/sh
# manual.t - the manual knows every command, option and function, and no more
. tests/sim/lib.sh

pages=$BUILD/man
commands=$("$MARGAY" help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
check 'there are commands' test "$(echo "$commands" | wc -l)" -ge 9

# Options are what --help says, which is the table that the compiler reads.
options_of_page() {
    sed -n 's/^\.It Fl \([a-z]\) , -\([a-z-]*\).*/--\2 -\1/p
        s/^\.It Fl -\([a-z-]*\).*/--\1/p' "$1" | sort
}

for command in $commands; do
    page=$pages/man1/margay-$command.1
    run help "$command"
    options_in out >help
    options_of_page "$page" >page
    check "margay-$command(1) has the options of --help, and no others" \
        cmp -s help page
    diff help page | sed 's/^/#   /'
    check "margay(1) lists margay-$command(1)" \
        grep -q "^\.It Xr margay-$command 1" "$pages/man1/margay.1"
done
ls "$pages/man1" | sed '/^margay-mpi/d; s/^margay-*//; s/\.1$//' | sort >of_pages
{ echo "$commands"; echo; } | sort >of_commands
check 'there is no page without a command' cmp -s of_pages of_commands
sed -n 's/^\.It Fl \([a-z] , \)*-\([a-z-]*\).*/\2/p' "$root/docs/man/options.mdoc" |
    sort >shared
cat "$root"/docs/man/*.1 | sed -n 's/^\.\\"option //p' | sort -u >used
is 'every shared description is used' "$(comm -23 shared used)" ''

# The options of a method are in its row of the table, and on the page.
tr '\n' ' ' <"$pages/man1/margay-record.1" >record
sed -n 's/.*slowdown = "\(.*\)",$/\1/p' "$root"/sim/record/record_*.c >slowdowns
check 'there are methods to record' test "$(wc -l <slowdowns)" -ge 3
while read -r slowdown; do
    check "margay-record(1) says: $slowdown" grep -q "about $slowdown" record
done <slowdowns

# The prototypes come from the headers; here, that each is described.
for page in "$pages"/man3/*.3; do
    name=${page##*/margay_} name=${name%.3}
    headers=$BUILD/include/margay/$name.h
    case $name in
    traces) headers="$headers ${headers%/*}/status.h ${headers%/*}/writing.h" ;;
    run) headers="$headers ${headers%/*}/analysis.h ${headers%/*}/questions.h" ;;
    esac
    # shellcheck disable=SC2086
    public_functions $headers >declared
    sed -n 's/^\.Fn "*\(margay_[a-z0-9_]*\).*/\1/p' "$page" | sort -u >described
    sed -n 's/^\.Fo //p' "$page" | sort >prototypes
    check "margay_$name(3) has every function's prototype" \
        cmp -s declared prototypes
    check "margay_$name(3) describes every function, and no others" \
        cmp -s declared described
    diff declared described | sed 's/^/#   /'
done

if command -v mandoc >/dev/null; then
    for page in "$pages"/man[13]/*; do
        mandoc -T lint -W warning "$page" || :
    done >lint
    is 'mandoc has nothing to complain about' "$(cat lint)" ''
else
    skip 'mandoc has nothing to complain about' 'no mandoc'
fi
if command -v groff >/dev/null && groff -mdoc -Tutf8 </dev/null >/dev/null 2>&1; then
    for page in "$pages"/man1/*; do
        { groff -mdoc -Tutf8 -w break "$page" >/dev/null; } 2>&1 || :
    done >broken
    is 'the lines of commands are no wider than a terminal' "$(cat broken)" ''
else
    skip 'the lines of commands are no wider than a terminal' 'no groff'
fi
finish
