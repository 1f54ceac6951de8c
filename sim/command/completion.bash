_margay() {
    local line=${COMP_LINE:0:COMP_POINT} words word taken='' prefix=''
    local last breaks=${COMP_WORDBREAKS//[^=:]/}
    read -ra words <<<"$line"
    [[ $line == *[[:blank:]] ]] && words+=('')
    last=$((${#words[@]} - 1)) word=${words[last]}
    if ((last == 1)); then
        taken=$(_margay_takes commands)
    elif [[ $word == --*=* ]]; then
        taken=$(_margay_takes "${words[1]},${word%%=*}")
        prefix=${word%%=*}=
    elif ! taken=$(_margay_takes "${words[1]},${words[last - 1]}"); then
        if [[ $word == -* ]]; then
            taken=$(_margay_takes "${words[1]},options")
        else
            taken=$(_margay_takes "${words[1]},operands")
        fi
    fi
    COMPREPLY=()
    # Where no word fits, files do.
    if [[ $taken == FILES* ]]; then
        compopt -o default 2>/dev/null
        taken=${taken#FILES}
        [[ $taken ]] || return
    fi
    # Of a list, the last item.
    [[ $word == *,* ]] && prefix=${word%,*},
    mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$taken" \
        -- "${word#"$prefix"}")
    [[ ${COMPREPLY[0]-} == *[=:] ]] && compopt -o nospace 2>/dev/null
    if [[ $breaks && $word == *["$breaks"]* ]]; then
        prefix=${word%"${word##*["$breaks"]}"}
        COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
    fi
}
complete -F _margay margay
