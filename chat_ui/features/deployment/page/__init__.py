from __future__ import annotations

from typing import Final

import reflex as rx

from chat_ui.backends.state.backend_choice import BackendState
from chat_ui.backends.state.backend_dialog import BackendDialog
from chat_ui.page.scripts import Scripted, script
from chat_ui.page.slots import Parts
from chat_ui.server.addresses import DEPLOYMENT


class Deployment(Scripted):
    """The services of the deployment behind the backend `of`, which are at `address`. Once on a page."""

    library = script("features/deployment/page/deployment.jsx")

    address: rx.Var[str]
    of: rx.Var[str]
    is_edited: rx.Var[bool]
    """Whether its settings are open."""


class UnsavedThere(Scripted):
    """Words about an ended `answer`, by its id, that the deployment did not save."""

    library = script("features/deployment/page/sessions_part.jsx")

    answer: rx.Var[str]


_OF: Final = rx.cond(BackendState.is_hydrated, BackendState.memory, "")
"""Empty until the page has the person's choice."""
PARTS = Parts(
    page=lambda: (Deployment.create(address=f"{DEPLOYMENT}/", of=_OF, is_edited=BackendDialog.is_open),),
    below_answer=lambda answer, is_commanded: rx.cond(is_commanded, UnsavedThere.create(answer=answer.id)),
)
