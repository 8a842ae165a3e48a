"""The page's messages in its language.

The build writes each message as a mark into the documents, which the server replaces (`chat_ui/server/document.py`). In
the browser, a script that the document names translates messages.
"""

from __future__ import annotations

from typing import Final

import reflex as rx
from reflex.vars.base import LiteralVar

from chat_ui.page.scripts import imported

_T: Final = imported("page/languages/language.js", "t")
_TN: Final = imported("page/languages/language.js", "tn")
_RICH: Final = imported("page/languages/language.js", "rich")
_NUMBER: Final = imported("page/languages/language.js", "inDigits")


def t(message: str, /, **values: rx.Var | str | int) -> rx.Var[str]:
    """A message in the page's language, with the values of its `{names}`."""
    return _said(_T, message, *([values] if values else []))


def tn(message: str, plural: str, count: rx.Var[int], /, **values: rx.Var | str | int) -> rx.Var[str]:
    """A message with plural forms, in which `{count}` is `count`."""
    return _said(_TN, message, plural, count, *([values] if values else []))


def rich(message: str, /, **elements: rx.Component | rx.Var) -> rx.Var[str]:
    """A message with an element for each `{name}`. Use it only for parts that are missing at the first paint."""
    return _said(_RICH, message, elements)


def in_digits(number: rx.Var[int]) -> rx.Var[str]:
    return _said(_NUMBER, number)


def _said(function: rx.Var, *arguments: object) -> rx.Var[str]:
    given = [LiteralVar.create(argument) for argument in arguments]
    data = [one._get_all_var_data() for one in (function, *given)]
    words = ", ".join(str(one) for one in given)
    return rx.Var(f"{function}({words})", _var_data=rx.vars.VarData.merge(*data)).to(str)
