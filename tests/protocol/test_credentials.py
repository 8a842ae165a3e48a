"""Credentials returned by a backend are neither shown nor kept."""

from base64 import b64encode
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.answers.answer import Answer, AnswerBuilder
from chat_ui.protocol.answers.redaction import (
    SecretFilter,
    Secrets,
    object_without_secrets,
    url_without_secrets,
    without_query,
    without_secrets,
)
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.curl import curl_command
from chat_ui.protocol.clean_text import MAX_DEPTH
from chat_ui.protocol.events import Json, ReasoningDelta
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.recorder import ResponseRecorder
from tests.protocol.asking import PATIENT, QUESTION, answer_to, asked, error_of
from tests.stand_ins.stand_in import Received, Reply, StandIn, lines

KEY = "sk-a-key-that-nobody-sees"
SENT = {"Authorization": f"Bearer {KEY}", "X-Stage": "production"}


async def test_no_part_of_an_answer_has_the_key() -> None:
    context = {
        "data_points": {"text": [f"debug.txt: {KEY}"]},
        "thoughts": [{"title": KEY, "description": [{"headers": {KEY: SENT}}], "props": {"key": KEY}}],
        "followup_questions": [f"Is {KEY} yours?"],
    }
    error = {"error": {"message": f"no {KEY}", "code": f"refused-{KEY}"}}
    usage = {"usage": {"output_tokens": 3, "billed_to": KEY}}
    text = f"Your Bearer {KEY} for production."
    for size in (1, 7, 100):
        pieces = [{"delta": {"content": text[at : at + size]}} for at in range(0, len(text), size)]
        answer = await answer_to(Reply([lines({"context": context}, *pieces, usage, error)]), headers=SENT)
        assert answer.text == "Your Bearer … for production."
        assert answer.followup_questions == ("Is … yours?",)
        assert answer.data_points[0].text == "…"
        assert (error_of(answer).code, answer.usage) == ("refused-sk-…", {"output_tokens": 3, "billed_to": "…"})
        assert KEY not in repr(answer)
    looks_like_none = "tenant.blue.harbour.27.north"
    for status in (200, 403):
        reply = Reply([lines({"error": {"message": "no", "code": f"refused:{looks_like_none}"}})], status=status)
        assert error_of(await answer_to(reply, headers={"X-Api-Key": looks_like_none})).code == "refused:…"


async def test_neither_the_wire_record_nor_the_curl_command_has_the_key() -> None:
    recorder = ResponseRecorder()
    reply = Reply([lines({"delta": {"content": KEY}})], headers={"X-Echo": KEY, "Content-Type": "application/jsonl"})
    async with StandIn(reply).running() as stand_in, AsyncClient(PATIENT) as client:
        backend = Backend(stand_in.url, headers=SENT)
        await client.ask(backend, QUESTION, recorder)
    record, command = recorder.record(), curl_command(backend, QUESTION)
    assert ("…" in record.lines[0].text, "$CHAT_UI_KEY" in command) == (True, True)
    assert KEY not in repr(record) + command


def test_thinking_does_not_have_the_key() -> None:
    builder = AnswerBuilder(Secrets(SENT))
    for letter in f"It is {KEY}.":
        builder.add(ReasoningDelta(letter))
    builder.close()
    assert builder.answer().reasoning == "It is …."


@given(st.lists(st.text(alphabet="ab"), max_size=20))
def test_pieces_are_filtered_like_the_whole(pieces: list[str]) -> None:
    secret = "abab"
    kept = SecretFilter([secret])
    told = [kept.feed(piece) for piece in pieces]
    assert not any(secret in piece for piece in told)
    assert "".join(told) + kept.close() == "".join(pieces).replace(secret, "…")


async def test_a_large_or_nested_context_is_read_without_its_credential() -> None:
    nested = '{"a":' * 450 + "1" + "}" * 450
    body = b'{"delta":{"content":"A"},"context":{"data_points":{"text":["a.txt: b"]},"more":%s}}\n' % nested.encode()
    answer = await answer_to(Reply([body]), headers=SENT)
    assert (answer.text, answer.error, [point.id for point in answer.data_points]) == ("A", None, ["a.txt"])
    sent_back = {"data_points": {"text": [{"id": "a.pdf", KEY: "red " * 2_000, "content": f"red {KEY} " * 2_000}]}}
    answer = await answer_to(Reply([lines({"delta": {"content": "A."}, "context": sent_back})]), headers=SENT)
    assert answer.data_points[0].text == "red … " * 2_000
    assert KEY not in repr(answer)


async def asked_with(headers: dict[str, str], text: str, status: int = 200) -> Answer:
    said = {"delta": {"content": text}} if status == 200 else {"error": text}
    return await answer_to(Reply([lines(said)], status), headers=headers)


async def test_header_words_and_kinds_stay_and_possible_credentials_go() -> None:
    words = [
        ({"Accept": "application/json"}, "Set Accept to application/json please"),
        ({"user-agent": "our-house-client/1.0.2"}, "You are our-house-client/1.0.2"),
        ({"X-Doc": "handbook-2024-en"}, "It is so [handbook-2024-en.pdf]"),
        ({"X-Team": "Customer_Relations/Berlin"}, "Ask Customer_Relations/Berlin"),
    ]
    for headers, text in words:
        assert (await asked_with(headers, text)).text == text
    for name, key in (
        ("X-Anything", "9f8e7d6c5b4a39281706"), ("X-Anything", "qwertyuiopasdfghjklz"),
        ("X-Api-Key", "correct-horse-battery-staple"), ("Cookie", "session=letters-and-letters"),
        ("Authorization", "correct-horse-battery-staple"),
    ):  # fmt: skip
        assert (await asked_with({name: key}, f"It is {key}.")).text == "It is …."
    answer = await asked_with({"Authorization": "Bearer 9f8e7d6c5b"}, "Missing Bearer token, not 9f8e7d6c5b", 401)
    assert "Missing Bearer token, not …" in error_of(answer).message


