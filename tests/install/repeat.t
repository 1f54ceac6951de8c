#!/bin/sh
# repeat.t - a build elsewhere, and a second packing, give the same bytes
. tests/sim/lib.sh

# ------------------------------------------------------------------- build --
same_build() {
    made=$BUILD/margay
    newer=$(find "$root/traces" "$root/stackdist" "$root/assoc" "$root/sim" \
        "$root/docs" -type f -newer "$made")
    if [ -n "$newer" ]; then
        skip 'the build can be repeated' 'the sources have changed since'
        return
    fi
    mkdir -p some/other/place
    (cd "$root" && tar -cf - GNUmakefile install.mk .ci margay.pc.in traces \
        stackdist assoc sim plots docs tests) | tar -xf - -C some/other/place
    make -C some/other/place BUILD=out DEPS=no all >make.log 2>&1 ||
        sed 's/^/#   make: /' make.log
    check 'a build elsewhere' test -x some/other/place/out/margay
    for file in margay libmargay.a libmargay.so.* man/man1/margay.1 \
        man/man1/margay-curve.1 completion/margay completion/_margay; do
        for path in "$BUILD"/$file; do
            file=${path#"$BUILD"/}
            check "the same bytes: $file" cmp -s "$path" \
                "some/other/place/out/$file"
        done
    done
}
if [ -z "$(make -s -C "$root" print-SANITIZE 2>/dev/null | sed /^make/d)" ]; then
    same_build
else
    skip 'the build can be repeated' 'a build for a sanitizer'
fi

# -------------------------------------------------------------------- dist --
if git -C "$root" rev-parse -q --verify HEAD >/dev/null 2>&1; then
    for round in first second; do
        make -C "$root" BUILD="$work/$round" DEPS=no dist >/dev/null 2>&1
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
    skip 'make dist' 'not a repository'
fi
finish
