"""Programs that share a cache, and how alike two are, from their histograms."""
from __future__ import annotations

import contextlib
import ctypes
from typing import Any, Iterator, Mapping, Optional, Sequence

from margay._calls import Error, _c, _check, _free, lib
from margay._columns import Columns
from margay._table import Rows, Table
from margay._values import Sizes, _cache_sizes, _resolved


@contextlib.contextmanager
def _histogram(table: Columns, name: str, exact: bool) -> Iterator[Any]:
    """The library's histogram of a table that margay.histogram() made."""
    made, error = ctypes.c_void_p(), lib.margay_error()
    lacking = {"distance_from", "distance_to", "references"} - set(table)
    if lacking:
        raise Error(f"{name}: no column {sorted(lacking)[0]} (expected a table "
                    "of margay.histogram)")
    if len(set(map(int, table.get("block_bytes", ())))) > 1:
        raise Error(f"{name}: several block sizes (expected one)")
    _check(_c.margay_histogram_create(ctypes.byref(made), error), error)
    try:
        for first, last, count in zip(table["distance_from"],
                                      table["distance_to"],
                                      table["references"]):
            first, last, count = int(first), int(last), int(count)
            if last < 0 <= first or exact and last - first > 1:
                raise Error(f"{name}: a bin from {first} to {last} (expected "
                            "all distances, in exact bins)")
            _check(_c.margay_histogram_add(made, first % 2 ** 64, count,
                                           error), error)
        yield made
    finally:
        _c.margay_histogram_free(made)


def _block(tables: Sequence[Columns]) -> Optional[int]:
    """The block size that all tables have; None: none of them says one."""
    found = {next(map(int, table.get("block_bytes", ())), None)
             for table in tables}
    if len(found) > 1:
        raise Error("the tables are of different block sizes")
    return found.pop()


def overlap(table: Columns, other: Columns) -> float:
    """How alike the reuse distances of two runs are, from 0 to 1: two tables of
    histogram(), as `margay overlap` compares them."""
    _block([table, other])
    with _histogram(table, "table", False) as one, \
            _histogram(other, "other", False) as two:
        largest = ctypes.c_uint64()
        for name, made in ("table", one), ("other", two):
            if not _c.margay_histogram_largest(made, largest):
                raise Error(f"{name}: no finite distance: there is nothing to "
                            "compare")
        return max(0.0, float(_c.margay_signature_accuracy(one, two)))


def share(programs: Mapping[str, Columns], *,
          sizes: Sizes = "octave:16",
          rates: Optional[Mapping[str, float]] = None,
          fair: bool = False) -> Table:
    """What programs miss in a cache that they share, and in the best division
    of it, as `margay share` writes it.

    `programs`: a table of histogram() for each name, exact.  `rates`: how many
    references each makes in some unit of time, 1 where it is not said.  `fair`:
    no program is to miss more than in an equal part.

    A row for each size and program: cache_blocks, partition_blocks (blocks);
    cache_bytes (bytes); program (text); references, shared_misses,
    partition_misses (counts).
    """
    if sizes == "all":
        raise Error("sizes: a shared cache has no steps (expected pow2, "
                    "octave:N or numbers of blocks)")
    block = _block(list(programs.values())) if programs else None
    rows = Rows(("cache_blocks", "cache_bytes", "program", "references",
                 "shared_misses", "partition_blocks", "partition_misses"))
    error, sharing = lib.margay_error(), ctypes.c_void_p()
    with contextlib.ExitStack() as stack:
        sharers = (lib.margay_sharer * max(1, len(programs)))()
        for sharer, (name, table) in zip(sharers, programs.items()):
            sharer.histogram = stack.enter_context(
                _histogram(table, name, True))
            sharer.rate = (rates or {}).get(name, 1)
        _check(_c.margay_sharing_create(sharers, len(programs),
                                        ctypes.byref(sharing), error), error)
        stack.callback(_c.margay_sharing_free, sharing)
        references = [_c.margay_histogram_references(sharer.histogram)
                      for sharer in sharers]
        for blocks in _shared_sizes(sharing, sizes, block or 0):
            shared = (lib.margay_sharer_result * len(programs))()
            parts = (lib.margay_sharer_result * len(programs))()
            _c.margay_sharing_shared(sharing, blocks, shared)
            _check(_c.margay_sharing_divided(sharing, blocks, fair, parts,
                                             error), error)
            for i, name in enumerate(programs):
                rows.add(blocks, block and blocks * block, name, references[i],
                         shared[i].misses, int(parts[i].blocks),
                         parts[i].misses)
    table = rows.table()
    del table["trace"]
    return table


def _shared_sizes(sharing: Any, sizes: Any, block: int) -> list[int]:
    """A grid goes up to the blocks that all programs have a use for."""
    error, points = lib.margay_error(), ctypes.POINTER(lib.margay_point)()
    count = ctypes.c_size_t()
    grid = {"distance_from": [_c.margay_sharing_last(sharing) - 1],
            "distance_to": [_c.margay_sharing_last(sharing)],
            "references": [1]}
    with _histogram(grid, "sizes", True) as made, \
            _resolved(_cache_sizes(sizes), block) as asked:
        _check(_c.margay_histogram_curve(made, asked, points, count, error),
               error)
    found = [point.cache_blocks for point in points[:count.value]]
    _free(points)
    return found
