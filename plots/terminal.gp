# terminal.gp - how our pictures look; loaded by the others
#
# They set OUT, the picture, before.  It ends in .png, .svg, .pdf, .eps or .tex,
# or FORMAT is one of these.  margay plot may have set TITLE (heading.gp), LEGEND
# (legend.gp), WIDTH and HEIGHT in pixels of a PNG, FONT and POINTS, HIT, which
# draws hits, and LABELS, which names lines at their ends; X_SCALE and Y_SCALE,
# "linear" or "log"; and X_FROM, X_TO, Y_FROM and Y_TO, the ends of the axes.
#
# right, bottom and top are the borders of the axes, as shares of the picture, and
# left is one that leaves room for most numbers; gnuplot measures these.  em_x and
# em_y are the height of the font.

set encoding utf8
set datafile separator comma

# ------------------------------------------------------------- terminal --

suffix = exists("FORMAT") ? FORMAT \
    : strlen(OUT) > 4 ? OUT[strlen(OUT) - 3:strlen(OUT)] : ""
# PAPER says where the picture is to stand: its inches, and the points of a font
# that can be read there.
paper_points = 0
if (exists("PAPER")) {
    is_column = PAPER eq "column"
    is_slide = PAPER eq "slide"
    if (!exists("WIDTH")) {
        WIDTH = is_column ? 528 : is_slide ? 1600 : 1040
        HEIGHT = is_column ? 352 : is_slide ? 900 : 624
    }
    paper_points = is_column ? 7.5 : is_slide ? 18 : 9
}
if (!exists("WIDTH")) { WIDTH = 1280; HEIGHT = 800 }
if (!exists("FONT")) { FONT = "Sans" }
if (!exists("HIT")) { HIT = 0 }
if (!exists("LABELS")) { LABELS = 0 }
points_of_suffix = suffix eq ".png" ? 15 : suffix eq ".svg" ? 14 \
    : suffix eq ".tex" ? 10 : 12
given_points = exists("POINTS")
# gnuplot's points of a PNG and an SVG are smaller than those of 160 pixels an
# inch.
if (!given_points) { POINTS = paper_points == 0 ? points_of_suffix \
    : paper_points * (suffix eq ".png" || suffix eq ".svg" ? 5 / 3.0 : 1) }
font_text = sprintf("%s,%g", FONT, POINTS)
HEADING_FONT = sprintf(",%g", 1.2 * POINTS)
# Not where all letters are those of a document.
is_sized = 1
# Lines and marks are as thick and large as the font asks for.
thick = POINTS / (1.0 * points_of_suffix)
MARK_SIZE = 0.8 * thick
# 160 pixels of a PNG are an inch on paper.
wide = WIDTH / 160.0
high = HEIGHT / 160.0
if (suffix eq ".png") {
    set terminal pngcairo noenhanced size WIDTH,HEIGHT font font_text \
        linewidth 1.6 * thick dashlength 0.7
} else { if (suffix eq ".svg") {
    set terminal svg noenhanced size 0.75 * WIDTH,0.75 * HEIGHT font font_text \
        linewidth 1.2 * thick dashlength 0.7 background "#ffffff"
} else { if (suffix eq ".pdf") {
    set terminal pdfcairo noenhanced size wide,high font font_text \
        linewidth 1.5 * thick dashlength 0.7
} else { if (suffix eq ".eps") {
    set terminal epscairo noenhanced size wide,high font font_text \
        linewidth 1.5 * thick dashlength 0.7
} else { if (suffix eq ".tex") {
    # The fonts are the document's, and so is their size where none is asked for.
    font_text = given_points || paper_points > 0 ? sprintf("font '\\fontsize{%g}{%g}\\selectfont'", \
        POINTS, 1.2 * POINTS) : ""
    is_sized = font_text ne ""
    if (!is_sized) { HEADING_FONT = "" }
    # This terminal takes no variables.
    eval sprintf("set terminal tikz size %gin,%gin %s charsize %gin,%gin" \
        . " linewidth %g dashlength 0.7", wide, high, font_text, \
        0.62 * POINTS / 72, 1.3 * POINTS / 72, thick)
} else {
    print sprintf("%s: expected a name that ends in .png, .svg, .pdf, .eps or" \
        . " .tex", OUT)
    exit status 2
}}}}}
set output OUT

# ---------------------------------------------------------------- lines --

