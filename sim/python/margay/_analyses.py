"""Analyses of traces: distances, miss curves and caches."""
from __future__ import annotations

import ctypes
import itertools
import os
from typing import Any, Iterable, Sequence, Union

from margay import _columns
from margay import _library as lib
from margay._error import Error
from margay._run import (_c, _cache_sizes, _check, _each_series, _given, _list,
                         _Run, _sizes, _structure, _text)
from margay._table import Rows, Table, Trace


_CURVE = ("block_bytes", "cache_blocks", "cache_bytes", "references", "misses")


def _adds_points(rows: Rows, sizes: Any) -> Any:
    """A function that adds the curves of a pass to rows, at these sizes."""
    def ended(analysis: Any, ended_pass: Any) -> None:
        block = ended_pass.contents.block_bytes

        def add(series: Any, points: list[Any]) -> None:
            label = (series.policy.decode(),) if series.policy else ()
            for point in points:
                rows.add(block or None, point.size, point.size * block or None,
                         series.references, point.misses, *label)

        _each_series(analysis, sizes, add)

    return ended


def _engine(spec: str, seed: int, measure: int,
            place: Union[int, None] = None) -> Any:
    """A function that asks for an engine and, where there is a place, for the
    distances of each such place."""
    request = _structure(lib.margay_engine_request, lib.ENGINE_REQUEST)
    request.spec = _text(spec)
    request.seed = seed
    request.measure = measure

    def ask(question: Any, error: Any) -> int:
        following = ctypes.POINTER(lib.margay_question)()
        if place is not None:
            of_region = lib.FUNCTIONS["margay_attribution_question"][1][1]
            _check(_c.margay_attribution_question(
                place, of_region(), None, following, error), error)
        return int(_c.margay_engine_question(request, following, question,
                                             error))

    return ask


def curve(trace: Trace, *, policy: Union[str, Sequence[str], None] = None,
          sizes: Union[str, Sequence[int], None] = None,
          engine: str = "exact", sample: float = 0, seed: int = 1,
          objects: bool = False, ttl: Union[int, None] = None,
          **options: Any) -> Table:
    """The misses of fully associative caches over their sizes.

    Without `policy` that is LRU, by any engine of `margay engines`; with it,
    each of "lru", "opt", "fifo" and so on, as `margay curve --policy` has
    them, of a share `sample` of the blocks.  `sizes`: "octave:N", "pow2",
    "all" or numbers of blocks.  Options: block (one or several block sizes in
    bytes), format, column, ids, unit, kind, skip, limit, warmup, straddle,
    threads, progress (True, or a function of name, references and share).

    With `objects` caches hold objects of different sizes, which the trace
    says, and `sizes` are bytes; `ttl` makes objects expire, in seconds.
    """
    if objects:
        return _objects(trace, _list(policy), sizes, engine, sample, seed, ttl,
                        _given(options))
    if ttl is not None:
        raise Error("ttl is for objects with sizes (objects=True)")
    policies = _list(policy)
    rows = Rows(trace, _CURVE + (("policy",) if policies else ()))
    if policies:
        _policies(trace, policies, sizes, sample, seed, rows, _given(options))
    else:
        asked, kept = _sizes("octave:16" if sizes is None else sizes)
        _Run(_engine(engine, seed, lib.MARGAY_REUSE_DISTANCES),
             _adds_points(rows, asked)).run(trace, _given(options))
        del kept
    return rows.table([("miss_ratio", "misses", "references")])


def _policies_request(kind: Any, policies: Sequence[str],
                      seed: int) -> tuple[Any, Any]:
    """A request for policies, and their names, which it points to."""
    specs = (ctypes.c_char_p * len(policies))(*map(_text, policies))
    request = kind()
    request.policies = ctypes.cast(specs, dict(kind._fields_)["policies"])
    request.policy_count = len(policies)
    request.seed = seed
    request.directory = os.fsencode(os.environ.get("TMPDIR") or "/tmp")
    return request, specs


