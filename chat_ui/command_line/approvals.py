"""Requests of a paused agent on the terminal, and the decisions on them."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import termios
from collections.abc import Iterator, Mapping
from typing import Final

from chat_ui.command_line.terminal import note, shown
from chat_ui.protocol.answers.pause import Decision, denied
from chat_ui.protocol.answers.redaction import without_named_secrets
from chat_ui.protocol.dialects.objects import read_json
from chat_ui.protocol.events import Interrupt, Pause

MOST_PAUSES: Final = 20
"""Pauses of a question that are decided on."""
_LONGEST_LINE: Final = 4096
"""Bytes of a line that a terminal passes on."""


async def decisions_on(pause: Pause, options: argparse.Namespace) -> tuple[Decision, ...]:
    """Decisions by `--approve` and `--deny-all`, else those typed on the terminal; empty if neither gives any."""
    is_script, has_terminal = options.approve or options.deny_all, sys.stdin.isatty() and sys.stderr.isatty()
    for interrupt in pause.interrupts if is_script or pause.is_joint or not has_terminal else ():
        note("\n  ".join(_lines(interrupt)))
    if is_script:
        decisions = denied(pause, options.approve)
        note(f"Decided: {', '.join(one.verdict for one in decisions).replace('_', ' ')}.")
        return decisions
    if not has_terminal:
        note("Decide with --approve NAME or --deny-all.")
        return ()
    try:
        if not pause.is_joint:
            return tuple([await _decision_on(one) for one in pause.interrupts])
        is_yes = (await _typed(f"Approve all {len(pause.interrupts)}? [y/N] ")).lower() in {"y", "yes"}
        return tuple(Decision(one.id, "approved" if is_yes else "denied") for one in pause.interrupts)
    except EOFError:
        print(file=sys.stderr)
        return ()


def _lines(interrupt: Interrupt) -> Iterator[str]:
    """The request, each part in a line, as a second line of its words could pass for ours."""
    yield "The agent asks for your approval." if interrupt.kind == "approval" else "The agent asks for an answer."
    for name, words in (("Tool", interrupt.tool), ("Server", interrupt.server), ("Message", interrupt.message)):
        if words:
            yield f"{name}: {' '.join(words.split())}"
    schema = interrupt.schema if interrupt.kind != "approval" else None
    for name, value in (("Arguments", without_named_secrets(interrupt.arguments)), ("Schema", schema)):
        if value is not None:
            yield f"{name}: {json.dumps(value, ensure_ascii=False)}"


async def _decision_on(interrupt: Interrupt) -> Decision:
    note("\n  ".join(_lines(interrupt)))
    key, may = interrupt.id, interrupt.may
    if interrupt.kind != "approval":
        value = read_json(await _typed("Answer, in words or as a JSON object; empty for none: "))
        return Decision(key, "answered", value=value) if value else denied(Pause("", (interrupt,)))[0]
    others = f"{'/e' if 'edit' in may else ''}{', or an answer' if 'words' in may else ''}"
    typed = await _typed(f"Approve {' '.join(interrupt.tool.split()) or 'this request'}? [y/N{others}] ")
    match typed.lower():
        case "y" | "yes":
            return Decision(key, "approved")
        case "e" if "edit" in may:
            edited = read_json(await _typed("All arguments, as JSON: "))
            return Decision(key, "approved", value=edited) if isinstance(edited, Mapping) else Decision(key, "denied")
        case "" | "n" | "no":
            return Decision(key, "denied", await _typed("Reason, if any: ") if "reason" in may else "")
    return Decision(key, "answered", value=typed) if "words" in may else Decision(key, "denied")


async def _typed(prompt: str) -> str:
    """The line that is typed after the prompt: earlier keys are no decision on it.

    Raises:
        EOFError: the terminal ended.
    """
    terminal, came, loop = sys.stdin.fileno(), asyncio.Event(), asyncio.get_running_loop()
    termios.tcflush(terminal, termios.TCIFLUSH)
    print(shown(prompt, sys.stderr), end="", file=sys.stderr, flush=True)
    loop.add_reader(terminal, came.set)
    try:
        await came.wait()
    finally:
        loop.remove_reader(terminal)
    if not (line := os.read(terminal, _LONGEST_LINE)):
        raise EOFError
    return line.decode(errors="replace").strip()
