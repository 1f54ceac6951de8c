#!/bin/sh
# machines.t - what make says of a machine or a folder that it cannot build for
. tests/sim/lib.sh
make_in() { # FOLDER ARGUMENT...: its output in said
    folder=$1
    shift
    status=0
    env -u MAKEFLAGS -u MAKEOVERRIDES make -s -C "$folder" DEPS=no "$@" \
        >said 2>&1 </dev/null || status=$?
}

mkdir 'a blank'
cp "$root/GNUmakefile" 'a blank'
make_in 'a blank' help
is 'a blank in the path: one line, at once' "$status $(grep -vc '^make' said) $(
    grep -c 'GNUmakefile:.*a blank in a path' said)" '2 1 1'
make_in "$root" BUILD="$work/a blank/build" help
is 'and in that of the build' "$status $(grep -c 'a blank in a path' said)" '2 1'

# Compilers that are as told: for a machine of 32 bits, for another machine.
compiler() { # NAME MACHINE STATUS
    cat >"$1" <<END
#!/bin/sh
case \$* in *-dumpmachine*) echo $2 ;; *) cat >/dev/null; exit $3 ;; esac
END
    chmod +x "$1"
}
compiler narrow i686-linux-gnu 1
make_in "$root" CC="$work/narrow" BUILD="$work/out" "$work/out/flags"
is 'a machine of 32 bits: one line' "$status $(grep -v '^make' said)" \
    "2 Margay needs a 64-bit machine: $work/narrow has no __int128, or does not work"
check 'and no flags are kept' absent out/flags

compiler other riscv64-linux-gnu 0
compiler this "$(cc -dumpmachine)" 0
completes_with() { # CC
    make_in "$root" CC="$1" BUILD="$work/out" print-completion_PROGRAM
    tail -n 1 said
}
is 'completion comes from the program' "$(completes_with "$work/this")" \
    "$work/out/margay"
is 'and of one for another machine, from one that runs here' \
    "$(completes_with "$work/other")" "$work/out/host/margay"
finish
