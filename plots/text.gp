# text.gp - words for people and for the shell; loaded by the others

# 2^k with a binary prefix: "512", "64 Ki"; `unit` is "B" or "".
power_text(k, unit) = sprintf("%d%s%s%s", 2 ** (k % 10), \
    k < 10 && unit eq "" ? "" : " ", \
    k < 10 ? "" : word("Ki Mi Gi Ti Pi Ei", k / 10), unit)
# 2^k with "KiB" and the like, or a plain count where it is short enough.
size_text(k, unit) = unit eq "" && k <= 13 ? sprintf("%d", 2 ** k) \
                                           : power_text(k, unit)

base_name(path) = strstrt(path, "/") == 0 ? path \
    : base_name(path[strstrt(path, "/") + 1:*])

# One word for the shell, whatever is in it.
shell_rest(text) = strstrt(text, "'") == 0 ? text \
    : text[1:strstrt(text, "'")] . "\\''" \
      . shell_rest(text[strstrt(text, "'") + 1:*])
shell_word(text) = "'" . shell_rest(text) . "'"
