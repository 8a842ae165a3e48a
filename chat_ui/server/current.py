"""The services of this process, for the page's states: Reflex makes these, so the services cannot be handed to them."""

from __future__ import annotations

from chat_ui.server.services import Services

_current: list[Services] = []


def use(services: Services) -> None:
    _current[:] = [services]


def services() -> Services:
    """The services that the app of this process was built with.

    Raises:
        LookupError: nothing was built yet.
    """
    if not _current:
        raise LookupError("The app's services are not built yet: call `use` first.")
    return _current[0]
