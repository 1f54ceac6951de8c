# heading.gp - the title and the lines below it; loaded by the others
#
# They set HEADING and SUBTITLE before.  margay plot --title sets TITLE, which
# replaces HEADING; an empty one (none) leaves out both, as a paper
# has a caption in their place.  margay plot, which sets FORMAT, reads what is
# printed here, for the title that a file has.

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
