#!/bin/sh
# repeat.t - a build elsewhere, and a second packing, give the same bytes
. tests/sim/lib.sh

# -------------------------------------------------------------------- dist --
# Elsewhere the last commit is built, or the tree where it is more than that.
mkdir -p some/other/place
if git -C "$root" rev-parse -q --verify HEAD >/dev/null 2>&1; then
    for round in first second; do
        make -C "$root" BUILD="$work/$round" DEPS=no XZ='xz -0' dist >/dev/null 2>&1
    done
    packed=$(cd first && echo margay-*.tar.xz)
    check 'make dist packs the same bytes twice' \
        cmp -s "first/$packed" "second/$packed"
    tar -tf "first/$packed" | sed -n 's|^[^/]*/\(.*[^/]\)$|\1|p' | sort >inside
    git -C "$root" ls-tree -r --name-only HEAD | sort >committed
    check 'they hold what is committed' cmp -s inside committed
    is 'below a directory of the name' \
        "$(tar -tf "first/$packed" | cut -d/ -f1 | sort -u)" \
        "${packed%.tar.xz}"
else
    packed=
    skip 'make dist' 'not a repository'
fi
if [ -n "$packed" ] && [ -z "$(git -C "$root" status --porcelain)" ]; then
    tar -xf "first/$packed" -C some/other/place --strip-components=1
else
    (cd "$root" && tar -cf - .ci GNUmakefile install.mk margay.pc.in LICENSE \
        ./*.md traces stackdist assoc sim plots docs tests) |
        tar -xf - -C some/other/place
fi

# ------------------------------------------------------------------- build --
# The flags of a packager reach every command of a build.
flags_reach() { # PATTERN FLAG...
    pattern=$1
    shift
    grep -E -e "$pattern" commands >chosen || return 1
    for flag in "$@"; do
        ! grep -v -e "$flag" chosen || return 1
    done
}
env -u MAKEFLAGS -u MAKEOVERRIDES CC=cc1.of.mine CFLAGS=-fmine CPPFLAGS=-DMINE \
    LDFLAGS=-Wl,--mine make -n -C some/other/place DEPS=no BUILD=none all \
    2>/dev/null | sed -e :a -e '/\\$/N; s/\\\n//; ta' >commands
check 'CC, CFLAGS and CPPFLAGS reach what is compiled' \
    flags_reach ' -c -o .*[.]c$' cc1.of.mine -fmine -DMINE
check 'CC, CFLAGS and LDFLAGS reach what is linked' flags_reach \
    ' -o [^ ]*(margay|libmargay\.so[.0-9]*) ' cc1.of.mine -fmine -Wl,--mine
is 'no source asks for the time of its compilation' \
    "$(cd "$root" && grep -rlE '__(DATE|TIME|TIMESTAMP)__' traces stackdist \
        assoc sim)" ''

# The source that make compiles for an object, named by its full path.
compiled() { # OBJECT
    make -C some/other/place BUILD="$PWD/some/other/place/out" DEPS=no "$1" |
        grep -c '  CC' || :
}
same_build() {
    made=$BUILD/margay
    set -- "$BUILD"/libmargay.so.*.*
    shared=$1
    newer=$(find "$root/traces" "$root/stackdist" "$root/assoc" "$root/sim" \
        "$root/docs" -type f -newer "$made")
    if [ -n "$newer" ]; then
        skip 'the build can be repeated' 'the sources have changed since'
        return
    fi
    # Every 96th object is made again, with those of rules of their own, and all
    # that consists of objects; the others are copies, without the names of
    # headers, which are of the folder that they are from.
    mkdir some/other/place/out
    cp -R "$BUILD/obj" "$BUILD/flags" some/other/place/out
    find some/other/place/out/obj -name '*.o' | sort |
        awk 'NR % 96 == 0 || /exact_kernel|assets|opencl|cuda|text[.]o$/' |
        xargs rm
    find some/other/place/out/obj -name '*.d' -exec rm {} +
    find some/other/place/out/obj -name '*.o' -exec touch {} +
    # shellcheck disable=SC2046 # these names have no blanks
    make -C some/other/place BUILD=out DEPS=no out/margay \
        "out/${shared##*/}" $(cd "$BUILD" && printf 'out/%s ' man/man*/* completion/*) \
        >make.log 2>&1 || sed 's/^/#   make: /' make.log
    is 'compiles a part' "$(grep -c '  CC' make.log | sed 's/^[1-9][0-9]\?$/some/')" some
    check 'a build elsewhere' test -x some/other/place/out/margay
    is 'make removes nothing behind itself' "$(grep '^rm ' make.log)" ''
    for file in margay libmargay.a libmargay.so.* man/man1/margay.1 \
        man/man1/margay-curve.1 completion/margay completion/_margay; do
        for path in "$BUILD"/$file; do
            file=${path#"$BUILD"/}
            check "the same bytes: $file" cmp -s "$path" \
                "some/other/place/out/$file"
        done
    done
    object=some/other/place/out/obj/traces/formats/text.o
    is 'what is made is made once, by each name of the folder' \
        "$(compiled "$PWD/$object")" 0
    sleep 1
    touch some/other/place/traces/base/checked.h
    is 'and again when a header is new' "$(compiled "$PWD/$object")" 1
    for test in tests/library.t tests/docs/manual.t; do
        check "$test passes there" sh -c 'cd some/other/place &&
            MARGAY=out/margay BUILD=out prove -Q "$0" >/dev/null' "$test"
    done
}
if [ -z "$(make -s -C "$root" print-SANITIZE 2>/dev/null | sed /^make/d)" ]; then
    same_build
else
    skip 'the build can be repeated' 'a build for a sanitizer'
fi
finish
