#!/bin/sh
# deps.t - how .ci/deps.sh gets missing packages, and its errors
#
# The package manager and sudo are scripts that write down how they were called.
. tests/sim/lib.sh
mkdir bin
stub() { # NAME LINE...
    name=bin/$1
    shift
    printf '%s\n' '#!/bin/sh' "$@" >"$name"
    chmod +x "$name"
}
# Of a machine that has gcc and make.
stub dpkg-query 'for package; do :; done
case $package in gcc | make) echo installed ;; *) exit 1 ;; esac'
stub id 'echo 1000'
stub apt-get 'echo "apt-get $*" >>calls'
stub sudo '[ "$1" != -n ] || { echo "sudo $*" >>calls; exit $(cat sudo.status); }
echo "sudo $1" >>calls
exec "$@"'

deps() { # GROUP...: its output in out and err, and what was called in calls
    : >calls
    status=0
    PATH=$PWD/bin:$PATH sh "$root/.ci/deps.sh" "$@" >out 2>err </dev/null ||
        status=$?
}
echo 0 >sudo.status
deps build
is 'sudo without a terminal, and without a password' \
    "$status $(grep -c '^sudo apt-get$' calls) $(grep -c '^sudo env$' calls)" '0 1 1'
like 'what is missing is installed, and nothing else' "$(tail -n 1 calls)" \
    'install .* --no-install-recommends libc6-dev libarchive-dev'
like 'and said' "$(cat out)" \
    'installs: libc6-dev .*liblzma-dev libyajl-dev'
check 'with the way to do without' grep -q 'make DEPS=no' out

echo 1 >sudo.status
deps build
is 'sudo that would ask, and no terminal' "$status $(cat out)" '1 '
like 'the line to type' "$(cat err)" 'apt-get install .* libc6-dev'
check 'and the way to do without' grep -q 'make DEPS=no' err

stub id 'echo 0'
deps build
is 'root needs no sudo' "$status $(grep -c sudo calls)" '0 0'
deps run
like 'something that runs programs for record' "$(cat out)" ' valgrind'
deps run build gpu
is 'several groups are installed at once, each package once' \
    "$(grep -c ' install ' calls) $(grep -o 'libcsv-dev' calls | wc -l)" '1 1'
deps
is 'no group' "$status $(grep -c '^usage: deps.sh build|' err)" '2 1'
stub apt-get 'echo "E: no server answers" >&2; exit 100'
deps build
is 'no network' "$status" 1
like 'why' "$(cat err)" '^E: no server answers'
check 'and the way to do without' grep -q 'make DEPS=no' err
# ------------------------------------------------- without the packages --
# A build that installs nothing names the packages that it lacks.
mkdir hidden
echo '#error hidden' | tee hidden/csv.h >hidden/zlib.h
status=0
env -u MAKEFLAGS -u MAKELEVEL make -C "$root" BUILD="$PWD/none" DEPS=no CC=gcc \
    CPPFLAGS="-I$PWD/hidden" run >out 2>err || status=$?
is 'headers that are missing' "$status $(head -n 1 err)" \
    '2 Margay lacks headers of other packages; on Debian: apt-get install libcsv-dev zlib1g-dev'
is 'nothing is compiled' "$(grep -c '  CC' out)" 0
finish
