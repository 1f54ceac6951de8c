# texts.sh - what is written in a picture; for scripts that include it after
# lib.sh, which are skipped where there is no gnuplot
# shellcheck shell=sh
# shellcheck disable=SC2154 # run sets the status
command -v gnuplot >/dev/null || {
    echo '1..0 # SKIP gnuplot is not installed'
    exit 0
}

# read_texts NAME: the texts in NAME.svg, a line each, into NAME.txt; also of
# names of lines that coincide ("a = b").
read_texts() {
    sed -n 's/.*<text>\(.*\)<\/text>.*/\1/p' "$1.svg" |
        sed 's/<!\[CDATA\[//; s/]]>//; s/^ *//; s/ *$//
            s/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g
            s/ = /\n/g' >"$1.txt"
}

# picture NAME 'ARGUMENT...' TEXT...: plot draws NAME.svg without a word, and it
# has these texts, but not those that begin with "!".
picture() {
    picture_name=$1 picture_of=$2
    shift 2
    # shellcheck disable=SC2086 # several words
    run plot $picture_of -o "$picture_name.svg"
    wrong=$(cat out err)
    [ "$status" = 0 ] || wrong="status $status, $wrong"
    read_texts "$picture_name"
    for text; do
        found=$(grep -Fxc -e "${text#!}" "$picture_name.txt")
        case $text:$found in
        !*:0 | [!!]*:[!0]*) ;;
        *) wrong="$wrong; '$text' $found times" ;;
        esac
    done
    is "$picture_name: plot $picture_of" "$wrong" ''
}
