# heading.gp - the title and the lines below it; loaded by the others
#
# They set HEADING and SUBTITLE before.  margay plot --title sets TITLE, which
# replaces HEADING; an empty one (none) leaves out both, as a paper
# has a caption in their place.  margay plot, which sets FORMAT, reads what is
# printed here, for the title that a file has.

# A table of a sample says of how much it is one (sim/result/csv.h), and of which
# rows it is no guide; those are smaller than unsure_bytes and unsure_blocks.
unsure_bytes = 0
unsure_blocks = 0
program = awk_table . 'function most(a, b) { return a + 0 > b + 0 ? a : b }' \
. 'of("sampled") != "" { each = of("sampled"); if (one == "") one = each;' \
. '    if (one != each) { sub(/ [(].*/, "", one); sub(/ [(].*/, "", each) }' \
. '    if (one != each) sub(/in [0-9.,]+/, "in several", one);' \
. '    if (of("no_guide") > 0 || unsure) { bytes = most(bytes, of("cache_bytes"));' \
. '        blocks = most(blocks, of("cache_blocks")) }' \
. '    unsure = of("no_guide") > 0 }' \
. 'END { if (one != "") print bytes + 0 ". " blocks + 0 ". a sample of " one }'
text = ""
do for [f = 1:|CSV|] {
    text = text . sprintf("; read -r head <%s; case $head in *,sampled,*)" \
        . " awk %s <%s;; esac", shell_word(CSV[f]), shell_word(program), shell_word(CSV[f]))
}
load lines_into("$sampled", text[3:*])
do for [f = 1:|$sampled|] {
    if (real(word($sampled[f], 1)) > unsure_bytes) {
        unsure_bytes = real(word($sampled[f], 1))
    }
    if (real(word($sampled[f], 2)) > unsure_blocks) {
        unsure_blocks = real(word($sampled[f], 2))
    }
    if (f == 1) {
        SUBTITLE = (SUBTITLE eq "" ? "" : SUBTITLE . ", ") . after($sampled[1], 2)
    }
}

if (!exists("TITLE")) { TITLE = HEADING }
if (exists("FORMAT")) {
    print "title: " . (TITLE eq "" ? HEADING : TITLE) \
        . (SUBTITLE eq "" ? "" : " (" . SUBTITLE . ")")
}
if (TITLE ne "") {
    # A title that is too long for the picture is smaller, or cut.
    heading_room = (0.99 - left) / (0.6 * em_x)
    heading_size = strlen(TITLE) * 1.2 > heading_room \
        ? heading_room / strlen(TITLE) : 1.2
    if (heading_size < 0.9) {
        heading_size = 0.9
        TITLE = cut(TITLE, floor(heading_room / 0.9))
    }
    if (HEADING_FONT ne "") {
        HEADING_FONT = sprintf(",%g", heading_size * POINTS)
    }
    set label 1 TITLE at graph 0, screen 1 - 1.8 * em_y noenhanced \
        font HEADING_FONT
    SUBTITLE = cut(SUBTITLE, floor(heading_room))
    set label 2 SUBTITLE at graph 0, screen 1 - 3.7 * em_y noenhanced \
        textcolor "#555555"
}
