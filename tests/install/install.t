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
    share/margay/curve.gp share/margay/machines/amd-zen2.csv \
    share/bash-completion/completions/margay \
    share/zsh/site-functions/_margay share/doc/margay/README.md \
    share/doc/margay/LICENSE share/doc/margay/examples/example.c \
    share/doc/margay/examples/example_question.c \
    share/doc/margay/examples/example_policy.c include/margay/policy.h \
    share/doc/margay/examples/example_policy.py \
    share/doc/margay/examples/example_run.c; do
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
    "$(cd "$dest" && find . -type f -perm /111 ! -name margay-mpi \
        ! -path '*/margay/valgrind/*')" ./usr/bin/margay
is 'all can read all, and only the owner write' \
    "$(find "$dest/usr" ! -type l \( ! -perm -444 -o -perm /022 \))" ''
check 'the links of the pages lead somewhere' sh -c \
    'cd "$0/usr/share/doc/margay" && perl "$1/tests/docs/links.t" >"$2/links"' \
    "$dest" "$root" "$work"
grep '^#' links
if [ -e "$BUILD/valgrind/margay-valgrind" ]; then
    MARGAY="$dest/usr/bin/margay" run record -q --method valgrind \
        -o true.u64 true
    is 'the tool of Valgrind runs' "$status $(cat err)" '0 '
else
    skip 'the tool of Valgrind runs' 'built without Valgrind'
fi
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
# What the compiler has; sanitizers do without.  Whether a whole program is
# marked for CET depends on the C library's own objects.
hardening=$(make -s -C "$root" print-HARDENING 2>/dev/null | sed /^make/d)
if [ "$hardening" ]; then
    for file in "$shared" "$dest"/usr/bin/* \
        "$dest"/usr/lib/margay/margay_[lq]*.so \
        "$dest"/usr/lib/margay/valgrind/margay-valgrind; do
        [ -e "$file" ] || continue
        check "${file##*/}: all symbols are bound at the start" sh -c \
            'readelf -dW "$0" | grep -q BIND_NOW' "$file"
    done
fi
case $hardening in *stack-protector*)
    check 'stacks are protected' sh -c \
        'nm -D "$0" | grep -q __stack_chk_fail' "$shared" ;;
esac
case $hardening in *FORTIFY*)
    check 'copies are checked' sh -c 'nm -D "$0" | grep -q __snprintf_chk' \
        "$shared"
    launcher=$dest/usr/lib/margay/valgrind/margay-valgrind
    [ ! -e "$launcher" ] || check 'those of the launcher, too' sh -c \
        'nm -D "$0" | grep -q __snprintf_chk' "$launcher" ;;
esac
case $hardening in *-fcf-protection*)
    is 'every object is marked for CET' "$(readelf -nW \
        "$dest/usr/lib/libmargay.a" 2>/dev/null |
        awk '/^File: / { member = $2; n++ } /IBT, SHSTK/ { n-- } END { print n }')" 0 ;;
esac
# A sanitizer's own symbols are in there, too.
if [ -z "$sanitize" ]; then
    nm -D --defined-only "$shared" | sed 's/.* //' | sort >exported
    public_functions "$dest"/usr/include/margay/*.h >declared
    check 'there are functions' test "$(wc -l <declared)" -ge 40
    check 'exactly what the headers declare is exported' \
        cmp -s exported declared
    diff exported declared | sed 's/^/#   /'
fi

# The plots are drawn by scripts next to the command.
mkdir fake
printf '#!/bin/sh\necho "$5" >"%s/used"\nexit 1\n' "$work" >fake/gnuplot
chmod +x fake/gnuplot
printf '0 10\n1 20\n' >trace.din
"$MARGAY" curve -q trace.din -o curve.csv
(unset MARGAY_PLOTS && PATH=$work/fake:$PATH "$dest/usr/bin/margay" plot \
    curve.csv -o curve.svg 2>err)
like 'the scripts are found' "$(cat used)" "^$dest/usr/.*/margay/picture.gp$"
check 'and the machines' env -u MARGAY_MACHINES "$dest/usr/bin/margay" \
    simulate -q --machine amd-zen2 trace.din -o machine.csv

