#!/bin/sh
# sources.sh MARGAY FOLDER [NAME...] - build programs from Debian's sources, twice
#
# Those named, or all: FOLDER/native gets them as they are, FOLDER/hooked with what
# `margay record --cflags` and `--libs` print; with CC=NAME in the environment it
# is FOLDER/native-NAME and FOLDER/hooked-NAME.  apt-get fetches the sources by
# lists of its own in FOLDER/apt, made from those of the machine, which stay as they
# are.
set -eu
margay=$1 folder=$2
shift 2
wanted="$*"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
cd "$folder"
folder=$PWD
compiler=${CC:-gcc}
native=$folder/native${CC:+-$CC}
hooked=$folder/hooked${CC:+-$CC}

# apt ARGUMENT...: apt-get, with sources and lists of its own.
apt() {
    apt-get -qq -o Dir::Etc::SourceParts="$folder/apt/sources" \
        -o Dir::Etc::SourceList=/dev/null \
        -o Dir::State::Lists="$folder/apt/lists" \
        -o Dir::Cache="$folder/apt/cache" -o APT::Sandbox::User=root "$@"
}

prepare_apt() {
    mkdir -p apt/sources apt/lists/partial apt/cache/archives/partial
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        # Other archives than Debian's need not have sources.
        grep -qs 'debian\.org' "$list" || continue
        case $list in
        *.sources) sed 's/^Types:.*/Types: deb-src/' "$list" ;;
        *.list) sed 's/^deb /deb-src /' "$list" ;;
        *) continue ;;
        esac >"apt/sources/${list##*/}"
    done
    apt update
}

# wants NAME: is that program wanted?
wants() {
    case " ${wanted:-$1} " in *" $1 "*) ;; *) return 1 ;; esac
}

# fetch PACKAGE: its upstream source in the folder PACKAGE.
fetch() {
    [ ! -d "$1" ] || return 0
    [ -d apt ] || prepare_apt
    mkdir "$1.new"
    (cd "$1.new" && apt source --download-only "$1" >&2)
    tar -xf "$1".new/*.orig.tar.?z --strip-components=1 -C "$1.new"
    mv "$1.new" "$1"
}

# is_newer FILE: than all that it was built with for the recorder?
is_newer() {
    for part in "$margay" "${margay%/*}"/libmargay_runtime.a \
        "${margay%/*}"/margay_*.so; do
        [ -n "$(find "$1" -newer "$part" 2>/dev/null)" ] || return 1
    done
}

# compile NAME FLAG...: both builds of NAME if it is wanted, unless they are there,
# and the second one newer than the recorder in it.
compile() {
    name=$1
    shift
    wants "$name" || return 0
    [ -x "$native/$name" ] || $compiler -O2 -w -o "$native/$name" "$@"
    # Its output is a list of words.
    # shellcheck disable=SC2046
    is_newer "$hooked/$name" || $compiler -O2 -w $("$margay" record --cflags) \
        -o "$hooked/$name" "$@" $("$margay" record --libs)
}

mkdir -p "$native" "$hooked"
compile kernels "$here/kernels.c" -lm

if wants bzip2; then
    fetch bzip2
    (cd bzip2 && compile bzip2 blocksort.c huffman.c crctable.c randtable.c \
        compress.c decompress.c bzlib.c bzip2.c)
fi

if wants lua; then
    fetch lua5.4
    rm -f lua5.4/src/luac.c
    (cd lua5.4 && compile lua -DLUA_USE_POSIX src/*.c -lm)
fi

# Its library of Scheme is an input in any case.
fetch tinyscheme
(cd tinyscheme && compile tinyscheme -DSTANDALONE=1 -DUSE_DL=0 -DUSE_MATH=1 \
    -DInitFile='"init.scm"' scheme.c -lm)

if wants glpsol; then
    fetch glpk
    # shellcheck disable=SC2046 # lists of names without blanks
    (cd glpk && compile glpsol $(find src -type d | sed 's/^/-I/') \
        $(find src -name '*.c' ! -path src/proxy/main.c) examples/glpsol.c -lm)
fi

if wants picosat; then
    fetch picosat
    printf '#define PICOSAT_%s\n' 'CC "gcc"' 'CFLAGS ""' 'VERSION "965"' \
        >picosat/config.h
    (cd picosat &&
        compile picosat -DNDEBUG picosat.c app.c main.c version.c)
fi

if wants zstd; then
    fetch libzstd
    (cd libzstd && compile zstd -DZSTD_DISABLE_ASM -DZSTD_NOBENCH -Ilib \
        programs/*.c lib/common/*.c lib/compress/*.c lib/decompress/*.c \
        lib/dictBuilder/*.c)
fi
