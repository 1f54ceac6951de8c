"""Analyses of traces: distances, miss curves and caches."""
from __future__ import annotations

# mypy: enable-incomplete-feature=Unpack
import ctypes
import itertools
import os
from typing import Any, Optional, Sequence

from margay import _columns
from margay._calls import Error, _c, _check, _kind, _structure, _text, lib
from margay._policy import Policies, _specs_of
from margay._run import (Options, Traces, Unpack, _each_series, _given,
                         _Run)
from margay._table import Rows, Table
from margay._values import (Count, Ratio, Sizes, Words, _cache_sizes, _list,
                            _ratio, _resolved, _whole)

_CURVE = ("block_bytes", "cache_blocks", "cache_bytes", "references", "misses")


def _adds_points(rows: Rows, asked: Any, names: dict[str, str] = {}) -> Any:
    """A function that adds the curves of a pass to rows, at the sizes asked
    for; None: at its own.  `names`: of specs of policies."""
    def ended(analysis: Any, ended_pass: Any) -> None:
        block = ended_pass.contents.block_bytes

        def add(series: Any, points: list[Any]) -> None:
            spec = os.fsdecode(series.policy or b"")
            label = (names.get(spec, spec),) if spec else ()
            for point in points:
                rows.add(block or None, point.size, point.size * block or None,
                         series.references, point.misses, *label)

        with _resolved(asked, block) as sizes:
            _each_series(analysis, sizes, add)

    return ended


def _engine(spec: str, seed: Count, measure: int, place: Optional[int] = None,
            sizes: Any = None) -> Any:
    """A function that asks for an engine and, where there is a place, for the
    distances of each such place."""
    request = _structure(lib.margay_engine_request, lib.ENGINE_REQUEST)
    request.spec = _text(spec)
    request.seed = _whole(seed, "seed", letters="")
    request.measure = measure
    if sizes is not None:
        request.sizes = ctypes.pointer(sizes)

    def ask(question: Any, error: Any) -> int:
        following = ctypes.POINTER(lib.margay_question)()
        if place is not None:
            of_region = lib.FUNCTIONS["margay_attribution_question"][1][1]
            _check(_c.margay_attribution_question(
                place, of_region(), None, 0, following, error), error)
        return int(_c.margay_engine_question(request, following, question,
                                             error))

    return ask


def curve(trace: Traces, *, policy: Optional[Policies] = None,
          sizes: Optional[Sizes] = None, engine: str = "exact",
          sample: Optional[Ratio] = None, seed: Count = 1,
          objects: bool = False, ttl: Optional[Count] = None,
          **options: Unpack[Options]) -> Table:
    """The misses of fully associative caches over their sizes.

    Without `policy` that is LRU, by any engine of `margay engines`; with it,
    each of "lru", "opt", "fifo" and so on, and of subclasses of Policy, of a
    share `sample` of the blocks.
    `sizes`: "octave:N", "pow2", "all", or sizes in blocks or, as text, bytes.

    A row for each trace, block size, policy and size, in this order: trace,
    policy (text); block_bytes, cache_bytes (bytes); cache_blocks (blocks);
    references, misses (counts); miss_ratio (0 to 1).

    With `objects` caches hold objects of different sizes, which the trace
    says, and `sizes` are bytes; `ttl` makes objects expire, in seconds.
    Columns are then cache_bytes, references, misses, miss_ratio,
    reference_bytes, missed_bytes (bytes), byte_miss_ratio (0 to 1).
    """
    policies, given = _list(policy), _given(options)
    rate = 0 if sample is None else _ratio(sample, "sample")
    if objects:
        return _objects(trace, policies, sizes, engine, rate, seed, ttl, given)
    if ttl is not None:
        raise Error("ttl is for objects with sizes (objects=True)")
    rows = Rows(_CURVE + (("policy",) if policies else ()))
    asked = _cache_sizes(sizes if sizes is not None else
                         "usual" if policies else "octave:16")
    if not policies:
        _Run(_engine(engine, seed, lib.MARGAY_REUSE_DISTANCES, sizes=asked),
             _adds_points(rows, asked), rows).run(trace, given)
        return rows.table([("miss_ratio", "misses", "references")])
    with _specs_of(policies) as found:
        request, specs = _policies_request(lib.margay_policies_request,
                                           found.specs, seed)
        request.sample_rate, request.sizes = rate, ctypes.pointer(asked)
        _Run(lambda question, error: _c.margay_policies_question(
            request, question, error), _adds_points(rows, asked, found.names),
            rows, found).run(trace, given)
    del specs
    return rows.table([("miss_ratio", "misses", "references")])


