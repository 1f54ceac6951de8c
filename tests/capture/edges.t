#!/bin/sh
# edges.t - what `margay record` does at its edges: compilers by any name,
# programs that it can record only in part or not at all, and odd descriptors
. tests/sim/lib.sh
compiler=${CC:-cc}

# ------------------------------------------------------------- compilers --
# The flags are those of the compiler, however CC names it.
cat >vector.cc <<'END'
#include <vector>
int main() { return std::vector<int>(100, 1)[9] - 1; }
END
flags_of() { # NAME
    CC=$1 "$MARGAY" record --cflags --libs
}
names_of() { # COMPILER COMPILER_OF_CXX
    printf '#!/bin/sh\nexec %s "$@"\n' "$1" >another-name
    chmod +x another-name
    echo "$1 $2 $(command -v "$2") $PWD/another-name"
}
for pair in gcc:g++ clang:clang++; do
    gnu=${pair%:*} cxx=${pair#*:}
    if ! command -v $gnu >/dev/null || ! $cxx -o plain vector.cc 2>/dev/null; then
        skip "flags for $gnu by its other names" "no $gnu, or no $cxx"
        continue
    fi
    for name in $(names_of $gnu $cxx) "env $cxx"; do
        is "the flags for $name are those for $gnu" "$(flags_of "$name")" \
            "$(flags_of $gnu)"
    done
done
for name in cc c++; do
    kind=$($name --version 2>/dev/null | sed -n '1s/.*clang version.*/clang/p')
    if command -v $name >/dev/null; then
        is "the flags for $name are those of what it is" "$(flags_of $name)" \
            "$(flags_of "${kind:-gcc}")"
    else
        skip "the flags for $name" "no $name"
    fi
done
for name in '' no-such-compiler true; do
    is "CC='$name' names neither: the flags fit both" "$(flags_of "$name")" \
        "$(unset CC && "$MARGAY" record --cflags --libs)"
done
name='C++ with CC=g++ and -flto is recorded'
# shellcheck disable=SC2046 # words
if g++ -flto -o plain vector.cc 2>/dev/null; then
    check "$name: built" g++ -O1 -flto $(CC=g++ "$MARGAY" record --cflags) \
        -o vector vector.cc $(CC=g++ "$MARGAY" record --libs)
    run record -q --method runtime --to lackey -o trace ./vector
    is "$name" "$status $(grep -c '^ L .*,4$' trace)" '0 1'
else
    skip "$name" 'no g++ with -flto'
fi
finish
