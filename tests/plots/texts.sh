# texts.sh - what is written in a picture; for scripts that include it after
# lib.sh, which are skipped where there is no gnuplot
# shellcheck shell=sh
# shellcheck disable=SC2154 # run sets the status
command -v gnuplot >/dev/null || {
    echo '1..0 # SKIP gnuplot is not installed'
    exit 0
}

# drawn NAME ARGUMENT...: NAME.svg by plot, and its texts.
drawn() {
    drawn_name=$1
    shift
    run plot "$@" -o "$drawn_name.svg"
    is "plot $*: drawn, nothing said" "$status$(cat out err)" 0
    read_texts "$drawn_name"
}

# read_texts NAME: the texts in NAME.svg, a line each, into NAME.txt; also of
# names of lines that coincide ("a = b").
read_texts() {
    sed -n 's/.*<text>\(.*\)<\/text>.*/\1/p' "$1.svg" |
        sed 's/<!\[CDATA\[//; s/]]>//; s/^ *//; s/ *$//
            s/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g
            s/ = /\n/g' >"$1.txt"
}

# shows NAME TEXT...
shows() {
    shown_by=$1
    shift
    for text; do
        check "$shown_by shows: $text" grep -Fqx -e "$text" "$shown_by.txt"
    done
}

lacks() {
    check "$1 does not show: $2" absent_text "$1.txt" "$2"
}

absent_text() {
    ! grep -Fqx -e "$2" "$1"
}
