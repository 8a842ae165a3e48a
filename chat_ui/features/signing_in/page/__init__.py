from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import Scripted, script
from chat_ui.page.slots import Parts
from chat_ui.server.addresses import SIGN_IN


class SigningIn(Scripted):
    """The account of the person, where people can sign in at `address`. Once on a page."""

    library = script("features/signing_in/page/signing_in.jsx")

    address: rx.Var[str]


PARTS = Parts(page=lambda: (SigningIn.create(address=SIGN_IN),))
