"""Agents that wait for a person, with the recorded events of real servers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chat_ui.protocol.recordings.request_facts import asked_in
from tests.protocol.pausing import stream
from tests.stand_ins.lookalikes import SSE
from tests.stand_ins.stand_in import Received, Reply

FOLDER = Path(__file__).parents[1] / "protocol/recorded_pauses"
MAIL = "agent-framework-edit"


def recorded_agent(name: str = MAIL, **changes: Any) -> Callable[[Received], Reply]:
    """An agent: questions get its pause, with `changes` of the first interrupt, and decisions the rest."""
    case = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    if changes:
        case["pause"][-1]["outcome"]["interrupts"][0].update(changes)
    pause, rest = (Reply([stream(case[key])], headers=SSE) for key in ("pause", "rest"))
    return lambda received: rest if asked_in(received.json) is None else pause


def sent_decisions(requests: list[Received]) -> list[Any]:
    """The bodies that have decisions, or their payloads in AG-UI."""
    bodies = [one.json for one in requests if one.method == "POST" and asked_in(one.json) is None]
    return [[one["payload"] for one in body["resume"]] if "resume" in body else body for body in bodies]
