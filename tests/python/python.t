#!/bin/sh
# python.t - the package for Python, from its folder and from its wheel
. tests/sim/lib.sh

if [ ! -e "$BUILD/python/margay/_library.py" ]; then
    echo '1..0 # SKIP no package: it takes python3-pycparser, and a library for' \
        'this machine without sanitizers'
    exit 0
fi
python=
for name in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! command -v $name >/dev/null || python=$name
done

mkdir traces
PYTHONPATH=$BUILD/python timeout 900 "$python" "$root/tests/python/check.py" \
    "$MARGAY" traces >tap 2>tap.err || echo 'not ok - it ended' >>tap
sed -n 's/^not ok/# not ok/p; /^#/p' tap
is 'every check in Python passes' "$(grep -c '^not ok' tap)" 0
sed 's/^/# /' tap.err
check 'and there are some' test "$(grep -c '^ok' tap)" -gt 20

# The structures are as large as C's.
sed -n 's/^class \(.*\)(Structure):$/\1/p' "$BUILD/python/margay/_library.py" \
    >structures
{
    echo '#include <stdio.h>'
    echo '#include <margay/policy.h>'
    echo '#include <margay/prediction.h>'
    echo '#include <margay/questions.h>'
    echo '#include <margay/run.h>'
    echo '#include <margay/sharing.h>'
    echo 'int main(void) {'
    sed 's/.*/printf("& %zu\\n", sizeof(struct &));/' structures
    echo 'return 0; }'
} >sizes.c
${CC:-cc} -I"$BUILD/include" sizes.c -o sizes && ./sizes >c.sizes
PYTHONPATH=$BUILD/python "$python" -c '
import ctypes, sys
import margay._library as library
for name in open("structures"):
    name = name.strip()
    print(name, ctypes.sizeof(getattr(library, name)))' >python.sizes
check 'structures are as large as in C' cmp -s c.sizes python.sizes
check 'of which there are many' test "$(wc -l <structures)" -gt 15

# The wheel, in a folder of its own: what pip unpacks.
"$python" "$root/sim/python/wheel.py" 1.2.3 "$BUILD/python" wheels >wheel
"$python" "$root/sim/python/wheel.py" 1.2.3 "$BUILD/python" again >/dev/null
check 'the same wheel each time' cmp -s wheels/*.whl again/*.whl
"$python" - "$(cat wheel)" <<'EOP'
import os, stat, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    for entry in archive.infolist():
        path = archive.extract(entry, "unpacked")
        mode = entry.external_attr >> 16
        if stat.S_ISREG(mode) and mode & 0o111:
            os.chmod(path, 0o755)
EOP
is 'a wheel works where it is unpacked' "$(PYTHONPATH=unpacked "$python" -c '
import margay
print(list(margay.curve([0, 64, 0], sizes="all")["misses"]))')" '[3, 2]'
is 'and has the command, and machines by their names' "$(
    unset MARGAY_MACHINES
    PYTHONPATH=unpacked "$python" -c '
import margay
print(margay.simulate([0, 64, 0], "amd-zen2")["machine"][0])')" amd-zen2
if command -v gnuplot >/dev/null; then
    like 'and draws' "$(
        unset MARGAY_PLOTS
        PYTHONPATH=unpacked "$python" -c '
import margay
print(margay.plot(margay.curve([0, 64, 0]))._repr_svg_())')" '<svg'
else
    skip 'and draws' 'needs gnuplot'
fi
check 'it has the readme and the licence' test \
    -n "$(sed -n '/^# Margay/p' unpacked/margay-1.2.3.dist-info/METADATA)" \
    -a -s unpacked/margay-1.2.3.dist-info/LICENSE

# Types: those of the package, and what they say to a program that uses it.
cat >typed.py <<'EOP'
import margay

table = margay.curve("t.mgt", block=64, sizes="4KiB,1MiB", threads=2)
margay.curve([1, 2], blok=64)
margay.curve([1, 2], threads=[2])
margay.compare(["a", "b"], sets="1..4", skip="2K")
margay.simulate({"block": [1], "kind": [0]}, "amd-zen2", limit="x" + "y")
margay.plot(table, title="a title").startswith(b"<svg")
EOP
if mypy=$(command -v mypy); then
    (cd "$BUILD/python" && "$mypy" --strict --cache-dir=/dev/null margay) \
        >mypy.out 2>&1
    is 'mypy --strict finds nothing' "$(grep -v '^Success' mypy.out)" ''
    MYPYPATH=$BUILD/python "$mypy" --strict --cache-dir=/dev/null \
        --follow-imports=silent typed.py >mypy.out 2>&1
    is 'and in programs what is wrong' \
        "$(sed -n 's/:.*error: .*\[\(.*\)\]$/ \1/p' mypy.out)" \
        "$(printf 'typed.py call-arg\ntyped.py arg-type')"
else
    skip 'types' 'needs mypy'
fi

# The notebook of the documentation runs; its cells say what they print.
PYTHONPATH=$BUILD/python timeout 300 "$python" - \
    "$root/docs/using/python.ipynb" <<'EOP' >cells 2>&1
import contextlib, io, json, sys
scope = {}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] != "code":
        continue
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec("".join(cell["source"]), scope)
    said = "".join("".join(output.get("text", []))
                   for output in cell["outputs"])
    print("same" if printed.getvalue() == said else
          "other: " + printed.getvalue())
EOP
is 'the notebook prints what it says' "$(sort -u cells)" same

# The same in a kernel of Jupyter, and a cell that shows progress.
jupyter=
for name in python3 /usr/bin/python3; do
    [ -n "$jupyter" ] || ! $name -c 'import ipykernel, nbclient' 2>/dev/null ||
        jupyter=$name
done
if [ -z "$jupyter" ]; then
    skip 'a notebook in Jupyter' 'needs python3-ipykernel and python3-nbclient'
    finish
fi
cat >jupyter.py <<'EOP'
import sys
import nbclient, nbformat
book = nbformat.read(sys.argv[1], 4)
cells = [cell for cell in book.cells if cell.cell_type == "code"]
said = ["".join(output.get("text", "") for output in cell.outputs)
        for cell in cells]
cells.append(nbformat.v4.new_code_cell(
    "import array\n"
    "few = margay.curve(array.array('Q', range(3_000_000)), sizes=[1],\n"
    "                   progress=True)"))
book.cells.append(cells[-1])
nbclient.NotebookClient(book, timeout=200, kernel_name="python3").execute()
for cell, text in zip(cells, said):
    printed = "".join(output.get("text", "") for output in cell.outputs)
    print("same" if printed == text else "other: " + printed)
shown = "".join(output.text for output in cells[-1].outputs
                if output.get("name") == "stderr")
print("shown", repr(shown))
EOP
JUPYTER_RUNTIME_DIR=$PWD/runtime PYTHONPATH=$BUILD/python timeout 300 "$jupyter" \
    jupyter.py "$root/docs/using/python.ipynb" >cells 2>jupyter.err ||
    sed 's/^/# /' jupyter.err
is 'in Jupyter the notebook prints that, too' \
    "$(grep -v '^shown' cells | sort -u)" same
like 'and progress stands below a cell' "$(tail -n 1 cells)" \
    "^shown '.rmargay: array: [0-9]* references, [0-9]*%.*array: done *.n'$"
finish
