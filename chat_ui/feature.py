"""A feature: its parts of the page, the server and the command line, each optional.

A part is imported when it is used: a command needs no page, and a server no commands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import argparse

    from chat_ui.backends.profile import Profile
    from chat_ui.page.slots import Parts
    from chat_ui.protocol.detection.advice import Adviser
    from chat_ui.rendering.claim_check import Check
    from chat_ui.server.brand import Brand
    from chat_ui.server.served import Served
    from chat_ui.server.services import Services
    from chat_ui.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command of `chat-ui`: `run` gives the exit status. `add_options` may add a backend's, with its key in
    `options.key`; `options.settings()` is the type of the app's settings.
    """

    name: str
    help: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A folder of `features/`, by its `name`. The package `page` of one that `has_page` has `PARTS`.

    `settings` names a group of the app's settings, in the module `settings`. `add_serve_options` adds options of
    `serve`; an option with the name of a path among the settings sets it. `check_serving` takes the number of
    processes, and raises UnusableSettingsError for a server that cannot begin.

    `brand` gives the name and the accent of the page. `default_backend` gives the backend for settings without one,
    from the origin of the server. `serve` is called once for a server, and raises what `build` raises. `adviser` finds
    the options that a deployment tells, for commands that ask questions. `check` compares claims with their passages.
    """

    name: str
    settings: str | None = None
    add_serve_options: Callable[[argparse.ArgumentParser], None] | None = None
    check_serving: Callable[[Settings, int], None] | None = None
    has_page: bool = False
    brand: Callable[[Settings], Brand] | None = None
    default_backend: Callable[[Settings, str], Profile] | None = None
    serve: Callable[[Services], Served] | None = None
    adviser: Callable[[], Adviser] | None = None
    check: Check | None = None
    commands: tuple[Command, ...] = ()

    def module(self, name: str) -> Any:
        """Import a module of the feature's folder."""
        return import_module(f"chat_ui.features.{self.name}.{name}")


def parts_of(features: Sequence[Feature]) -> list[Parts]:
    """The parts of the page of these features."""
    return [feature.module("page").PARTS for feature in features if feature.has_page]


def check_of(features: Sequence[Feature]) -> Check | None:
    return next((feature.check for feature in features if feature.check), None)


def settings_of(features: Sequence[Feature]) -> type[Settings]:
    """The settings of an app with these features: those of the core, and a group of each."""
    from pydantic import create_model

    from chat_ui.settings import Settings

    groups = (getattr(one.module("settings"), one.settings) for one in reversed(features) if one.settings)
    # The fields of the last come first, and so do their problems.
    bases = cast("tuple[type[Settings], ...]", (*groups, Settings))
    return create_model("AppSettings", __base__=bases)
