"""Feedback by webhook: what people think of answers now, posted to an address of the operator's.

The store has a row for each answer whose feedback changed and was not delivered yet. What is delivered is read when its
time has come, so it is always the newest state:

    {"type": "feedback.given", "timestamp", "data": {"answer_id", ...}}
    {"type": "feedback.taken_back", "timestamp", "data": {"answer_id"}}

`...` is a line of `feedback_lines`, and `timestamp` is when that changed (ISO 8601, UTC). Feedback of a deleted
conversation counts as taken back, and as given again where that is restored. A delivery is over once the receiver has
taken it (a status from 200 to 299). Until then it is tried again, ever more seldom. Several processes at one database
each claim a row before they deliver it.

A refusal holds up its own row alone. A receiver that cannot be reached, or is busy, holds up all of them: one row is
tried, and the others wait for the next try.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import math
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import httpx

from chat_ui.conversations.generations.tasks import cancel_all
from chat_ui.conversations.kept_feedback import KeptFeedback
from chat_ui.conversations.records.feedback import Feedback
from chat_ui.conversations.records.records import GivenFeedback
from chat_ui.conversations.store.stored_feedback import DueDelivery
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from chat_ui.feedback.feedback_lines import json_object
from chat_ui.feedback.webhook_signature import signature, signing_key
from chat_ui.protocol.events import Json
from chat_ui.protocol.transport.guard import origin_of
from chat_ui.protocol.transport.http_errors import retry_after
from chat_ui.protocol.transport.outgoing import Outgoing

logger = logging.getLogger(__name__)

SETTLES_AFTER: Final = 2.0
"""Seconds between a change and its delivery; what changes again meanwhile is delivered once."""
WITHIN: Final = 10.0
"""Seconds for a whole delivery."""
LEASE: Final = 60.0
"""Seconds for which a row belongs to the process that delivers it."""
LONGEST_WAIT: Final = 3600.0
"""Seconds at most between two tries of a row."""
LONGEST_SILENCE: Final = 60.0
"""Seconds at most between two tries to reach a receiver that is away, if it names no other time."""
_FIRST_WAIT: Final = 5.0
_LOOK_EVERY: Final = 60.0
"""Seconds at most between two looks for rows, which a process that is gone may have left, and for conversations that
were deleted or restored."""
_STORE_WAIT: Final = 5.0
_LAST_SECONDS: Final = 1.0
"""Seconds at the end for a delivery on its way."""
_MOST_DOUBLINGS: Final = 20
_OF_RECEIVER: Final = frozenset({429, 502, 503, 504})
"""Statuses that say nothing of what was delivered."""


class Clock:
    """The time, and pauses."""

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    async def pause(self, seconds: float, until: asyncio.Event) -> None:
        """Return after so many seconds, or once `until` is set."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await until.wait()


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a delivery was not taken, the seconds that the receiver asks to wait, and whether that is about this delivery
    or about all.
    """

    reason: str
    wait: float = 0.0
    of_all: bool = True


class Deliveries:
    """Delivers changes of `feedback` to `url` through `client`, which it closes at its end, signed with `secret`.

    Raises:
        ValueError: the secret begins as base64 and is none.
    """

    def __init__(
        self, feedback: KeptFeedback, client: Outgoing, url: str, secret: str, *, clock: Clock | None = None
    ) -> None:
        self._feedback = feedback
        self._client = client
        self._url = url
        self._key = signing_key(secret)
        self._clock = clock or Clock()
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_ending = self._is_failing = False
        self._silent_until = 0.0
        self._failures_in_a_row = 0
        self._looked_at = -math.inf
        feedback.clock, feedback.deliver_after = self._clock.now, SETTLES_AFTER
        feedback.on_change(self._on_change)

    def begin(self) -> None:
        """Deliver from now on, also what an earlier process left."""
        self._task = asyncio.create_task(self._run(), name="delivering feedback")

    async def close(self) -> None:
        """Deliver nothing more. A delivery on its way has a second; the next start delivers what is left."""
        self._is_ending = True
        self._woken.set()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=_LAST_SECONDS)
            await cancel_all([self._task])
        await self._client.aclose()

    def _on_change(self, _former: Feedback, _now: Feedback) -> None:
        self._woken.set()

    async def _run(self) -> None:
        while not self._is_ending:
            self._woken.clear()
            try:
                wait = await self._deliver_what_is_due()
            except StoreUnavailableError:
                wait = _STORE_WAIT
            except Exception:
                logger.exception("feedback could not be delivered")
                wait = _LOOK_EVERY
            if not self._is_ending:
                await self._clock.pause(wait, self._woken)

    async def _deliver_what_is_due(self) -> float:
        """Deliver until nothing is due or the receiver is away; the seconds until there is more to do."""
        taken = refused = 0
        if (now := self._clock.now()) >= self._looked_at + _LOOK_EVERY or now < self._looked_at:
            await self._feedback.stored.note_differences(now)
            self._looked_at = now
        # A clock that was ahead may have left a time that does not come.
        while not 0 < (silence := self._silent_until - self._clock.now()) <= LONGEST_WAIT:
            if self._is_ending:
                return 0.0
            due = await self._feedback.stored.claim_due(
                self._clock.now(), lease=LEASE, latest=LONGEST_WAIT + _LOOK_EVERY
            )
            if due is None:
                if taken and not refused:
                    self._note_success()
                due_at = await self._feedback.stored.next_due()
                return _LOOK_EVERY if due_at is None else min(_LOOK_EVERY, max(0.0, due_at - self._clock.now()))
            if await self._deliver(due):
                taken += 1
            else:
                refused += 1
        return silence

    async def _deliver(self, due: DueDelivery) -> bool:
        """Deliver one row, which is claimed; whether it was taken."""
        stored = self._feedback.stored
        try:
            given = await stored.given_for(due.answer)
            # An answer and its sources may be many megabytes.
            delivery_id, body = await asyncio.to_thread(_delivery, due, given)
            failure = await self._post(delivery_id, body)
        except StoreUnavailableError:
            raise
        except Exception as error:
            logger.exception("a delivery of feedback could not be made")
            failure = _Failure(type(error).__name__, of_all=False)
        if failure is None:
            self._failures_in_a_row = 0
            await stored.delivered(due, is_told=given is not None)
            return True
        self._note_failure(failure)
        if failure.of_all:
            wait = min(LONGEST_SILENCE, _doubled(self._failures_in_a_row))
            self._failures_in_a_row += 1
            self._silent_until = self._clock.now() + max(wait, failure.wait)
        else:
            self._failures_in_a_row = 0
        await stored.postpone(due, self._clock.now() + max(min(LONGEST_WAIT, _doubled(due.tries)), failure.wait))
        return False

    async def _post(self, delivery_id: str, body: bytes) -> _Failure | None:
        """Send a body; why it was not taken, None where it was."""
        seconds = int(self._clock.now())
        headers = {
            "Content-Type": "application/json",
            "webhook-id": delivery_id,
            "webhook-timestamp": str(seconds),
            "webhook-signature": signature(self._key, delivery_id, seconds, body),
        }
        try:
            async with (
                asyncio.timeout(WITHIN),
                self._client.stream("POST", self._url, content=body, headers=headers) as response,
            ):
                if response.is_success:
                    return None
                wait = min(LONGEST_WAIT, retry_after(response.headers.get("retry-after")) or 0.0)
                return _Failure(f"status {response.status_code}", wait, response.status_code in _OF_RECEIVER)
        except (httpx.HTTPError, OSError) as error:
            return _Failure(type(error).__name__)

    def _note_failure(self, failure: _Failure) -> None:
        if not self._is_failing:
            self._is_failing = True
            where = origin_of(self._url)
            logger.warning("feedback cannot be delivered to %s and is tried again: %s", where, failure.reason)

    def _note_success(self) -> None:
        if self._is_failing:
            self._is_failing = False
            logger.warning("feedback is delivered to %s again", origin_of(self._url))


def _doubled(times: int) -> float:
    return _FIRST_WAIT * 2.0 ** min(times, _MOST_DOUBLINGS)


def _delivery(due: DueDelivery, given: GivenFeedback | None) -> tuple[str, bytes]:
    """The id and the body of a delivery. The id is that of the change, and of how it is told, however often that is."""
    kind = "feedback.given" if given is not None else "feedback.taken_back"
    data: dict[str, Json] = {"answer_id": due.answer, **(json_object(given) if given is not None else {})}
    body = {"type": kind, "timestamp": datetime.fromtimestamp(due.changed_at, UTC).isoformat(), "data": data}
    digest = hashlib.sha256(f"{kind} {due.answer} {due.changed_at!r}".encode()).hexdigest()
    return f"msg_{digest[:32]}", json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
