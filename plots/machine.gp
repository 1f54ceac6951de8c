# machine.gp - the caches of machines, from a table of `margay simulate`
#
#     gnuplot -c machine.gp OUT.png|svg|pdf|eps|tex SIMULATE.csv
#
# A group of bars for each cache, and in it one for each trace and machine:
# misses per 1000 instructions, or per reference that reaches the cache where the
# table does not know how many instructions there were.  What never misses, such
# as a memory, has no group.

OUT = ARG1
CSV = ARG2
folder(path) = strstrt(path, "/") == 0 ? "" : path[1:strstrt(path, "/")] \
    . folder(path[strstrt(path, "/") + 1:*])
load folder(ARG0) . "text.gp"
load folder(ARG0) . "terminal.gp"

# The most bars of a group, and the most groups.
MOST = 12
CACHES = 64
array CACHE[CACHES]
array MISSES[CACHES]
do for [i = 1:CACHES] { MISSES[i] = 0 }
array TRACE[MOST]
array VARIED[MOST]

# A machine begins where its first cache comes again.
caches = 0
machines = 0
row = 0
knows = 1
begin(cache) = caches == 0 || cache eq CACHE[1]
note(cache, trace, misses, mpki, given) = ( \
    machines = begin(cache) ? machines + 1 : machines, \
    row = begin(cache) ? 1 : row + 1, \
    caches = row > caches ? row : caches, \
    CACHE[row] = cache, MISSES[row] = MISSES[row] + misses, \
    machines > MOST ? 0 : (TRACE[machines] = base_name(trace), \
        VARIED[machines] = given), \
    knows = knows && mpki ne "", 1)
# Fields that vary stand behind the others, and have a dot in their names.
head = system(sprintf("head -n 1 %s | tr , ' '", shell_word(CSV)))
fixed(k) = strstrt(word(head, k), ".") == 0 && k <= words(head) \
    ? fixed(k + 1) : k - 1
FIXED = fixed(17)
in_bytes(field) = field[strlen(field) - 5:*] eq ".bytes" \
    || field[strlen(field) - 11:*] eq ".block_bytes"
value_text(field, text) = in_bytes(field) && text ne "" \
    ? amount_text(real(text), "B") : text
varied(k) = FIXED + k > words(head) ? "" : (k > 1 ? ", " : "") \
    . word(head, FIXED + k) . " " \
    . value_text(word(head, FIXED + k), strcol(FIXED + k)) . varied(k + 1)
stats CSV using (note(strcol(3), strcol(2), column(5), strcol(16), varied(1))) \
    skip 1 nooutput
if (machines == 0) {
    print sprintf("%s: no cache to draw", CSV)
    exit status 2
}
if (machines > MOST) {
    print sprintf("%s: %d machines, expected at most %d; the table of " \
        . "margay simulate --pareto has a picture of more", CSV, machines, MOST)
    exit status 2
}

several_traces = 0
several_varied = 0
do for [m = 2:machines] {
    if (TRACE[m] ne TRACE[1]) { several_traces = 1 }
    if (VARIED[m] ne VARIED[1]) { several_varied = 1 }
}
joined(a, b) = a eq "" ? b : b eq "" ? a : a . ", " . b
label(m, traces, fields) = joined(traces ? TRACE[m] : "", \
                                  fields ? VARIED[m] : "")

HEADING = "Misses of each cache"
SUBTITLE = label(1, !several_traces, !several_varied)
load folder(ARG0) . "heading.gp"
load folder(ARG0) . "legend.gp"
set key samplen 1
if (machines == 1) { unset key }
set ylabel knows ? "misses per 1000 instructions" \
    : "misses per reference that reaches the cache"
set yrange [0:*]
set format y "%g"
array PLACE[caches]
places = 0
do for [i = 1:caches] { places = MISSES[i] > 0 ? places + 1 : places }
miss = places > 0
places = 0
set xtics ("" 0)
do for [i = 1:caches] {
    PLACE[i] = NaN
    if (MISSES[i] > 0 || !miss) {
        places = places + 1
        PLACE[i] = places
        set xtics add (CACHE[i] places)
    }
}
set xrange [0.4:places + 0.6]
set xtics noenhanced scale 0
set style fill solid 0.85 noborder
# Okabe and Ito's, and darker ones: no two machines have the same.
array MORE[5] = ["#882255", "#888888", "#332288", "#999933", "#f0e442"]
bar_colour(m) = m <= 7 ? colour(m) : MORE[m - 7]
width = 0.8 / machines
plot for [m = 1:machines] CSV every ::(m - 1) * caches::m * caches - 1 \
    using (PLACE[int($0) + 1] - 0.4 + (m - 0.5) * width):(knows ? $16 : $6):(0.92 * width) \
    skip 1 with boxes linecolor rgb bar_colour(m) \
    title label(m, several_traces, several_varied)
