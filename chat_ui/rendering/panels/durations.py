"""Lengths of time in words, and bars as long as their share of a whole."""

from __future__ import annotations

from chat_ui.languages.translation import gettext, in_digits


def duration_words(seconds: float) -> str:
    """A length of time in words: `40 ms`, `0.42 s`, `1 min 12 s`."""
    if seconds < 0.0005:
        return gettext("under 1 ms")
    if seconds < 0.0995:
        return gettext("{milliseconds} ms", milliseconds=round(seconds * 1000))
    if seconds < 9.995:
        return gettext("{seconds} s", seconds=in_digits(seconds, 2))
    if seconds < 59.95:
        return gettext("{seconds} s", seconds=in_digits(seconds, 1))
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return gettext("{hours} h {minutes} min", hours=hours, minutes=minutes)
    return gettext("{minutes} min {seconds} s", minutes=minutes, seconds=rest)


def bar_html(start: float, end: float) -> str:
    """A decorative bar from one share of a whole to another, each between 0 and 1."""
    bar = f'<rect x="{100 * start:.2f}" width="{100 * (end - start):.2f}" height="1"></rect>'
    return f'<svg class="usage-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">{bar}</svg>'
