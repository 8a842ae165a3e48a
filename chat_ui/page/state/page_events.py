"""The events that a page may send: those of this app's states and four of Reflex's, with typed arguments.

Values from a browser's storage count only for stored variables, up to a maximum length.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Final, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model, field_validator
from reflex.state import FrontendEventExceptionState, OnLoadInternalState, State, UpdateVarsInternalState
from reflex_base.constants.state import FIELD_MARKER
from reflex_base.registry import RegistrationContext

from chat_ui.backends.personal_choices import LONGEST_STORED
from chat_ui.settings import settings

LONGEST_TEXT: Final = LONGEST_STORED
"""Characters of a field; questions have another limit."""
LONGEST_ADDRESS: Final = 20_000
"""Characters of a page's address."""
NO_EVENT: Final = "it is no event"
_OWN: Final = __name__.partition(".")[0]

_SENT_BY_REFLEX: Final = frozenset(
    f"{state.get_full_name()}.{name}"
    for state, name in (
        (State, "hydrate_and_load"),
        (OnLoadInternalState, "on_load_internal"),
        (UpdateVarsInternalState, "update_vars_internal"),
        (FrontendEventExceptionState, "handle_frontend_exception"),
    )
)


class _Location(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", str_max_length=LONGEST_ADDRESS)

    pathname: str = ""
    asPath: str = ""  # noqa: N815 - Reflex's name
    query: dict[str, str | list[str] | None] = {}

    @field_validator("query")
    @classmethod
    def _is_of_an_address(cls, query: dict[str, Any]) -> dict[str, Any]:
        if len(str(query)) > 2 * LONGEST_ADDRESS:
            raise ValueError
        return query


_STRICT: Final = ConfigDict(strict=True, extra="forbid", str_max_length=LONGEST_TEXT)


_LONG: Final = {
    "question": Annotated[str, Field(max_length=2 * settings().question_characters)],
    "decisions": Annotated[str, Field(max_length=256 * 1024)],
}
"""Arguments with a higher limit. Longer ones get a message."""


def problem_of(data: Any) -> str | None:
    """The reason to reject this event, without its content; None for a valid one."""
    match data:
        case {"name": str(name)} if isinstance(data, dict):
            payload, router_data = data.get("payload", {}), data.get("router_data", {})
        case _:
            return NO_EVENT
    arguments = allowed_events().get(name)
    if arguments is None:
        return "unknown event; the page may be of another version"
    try:
        arguments.model_validate(payload)
        _Location.model_validate(router_data)
    except ValidationError as error:
        return f"its arguments are not those of {name.rpartition('.')[2]} ({error.error_count()} differ)"
    if any(not _may_be_stored(name, value) for name, value in _stored_in(payload).items()):
        return "it changes state that browsers do not store"
    return None


@cache
def allowed_events() -> dict[str, type[BaseModel]]:
    """Models of the arguments by the names of allowed events."""
    handlers = RegistrationContext.get().event_handlers
    names = [name for name in handlers if name in _SENT_BY_REFLEX or _is_own_event(name)]
    return {name: _model(handlers[name].handler.fn) for name in names}


def _is_own_event(name: str) -> bool:
    function = RegistrationContext.get().event_handlers[name].handler.fn
    # Reflex gives every state a `setvar`, which calls any method named `set_…`.
    return function.__module__.partition(".")[0] == _OWN


def _model(function: Callable[..., Any]) -> type[BaseModel]:
    hints = {**get_type_hints(function), **_LONG}
    arguments = list(inspect.signature(function).parameters.values())[1:]
    fields: dict[str, Any] = {
        one.name: (hints.get(one.name, Any), ... if one.default is one.empty else one.default) for one in arguments
    }
    return create_model(function.__name__, __config__=_STRICT, **fields)


@cache
def _stored() -> frozenset[str]:
    """The full names of the variables that Reflex keeps in the browser."""
    states = RegistrationContext.get().base_states.values()
    return frozenset(
        f"{state.get_full_name()}.{name}"
        for state in states
        for name in state.base_vars
        if state._is_client_storage(name)
    )


def _stored_in(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    return payload.get("vars") or {}


def _may_be_stored(name: str, value: Any) -> bool:
    return name.removesuffix(FIELD_MARKER) in _stored() and isinstance(value, str)


def sanitized(event: Mapping[str, Any]) -> dict[str, Any]:
    """The name, the payload and the address of an event, with its valid values of storage."""
    kept = {key: event[key] for key in ("name", "payload") if key in event}
    if stored := _stored_in(event.get("payload", {})):
        short = {name: value for name, value in stored.items() if len(value) <= LONGEST_STORED}
        kept["payload"] = {**event["payload"], "vars": short}
    location = _Location.model_validate(event.get("router_data", {}))
    return {**kept, "router_data": location.model_dump(exclude_unset=True)}
