"""check.py - the package's tables are the command's, number by number

    check.py MARGAY FOLDER

prints TAP.  MARGAY is the command, FOLDER a folder for traces.
"""
import array
import csv
import inspect
import io
import os
import random
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import threading

import margay

command, folder = sys.argv[1:3]
os.chdir(folder)
done = 0


def check(name, holds, what=""):
    global done
    done += 1
    print(f"{'ok' if holds else 'not ok'} {done} - {name}", flush=True)
    if not holds:
        print(f"# {what}")


def run(*arguments):
    return subprocess.run([command, *arguments], check=True, timeout=600,
                          capture_output=True, text=True).stdout


def is_same(value, text):
    if text == "inf":
        return value == -1
    if isinstance(value, str):
        return value == text
    return f"{value:.12g}" == text if "." in text else int(value) == int(text)


def difference(table, *arguments):
    """What the table has that the command's has not; '' if they are the same."""
    expected = list(csv.DictReader(io.StringIO(run(*arguments))))
    rows = table.rows()
    if len(rows) != len(expected):
        return f"{len(rows)} rows, not {len(expected)}"
    for row, cells in zip(rows, expected):
        for name, cell in cells.items():
            if cell == "" and (name not in row or row[name] != row[name]
                               or row[name] == -1):
                continue
            if name not in row or not is_same(row[name], cell):
                return f"{name}: {row.get(name)}, not {cell}"
    return ""


def same(name, table, *arguments):
    try:
        what = difference(table(), *arguments)
    except Exception as error:
        what = repr(error)
    check(name, what == "", what)


def same_of(function, trace, **options):
    """A function's table is that of the command with options of these names."""
    given = [f"--{name}" if value is True else f"--{name}=" + ",".join(
        map(str, value if isinstance(value, list) else [value]))
             for name, value in options.items()]
    same(f"{function} of {trace} {' '.join(given)}",
         lambda: getattr(margay, function)(trace, **options),
         function, "-q", *given, trace)


def refuses(words, function, *given, raises=margay.Error, **options):
    what = "nothing was refused"
    try:
        function(*given, **options)
    except BaseException as error:
        what = repr(error)
        if isinstance(error, raises) and words in str(error):
            what = ""
    check(f"{function.__name__} refuses: {words}", what == "", what)


def holds(name, call):
    """A check that fails, and does not end the others, where it raises."""
    try:
        check(name, call())
    except Exception as error:
        check(name, False, repr(error))


def is_equal(table, other):
    return list(table) == list(other) and all(
        str(list(table[name])) == str(list(other[name])) for name in table
        if name != "trace")


# ------------------------------------------------------------------- traces
for name, pattern, references, blocks, *more in (
        ("t.din", "zipf", 30000, 700, "--unit", "32"),
        ("t.lines", "loop", 5000, 90), ("large.lines", "loop", 60000, 3000),
        ("u.lines", "uniform", 9000, 400)):
    run("generate", pattern, "--refs", str(references), "--blocks", str(blocks),
        "--to", name.split(".")[1], *more, "-q", "-o", name)
with open("sites.pinatrace", "w", encoding="ascii") as file:
    for i in range(3000):
        file.write(f"0x{4096 + i % 3:x}: R 0x{65536 + i * i % 97 * 64:x}\n")
with open("phased.lines", "w", encoding="ascii") as file:
    for part in ("t.lines", "large.lines") * 2:
        file.write(open(part, encoding="ascii").read() * (12 if part[0] == "t"
                                                          else 1))
with open("sized.csv", "w", encoding="ascii") as file:
    file.write("id,size,time\n")
    for i in range(20000):
        block = i * i % 1009 * (i % 7 + 1)
        file.write(f"{block},{1 + block * 7919 % 5000},{i // 10}\n")
sized = {"column": "id=id,size=size,time=time", "format": "csv"}
with open("small.csv", "w", encoding="ascii") as file:
    file.write("cache,holds,bytes,block_bytes,ways,next,policy,write,"
               "inclusion,prefetch,victim_blocks,cycles,source\n"
               "L1,data,2K,32,4,L2,,back,,next-line,4,1,\n"
               "L2,all,16K,64,8,L3,fifo,back,inclusive,,,,\n"
               "L3,all,64K,64,16,RAM,,,exclusive,,,,somewhere\n"
               "TLB,all,16K,4096,0,,,none,,,,,\n"
               "RAM,all,,,,,,,,,,,\n")
