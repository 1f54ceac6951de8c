# terminal.gp - how our pictures look; loaded by the others
#
# They set OUT, the picture, before.  Its name ends in .png, .svg or .pdf, or
# FORMAT is one of these.

set encoding utf8
set datafile separator comma

# ------------------------------------------------------------- terminal --

suffix = exists("FORMAT") ? FORMAT \
    : strlen(OUT) > 4 ? OUT[strlen(OUT) - 3:strlen(OUT)] : ""
if (suffix eq ".png") {
    set terminal pngcairo noenhanced size 1280,800 font "Sans,15" linewidth 1.6 \
        dashlength 0.5
} else { if (suffix eq ".svg") {
    set terminal svg noenhanced size 960,600 font "Sans,14" linewidth 1.2 \
        dashlength 0.5 background "#ffffff"
} else { if (suffix eq ".pdf") {
    set terminal pdfcairo noenhanced size 8in,5in font "Sans,12" linewidth 1.5 \
        dashlength 0.5
} else {
    print sprintf("%s: expected a name that ends in .png, .svg or .pdf", OUT)
    exit status 2
}}}
set output OUT

# Okabe and Ito's palette: told apart with any kind of colour vision.
array COLOUR[7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", \
                   "#56b4e9", "#000000"]
colour(i) = COLOUR[(i - 1) % 7 + 1]
dashes(i) = (i - 1) / 7 % 4 + 1

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
