# texts.sh - what is written in a picture; for scripts that include it
# shellcheck shell=sh

# read_texts NAME: the texts in NAME.svg, a line each, into NAME.txt.
read_texts() {
    sed -n 's/.*<text>\(.*\)<\/text>.*/\1/p' "$1.svg" |
        sed 's/<!\[CDATA\[//; s/]]>//; s/^ *//; s/ *$//
            s/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >"$1.txt"
}

# shows NAME TEXT
shows() {
    check "$1 shows: $2" grep -Fqx -e "$2" "$1.txt"
}

lacks() {
    check "$1 does not show: $2" absent_text "$1.txt" "$2"
}

absent_text() {
    ! grep -Fqx -e "$2" "$1"
}
