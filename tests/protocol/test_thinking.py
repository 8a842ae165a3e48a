"""`<think>…</think>` at the head of an answer is thinking, for any split of its bytes."""

import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.dialects.thinking import ThinkingFilter
from chat_ui.protocol.events import Event, ReasoningDelta, TextDelta, TextRevised
from tests.commands import run
from tests.protocol.asking import answer_to, error_of, fold
from tests.stand_ins.stand_in import Reply, StandIn, lines

ANALYSIS = "<|channel|>analysis<|message|>"
FINAL = "<|channel|>final<|message|>"
HEADS = {
    "<think>Twos?</think>One pair.": ("Twos?", "One pair."),
    "<think>\nTwos?\n</think>\n\nOne pair.": ("\nTwos?\n", "One pair."),
    "\n<think>\n\n</think>\n\nOne pair.": ("\n\n", "One pair."),
    "<thinking>1 < 2</thinking> One </think> pair.": ("1 < 2", "One </think> pair."),
    "<thought>a</think>b</thought>One pair.": ("a</think>b", "One pair."),
    "<reasoning>So.</reasoning>\n<think>One pair.": ("So.", "<think>One pair."),
    "One <think>pair</think>.": ("", "One <think>pair</think>."),
    "<thin>One pair.": ("", "<thin>One pair."),
    "<think": ("", "<think"),
    "<seed:think>Twos?</seed:think>One pair.": ("Twos?", "One pair."),
    "◁think▷Twos?◁/think▷One pair.": ("Twos?", "One pair."),
    "[THINK]Twos?[/THINK]One pair [a.pdf].": ("Twos?", "One pair [a.pdf]."),
    "Twos?\n[/THINK]One pair.": ("Twos?\n", "One pair."),
    "<|START_THINKING|>Twos?<|END_THINKING|><|START_RESPONSE|>One pair.<|END_RESPONSE|>\n": ("Twos?", "One pair."),
    "<|begin_of_thought|>So<|end_of_thought|>\n\n<|begin_of_solution|>One<|end_of_solution|>": ("So", "One"),
    "<think>Twos?</think><answer>One</answer> pair.": ("Twos?", "One</answer> pair."),
    "Twos?\n</think>\n\nOne pair.": ("Twos?\n", "One pair."),
    "Twos?</think>One pair.": ("Twos?", "One pair."),
    "Twos </think>\n\nOne pair.": ("Twos ", "One pair."),
    "Twos or `a`? **Ones.** </think> **One** pair.": ("Twos or `a`? **Ones.** ", "**One** pair."),
    "两副。</think>一副。": ("两副。", "一副。"),
    "Ask `<think>`,\n```\n</think>\n```\n</think>\nOne.": ("Ask `<think>`,\n```\n</think>\n```\n", "One."),
    "</think>\n\nOne pair.": ("", "One pair."),
    "Twos?\n◁/think▷One pair.": ("Twos?\n", "One pair."),
    "Twos?</think>One </think>\n\npair.": ("Twos?", "One </think>\n\npair."),
    "Write </think> at the end.": ("", "Write </think> at the end."),
    "Write </think>, then the answer.": ("", "Write </think>, then the answer."),
    "It ends with `</think>`.\n\nOne pair.": ("", "It ends with `</think>`.\n\nOne pair."),
    "So:\n\n```\nTwos?\n</think>\n\nOne\n```\n": ("", "So:\n\n```\nTwos?\n</think>\n\nOne\n```\n"),
    "So:\n\n    </think>\n\nOne": ("", "So:\n\n    </think>\n\nOne"),
    "</think> is the end of it.": ("", "</think> is the end of it."),
    "The tag “</think>” ends it.": ("", "The tag “</think>” ends it."),
    "使用</think>标签。": ("", "使用</think>标签。"),
    "First\n<think>\nTwos?\n</think>\nthen": ("", "First\n<think>\nTwos?\n</think>\nthen"),
    "| `a` | </think> |\n": ("", "| `a` | </think> |\n"),
    f"{ANALYSIS}Twos?<|end|><|start|>assistant{FINAL}One pair.": ("Twos?", "One pair."),
    f"<|start|>assistant{ANALYSIS}Twos?<|end|>\n<|start|>assistant{FINAL}One pair.<|return|>": ("Twos?", "One pair."),
    f"{ANALYSIS}Twos?<|end|><|start|>assistant<|channel|>commentary to=functions.find <|constrain|>json<|message|>"
    f'{{"q": "<|"}}<|call|><|start|>functions.find to=assistant<|channel|>commentary<|message|>3<|end|>'
    f"<|start|>assistant{FINAL}One.<|return|>\n": (
        'Twos?\n\nto=functions.find\n{"q": "<|"}\n\nfunctions.find to=assistant\n3',
        "One.",
    ),
    f"Twos?<|end|><|start|>assistant{FINAL}One pair.": ("Twos?", "One pair."),
    f"{ANALYSIS}Twos?{FINAL}One <|end|> of `<|end|>` pair.<|end|>": ("Twos?", "One <|end|> of `<|end|>` pair."),
    f"{ANALYSIS}Twos?<|end|>One pair.": ("Twos?", "One pair."),
    f"{FINAL}One {FINAL}pair.": ("", "One \n\npair."),
    f"Begin with `{FINAL}`.": ("", f"Begin with `{FINAL}`."),
    f"Twos?</think>One {FINAL}pair.": ("Twos?", f"One {FINAL}pair."),
    "<|channel|>\nOne": ("", "<|channel|>\nOne"),
    "<|channel|>One": ("", "<|channel|>One"),
    "One pair.<|end|>": ("", "One pair.<|end|>"),
    "<think>Twos?</think>\n<think>Ones?</think>\n\n<think>So.</think>One pair.": ("Twos?\n\nOnes?\n\nSo.", "One pair."),
    "<think>Twos?</think>\n<think> is how it begins.": ("Twos?", "<think> is how it begins."),
    "<think> hm, twos?</think>One pair.": (" hm, twos?", "One pair."),
    "[THINK] is a mark of thinking.": ("", "[THINK] is a mark of thinking."),
    "<think>, then </think>, then the answer.": ("", "<think>, then </think>, then the answer."),
    "<think> opens it, <think> and </think> are marks.": ("", "<think> opens it, <think> and </think> are marks."),
    "  One pair.": ("", "  One pair."),
    " \n ": ("", " \n "),
}


