"""Reads the settings of deployments, and remembers them for each person."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from chat_ui.features.deployment.deployment_config import config_urls, read_config, read_login
from chat_ui.features.deployment.first_question import SAMPLE, advice_of
from chat_ui.languages.translation import current_language
from chat_ui.protocol.backends.backend import Backend, configured_like
from chat_ui.protocol.detection.advice import Advice, Login
from chat_ui.protocol.dialects.objects import string_in
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.reading.json_text import read_as_object
from chat_ui.protocol.recently_used import RecentlyUsed, size_of
from chat_ui.protocol.translatable import Translatable
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.probe import Probe

SECONDS: Final = 2.0
"""Seconds for which an asker waits. A deployment that slept may take longer, and is heard in the background."""
FRESH: Final = 3600.0
"""Seconds until settings are read again."""
ABSENT: Final = 600.0
"""Seconds until they are looked for again; after a failure it is the next time."""
_BYTES: Final = 4 * 1024 * 1024
_BYTES_OF_PERSON: Final = 128 * 1024
_JAVASCRIPT: Final = "azure-search-openai-javascript"
_WITHOUT_CONFIG: Final = (_JAVASCRIPT, "azure-search-openai-demo", "azure-search-openai-demo-2024-01")
"""Backends whose own page sends `SAMPLE` or more, although they may not tell settings."""
_Key: TypeAlias = tuple[str, str]
"""A person, and the address of settings."""


@dataclass(frozen=True, slots=True)
class _Look:
    """A look at an address, until that time: the settings, None if absent."""

    address: str
    until: float
    config: JsonObject | None = None
    remark: Translatable | None = None
    login: Login | None = None
    is_javascript: bool = False


class Told:
    """The `Adviser` of deployments that tell their settings.

    Two askers share one look. Settings of an earlier look are given at once, and read again in the background. Requests
    have no key, as the samples' pages send none, unless a gateway demands it.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looks: RecentlyUsed[_Key, _Look] = RecentlyUsed(_BYTES, share=_BYTES_OF_PERSON)
        self._underway: dict[_Key, asyncio.Task[None]] = {}

    def known(self, person: str, backend: Backend) -> Advice:
        looks = (self._looks.get((person, address)) for address in _addresses(backend))
        return _advice(backend, [look for look in looks if look is not None])

    async def look(self, client: AsyncClient, person: str, backend: Backend, *, again: bool = False) -> Advice:
        keys = [(person, address) for address in _addresses(backend)]
        awaited = {key: task for key in keys if (task := self._look(client, key, backend.headers, again=again))}
        if awaited:
            await asyncio.wait(awaited.values(), timeout=SECONDS)
        for key in awaited:
            if self._looks.get(key) is None:
                # The next asker does not wait.
                self._keep(key, _Look(key[1], self._clock()))
        return self.known(person, backend)

    def _look(
        self, client: AsyncClient, key: _Key, headers: Mapping[str, str], *, again: bool
    ) -> asyncio.Task[None] | None:
        """The look to wait for, if any; a renewal goes on in the background."""
        known = self._looks.get(key)
        if known is not None and self._clock() < known.until and not again:
            return None
        if key not in self._underway:
            look = self._read(client, key, headers)
            task = self._underway[key] = asyncio.create_task(look, name="settings of a deployment")
            task.add_done_callback(lambda _: self._underway.pop(key))
        return self._underway[key] if known is None or again else None

    async def _read(self, client: AsyncClient, key: _Key, headers: Mapping[str, str]) -> None:
        _, address = key
        probe = await _probe(client, address, headers)
        config, remark = read_config(probe)
        has_failed = probe.status is None or probe.status >= 500
        seconds = FRESH if config is not None else 0 if has_failed else ABSENT
        found = _Look(address, self._clock() + seconds, config, remark)
        known = self._looks.get(key)
        if known is not None and has_failed:
            found = replace(known, until=found.until)
        elif config is not None:
            setup = await _probe(client, f"{_folder(address)}auth_setup", headers)
            found = replace(found, login=read_login(_object(setup)))
        elif _is_of_fastify(probe):
            root = await client.probe("GET", _folder(address))
            found = replace(found, is_javascript=_object(root).get("service") == "search")
        self._keep(key, found)

    def _keep(self, key: _Key, found: _Look) -> None:
        self._looks.put(key, found, size_of((*key, found), _BYTES), group=key[0])


async def _probe(client: AsyncClient, address: str, headers: Mapping[str, str]) -> Probe:
    probe = await client.probe("GET", address)
    return await client.probe("GET", address, headers) if probe.status in {401, 403} and headers else probe


def _addresses(backend: Backend) -> tuple[str, ...]:
    takes_options = backend.request_format is None and backend.overrides in {"nested", "flat"}
    return config_urls(backend.url) if takes_options else ()


def _folder(address: str) -> str:
    return address.removesuffix("config")


def _advice(backend: Backend, looks: Sequence[_Look]) -> Advice:
    for look in looks:
        if look.config is not None:
            told = advice_of(look.config, _folder(look.address), current_language().tag, look.remark)
            return replace(told, login=look.login)
    remark = next((look.remark for look in looks if look.remark), None)
    if _is_known_as(backend, _JAVASCRIPT) or any(look.is_javascript for look in looks):
        return Advice(options=SAMPLE, sample=SAMPLE, remark=remark)
    is_of_family = bool(looks) and any(_is_known_as(backend, name) for name in _WITHOUT_CONFIG)
    return Advice(sample=SAMPLE if is_of_family else {}, remark=remark)


def _is_known_as(backend: Backend, name: str) -> bool:
    return configured_like(KNOWN_BACKENDS[name].at(backend.url), backend) == backend


def _is_of_fastify(probe: Probe) -> bool:
    return probe.status == 404 and string_in(_object(probe), "message").startswith("Route GET:")


def _object(probe: Probe) -> JsonObject:
    """The object in the body, which for the service of azure-search-openai-javascript names it; else empty."""
    return read_as_object(bytearray(probe.body), 0, len(probe.body)) or {}
