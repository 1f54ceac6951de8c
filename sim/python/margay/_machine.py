"""Caches that feed caches: machines, and what a cache lets through."""
from __future__ import annotations

import array
import csv
import ctypes
import os
from typing import Any, Mapping, Sequence, Union

from margay import _columns
from margay import _library as lib
from margay._error import Error
from margay._run import _c, _check, _given, _Run, _text
from margay._table import Rows, Table, Trace

Machine = Union[str, "os.PathLike[str]", Sequence[Mapping[str, Any]]]

# The members of struct margay_level that words stand for.
_WORDS: dict[str, tuple[str, dict[str, int]]] = {
    "holds": ("holds", {"fetch": 1 << lib.MARGAY_FETCH,
                        "data": 1 << lib.MARGAY_READ | 1 << lib.MARGAY_WRITE,
                        "all": (1 << lib.MARGAY_FETCH | 1 << lib.MARGAY_READ
                                | 1 << lib.MARGAY_WRITE)}),
    "write": ("writing", {"back": lib.MARGAY_WRITE_BACK,
                          "through": lib.MARGAY_WRITE_THROUGH,
                          "none": lib.MARGAY_WRITE_NONE}),
    "allocate": ("no_allocate", {"on": False, "off": True}),
    "inclusion": ("inclusion", {"none": lib.MARGAY_INCLUSION_NONE,
                                "inclusive": lib.MARGAY_INCLUSIVE,
                                "exclusive": lib.MARGAY_EXCLUSIVE}),
    "prefetch": ("prefetch", {"none": lib.MARGAY_PREFETCH_NONE,
                              "next-line": lib.MARGAY_PREFETCH_NEXT_LINE,
                              "stride": lib.MARGAY_PREFETCH_STRIDE,
                              "stream": lib.MARGAY_PREFETCH_STREAM}),
    "coherence": ("coherence", {"none": lib.MARGAY_COHERENCE_NONE,
                                "mesi": lib.MARGAY_MESI}),
}
_SIZES = ("bytes", "block_bytes")
_NUMBERS = ("ways", "victim_blocks")
_COHERENCE = ("coherence_misses", "true_sharing_misses",
              "false_sharing_misses", "invalidations", "interventions",
              "upgrades")
_OTHERS = ("cache", "next", "policy", "shared", "cycles", "source")


def _number(value: Any, what: str) -> int:
    if not str(value).isdecimal():
        raise Error(f"{what}: {value!r} (expected a number)")
    return int(value)


def _size(value: Any, what: str) -> int:
    size, suffixed = ctypes.c_uint64(), ctypes.c_bool()
    error = lib.margay_error()
    _check(_c.margay_parse_size(_text(str(value)), _text(what), size, suffixed,
                                error), error)
    return size.value


def _level(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    level = lib.margay_level()
    name = str(row.get("cache", ""))
    level.name = _text(name)
    level.next = 2 ** 64 - 1
    level.block_bytes = 1
    level.shared = 2 ** 64 - 1  # not said
    for column, value in row.items():
        what = f"{name}: {column}"
        if column not in (*_WORDS, *_SIZES, *_NUMBERS, *_OTHERS):
            raise Error(f"{what}: no such column (expected "
                        + ", ".join((*_OTHERS, *_SIZES, *_NUMBERS, *_WORDS)) + ")")
        if value is None or value == "":
            continue
        if column in _WORDS:
            member, words = _WORDS[column]
            if value not in words:
                raise Error(f"{what}: {value!r} (expected "
                            + ", ".join(words) + ")")
            setattr(level, member, words[value])
        elif column in _SIZES:
            setattr(level, column, _size(value, what))
        elif column in _NUMBERS:
            setattr(level, column, _number(value, what))
        elif column == "next":
            if value not in names:
                raise Error(f"{what}: {value!r} (expected the name of another "
                            "cache)")
            level.next = names.index(value)
        elif column == "policy":
            level.policy = _text(value)
        elif column == "shared":
            level.shared = 0 if value == "all" else _number(value, what)
        elif column == "cycles":
            level.cycles = float(value)
    return level


_MACHINES = os.path.join(os.path.dirname(__file__), "machines")


def _table(machine: Union[str, "os.PathLike[str]"]) -> str:
    """The file of a machine, which may be one that comes with the package."""
    path = os.fspath(machine)
    known = os.path.join(_MACHINES, path + ".csv")
    return known if (os.sep not in path and not os.path.exists(path)
                     and os.path.exists(known)) else path


def _read(machine: Union[str, "os.PathLike[str]"]) -> list[Any]:
    try:
        with open(_table(machine), encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))
    except OSError as why:
        names = sorted(name[:-4] for name in os.listdir(_MACHINES))
        raise Error(f"{os.fspath(machine)}: {why.strerror} (expected a table, "
                    "or one of " + ", ".join(names) + ")") from None