def heard(text: str, cuts: list[int]) -> Answer:
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    return fold(lines(*({"delta": {"content": text[start:end]}} for start, end in pairwise(places))))


@given(cuts=st.lists(st.integers(0, 250), max_size=25))
@example([])
@example([*range(250)])
@example([*range(0, 250, 5)])
def test_thinking_at_the_head_is_separated_for_any_split(cuts: list[int]) -> None:
    heads = {text: heard(text, cuts) for text in HEADS}
    assert {text: (answer.reasoning, answer.text) for text, answer in heads.items()} == HEADS


def test_unended_thinking_is_told_as_thinking() -> None:
    answer = heard("<think>Twos, or threes?", [3, 9, 12])
    assert (answer.reasoning, answer.text) == ("Twos, or threes?", "")
    assert "reasoning but no answer" in error_of(answer).message


STOP = {"object": "chat.completion.chunk", "choices": [{"index": 0, "finish_reason": "stop"}]}


def choice(text: str) -> dict[str, object]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}]}


SHAPES = {
    "chat completions": [choice("<thi"), choice("nk>Twos?</th"), choice("ink>\n\nOne "), choice("pair."), STOP],
    "a whole message": [{"message": {"role": "assistant", "content": "<think>Twos?</think>\n\nOne pair."}}],
    "Ollama": [
        {"model": "r1", "message": {"role": "assistant", "content": text}, "done": False}
        for text in ("<think>", "Twos?", "</think>", "\n\n", "One pair.")
    ],
    "Ollama, of one prompt": [
        {"model": "r1", "response": "", "thinking": "Twos?", "done": False},
        {"model": "r1", "response": "One pair.", "done": True},
    ],
    "responses, with the text again at the end": [
        {"type": "response.output_text.delta", "delta": "<think>Twos?</think>One "},
        {"type": "response.output_text.delta", "delta": "pair."},
        {"output_text": "<think>Twos?</think>One pair."},
    ],
    "the sample app": [
        {"choices": [{"messages": [{"role": "assistant", "content": text}]}]}
        for text in ("<think>Tw", "os?</think>", "One pair.")
    ],
}


