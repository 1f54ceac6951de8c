"""Runs of the library: what the functions of the package share."""
from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from typing import Any, Callable, Iterable, Sequence, Union

from margay import _columns
from margay import _library as lib
from margay._error import Error
from margay._table import Trace, name_of

Progress = Union[bool, Callable[[str, int, float], None], None]

_c = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "libmargay.so"))
for _name, (_result, _arguments) in lib.FUNCTIONS.items():
    if hasattr(_c, _name):
        getattr(_c, _name).restype = _result
        getattr(_c, _name).argtypes = _arguments
_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]
_free.restype = None


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
    """One run: a question, and what is to happen with each pass.

    `ask` makes the question; `ended` is called with the analysis of each pass
    that has ended, and the pass.

    The library works on a thread of its own, so that this one hears Ctrl-C.
    An exception of a function that the library calls ends the run, and is
    raised in the end.
    """

    def __init__(self, ask: Callable[[Any, Any], int],
                 ended: Callable[[Any, Any], None]) -> None:
        self.ask, self.on_ended = ask, ended
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
        host.ended = kinds["ended"](
            lambda context, job, ended, error: self._guarded(
                error, lambda: self.on_ended(
                    job.contents.analyses[ended.contents.index], ended)))
        host.stop = kinds["stop"](lambda context: self.stopped)
        if self.progress:
            host.progress = kinds["progress"](
                lambda context, progress: self._tell(progress))
        return host

    def run(self, trace: Trace, given: dict[str, Any]) -> None:
        source = _Source(trace, given)
        self.name = name_of(trace)
        question = ctypes.POINTER(lib.margay_question)()
        error = lib.margay_error()
        try:
            _check(self.ask(question, error), error)
            self._carry_out(question, source, given)
        finally:
            _c.margay_question_free(question)
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

    def _carry_out(self, question: Any, source: _Source,
                   given: dict[str, Any]) -> None:
        self.progress = given["progress"]
        request, *kept = self._request(source, given)
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


def _cache_sizes(sizes: Union[str, Iterable[int], int]) -> Any:
    """struct margay_cache_sizes, likewise."""
    asked, kept = _sizes(sizes)
    made = lib.margay_cache_sizes()
    made.kind, made.per_octave = asked.kind, asked.per_octave
    if kept is not None:
        made.list = (lib.margay_cache_size * len(kept))(
            *((number, False) for number in kept))
        made.count = len(kept)
    return made


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