# Okabe and Ito's palette, from dark to light in grey, and black.
array COLOUR[7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", \
                   "#e69f00", "#000000"]
colour(i) = COLOUR[(i - 1) % 7 + 1]
# As colours are too few for all lines, dashes and markers differ, too: no two
# of 84 lines have the same of all three.
array SHAPE[6] = [7, 5, 9, 13, 11, 15]
dashes(i) = (i - 1) % 4 + 1
shape(i) = SHAPE[(i - 1) % 6 + 1]
# Later lines are thinner, so that those below show where lines coincide.
width(i, count) = count == 1 ? 2 : 2.8 - 1.2 * (i - 1) / (count - 1)

# ----------------------------------------------------------------- axes --

pixels_per_point = suffix eq ".png" ? 96 / 72.0 : suffix eq ".svg" ? 4 / 3.0 \
    : 160 / 72.0
em_x = pixels_per_point * POINTS / WIDTH
em_y = pixels_per_point * POINTS / HEIGHT
left = 6.1 * em_x
right = 1 - 2.2 * em_x
bottom = 4.4 * em_y
top = 1 - (exists("TITLE") && TITLE eq "" ? 1.5 : 5) * em_y
# How many names of sizes a width has room for.
room_for_tics(width) = width < 12 * em_x ? 2 : width > 69 * em_x ? 12 \
    : floor(width / (5.7 * em_x))
# The longest name of a legend, and their number, where a script does not count.
longest = 16
entries = 6
# For a sum over names: `longest` becomes that of the longest one.
widen(name) = (longest = strlen(name) > longest ? strlen(name) : longest, 0)
high_ems = (top - bottom) / em_y
# The step of ticks from the bottom up over a span of numbers: nine at most.
step_up(span) = nice_step(span, high_ems > 18 ? 9.0 : high_ems / 2)
# A name of `most` characters at most: of a longer one the beginning and the end;
# and the longest one that leaves room for a picture.
cut(name, most) = strlen(name) <= most ? name : name[1:most / 2 - 1] . ".." \
    . name[strlen(name) - (most - most / 2) + 2:*]
most_name = floor(0.55 / (0.6 * em_x))
if (most_name > 40) { most_name = 40 }
set border 3 linecolor "#555555"
set tics nomirror out scale 0.6 textcolor "#222222"
set grid linetype 1 linecolor "#dddddd" linewidth 0.5
set rmargin at screen right
set bmargin at screen bottom
set tmargin at screen top

# Samples are long enough to recognise every dash type.
set key right top vertical Left reverse noenhanced samplen 4 \
    spacing 1.25 textcolor "#222222"

# Powers of ten, as "100 k" and "1 M".
COUNT_FORMAT = "%.0s %c"

# Ratios are those of misses, or with HIT those of hits.
ratio_word = HIT ? "hit" : "miss"
shown(miss_ratio) = HIT ? 1 - miss_ratio : miss_ratio

# The least ratio above 0 and the highest, and such sizes, of those that were noted.
lowest = 1
highest = 0
note_ratio(y) = (lowest = y > 0 && y < lowest ? y : lowest, \
    highest = y > highest ? y : highest, 1)
smallest = 1e30
largest = 1
note_size(x) = (smallest = x < smallest ? x : smallest, \
    largest = x > largest ? x : largest, 1)

# An end of an axis, as given, or `usual`.
x_from(usual) = exists("X_FROM") ? X_FROM : usual
x_to(usual) = exists("X_TO") ? X_TO : usual
y_from(usual) = exists("Y_FROM") ? Y_FROM : usual
y_to(usual) = exists("Y_TO") ? Y_TO : usual
scale_is_log(name, usual) = name eq "x" \
    ? (exists("X_SCALE") ? X_SCALE eq "log" : usual) \
    : (exists("Y_SCALE") ? Y_SCALE eq "log" : usual)
range_fault(name, least, most, logarithmic) = least >= most \
    ? sprintf("the axis would go from %g to %g: another --%srange is needed", \
              least, most, name) \
    : logarithmic && least <= 0 \
        ? sprintf("a logarithmic axis begins above 0: --%srange says from" \
                  . " where", name) : ""
# The axis of `name` goes from `least` to `most`, and what is drawn on it, which
# `what` names, from `low` to `high`.
empty_fault(name, what, low, high, least, most) = least > high || most < low \
    ? sprintf("%s go from %g to %g: another --%srange is needed", what, low, \
              high, name) : ""
