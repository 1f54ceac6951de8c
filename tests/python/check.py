"""check.py - the package's tables are the command's, number by number

    check.py MARGAY FOLDER

prints TAP.  MARGAY is the command, FOLDER a folder for traces.
"""
import array
import csv
import io
import os
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
        return value == 2 ** 64 - 1
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
            if cell == "" and (name not in row or row[name] != row[name]):
                continue
            if name not in row or not is_same(row[name], cell):
                return f"{name}: {row.get(name)}, not {cell}"
    return ""


def same(name, table, *arguments):
    what = difference(table, *arguments)
    check(name, what == "", what)


def refuses(name, words, call, kind=margay.Error):
    try:
        call()
        check(name, False, "nothing was refused")
    except kind as error:
        check(name, words in str(error), str(error))


run("generate", "zipf", "--refs", "30000", "--blocks", "700", "--to", "din",
    "--unit", "32", "-q", "-o", "t.din")
run("generate", "loop", "--refs", "5000", "--blocks", "90", "--to", "lines",
    "-q", "-o", "t.lines")
same("curve", margay.curve("t.din", block=[64, 128]),
     "curve", "-q", "-b", "64,128", "t.din")
same("curve of ids, whose bytes are unknown", margay.curve("t.lines"),
     "curve", "-q", "t.lines")
same("curve at sizes", margay.curve("t.din", sizes=[1, 7, 300]),
     "curve", "-q", "--sizes", "1,7,300", "t.din")
same("curve at every size", margay.curve("t.din", sizes="all", threads=1),
     "curve", "-q", "--sizes", "all", "t.din")
same("policies", margay.curve("t.din", policy=["lru", "opt", "s3fifo"]),
     "curve", "-q", "--policy", "lru,opt,s3fifo", "t.din")
same("one at some sizes", margay.curve("t.din", policy="fifo", sizes=[5, 50]),
     "curve", "-q", "--policy", "fifo", "--sizes", "5,50", "t.din")
same("another engine", margay.curve("t.din", engine="shards:rate=0.5", seed=3),
     "curve", "-q", "-e", "shards:rate=0.5", "--seed", "3", "t.din")
same("some of the references",
     margay.curve("t.din", skip=100, limit=20000, warmup=500, kind="read"),
     "curve", "-q", "--skip", "100", "--limit", "20000", "--warmup", "500",
     "--kind", "read", "t.din")
same("histogram", margay.histogram("t.din"), "histogram", "-q", "t.din")
same("in bins", margay.histogram("t.din", bins="log2"),
     "histogram", "-q", "--bins", "log2", "t.din")
same("of times", margay.histogram("t.din", of="time"),
     "histogram", "-q", "--of", "time", "t.din")
same("assoc", margay.assoc("t.din", sets=[1, 16], ways=[1, 2, 4]),
     "assoc", "-q", "--sets", "1,16", "--ways", "1,2,4", "t.din")
same("assoc of a policy", margay.assoc("t.din", sets=4, ways=4, policy="fifo"),
     "assoc", "-q", "--sets", "4", "--ways", "4", "--policy", "fifo", "t.din")

same("assoc of several", margay.assoc("t.din", sets=[2, 8], ways=[2, 3],
                                      policy=["lru", "sieve"]),
     "assoc", "-q", "--sets", "2,8", "--ways", "2,3", "--policy", "lru,sieve",
     "t.din")

# Arrays are traces; the ids of t.lines, as numbers and as addresses.
ids = array.array("Q", map(int, open("t.lines", encoding="ascii")))
table = margay.curve(ids, ids=True)
table["trace"] = ["t.lines"] * len(table["trace"])
same("an array of ids is a trace", table, "curve", "-q", "t.lines")
expected = [int(row["distance"]) if row["distance"] != "inf" else 2 ** 64 - 1
            for row in csv.DictReader(io.StringIO(run("distances", "-q",
                                                      "t.lines")))]
