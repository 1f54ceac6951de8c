"""Miss curves, reuse distances and caches of traces, by the library margay.

    import margay
    table = margay.curve("program.mgt", block=64, policy=["lru", "opt"])
    table["cache_bytes"], table["miss_ratio"]

A trace is the name of a file in any format that the command reads, or an array
of 64-bit numbers: byte addresses, or with ids=True block ids.  A result is a
Table: a dict from the command's names of columns to columns.  Columns of
numbers are arrays of numpy where that is installed, and of the module array
otherwise; nothing is copied for either, nor for pandas.DataFrame(table).
Columns that are unknown (the bytes of blocks, in a trace of ids that does not
say what an id stands for) are left out, and a ratio of nothing is no number.

Ctrl-C ends a run and raises KeyboardInterrupt.
"""
from margay._analyses import assoc, curve, distances, histogram, phases
from margay._error import Error
from margay._machine import filter, simulate
from margay._programs import overlap, share
from margay._table import Table

__all__ = ["Error", "Table", "assoc", "curve", "distances", "filter",
           "histogram", "overlap", "phases", "share", "simulate"]
