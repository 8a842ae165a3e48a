"""Ratings of answers: the buttons below each answer, and the part below a passage."""

from __future__ import annotations

import reflex as rx

from chat_ui.page.painted import allowed
from chat_ui.page.scripts import Scripted, imported, script
from chat_ui.page.shared import Provide
from chat_ui.page.slots import Parts


class RateAnswer(Scripted):
    """The rating buttons of the answer at `address`, with the person's current `rating` (good, bad or empty)."""

    library = script("features/feedback/page/rate_answer.jsx")

    address: rx.Var[str]
    rating: rx.Var[str]


def _page() -> tuple[rx.Component, ...]:
    below = imported("features/feedback/page/below_passage.js", "belowPassage")
    return (rx.cond(allowed("feedback"), Provide.create(name="below-passage", value=below)),)


PARTS = Parts(
    page=_page,
    below_answer=lambda answer, _: rx.cond(
        allowed("feedback") & ~answer.failed,
        RateAnswer.create(address=answer.address, rating=answer.rating, key=answer.id),
    ),
)