check("distances of an array", list(margay.distances(ids)) == expected)
check("and of a list", list(margay.distances([3, 3, 4])) ==
      [2 ** 64 - 1, 0, 2 ** 64 - 1])
misses = margay.curve("t.din")["misses"]
check("a column is a buffer", memoryview(misses).itemsize == 8)

with open("sites.pinatrace", "w", encoding="ascii") as file:
    for i in range(3000):
        file.write(f"0x{4096 + i % 3:x}: R 0x{65536 + i * i % 97 * 64:x}\n")
table = margay.histogram("sites.pinatrace", by="site", bins="log2", block=64)
check("a histogram for each site", sorted(set(table["site"]))
      == [4096, 4097, 4098], table)
table["site"] = [hex(site) for site in table["site"]]
same("as the command has it", table, "histogram", "-q", "--by", "site",
     "--bins", "log2", "-b", "64", "sites.pinatrace")
refuses("no such place", "expected site or thread",
        lambda: margay.histogram("t.din", by="x"))

run("generate", "loop", "--refs", "60000", "--blocks", "3000", "--to",
    "lines", "-q", "-o", "large.lines")
with open("phased.lines", "w", encoding="ascii") as file:
    for part in ("t.lines", "large.lines") * 2:
        file.write(open(part, encoding="ascii").read() * (12 if part[0] == "t"
                                                          else 1))
table = margay.phases("phased.lines")
rows = list(csv.DictReader(io.StringIO(run("phases", "-q", "phased.lines"))))
check("phases", len(rows) > 2 and [
    {name: str(value) for name, value in row.items()} for row in table.rows()
] == [{**row, "recurs": row["recurs"] or row["phase"]} for row in rows], table)

# Objects of different sizes, machines, programs that share a cache, and what a
# cache lets through.
with open("sized.csv", "w", encoding="ascii") as file:
    file.write("id,size,time\n")
    for i in range(20000):
        block = i * i % 1009 * (i % 7 + 1)
        file.write(f"{block},{1 + block * 7919 % 5000},{i // 10}\n")
sized = {"column": "id=id,size=size,time=time", "format": "csv"}
columns = ("-f", "csv", "--column", sized["column"])
same("curve of objects", margay.curve("sized.csv", objects=True, **sized),
     "curve", "-q", "--objects", *columns, "sized.csv")
same("at sizes in bytes",
     margay.curve("sized.csv", objects=True, sizes=[1, 5000, 77777], **sized),
     "curve", "-q", "--objects", "--sizes", "1,5000,77777", *columns,
     "sized.csv")
same("that expire",
     margay.curve("sized.csv", objects=True, ttl=100, sizes="pow2", **sized),
     "curve", "-q", "--objects", "--ttl", "100", "--sizes", "pow2", *columns,
     "sized.csv")
same("of a sample",
     margay.curve("sized.csv", objects=True, engine="shards:rate=0.3", **sized),
     "curve", "-q", "--objects", "-e", "shards:rate=0.3", *columns,
     "sized.csv")
table = margay.curve("sized.csv", objects=True, policy=["lru", "sieve"],
                     **sized)
same("policies of objects", table, "curve", "-q", "--objects", "--policy",
     "lru,sieve", *columns, "sized.csv")
check("columns are in the order of the command's", list(table) == [
    "trace", "cache_bytes", "references", "misses", "miss_ratio",
    "reference_bytes", "missed_bytes", "byte_miss_ratio", "policy"],
    list(table))
refuses("objects have no blocks", "block",
        lambda: margay.curve("sized.csv", objects=True, block=64, **sized))
refuses("blocks do not expire", "objects=True",
        lambda: margay.curve("t.din", ttl=3))

run("histogram", "-q", "t.lines", "-o", "lines.csv")
run("generate", "uniform", "--refs", "9000", "--blocks", "400", "--to",
    "lines", "-q", "-o", "u.lines")
