"""A process that is killed as a decision arrives at the agent."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.records.records import Status
from chat_ui.errors import AlreadyDecidedError
from chat_ui.protocol.transport.client import AsyncClient
from tests.conversations.pausing import APPROVED, BACKEND, DONE, Agent, ended, pausing
from tests.conversations.repository import repository, until
from tests.timeouts import TIMEOUT


async def decide_until_killed(url: str, ran: Path, *, is_sent: bool) -> None:
    """Decide on a pause in a store, and be killed before or after the tool ran."""

    async def arrive() -> None:
        if is_sent:
            ran.touch()  # noqa: ASYNC240 - nothing else runs here
        os.kill(os.getpid(), signal.SIGKILL)

    agent = Agent(pytest.MonkeyPatch(), pausing())
    agent.on_decision = arrive
    async with AsyncClient() as client, repository(url) as conversations:
        talk = conversations.start("me")
        asked = await ended(talk.ask(client, BACKEND, "Mail Ann.", {}))
        await ended(await talk.decide(client, BACKEND, asked.generation.id, [APPROVED], "Approved"))


@pytest.mark.parametrize("is_sent", [False, True], ids=["before it was sent", "after it was sent"])
async def test_a_decision_of_a_killed_process_is_not_sent_again(sqlite_url, tmp_path, client, monkeypatch, is_sent):
    ran, here = tmp_path / "ran", decide_until_killed
    call = f"{here.__name__}({sqlite_url!r}, Path({str(ran)!r}), is_sent={is_sent})"
    program = f"import asyncio; from pathlib import Path; from {__name__} import *; asyncio.run({call})"
    run = [sys.executable, "-c", program]
    done = await asyncio.to_thread(subprocess.run, run, env={**os.environ, "PYTHONPATH": "."}, timeout=TIMEOUT)
    assert (done.returncode, ran.exists()) == (-signal.SIGKILL, is_sent)
    agent = Agent(monkeypatch, DONE)
    async with repository(sqlite_url) as conversations:

        async def is_closed() -> Conversation | None:
            talk = await conversations.current("me")
            return talk if talk is not None and talk.live is None else None

        talk = await until(is_closed)
        asked, decided = talk.turns
        assert (asked.generation.status, decided.generation.status) == (Status.WAITING, Status.INTERRUPTED)
        with pytest.raises(AlreadyDecidedError):
            await talk.decide(client, BACKEND, asked.generation.id, [APPROVED], "Approved")
        assert agent.decisions == []
        # A person may send it again, as it is not known whether the backend received it.
        again = await ended(await talk.decide(client, BACKEND, asked.generation.id, [], "", again=True))
        assert (len(agent.decisions), again.generation.status) == (1, Status.FINISHED)
