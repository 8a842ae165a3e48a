"""Facts that a deployment tells of itself, and their effect on a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.translatable import Translatable
from chat_ui.protocol.transport.client import AsyncClient

STREAM: Final = "stream"
"""The name of streaming in an `Exclusion`, beside those of options."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """`option` cannot have `value` while the options have each value of `given`; `reason` is for people."""

    option: str
    value: Json
    given: JsonObject
    reason: Translatable


@dataclass(frozen=True, slots=True)
class Login:
    """The sign-in of a deployment: the `authority`, an https URL, the ID of its client, and the `scope` of its API.
    `is_required`: it refuses people who did not sign in.
    """

    authority: str
    client_id: str
    scope: str
    is_required: bool = True


@dataclass(frozen=True, slots=True)
class Advice:
    """The options of a first question, the options that the deployment does not have, and the values of others.

    `services` gives the addresses of its further services: `files` is the folder of its own `upload`, `list_uploaded`
    and `delete_uploaded`; `sessions` its list of conversations; `voice` its speech. `remark` is about facts left out.
    Where the deployment tells no options, `sample` has those of the sample's own page, if they are worth offering.
    """

    options: JsonObject = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exclusions: tuple[Exclusion, ...] = ()
    services: Mapping[str, str] = field(default_factory=dict)
    sample: JsonObject = field(default_factory=dict)
    remark: Translatable | None = None
    login: Login | None = None

    def excluded(self, options: JsonObject) -> dict[tuple[str, Json], Translatable]:
        """The reason for each pair of an option and a value that these options exclude."""
        holding = (one for one in self.exclusions if all(options.get(key) == value for key, value in one.given.items()))
        return {(one.option, one.value): one.reason for one in holding}

    def applied(self, backend: Backend, options: JsonObject) -> Backend:
        """`backend`, asked for whole answers if it cannot stream them with these options."""
        return replace(backend, stream=False) if (STREAM, True) in self.excluded(options) else backend


NO_ADVICE: Final = Advice()


class Adviser(Protocol):
    """Finds the advice of deployments; a backend of another kind has `NO_ADVICE`."""

    def known(self, person: str, backend: Backend) -> Advice:
        """The advice for this person as far as it is known, without a request."""

    async def look(self, client: AsyncClient, person: str, backend: Backend, *, again: bool = False) -> Advice:
        """The advice, read from the deployment within 2 s if it is unknown, or `again`."""


async def advice_of(
    advisers: Iterable[Adviser], client: AsyncClient, person: str, backend: Backend, *, again: bool = False
) -> Advice:
    """The first advice about `backend`, as `Adviser.look` reads it; `NO_ADVICE` without any."""
    for adviser in advisers:
        advice = await adviser.look(client, person, backend, again=again)
        if advice != NO_ADVICE:
            return advice
    return NO_ADVICE