def _levels(machine: Machine) -> Any:
    """The levels, in an array that holds their texts, too."""
    rows: Any = (_read(machine) if isinstance(machine, (str, os.PathLike))
                 else machine)
    if not isinstance(rows, (list, tuple)) \
            or not all(isinstance(row, Mapping) for row in rows):
        raise Error(f"machine: {type(machine).__name__} (expected the name of "
                    "its table, or a list of dicts, one of columns for each "
                    "cache)")
    names = [row.get("cache", "") for row in rows]
    levels = (lib.margay_level * max(1, len(rows)))(
        *(_level(row, names) for row in rows))
    for i, level in enumerate(levels):
        if level.shared == 2 ** 64 - 1:
            level.shared = _c.margay_level_is_first(levels, len(rows), i)
        if level.bytes == 0:
            level.block_bytes = max(
                (feeding.block_bytes for feeding in levels
                 if feeding.next == i), default=1)
    error, wrong = lib.margay_error(), ctypes.c_size_t()
    _check(_c.margay_machine_check(levels, len(rows), wrong, error), error)
    return levels


def _coherence(counts: Any) -> tuple[int, ...]:
    return (counts.coherence_misses, counts.true_sharing_misses,
            counts.coherence_misses - counts.true_sharing_misses,
            counts.invalidations, counts.interventions, counts.upgrades)


def simulate(trace: Trace, machine: Machine, *,
             instructions: Union[int, None] = None,
             cores: Union[int, None] = None, seed: int = 1, **options: Any) -> Table:
    """The misses of each cache and TLB of a machine, as `margay simulate`
    writes them.

    `machine`: the file of its table, the name of one that comes with the
    package, or a list with a dict for each cache, with the columns of that
    table: cache, holds, bytes, block_bytes, ways, next and perhaps
    more.  `instructions`: what misses per 1000 are counted of; without it, the
    fetches.  `cores`: thread t runs on core t modulo this; without it, on core
    t.  Where a cache is coherent, others have 0 in the columns of
    coherence.  Options as of curve(), but for block.
    """
    levels = _levels(machine)
    firsts = [level.block_bytes for i, level in enumerate(levels)
              if _c.margay_level_is_first(levels, len(levels), i)]
    request = lib.margay_machine_request()
    request.levels = levels
    request.level_count, request.machine_count = len(levels), 1
    request.seed, request.cores = seed, cores or 0
    kinds = ("fetch", lib.MARGAY_FETCH), ("read", lib.MARGAY_READ), \
        ("write", lib.MARGAY_WRITE)
    rows = Rows(trace, ("cache", "references", "misses", "fetches",
                         "fetch_misses", "reads", "read_misses", "writes",
                         "write_misses", "writebacks", "prefetches",
                         "useful_prefetches", "thousand_misses",
                         "instructions", "demand_references", "demand_misses",
                         "thousand_demand_misses", "writebacks_received",
                         "victim_fills", *_COHERENCE))

    def ended(analysis: Any, ended_pass: Any) -> None:
        made = _c.margay_machine_analysis_references(analysis)
        by = instructions or made[lib.MARGAY_FETCH]
        if sum(made[kind] for _, kind in kinds) == 0:
            return
        for i, level in enumerate(levels):
            counts = _c.margay_machine_analysis_counts(analysis, 0, i)
            rows.add(level.name.decode(), sum(counts.references),
                     sum(counts.misses),
                     *(number for _, kind in kinds
                       for number in (counts.references[kind],
                                      counts.misses[kind])),
                     counts.writebacks, counts.prefetches,
                     counts.useful_prefetches, 1000 * sum(counts.misses),
                     by or None, counts.demand_references,
                     counts.demand_misses, 1000 * counts.demand_misses,
                     counts.writebacks_received, counts.victim_fills,
                     *_coherence(counts))

    given = _given(options)
    if given["block"] is not None:
        raise Error("block: a machine has the block sizes of its caches")
    given["block"] = min(firsts)
    _Run(lambda question, error: _c.margay_machine_question(
        request, question, error), ended).run(trace, given)
    parts = [("miss_ratio", "misses", "references"),
             ("demand_miss_ratio", "demand_misses", "demand_references")]
    if None not in rows.columns["instructions"]:
        parts += [("mpki", "thousand_misses", "instructions"),
                  ("demand_mpki", "thousand_demand_misses", "instructions")]
    table = rows.table(parts)
    is_coherent = any(level.coherence != lib.MARGAY_COHERENCE_NONE
                      for level in levels)
    for name in ("thousand_misses", "thousand_demand_misses", "instructions",
                 *(() if is_coherent else _COHERENCE)):
        table.pop(name, None)
    of = machine if isinstance(machine, (str, os.PathLike)) else "machine"
    return Table(machine=[os.fspath(of)] * len(table["trace"]), **table)