check 'make uninstall' build uninstall DESTDIR="$dest" PREFIX=/usr
is 'it leaves nothing' "$(find "$dest" ! -type d -o -name '*margay*')" ''

# --------------------------------------------------- programs that use them --
prefix=$work/prefix
printf '#!/bin/sh\necho "$0" >"%s/linker"\n' "$work" >fake/ldconfig
chmod +x fake/ldconfig
check 'make install PREFIX=...' build install PREFIX="$prefix" \
    LDCONFIG="$work/fake/ldconfig"
if [ "$(id -u)" = 0 ]; then
    check 'the dynamic linker is told' test -s linker
else
    skip 'the dynamic linker is told' 'only root may tell it'
fi
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
cp "$prefix"/share/doc/margay/examples/*.c .
# The flags are lists of words.
# shellcheck disable=SC2086
compile() { # SOURCE OUTPUT FLAGS [COMPILER]
    ${4:-cc} -Wall -Wextra -Werror $sanitize -o "$2" "$1" $3
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
    check "the example, $kind" compile example.c "example.$kind" "$link"
    ./example.$kind trace.lines >answer
    check "it answers as the command does, $kind" cmp -s answer expected
    ./example.$kind nowhere 2>answer
    is "it tells what is wrong, $kind" "$? $(cat answer)" \
        '1 example: nowhere: No such file or directory'
done
check 'the static one needs no libmargay' sh -c \
    '! readelf -d example.static | grep -q libmargay'

# Two traces in windows, and one that goes on where another run has stopped.
"$MARGAY" generate -q zipf --refs 25000 --blocks 3000 --unit 64 --to din \
    -o zipf.din
"$MARGAY" generate -q phases --refs 30000 --blocks 5000 --unit 16 --to u64 \
    -o phases.u64
check 'a state to go on from' "$MARGAY" curve -q --save state \
    -o first.csv zipf.din
run curve -q -b 32,64,128,256 --window 10000 --sizes 1024 zipf.din phases.u64
sed 1d out | cut -d, -f1-3,6,7 >expected
run curve -q --sizes 1024 --resume state phases.u64
sed '1d; s/^/0,/' out | cut -d, -f1-3,6,7 >>expected
is 'what the command says of them' "$(wc -l <expected)" 25
example_run() { # WHAT PROGRAM
    ./"$2" zipf.din phases.u64 state >answer
    check "example_run.c answers as the command does, $1" \
        cmp -s answer expected
}
check 'example_run.c fits a page' test "$(wc -l <example_run.c)" -le 80
check 'example_run.c' compile example_run.c run_c "$flags"
example_run 'in C' run_c
if command -v c++ >/dev/null; then
    check 'example_run.c as C++' compile example_run.c run_cxx "$flags" \
        'c++ -x c++ -std=c++11'
    example_run 'in C++' run_cxx
else
    skip 'example_run.c as C++' 'no C++ compiler'
fi
./run_c zipf.din nowhere 2>answer >/dev/null
is 'example_run.c tells what is wrong' "$? $(cat answer)" \
    '1 example_run: nowhere: No such file or directory'

# A question of the program's own, against the same in awk.
"$MARGAY" generate -q zipf --refs 9000 --blocks 500 --unit 64 --to u64 \
    -o zipf.u64
for trace in phases.u64 zipf.u64; do
    od -An -v -tu8 -w8 $trace | awk -v name=$trace '
        { block = int($1 / 64) }
        NR > 1 { sum += block > last ? block - last : last - block }
        { last = block }
        END { printf "%s,%d,%.3f\n", name, NR, sum / (NR - 1) }'
done >expected
check 'example_question.c fits a page' \
    test "$(wc -l <example_question.c)" -le 110
check 'example_question.c' compile example_question.c question "$flags"
./question phases.u64 zipf.u64 >answer
check 'it finds the mean strides' cmp -s answer expected
./question nowhere 2>answer
is 'it tells what is wrong' "$? $(cat answer)" \
    '1 example_question: nowhere: No such file or directory'

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
