"""Columns of tables: arrays of numpy, or else of the module array."""
from __future__ import annotations

import array
import ctypes
import math
from typing import Any, Iterable, Sequence

from margay._error import Error

try:
    import numpy
except ImportError:  # the standard library does without
    numpy = None  # type: ignore[assignment]


def numbers(values: Iterable[int]) -> Any:
    """Counts of 64 bits."""
    column = array.array("Q", values)
    return column if numpy is None else numpy.frombuffer(column, numpy.uint64)


def ratios(parts: Sequence[int], wholes: Sequence[int]) -> Any:
    """Shares, or means; of nothing, what is no number."""
    column = array.array("d", (part / whole if whole else math.nan
                               for part, whole in zip(parts, wholes)))
    return column if numpy is None else numpy.frombuffer(column, numpy.float64)


def _unfit(found: object) -> Error:
    return Error("an array: expected a one-dimensional array of non-negative "
                 f"integers of 64 bits, found {found}")


def _is_negative(view: memoryview) -> bool:
    """Is one of the signed numbers?"""
    if len(view) == 0:
        return False
    if numpy is not None:
        return bool(numpy.frombuffer(view, numpy.int64).min() < 0)
    return min(view) < 0


def _convert(given: Any) -> memoryview:
    try:
        if isinstance(given, memoryview):
            given = given.tolist()
        return memoryview(array.array("Q", given))
    except OverflowError as why:
        raise _unfit(f"a number beyond them: {why}") from None
    except (TypeError, ValueError, NotImplementedError) as why:
        raise _unfit(f"others: {why}") from None


def words(numbers_given: Any) -> tuple[Any, int]:
    """What a caller gives as 64-bit numbers: a buffer of them, and how many.

    Buffers of 64-bit integers are taken as they are; anything else is
    converted.
    """
    try:
        view = memoryview(numbers_given)
    except (TypeError, ValueError):
        view = _convert(numbers_given)
    if view.ndim != 1:
        raise _unfit(f"{view.ndim} dimensions")
    if view.format not in ("Q", "L", "q", "l") or view.itemsize != 8 \
            or not view.contiguous:
        view = _convert(view)
    if view.format in ("q", "l") and _is_negative(view):
        raise _unfit("a negative number")
    return view, len(view)


def pointer(view: memoryview) -> Any:
    """The address of a buffer, for C to read; the buffer has to stay."""
    if not view.readonly:
        kind = ctypes.c_uint64 * len(view)
        return kind.from_buffer(view.cast("B"))
    if numpy is not None:
        address = numpy.frombuffer(view, numpy.uint64).ctypes.data
        return ctypes.cast(address, ctypes.POINTER(ctypes.c_uint64))
    return (ctypes.c_uint64 * len(view)).from_buffer_copy(view.cast("B"))


def unsigned(count: int) -> tuple[Any, Any]:
    """A new column of `count` numbers for C to fill, and its pointer."""
    column = array.array("Q", bytes(8 * count))
    filled = (ctypes.c_uint64 * count).from_buffer(column)
    return (column if numpy is None
            else numpy.frombuffer(column, numpy.uint64)), filled
