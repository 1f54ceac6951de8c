"""Replacement policies in Python."""
from __future__ import annotations

import contextlib
import ctypes
import operator
import os
import shutil
import tempfile
from typing import Any, Iterator, Sequence, Type, Union

from margay._calls import Error, _kind, lib


class Policy:
    """A replacement policy of one's own is a subclass of this one.

    An object is made for each cache, of so many sets of so many ways, which are
    counted from 0.  A use that finds its block calls hit().  One that does not
    calls fill() with the way that the block comes into, the lowest free one; if
    none is free it calls victim() before, for that way.
    """

    def __init__(self, sets: int, ways: int, seed: int) -> None:
        self.sets, self.ways, self.seed = sets, ways, seed

    def hit(self, set: int, way: int) -> None:
        """The block in a way of a set is used."""

    def victim(self, set: int) -> int:
        """The way whose block makes room."""
        raise NotImplementedError

    def fill(self, set: int, way: int, block: int) -> None:
        """A block comes into a way."""


Policies = Union[str, Type[Policy], Sequence[Union[str, Type[Policy]]]]


class _Loaded:
    """A subclass as a shared object that the library opens in this process."""

    def __init__(self, policy: Type[Policy], path: str) -> None:
        shutil.copyfile(os.path.join(os.path.dirname(__file__), "policy.so"),
                        path)
        self.policy, self.path = policy, path
        # By the address of struct margay_own_cache, whose memory holds 0 when
        # it is new.
        self.caches: dict[int, Policy] = {}
        self.exceptions: list[BaseException] = []
        self.object = ctypes.CDLL(path)
        own = lib.margay_own_policy.in_dll(self.object, "margay_own_policy")
        used: Any = (None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32,
                ctypes.c_void_p)
        functions: dict[str, tuple[Any, Any]] = {
            "bytes": (lambda sets, ways: 8, (ctypes.c_uint64, ctypes.c_uint64,
                                             ctypes.c_uint32)),
            "hit": (self._hit, used), "insert": (self._insert, used),
            "evict": (self._evict, (ctypes.c_uint32, ctypes.c_void_p,
                                    ctypes.c_uint64, ctypes.c_void_p))}
        self.kept = []
        for name, (function, kinds) in functions.items():
            self.kept.append(ctypes.CFUNCTYPE(*kinds)(function))
            setattr(own, name, ctypes.cast(
                self.kept[-1], _kind(lib.margay_own_policy, name)))

    def _hit(self, cache: int, index: int, way: int, use: int) -> None:
        try:
            self.caches[cache].hit(index, way)
        except BaseException as exception:  # raised again by the run
            self.exceptions.append(exception)

    def _evict(self, cache: int, index: int, use: int) -> int:
        try:
            made = self.caches[cache]
            way = operator.index(made.victim(index))
            if not 0 <= way < made.ways:
                raise Error(f"{self.policy.__name__}.victim: {way!r} (expected "
                            f"a way from 0 to {made.ways - 1})")
            return way
        except BaseException as exception:
            self.exceptions.append(exception)
            return 0

    def _insert(self, cache: int, index: int, way: int, use: int) -> None:
        try:
            head = lib.margay_own_cache.from_address(cache)
            known = ctypes.c_uint64.from_address(head.memory)
            if not known.value:
                self.caches[cache] = self.policy(head.sets, head.ways,
                                                 head.seed)
                known.value = 1
            self.caches[cache].fill(
                index, way, ctypes.c_uint64.from_address(use).value)
        except BaseException as exception:
            self.exceptions.append(exception)


class _Specs:
    """Policies by the specs that the library takes, and their names."""

    def __init__(self, specs: list[str], own: list[_Loaded]) -> None:
        self.specs, self._own = specs, own
        self.names = {loaded.path: loaded.policy.__name__ for loaded in own}

    def failure(self) -> BaseException | None:
        """The first exception of a policy."""
        return next((loaded.exceptions[0] for loaded in self._own
                     if loaded.exceptions), None)


@contextlib.contextmanager
def _specs_of(policies: Sequence[Any]) -> Iterator[_Specs]:
    own: list[_Loaded] = []
    specs: list[str] = []
    with tempfile.TemporaryDirectory(prefix="margay") as folder:
        for policy in policies:
            if isinstance(policy, type) and issubclass(policy, Policy):
                own.append(_Loaded(policy, os.path.join(
                    folder, f"policy{len(own)}.so")))
                specs.append(own[-1].path)
            else:
                specs.append(str(policy))
        yield _Specs(specs, own)
