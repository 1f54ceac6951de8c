"""What the command, which is in the package, does for Python."""
from __future__ import annotations

# mypy: enable-incomplete-feature=Unpack
import csv
import ctypes
import itertools
import json
import math
import os
import re
import subprocess
import tempfile
from typing import (Any, Iterable, Mapping, Optional, Sequence, Type,
                    Union)

from margay import _columns
from margay._calls import Error, _c, _check, _relabel, _text, lib
from margay._policy import Policies, Policy, _Served, _Specs, _specs_of
from margay._run import Options, Traces, Unpack, _given, _sources
from margay._table import Table
from margay._values import Count, Sizes, _list, _whole

Machine = Union[str, "os.PathLike[str]", Sequence[
    Mapping[str, Union[str, float, Type[Policy], None]]]]
_PROGRAM = os.path.join(os.path.dirname(__file__), "bin", "margay")


def _arguments(options: Mapping[str, Any]) -> Iterable[str]:
    for name, value in options.items():
        if value is True:
            yield f"--{name}"
        elif value is not None and value is not False:
            yield f"--{name}=" + ",".join(map(str, _list(value)))


def _ask(command: str, arguments: Mapping[str, Any], traces: Traces,
         options: Optional[Mapping[str, Any]] = None,
         others: Mapping[str, str] = {}, own: _Specs = _Specs([], [])) -> Table:
    """The table that `margay command` writes; `others` renames other files, and
    `own` has policies in Python."""
    given = _given(options or {})
    if given.pop("progress"):
        raise Error(f"{command} has no progress")
    with _sources(traces, given) as sources:
        names = {**others, **own.names, **{source.name: source.label
                                           for source in sources}}
        run = subprocess.run(
            [_PROGRAM, command, "--quiet", *_arguments({**given, **arguments}),
             "--", *(source.name for source in sources)],
            capture_output=True, check=False,
            pass_fds=[source.descriptor for source in sources
                      if source.descriptor >= 0]
            + [policy.there.fileno() for policy in own.own
               if isinstance(policy, _Served)])
    failure = own.failure()
    if failure is not None:
        raise failure
    if run.returncode != 0:
        message = _relabel(os.fsdecode(run.stderr).strip(), names)
        keywords = "|".join(Options.__annotations__)
        raise Error(re.sub(f"--({keywords})( [A-Z]+)?", r"\1=", message.replace(
            f"margay {command}: ", "", 1)))
    return _read(os.fsdecode(run.stdout), names)


def _read(lines: str, names: Mapping[str, str]) -> Table:
    """The table of objects, one a line, with the traces named as in Python."""
    rows, table = list(map(json.loads, lines.split("\n")[:-1])), Table()
    table._unknown, last = {}, ""
    for name in rows[0] if rows else ():
        column = [row[name] for row in rows]
        known = [value for value in column if value is not None]
        if not known:
            table._unknown[name] = last
        elif isinstance(known[0], str):
            table[name] = [names.get(value, value or "") for value in column]
        elif re.search("ratio|mpki|predicted_|error_", name):
            table[name] = _columns.reals(math.nan if value is None else value
                                         for value in column)
        else:
            table[name] = _columns.numbers(-1 if value is None else value
                                           for value in column)
            if None not in column:
                table._known |= {name}
        last = name
    return table


def compare(trace: Traces, *, sets: Optional[Sizes] = None,
            ways: Optional[Sizes] = None, **options: Unpack[Options]) -> Table:
    """The misses of set-associative caches, simulated and as reuse distances
    predict them, by the command `margay compare`.

    A row for each trace, block size, sets and ways: block_bytes, cache_bytes
    (bytes); sets, ways, references, misses, cold_misses, capacity_misses,
    conflict_misses (counts); miss_ratio and those predicted (0 to 1); errors
    (predicted less simulated).
    """
    return _ask("compare", {"json": True, "sets": sets, "ways": ways}, trace,
                options)


