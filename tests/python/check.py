"""check.py - the package's tables are the command's, number by number

    check.py MARGAY FOLDER

prints TAP.  MARGAY is the command, FOLDER a folder for traces.
"""
import array
import csv
import io
import os
import signal
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
            if cell == "" and name not in row:
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

refuses("no such file", "nowhere: No such file",
        lambda: margay.curve("nowhere"))
refuses("no such grid", "expected pow2", lambda: margay.curve(ids, sizes="x"))
refuses("no such engine", "engine", lambda: margay.curve(ids, engine="none"))
refuses("no such policy", "policy", lambda: margay.curve(ids, policy="none"))
refuses("no such option", "blok", lambda: margay.curve(ids, blok=1), TypeError)
refuses("no such kind", "expected read", lambda: margay.curve(ids, kind="x"))

# Progress is told, and what it raises comes out.
told = []
margay.curve(array.array("Q", range(3_000_000)), sizes=[1],
             progress=lambda *now: told.append(now))
check("progress names the trace", all(len(now) == 3 for now in told))

# Ctrl-C while the library waits for a pipe that says nothing.
os.mkfifo("pipe")
writer = os.open("pipe", os.O_RDWR)
os.write(writer, b"1\n2\n1\n")
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
refuses("Ctrl-C ends a run", "", lambda: margay.curve("pipe", format="lines"),
        KeyboardInterrupt)
print(f"1..{done}")