async def test_a_key_of_the_address_is_removed_from_an_error() -> None:
    def refuse(received: Received) -> Reply:
        return Reply([lines({"error": f"no function at {received.path}, nor for a/b+c=SECRET"})], 403)

    for name in ("code", "subscription-key", "sig", "access_token"):
        answer, _ = await asked(refuse, f"/responses?api-version=2024-02-01&{name}=a%2Fb%2Bc%3DSECRET")
        message = error_of(answer).message
        assert ("SECRET" in message, "api-version=2024-02-01" in message) == (False, True)


async def test_the_key_of_a_data_source_is_removed_from_repeated_options() -> None:
    key = "search-4f9d2c8b7a615e03"
    options = {"data_sources": [{"type": "azure_search", "parameters": {"key": key}}]}
    words = {
        "delta": {"content": f"Asked with {key}."},
        "context": {"thoughts": [{"title": "T", "description": options}]},
    }
    async with StandIn(Reply([lines(words)])).running() as stand_in, AsyncClient(PATIENT) as client:
        answer = await client.ask(Backend(stand_in.url, overrides="body"), replace(QUESTION, overrides=options))
    assert (answer.text, len(answer.thoughts), key in repr(answer)) == ("Asked with ….", 1, False)


def test_an_address_is_shown_without_its_credentials() -> None:
    cases = [
        ("http://a.example/b?code=x&c=d#key=e", "http://a.example/b?code=…&c=d#key=e"),
        ("http://a.example/b?ke%79=x;sig=y&z", "http://a.example/b?ke%79=…;sig=…&z"),
        ("http://a.example/code=x", "http://a.example/code=x"),
        ("http://a.example/b#c?key=d", "http://a.example/b#c?key=…"),
        ("http://a.example/b?", "http://a.example/b?"),
        ("http://a.example/b?key=", "http://a.example/b?key=…"),
    ]
    for url, shown in cases:
        assert url_without_secrets(url) == shown
        assert without_query(url) == url.partition("#")[0].partition("?")[0]


def nested(levels: int, inmost: Json) -> dict[str, Json]:
    value: dict[str, Json] = {"a": inmost}
    for _ in range(levels):
        value = {"b": [value]}
    return value


PLAIN = "plain-words-here"
LONG = "exactly-sixteen-"
BASIC = f"Basic {b64encode(f'reader:{PLAIN}'.encode()).decode()}"


def test_the_credentials_of_a_request_are_found_with_their_places() -> None:
    cases = [
        (Secrets({"X-A": "short"}), (), (), ()),
        (Secrets({"X-A": "sixsix"}), ("sixsix",), (), ()),
        (Secrets({"Accept": "sixsix", "X-Key": "Bearer seven77"}), ("seven77",), (), ()),
        (Secrets({"X-A": "Bearer"}), ("Bearer",), (), ()),
        (Secrets({"X-A": "words sixsix"}), ("sixsix",), (), ()),
        (Secrets({"X-Key": PLAIN}), (PLAIN,), (PLAIN,), (PLAIN,)),
        (Secrets({"X-Key": PLAIN[1:]}), (PLAIN[1:],), (), ()),
        (Secrets({"X-A": PLAIN}), (PLAIN,), (), ()),
        (Secrets({"Authorization": BASIC}), *[(BASIC[6:], f"reader:{PLAIN}", PLAIN)] * 3),
        (Secrets({}, "http://a/?code=short&d=efghij"), (), (), ()),
        (Secrets({}, "http://a/?code=a%2Bb%2Bcd&d=efghij"), ("a%2Bb%2Bcd", "a+b+cd"), (), ("a%2Bb%2Bcd", "a+b+cd")),
        (Secrets({}, f"http://a/?code={LONG}"), (LONG,), (LONG,), (LONG,)),
        (Secrets({}, "", {"api_key": "sixsix", "keys": "seven77", "password": "short", "token": 1234567}), ("sixsix",),
         (), ("sixsix",)),
        (Secrets({}, "", {"a": [{"secret": "sixsix"}, "text"]}), ("sixsix",), (), ("sixsix",)),
        (Secrets({"X-A": "sixsix"}, "", {"key": LONG}), (LONG, "sixsix"), (LONG,), (LONG,)),
    ]  # fmt: skip
    for secrets, in_reports, in_prose, in_request in cases:
        assert (secrets.in_reports, secrets.in_prose, secrets.in_request) == (in_reports, in_prose, in_request)


def test_credentials_are_removed_whole_from_texts_and_objects_to_a_depth() -> None:
    for levels, is_found in [(7, True), (8, False)]:
        assert bool(Secrets({}, "", nested(levels, {"key": "sixsix"})).in_request) is is_found
    value = {"sixsix a": [1, None, "b sixsix", {"c": "sixsix"}], "d": ("e",)}
    assert object_without_secrets(value, ("sixsix",)) == {"… a": [1, None, "b …", {"c": "…"}], "d": ["e"]}
    for levels, is_kept in [(MAX_DEPTH // 2, True), (MAX_DEPTH // 2 + 1, False)]:
        assert ("kept" in repr(object_without_secrets(nested(levels, "kept"), ()))) is is_kept
    secrets = Secrets({"a-key": "abcdefghijklmnop1", "b-key": "abcdefghijklmnop1-23456789"})
    for words in (secrets.in_reports, secrets.in_prose, secrets.in_request):
        assert without_secrets("abcdefghijklmnop1-23456789, abcdefghijklmnop1", words) == "…, …"
