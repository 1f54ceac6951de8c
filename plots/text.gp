# text.gp - words for people and for the shell; loaded by the others

# 2^k with a binary prefix: "512", "64 Ki"; `unit` is "B" or "".
power_text(k, unit) = sprintf("%d%s%s%s", 2 ** (k % 10), \
    k < 10 && unit eq "" ? "" : " ", \
    k < 10 ? "" : word("Ki Mi Gi Ti Pi Ei", k / 10), unit)
# 2^k with "KiB" and the like, or a plain count where it is short enough.
size_text(k, unit) = unit eq "" && k <= 13 ? sprintf("%d", 2 ** k) \
                                           : power_text(k, unit)

# The same of any number: "1.5 MiB", "12 Ki".
unit_of(n) = n < 1024 ? 0 : 1 + unit_of(n / 1024)
scaled_text(n, k, unit) = sprintf("%g%s%s%s", n / 1024.0 ** k, \
    k == 0 && unit eq "" ? "" : " ", \
    k == 0 ? "" : word("Ki Mi Gi Ti Pi Ei", k), unit)
amount_text(n, unit) = scaled_text(n, unit eq "" && n < 8193 ? 0 : unit_of(n), \
                                   unit)

base_name(path) = strstrt(path, "/") == 0 ? path \
    : base_name(path[strstrt(path, "/") + 1:*])

# Each `mark`, a character, becomes `with`.  Halves keep the recursion flat.
half(text) = strlen(text) / 2
replaced(text, mark, with) = strstrt(text, mark) == 0 ? text \
    : strlen(text) == 1 ? with \
    : replaced(text[1:half(text)], mark, with) \
      . replaced(text[half(text) + 1:*], mark, with)

# One word for the shell, with any characters in it.
shell_word(text) = "'" . replaced(text, "'", "'\\''") . "'"

# A name that leaves room for a picture (terminal.gp).
short(name) = cut(name, most_name)

# A name as a label of a tic.  One with a % is a format of gnuplot, which gives 49
# bytes at most; sprintf pads up to bytes, and strlen counts characters.
bytes(text) = strlen(text) + 400 - strlen(sprintf("%-400s", text))
fitting(name) = bytes(name) < 50 ? name : fitting(name[2:*])
tic_text(name) = strstrt(name, "%") == 0 ? name \
    : replaced(fitting(name), "%", "%%")

# The text after the first `count` words, as it stands.
after(text, count) = count == 0 ? text \
    : after(text[strstrt(text, " ") + 1:*], count - 1)

# For "load": each line that a command of the shell prints becomes one of `block`.
# "print" would join lines where a name has a quotation mark.  Empty lines at the
# end are left out: gnuplot would take two of them for the start of a block.
lines_into(block, command) = "< echo '" . block . " <<END_OF_BLOCK'; lines=$(" \
    . command . "); test -z \"$lines\" || printf '%s\\n' \"$lines\"" \
    . "; echo END_OF_BLOCK"

# What programs of awk over a table begin with: its header is read, and fields are
# without quotes, of() a column's name one of them; all of a row is in `line`.
# Functions give the file of a path, texts with a comma between, the size of a block and of
# a cache, and sort order[1..n] by falling key[order[i]].
awk_table = 'BEGIN { FS = "\034" }' \
. 'function of(column) { return column in column_of ? $column_of[column] : "" }' \
. 'function split_row(rest,   row, bytes, field) {' \
. '    if (rest !~ /"/) { gsub(/,/, FS, rest); return rest }' \
. '    for (rest = rest ","; rest != ""; rest = substr(rest, bytes + 1)) {' \
. '        if (match(rest, /^"([^"]|"")*",/)) {' \
. '            bytes = RLENGTH; field = substr(rest, 2, bytes - 3);' \
. '            gsub(/""/, "\"", field)' \
. '        } else { bytes = index(rest, ","); field = substr(rest, 1, bytes - 1) }' \
. '        row = row FS field }' \
. '    return substr(row, 2) }' \
. 'function base(path) { sub(/.*\//, "", path); return path }' \
. 'function joined(a, b) { return a == "" ? b : b == "" ? a : a ", " b }' \
. 'function block_text(block) { return block == "" ? "" : block "-byte blocks" }' \
. 'function size_text(n, unit,   k) {' \
. '    for (k = 0; n >= 1024 && k < 6; k++) n /= 1024;' \
. '    return sprintf("%.4g", n) (k || unit != "" ? " " : "")' \
. '        (k ? substr("KiMiGiTiPiEi", 2 * k - 1, 2) : "") unit }' \
. 'function sort(order, n, key,   i, j, k) {' \
. '    for (i = 2; i <= n; i++)' \
. '        for (j = i; j > 1 && key[order[j - 1]] < key[order[j]]; j--)' \
. '            { k = order[j]; order[j] = order[j - 1]; order[j - 1] = k } }' \
. '{ sub(/\r$/, ""); line = $0; $0 = split_row(line) }' \
. 'NR == 1 { for (i = 1; i <= NF; i++) { head[i] = $i; column_of[$i] = i }; next }' \
. '!NF { next }'

# 1, 2 or 5 times a power of ten, of which `most` at most go into a span.
power_below(x) = 10.0 ** floor(log10(x) + 1e-9)
nice_step(span, most) = nice_above(1.0 * span / (most < 1 ? 1 : most))
nice_above(x) = power_below(x) * (x <= 1.001 * power_below(x) ? 1 \
    : x <= 2.001 * power_below(x) ? 2 : x <= 5.001 * power_below(x) ? 5 : 10)

# Counts in thousands and millions: "250 k", "1.5 M".
thousands(n) = n < 1000 ? 0 : 1 + thousands(n / 1000.0)
count_text(n) = sprintf("%g%s", n / 1000.0 ** thousands(n), \
    n < 1000 ? "" : " " . word("k M G T P E", thousands(n)))
# All multiples of a step from one number to another, for "set xtics (...)".
count_tics(least, most, step) = tics_from(ceil(least / step) * step, most, step)
tics_from(at, most, step) = at > most * (1 + 1e-9) ? "" \
    : sprintf("'%s' %.12g%s", count_text(at), at, at + step > most * (1 + 1e-9) \
              ? "" : ", ") . tics_from(at + step, most, step)
