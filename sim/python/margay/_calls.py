"""The library, loaded: its functions and structures."""
from __future__ import annotations

import ctypes
import importlib
import os
from typing import Any, Mapping, Sequence


class Error(Exception):
    """What the library refuses: the message of the command."""
    __module__ = "margay"


lib: Any = importlib.import_module("margay._library")
_c: Any = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "libmargay.so"))
for _name, (_result, _arguments) in lib.FUNCTIONS.items():
    if hasattr(_c, _name):
        getattr(_c, _name).restype = _result
        getattr(_c, _name).argtypes = _arguments
_text = os.fsencode
_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]
_free.restype = None


def _relabel(message: str, labels: Mapping[str, str]) -> str:
    """The message, with arrays named as in Python."""
    for name in sorted(labels, key=len, reverse=True):
        message = message.replace(name, labels[name])
    return message


def _check(status: int, error: Any, labels: Mapping[str, str] = {}) -> None:
    if status != lib.MARGAY_OK:
        kind = MemoryError if status == lib.MARGAY_NO_MEMORY else Error
        raise kind(_relabel(error.message.decode(errors="replace"), labels))


def _structure(kind: Any, defaults: Sequence[Any]) -> Any:
    """A structure of the library with its defaults."""
    made = kind()
    for (name, of), value in zip(kind._fields_, defaults):
        if isinstance(value, list):
            setattr(made, name, _structure(of, value))
        elif value:
            setattr(made, name, value)
    return made


def _kind(structure: Any, member: str) -> Any:
    """The type of a member of a structure."""
    return dict(structure._fields_)[member]