with open("threads", "wb") as file:  # in drmemtrace's format
    file.write(struct.pack("<HHQ", 25, 0, 4))
    for i in range(3000):
        file.write(struct.pack("<HHQ", 22, 4, 100 + i % 3))
        file.write(struct.pack("<HHQ", 10, 4, 4096))
        file.write(struct.pack("<HHQ", int(i % 5 == 0), 8,
                               65536 + i * i % 97 * 16))
    file.write(struct.pack("<HHQ", 26, 0, 0))
with open("mesi.csv", "w", encoding="ascii") as file:
    file.write("cache,holds,bytes,block_bytes,ways,next,coherence\n"
               "L1,all,1K,64,2,,mesi\n")
machines = os.path.join(os.path.dirname(__file__), "../../sim/machines")

# ------------------------------------------ tables that the command writes, too
for options in (
        {"block": [64, 128]}, {"block": "64,128"}, {"sizes": [1, 7, 300]},
        {"sizes": "4KiB,300"}, {"sizes": ["4KiB", 300]},
        {"sizes": "all", "threads": 1}, {"policy": ["lru", "opt", "s3fifo"]},
        {"policy": "lru,2q:in=0.3,out=0.4,opt", "sizes": [30]},
        {"policy": "fifo", "sizes": [5, 50]},
        {"policy": "fifo", "sample": "50%", "sizes": [30]},
        {"policy": "fifo", "sample": 0.5, "sizes": "30"},
        {"engine": "shards:rate=0.5", "seed": 3},
        {"skip": 100, "limit": 20000, "warmup": 500, "kind": "read"},
        {"skip": "2K", "limit": "7000", "threads": "2"},
        {"kind": "read,write"}, {"kind": ["read", "write"]}):
    same_of("curve", "t.din", **options)
for options in (
        {}, {"sizes": [1, 5000, 77777]}, {"sizes": "4KiB"},
        {"ttl": 100, "sizes": "pow2"}, {"engine": "shards:rate=0.3"},
        {"policy": ["lru", "sieve"]}):
    same_of("curve", "sized.csv", objects=True, **options, **sized)
for function, trace, options in (
        ("curve", "t.lines", {}),
        ("histogram", "t.din", {}), ("histogram", "t.din", {"bins": "log2"}),
        ("histogram", "t.din", {"of": "time"}),
        ("assoc", "t.din", {"sets": [1, 16], "ways": [1, 2, 4]}),
        ("assoc", "t.din", {"sets": "1,4,2", "ways": "1"}),
        ("assoc", "t.din", {"sets": 4, "ways": 4, "policy": "fifo"}),
        ("assoc", "t.din", {"sets": [2, 8], "ways": [2, 3],
                            "policy": ["lru", "sieve"]}),
        ("compare", "t.din", {"sets": "1..4", "ways": [1, 2], "block": 64}),
        ("simulate", "t.din", {"machine": "small.csv", "instructions": 70000,
                               "limit": 20000}),
        ("simulate", "threads", {"machine": "mesi.csv"}),
        ("simulate", "threads", {"machine": "mesi.csv", "cores": 2}),
        *(("simulate", "t.din", {"machine": path}) for path in (
            "small.csv", *(os.path.join(machines, name) for name in
                           sorted(os.listdir(machines)) if name[-4:] == ".csv")))):
    same_of(function, trace, **options)

# Arrays are traces; the ids of t.lines, as numbers and as addresses.
ids = array.array("Q", map(int, open("t.lines", encoding="ascii")))
table = margay.curve(ids, ids=True)
table["trace"] = ["t.lines"] * len(table["trace"])
same("an array of ids is a trace", lambda: table, "curve", "-q", "t.lines")
expected = [int(row["distance"]) if row["distance"] != "inf" else -1
            for row in csv.DictReader(io.StringIO(run("distances", "-q",
                                                      "t.lines")))]
check("distances of an array", list(margay.distances(ids)) == expected)
check("and of a list", list(margay.distances([3, 3, 4])) == [-1, 0, -1])
misses = margay.curve("t.din")["misses"]
check("a column is a buffer", memoryview(misses).itemsize == 8)

