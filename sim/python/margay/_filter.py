"""What a cache lets through."""
from __future__ import annotations

# mypy: enable-incomplete-feature=Unpack
import array
import ctypes
from typing import Any, Type, Union

from margay import _columns
from margay._calls import Error, _c, _kind, _text, lib
from margay._policy import Policy, _specs_of
from margay._run import Options, Trace, Unpack, _given, _Run
from margay._table import Table
from margay._values import Count, Size, _size, _whole


class _Sink:
    """A question whose one analysis keeps the blocks it is fed, and their
    kinds."""

    def __init__(self) -> None:
        self.blocks, self.kinds = array.array("Q"), array.array("B")
        self.functions = lib.margay_analysis_class()
        self.functions.feed = _kind(lib.margay_analysis_class,
                                    "feed")(self._feed)
        self.functions.bytes = ctypes.sizeof(lib.margay_analysis)
        self.question = lib.margay_question()
        self.question.functions = ctypes.pointer(self.functions)
        self.question.free = _kind(lib.margay_question,
                                   "free")(lambda question: None)
        self.question.name = b"an array"

    def _feed(self, analysis: Any, span: Any, error: Any) -> int:
        count = span.contents.count
        self.blocks.frombytes(ctypes.string_at(span.contents.blocks, 8 * count))
        self.kinds.frombytes(ctypes.string_at(span.contents.kinds, count))
        return int(lib.MARGAY_OK)


def filter(trace: Trace, *, sets: Count = 0, ways: Count = 0, size: Size = 0,
           policy: Union[str, Type[Policy]] = "lru", write: str = "back", seed: Count = 1,
           **options: Unpack[Options]) -> Table:
    """What a cache asks of what comes after it, in its order; the result is a
    trace again.

    The cache has `sets` and `ways`, or `size` bytes and `ways`, all of one set
    without.  `write`: "back" or "through".  One trace, at one block size.
    Columns: block, the block ids of misses and write-backs (uint64); kind, 0
    read, 1 write, 2 fetch (int64).
    """
    if write not in ("back", "through"):
        raise Error(f"write: {write!r} (expected back or through)")
    request, sink = lib.margay_filter_request(), _Sink()
    request.cache.sets = _whole(sets, "sets", letters="")
    request.cache.ways = _whole(ways, "ways", 0, 2 ** 32 - 1, "")
    request.capacity.value, request.capacity.in_bytes = (
        _size(size, "size")[0], True)
    if (request.capacity.value == 0) == (request.cache.sets == 0) \
            or request.cache.sets != 0 and request.cache.ways == 0:
        raise Error("which cache: expected sets and ways, or size and perhaps "
                    "ways")
    request.cache.seed = _whole(seed, "seed", letters="")
    request.cache.write_through = write == "through"
    with _specs_of([policy]) as own:
        request.cache.policy = _text(own.specs[0])
        _Run(lambda question, error: _c.margay_filter_question(
            request, ctypes.byref(sink.question), question, error),
            lambda analysis, ended_pass: None, own=own).run(trace,
                                                            _given(options))
    return Table(block=_columns.ids(sink.blocks),
                 kind=_columns.numbers(sink.kinds))