def _policies_request(kind: Any, policies: Sequence[str],
                      seed: Count) -> tuple[Any, Any]:
    """A request for policies, and their names, which it points to."""
    specs = (ctypes.c_char_p * len(policies))(*map(_text, policies))
    request = kind()
    request.policies = ctypes.cast(specs, _kind(kind, "policies"))
    request.policy_count = len(policies)
    request.seed = _whole(seed, "seed", letters="")
    if hasattr(request, "directory"):
        request.directory = os.fsencode(os.environ.get("TMPDIR") or "/tmp")
    return request, specs


_OBJECTS = ("block_bytes", "cache_blocks", "cache_bytes", "references",
            "misses", "reference_bytes", "missed_bytes")


def _objects(trace: Traces, policies: Sequence[str], sizes: Any, engine: str,
             rate: float, seed: Count, ttl: Optional[Count],
             given: dict[str, Any]) -> Table:
    if not all(isinstance(name, str) for name in policies):
        raise Error("a policy in Python is not defined for objects with sizes")
    for name in ("block", "unit", "ids", "straddle"):
        if given[name]:
            raise Error(f"objects do not go with {name}")
    rows = Rows(_OBJECTS + (("policy",) if policies else ()))
    options = _structure(lib.margay_objects_options, lib.OBJECTS_OPTIONS)
    options.seed = _whole(seed, "seed", letters="")
    error = lib.margay_error()
    _check(_c.margay_objects_take_spec(_text(engine), options, error), error)
    if rate:
        options.rate = rate
    if ttl is not None:
        options.ages, options.ttl_seconds = True, _whole(ttl, "ttl", letters="")
    request, specs = _policies_request(lib.margay_object_policies_request,
                                       policies, seed)

    def add(series: Any, points: list[Any]) -> None:
        label = (series.policy.decode(),) if series.policy else ()
        for point in points:
            rows.add(None, None, point.size, series.references, point.misses,
                     series.reference_bytes, point.missed_bytes, *label)

    def ask(question: Any, error: Any) -> int:
        if policies:
            return int(_c.margay_object_policies_question(
                options, request, question, error))
        return int(_c.margay_objects_question(options, None, question, error))

    asked = _cache_sizes(sizes if sizes is not None else
                         "usual" if policies else "octave:16")
    with _resolved(asked, 1) as found:
        options.curve = ctypes.pointer(found)
        _Run(ask, lambda analysis, ended_pass: _each_series(
            analysis, found, add), rows).run(trace, given)
    del specs
    return rows.table([("miss_ratio", "misses", "references"),
                       ("byte_miss_ratio", "missed_bytes",
                        "reference_bytes")])


_PLACES = {"site": lib.MARGAY_BY_SITE, "thread": lib.MARGAY_BY_THREAD}


def histogram(trace: Traces, *, bins: str = "exact", of: str = "distance",
              by: Optional[str] = None, engine: str = "exact",
              seed: Count = 1, **options: Unpack[Options]) -> Table:
    """How many references have which reuse distance, or (of="time") reuse time;
    with by="site" or "thread" a histogram for each of these.

    A row for each bin, of distances from distance_from to below distance_to
    (blocks, or references with of="time"): block_bytes (bytes), references (a
    count), share (0 to 1, of all references).  The last row counts first uses:
    distance_from and distance_to are -1 there.
    """
    measures = {"distance": lib.MARGAY_REUSE_DISTANCES,
                "time": lib.MARGAY_REUSE_TIMES}
    if of not in measures:
        raise Error(f"of: {of!r} (expected distance or time)")
    if by is not None and by not in _PLACES:
        raise Error(f"by: {by!r} (expected site or thread)")
    asked, error = lib.margay_bins(), lib.margay_error()
    _check(_c.margay_bins_parse(_text(bins), asked, error), error)
    rows = Rows(("block_bytes", "distance_from", "distance_to", "references",
                 "all", by or "place"))

    def ended(analysis: Any, ended_pass: Any) -> None:
        result = _c.margay_engine_analysis_result(analysis)
        counts, total = result.contents.histogram, result.contents.references
        block = ended_pass.contents.block_bytes or None
        if by is None:
            add(counts, total, block, None)
            return
        visit = lib.FUNCTIONS["margay_attribution_visit"][1][3]

        def take(context: Any, key: int, part: Any, error: Any) -> int:
            add(part, total, block, key)
            return int(lib.MARGAY_OK)

        error = lib.margay_error()
        _check(_c.margay_attribution_visit(
            analysis.contents.next,
            _c.margay_histogram_exceeded_bound(counts), 0, visit(take), None,
            error), error)

    def add(counts: Any, total: int, block: Optional[int],
            place: Optional[int]) -> None:
        found, cursor = lib.margay_bin(), lib.margay_bin_cursor()
        while total and _c.margay_histogram_next_bin(counts, asked, cursor,
                                                     found):
            rows.add(block, getattr(found, "from"), found.to,
                     found.references, total, place)
        if total:
            bound = _c.margay_histogram_exceeded_bound(counts)
            rows.add(block, bound or -1, -1,
                     _c.margay_histogram_infinite(counts), total, place)

    _Run(_engine(engine, seed, measures[of],
                 None if by is None else _PLACES[by]),
         ended, rows).run(trace, _given(options))
    table = rows.table([("share", "references", "all")])
    table.pop("all", None)
    table._unknown.pop("place", None)
    if by is None or by not in table:
        return table
    first = Table({by: table.pop(by)}, **table)
    first._unknown = table._unknown
    return first


