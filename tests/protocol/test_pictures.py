"""Pictures that backends make: partial, repeated, damaged, remote, and in each form."""

import base64
import json
from dataclasses import replace

import pytest

from chat_ui.conversations.records.answer_json import answer_from_json, answer_to_json
from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.answers.pictures import decoded, with_pictures
from chat_ui.protocol.answers.redaction import Secrets
from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.events import Pause, PictureReceived
from tests.protocol.asking import events, folded
from tests.protocol.damage import read, recorded
from tests.protocol.test_bounds import body_events
from tests.protocol.test_responses import completed, item_done, text_delta
from tests.stand_ins.pictures import PNG
from tests.stand_ins.stand_in import lines

BYTES = len(PNG)


def made(data: bytes = PNG, name: str = "ig_1", **more: object) -> dict[str, object]:
    result = base64.b64encode(data).decode()
    return {"type": "image_generation_call", "id": name, "status": "completed", "result": result, **more}


def partial(number: int, data: bytes, name: str = "ig_1") -> dict[str, object]:
    kind, image = "response.image_generation_call.partial_image", base64.b64encode(data).decode()
    return {"type": kind, "item_id": name, "partial_image_index": number, "partial_image_b64": image}


def shown(answer: Answer) -> list[tuple[str, str, int, int, bool]]:
    return [(one.prompt, one.media_type, one.size, one.version, one.is_partial) for one in answer.pictures]


def test_partial_pictures_are_replaced_by_the_whole_one_which_counts_once() -> None:
    begun = [text_delta("Here:"), partial(0, PNG), partial(1, PNG + b"1")]
    assert shown(read(*begun)) == [("", "image/png", BYTES + 1, 2, True)]
    whole = made(PNG + b"22", revised_prompt="A red [buoy]")
    again = [item_done(whole), partial(2, PNG), item_done(whole), completed(whole)]
    answer = read(*begun, *again)
    assert shown(answer) == [("A red [buoy]", "image/png", BYTES + 2, 3, False)]
    assert (with_pictures(answer.text, answer.pictures), answer.error) == ("Here:\n\n![A red (buoy)]", None)
    two = read(item_done(made()), item_done(made(PNG + b"2", "ig_2")), item_done({**made(), "id": None}))
    assert [one.size for one in two.pictures] == [BYTES, BYTES + 1]


def test_only_bytes_of_a_picture_are_one_and_an_answer_may_have_nothing_else() -> None:
    drawing = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
    for data, kind in (
        (drawing, ""),
        (b"GIF89a", "image/gif"),
        (b"RIFF1234WEBP", "image/webp"),
        (b"\xff\xd8\xff", "image/jpeg"),
    ):
        answer = read(completed(made(data)))
        assert [(one.media_type, one.size) for one in answer.pictures] == [(kind, len(data))]
        assert (answer.text, answer.error) == ("", None)
    data = PNG + b"\xff\xfe\xfb\xef"
    whole = base64.b64encode(data).decode()
    for form in (f"{whole[:9]}\n {whole[9:]}", whole.rstrip("="), base64.urlsafe_b64encode(data).decode()):
        assert decoded(form) == decoded(f"data:image/png;base64,{form}") == data
    [damaged] = read(completed({**made(), "result": "A"})).pictures
    assert (damaged.media_type, damaged.size) == ("", 0)
    assert recorded("responses/openai-python-3.57.0-tools.sse").pictures[0].prompt == "A pair of glasses"


def test_files_and_messages_of_other_forms_have_pictures() -> None:
    for name in ("ai-sdk/ai-7.0.173-file.sse", "ai-sdk/ai-4.3.19-file.lines"):
        [picture] = recorded(name).pictures
        assert (picture.media_type, picture.url, picture.is_partial) == ("image/png", "", False)
    url = "https://example.com/buoy"
    [remote] = read({"type": "start"}, {"type": "file", "mediaType": "image/png", "url": url}).pictures
    assert (remote.url, with_pictures("", [remote])) == (url, f"![]({url})")
    assert (
        with_pictures("", [replace(remote, url=f"{url}) <b>\ud83d?a=1&b=%20")]) == f"![]({url}%29%20%3Cb%3E??a=1&b=%20)"
    )
    data = {"type": "data", "value": base64.b64encode(PNG).decode(), "mimeType": "image/png"}
    parts = [
        {"type": "image", "source": data},
        {"type": "image", "source": {"type": "url", "value": url}},
        {"type": "text", "text": "Two"},
    ]
    asked = [{"role": "user", "id": "u", "content": parts}, {"role": "assistant", "id": "a", "content": parts}]
    run = {"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
    snapshot = {"type": "MESSAGES_SNAPSHOT", "messages": asked}
    answer = read(run, snapshot, snapshot, {**run, "type": "RUN_FINISHED"})
    assert [(one.media_type, one.url) for one in answer.pictures] == [("image/png", ""), ("", url)]
    assert answer.text == "Two"


def test_an_answer_is_stored_without_bytes_and_without_secrets() -> None:
    builder = AnswerBuilder(Secrets({"api-key": "sk-0123456789abcdef"}))
    builder.add(
        PictureReceived("1", "A sk-0123456789abcdef buoy" + "x" * 9_000, "image/png", BYTES, data=PNG, key="c.1.1")
    )
    [picture] = builder.answer().pictures
    assert (picture.prompt[:8], len(picture.prompt), picture.data) == ("A … buoy", 4_000, b"")
    stored = json.loads(json.dumps(answer_to_json(builder.answer())))
    assert "data" not in stored["pictures"][0]
    assert answer_from_json(stored).pictures == (picture,)
    partly = replace(builder.answer(), pictures=(replace(picture, is_partial=True, url="https://a.example"),))
    assert answer_from_json(answer_to_json(partly)) == partly


def test_a_decision_is_sent_without_the_pictures_before_it() -> None:
    asks = {"type": "mcp_approval_request", "id": "ask", "name": "mail", "arguments": "{}"}
    [pause] = [one for one in events(lines(completed(made(), asks))) if isinstance(one, Pause)]
    assert pause.kept == {"output": [asks]}


@pytest.mark.parametrize("size", [1_000, 1_500])
def test_pictures_do_not_use_up_the_bytes_of_an_answer_but_addresses_do(size: int) -> None:
    pictures = [partial(number, PNG + bytes([number]) * 900) for number in range(4)]
    body = lines(*pictures, item_done(made()), completed(made()))
    answer = folded(body_events(body, Bounds(answer_bytes=3_000), size))
    assert (answer.error, [one.version for one in answer.pictures]) == (None, [5])
    remote = [{"type": "file", "mediaType": "image/png", "url": f"https://{one * 900}.example"} for one in "abcd"]
    answer = folded(body_events(lines({"type": "start"}, *remote), Bounds(answer_bytes=3_000), size))
    assert answer.error is not None
    assert answer.error.code == "too_large"
    flood = [item_done(made(name=f"ig_{number}", data=PNG + bytes([number]))) for number in range(30)]
    left_out = [one.code for one in read(*flood, completed()).warnings]
    assert left_out == ["picture_left_out"] * 10
