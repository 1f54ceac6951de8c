# assemble.awk - put into a manual page what is written down elsewhere
#
# usage: awk -f assemble.awk options.mdoc PAGE
#
# A line '.\"option NAME' of the page becomes the paragraph that describes
# --NAME in options.mdoc, a line '.\"functions HEADER' the prototypes of what
# the header declares.  Asking for what is not there is an error.

function fail(message)
{
    print FILENAME ":" FNR ": " message >"/dev/stderr"
    exit 1
}

# The long name in a line like '.It Fl f , -format Ar name'.
function long_name(line)
{
    return match(line, /-[a-z-]+/) ? substr(line, RSTART + 1, RLENGTH - 1) : ""
}

# TYPE NAME(ARGUMENTS); on one line, as mdoc wants it.
function print_prototype(declaration,    name, arguments, count, i)
{
    match(declaration, /margay_[a-z0-9_]+\(/)
    name = substr(declaration, RSTART, RLENGTH - 1)
    arguments = substr(declaration, RSTART + RLENGTH)
    sub(/\).*/, "", arguments)
    print ".Ft \"" substr(declaration, 1, RSTART - 1) "\"\n.Fo " name
    count = split(arguments, argument, / *, */)
    for (i = 1; i <= count; i++)
        print ".Fa \"" argument[i] "\""
    print ".Fc"
}

function print_prototypes(header,    line, declaration, inside, found)
{
    while ((getline line <header) > 0) {
        if (sub(/^MARGAY_API */, "", line)) {
            inside = 1
            declaration = ""
        }
        sub(/^ */, "", line)
        if (inside)
            declaration = declaration (declaration ~ /[(*]$/ ? "" : " ") line
        if (inside && line ~ /;/) {
            sub(/^ /, "", declaration)
            print_prototype(declaration)
            inside = 0
            found = 1
        }
    }
    if (!found)
        fail("no functions in " header)
}

# A paragraph begins with an item of the outer list; lists inside it are its
# own.
FNR == NR {
    if (/^\.Bl/)
        depth++
    if (/^\.El/)
        depth--
    if (/^\.It Fl/ && depth == 0)
        name = long_name($0)
    if (name != "")
        paragraphs[name] = paragraphs[name] $0 "\n"
    next
}

/^\.\\"option / {
    if (!($2 in paragraphs))
        fail("no option " $2 " in options.mdoc")
    printf "%s", paragraphs[$2]
    next
}

/^\.\\"functions / {
    print_prototypes($2)
    next
}

{ print }