def assoc(trace: Traces, *, sets: Sizes, ways: Sizes,
          policy: Policies = "lru", seed: Count = 1,
          **options: Unpack[Options]) -> Table:
    """The misses of set-associative caches: each number of sets with each of
    ways, and each of these with each policy.

    A row for each trace, block size, sets, ways and policy: block_bytes,
    cache_bytes (bytes); sets, ways, references, misses (counts); miss_ratio (0
    to 1).
    """
    numbers = (sorted({_whole(number, "sets", 1, 2 ** 24, "")
                       for number in _list(sets)}),
               sorted({_whole(number, "ways", 1, 2 ** 32 - 1, "")
                       for number in _list(ways)}))
    policies = _list(policy)
    rows = Rows(("block_bytes", "sets", "ways", "cache_bytes", "references",
                 "misses", "policy"))

    def ended(analysis: Any, ended_pass: Any) -> None:
        block, found = ended_pass.contents.block_bytes, lib.margay_cache_row()
        for (i, number), (k, way), (p, name) in itertools.product(
                enumerate(numbers[0]), enumerate(numbers[1]),
                enumerate(own.specs)):
            _c.margay_caches_analysis_row(analysis, ended_pass, i, k, p, found)
            rows.add(block or None, number, way, number * way * block or None,
                     found.references, sum(found.misses),
                     own.names.get(name, name))

    with _specs_of(policies) as own:
        request, specs = _policies_request(lib.margay_caches_request,
                                           own.specs, seed)
        request.sets = (ctypes.c_uint64 * len(numbers[0]))(*numbers[0])
        request.ways = (ctypes.c_uint * len(numbers[1]))(*numbers[1])
        request.set_count, request.way_count = map(len, numbers)
        _Run(lambda question, error: _c.margay_caches_question(
            request, question, error), ended, rows, own).run(trace,
                                                             _given(options))
    del specs
    return rows.table([("miss_ratio", "misses", "references")])


def phases(trace: Traces, **options: Unpack[Options]) -> Table:
    """The phases of a trace, as `margay phases` finds them, at one block size.

    A row for each phase: phase, recurs (numbers of phases; recurs is the
    phase's own where it recurs no other); from, to (indices of references);
    references (a count); working_set_blocks (blocks).
    """
    rows = Rows(("phase", "from", "to", "references", "recurs",
                 "working_set_blocks"))

    def ended(analysis: Any, ended_pass: Any) -> None:
        found = _c.margay_phases_analysis_of(analysis)
        phase = lib.margay_phase()
        for i in range(_c.margay_phases_count(found)):
            _c.margay_phases_at(found, i, phase)
            first = getattr(phase, "from")
            rows.add(i, first, phase.to, phase.to - first, phase.repeats,
                     phase.working_set_blocks)

    _Run(_c.margay_phases_question, ended, rows).run(trace, _given(options))
    return rows.table()


def distances(blocks: _columns.Array, *, engine: str = "exact",
              seed: Count = 1) -> Any:
    """The reuse distance of each block id of an array: an array of int64, as
    long as `blocks`, in distinct other blocks since the last use; 0 for an
    immediate repeat, -1 for the first use of a block."""
    view, count = _columns.words(blocks)
    column, pointing = _columns.filled("q", count)
    options = _structure(lib.margay_engine_options, lib.ENGINE_OPTIONS)
    options.seed = _whole(seed, "seed", letters="")
    made, error = ctypes.c_void_p(), lib.margay_error()
    _check(_c.margay_engine_create(_text(engine), options, ctypes.byref(made),
                                   error), error)
    try:
        _check(_c.margay_engine_feed(made, _columns.pointer(view), count,
                                     pointing, error), error)
    finally:
        _c.margay_engine_free(made)
    return column
