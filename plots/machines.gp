# machines.gp - the caches of machines in a table of `margay simulate`; loaded by
# the others
#
# A machine begins where its first cache comes again.
#
#   machines caches       how many there are, and caches of each
#   CACHE[i]              the name of a cache
#   MISS MPKI             the columns of its demand misses
#   MISSES[i]             those of it, in all machines together
#   REFERENCES[m]         those of the program that machine m ran
#   INSTRUCTIONS[m]       thousands of them that machine m ran; 0 = unknown
#   knows                 the misses per 1000 instructions are known of all
#   TRACE[m] VARIED[m]    the trace, and the fields that vary with their values
#   label(m, ...)         the trace, the fields, or both, where these are asked for
#   several_traces several_varied  these differ
#   SUBTITLE              what the machines have in common

# The most bars of a group, and the most groups.
MOST = 12
CACHES = 64
array CACHE[CACHES]
array MISSES[CACHES]
do for [i = 1:CACHES] { MISSES[i] = 0 }
array TRACE[MOST]
array VARIED[MOST]
array INSTRUCTIONS[MOST]
array FETCHES[MOST]
array READS[MOST]
array WRITES[MOST]
do for [m = 1:MOST] {
    INSTRUCTIONS[m] = 0
    FETCHES[m] = 0
    READS[m] = 0
    WRITES[m] = 0
}

head = system(sprintf("head -n 1 %s | tr , ' '", shell_word(CSV[1])))
MISS = 18
MPKI = 20

caches = 0
machines = 0
row = 0
line = 1
knows = 1
# gnuplot ends a field of CSV at a quotation mark in it, so names come from awk.
program = awk_table . '{ print $2; print $3 }'
load lines_into("$names", \
    sprintf("awk %s <%s", shell_word(program), shell_word(CSV[1])))
# A row with an empty field that is asked for as a number would be left out, so
# the misses per 1000 instructions come as a text.
number(text) = text eq "" ? 0 : real(text)
greater(a, b) = a > b ? a : b
begin(cache) = caches == 0 || cache eq CACHE[1]
note(cache, trace, misses, mpki, given) = (line = line + 2, \
    machines = begin(cache) ? machines + 1 : machines, \
    row = begin(cache) ? 1 : row + 1, \
    caches = row > caches ? row : caches, \
    CACHE[row] = cache, MISSES[row] = MISSES[row] + misses, \
    machines > MOST ? 0 : (TRACE[machines] = short(base_name(trace)), \
        VARIED[machines] = given, INSTRUCTIONS[machines] = \
            misses > 0 && number(mpki) > 0 ? misses / number(mpki) \
            : INSTRUCTIONS[machines], \
        FETCHES[machines] = greater(FETCHES[machines], $7), \
        READS[machines] = greater(READS[machines], $9), \
        WRITES[machines] = greater(WRITES[machines], $11)), \
    knows = knows && mpki ne "", 1)
# Fields that vary stand after the others, and have a dot in their names.
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
stats CSV[1] using (note($names[line + 1], $names[line], column(MISS), \
    strcol(MPKI), varied(1))) skip 1 nooutput
if (machines == 0) {
    print "no cache to draw"
    exit status 2
}
if (machines > MOST) {
    print sprintf("%d machines, expected at most %d; the table of " \
        . "margay simulate --pareto has a picture of more", machines, MOST)
    exit status 2
}

# The first levels have all of them, of each kind.
array REFERENCES[MOST]
do for [m = 1:machines] { REFERENCES[m] = FETCHES[m] + READS[m] + WRITES[m] }

several_traces = 0
several_varied = 0
do for [m = 2:machines] {
    if (TRACE[m] ne TRACE[1]) { several_traces = 1 }
    if (VARIED[m] ne VARIED[1]) { several_varied = 1 }
}
joined(a, b) = a eq "" ? b : b eq "" ? a : a . ", " . b
label(m, traces, fields) = joined(traces ? TRACE[m] : "", \
                                  fields ? VARIED[m] : "")
SUBTITLE = label(1, !several_traces, !several_varied)
