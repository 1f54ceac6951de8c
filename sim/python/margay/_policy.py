"""Replacement policies in Python."""
from __future__ import annotations

import contextlib
import ctypes
import fcntl
import operator
import os
import shutil
import socket
import struct
import tempfile
import threading
from typing import Any, Iterable, Iterator, Sequence, Type, Union

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


class _Own:
    """A subclass, and the objects of its caches, by what these are known by.

    It is a copy of the shared object policy.so, whose functions come here.  The
    first exception ends the run, which raises it again.
    """

    def __init__(self, policy: Type[Policy], path: str) -> None:
        shutil.copyfile(os.path.join(os.path.dirname(__file__), "policy.so"),
                        path)
        self.policy, self.path = policy, path
        self.caches: dict[int, Policy] = {}
        self.exception: BaseException | None = None

    def victim(self, cache: int, index: int) -> int:
        made = self.caches[cache]
        way = operator.index(made.victim(index))
        if not 0 <= way < made.ways:
            raise Error(f"{self.policy.__name__}.victim: {way!r} (expected a "
                        f"way from 0 to {made.ways - 1})")
        return way


class _Loaded(_Own):
    """In this process: functions in Python are those of the object, and caches
    are known by the addresses of struct margay_own_cache, whose memory holds 0
    when it is new."""

    def __init__(self, policy: Type[Policy], path: str) -> None:
        super().__init__(policy, path)
        self.object = ctypes.CDLL(path)
        own = lib.margay_own_policy.in_dll(self.object, "margay_own_policy")
        used: Any = (None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32,
                     ctypes.c_void_p)
        functions: dict[str, tuple[Any, Any]] = {
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
        except BaseException as exception:
            self.exception = self.exception or exception

    def _evict(self, cache: int, index: int, use: int) -> int:
        try:
            return self.victim(cache, index)
        except BaseException as exception:
            self.exception = self.exception or exception
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
            self.exception = self.exception or exception

    def close(self) -> None:
        """There is nothing that waits."""


# A message of policy.c: the cache, set, block, way, and the event.
_EVENT = struct.Struct("=QQQII")
_HIT, _EVICT, _FILL, _NEW = range(4)


class _Served(_Own):
    """In the process of the command: it sends what happens through a socket, and
    a thread makes the calls."""

    def __init__(self, policy: Type[Policy], folder: str) -> None:
        self.here, there = socket.socketpair()
        # Not the descriptor of a standard stream that is closed here: that is
        # replaced in the command, or none for policy.c.
        self.there = socket.socket(fileno=fcntl.fcntl(
            there.fileno(), fcntl.F_DUPFD_CLOEXEC, 3))
        there.close()
        super().__init__(policy, os.path.join(
            folder, f"{self.there.fileno()}.so"))
        self.thread = threading.Thread(target=self._serve, name="margay policy",
                                       daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        rest = b""
        try:
            while received := self.here.recv(1 << 16):
                rest += received
                whole = len(rest) - len(rest) % _EVENT.size
                for event in _EVENT.iter_unpack(rest[:whole]):
                    self._happens(*event)
                rest = rest[whole:]
        except ConnectionError:  # the command has ended
            pass
        except BaseException as exception:
            self.exception = exception
        finally:
            self.here.close()

    def _happens(self, cache: int, index: int, block: int, way: int,
                 what: int) -> None:
        if what == _HIT:
            self.caches[cache].hit(index, way)
        elif what == _FILL:
            self.caches[cache].fill(index, way, block)
        elif what == _NEW:
            self.caches[cache] = self.policy(index, way, block)
        else:
            self.here.sendall(struct.pack("=I", self.victim(cache, index)))

    def close(self) -> None:
        """Make the calls that wait; the command has ended."""
        self.there.close()
        self.thread.join()


class _Specs:
    """Policies by the specs that the library takes, and their names."""

    def __init__(self, specs: list[str],
                 own: Sequence[Union[_Loaded, _Served]]) -> None:
        self.specs, self.own = specs, own
        self.names = {made.path: made.policy.__name__ for made in own}

    def failure(self) -> BaseException | None:
        """An exception of a policy."""
        return next((made.exception for made in self.own
                     if made.exception is not None), None)


@contextlib.contextmanager
def _specs_of(policies: Iterable[Any],
              of_command: bool = False) -> Iterator[_Specs]:
    own: list[Union[_Loaded, _Served]] = []
    specs: list[str] = []
    with tempfile.TemporaryDirectory(prefix="margay") as folder:
        try:
            for policy in policies:
                if isinstance(policy, type) and issubclass(policy, Policy):
                    if policy.victim is Policy.victim:
                        raise TypeError(
                            f"policy: {policy.__name__} has no victim() "
                            "(expected one, which returns a way)")
                    own.append(_Served(policy, folder) if of_command else
                               _Loaded(policy, os.path.join(
                                   folder, f"policy{len(own)}.so")))
                    specs.append(own[-1].path)
                elif isinstance(policy, Policy):
                    raise TypeError(
                        f"policy: an object of {type(policy).__name__} "
                        "(expected the class, as each cache has an object)")
                else:
                    specs.append(str(policy))
            found = _Specs(specs, own)
            yield found
        finally:
            for made in own:
                made.close()
    failure = found.failure()
    if failure is not None:
        raise failure
