"""A cache of the values used last, bounded by the memory that they take."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

ENTRY_BYTES: Final = 300
"""Bytes that a value counts in addition, for its keys and its entry."""
_LEAVES: Final[tuple[Any, ...]] = (str, int, float, bool, bytes, type(None))
_SIZE_OF: Final[dict[type, Callable[[Any], int]]] = {leaf: leaf.__sizeof__ for leaf in _LEAVES}
"""Types without nested values; `sys.getsizeof` takes longer."""


class RecentlyUsed(Generic[Key, Value]):
    """Values under keys, at most `most_bytes` of them; with `share`, at most so many bytes of one group.

    The least recently used values make room for a new one, those of its own group first. A larger value than the bound
    is not kept. The caller gives the size of a value.
    """

    def __init__(self, most_bytes: int, *, share: int | None = None) -> None:
        self.most_bytes = most_bytes
        self.share = most_bytes if share is None else share
        self.bytes = 0
        self._values: OrderedDict[Key, tuple[Value, int, Hashable]] = OrderedDict()
        self._groups: dict[Hashable, OrderedDict[Key, None]] = {}
        self._bytes_of: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[Key]:
        """The keys, the least recently used first."""
        return iter(list(self._values))

    def get(self, key: Key) -> Value | None:
        """The value under `key`, which this marks as used; None if it was dropped."""
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        self._groups[found[2]].move_to_end(key)
        return found[0]

    def put(self, key: Key, value: Value, size: int, group: Hashable = None) -> list[Value]:
        """Keep `value`, which takes `size` bytes, in place of an earlier value; returns the dropped values."""
        self.pop(key)
        size += ENTRY_BYTES
        if size > min(self.share, self.most_bytes):
            return [value]
        self._values[key] = value, size, group
        self._groups.setdefault(group, OrderedDict())[key] = None
        self._bytes_of[group] = self._bytes_of.get(group, 0) + size
        self.bytes += size
        made_room = []
        while self._bytes_of[group] > self.share:
            made_room.append(self._drop(next(iter(self._groups[group]))))
        while self.bytes > self.most_bytes:
            made_room.append(self._drop(next(iter(self._values))))
        return made_room

    def pop(self, key: Key) -> Value | None:
        """Take the value under `key` out."""
        return self._drop(key) if key in self._values else None

    def pop_group(self, group: Hashable) -> None:
        """Take all values of a group out."""
        for key in list(self._groups.get(group, ())):
            self._drop(key)

    def _drop(self, key: Key) -> Value:
        value, size, group = self._values.pop(key)
        self.bytes -= size
        self._bytes_of[group] -= size
        del self._groups[group][key]
        if not self._groups[group]:
            del self._groups[group], self._bytes_of[group]
        return value


def size_of(values: Iterable[object], most: int) -> int:
    """Bytes of memory for text, bytes, JSON and records; counting ends above `most`."""
    size = 0
    left: list[Any] = list(values)
    while left and size <= most:
        value = left.pop()
        of_type = type(value)
        if measure := _SIZE_OF.get(of_type):
            size += measure(value)
            continue
        size += sys.getsizeof(value)
        # An isinstance check of a protocol takes five times as long as of the usual types.
        if of_type is dict or (of_type is not list and isinstance(value, Mapping)):
            left += value.keys()
            left += value.values()
        elif of_type is list or isinstance(value, Sequence):
            left += value
        elif is_dataclass(value):
            left += (getattr(value, one.name) for one in fields(value))
    return size
