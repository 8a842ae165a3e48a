import random
from collections import deque
from types import MappingProxyType

from chat_ui.protocol.recently_used import RecentlyUsed, size_of


def test_the_least_recently_used_value_is_evicted():
    kept: RecentlyUsed[str, str] = RecentlyUsed(3_000)
    kept.put("a", "A", 700)
    kept.put("b", "B", 700)
    assert kept.get("a") == "A"
    assert kept.put("c", "C", 1_000) == ["B"]
    assert [kept.get(key) for key in "abc"] == ["A", None, "C"]
    # Values without bytes are limited too.
    for number in range(1_000):
        kept.put(str(number), "", 0)
    assert len(kept) <= 10
    kept: RecentlyUsed[str, str] = RecentlyUsed(10_000)
    kept.put("a", "A", 5_000, "ada")
    kept.put("b", "B", 2_000, "ada")
    kept.put("c", "C", 1_000, "grace")
    kept.pop_group("ada")
    assert kept.put("d", "D", 8_000) == []
    kept.pop("d")
    kept.pop("d")
    assert list(kept) == ["c"]
    kept.pop("c")
    assert kept.bytes == 0


def test_an_oversized_value_or_a_group_at_its_share_evicts_no_other():
    kept: RecentlyUsed[int, str] = RecentlyUsed(100_000, share=10_000)
    kept.put(-1, "theirs", 1_000, "grace")
    for number in range(100):
        kept.put(number, "mine", 1_000, "ada")
    assert kept.get(-1) == "theirs"
    assert kept.get(99) == "mine"
    assert kept.get(0) is None
    assert kept.bytes <= 10_000 + 1_300
    kept: RecentlyUsed[str, str] = RecentlyUsed(10_000, share=5_000)
    kept.put("small", "S", 100, "grace")
    assert kept.put("large", "L", 5_000, "ada") == ["L"]
    assert kept.get("small") == "S"
    assert kept.put("larger", "L", 10_000) == ["L"]
    assert list(kept) == ["small"]


def test_the_sum_is_right_after_any_changes():
    chance = random.Random(7)
    kept: RecentlyUsed[int, int] = RecentlyUsed(50_000, share=20_000)
    for _ in range(3_000):
        key, size = chance.randrange(40), chance.randrange(9_000)
        match chance.randrange(3):
            case 0:
                kept.pop(key)
            case 1:
                kept.get(key)
            case _:
                kept.put(key, size, size, key % 3)
        held = {one: kept.get(one) for one in kept}
        assert kept.bytes == sum(size + 300 for size in held.values()) <= 50_000
        for group in range(3):
            assert sum(size + 300 for one, size in held.items() if one % 3 == group) <= 20_000


def test_the_contents_of_a_value_are_counted_up_to_a_limit() -> None:
    assert 5_000 < size_of([[] for _ in range(10_000)], 5_000) < 6_000
    text = "x" * 1_000
    for wrapped in (MappingProxyType({"a": text}), {text: 1}, [text], (text,), deque([text]), [{"a": (text,)}]):
        assert 1_000 < size_of((wrapped,), 10_000) < 3_000
        assert size_of((wrapped,), 50) > 50
