#!/bin/sh
# sites.t - the code that made a reference is found in its program's file,
# at each place where the program may be loaded
. tests/sim/lib.sh
. "$root/tests/capture/recording.sh"

cat >sites.c <<'EOF'
volatile int array[1000];
int main(void)
{
    for (int i = 0; i < 100000; i++)
        array[i % 1000] = i; /* line 5 */
    return array[7] == 0; /* line 6 */
}
EOF
# line PROGRAM TRACE: the busiest site, as the cookbook finds it.
line() {
    "$MARGAY" histogram -q --by site --kind write --bins log2 "$2" |
        awk -F, 'NR > 1 && $2 != "" { n[$1] += $(NF - 1) }
            END { for (site in n) print n[site], site }' |
        sort -rn | head -n 1 | cut -d' ' -f2 | xargs addr2line -e "$1" |
        sed 's:.*/::; s/ (.*//'
}
if ! command -v addr2line >/dev/null; then
    skip 'a site is found' 'needs addr2line'
    finish
fi
for kind in -pie -no-pie; do
    compile=-fPIE
    [ $kind = -pie ] || compile=-fno-pie
    check "$kind: is built" with_runtime "$compiler" -g -O1 $compile $kind \
        -o built sites.c
    check "$kind: is built as it is" "$compiler" -g -O1 $compile $kind \
        -o plain sites.c
    for method in runtime valgrind; do
        program=./built
        [ $method = runtime ] || program=./plain
        run record --method $method --sites --to mgt -o trace.mgt $program
        if [ "$status" = 125 ] && grep -q 'not with method' err; then
            skip "$kind, $method: addr2line finds the line" "$(tail -n 1 err)"
            continue
        fi
        is "$kind, $method: addr2line finds the line" \
            "$status $(line $program trace.mgt)" '0 sites.c:5'
    done
done

# A process that was killed while it named a module, before any other.
cat >unnamed.c <<'EOF'
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "traces/capture/slots.h"
int main(int count, char **arguments)
{
    const char *variable = getenv(MARGAY_CAPTURE_VARIABLE);
    struct margay_capture *capture =
        mmap(NULL, sizeof *capture, PROT_READ | PROT_WRITE, MAP_SHARED,
             variable == NULL ? -1 : atoi(variable), 0);
    if (count > 1 && (void *)capture != MAP_FAILED) {
        atomic_store(&capture->modules[0].state, MARGAY_MODULE_BEGUN);
        execv(arguments[1], arguments + 1);
    }
    return 1;
}
EOF
check 'one that leaves a module unnamed is built' "$compiler" -I"$root" \
    -o unnamed unnamed.c
run record --method runtime --sites --to mgt -o unnamed.mgt ./unnamed ./built
name='modules behind one without a name are known'
told=$("$MARGAY" annotate -q unnamed.mgt 2>&1)
case $told in
*'built without'*) skip "$name" 'annotate needs libdw' ;;
*) like "$name" "$told" 'sites\.c' ;;
esac

# More sites than a buffer has slots for, each of which writes as often.
awk 'BEGIN { print "volatile int x[600];\nint main(void)\n{"
    print "for (int i = 0; i < 50; i++) {"
    for (i = 0; i < 600; i++) print "x[" i "] = i;"
    print "}\nreturn 0;\n}" }' >many.c
check 'a program of many sites is built' with_runtime "$compiler" -g -O1 \
    -o many many.c
for form in words mgt; do
    run record --sites --to $form -o many.trace ./many
    is "$form: each of many sites is known" "$("$MARGAY" histogram -q \
        --by site --kind write --bins log2 many.trace | awk -F, '
        NR > 1 { n[$1] += $(NF - 1) }
        END { for (site in n) sites += n[site] == 50; print sites }')" 600
done
finish
