"""Columns of tables: arrays of numpy, or else of the module array."""
from __future__ import annotations

import array
import ctypes
import importlib
import math
from typing import Any, Collection, Iterable, Mapping, Sequence, SupportsIndex


from margay._calls import Error

numpy: Any
try:
    numpy = importlib.import_module("numpy")
except ImportError:  # the standard library does without
    numpy = None


# Numbers in one dimension: of numpy, array, pandas, or a list.
Array = Collection[SupportsIndex]
Columns = Mapping[str, Array]


def _column(values: "array.array[Any]") -> Any:
    return values if numpy is None else numpy.frombuffer(values,
                                                         values.typecode)


def numbers(values: Iterable[int]) -> Any:
    """Counts and sizes, int64."""
    try:
        return _column(array.array("q", values))
    except OverflowError:
        raise Error("a number of 2^63 or more, which no column holds") from None


def ids(values: Iterable[int]) -> Any:
    """Ids and addresses, uint64."""
    return _column(array.array("Q", values))


def reals(values: Iterable[float]) -> Any:
    return _column(array.array("d", values))


def ratios(parts: Sequence[int], wholes: Sequence[int]) -> Any:
    """Shares, or means; of nothing, what is no number."""
    return reals(part / whole if whole else math.nan
                 for part, whole in zip(parts, wholes))


def _unfit(found: object) -> Error:
    return Error("an array: expected a one-dimensional array of non-negative "
                 f"integers of 64 bits, found {found}")


def _convert(given: Any) -> memoryview:
    try:
        if isinstance(given, memoryview):
            given = given.tolist()
        return memoryview(array.array("Q", given))
    except OverflowError as why:
        raise _unfit(f"a number beyond them: {why}") from None
    except (TypeError, ValueError, NotImplementedError) as why:
        raise _unfit(f"others: {why}") from None


def words(numbers_given: Any) -> tuple[memoryview, int]:
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
    if len(view) > 0 and view.format in ("q", "l") and (
            min(view) if numpy is None else
            numpy.frombuffer(view, numpy.int64).min()) < 0:
        raise _unfit("a negative number")
    return view, len(view)


def narrow(view: memoryview, code: str, most: int, what: str) -> Any:
    """The numbers of a buffer in fewer bytes, as ctypes has them."""
    if len(view) > 0 and most < (max(view) if numpy is None else
                                 numpy.frombuffer(view, numpy.uint64).max()):
        raise Error(f"arrays: {what}: a number over {most}")
    made = (array.array(code, view) if numpy is None else
            numpy.frombuffer(view, numpy.uint64).astype(code))
    of = {"B": ctypes.c_uint8, "I": ctypes.c_uint32}[code]
    return (of * len(view)).from_buffer(made)


def pointer(view: memoryview) -> Any:
    """The address of a buffer, for C to read; the buffer has to stay."""
    if not view.readonly:
        kind = ctypes.c_uint64 * len(view)
        return kind.from_buffer(view.cast("B"))
    if numpy is not None:
        address = numpy.frombuffer(view, numpy.uint64).ctypes.data
        return ctypes.cast(address, ctypes.POINTER(ctypes.c_uint64))
    return (ctypes.c_uint64 * len(view)).from_buffer_copy(view.cast("B"))


def filled(code: str, count: int) -> tuple[Any, Any]:
    """A new column of `count` numbers for C to fill, and its pointer."""
    column = array.array(code, bytes(8 * count))
    return _column(column), (ctypes.c_uint64 * count).from_buffer(column)