def test_thinking_is_separated_in_every_dialect() -> None:
    answers = {shape: fold(b"".join(map(lines, values))) for shape, values in SHAPES.items()}
    told = {shape: (answer.reasoning, answer.text, answer.error) for shape, answer in answers.items()}
    assert told == dict.fromkeys(SHAPES, ("Twos?", "One pair.", None))


async def test_held_text_is_shown_if_the_answer_breaks_off_or_stalls() -> None:
    answer = await answer_to(Reply([lines({"delta": {"content": "<th"}})], end="abrupt"))
    assert (answer.text, answer.complete) == ("<th", False)
    body = b"data: " + lines(choice("<th")) + b"\ndata: [DONE]\n\n"
    answer = await answer_to(Reply([body, float("inf")]))
    assert (answer.text, answer.error) == ("<th", None)


async def test_the_command_prints_only_the_answer_and_names_printed_thinking() -> None:
    late = [choice("Twos?\n"), choice("</think>\n\nOne "), choice("pair."), STOP]
    replies = [Reply([lines(*values)]) for values in (SHAPES["chat completions"], late, late)]
    async with StandIn(lambda _: replies.pop(0)).running() as stand_in:
        asked = ("ask", stand_in.url + "/v1/chat/completions", "Who pays?")
        at_once, later, as_json = await run(*asked), await run(*asked), await run(*asked, "--json")
    assert (at_once.status, at_once.out) == (0, "One pair.\n")
    note = "Note: The text above is the model's reasoning. The answer follows.\n"
    assert (later.status, later.out, later.err) == (0, "Twos?\nOne pair.\n", note)
    printed = json.loads(as_json.out)
    assert printed["text"] == "One pair."
    assert printed["thoughts"] == [{"title": "Reasoning", "description": "Twos?\n", "props": None}]


@pytest.mark.parametrize(
    ("fed", "given"),
    [
        (["a", "<think>b</think>"], [[TextDelta("a")], [TextDelta("<think>b</think>")]]),
        (["<think>a</think>b", "<think>c"], [[ReasoningDelta("a"), TextDelta("b")], [TextDelta("<think>c")]]),
        (["<think>a</thi", "s</think>", "\n", "b"],
         [[ReasoningDelta("a")], [ReasoningDelta("</this")], [], [TextDelta("b")]]),
        (["<think>a<", "/think> "], [[ReasoningDelta("a")], []]),
        ([" " * 63, " "], [[], [TextDelta(" " * 64)]]),
        (["<", "b"], [[], [TextDelta("<b")]]),
        (["a?\n", "</think>", "\n", "b"],
         [[TextDelta("a?\n")], [], [], [TextRevised(""), ReasoningDelta("a?\n"), TextDelta("b")]]),
        (["a?\n</think>\nb"], [[ReasoningDelta("a?\n"), TextDelta("b")]]),
        (["", "<think>"], [[], []]),
    ],
)  # fmt: skip
def test_a_piece_releases_the_decided_text(fed: list[str], given: list[list[Event]]) -> None:
    parted = ThinkingFilter()
    assert [parted.feed(piece) for piece in fed] == given


def test_the_end_releases_the_held_text() -> None:
    released: dict[str, list[Event]] = {
        "<thi": [TextDelta("<thi")], "": [], "a": [], "<think>a</thi": [ReasoningDelta("</thi")], "<think>a": [],
        "<think>a</think> ": [],
    }  # fmt: skip
    for fed, expected in released.items():
        parted = ThinkingFilter()
        parted.feed(fed)
        assert parted.close() == expected, fed
