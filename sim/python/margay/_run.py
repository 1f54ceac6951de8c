"""Runs of the library: what the functions of the package share."""
from __future__ import annotations

# mypy: enable-incomplete-feature=Unpack
import contextlib
import ctypes
import fcntl
import os
import sys
import threading
import time
from typing import (TYPE_CHECKING, Any, Callable, Iterator, Mapping, NamedTuple,
                    Optional, Sequence, TypedDict, Union)

from margay import _arrays
from margay._calls import Error, _c, _check, _kind, _structure, lib
from margay._columns import Array, Columns
from margay._policy import _Specs
from margay._table import Rows
from margay._values import Count, Size, Sizes, Words, _list, _size, _whole

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
else:
    Unpack = None

Trace = Union[str, "os.PathLike[str]", Array, Columns]
Traces = Union[Trace, Sequence[Trace]]
Progress = Union[bool, Callable[[str, int, float], None], None]


class Options(TypedDict, total=False):
    """Which references are analysed, and how; each as the command's option.

    block: block sizes in bytes, powers of two.  format, column: how a file is
    read.  ids: numbers are block ids, not byte addresses.  unit: bytes that an
    id stands for.  kind: "read", "write", "fetch", or several.  skip, limit and
    warmup: numbers of references.  straddle: "first" or "split".  threads: 1 or
    more; without it, one for each core.  progress: True, or a function of the
    trace's name, the references so far and the share of the file, 0 to 1.
    """

    block: Optional[Sizes]
    format: Optional[str]
    column: Optional[str]
    ids: bool
    unit: Size
    kind: Optional[Words]
    skip: Count
    limit: Optional[Count]
    warmup: Count
    straddle: Optional[str]
    threads: Optional[Count]
    progress: Progress


# ------------------------------------------------------------------- traces

class _Source(NamedTuple):
    name: str  # of the file
    label: str
    descriptor: int  # of a file in memory; -1: there is none


def _is_trace(item: Any) -> bool:
    if isinstance(item, (str, os.PathLike)) or _arrays.is_columns(item):
        return True
    try:
        return memoryview(item).ndim > 0
    except TypeError:
        return getattr(item, "ndim", 0) > 0