def simulate(trace: Traces, machine: Machine, *,
             vary: Optional[Mapping[str, Union[Sizes, Policies]]] = None,
             instructions: Optional[Count] = None,
             cores: Optional[Count] = None, seed: Count = 1,
             **options: Unpack[Options]) -> Table:
    """The misses of each cache and TLB of a machine, by the command `margay
    simulate`.

    `machine`: the file of its table, the name of one that comes with Margay, or
    a list with a dict for each cache, with the columns of that table: cache,
    holds, bytes, block_bytes, ways, next and perhaps more.  `vary`: of each
    field CACHE.COLUMN that varies the values, "16K..64K", one, or a list of
    them; each field is a column of the result.  A policy, here and there, may
    be a subclass of Policy.  `instructions`: what mpki are counted of; without
    it, the fetches.  `cores`: thread t runs on core t modulo this; without it,
    on core t.  There is no option `block`.

    A row for each trace, cache, and combination of what varies: counts of
    references; ratios, 0 to 1; mpki (misses per 1000 instructions); -1 for
    counts that a cache has not.
    """
    rows: Any = machine
    if isinstance(machine, (str, os.PathLike)):
        rows = []
    elif not isinstance(machine, (list, tuple)) \
            or not all(isinstance(row, Mapping) for row in machine):
        raise Error(f"machine: {type(machine).__name__} (expected the name of "
                    "its table, or a list of dicts, one of columns for each "
                    "cache)")
    if vary is not None and not isinstance(vary, Mapping):
        raise TypeError(f"vary: {type(vary).__name__} (expected a dict of "
                        "fields and their values, as {'L2.ways': [4, 8]})")
    fields = {field: _list(values) for field, values in (vary or {}).items()}
    own = [value for value in itertools.chain(
        (row.get("policy") for row in rows), *fields.values())
        if isinstance(value, (type, Policy))]
    with tempfile.TemporaryDirectory() as folder, _specs_of(own, True) as found:
        path = os.path.join(folder, "machine")
        specs = dict(zip(own, found.specs))
        if isinstance(machine, (str, os.PathLike)):
            path = os.fspath(machine)
        else:
            _write_machine([{name: specs.get(value, value)
                             for name, value in row.items()} for row in rows],
                           path)
        varied = [f"{field}=" + ",".join(str(specs.get(value, value))
                                         for value in values)
                  for field, values in fields.items()]
        return _ask("simulate", {
            "json": True, "machine": path, "vary": varied or None,
            "instructions": instructions, "cores": cores, "seed": seed}, trace,
            options, {path: "machine"} if path.startswith(folder) else {},
            found)


def _write_machine(rows: Sequence[Mapping[str, Any]], path: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(
            name for row in rows for name in row)), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def annotate(trace: Traces, *, sizes: Optional[Sizes] = None,
             data: bool = False,
             program: Union[str, "os.PathLike[str]", None] = None,
             **options: Unpack[Options]) -> Table:
    """The misses of each line of a program's sources (or with `data` of its
    arrays and variables), by the command `margay annotate`.

    `trace`: one that says sites.  `sizes`: as of curve(), 64 at most.  A row
    for each line and size: trace, file, function (text); line (a number, -1
    where it is unknown); cache_bytes (bytes); references, misses (counts).
    """
    named = None if program is None else os.fspath(program)
    return _ask("annotate", {"json": True, "sizes": sizes, "data": data,
                             "program": named}, trace, options)


def generate(name: str, *, refs: Count, blocks: Count = 0, exponent: float = 1,
             seed: Count = 1) -> Any:
    """The references that `margay generate` makes, as an array of uint64.

    `name`: "zipf" (with its `exponent`), "uniform", "loop", "scan" and "phases"
    make block ids of `blocks` blocks; "stencil", "stencil3d", "matmul" and
    "fft" make byte addresses of `blocks` elements of 8 bytes.
    """
    column, pointing = _columns.filled("Q", _whole(refs, "refs", 0, 2 ** 48))
    options = lib.margay_generator_options(
        _whole(blocks, "blocks"), _whole(seed, "seed", letters=""), exponent)
    made, error = ctypes.c_void_p(), lib.margay_error()
    _check(_c.margay_generator_create(_text(name), options, ctypes.byref(made),
                                      error), error)
    _c.margay_generator_next(made, pointing, len(pointing))
    _c.margay_generator_free(made)
    return column


# ----------------------------------------------------------------- pictures

class Picture(bytes):
    """A picture that plot() drew; notebooks show it where it is an SVG."""

    def _repr_svg_(self) -> Optional[str]:
        return self.decode() if b"<svg" in self[:1000] else None


def _write(table: Table, path: str) -> None:
    """The table as the command writes it, with unknown columns empty."""
    names, columns = list(table), dict(table)
    for name, before in table._unknown.items():
        names.insert(names.index(before) + 1 if before in names else 0, name)
        columns[name] = [""] * len(next(iter(table.values())))

    def cell(name: str, value: Any) -> Any:
        if name.startswith("distance_") and value < 0:
            return "inf"
        if isinstance(value, float):
            return "" if math.isnan(value) else f"{value:.12g}"
        if value == -1 and name not in table._known:
            return ""
        return hex(value) if name == "site" else value

    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([cell(*item) for item in zip(names, row)] for row in
                         zip(*(columns[name] for name in names)))


def plot(tables: Union[Table, Sequence[Table]],
         output: Union[str, "os.PathLike[str]", None] = None,
         **options: Union[str, bool, None]) -> Picture:
    """Draw tables, by the command `margay plot`: an SVG that a notebook shows,
    or the file `output`, whose suffix (.png .svg .pdf .eps .tex) says what.

    Options are the command's: title, paper ("column", "page" or "slide"), size
    ("WxH" in pixels), font, legend, x, y, xrange, yrange; labels, hit, map,
    causes, gain and traffic are True or False.
    """
    with tempfile.TemporaryDirectory() as folder:
        paths: list[str] = []
        for table in [tables] if isinstance(tables, Table) else tables:
            paths.append(os.path.join(folder, f"table{len(paths) + 1}.csv"))
            _write(table, paths[-1])
        drawn = os.fspath(output or os.path.join(folder, "picture.svg"))
        _ask("plot", {"output": drawn, **options}, paths)
        with open(drawn, "rb") as file:
            return Picture(file.read())
