"""Analyses of traces: distances, miss curves and caches."""
from __future__ import annotations

import ctypes
import itertools
import os
from typing import Any, Iterable, Sequence, Union

from margay import _columns
from margay import _library as lib
from margay._error import Error
from margay._run import (_c, _check, _free, _given, _list, _points, _Run,
                         _sizes, _structure, _text)
from margay._table import Rows, Table, Trace


_CURVE = ("block_bytes", "cache_blocks", "cache_bytes", "references", "misses")


def _add_points(rows: Rows, block: int, references: int,
                points: Iterable[tuple[int, int]], *more: str) -> None:
    for blocks, misses in points:
        rows.add(block or None, blocks, blocks * block or None, references,
                 misses, *more)


def _result_points(result: Any, sizes: Any) -> list[tuple[int, int]]:
    points = ctypes.POINTER(lib.margay_point)()
    count, error = ctypes.c_size_t(), lib.margay_error()
    _check(_c.margay_result_curve(result, sizes, points, count, error), error)
    found = _points(points, count.value)
    _free(points)
    return found


def _engine(spec: str, seed: int, measure: int,
            place: Union[int, None] = None) -> tuple[Any, Any]:
    """A request for an engine, and the function that makes its consumer, which
    has another behind it that attributes references to places."""
    request = _structure(lib.margay_engine_request, lib.ENGINE_REQUEST)
    request.spec = _text(spec)
    request.seed = seed
    request.measure = measure

    def make(consumer: Any, error: Any) -> int:
        following = ctypes.POINTER(lib.margay_consumer)()
        if place is not None:
            of_region = dict(lib.FUNCTIONS)["margay_attribution_consumer"][1][1]
            _check(_c.margay_attribution_consumer(
                place, of_region(), None, following, error), error.contents)
        return int(_c.margay_engine_consumer(request, following, consumer,
                                             error))

    return request, make


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
        request, make = _engine(engine, seed, lib.MARGAY_REUSE_DISTANCES)

        def ended(job: Any, ended_pass: Any, error: Any) -> None:
            result = _c.margay_engine_consumer_result(job.consumer, ended_pass)
            _add_points(rows, ended_pass.contents.block_bytes,
                        result.contents.references,
                        _result_points(result, asked))

        _Run(make, ended).run(trace, _given(options))
        del kept, request
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
    asked, kept = (None, None) if sizes is None else _sizes(sizes)

    def begun(job: Any, error: Any) -> None:
        for i in range(job.pass_count if asked is not None else 0):
            _check(_c.margay_policies_consumer_set_sizes(
                job.consumer, ctypes.byref(job.passes[i]), asked, error),
                error.contents)

    def ended(job: Any, ended_pass: Any, error: Any) -> None:
        result = _c.margay_policies_consumer_result(job.consumer, ended_pass)
        for i, name in enumerate(policies):
            points = ctypes.POINTER(lib.margay_point)()
            count = _c.margay_policies_consumer_curve(job.consumer, ended_pass,
                                                      i, points)
            _add_points(rows, ended_pass.contents.block_bytes,
                        result.contents.references, _points(points, count),
                        name)

    _Run(lambda consumer, error: _c.margay_policies_consumer(
        request, consumer, error), ended, begun).run(trace, given)
    del kept, specs


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

    def add(job: Any, points: Any, count: int, *more: str) -> None:
        counts = _c.margay_objects_counted(
            _c.margay_objects_consumer_engine(job.consumer))
        for point in points[:count]:
            rows.add(point.cache_bytes, counts.references, point.misses,
                     counts.reference_bytes, point.missed_bytes, *more)

    def ended(job: Any, ended_pass: Any, error: Any) -> None:
        points = ctypes.POINTER(lib.margay_objects_point)()
        for i, name in enumerate(policies):
            count = _c.margay_object_policies_consumer_curve(job.consumer, i,
                                                             points)
            add(job, points, count, name)
        if not policies:
            found = ctypes.c_size_t()
            _check(_c.margay_objects_curve(
                _c.margay_objects_consumer_engine(job.consumer), asked, points,
                found, error), error.contents)
            add(job, points, found.value)
            _free(points)

    def make(consumer: Any, error: Any) -> int:
        if policies:
            return int(_c.margay_object_policies_consumer(
                options, request, consumer, error))
        return int(_c.margay_objects_consumer(options, None, consumer, error))

    _Run(make, ended).run(trace, given)
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
    request, make = _engine(engine, seed, measures[of],
                            None if by is None else _PLACES[by])

    def ended(job: Any, ended_pass: Any, error: Any) -> None:
        result = _c.margay_engine_consumer_result(job.consumer, ended_pass)
        counts, total = result.contents.histogram, result.contents.references
        block = ended_pass.contents.block_bytes or None
        if by is None:
            add(counts, total, block, None)
            return
        visit = dict(lib.FUNCTIONS)["margay_attribution_visit"][1][3]

        def take(context: Any, key: int, part: Any, error: Any) -> int:
            add(part, total, block, key)
            return int(lib.MARGAY_OK)

        _check(_c.margay_attribution_visit(
            _c.margay_engine_consumer_next(job.consumer), ended_pass,
            _c.margay_histogram_exceeded_bound(counts), visit(take), None,
            error), error.contents)

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

    _Run(make, ended).run(trace, _given(options))
    del request
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

    def ended(job: Any, ended_pass: Any, error: Any) -> None:
        block, found = ended_pass.contents.block_bytes, lib.margay_cache_row()
        for (i, number), (k, way), (p, name) in itertools.product(
                *map(enumerate, (*numbers, policies))):
            _c.margay_caches_consumer_row(job.consumer, ended_pass, i, k, p,
                                          found)
            rows.add(block or None, number, way, number * way * block or None,
                     found.references, sum(found.misses), name)

    _Run(lambda consumer, error: _c.margay_caches_consumer(
        request, consumer, error), ended).run(trace, _given(options))
    return rows.table([("miss_ratio", "misses", "references")])


def phases(trace: Trace, **options: Any) -> Table:
    """The phases of a trace, as `margay phases` finds them; `recurs` is a
    phase's own number where it recurs no other.  Options as of curve(); block is
    one size."""
    rows = Rows(trace, ("phase", "from", "to", "references", "recurs",
                         "working_set_blocks"))

    def ended(job: Any, ended_pass: Any, error: Any) -> None:
        found = _c.margay_phases_consumer_of(job.consumer, ended_pass)
        phase = lib.margay_phase()
        for i in range(_c.margay_phases_count(found)):
            _c.margay_phases_at(found, i, phase)
            first = getattr(phase, "from")
            rows.add(i, first, phase.to, phase.to - first, phase.repeats,
                     phase.working_set_blocks)

    _Run(_c.margay_phases_consumer, ended).run(trace, _given(options))
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
