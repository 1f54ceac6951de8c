# names.gp - names that fit next to a picture, and still differ; loaded by the others
#
# They set NAMES, the name of an array, COUNT, and ROOM in letters before.  Where
# the longest name is longer, all lose what they have in common at their
# beginning, and then at their end, as far as a separator; what is still too long
# loses its middle.

array FITTING[COUNT]
longest = 0
do for [i = 1:COUNT] { eval sprintf("FITTING[%d] = %s[%d]", i, NAMES, i) }
wide_names = sum [i = 1:COUNT] widen(FITTING[i])
is_between(mark) = strstrt("_-./,: ", mark) > 0
do for [end = 0:1] {
    if (COUNT > 1 && longest > ROOM) {
        # The common part: `same` characters from this end.
        part(i, n) = end ? FITTING[i][strlen(FITTING[i]) - n + 1:*] \
                         : FITTING[i][1:n]
        edge(n) = end ? part(1, n)[1:1] : part(1, n)[n:n]
        same = strlen(FITTING[1])
        do for [i = 2:COUNT] {
            while (same > 0 && part(i, same) ne part(1, same)) { same = same - 1 }
        }
        while (same > 0 && !is_between(edge(same))) { same = same - 1 }
        do for [i = 1:same > 2 ? COUNT : 0] {
            FITTING[i] = end ? FITTING[i][1:strlen(FITTING[i]) - same] . ".." \
                             : ".." . FITTING[i][same + 1:*]
        }
        longest = 0
        wide_names = sum [i = 1:COUNT] widen(FITTING[i])
    }
}
seen = "\n"
alike = 0
do for [i = 1:COUNT] {
    FITTING[i] = cut(FITTING[i], ROOM)
    alike = alike || strstrt(seen, "\n" . FITTING[i] . "\n") > 0
    seen = seen . FITTING[i] . "\n"
    eval sprintf("%s[%d] = FITTING[%d]", NAMES, i, i)
}
if (longest > ROOM) { longest = ROOM }
if (alike && exists("FORMAT")) {
    print "note: names are cut alike: they differ in a larger picture (--size)"
}
