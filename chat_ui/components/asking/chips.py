"""Questions on buttons."""

from __future__ import annotations

from typing import Any

import reflex as rx

from chat_ui.components.asking import AskButton


def chips(
    questions: rx.Var[list[str]],
    label: rx.Var[str],
    class_name: str = "chips",
    *,
    language: rx.Var[str] | str = "",
    **props: Any,
) -> rx.Component:
    """A group named `label` with a button for each question, which asks it; nothing without questions."""
    return rx.cond(
        questions.length() > 0,
        rx.el.div(
            rx.foreach(questions, lambda question: AskButton.create(question, question=question, language=language)),
            role="group",
            aria_label=label,
            class_name=class_name,
            **props,
        ),
    )