@contextlib.contextmanager
def _sources(traces: Traces, given: dict[str, Any]) -> Iterator[list[_Source]]:
    """The files of one or several traces, those of arrays in memory; sets their
    format."""
    several = (isinstance(traces, (list, tuple)) and len(traces) > 0
               and all(map(_is_trace, traces)))
    each: Any = traces if several else [traces]
    sources, formats = [], set()
    with contextlib.ExitStack() as stack:
        for i, trace in enumerate(each):
            if isinstance(trace, (str, os.PathLike)):
                sources.append(_Source(os.fspath(trace), os.fspath(trace), -1))
                formats.add(given["format"])
                continue
            # Not the descriptor of a standard stream that is closed here.
            made = os.memfd_create("trace")
            file = stack.enter_context(open(fcntl.fcntl(
                made, fcntl.F_DUPFD_CLOEXEC, 3), "wb"))
            os.close(made)
            formats.add(_arrays.write(trace, file))
            file.flush()
            sources.append(_Source(f"/proc/self/fd/{file.fileno()}",
                                   f"array {i + 1}" if several else "array",
                                   file.fileno()))
        if len(formats) > 1:
            raise Error("traces: expected files, or arrays that all have such "
                        "columns, not both")
        given["format"] = formats.pop()
        yield sources


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
    options.ids = bool(given["ids"])
    options.unit_bytes = _size(given["unit"] or 0, "unit")[0]
    for name in ("skip", "limit", "warmup"):
        if given[name] is not None:
            setattr(options, name + "_refs", _whole(given[name], name))
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
    """One run: a question, and what is to happen with each pass.

    `ask` makes the question; `ended` is called with the analysis of each pass
    that has ended, and the pass; `own` has policies in Python, if there are
    any.

    The library works on a thread of its own, so that this one hears Ctrl-C.
    An exception of a function that the library calls ends the run, and is
    raised in the end.
    """

    def __init__(self, ask: Callable[[Any, Any], Any],
                 ended: Callable[[Any, Any], None],
                 rows: Optional[Rows] = None,
                 own: _Specs = _Specs([], [])) -> None:
        self.ask, self.on_ended, self.rows, self.own = ask, ended, rows, own
        self.labels: dict[str, str] = {}
        self.stopped = False
        self.exception: BaseException | None = None
        self.progress: Progress = None
        self.name = ""
        self.latest: tuple[str, int, float] | None = None
        self.told: tuple[str, int, float] | None = None
        self.next_tell = 0.0

    def _guarded(self, error: Any, call: Callable[[], Any]) -> int:
        try:
            return int(call() or lib.MARGAY_OK)
        except BaseException as exception:  # raised again by run()
            self.exception = exception
            self.stopped = True
            error.contents.status = lib.MARGAY_BAD_ARGUMENT
            return int(lib.MARGAY_BAD_ARGUMENT)

    def _tell(self, progress: Any) -> None:
        now = progress.contents
        self.name = self.labels[os.fsdecode(now.trace)]
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

    def _take(self, job: Any, ended_pass: Any) -> None:
        if self.rows is not None:
            self.rows.name = self.labels[os.fsdecode(job.trace)]
        self.on_ended(job.analyses[ended_pass.contents.index], ended_pass)

    def _host(self) -> Any:
        kinds = dict(lib.margay_host._fields_)
        host = lib.margay_host()
        host.ended = kinds["ended"](
            lambda context, job, ended, error: self._guarded(
                error, lambda: self._take(job.contents, ended)))
        host.stop = kinds["stop"](lambda context: self.stopped or
                                  self.own.failure() is not None)
        if self.progress:
            host.progress = kinds["progress"](
                lambda context, progress: self._tell(progress))
        return host

    def run(self, traces: Traces, given: dict[str, Any]) -> None:
        question = ctypes.POINTER(lib.margay_question)()
        error = lib.margay_error()
        try:
            with _sources(traces, given) as sources:
                self.labels = {**self.own.names, **{
                    source.name: source.label for source in sources}}
                self.name = sources[0].label
                _check(self.ask(question, error), error, self.labels)
                self._carry_out(question, sources, given)
        finally:
            _c.margay_question_free(question)

    def _request(self, sources: Sequence[_Source],
                 given: dict[str, Any]) -> Any:
        request = _structure(lib.margay_request, lib.REQUEST)
        names = (ctypes.c_char_p * len(sources))(
            *(os.fsencode(source.name) for source in sources))
        blocks = sorted({_size(block, "block", 1)[0]
                         for block in _list(given["block"])})
        sizes = (ctypes.c_uint64 * max(1, len(blocks)))(*blocks)
        request.traces = ctypes.cast(names, _kind(lib.margay_request, "traces"))
        request.trace_count = len(sources)
        request.reading = _reading(given)
        if given["straddle"] not in _STRADDLES:
            raise Error(f"straddle: {given['straddle']!r} (expected first or "
                        "split)")
        request.straddle = _STRADDLES[given["straddle"]]
        request.block_bytes = sizes
        request.block_count = len(blocks)
        request.threads = (os.cpu_count() or 1 if given["threads"] is None else
                           _whole(given["threads"], "threads", 1, 2 ** 31 - 1,
                                  ""))
        return request, names, sizes

    def _carry_out(self, question: Any, sources: Sequence[_Source],
                   given: dict[str, Any]) -> None:
        self.progress = given["progress"]
        request, *kept = self._request(sources, given)
        host, outcome = self._host(), lib.margay_outcome()
        error = lib.margay_error()
        status: list[int] = []

        def work() -> None:
            status.append(_c.margay_run_request(request, question, host,
                                                outcome, error))

        thread = threading.Thread(target=work, name="margay")
        thread.start()
        interrupted = False
        while thread.is_alive():
            try:
                thread.join()
            except KeyboardInterrupt:
                self.stopped = interrupted = True
        del kept
        self.exception = self.exception or self.own.failure()
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
        _check(status[0], error, self.labels)


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    known = Options.__annotations__
    for name in options:
        if name not in known:
            raise TypeError(f"no option {name!r}; there are "
                            + ", ".join(known))
    return {**dict.fromkeys(known), **options}


def _each_series(analysis: Any, sizes: Any,
                 take: Callable[[Any, list[Any]], None]) -> None:
    """Visit the series of an analysis, and the points of each."""
    error = lib.margay_error()

    def visit(context: Any, series: Any, error: Any) -> int:
        take(series.contents, series.contents.points[:series.contents.count])
        return int(lib.MARGAY_OK)

    kind = lib.FUNCTIONS["margay_analysis_series"][1][2]
    _check(_c.margay_analysis_series(analysis, sizes, kind(visit), None, error),
           error)