run("histogram", "-q", "u.lines", "-o", "other.csv")
one, other = margay.histogram("t.lines"), margay.histogram("u.lines")
programs = {"lines.csv": one, "other.csv": other}
same("share", margay.share(programs),
     "share", "lines.csv", "other.csv")
same("share at rates, fairly, at sizes",
     margay.share(programs, rates={"other.csv": 2.5}, fair=True,
                  sizes=[10, 100, 400]),
     "share", "--fair", "--sizes", "10,100,400", "lines.csv",
     "other.csv=2.5")
blocks = {"64": margay.histogram("t.din", block=64)}
check("a cache of known blocks has bytes",
      list(margay.share(blocks, sizes=[3])["cache_bytes"]) == [192])
check("overlap", f"{margay.overlap(one, other):.12g}\n"
      == run("overlap", "lines.csv", "other.csv"))
check("overlap in bins", margay.overlap(
    margay.histogram("t.lines", bins="log2"), other)
      == margay.overlap(one, other))
refuses("share needs exact bins", "expected all distances",
        lambda: margay.share({"a": margay.histogram("t.lines", bins="log2")}))
refuses("and tables", "a: no column distance_from",
        lambda: margay.share({"a": {}}))
refuses("of one block size", "different block sizes",
        lambda: margay.share({"a": one, **blocks}))
refuses("and there are some", "", lambda: margay.share({}))
refuses("shared caches have no steps", "expected pow2",
        lambda: margay.share(programs, sizes="all"))
refuses("nothing to compare", "no finite distance",
        lambda: margay.overlap(one, margay.histogram([1, 2, 3], ids=True)))

with open("small.csv", "w", encoding="ascii") as file:
    file.write("cache,holds,bytes,block_bytes,ways,next,policy,write,"
               "inclusion,prefetch,victim_blocks,cycles,source\n"
               "L1,data,2K,32,4,L2,,back,,next-line,4,1,\n"
               "L2,all,16K,64,8,L3,fifo,back,inclusive,,,,\n"
               "L3,all,64K,64,16,RAM,,,exclusive,,,,somewhere\n"
               "TLB,all,16K,4096,0,,,none,,,,,\n"
               "RAM,all,,,,,,,,,,,\n")
same("simulate", margay.simulate("t.din", "small.csv"),
     "simulate", "-q", "--machine", "small.csv", "t.din")
same("with instructions", margay.simulate("t.din", "small.csv",
                                          instructions=70000, limit=20000),
     "simulate", "-q", "--machine", "small.csv", "--instructions", "70000",
     "--limit", "20000", "t.din")
machines = os.path.join(os.path.dirname(__file__), "../../sim/machines")
for name in sorted(os.listdir(machines)):
    if name.endswith(".csv"):
        path = os.path.join(machines, name)
        same(f"simulate {name}", margay.simulate("t.din", path),
             "simulate", "-q", "--machine", path, "t.din")
check("a machine by its name", margay.simulate("t.din", "amd-zen2").rows()[-1]
      == {**margay.simulate("t.din", os.path.join(machines, "amd-zen2.csv"))
          .rows()[-1], "machine": "amd-zen2"})
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
table = margay.simulate("threads", "mesi.csv")
same("caches that agree", table,
     "simulate", "-q", "--machine", "mesi.csv", "threads")
check("by upgrades, too", table["upgrades"][0] > 0)
same("threads that share cores", margay.simulate("threads", "mesi.csv", cores=2),
     "simulate", "-q", "--machine", "mesi.csv", "--cores", "2", "threads")
caches = [{"cache": "L1", "holds": "all", "bytes": 1024, "block_bytes": 32,
           "ways": 2, "next": ""}]
table = margay.simulate("t.din", caches)
expected = margay.assoc("t.din", sets=16, ways=2, block=32)
check("a machine of dicts", table["misses"][0] == expected["misses"][0]
      and table["machine"] == ["machine"], table.rows())
