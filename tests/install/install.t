#!/bin/sh
# install.t - what is installed, where, and that it can be used from there
. tests/sim/lib.sh

# Options of the make that runs the tests (CC=..., SANITIZE=...) come along.
build() { # TARGET VARIABLE...
    make -C "$root" BUILD="$BUILD" DEPS=no "$@" >make.log 2>&1 || {
        sed 's/^/#   make: /' make.log
        return 1
    }
}
sanitize=$(make -s -C "$root" print-SANITIZE 2>/dev/null | sed /^make/d)

# ------------------------------------------------------------ what is where --
umask 077
dest=$work/dest
check 'make install DESTDIR=... PREFIX=/usr' build install DESTDIR="$dest" \
    PREFIX=/usr
for file in bin/margay lib/libmargay.a lib/libmargay.so lib/libmargay.so.0 \
    lib/pkgconfig/margay.pc include/margay/status.h include/margay/traces.h \
    include/margay/stackdist.h share/man/man1/margay.1 \
    share/margay/curve.gp share/bash-completion/completions/margay \
    share/zsh/site-functions/_margay share/doc/margay/README.md \
    share/doc/margay/LICENSE share/doc/margay/examples/example.c; do
    check "there is $file" test -s "$dest/usr/$file"
done
for command in $("$MARGAY" help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    check "there is a page on $command" \
        test -s "$dest/usr/share/man/man1/margay-$command.1"
done
for program in "$dest"/usr/bin/*; do
    check "there is a page on ${program##*/}" \
        test -s "$dest/usr/share/man/man1/${program##*/}.1"
done
is 'all lies in the usual directories' \
    "$(cd "$dest" && echo * && cd usr && echo *)" "$(printf '%s\n' usr \
    'bin include lib share')"
is 'what can be executed' \
    "$(cd "$dest" && find . -type f -perm /111 ! -name margay-mpi)" \
    ./usr/bin/margay
is 'all can read all, and only the owner write' \
    "$(find "$dest/usr" ! -type l \( ! -perm -444 -o -perm /022 \))" ''
check 'the command runs' sh -c '"$0" version >version' "$dest/usr/bin/margay"
grep -rlF -e "$root/" -e "$BUILD/" -e "$work" "$dest" >named
is 'no file names a directory of the build' "$(cat named)" ''

# ------------------------------------------------------------ the libraries --
shared=$dest/usr/lib/libmargay.so.0
readelf -dW "$shared" "$dest/usr/bin/margay" >dynamic
check 'the soname' grep -q 'SONAME.*\[libmargay.so.0\]' dynamic
check 'no run path, no text relocations' sh -c \
    '! grep -E "RPATH|RUNPATH|TEXTREL" dynamic'
is 'no stack can be executed' "$(readelf -lW "$shared" "$dest"/usr/bin/* |
    grep 'GNU_STACK.*RWE')" ''
# A sanitizer's own symbols are in there, too.
if [ -z "$sanitize" ]; then
    nm -D --defined-only "$shared" | sed 's/.* //' | sort >exported
    public_functions "$dest"/usr/include/margay/*.h >declared
    check 'there are functions' test "$(wc -l <declared)" -ge 40
    check 'exactly what the headers declare is exported' \
        cmp -s exported declared
    diff exported declared | sed 's/^/#   /'
fi

# The plots are drawn by scripts beside the command.
mkdir fake
printf '#!/bin/sh\necho "$3" >"%s/used"\n' "$work" >fake/gnuplot
chmod +x fake/gnuplot
printf '0 10\n1 20\n' >trace.din
"$MARGAY" curve -q trace.din -o curve.csv
(unset MARGAY_PLOTS && PATH=$work/fake:$PATH "$dest/usr/bin/margay" plot \
    curve.csv -o curve.svg)
like 'the scripts are found' "$(cat used)" "^$dest/usr/.*/margay/curve.gp$"

check 'make uninstall' build uninstall DESTDIR="$dest" PREFIX=/usr
is 'it leaves nothing' "$(find "$dest" ! -type d -o -name '*margay*')" ''

# --------------------------------------------------- programs that use them --
prefix=$work/prefix
check 'make install PREFIX=...' build install PREFIX="$prefix"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
if command -v pkg-config >/dev/null; then
    flags=$(pkg-config --cflags --libs margay)
    all_flags=$(pkg-config --cflags --libs --static margay)
    like 'pkg-config' "$flags" "^-I$prefix/include -L$prefix/lib -lmargay *$"
    is 'its version is the command'\''s' "$(pkg-config --modversion margay)" \
        "$("$MARGAY" version | sed -n 's/^margay //p')"
else
    skip 'pkg-config' 'no pkg-config'
    flags="-I$prefix/include -L$prefix/lib -lmargay"
    all_flags="$flags $(sed -n 's/^Libs.private: //p' \
        "$prefix/lib/pkgconfig/margay.pc")"
fi
static_flags=$(echo "$all_flags" | sed 's/-lmargay/-l:libmargay.a/')
cp "$prefix/share/doc/margay/examples/example.c" .
# The flags are lists of words.
# shellcheck disable=SC2086
compile() { # OUTPUT FLAGS...
    cc -Wall -Wextra -Werror $sanitize -o "$1" example.c $2
}
letters abcabcaab >trace.lines
run curve -q --sizes pow2 trace.lines
awk -F, 'NR > 1 { print $3 " blocks: " $6 " of " $5 " miss" }' out >expected
LD_LIBRARY_PATH=$prefix/lib
export LD_LIBRARY_PATH
for kind in shared static; do
    case $kind in
    shared) link=$flags ;;
    static) link=$static_flags ;;
    esac
    check "the example, $kind" compile "example.$kind" "$link"
    ./example.$kind trace.lines >answer
    check "it answers as the command does, $kind" cmp -s answer expected
    ./example.$kind nowhere 2>answer
    is "it tells what is wrong, $kind" "$? $(cat answer)" \
        '1 example: nowhere: No such file or directory'
done
check 'the static one needs no libmargay' sh -c \
    '! readelf -d example.static | grep -q libmargay'

# -------------------------------------------------------------- the headers --
for header in "$prefix"/include/margay/*.h; do
    name=${header##*/}
    echo "#include <margay/$name>" >alone.c
    check "$name stands alone in C11" cc -std=c11 -Wall -Wextra -Wpedantic \
        -Werror -I"$prefix/include" -fsyntax-only alone.c
    if command -v c++ >/dev/null; then
        check "$name is C++" c++ -x c++ -std=c++11 -Wall -Wextra -Wpedantic \
            -Werror -I"$prefix/include" -fsyntax-only alone.c
    else
        skip "$name is C++" 'no C++ compiler'
    fi
done
finish
