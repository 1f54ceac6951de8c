"""Runs of the library: what the functions of the package do."""
from __future__ import annotations

import ctypes
import itertools
import os
import sys
import threading
import time
from typing import Any, Callable, Iterable, Sequence, Union

from margay import _columns
from margay import _library as lib
from margay._error import Error

Trace = Union[str, "os.PathLike[str]", Any]
Progress = Union[bool, Callable[[str, int, float], None], None]

_c = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "libmargay.so"))
for _name, (_result, _arguments) in lib.FUNCTIONS.items():
    if hasattr(_c, _name):
        getattr(_c, _name).restype = _result
        getattr(_c, _name).argtypes = _arguments
_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]
_free.restype = None


class Table(dict):
    """Columns by their names, in the order of the command's."""

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), ()))
        return f"<margay.Table of {rows} rows: {', '.join(self)}>"

    def rows(self) -> list[dict[str, Any]]:
        """A dict for each row."""
        return [dict(zip(self, row)) for row in zip(*self.values())]


def _check(status: int, error: Any) -> None:
    if status == lib.MARGAY_OK:
        return
    if status == lib.MARGAY_NO_MEMORY:
        raise MemoryError(error.message.decode(errors="replace"))
    raise Error(error.message.decode(errors="replace"))


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    return [value] if isinstance(value, (str, int)) else list(value)


# ------------------------------------------------------------------- traces

class _Source:
    """A trace by name, or an array in a file in memory, closed in the end."""

    def __init__(self, trace: Trace, reading: dict[str, Any]) -> None:
        self.descriptor = -1
        if isinstance(trace, (str, os.PathLike)):
            self.name = os.fsencode(trace)
            return
        view, _ = _columns.words(trace)
        self.descriptor = os.memfd_create("trace")
        with open(self.descriptor, "wb", closefd=False) as file:
            file.write(view)
        self.name = b"/proc/self/fd/%d" % self.descriptor
        reading["format"] = "u64"

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)


def _structure(kind: Any, defaults: Sequence[Any]) -> Any:
    """A structure of the library with its defaults."""
    made = kind()
    for (name, of), value in zip(kind._fields_, defaults):
        if isinstance(value, list):
            setattr(made, name, _structure(of, value))
        elif value:
            setattr(made, name, value)
    return made


_KINDS = {"read": lib.MARGAY_READ, "write": lib.MARGAY_WRITE,
          "fetch": lib.MARGAY_FETCH}
_STRADDLES = {None: lib.MARGAY_STRADDLE_USUAL,
              "first": lib.MARGAY_STRADDLE_FIRST,
              "split": lib.MARGAY_STRADDLE_SPLIT}


def _reading(given: dict[str, Any]) -> Any:
    options = _structure(lib.margay_trace_options, lib.TRACE_OPTIONS)
    for name in ("format", "column"):
        if given[name] is not None:
            setattr(options, name, os.fsencode(given[name]))
    options.ids = given["ids"]
    options.unit_bytes = given["unit"]
    options.skip_refs = given["skip"]
    options.warmup_refs = given["warmup"]
    if given["limit"] is not None:
        options.limit_refs = given["limit"]
    if given["kind"] is not None:
        options.kinds = 0
        for kind in _list(given["kind"]):
            if kind not in _KINDS:
                raise Error(f"kind: {kind!r} (expected read, write or fetch)")
            options.kinds |= 1 << _KINDS[kind]
    return options


def _show(trace: str, references: int, share: float) -> None:
    print(f"\rmargay: {trace}: {references} references, {share:.0%}",
          end="", file=sys.stderr, flush=True)


# --------------------------------------------------------------------- runs

# Notebooks keep all that is shown, so progress is not shown at each batch.
_TELL_SECONDS = 0.2