def _policies(trace: Trace, policies: Sequence[str], sizes: Any, sample: float,
              seed: int, rows: Rows, given: dict[str, Any]) -> None:
    request, specs = _policies_request(lib.margay_policies_request, policies,
                                       seed)
    request.sample_rate = sample
    of_request, _ = _sizes("usual")  # any but None, which stands for all
    if sizes is not None:
        asked = _cache_sizes(sizes)
        request.sizes = ctypes.pointer(asked)
    _Run(lambda question, error: _c.margay_policies_question(
        request, question, error), _adds_points(rows, of_request)).run(
             trace, given)
    del specs


_OBJECTS = ("cache_bytes", "references", "misses", "reference_bytes",
            "missed_bytes")


def _objects(trace: Trace, policies: Sequence[str], sizes: Any, engine: str,
             sample: float, seed: int, ttl: Union[int, None],
             given: dict[str, Any]) -> Table:
    for name in ("block", "unit", "ids", "straddle"):
        if given[name]:
            raise Error(f"objects do not go with {name}")
    rows = Rows(trace, _OBJECTS + (("policy",) if policies else ()))
    asked, kept = _sizes("octave:16" if sizes is None and not policies
                         else sizes or "usual")
    options = _structure(lib.margay_objects_options, lib.OBJECTS_OPTIONS)
    options.curve = ctypes.pointer(asked)
    options.seed = seed
    error = lib.margay_error()
    _check(_c.margay_objects_take_spec(_text(engine), options, error), error)
    if sample:
        options.rate = sample
    if ttl is not None:
        options.ages, options.ttl_seconds = True, ttl
    request, specs = _policies_request(lib.margay_object_policies_request,
                                       policies, seed)

    def add(series: Any, points: list[Any]) -> None:
        label = (series.policy.decode(),) if series.policy else ()
        for point in points:
            rows.add(point.size, series.references, point.misses,
                     series.reference_bytes, point.missed_bytes, *label)

    def ask(question: Any, error: Any) -> int:
        if policies:
            return int(_c.margay_object_policies_question(
                options, request, question, error))
        return int(_c.margay_objects_question(options, None, question, error))

    _Run(ask, lambda analysis, ended_pass: _each_series(
        analysis, asked, add)).run(trace, given)
    del kept, specs
    return rows.table([("miss_ratio", "misses", "references"),
                       ("byte_miss_ratio", "missed_bytes",
                        "reference_bytes")])


_PLACES = {"site": lib.MARGAY_BY_SITE, "thread": lib.MARGAY_BY_THREAD}


def histogram(trace: Trace, *, bins: str = "exact", of: str = "distance",
              by: Union[str, None] = None, engine: str = "exact",
              seed: int = 1, **options: Any) -> Table:
    """How many references have which reuse distance, or (of="time") reuse time;
    with by="site" or "thread" a histogram for each of these.

    The last row counts those without one: distance_from and distance_to are
    2^64 - 1 there.  Options as of curve().
    """
    measures = {"distance": lib.MARGAY_REUSE_DISTANCES,
                "time": lib.MARGAY_REUSE_TIMES}
    if of not in measures:
        raise Error(f"of: {of!r} (expected distance or time)")
    if by is not None and by not in _PLACES:
        raise Error(f"by: {by!r} (expected site or thread)")
    asked, error = lib.margay_bins(), lib.margay_error()
    _check(_c.margay_bins_parse(_text(bins), asked, error), error)
    rows = Rows(trace, ("block_bytes", "distance_from", "distance_to",
                         "references", "all", by or "place"))

    def ended(analysis: Any, ended_pass: Any) -> None:
        result = _c.margay_engine_analysis_result(analysis)
        counts, total = result.contents.histogram, result.contents.references
        block = ended_pass.contents.block_bytes or None
        if by is None:
            add(counts, total, block, None)
            return
        visit = lib.FUNCTIONS["margay_attribution_visit"][1][2]

        def take(context: Any, key: int, part: Any, error: Any) -> int:
            add(part, total, block, key)
            return int(lib.MARGAY_OK)

        error = lib.margay_error()
        _check(_c.margay_attribution_visit(
            _c.margay_engine_analysis_next(analysis),
            _c.margay_histogram_exceeded_bound(counts), visit(take), None,
            error), error)

    def add(counts: Any, total: int, block: Union[int, None],
            place: Union[int, None]) -> None:
        found, cursor = lib.margay_bin(), lib.margay_bin_cursor()
        while total and _c.margay_histogram_next_bin(counts, asked, cursor,
                                                     found):
            rows.add(block, getattr(found, "from"), found.to,
                     found.references, total, place)
        if total:
            last = 2 ** 64 - 1
            bound = _c.margay_histogram_exceeded_bound(counts)
            rows.add(block, bound or last, last,
                     _c.margay_histogram_infinite(counts), total, place)

    _Run(_engine(engine, seed, measures[of],
                 None if by is None else _PLACES[by]),
         ended).run(trace, _given(options))
    table = rows.table([("share", "references", "all")])
    table.pop("all", None)
    if by is None or by not in table:
        return table
    return Table({by: table.pop(by)}, **table)


