# terminal.gp - how our pictures look; loaded by the others
#
# They set OUT, the picture, and HEADING before.  OUT ends in .png, .svg, .pdf or
# .eps, or FORMAT is one of these.  margay plot may have set TITLE, which takes
# the place of HEADING, WIDTH and HEIGHT in pixels of a PNG, FONT and POINTS.

set encoding utf8
set datafile separator comma

# ------------------------------------------------------------- terminal --

suffix = exists("FORMAT") ? FORMAT \
    : strlen(OUT) > 4 ? OUT[strlen(OUT) - 3:strlen(OUT)] : ""
if (exists("TITLE")) { HEADING = TITLE }
if (!exists("WIDTH")) { WIDTH = 1280; HEIGHT = 800 }
if (!exists("FONT")) { FONT = "Sans" }
points_of_suffix = suffix eq ".png" ? 15 : suffix eq ".svg" ? 14 : 12
if (!exists("POINTS")) { POINTS = points_of_suffix }
font_text = sprintf("%s,%g", FONT, POINTS)
HEADING_FONT = sprintf(",%g", 1.2 * POINTS)
# 160 pixels of a PNG are an inch on paper.
wide = WIDTH / 160.0
high = HEIGHT / 160.0
if (suffix eq ".png") {
    set terminal pngcairo noenhanced size WIDTH,HEIGHT font font_text \
        linewidth 1.6 dashlength 0.5
} else { if (suffix eq ".svg") {
    set terminal svg noenhanced size 0.75 * WIDTH,0.75 * HEIGHT font font_text \
        linewidth 1.2 dashlength 0.5 background "#ffffff"
} else { if (suffix eq ".pdf") {
    set terminal pdfcairo noenhanced size wide,high font font_text \
        linewidth 1.5 dashlength 0.5
} else { if (suffix eq ".eps") {
    set terminal epscairo noenhanced size wide,high font font_text \
        linewidth 1.5 dashlength 0.5
} else {
    print sprintf("%s: expected a name that ends in .png, .svg, .pdf or .eps", \
        OUT)
    exit status 2
}}}}
set output OUT

# Okabe and Ito's palette: told apart with any kind of colour vision.
array COLOUR[7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", \
                   "#56b4e9", "#000000"]
colour(i) = COLOUR[(i - 1) % 7 + 1]
# No two of 42 lines have the same colour, dashes and marker.
array SHAPE[6] = [7, 5, 9, 13, 11, 15]
dashes(i) = (i - 1) / 7 % 4 + 1
shape(i) = SHAPE[(i - 1) / 7 % 6 + 1]
# Later lines are thinner, so that those below show where lines coincide.
width(i, count) = count == 1 ? 2 : 2.8 - 1.2 * (i - 1) / (count - 1)

set border 3 linecolor "#555555"
set tics nomirror out scale 0.6 textcolor "#222222"
set grid linetype 1 linecolor "#dddddd" linewidth 0.5
set lmargin at screen 0.095
set rmargin at screen 0.965
set bmargin at screen 0.12
set tmargin at screen 0.875

# Samples are long enough for every dash type to be told from the others.
set key right top vertical Left reverse noenhanced samplen 3.5 spacing 1.25 \
    textcolor "#222222"
