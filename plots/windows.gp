# windows.gp - miss ratio over time, from a table of `margay curve --window`
#
#     gnuplot -c windows.gp OUT.png|svg|pdf WINDOWS.csv
#
# A line per trace, block size and size of the cache: colours are sizes, dashes
# are traces and block sizes.  Of many sizes a few powers of two are shown.  Where a window's table ends below a size, larger
# caches miss no less than its last row says.

OUT = ARG1
CSV = ARG2
HEADING = "Miss ratio over time"
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# "#NAMES LABEL": how many traces and block sizes there are, and which, if it is
# one; then blocks of lines "WINDOW RATIO" below a label.  The name of a trace
# may hold anything, so the other fields are counted from the end of a row.
program = 'function in_words(size, block,   bytes, unit) {' \
. '    if (block == "") return size (size == 1 ? " block" : " blocks");' \
. '    for (bytes = size * block; bytes >= 1024 && bytes % 1024 == 0; unit++) bytes /= 1024;' \
. '    return bytes " " substr("B  KiBMiBGiBTiBPiB", 1 + 3 * unit, 3) }' \
. 'function is_power(n) { while (n > 1 && n % 2 == 0) n /= 2; return n == 1 }' \
. 'NR > 1 {' \
. '    name = substr($0, length($1) + 2);' \
. '    sub(/,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*$/, "", name);' \
. '    if (name != last) { last = name; series[++count] = name }' \
. '    rows++; row[name, ++rows_of[name]] = rows;' \
. '    at[rows] = $1; size[rows] = $(NF - 4) + 0; ratio[rows] = $NF;' \
. '    if (!seen[size[rows]]++) distinct++ }' \
. 'END {' \
. '    for (s in seen) if (distinct <= 6 || is_power(s)) list[++n] = s + 0;' \
. '    for (i = 2; i <= n; i++) for (j = i; j > 1 && list[j - 1] > list[j]; j--)' \
. '        { s = list[j]; list[j] = list[j - 1]; list[j - 1] = s }' \
. '    most = n < 6 ? n : 6; names = count_names();' \
. '    for (k = 1; k <= count; k++) short += !shorts[plain(series[k])]++;' \
. '    in_full = short < names;' \
. '    print "#" names, (names > 1 ? "" : plain(last));' \
. '    for (k = 1; k <= count; k++) if (!drawn[series[k]]++)' \
. '        for (i = 1; i <= most; i++) {' \
. '            s = list[most == 1 ? n : 1 + int((i - 1) * (n - 1) / (most - 1))];' \
. '            label = in_words(s, block_of(series[k]));' \
. '            if (names > 1) label = plain(series[k]) ", " label;' \
. '            gsub(/"| +$/, "", label);' \
. '            print "\"" label "\"";' \
. '            window = "";' \
. '            for (j = 1; j <= rows_of[series[k]]; j++) {' \
. '                r = row[series[k], j];' \
. '                if (at[r] != window && window != "") print window, value;' \
. '                if (at[r] != window || size[r] <= s) value = ratio[r];' \
. '                window = at[r] }' \
. '            print window, value; print window + 1, value;' \
. '            print ""; print "" } }' \
. 'function block_of(name) { sub(/.*,/, "", name); return name }' \
. 'function plain(name,   block) {' \
. '    block = block_of(name);' \
. '    sub(/,[^,]*$/, "", name); gsub(/"/, "", name);' \
. '    if (!in_full) sub(/.*\//, "", name);' \
. '    return name (block == "" ? "" : ", " block "-byte blocks") }' \
. 'function count_names(   k, n, had) {' \
. '    for (k = 1; k <= count; k++) n += !had[series[k]]++; return n }'

set print $lines
print system("awk -F, " . shell_word(program) . " " . shell_word(CSV))
unset print
about = $lines[1]
cut = strstrt(about, " ")
names = int(about[2:cut])
set datafile separator whitespace
stats $lines using 2 nooutput
series = STATS_blocks

set label 1 HEADING at screen 0.095,0.955 noenhanced font HEADING_FONT
set label 2 about[cut + 1:*] at screen 0.095,0.908 \
    noenhanced textcolor "#666666"
load folder(ARG0) . "legend.gp"
set xlabel "window" offset 0,0.2
set ylabel "miss ratio" offset 0.5,0
set yrange [0:*]
set format y "%g"
sizes = series / names
plot for [i = 0:series - 1] $lines index i using 1:2 with steps \
    linecolor rgb colour(i % sizes + 1) dashtype i / sizes % 4 + 1 linewidth 2 \
    title columnheader(1)
