#!/bin/sh
# pairs.t - windows, moments and tenants of every measure, against plain runs
#
# A window is a run whose warm-up is all that came before it, a snapshot a run
# with a limit, and a tenant a run on its references alone.
. tests/sim/lib.sh

perl -e '
    require shift;
    seed(7);
    my @names = ("web", "db", "batch job");
    my $request = 0;
    print "who,block,request,size,time,op\n";
    for my $i (1 .. 500) {
        my ($tenant, $block) = (draw(3), draw(24) * (1 + draw(2)));
        $request += draw(3) == 0;
        printf "%s,%d,%d,%d,%d,%s\n", $names[$tenant], $block + 9 * $tenant,
            $request, 8 + $block % 9, $i, draw(3) ? "read" : "write";
    }' "$root/tests/sim/draw.pl" >t.csv
for tenant in web db 'batch job'; do
    mkdir "$tenant"
    { head -1 t.csv; grep "^$tenant," t.csv; } >"$tenant/t.csv"
done
columns=id=block,request=request,size=size,time=time,op=op

curve() { # OPTION...: rows, what is said, samples, and a histogram after h:
    rm -f p.prom h.csv
    # shellcheck disable=SC2086
    "$MARGAY" curve -q --column $columns "$@" t.csv 2>&1
    cat p.prom 2>/dev/null
    sed 's/^/h:/' h.csv 2>/dev/null
}

# All but headers, with one more label, in one order.
in_window() { # NUMBER
    sed -E -e '/^#|^(h:)?(trace|tenant),/d' -e "s/^(h:)?(.*t\.csv,,)/\1$1,\2/" \
        -e "s/trace=\"t.csv\"/&,window=\"$1\"/" \
        -e "s/^margay curve: t.csv/&, window $1/"
}
of_tenant() { # NAME
    sed -E -e '/^#|^(h:)?trace,/d' -e "s/^(h:)(t\.csv,,)/\1$1,\2/" \
        -e "s/^t\.csv,,.*/&,$1/" -e "s/trace=\"t.csv\"/&,tenant=\"$1\"/" \
        -e "s/^margay curve: t.csv/&, tenant $1/"
}

while read -r options; do
    # shellcheck disable=SC2086
    curve $options --window 170 | sed -E '/^#|^(h:)?window,/d' | sort >got
    for window in 0 1 2; do
        # shellcheck disable=SC2086
        curve $options --warmup $((window * 170)) \
            --limit $((window * 170 + 170)) | in_window $window
    done | sort >expected
    check "windows: $options" cmp got expected
    check 'there are some' test "$(wc -l <got)" -gt 5
    # shellcheck disable=SC2086
    curve $options --every 300 -o x >/dev/null
    # shellcheck disable=SC2086
    curve $options --limit 300 -o expected >/dev/null
    check 'a snapshot' cmp x.snapshot expected
    # shellcheck disable=SC2086
    curve $options -o expected >/dev/null
    check 'which changes nothing' cmp x expected
done <<'END'
--sizes 4,30 --prometheus p.prom --histogram h.csv --at-most 0.5
--tenant who --sizes 4,30 --prometheus p.prom --histogram h.csv --knees 1
--writebacks --sizes 2,4,8,30
--writebacks --tenant who --sizes 4,30
--sample 0.5 --sizes 4,30
--requests --sizes 4,30 --prometheus p.prom --knees 1
--requests --touch back --tenant who --sizes 4,30
--policy lru,sieve,fifo,opt,clock,lfu,random --prometheus p.prom --knees 1
--policy fifo,s3fifo,arc,2q,lirs,tinylfu --sizes 1,4,16,40,99
--policy sieve,lru --sample 0.5 --sizes 4,30 --at-most 0.7
--policy arc,lru,fifo --writebacks --sizes 2,8,30
--tenant who --policy s3fifo,opt --sizes 8,20 --prometheus p.prom
--objects --sizes 40,300 --histogram h.csv --prometheus p.prom
--objects --ttl 90 --tenant who --sizes 40,300
--objects --ttl 40 --policy lru,fifo --sizes 40,300 --prometheus p.prom
--tenant who --objects --policy sieve,lru --sizes 80 --at-most-bytes 0.8
END

# What tenants miss in the shared cache is compared in tenants.t.
while read -r options; do
    # shellcheck disable=SC2086
    curve $options --tenant who |
        sed -E -e '/^#|^(h:)?(trace|tenant),|shared/d' \
            -e 's/^(t\.csv.*,[a-z ]+),[0-9]+$/\1/' | sort >got
    for tenant in web db 'batch job'; do
        # shellcheck disable=SC2086
        (cd "$tenant" && curve $options) | of_tenant "$tenant"
    done | sort >expected
    check "tenants: $options" cmp got expected
    check 'there are some' test "$(wc -l <got)" -gt 5
done <<'END'
--sizes 4,30 --prometheus p.prom --knees 2 --at-most 0.5
--sizes 4,30 --writebacks
--model footprint --sizes 4,30 --at-most 0.7
--sizes 4,30 --half-life 90 --prometheus p.prom
--requests --sizes 4,30 --prometheus p.prom --knees 1
--policy lru,sieve,opt --prometheus p.prom --at-most 0.5
--policy fifo,random --writebacks --sizes 4,30
--objects --sizes pow2 --prometheus p.prom --histogram h.csv --at-most-bytes 0.5
--objects --ttl 90 --sizes 40,300
--objects --half-life 90 --sizes 40,300
--objects --policy lru,fifo --sizes 40,300 --prometheus p.prom --knees
END
finish
