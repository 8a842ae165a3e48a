"""The part of a feature in a server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import SecretStr
    from starlette.routing import BaseRoute

    from chat_ui.backends.profile import Profile
    from chat_ui.protocol.documents.document_urls import Kind
    from chat_ui.protocol.events import JsonObject
    from chat_ui.rendering.panels.read_document import Reader
    from chat_ui.server.middleware.identity import SignIns


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """The first paint of a page: `parts` as HTML by names, `head` as HTML, and `options` for the page's scripts."""

    parts: Mapping[str, str] = field(default_factory=dict)
    head: str = ""
    options: JsonObject = field(default_factory=dict)


def _no_parts(_profile: Profile) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """The part of a feature in a server; each field is optional.

    `name` is the feature's. `routes` gives HTTP resources by the address that they are mounted at; those at "" have
    whole paths. `running` is entered before the server answers, and left once all answers have ended. `around` is
    entered before that, and left when another server may already use the same data. Both are left in reverse order.

    `paint` is called in the language of a request. `own_parts` gives the replacements of the paint's parts for an
    operator's backend, and its `style`. Pages of the `frame_ancestors`, which are sources of a content security policy,
    may show the page in a frame. A request with the bearer token `operator_token` is the operator's. `sign_ins` names
    people who signed in. `readers` show documents of further kinds.
    """

    name: str = ""
    routes: Callable[[], Mapping[str, Sequence[BaseRoute]]] = dict
    running: Callable[[], AbstractAsyncContextManager[object]] = nullcontext
    around: Callable[[], AbstractAsyncContextManager[object]] = nullcontext
    paint: Callable[[], Paint] = Paint
    own_parts: Callable[[Profile], Mapping[str, str]] = _no_parts
    frame_ancestors: Sequence[str] = ()
    operator_token: SecretStr | None = None
    sign_ins: SignIns | None = None
    readers: Mapping[Kind, Reader] = field(default_factory=dict)


@asynccontextmanager
async def entered(contexts: Iterable[AbstractAsyncContextManager[object]]) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for one in contexts:
            await stack.enter_async_context(one)
        yield
