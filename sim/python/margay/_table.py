"""Tables, which are what the functions of the package return."""
from __future__ import annotations

import os
from typing import Any, Sequence, Union

from margay import _columns

Trace = Union[str, "os.PathLike[str]", Any]


class Table(dict):
    """Columns by their names, in the order of the command's."""

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), ()))
        return f"<margay.Table of {rows} rows: {', '.join(self)}>"

    def rows(self) -> list[dict[str, Any]]:
        """A dict for each row."""
        return [dict(zip(self, row)) for row in zip(*self.values())]


def name_of(trace: Trace) -> str:
    return (os.fspath(trace) if isinstance(trace, (str, os.PathLike))
            else "array")


class Rows:
    """Rows of counts, which become columns."""

    def __init__(self, trace: Trace, columns: Sequence[str]) -> None:
        self.name = name_of(trace)
        self.columns: dict[str, list[Any]] = {name: [] for name in columns}

    def add(self, *values: Any) -> None:
        for column, value in zip(self.columns.values(), values):
            column.append(value)

    def table(self, parts: Sequence[tuple[str, str, str]] = ()) -> Table:
        """`parts`: a ratio's name, and the columns of part and whole; it
        stands behind the part."""
        rows = len(next(iter(self.columns.values()), ()))
        table = Table(trace=[self.name] * rows)
        for name, column in self.columns.items():
            if None in column:
                continue
            is_text = any(isinstance(value, str) for value in column[:1])
            table[name] = column if is_text else _columns.numbers(column)
            for ratio, part, whole in parts:
                if part == name:
                    table[ratio] = _columns.ratios(column, self.columns[whole])
        return table