class _Sink:
    """A question whose one analysis keeps the blocks it is fed, and their
    kinds."""

    def __init__(self) -> None:
        of_question = dict(lib.margay_question._fields_)
        of_analysis = dict(lib.margay_analysis_class._fields_)
        self.blocks, self.kinds = array.array("Q"), array.array("B")
        self.functions = lib.margay_analysis_class()
        self.functions.feed = of_analysis["feed"](self._feed)
        self.functions.free = of_analysis["free"](lambda analysis: None)
        self.analysis = lib.margay_analysis()
        self.analysis.functions = ctypes.pointer(self.functions)
        self.question = lib.margay_question()
        self.question.begin = of_question["begin"](self._begin)
        self.question.free = of_question["free"](lambda question: None)
        self.question.name = b"an array"

    def _begin(self, question: Any, passes: Any, count: int, share: Any,
               analysis: Any, error: Any) -> int:
        analysis[0] = ctypes.pointer(self.analysis)
        return int(lib.MARGAY_OK)

    def _feed(self, analysis: Any, span: Any, error: Any) -> int:
        count = span.contents.count
        self.blocks.frombytes(ctypes.string_at(span.contents.blocks, 8 * count))
        self.kinds.frombytes(ctypes.string_at(span.contents.kinds, count))
        return int(lib.MARGAY_OK)


def filter(trace: Trace, *, sets: int = 0, ways: int = 0, size: int = 0,
           policy: str = "lru", write: str = "back", seed: int = 1,
           **options: Any) -> Table:
    """What a cache asks of what comes after it: the block ids of its misses and
    write-backs, and the kind of each (0 read, 1 write, 2 fetch), in their
    order.

    The cache has `sets` and `ways`, or `size` bytes and `ways`, all of one set
    without.  `write`: "back" or "through".  Options as of curve(); block is one
    size.
    """
    if write not in ("back", "through"):
        raise Error(f"write: {write!r} (expected back or through)")
    if (size == 0) == (sets == 0) or sets != 0 and ways == 0:
        raise Error("which cache: expected sets and ways, or size and perhaps "
                    "ways")
    request, sink = lib.margay_filter_request(), _Sink()
    request.cache.sets, request.cache.ways = sets, ways
    request.cache.policy = _text(policy)
    request.cache.seed = seed
    request.cache.write_through = write == "through"
    request.capacity.value, request.capacity.in_bytes = size, True
    _Run(lambda question, error: _c.margay_filter_question(
        request, ctypes.byref(sink.question), question, error),
        lambda analysis, ended_pass: None).run(trace, _given(options))
    return Table(block=_columns.numbers(sink.blocks),
                 kind=_columns.numbers(sink.kinds))