class _Run:
    """One run: a consumer, and what is to happen with each pass.

    The library works on a thread of its own, so that this one hears Ctrl-C.
    An exception of a function that the library calls ends the run, and is
    raised in the end.
    """

    def __init__(self, consumer: Callable[[Any, Any], int],
                 ended: Callable[[Any, Any, Any], None],
                 begun: Callable[[Any, Any], None] | None = None) -> None:
        self.consumer, self.on_ended, self.on_begun = consumer, ended, begun
        self.stopped = False
        self.exception: BaseException | None = None
        self.progress: Progress = None
        self.name = ""
        self.latest: tuple[str, int, float] | None = None
        self.told: tuple[str, int, float] | None = None
        self.next_tell = 0.0

    def _guarded(self, error: Any, call: Callable[[], Any]) -> int:
        try:
            return call() or lib.MARGAY_OK
        except BaseException as exception:  # raised again by run()
            self.exception = exception
            self.stopped = True
            error.contents.status = lib.MARGAY_BAD_ARGUMENT
            return int(lib.MARGAY_BAD_ARGUMENT)

    def _tell(self, progress: Any) -> None:
        now = progress.contents
        share = now.bytes_done / now.bytes_total if now.bytes_total else 0.0
        self.latest = (self.name, now.references, min(share, 1.0))
        if time.monotonic() >= self.next_tell:
            self._tell_latest()

    def _tell_latest(self) -> None:
        if self.latest is None or self.latest == self.told:
            return
        self.told = self.latest
        self.next_tell = time.monotonic() + _TELL_SECONDS
        call = self.progress if callable(self.progress) else _show
        try:
            call(*self.told)
        except BaseException as exception:
            self.exception = exception
            self.stopped = True

    def _host(self) -> Any:
        kinds = dict(lib.margay_host._fields_)
        host = lib.margay_host()
        host.open = kinds["open"](
            lambda context, index, consumer, error: self._guarded(
                error, lambda: self.consumer(consumer, error)))
        host.ended = kinds["ended"](
            lambda context, job, ended, error: self._guarded(
                error, lambda: self.on_ended(job.contents, ended, error)))
        if self.on_begun is not None:
            begun = self.on_begun
            host.begun = kinds["begun"](
                lambda context, job, error: self._guarded(
                    error, lambda: begun(job.contents, error)))
        host.stop = kinds["stop"](lambda context: self.stopped)
        if self.progress:
            host.progress = kinds["progress"](
                lambda context, progress: self._tell(progress))
        return host

    def run(self, trace: Trace, given: dict[str, Any]) -> None:
        source = _Source(trace, given)
        self.name = _name(trace)
        try:
            self._carry_out(source, given)
        finally:
            source.close()

    def _request(self, source: _Source, given: dict[str, Any]) -> Any:
        request = _structure(lib.margay_request, lib.REQUEST)
        names = (ctypes.c_char_p * 1)(source.name)
        blocks = sorted(set(_list(given["block"])))
        sizes = (ctypes.c_uint64 * max(1, len(blocks)))(*blocks)
        request.traces = ctypes.cast(
            names, dict(lib.margay_request._fields_)["traces"])
        request.trace_count = 1
        request.reading = _reading(given)
        if given["straddle"] not in _STRADDLES:
            raise Error(f"straddle: {given['straddle']!r} (expected first or "
                        "split)")
        request.straddle = _STRADDLES[given["straddle"]]
        request.block_bytes = sizes
        request.block_count = len(blocks)
        request.threads = given["threads"] or os.cpu_count() or 1
        return request, names, sizes

    def _carry_out(self, source: _Source, given: dict[str, Any]) -> None:
        self.progress = given["progress"]
        request, *kept = self._request(source, given)
        host, outcome = self._host(), lib.margay_outcome()
        error = lib.margay_error()
        status: list[int] = []

        def work() -> None:
            status.append(_c.margay_run_request(request, host, outcome, error))

        thread = threading.Thread(target=work, name="margay")
        thread.start()
        interrupted = False
        while thread.is_alive():
            try:
                thread.join()
            except KeyboardInterrupt:
                self.stopped = interrupted = True
        del kept
        if interrupted or self.exception is not None or status[0]:
            if self.progress is True:
                print(file=sys.stderr)
        elif self.progress is True:
            print(f"\rmargay: {self.name}: done".ljust(70), file=sys.stderr)
        else:
            self._tell_latest()
        if interrupted:
            raise KeyboardInterrupt
        if self.exception is not None:
            raise self.exception
        if source.descriptor >= 0:
            error.message = error.message.replace(source.name, b"array")
        _check(status[0], error)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    known = {"block": None, "format": None, "column": None, "ids": False,
             "unit": 0, "kind": None, "skip": 0, "limit": None, "warmup": 0,
             "straddle": None, "threads": None, "progress": None}
    for name in options:
        if name not in known:
            raise TypeError(f"no option {name!r}; there are "
                            + ", ".join(known))
    return {**known, **options}


