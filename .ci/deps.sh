#!/bin/sh
# deps.sh GROUP... - install the Debian packages of groups that are missing.
#
# Groups: build, run (build + plots, lines of sources, what records programs),
# check (run + tests), capture (as check), cross (check + a compiler for aarch64 and
# QEMU, which runs what it makes), annotate (as check),
# gpu (build + OpenCL on the processor, 250 MB with the compiler that it brings),
# evaluation (capture + llvm + the programs that are recorded, 170 MB),
# valgrind, mpi, llvm (check + what builds the plugin for clang, 500 MB),
# python (build + what makes the package for Python), lint.
# With nothing missing it says nothing and changes nothing.  Otherwise it says
# what it installs; it needs root, or sudo that asks for no password or has a
# terminal to ask on; without either it prints the command and stops.
set -eu

# Tools for `record`: one is built with valgrind's libraries.
recorder='valgrind pkg-config'

build='gcc make libc6-dev libarchive-dev libcsv-dev zlib1g-dev libzstd-dev
    liblzma-dev libyajl-dev libpcre2-dev'
run="$build gnuplot-nox libdw-dev $recorder"
check="$run perl gzip xz-utils zstd bzip2 lz4 nodejs"
clang_plugin='g++ clang llvm-dev'
evaluation="$check $clang_plugin gnugo povray povray-includes x264
    pocketsphinx pocketsphinx-en-us lua5.4 sqlite3 link-grammar
    link-grammar-dictionaries-en hmmer glpk-utils python3-minimal
    texlive-latex-base"
cross="$check gcc-aarch64-linux-gnu qemu-user"
llvm="$check $clang_plugin"
mpi="$build openmpi-bin libopenmpi-dev"
gpu="$build ocl-icd-libopencl1 pocl-opencl-icd"
python="$build python3 python3-pycparser python3-ipykernel python3-nbclient"
lint="$check mandoc shellcheck clang clang-format cppcheck"

packages=
for group in "${@-none}"; do
    case $group in
    build) packages="$packages $build" ;;
    run) packages="$packages $run" ;;
    check | capture | annotate | valgrind) packages="$packages $check" ;;
    cross) packages="$packages $cross" ;;
    evaluation) packages="$packages $evaluation" ;;
    mpi) packages="$packages $mpi" ;;
    llvm) packages="$packages $llvm" ;;
    gpu) packages="$packages $gpu" ;;
    python) packages="$packages $python" ;;
    lint) packages="$packages $lint" ;;
    *)
        echo "usage: deps.sh build|run|check|capture|annotate|cross|gpu|evaluation|\
valgrind|mpi|llvm|python|lint ..." >&2
        exit 2
        ;;
    esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
    # Not Debian: the compiler will say what is missing.
    exit 0
fi

missing=
for package in $packages; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || :
    case "$state $missing " in
    installed* | *" $package "*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 &&
    { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root=sudo
else
    echo "Margay needs packages that are not installed. As root, run:" >&2
    echo "    apt-get update && apt-get install --no-install-recommends$missing" >&2
    echo "(or take the machine as it is: make DEPS=no ...)" >&2
    exit 1
fi

echo "Margay installs:$missing"
echo "(it asks the package servers first; make DEPS=no ... does without)"
# $missing and $patience are lists of words: a server that fails is asked once
# more, but not for long, and another installation waited for.
patience='-o Acquire::Retries=1 -o Acquire::http::Timeout=10
    -o Acquire::https::Timeout=10 -o DPkg::Lock::Timeout=300'
# shellcheck disable=SC2086
install_missing() {
    $as_root apt-get $patience update -qq &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get $patience \
            install -y -qq --no-install-recommends $missing
}
said=$(install_missing 2>&1 >/dev/null) || {
    printf '%s\n' "$said" | tail -n 4 >&2
    echo "Margay could not install:$missing" >&2
    echo "(to take the machine as it is, without a network: make DEPS=no ...)" >&2
    exit 1
}
