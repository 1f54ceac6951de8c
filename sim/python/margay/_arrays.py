"""Traces in memory: arrays, written to a file as a trace of the library."""
from __future__ import annotations

import array
import ctypes
from typing import Any, BinaryIO, Mapping

from margay import _columns
from margay._calls import Error, _c, _check, _kind, lib


def is_columns(trace: Any) -> bool:
    """Is it a mapping of columns, or a frame of pandas, but not a series?"""
    return hasattr(trace, "keys") and not hasattr(trace, "dtype")


def write(trace: Any, file: BinaryIO) -> str:
    """Write one array, or a mapping of columns; returns the format."""
    if not is_columns(trace):
        file.write(_columns.words(trace)[0])
        return "u64"
    columns = {name: _columns.words(trace[name])[0] for name in trace.keys()}
    numbers = [name for name in ("address", "block") if name in columns]
    if len(numbers) == 1 and len(set(map(len, columns.values()))) == 1:
        others = set(columns) - set(numbers)
        if others <= {"kind", "thread", "site"}:
            _write_program(columns, numbers[0], file)
            return "mgt"
        if others <= {"kind", "size", "time"} and numbers == ["block"]:
            _write_objects(columns, file)
            return "lcs"
    raise Error(f"arrays: columns {', '.join(map(str, columns))} (expected, "
                "all of one length, address or block with kind, thread, site; "
                "or block with kind, size, time)")


def _write_program(columns: Mapping[str, memoryview], numbers: str,
                   file: BinaryIO) -> None:
    pieces: list[bytes] = []

    def take(context: Any, data: int, count: int, error: Any) -> int:
        pieces.append(ctypes.string_at(data, count))
        return int(lib.MARGAY_OK)

    batch, sink = lib.margay_batch(), lib.margay_sink()
    sink.write = _kind(lib.margay_sink, "write")(take)
    batch.references = len(columns[numbers])
    batch.numbers = _columns.pointer(columns[numbers])
    if "kind" in columns:
        batch.kinds = _columns.narrow(columns["kind"], "B", 2, "kind")
    if "thread" in columns:
        batch.threads = _columns.narrow(columns["thread"], "I", 2 ** 32 - 1,
                                        "thread")
    if "site" in columns:
        batch.sites = _columns.pointer(columns["site"])
    meaning = (lib.MARGAY_IDS if numbers == "block" else lib.MARGAY_ADDRESSES)
    writer, error = ctypes.c_void_p(), lib.margay_error()
    _check(_c.margay_writer_create(b"mgt", None, sink, ctypes.byref(writer),
                                   error), error)
    try:
        status = (_c.margay_writer_set_numbers(writer, meaning, 0, False, error)
                  or _c.margay_writer_put(writer, batch, error)
                  or _c.margay_writer_finish(writer, error))
    finally:
        _c.margay_writer_free(writer)
    _check(status, error)
    file.writelines(pieces)


def _write_objects(columns: Mapping[str, memoryview], file: BinaryIO) -> None:
    """As libCacheSim's records of 64-bit fields, which their header lists."""
    places = {"block": 248, "size": 249, "time": 250, "kind": 253}
    header, words = bytearray(1024), len(columns)
    header[:8] = header[-8:] = (0x123456789abcdef0).to_bytes(8, "little")
    header[8:9 + words] = b"<" + b"Q" * words
    header[1004:1008] = (8 * words).to_bytes(4, "little")
    records = array.array("Q", bytes(8 * words * len(columns["block"])))
    for i, (name, view) in enumerate(columns.items()):
        header[places[name]] = i + 1
        column = array.array("Q")
        if name == "kind":  # its operations 12 and 13 read and write
            column.extend(12 + kind for kind in
                          _columns.narrow(view, "B", 1, "kind of objects"))
        else:
            column.frombytes(view.cast("B"))
        records[i::words] = column
    file.write(header)
    file.write(memoryview(records))