for size in ("1K", "1kb", "1KiB", "1024B", 1024):
    check(f"bytes of {size}", margay.simulate(
        "t.din", [{**caches[0], "bytes": size}])["misses"] == table["misses"])
refuses("no such machine", "none.csv: No such file",
        lambda: margay.simulate("t.din", "none.csv"))
refuses("but there are some", "amd-zen2, ",
        lambda: margay.simulate("t.din", "amd-zen9"))
for machine in (7, None, caches[0], {"L1": caches[0]}, ["L1"]):
    refuses(f"a machine of {machine!r:.20}", "expected the name of its table, "
            "or a list of dicts", lambda: margay.simulate("t.din", machine))
for column, value, words in (("ways", "x", "expected a number"),
                             ("holds", "x", "expected fetch"),
                             ("next", "L9", "another cache"),
                             ("wais", "1", "no such column"),
                             ("ways", "1K", "expected a number"),
                             ("bytes", "1X", "unknown suffix 'X'"),
                             ("bytes", 1000, "bytes")):
    refuses(f"a machine whose {column} is {value}", words,
            lambda: margay.simulate("t.din", [{**caches[0], column: value}]))
refuses("a machine says its blocks", "block",
        lambda: margay.simulate("t.din", caches, block=64))

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
refuses("a filter of no size", "expected sets and ways",
        lambda: margay.filter("t.din", ways=2))

refuses("no such file", "nowhere: No such file",
        lambda: margay.curve("nowhere"))
refuses("no such grid", "expected pow2", lambda: margay.curve(ids, sizes="x"))
refuses("no such engine", "engine", lambda: margay.curve(ids, engine="none"))
refuses("no such policy", "policy", lambda: margay.curve(ids, policy="none"))
refuses("no such option", "blok", lambda: margay.curve(ids, blok=1), TypeError)
refuses("no such kind", "expected read", lambda: margay.curve(ids, kind="x"))
for name, numbers, words in (
        ("floats", array.array("d", [1.0, 2.0]), "'float'"),
        ("floats in a list", [1.0, 2.0], "'float'"),
        ("a negative number", array.array("q", [1, -2]), "negative"),
        ("one of 32 bits", array.array("i", [1, -2]), "negative"),
        ("one in a list", [1, -2], "negative"),
        ("two dimensions", memoryview(ids).cast("B").cast("Q", (2, len(ids) // 2)),
         "2 dimensions"),
        ("lists in a list", [[1], [2]], "'list'"),
        ("no array", 7, "'int'")):
    for call in (margay.curve, margay.distances):
        refuses(f"{call.__name__} of {name}", words, lambda: call(numbers))
try:
    import numpy
    for name, numbers, words in (
            ("floats", numpy.array([1.0, 2.0]), "'float'"),
            ("a negative number", numpy.array([1, -2]), "negative"),
            ("two dimensions", numpy.zeros((2, 3), numpy.uint64), "2 dim"),
            ("dates", numpy.array(["2026-01-01"], "datetime64[s]"), "found"),
            ("objects", numpy.array([1, "a"], object), "found")):
        refuses(f"an array of numpy of {name}", words,
                lambda: margay.curve(numbers))
    check("signed numbers that are not negative are a trace", list(margay.curve(
        numpy.array([0, 64, 0]), sizes="all")["misses"]) == [3, 2])
except ImportError:
    pass
refuses("an array has no sizes", "array: ",
        lambda: margay.curve(ids, objects=True))

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

# Ctrl-C while the library waits for a pipe that says nothing.
os.mkfifo("pipe")
writer = os.open("pipe", os.O_RDWR)
os.write(writer, b"1\n2\n1\n")
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
refuses("Ctrl-C ends a run", "", lambda: margay.curve("pipe", format="lines"),
        KeyboardInterrupt)
print(f"1..{done}")
