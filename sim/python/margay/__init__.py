"""Miss curves, reuse distances and caches of traces, by the library margay.

    import margay
    table = margay.curve("program.mgt", block=64, policy=["lru", "opt"])
    table.cache_bytes, table.miss_ratio

A trace is the name of a file in any format that the command reads, an array of
64-bit numbers (byte addresses, or with ids=True block ids), or a dict of
arrays: "address" or "block" with "kind" (0 read, 1 write, 2 fetch), "thread"
and "site", or "block" with "kind", "size" (bytes) and "time" (whole seconds).  A list
holds several.  A result is a Table of columns, arrays of numpy where that is
installed and else of the module array.  Counts are int64; a distance that there
is none of is -1.  A column that is unknown, such as the bytes of blocks in a
trace of ids, is left out.  Numbers may be text as the command takes it:
skip="250K", sizes="4KiB,1MiB", sample="5%".  Ctrl-C ends a run.
"""
import inspect
from typing import Any

from margay._analyses import assoc, curve, distances, histogram, phases
from margay._calls import Error
from margay._calls import lib as _lib
from margay._command import (Picture, annotate, compare, generate, plot,
                             simulate)
from margay._filter import filter
from margay._policy import Policy
from margay._programs import overlap, share
from margay._run import Options
from margay._table import Table

__version__: str = _lib.VERSION
__all__ = ["Error", "Options", "Picture", "Policy", "Table", "annotate", "assoc",
           "compare", "curve", "distances", "filter", "generate", "histogram",
           "overlap", "phases", "plot", "share", "simulate"]

# help() and notebooks list the keywords of Options one by one.
for _function in (annotate, assoc, compare, curve, filter, histogram, phases,
                  simulate):  # type: Any
    _signature = inspect.signature(_function)
    _function.__signature__ = _signature.replace(parameters=[
        *list(_signature.parameters.values())[:-1], *(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY,
                              default=None, annotation=kind.__forward_arg__)
            for name, kind in Options.__annotations__.items())])
