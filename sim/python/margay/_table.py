"""Tables, which are what the functions of the package return."""
from __future__ import annotations

import html
from typing import Any, Sequence

from margay import _columns


class Table(dict[str, Any]):
    """Columns by their names, in the order of the command's.

    A column has an entry for each row: counts, sizes and indices are arrays of
    int64, ids and addresses of uint64, ratios of float64; texts are lists.
    table["misses"] is table.misses, too, where no method has the name.
    """

    # Columns of the command that are unknown, each with the one before it; and
    # columns of numbers without an unknown one, so that -1 is a number.
    _unknown: dict[str, str] = {}
    _known: frozenset[str] = frozenset()

    def __getattr__(self, name: str) -> Any:
        if name not in self:
            raise AttributeError(f"no column {name!r}; there are "
                                 + ", ".join(self))
        return self[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), ()))
        return f"<margay.Table of {rows} rows: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        """The first rows, as a notebook shows them."""
        def cells(tag: str, values: Any) -> str:
            return "".join(
                f"<{tag}>{html.escape(format(value, form))}</{tag}>"
                for value in values for form in
                ["" if isinstance(value, str) else
                 ".6g" if isinstance(value, float) else ","])

        rows, few = len(next(iter(self.values()), ())), 20
        body = "".join(f"<tr>{cells('td', row)}</tr>" for row in
                       zip(*(column[:few] for column in self.values())))
        return (f"<table><thead><tr>{cells('th', self)}</tr></thead><tbody>"
                f"{body}</tbody></table>"
                + (f"<p>{few} of {rows:,} rows</p>" if rows > few else ""))

    def rows(self) -> list[dict[str, Any]]:
        """A dict for each row."""
        return [dict(zip(self, row)) for row in zip(*self.values())]


class Rows:
    """Rows of counts, which become columns; the first is the trace's name."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.name = ""
        self.columns: dict[str, list[Any]] = {"trace": []}
        self.columns.update((name, []) for name in columns)

    def add(self, *values: Any) -> None:
        for column, value in zip(self.columns.values(), (self.name, *values)):
            column.append(value)

    def table(self, parts: Sequence[tuple[str, str, str]] = ()) -> Table:
        """`parts`: a ratio's name, and the columns of part and whole; it
        stands after the part.  A column of None is unknown; where it is
        known of some traces, it has -1 for the others."""
        table = Table()
        table._unknown, last = {}, ""
        for name, column in self.columns.items():
            if set(column) == {None}:
                table._unknown[name] = last
            elif any(isinstance(value, str) for value in column[:1]):
                table[name] = column
            else:
                table[name] = (_columns.ids if name == "site" else
                               _columns.numbers)(-1 if value is None else value
                                                 for value in column)
            last = name
            for ratio, part, whole in parts:
                if part != name:
                    continue
                if set(self.columns[whole]) == {None}:
                    table._unknown[ratio] = last
                else:
                    table[ratio] = _columns.ratios(column, self.columns[whole])
                last = ratio
        return table
