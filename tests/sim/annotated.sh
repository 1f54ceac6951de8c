# annotated.sh - programs that are built, recorded and annotated, for annotate.t
# and data.t; after lib.sh
compiler=${CC:-cc}

# built NAME [FLAG...]: NAME.c or NAME.cc, to be recorded; the flags come last.
built() {
    name=$1
    shift
    source=$name.c each=$compiler
    [ -e "$source" ] || source=$name.cc each=g++
    # shellcheck disable=SC2046 # words
    "$each" -g -O1 $(CC=$each "$MARGAY" record --cflags) -o "$name" "$source" \
        "$@" $("$MARGAY" record --libs) 2>build.err
}
# recorded OPTION...: program $name into t.mgt; its own words are in `said`.
recorded() {
    run record -q -o t.mgt "$@" "./$name"
    cp out said
}
# sums: the misses of all rows, by size.
sums() {
    awk -F, 'NR > 1 { n[$5] += $7 } END { for (b in n) print b, n[b] }' out |
        sort
}
# curve OPTION...: the same from a curve.
curve() {
    "$MARGAY" curve -q "$@" | awk -F, 'NR > 1 { print $4, $6 }' | sort
}
# are_the_curve TRACE [--data]: with options, all rows together are the curve.
are_the_curve() {
    for option in '-b 128' '--kind read' '--limit 500' '--skip 200' \
        '--warmup 400'; do
        # shellcheck disable=SC2086 # words
        run annotate -q $option --sizes 4K,8K "$@"
        # shellcheck disable=SC2086 # words
        is "$option: all rows of $* are the curve" "$(sums)" \
            "$(curve $option --sizes 4K,8K "$1")"
    done
}
