# heading.gp - the title and what stands below it; loaded by the others
#
# They set HEADING and SUBTITLE before.  margay plot --title sets TITLE, which
# takes the place of HEADING; an empty one (none) leaves out both, as a paper
# has a caption in their place.

if (!exists("TITLE")) { TITLE = HEADING }
if (TITLE ne "") {
    set label 1 TITLE at screen left,(1 - 1.8 * em_y) noenhanced \
        font HEADING_FONT
    set label 2 SUBTITLE at screen left,(1 - 3.7 * em_y) noenhanced \
        textcolor "#555555"
}
