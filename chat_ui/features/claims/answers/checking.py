"""The check of an answer's claims: marks in its text, a line below it, and a note for each citation, in words that tell
the comparison, not whether the answer is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Final

from chat_ui.features.claims.answers.cited_sentences import Passages, claims_of
from chat_ui.features.claims.answers.marking import marked_blocks
from chat_ui.languages.translation import current_language, gettext, gettext_html, translated
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.translatable import msg, plural_msg, with_commas
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.citations.citations import SourceIndex
from chat_ui.rendering.compared_claims import Claim, ClaimChecks, ClaimPart
from chat_ui.rendering.html.image_html import icon_html
from chat_ui.rendering.html.source_titles import cut_in_the_middle
from chat_ui.rendering.panels.passages import title_of_source

_SHOWN: Final = 3
_LONGEST: Final = 120
_AROUND: Final = 24
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。؟])\s|\n")
_MEANING: Final = msg(
    "Figures, dates, names and quotations were compared with the passages. Check each difference yourself."
)

_NOTES: Final[Mapping[str, str]] = {
    "differs": msg("{part} differs from the passage."),
    "not_found": msg("{part} is not in the cited passages."),
    "computed": msg("{part} follows from figures in the passage."),
}


def checked(answer: Answer, rendered: RenderedAnswer) -> RenderedAnswer:
    """The rendering with its claims compared; the same where nothing could be."""
    passages = Passages(answer)
    claims, left = claims_of(rendered, passages)
    if not claims and not left:
        return rendered
    notes = {use: note for claim in claims for use, note in _notes(answer, rendered, claim, passages)}
    checks = ClaimChecks(claims, _line(ClaimChecks(claims), left), notes)
    return replace(rendered, blocks=marked_blocks(rendered, claims), checks=checks)


def _line(checks: ClaimChecks, left: int) -> str:
    """A paragraph; with differing parts, a button in it has the index of the first one's use as `data-first-use`."""
    found, differing, compared = checks.verdicts, checks.differing, len(checks.claims)
    agreed, missing = found["found"] + found["computed"], found["elsewhere"] + found["not_found"]
    agree = plural_msg(
        "{count} figure or name agrees with the cited passages",
        "{count} figures and names agree with the cited passages",
        agreed,
    )
    parts = with_commas(msg("“{name}”", name=cut_in_the_middle(text)) for text in [*dict.fromkeys(differing)][:_SHOWN])
    differ = plural_msg("{count} differs: {parts}", "{count} differ: {parts}", len(differing), parts=parts)
    lack = plural_msg("{count} is not in the cited passages", "{count} are not in the cited passages", missing)
    some = msg("{compared} of {count} cited sentences compared", compared=compared, count=compared + left)
    # The names are last, as a narrow line is cut.
    told = {agree: agreed, lack: missing, some: left, differ: differing}
    line = escape(translated(with_commas(words for words, is_told in told.items() if is_told)))
    said = f'<span dir="{current_language().direction}">{line}</span>'
    meaning = escape(gettext(_MEANING))
    if not differing:
        return f'<p class="grounding claims-line" tabindex="0" title="{meaning}">{said}</p>'
    first = next(claim.uses[0] for claim in checks.claims if claim.verdict == "differs")
    return (
        f'<p class="grounding-warning claims-line"><button type="button" data-first-use="{first}" title="{meaning}">'
        f"{icon_html('warning')}{said}</button></p>"
    )


def _notes(answer: Answer, rendered: RenderedAnswer, claim: Claim, passages: Passages) -> Iterator[tuple[int, str]]:
    """The note of each use of a claim: a differing part is told at the passage that it was compared with."""
    points = answer.data_points
    sources = {one.number: points[one.data_point].source for one in rendered.citations if one.data_point is not None}
    for use in claim.uses:
        source = sources.get(rendered.uses[use].number)
        told = (
            _note(answer, rendered, claim, part, passages)
            for part in claim.parts
            if part.verdict != "differs" or part.point is None or points[part.point].source == source
        )
        if note := "".join(told):
            yield use, note


def _note(answer: Answer, rendered: RenderedAnswer, claim: Claim, part: ClaimPart, passages: Passages) -> str:
    ours = _shown(claim.sentence, part, (part.start, part.end))
    if part.verdict == "differs" and part.point is not None and part.place:
        theirs = _shown(passages.plain(part.point), part, part.place)
        words = gettext_html("The answer says {answer}. The passage says {passage}.", answer=ours, passage=theirs)
    elif part.verdict == "elsewhere" and part.point is not None:
        words = gettext_html("{part} is in {source}.", part=ours, source=_source(answer, rendered, part.point))
    elif message := _NOTES.get(part.verdict):
        words = gettext_html(message, part=ours)
    else:
        return ""
    look = "claim-note claim-note-differs" if part.verdict == "differs" else "claim-note"
    return f'<p class="{look}">{words}</p>'


def _shown(text: str, part: ClaimPart, span: Sequence[int]) -> str:
    """A part in bold. A word such as `not` or `less than` has its neighbours beside it."""
    start, end = span
    words = f"<b>{escape(cut_in_the_middle(text[start:end], _LONGEST))}</b>"
    if part.kind in {"negation", "comparison"}:
        before, after = _SENTENCE_END.split(text[:start])[-1], _SENTENCE_END.split(text[end:])[0]
        before = before if len(before) <= _AROUND else f"…{before[-_AROUND:].partition(' ')[2]}"
        after = after if len(after) <= _AROUND else f"{after[:_AROUND].rpartition(' ')[0]}…"
        words = f"{escape(before.lstrip())}{words}{escape(after.rstrip(' .'))}"
    return f"<bdi>{words}</bdi>"


def _source(answer: Answer, rendered: RenderedAnswer, point: int) -> str:
    """A button that leads to the source."""
    number = next((f"{one.number} · " for one in rendered.citations if one.data_point == point), "")
    label = SourceIndex(answer.data_points).label(point)
    title = title_of_source(answer.data_points[point], label).title
    return f'<button type="button" class="link-button" data-point="{point}">{number}{escape(title)}</button>'
