#!/bin/sh
# completion.t - bash and zsh complete what the command knows, and only that
. tests/sim/lib.sh

run help --completion csh
is 'another shell' "$status $(cat err)" \
    "2 margay help: --completion: 'csh' (expected bash or zsh; did you mean 'zsh'?)"
run help --completion bash
cp out margay.bash
run help --completion zsh
cp out margay.zsh
check 'the script for zsh names its command' grep -q '^#compdef margay$' \
    margay.zsh
if command -v zsh >/dev/null; then
    check 'zsh can read its script' zsh -n margay.zsh
else
    skip 'zsh can read its script' 'no zsh'
fi

# A terminal, the line editor of zsh, and the key.
cat >keys.zsh <<'END'
zmodload zsh/zpty || exit
zpty shell 'TERM=dumb zsh -f -i'
zpty -w shell 'fpath=($PWD/functions $fpath); autoload -U compinit'
zpty -w shell 'compinit -u -D; margay() { print "<$*>"; }; print rea""dy'
zpty -r shell output '*ready*'
zpty -w shell $'margay cu\t --straddle=sp\t -e holes:form=v\t margay.b\t'
zpty -r shell output '*<curve*>*'
print -r -- $output
END
if command -v zsh >/dev/null && command -v timeout >/dev/null &&
    zsh -f -c 'zmodload zsh/zpty && autoload -U +X compinit' 2>/dev/null; then
    mkdir functions
    cp margay.zsh functions/_margay
    timeout 100 zsh -f keys.zsh >typescript
    like 'a line completed by the key, in zsh' "$(tr -d '\r' <typescript)" \
        '<curve --straddle=split -e holes:form=vector margay.bash>'
else
    skip 'a line completed by the key, in zsh' 'no zsh, or not all of it'
fi
machines=$("$MARGAY" simulate --machine none /dev/null 2>&1 |
    sed -n 's/.* one of \(.*\))$/\1/p' | sed 's/, /\n/g' | sort | paste -sd ' ')
is 'all machines are known' "$(sed -n \
    's/.*simulate,--machine) echo .FILES \(.*\). ;;/\1/p' margay.bash |
    tr ' ' '\n' | sort | paste -sd ' ')" "$machines"
command -v bash >/dev/null || {
    skip 'completion in bash' 'no bash'
    finish
}
check 'bash can read its script' bash -n margay.bash

# What the function answers at the end of a line.
cat >complete.bash <<'END'
source ./margay.bash
COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
_margay
echo "${COMPREPLY[*]}"
END
completes() { # LINE EXPECTED
    is "complete '$1'" "$(bash complete.bash "$1")" "$2"
}
commands=$("$MARGAY" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | tr '\n' ' ')
completes 'margay ' "${commands% }"
completes 'margay cu' curve
completes 'margay generate z' zipf
completes 'margay help gene' generate
completes 'margay curve --sk' --skip
completes 'margay curve --straddle ' 'first split'
completes 'margay curve --straddle=s' split
completes 'margay curve --kind read,w' read,write
completes 'margay curve --kind=read,w' read,write
completes 'margay curve -f din --sizes o' octave:
completes 'margay curve -e hol' 'holes holes:form=tree holes:form=vector'
completes 'margay curve -e holes:form=t' tree
completes 'margay curve --engine=holes:fo' 'form=tree form=vector'
completes 'margay assoc --policy opt:b' 'bypass=off bypass=on'
completes 'margay predict --method ' 'single multi'
completes 'margay record --method=' 'auto runtime valgrind'
completes 'margay record --thread-traces s' separate
completes 'margay predict --bins lin' 'linear linear:'
completes 'margay histogram --bins lin' linear:
completes 'margay generate zipf --to u3' 'u32 u32be'
completes 'margay curve --skip ' ''
completes 'margay nosuch ' ''

# What is no option in a help is a table of commands, which have options, too.
for command in $commands; do
    "$MARGAY" help "$command" | sed '/^  [a-z]/d' | tr ', ' '\n\n' |
        grep -x -e '--[a-z-]*' -e '-[a-z]' | sort -u >of_help
    bash complete.bash "margay $command -" | tr ' ' '\n' | sort >of_bash
    check "the options of $command" cmp -s of_help of_bash
done

# The words that stand in the script are words that the command takes.
printf ' L %x,4\n' 0 64 128 0 64 >loads.lackey
for command in curve histogram assoc; do
    sed -n "s/^ *$command,.*\(--[a-z]*\)) echo '\(..*\)' ;;/\1 \2/p" \
        margay.bash | grep -v FILES >choices
    while read -r option words; do
        for word in $words; do
            case $option$word in
            --format* | --quote*) continue ;; # not of this trace
            *octave: | *reference: | *linear:) word=${word}2 ;;
            --engine*=) continue ;; # a number is to follow
            --bysite | --bythread | --byop | --byregion=) continue ;; # nor these
            --opget | --opset | --opdelete) continue ;;
            esac
            bound='--bound 4'
            [ $command != assoc ] || bound='--sets 1 --ways 1'
            # shellcheck disable=SC2086 # two words
            run $command "$option" "$word" $bound loads.lackey
            check "$command $option $word" sh -c \
                '[ "$0" = 0 ] || grep -q "bound\|does not say the \(sites\|tenants\|threads\)\\|(--\(requests\|objects\|tiers\))\|gpu: .* device\|does not run on this processor" err' "$status"
        done
    done <choices
done

# Of other commands none refuses a word as such.
for command in predict record generate; do
    sed -n "s/^ *$command,.*\(--[a-z-]*\)) echo '\(..*\)' ;;/\1 \2/p" \
        margay.bash | grep -v FILES >choices
    while read -r option words; do
        for word in $words; do
            case $word in *:) word=${word}2 ;; esac
            run $command "$option" "$word" -o nothing.u64 true
            check "$command $option $word" sh -c \
                '! grep -q -e "$0: \|no format" err' "$option"
        done
    done <choices
done

# A terminal, the readline of bash, and the key.
printf '%s\n' 'source ./margay.bash' 'margay() { echo "<$*>"; }' \
    "$(printf 'margay cu\t --straddle=sp\t -e holes:form=v\t margay.b\t')" \
    exit >keys
if command -v script >/dev/null && script -qc true /dev/null >/dev/null; then
    timeout 100 script -qc 'bash --norc --noprofile -i' /dev/null \
        <keys >typescript
    like 'a line completed by the key' "$(tr -d '\r' <typescript)" \
        '<curve --straddle=split -e holes:form=vector margay.bash>'
else
    skip 'a line completed by the key' 'no terminal can be had'
fi
finish
