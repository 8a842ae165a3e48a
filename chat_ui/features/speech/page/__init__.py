from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import Scripted, imported, script
from chat_ui.page.shared import Provide
from chat_ui.page.slots import Parts


class ListenButton(Scripted):
    """The button that reads the answer at `address` aloud, if the browser or the deployment has a voice. The command
    `listen` is for the answer that `is_latest`.
    """

    library = script("features/speech/page/listen_button.jsx")

    address: rx.Var[str]
    is_latest: rx.Var[bool]


def _page() -> tuple[rx.Component, ...]:
    return (
        Provide.create(name="box-tool", value=imported("features/speech/page/dictate_button.jsx", "DictateButton")),
    )


PARTS = Parts(
    page=_page,
    below_answer=lambda answer, is_commanded: ListenButton.create(address=answer.address, is_latest=is_commanded),
)