table = margay.histogram("sites.pinatrace", by="site", bins="log2", block=64)
check("a histogram for each site", sorted(set(table["site"]))
      == [4096, 4097, 4098], table)
table["site"] = [hex(site) for site in table["site"]]
same("as the command has it", lambda: table, "histogram", "-q", "--by", "site",
     "--bins", "log2", "-b", "64", "sites.pinatrace")
refuses("expected site or thread", margay.histogram, "t.din", by="x")

table = margay.phases("phased.lines")
rows = list(csv.DictReader(io.StringIO(run("phases", "-q", "phased.lines"))))
check("phases", len(rows) > 2 and [
    {name: str(value) for name, value in row.items()} for row in table.rows()
] == [{**row, "recurs": row["recurs"] or row["phase"]} for row in rows], table)

# Objects of different sizes, machines, programs that share a cache, and what a
# cache lets through.
table = margay.curve("sized.csv", objects=True, policy=["lru", "sieve"],
                     **sized)
check("columns are in the order of the command's", list(table) == [
    "trace", "cache_bytes", "references", "misses", "miss_ratio",
    "reference_bytes", "missed_bytes", "byte_miss_ratio", "policy"],
    list(table))
refuses("block", margay.curve, "sized.csv", objects=True, block=64, **sized)
refuses("objects=True", margay.curve, "t.din", ttl=3)

run("histogram", "-q", "t.lines", "-o", "lines.csv")
run("histogram", "-q", "u.lines", "-o", "other.csv")
one, other = margay.histogram("t.lines"), margay.histogram("u.lines")
programs = {"lines.csv": one, "other.csv": other}
same("share", lambda: margay.share(programs),
     "share", "lines.csv", "other.csv")
same("share at rates, fairly, at sizes", lambda: margay.share(
    programs, rates={"other.csv": 2.5}, fair=True, sizes=[10, 100, 400]),
     "share", "--fair", "--sizes", "10,100,400", "lines.csv", "other.csv=2.5")
blocks = {"64": margay.histogram("t.din", block=64)}
check("a cache of known blocks has bytes",
      list(margay.share(blocks, sizes=[3])["cache_bytes"]) == [192])
check("overlap", f"{margay.overlap(one, other):.12g}\n"
      == run("overlap", "lines.csv", "other.csv"))
check("overlap in bins", margay.overlap(
    margay.histogram("t.lines", bins="log2"), other)
      == margay.overlap(one, other))
refuses("expected all distances", margay.share,
        {"a": margay.histogram("t.lines", bins="log2")})
refuses("a: no column distance_from", margay.share, {"a": {}})
refuses("different block sizes", margay.share, {"a": one, **blocks})
refuses("", margay.share, {})
refuses("expected pow2", margay.share, programs, sizes="all")
refuses("no finite distance", margay.overlap, one,
        margay.histogram([1, 2, 3], ids=True))

check("a machine by its name", margay.simulate("t.din", "amd-zen2").rows()[-1]
      == {**margay.simulate("t.din", os.path.join(machines, "amd-zen2.csv"))
          .rows()[-1], "machine": "amd-zen2"})
check("caches agree by upgrades, too",
      margay.simulate("threads", "mesi.csv")["upgrades"][0] > 0)
caches = [{"cache": "L1", "holds": "all", "bytes": 1024, "block_bytes": 32,
           "ways": 2, "next": ""}]
table = margay.simulate("t.din", caches)
expected = margay.assoc("t.din", sets=16, ways=2, block=32)
check("a machine of dicts", table["misses"][0] == expected["misses"][0]
      and table["machine"] == ["machine"], table.rows())
for size in ("1K", "1kb", "1KiB", "1024B", 1024):
    check(f"bytes of {size}", margay.simulate(
        "t.din", [{**caches[0], "bytes": size}])["misses"] == table["misses"])
refuses("none.csv: no such file", margay.simulate, "t.din", "none.csv")
refuses("amd-zen2, ", margay.simulate, "t.din", "amd-zen9")
for machine in (7, None, caches[0], {"L1": caches[0]}, ["L1"]):
    refuses("expected the name of its table, or a list of dicts",
            margay.simulate, "t.din", machine)
