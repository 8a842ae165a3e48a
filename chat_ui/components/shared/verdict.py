"""The verdict on a backend, in words, in the colour of its outcome."""

from __future__ import annotations

import reflex as rx


def verdict(outcome: rx.Var[str], *words: rx.Component | rx.Var[str]) -> rx.Component:
    """A paragraph of these words: green after an answer, amber after one with flaws, red after a failure."""
    tones = {"answered": "verdict verdict-ok", "flawed": "verdict verdict-flawed", "failed": "verdict verdict-bad"}
    return rx.el.p(*words, class_name=rx.match(outcome, *tones.items(), "verdict"))