def _text(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode()


def _name(trace: Trace) -> str:
    return (os.fspath(trace) if isinstance(trace, (str, os.PathLike))
            else "array")


# ------------------------------------------------------------------- sizes

def _sizes(sizes: Union[str, Iterable[int], int]) -> tuple[Any, Any]:
    """struct margay_sizes of a grid's name or a list of blocks."""
    made = lib.margay_sizes()
    if isinstance(sizes, str):
        name, _, parameter = sizes.partition(":")
        kinds = {"octave": lib.MARGAY_SIZES_OCTAVE,
                 "usual": lib.MARGAY_SIZES_USUAL,
                 "pow2": lib.MARGAY_SIZES_POW2, "all": lib.MARGAY_SIZES_ALL}
        if name not in kinds or (name == "octave") != parameter.isdigit():
            raise Error(f"sizes: {sizes!r} (expected pow2, octave:N, all, or "
                        "numbers of blocks)")
        made.kind = kinds[name]
        made.per_octave = int(parameter or 0)
        return made, None
    numbers = sorted(set(_list(sizes)))
    if not numbers or numbers[0] < 1:
        raise Error("sizes: expected numbers of blocks, 1 or more")
    kept = (ctypes.c_uint64 * len(numbers))(*numbers)
    made.kind = lib.MARGAY_SIZES_LIST
    made.list_blocks = kept
    made.list_count = len(numbers)
    return made, kept


# --------------------------------------------------------------- functions

class _Rows:
    """Rows of counts, which become columns."""

    def __init__(self, trace: Trace, columns: Sequence[str]) -> None:
        self.name = _name(trace)
        self.columns: dict[str, list[Any]] = {name: [] for name in columns}

    def add(self, *values: Any) -> None:
        for column, value in zip(self.columns.values(), values):
            column.append(value)

    def table(self, parts: Sequence[tuple[str, str, str]] = ()) -> Table:
        """`parts`: a ratio's name, and the columns of part and whole; it
        stands behind the part."""
        rows = len(next(iter(self.columns.values()), ()))
        table = Table(trace=[self.name] * rows)
        for name, column in self.columns.items():
            if None in column:
                continue
            is_text = any(isinstance(value, str) for value in column[:1])
            table[name] = column if is_text else _columns.numbers(column)
            for ratio, part, whole in parts:
                if part == name:
                    table[ratio] = _columns.ratios(column, self.columns[whole])
        return table


def _points(points: Any, count: int) -> list[tuple[int, int]]:
    return [(points[i].cache_blocks, points[i].misses) for i in range(count)]


_CURVE = ("block_bytes", "cache_blocks", "cache_bytes", "references", "misses")


def _add_points(rows: _Rows, block: int, references: int,
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
    rows = _Rows(trace, _CURVE + (("policy",) if policies else ()))
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
              seed: int, rows: _Rows, given: dict[str, Any]) -> None:
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
    rows = _Rows(trace, _OBJECTS + (("policy",) if policies else ()))
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
    rows = _Rows(trace, ("block_bytes", "distance_from", "distance_to",
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
    rows = _Rows(trace, ("block_bytes", "sets", "ways", "cache_bytes",
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
    rows = _Rows(trace, ("phase", "from", "to", "references", "recurs",
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
