#!/bin/sh
# check_real.sh DIR - the exact counts of the real traces in a folder
#
# DIR/MANIFEST.csv has the columns file, format, references, distinct and
# more; `distinct` counts different numbers as they stand in the trace, after
# arc's records are split into their blocks.  vscsi's are not split there; what
# they come to when they are is counted here.  It counts one reference for a
# line of lackey's, so an M, a read and a write to us, counts one there.
# shellcheck source=tests/sim/lib.sh
dir=$(cd "${1:?usage: check_real.sh DIR}" && pwd) || exit 2
. tests/sim/lib.sh

# What a row's trace is read as, from what the manifest says about it: the
# format's name, and options that make blocks of its numbers as they stand.
# No name: there is no reader for it.
choose_format() {
    name=
    options=--ids
    case $1 in
    *'s|l 0xADDR'*) name='ls' ;;
    *'0xADDR I|D'*) name='id' ;;
    *'text 0xADDR per line'*) name=hex ;;
    *lackey*) name=lackey ;;
    *'int32 big-endian'*) name=u32be ;;
    *'int64 big-endian'*) name=u64be ;;
    *'uint64 little-endian'*) name=u64 ;;
    *'one decimal'*) name=lines options='' ;;
    *'"seq id size"'*) name=webcachesim options='' ;;
    csv*) name=csv options='--column lbn' ;;
    oracleGeneral*) name=oracle options='' ;;
    'Mooncake JSON lines'*) name=mooncake options='' ;;
    vscsi1*) name=vscsi options='--straddle first' ;;
    arc*) name=arc options='-b 512' ;;
    *drmemtrace*) name=drmemtrace options='--kind read,write' ;;
    esac
}

# value KEY: of the table that `info` wrote.
value() {
    sed -n "s/^$1,//p" out
}

# check_split FILE: of vscsi, each block that a request covers, at least one.
check_split() {
    perl -e 'binmode STDIN; my ($n, %seen);
        while (read(STDIN, my $record, 32) == 32) {
            my (undef, $bytes, undef, undef, undef, $first) =
                unpack("L<L<L<S<S<Q<", $record);
            my $blocks = int(($bytes + 511) / 512) || 1;
            $n += $blocks;
            $seen{$_} = 1 for $first .. $first + $blocks - 1;
        }
        print "$n ", scalar keys %seen, "\n"' <"$dir/$1" >counted
    run info -q -f vscsi "$dir/$1"
    is "$1: references and distinct when split" \
        "$(value references) $(value distinct_blocks)" "$(cat counted)"
}

# check_table FILE: the requests of the same trace as a table, when split.
check_table() {
    table=${1%.vscsi}.csv
    [ -e "$dir/$table" ] || return 0
    run info -q --column id=lbn,size=size,op=op,time=time --unit 512 \
        --straddle split "$dir/$table"
    is "$table: references and distinct when split" \
        "$(value references) $(value distinct_blocks)" "$(cat counted)"
}

# check_objects FILE FORMAT: a curve of 20 sizes in bytes, against a plain cache.
check_objects() {
    run curve -q --objects -f "$2" --sizes octave:1 "$dir/$1"
    tail -20 out | while IFS=, read -r _ _ _ bytes refs misses _ rb mb _; do
        # Below the largest object the curve is a bracket where sizes change.
        [ "$bytes" -ge 16777216 ] || [ "$2" = oracle ] || continue
        [ "$(perl "$root/tests/sim/lru.pl" "$bytes" - "$dir/$1" \
            "${2#oracle}")" = "$bytes,$refs,$misses,$rb,$mb" ] || echo "$bytes"
    done >differing
    is "$1: 20 caches of objects" "$(cat differing)" ""
}

# check_requests FILE: the misses that a replay of Mooncake's sample had.
check_requests() {
    run curve -q --requests --sizes 100,1000,10000,100000 "$dir/$1"
    is "$1: four prefix caches" "$(tail -n +2 out | cut -d, -f3,6 | tr '\n' ' ')" \
        '100,121251 1000,111827 10000,70263 100000,43924 '
}

check_row() {
    choose_format "$2"
    if [ -z "$name" ]; then
        skip "$1" "no reader for $2"
        return
    fi
    modifies=0
    [ $name != lackey ] || modifies=$(grep -c '^ M' "$dir/$1")
    # $options is a list of words.
    # shellcheck disable=SC2086
    run info -q -f $name $options "$dir/$1"
    is "$1: references" "$(value references)" $(($3 + modifies))
    is "$1: distinct" "$(value distinct_blocks)" "$4"
    [ $name != vscsi ] || check_split "$1"
    [ $name != vscsi ] || check_table "$1"
    [ "$1" != mooncake-synthetic.jsonl.xz ] || check_requests "$1"
    case $name in oracle | vscsi) check_objects "$1" $name ;; esac
    case $name in
    u* | csv) ;;
    *)
        run info -q --limit 1000 "$dir/$1"
        is "$1: detected" "$(value format)" $name
        ;;
    esac
}

# Fields that hold commas or quotes are quoted; what follows `distinct` is
# not needed.  Tabs separate them from here on.
split_rows() {
    perl -ne 'next if $. == 1;
        my @f; while (/\G("(?:[^"]|"")*"|[^,\n]*),?/g && @f < 4) {
            (my $x = $1) =~ s/^"(.*)"$/$1/; $x =~ s/""/"/g; push @f, $x }
        print join("\t", @f), "\n"' "$dir/MANIFEST.csv"
}

split_rows >rows
tab=$(printf '\t')
while IFS=$tab read -r file format references distinct; do
    check_row "$file" "$format" "$references" "$distinct"
done <rows
finish
