"""Numbers, sizes and ratios as callers write them, checked as the command's."""
from __future__ import annotations

import contextlib
import ctypes
import operator
import re
from typing import Any, Iterable, Iterator, Sequence, SupportsIndex, Union

from margay._calls import Error, _c, _check, _free, _text, lib

# Text is an argument of the command: "250K" references, "4KiB", "5%", "1,2,8".
Count = Union[SupportsIndex, str]
Size = Union[SupportsIndex, str]
Sizes = Union[Size, Iterable[Size]]
Ratio = Union[float, str]
Words = Union[str, Sequence[str]]


def _list(value: Any) -> list[Any]:
    """One or several, also as text; a comma before a parameter (a=b) of a spec
    divides nothing."""
    if value is None:
        return []
    if isinstance(value, str):
        return re.split(r",(?![^,:=]*=)", value)
    return list(value) if isinstance(value, Iterable) else [value]


def _whole(value: Any, what: str, least: int = 0, most: int = 2 ** 64 - 1,
           letters: str = "KMG") -> int:
    """A count: a number, or digits that may end in K, M or G of thousands."""
    number = -1
    if isinstance(value, str):
        found = re.fullmatch("([0-9]{1,20})([KMG]?)", value)
        if found and found[2] in letters:
            number = int(found[1]) * 1000 ** " KMG".index(found[2] or " ")
    elif not isinstance(value, bool) and hasattr(value, "__index__"):
        number = operator.index(value)
    if not least <= number <= most:
        raise Error(f"{what}: {value!r} (expected a whole number from {least} "
                    f"to {most})")
    return number


def _size(value: Any, what: str, least: int = 0) -> tuple[int, bool]:
    """A size, and whether it says that it is of bytes."""
    size, suffixed = ctypes.c_uint64(), ctypes.c_bool()
    if not isinstance(value, str):
        return _whole(value, what, least), False
    error = lib.margay_error()
    _check(_c.margay_parse_size(_text(value), _text(what), size, suffixed,
                                error), error)
    return _whole(size.value, what, least), suffixed.value


def _ratio(value: Any, what: str) -> float:
    """A ratio: 0.05, "0.05" or "5%"."""
    digits, percent, rest = str(value).partition("%")
    try:
        ratio = float(digits) / (100 if percent else 1) if not rest else 0
    except ValueError:
        ratio = 0
    if not 0.000001 <= ratio <= 1:
        raise Error(f"{what}: {value!r} (expected a ratio such as 0.05 or 5%, "
                    "from 0.000001 to 1)")
    return ratio


def _cache_sizes(sizes: Any) -> Any:
    """struct margay_cache_sizes of a grid's name or a list of sizes."""
    made = lib.margay_cache_sizes()
    grid = sizes if isinstance(sizes, str) else ""
    name, _, parameter = grid.partition(":")
    kinds = {"octave": lib.MARGAY_SIZES_OCTAVE, "pow2": lib.MARGAY_SIZES_POW2,
             "usual": lib.MARGAY_SIZES_USUAL, "all": lib.MARGAY_SIZES_ALL}
    if name in kinds and (name == "octave") == bool(parameter):
        made.kind = kinds[name]
        if parameter:
            made.per_octave = _whole(parameter, "sizes: octave", 1, 65536, "")
        return made
    listed = _list(sizes)
    if not listed or not all(str(size)[:1].isdigit() or
                             not isinstance(size, str) for size in listed):
        raise Error(f"sizes: {sizes!r} (expected pow2, octave:N, all, or "
                    "sizes such as 64, '4KiB' or '64,4KiB,1MiB')")
    made.kind, made.count = lib.MARGAY_SIZES_LIST, len(listed)
    made.list = (lib.margay_cache_size * len(listed))(
        *(_size(size, "sizes", 1) for size in listed))
    return made


@contextlib.contextmanager
def _resolved(asked: Any, block_bytes: int) -> Iterator[Any]:
    """struct margay_sizes of these, at a block size; 0: it is unknown."""
    if asked is None:
        yield None
        return
    sizes, error = lib.margay_sizes(), lib.margay_error()
    _check(_c.margay_cache_sizes_resolve(asked, block_bytes, sizes, error),
           error)
    try:
        yield sizes
    finally:
        _free(sizes.list_blocks)
