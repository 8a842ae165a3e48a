"""Recorded answers with parts replaced or left out."""

from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.dialects.reader import DialectReader
from chat_ui.protocol.reading.items import Framed
from tests.protocol.asking import events, folded, values
from tests.protocol.recorded import RECORDED


def recorded(name: str) -> Answer:
    return folded(events(RECORDED[name]))


def read(*told: object) -> Answer:
    reader = DialectReader()
    found = [event for value in told for event in reader.read(Framed(value))]  # type: ignore[arg-type]
    return folded([*found, *reader.close()])


SPOILT = st.sampled_from([None, True, 0, -1, 10**30, 0.5, "", "x", [], [[]], {}, {"type": []}, ["x", None, {}]])


@st.composite
def damaged(draw: st.DrawFn, dialect: str) -> list[object]:
    """The values of a recorded answer with some parts replaced or left out."""
    name = draw(st.sampled_from([name for name in RECORDED if name.startswith(f"{dialect}/")]))
    found = values(RECORDED[name])
    for _ in range(draw(st.integers(1, 4))):
        parent: Any = found
        while True:
            keys = list(parent) if isinstance(parent, dict) else list(range(len(parent)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(parent[key], dict | list) and parent[key] and draw(st.integers(0, 3)):
                parent = parent[key]
                continue
            if draw(st.booleans()):
                parent[key] = deepcopy(draw(SPOILT))
            else:
                del parent[key]
            break
    return found