def assoc(trace: Trace, *, sets: Union[int, Sequence[int]],
          ways: Union[int, Sequence[int]],
          policy: Union[str, Sequence[str]] = "lru", seed: int = 1,
          **options: Any) -> Table:
    """The misses of set-associative caches: each number of sets with each of
    ways, and each of these with each policy.  Options as of curve()."""
    numbers = sorted(set(_list(sets))), sorted(set(_list(ways)))
    request = lib.margay_caches_request()
    request.sets = (ctypes.c_uint64 * len(numbers[0]))(*numbers[0])
    request.ways = (ctypes.c_uint * len(numbers[1]))(*numbers[1])
    request.set_count, request.way_count = map(len, numbers)
    policies = _list(policy)
    specs = (ctypes.c_char_p * len(policies))(*map(_text, policies))
    request.policies = ctypes.cast(
        specs, dict(lib.margay_caches_request._fields_)["policies"])
    request.policy_count = len(policies)
    request.seed = seed
    rows = Rows(trace, ("block_bytes", "sets", "ways", "cache_bytes",
                         "references", "misses", "policy"))

    def ended(analysis: Any, ended_pass: Any) -> None:
        block, found = ended_pass.contents.block_bytes, lib.margay_cache_row()
        for (i, number), (k, way), (p, name) in itertools.product(
                *map(enumerate, (*numbers, policies))):
            _c.margay_caches_analysis_row(analysis, ended_pass, i, k, p, found)
            rows.add(block or None, number, way, number * way * block or None,
                     found.references, sum(found.misses), name)

    _Run(lambda question, error: _c.margay_caches_question(
        request, question, error), ended).run(trace, _given(options))
    return rows.table([("miss_ratio", "misses", "references")])


def phases(trace: Trace, **options: Any) -> Table:
    """The phases of a trace, as `margay phases` finds them; `recurs` is a
    phase's own number where it recurs no other.  Options as of curve(); block is
    one size."""
    rows = Rows(trace, ("phase", "from", "to", "references", "recurs",
                         "working_set_blocks"))

    def ended(analysis: Any, ended_pass: Any) -> None:
        found = _c.margay_phases_analysis_of(analysis)
        phase = lib.margay_phase()
        for i in range(_c.margay_phases_count(found)):
            _c.margay_phases_at(found, i, phase)
            first = getattr(phase, "from")
            rows.add(i, first, phase.to, phase.to - first, phase.repeats,
                     phase.working_set_blocks)

    _Run(_c.margay_phases_question, ended).run(trace, _given(options))
    return rows.table()


def distances(blocks: Any, *, engine: str = "exact", seed: int = 1) -> Any:
    """The reuse distance of each block id of an array, as a column of counts;
    2^64 - 1 for the first use of a block."""
    view, count = _columns.words(blocks)
    column, filled = _columns.unsigned(count)
    options = _structure(lib.margay_engine_options, lib.ENGINE_OPTIONS)
    options.seed = seed
    made, error = ctypes.c_void_p(), lib.margay_error()
    _check(_c.margay_engine_create(_text(engine), options, ctypes.byref(made),
                                   error), error)
    try:
        _check(_c.margay_engine_feed(made, _columns.pointer(view), count,
                                     filled, error), error)
    finally:
        _c.margay_engine_free(made)
    return column
