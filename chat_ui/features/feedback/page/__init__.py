"""What people think of answers: the buttons below each, and what is wrong with it."""

from __future__ import annotations

import reflex as rx

from chat_ui.page.scripts import script


class RateAnswer(rx.Component):
    """The buttons that rate the answer at `address`, which the person finds `rating` (good, bad or nothing)."""

    library = script("features/feedback/page/rate_answer.jsx")
    tag = "RateAnswer"

    address: rx.Var[str]
    rating: rx.Var[str]
