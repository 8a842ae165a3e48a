"""What Reflex keeps in Redis, while that is away and afterwards."""

from __future__ import annotations

import asyncio

import pytest
import reflex as rx
from redis.asyncio import Redis
from reflex.istate.manager.token import BaseStateToken
from reflex.state import StateUpdate
from reflex.utils import tasks

from chat_ui.server.reflex_redis import LastingSockets, LastingStates
from tests.patience import PATIENCE
from tests.redis_server import running_redis

MORE_THAN_REFLEX_BEARS = 7
"""It gives up a subscription that broke five times within a minute."""


def said_of_subscriptions(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What Reflex logged of a subscription that broke."""
    return [record.getMessage() for record in caplog.records if record.name == tasks.__name__]


async def test_after_an_outage_of_any_length_a_page_hears_other_processes_again(caplog: pytest.LogCaptureFixture):
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def emit(_update: StateUpdate, token: str) -> None:
        heard.put_nowait(token)

    with running_redis() as server:
        here = LastingSockets(Redis.from_url(server.url))
        await here.link_token_to_sid("page", "socket")
        here.ensure_lost_and_found_task(emit)
        server.stop()
        await asyncio.to_thread(server.refuse, 2 * MORE_THAN_REFLEX_BEARS)
        server.start()
        elsewhere = LastingSockets(Redis.from_url(server.url))
        await here.link_token_to_sid("page", "another socket")
        async with asyncio.timeout(PATIENCE):
            while heard.empty():
                await elsewhere.emit_lost_and_found("page", StateUpdate())
                await asyncio.sleep(0.05)
        assert await heard.get() == "page"
        for sockets in (here, elsewhere):
            await sockets.close()
    assert not said_of_subscriptions(caplog)


async def test_after_an_outage_of_any_length_locks_are_heard_of_again(caplog: pytest.LogCaptureFixture):
    with running_redis() as server:
        states = LastingStates(redis=Redis.from_url(server.url))
        await states._ensure_lock_task_subscribed()
        server.stop()
        await asyncio.to_thread(server.refuse, MORE_THAN_REFLEX_BEARS)
        server.start()
        async with asyncio.timeout(PATIENCE):
            await states._lock_updates_subscribed.wait()
        await states.close()
    assert not said_of_subscriptions(caplog)


async def test_what_redis_drops_while_an_event_works_on_it_is_written_all_the_same():
    token = BaseStateToken(ident="page", cls=rx.State)
    with running_redis() as server:
        states = LastingStates(redis=Redis.from_url(server.url))
        async with states.modify_state(token) as state:
            state.is_hydrated = True
            server.forget("page*")
        async with states.modify_state(token) as state:
            assert state.is_hydrated
            server.forget("page*")
        assert (await states.get_state(token)).is_hydrated
        # A page that is closed leaves nothing for long.
        assert all([await states.redis.ttl(key) > 0 async for key in states.redis.scan_iter("page*")])
        await states.close()


async def test_an_event_that_takes_seconds_on_a_busy_machine_is_no_warning(caplog: pytest.LogCaptureFixture):
    token = BaseStateToken(ident="page", cls=rx.State)
    with running_redis() as server:
        states = LastingStates(redis=Redis.from_url(server.url))
        async with states.modify_state(token) as state:
            state.is_hydrated = True
            await states.redis.pexpire(states._lock_key(token), states.lock_expiration - 4000)
        await states.close()
    assert not caplog.records