for column, value, words in (("ways", "x", "machine:2: L1: ways: found 'x', "
                              "expected a number"),
                             ("holds", "x", "expected fetch"),
                             ("next", "L9", "another row"),
                             ("wais", "1", "found column 'wais'"),
                             ("ways", "1K", "expected a number"),
                             ("bytes", "1X", "found '1X'"),
                             ("bytes", 1000, "bytes")):
    refuses(words, margay.simulate, "t.din", [{**caches[0], column: value}])
refuses("block", margay.simulate, "t.din", caches, block=64)

for name, asked, arguments in (
        ("a filter", {"sets": 16, "ways": 2}, ("--sets", "16", "--ways", "2")),
        ("one of bytes", {"size": 4096, "policy": "fifo", "write": "through"},
         ("--bytes", "4096", "--policy", "fifo", "--write", "through"))):
    run("filter", "-q", "-b", "64", "--to", "din", *arguments, "t.din", "-o",
        "through.din")
    rows = [line.split() for line in open("through.din", encoding="ascii")]
    table = margay.filter("t.din", block=64, **asked)
    check(name, [int(row[0]) for row in rows] == list(table["kind"])
          and [int(row[1], 16) // 64 for row in rows] == list(table["block"]),
          f"{len(rows)} rows")
refuses("expected sets and ways", margay.filter, "t.din", ways=2)

refuses("nowhere: No such file", margay.curve, "nowhere")
refuses("expected pow2", margay.curve, ids, sizes="x")
refuses("engine", margay.curve, ids, engine="none")
refuses("policy", margay.curve, ids, policy="none")
refuses("blok", margay.curve, ids, blok=1, raises=TypeError)
refuses("expected read", margay.curve, ids, kind="x")
unfit = [(array.array("d", [1.0, 2.0]), "'float'"), ([1.0, 2.0], "'float'"),
         (array.array("q", [1, -2]), "negative"),
         (array.array("i", [1, -2]), "negative"), ([1, -2], "negative"),
         (memoryview(ids).cast("B").cast("Q", (2, len(ids) // 2)),
          "2 dimensions"), ([[1], [2]], "'list'"), (7, "'int'")]
try:
    import numpy
    unfit += [(numpy.array([1.0, 2.0]), "'float'"),
              (numpy.array([1, -2]), "negative"),
              (numpy.zeros((2, 3), numpy.uint64), "2 dim"),
              (numpy.array(["2026-01-01"], "datetime64[s]"), "found"),
              (numpy.array([1, "a"], object), "found")]
    check("signed numbers that are not negative are a trace", list(margay.curve(
        numpy.array([0, 64, 0]), sizes="all")["misses"]) == [3, 2])
except ImportError:
    pass
for numbers, words in unfit:
    refuses(words, margay.curve, numbers)
    refuses(words, margay.distances, numbers)
refuses("array: ", margay.curve, ids, objects=True)

# Counts are signed, so that differences of them are; ids are not.
def type_of(column):
    return getattr(column, "typecode", None) or column.dtype.char


table = margay.curve("t.din")
holds("counts are int64", lambda: all(
    type_of(table[name]) in "ql" for name in ("cache_blocks", "misses",
                                              "references", "block_bytes")))
holds("ratios are float64", lambda: type_of(table["miss_ratio"]) == "d")
holds("distances are int64", lambda: type_of(margay.distances(ids)) in "ql")
holds("blocks and sites are uint64", lambda: type_of(
    margay.filter([2 ** 64 - 1], sets=1, ways=1)["block"]) in "QL" and type_of(
        margay.histogram("sites.pinatrace", by="site")["site"]) in "QL")

# What the command takes as text, and what it refuses.
holds("sizes of shared caches as text", lambda: list(margay.share(
    blocks, sizes="192B")["cache_blocks"]) == [3])
for given, words in (
        ({"threads": -1}, "threads: -1"), ({"threads": 0}, "threads: 0"),
        ({"threads": "2K"}, "threads: '2K'"), ({"threads": 2 ** 31}, "threads"),
        ({"skip": -1}, "skip: -1"), ({"skip": 2 ** 64}, "skip"),
        ({"skip": 1.5}, "skip: 1.5"), ({"limit": -1}, "limit: -1"),
        ({"limit": "x"}, "limit: 'x'"), ({"warmup": "9" * 30}, "warmup"),
        ({"block": 65}, "power of two"), ({"block": 0}, "block: 0"),
        ({"block": -64}, "block: -64"), ({"block": "64,x"}, "block: 'x'"),
        ({"unit": -1}, "unit: -1"), ({"seed": -1}, "seed: -1"),
        ({"sizes": 0}, "sizes: 0"), ({"sizes": [3, -4]}, "sizes: -4"),
        ({"sizes": "octave:0"}, "octave: '0'"), ({"sizes": "4XB"}, "'XB'"),
        ({"sizes": "5000B"}, "multiple of the block"),
        ({"sizes": 2 ** 61}, "64 bits"), ({"sizes": 2 ** 57}, "2^63"),
        ({"sample": "150%", "policy": "fifo"}, "sample: '150%'"),
        ({"sample": 0, "policy": "fifo"}, "sample: 0"),
        ({"sample": "x", "policy": "fifo"}, "sample: 'x'")):
    refuses(words, margay.curve, "t.din", **given)
refuses("", margay.assoc, "t.din", sets=[], ways=[1])
refuses("sets: 16777217", margay.assoc, "t.din", sets=2 ** 24 + 1, ways=1)
refuses("ttl: -1", margay.curve, "sized.csv", objects=True, ttl=-1, **sized)

# Several traces, and references that say more than a number.
same("a list of traces", lambda: margay.curve(["t.din", "t.lines"]),
     "curve", "-q", "t.din", "t.lines")
holds("and of arrays", lambda: margay.curve(
    [ids, memoryview(ids)], ids=True, sizes=[1]).trace
      == ["array 1", "array 2"])
refuses("not both", margay.curve, ["t.din", ids])
rows = [line.split() for line in open("through.din", encoding="ascii")]
whole = {"address": [int(row[1], 16) for row in rows],
         "kind": [int(row[0]) for row in rows]}
holds("kinds in an array", lambda: is_equal(
    margay.simulate(whole, "small.csv"),
    margay.simulate("through.din", "small.csv")))
holds("and selected", lambda: is_equal(
    margay.curve(whole, kind="write"),
    margay.curve("through.din", kind="write")))
holds("a filter's table is a trace", lambda: is_equal(
    margay.curve(margay.filter("t.din", block=64, sets=16, ways=2)),
    margay.curve(margay.filter("t.din", block=64, sets=16, ways=2)["block"],
                 ids=True)))
numbers = range(3000)
of_threads = {"address": [65536 + i * i % 97 * 16 for i in numbers],
              "kind": [int(i % 5 == 0) for i in numbers],
              "thread": [i * 7 % 3 for i in numbers],
              "site": [4096 + i % 3 for i in numbers]}
with open("threads.csv", "w", encoding="ascii") as file:
    file.write("".join(f"0x{site:x}: {'RW'[kind]} 0x{address:x}\n"
                       for address, kind, _, site in
                       zip(*of_threads.values())))
holds("sites in an array", lambda: is_equal(
    margay.histogram(of_threads, by="site"),
    margay.histogram("threads.csv", by="site", format="pinatrace")))
holds("threads in an array", lambda: list(dict.fromkeys(margay.histogram(
    of_threads, by="thread", bins="log2")["thread"])) == [0, 1, 2])
holds("so that caches have to agree", lambda: margay.simulate(
    of_threads, "mesi.csv").upgrades[0] > 0 == margay.simulate(
        {**of_threads, "thread": [0] * 3000}, "mesi.csv").coherence_misses[0])
cells = list(csv.reader(open("sized.csv", encoding="ascii")))[1:]
objects = {name: [int(cell) for cell in column] for name, column in
           zip(("block", "size", "time"), zip(*cells))}
for asked in {}, {"ttl": 100}, {"policy": "sieve,lru"}:
    holds(f"objects in arrays {asked}", lambda: is_equal(
        margay.curve(objects, objects=True, **asked),
        margay.curve("sized.csv", objects=True, **asked, **sized)))
holds("and their kinds", lambda: list(margay.curve(
    {"block": [5, 5, 6], "size": [1, 1, 1], "kind": [1, 0, 1]}, objects=False,
    kind="write", sizes=[9])["references"]) == [2])


def naive_distances(blocks):
    stack = []
    for block in blocks:
        yield stack.index(block) if block in stack else -1
        stack = [block] + [other for other in stack if other != block]


def random_case(seed):
    """Small arrays: their distances, and a kind selected beforehand, are the
    same as by hand."""
    chance = random.Random(seed)
    count, most = chance.randrange(1, 40), chance.randrange(1, 12)
    drawn = [chance.randrange(most) << chance.choice((0, 60))
             for _ in range(count)]
    kinds = [chance.randrange(3) for _ in drawn]
    wanted = chance.randrange(3)
    chosen = [block for block, kind in zip(drawn, kinds) if kind == wanted]
    return list(margay.distances(drawn)) == list(naive_distances(drawn)) \
        and is_equal(margay.curve({"kind": kinds, "block": drawn}, sizes="all",
                                  kind=("read", "write", "fetch")[wanted]),
                     margay.curve(chosen, ids=True, sizes="all"))


holds("random arrays", lambda: all(map(random_case, range(500))))
for columns, words in (
        ({"kind": [1]}, "columns kind (expected, all"),
        ({"address": [1], "block": [1]}, "address or block with"),
        ({"block": [1, 2], "kind": [1]}, "of one length"),
        ({"block": [1], "colour": [1]}, "columns block, colour"),
        ({"block": [1], "size": [1], "thread": [1]}, "address or block with"),
        ({"address": [1], "size": [1]}, "or block with"),
        ({"block": [1], "kind": [3]}, "kind: a number over 2"),
        ({"block": [1], "size": [1], "kind": [2]}, "over 1"),
        ({"block": [1], "thread": [2 ** 32]}, "thread"),
        ({"block": [-1]}, "negative"),
        ({"block": [1], "kind": ["read"]}, "'str'")):
    refuses(words, margay.curve, columns)

# Tables, and what they look like.
holds("columns are attributes", lambda: table.misses is table["misses"]
      and "misses" in dir(table))
refuses("there are trace, block_bytes", getattr, table, "missses",
        raises=AttributeError)
holds("a notebook shows rows", lambda: "<td>t.din</td><td>64</td>" in
      table._repr_html_() and ">30,000<" in table._repr_html_())
holds("some of them", lambda: table._repr_html_().count("<tr>") == 21 and
      f"20 of {len(table.misses)} rows" in table._repr_html_())
holds("and escapes them", lambda: "&lt;b&gt;" in
      margay.Table(trace=["<b>"])._repr_html_())
holds("the version", lambda: run("version").split()[1] == margay.__version__)
holds("keywords are listed", lambda: "threads" in
      inspect.signature(margay.curve).parameters)
holds("and typed", lambda: "Any" not in " ".join(
    str(inspect.signature(getattr(margay, name)).parameters.values())
    for name in ("curve", "histogram", "assoc", "phases", "simulate", "filter",
                 "share", "compare", "annotate", "generate", "plot",
                 "distances")))
holds("all is described", lambda: all(
    getattr(margay, name).__doc__ for name in margay.__all__))

# What the command does for Python.
holds("compare arrays", lambda: margay.compare(
    [ids, ids], ids=True, sets=1, ways=1).trace == ["array 1", "array 2"])
refuses("array: ", margay.compare, {"block": [1], "size": [1]}, block=64)
refuses("stands for with unit=", margay.simulate, {"block": [1]}, "amd-zen2")
refuses("no progress", margay.compare, "t.din", progress=True)
refuses("t.din: annotate: the trace does not say the sites", margay.annotate,
        "t.din", sizes="4KiB")
compiler = shlex.split(os.environ.get("CC", "cc"))
if shutil.which(compiler[0]) and "libdw 0" in run("version"):
    with open("walk.c", "w", encoding="ascii") as file:
        file.write("static volatile double a[64][64], b[64][64];\n"
                   "int main(void) {\n"
                   "    for (int i = 0; i < 4096; i++)\n"
                   "        a[i / 64][i % 64] = b[i % 64][i / 64];\n"
                   "    return 0;\n}\n")
    subprocess.run([*compiler, "-g", "-O1", *run("record", "--cflags").split(),
                    "walk.c", "-o", "walk", *run("record", "--libs").split()],
                   check=True)
    run("record", "-q", "--sites", "--data", "-o", "walk.mgt", "./walk")
    same("annotate a program", lambda: margay.annotate(
        "walk.mgt", sizes=["1KiB", "64KiB"]),
         "annotate", "-q", "--sizes", "1KiB,64KiB", "walk.mgt")
    same("and its data", lambda: margay.annotate("walk.mgt", sizes=[16],
                                                 data=True),
         "annotate", "-q", "--sizes", "16", "--data", "walk.mgt")
for name, asked in (("zipf", {"exponent": 0.7}), ("uniform", {}), ("scan", {}),
                    ("fft", {})):
    run("generate", name, "--refs", "2000", "--blocks", "64", "--seed", "3",
        *(f"--{key}={value}" for key, value in asked.items()), "--to", "u64",
        "-q", "-o", "made.u64")
    with open("made.u64", "rb") as file:
        content = file.read()
    holds(f"generate {name}", lambda: memoryview(margay.generate(
        name, refs="2K", blocks=64, seed=3, **asked)).tobytes() == content)
refuses("none", margay.generate, "none", refs=2)
fewer = margay.compare(array.array("Q", [0, 0, 1, 3, 0]), ids=True, sets=2,
                       ways=1)
margay._command._write(fewer, "fewer.csv")
holds("what plot reads has counts of -1",
      lambda: list(fewer["conflict_misses"]) == [-1]
      and open("fewer.csv").read().endswith(",-1\n"))
if shutil.which("gnuplot"):
    for name, call in (
            ("curve", lambda: margay.curve("t.lines")),
            ("policies", lambda: margay.curve("t.din", policy="lru,opt")),
            ("objects", lambda: margay.curve(objects, objects=True)),
            ("histogram", lambda: margay.histogram("t.lines")),
            ("histogram of sites", lambda: margay.histogram(
                "sites.pinatrace", by="site", bins="log2")),
            ("assoc", lambda: margay.assoc("t.din", sets="1,4", ways="1,2")),
            ("compare", lambda: margay.compare("t.lines", sets=1, ways="1..2")),
            ("phases", lambda: margay.phases("phased.lines")),
            ("share", lambda: margay.share(programs)),
            ("simulate", lambda: margay.simulate("t.din", "small.csv"))):
        holds(f"plot {name}", lambda: "</svg>" in
              margay.plot(call(), title="a title")._repr_svg_())
    holds("plot to a file", lambda: margay.plot(
        table, "x.png", paper="column") == open("x.png", "rb").read())
    refuses("--paper", margay.plot, table, paper="wall")
    refuses("--colour", margay.plot, table, colour="red")

# Progress is told, and what it raises comes out.
told = []
margay.curve(array.array("Q", range(3_000_000)), sizes=[1],
             progress=lambda *now: told.append(now))
check("progress names the trace", all(now[0] == "array" for now in told))
check("and is a share of it", told and all(0 <= now[2] <= 1 for now in told))


class Still:
    """A clock that stands still."""

    @staticmethod
    def monotonic():
        return 0.0


told.clear()
margay._run.time, clock = Still, margay._run.time
margay.curve(array.array("Q", range(3_000_000)), sizes=[1],
             progress=lambda *now: told.append(now))
margay._run.time = clock
check("it is told now and then, and in the end", len(told) == 2 and
      told[0][1] < told[1][1] <= 3_000_000)

# ---------------------------------------------------------- policies in Python
class Fifo(margay.Policy):
    def __init__(self, sets, ways, seed):
        super().__init__(sets, ways, seed)
        self.next = [0] * sets

    def victim(self, set):
        self.next[set] = (self.next[set] + 1) % self.ways
        return (self.next[set] - 1) % self.ways


class Lru(margay.Policy):
    def __init__(self, sets, ways, seed):
        super().__init__(sets, ways, seed)
        self.order = [[] for _ in range(sets)]

    def hit(self, set, way):
        self.order[set].remove(way)
        self.order[set].append(way)

    def victim(self, set):
        return self.order[set].pop(0)

    def fill(self, set, way, block):
        self.order[set].append(way)
        self.blocks = [*getattr(self, "blocks", []), block][-9:]
        assert block in self.blocks and seen.add(block) is None


seen = set()
for shape in {"sizes": [1, 7, 30]}, {"sets": [1, 3, 16], "ways": [1, 4, 70]}:
    function = margay.assoc if "sets" in shape else margay.curve
    for threads in 1, 2:
        table = function("t.din", policy=[Fifo, "lru", Lru, "fifo"],
                         threads=threads, **shape)
        of = {name: [row["misses"] for row in table.rows()
                     if row["policy"] == name]
              for name in ("Fifo", "fifo", "Lru", "lru")}
        check(f"{function.__name__}: policies in Python, {threads} threads",
              of["Fifo"] == of["fifo"] and of["Lru"] == of["lru"] and
              len(of["lru"]) in (3, 9), of)
check("they are told blocks",
      seen >= {1, 2, 3} and len(seen) > 300, sorted(seen)[:9])


class Outside(Fifo):
    def victim(self, set):
        return self.ways


class Fraction(Fifo):
    def victim(self, set):
        return 1.0


class Failing(Fifo):
    def hit(self, set, way):
        return 1 // 0


refuses("Outside.victim: 4 (expected a way from 0 to 3)", margay.curve,
        "t.din", policy=Outside, sizes=[4])
refuses("'float' object cannot be", margay.curve, "t.din", policy=Fraction,
        sizes=[4], raises=TypeError)
refuses("division", margay.assoc, "t.din", sets=[2], ways=[2], policy=Failing,
        raises=ZeroDivisionError)
refuses("has no victim()", margay.curve, "t.din", policy=margay.Policy,
        sizes=[4], raises=TypeError)
refuses("an object of Fifo", margay.assoc, "t.din", policy=Fifo(1, 1, 1),
        sets=[4], ways=[1], raises=TypeError)
refuses("not defined for objects", margay.curve, "sized.csv", objects=True,
        policy=Fifo, **sized)
machine = [{"cache": name, "holds": "all", "bytes": size, "block_bytes": 64,
            "ways": ways, "next": following, "policy": "fifo"}
           for name, size, ways, following in (("L1", 1024, 4, "L2"),
                                               ("L2", 6144, 12, None))]
both = [{**row, "policy": Fifo} for row in machine]
for vary in {}, {"L2.policy": ["lru", "fifo"], "L1.bytes": "1K..2K"}:
    own = {**vary, "L2.policy": [Lru, Fifo]} if vary else {}
    table, known = (margay.simulate("t.din", rows, vary=fields, limit=4000)
                    for rows, fields in ((both, own), (machine, vary)))
    if vary:
        table["L2.policy"] = list(map(str.lower, table["L2.policy"]))
    check(f"simulate: policies in Python, {vary}", is_equal(table, known) and
          len(table["misses"]) == (8 if vary else 2), table.rows())
refuses("vary: str (expected a dict", margay.simulate, "t.din", machine,
        vary="L2.ways=4", raises=TypeError)
sys.stdout.flush()
standard = [os.dup(number) for number in range(3)]
os.closerange(0, 3)
try:
    table = margay.simulate("t.din", [both[0], machine[1]], limit=4000)
    in_memory = margay.simulate([array.array("Q", range(99))] * 2, machine)
finally:
    for number, kept in enumerate(standard):
        os.dup2(kept, number)
        os.close(kept)
known = margay.simulate("t.din", machine, limit=4000)
check("simulate: a policy in Python, without standard streams",
      is_equal(table, known), table.rows())
check("and traces in memory", is_equal(in_memory, margay.simulate(
    [array.array("Q", range(99))] * 2, machine)), in_memory.rows())
check("filter: a policy in Python", list(
    margay.filter("t.din", sets=3, ways=2, policy=Fifo).block) == list(
    margay.filter("t.din", sets=3, ways=2, policy="fifo").block))
refuses("division", margay.simulate, "t.din", both, vary={"L2.policy": Failing},
        raises=ZeroDivisionError)
refuses("--vary: 'L3.policy=Fifo' (expected", margay.simulate, "t.din", both,
        vary={"L3.policy": Fifo})
last = []


class Told(Fifo):
    def fill(self, set, way, block):
        last.append(block)


margay.simulate([64 * number for number in range(9)],
                [{**machine[0], "policy": Told, "next": None}])
check("calls that wait are made in the end", last == list(range(9)), last)

# Ctrl-C while the library waits for a pipe that says nothing.
os.mkfifo("pipe")
writer = os.open("pipe", os.O_RDWR)
os.write(writer, b"1\n2\n1\n")
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
refuses("", margay.curve, "pipe", format="lines", raises=KeyboardInterrupt)
print(f"1..{done}")
