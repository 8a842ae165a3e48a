import json
from pathlib import Path

import pytest

from chat_ui.features.evaluation.errors import QuestionsError
from chat_ui.features.evaluation.question_set import parse_questions, read_questions
from tests.features.evaluation.made import SOUND, evaluating, files, numbered, trial
from tests.stand_ins.stand_in import lines

BOM = b"\xef\xbb\xbf"


def read(data: bytes, *, is_csv: bool = False) -> list[tuple[int, str, str]]:
    return [(one.number, one.text, one.truth) for one in parse_questions(data, is_csv=is_csv).questions]


def fault(data: bytes, *, is_csv: bool = False) -> str:
    with pytest.raises(QuestionsError) as raised:
        parse_questions(data, is_csv=is_csv)
    return str(raised.value)


def test_questions_and_truths_are_read_in_every_format():
    cases = [
        b'{"question": "Who pays?", "truth": "We [a.pdf]."}\n{"question": "Why?"}\n',
        b'{"question": "Who pays?", "truth": "We [a.pdf]."}\n{"question": "Why?"}',
        BOM + b'{"question": "Who pays?", "truth": "We [a.pdf]."}\r\n{"question": "Why?", "truth": null}\r\n',
        b'\n\n{"question": "Who pays?", "truth": " We [a.pdf].\\n"}\n \t\r\n{"question": "Why?", "truth": ""}\n\n',
        b'{"id": [1], "question": "Who pays?", "x": {"question": 3}, "truth": "We [a.pdf]."}\n{"question": "Why?"}',
        b'{"messages": [{"role": "user", "content": "Who pays?"}], "truth": "We [a.pdf]."}\n{"question": "Why?"}',
        b"question,truth\nWho pays?,We [a.pdf].\nWhy?,\n", b"question;truth\nWho pays?;We [a.pdf].\nWhy?;",
        b"question\ttruth\nWho pays?\tWe [a.pdf].\nWhy?\n",
        BOM + b"truth,id,Question\r\nWe [a.pdf].,7,Who pays?\r\n\r\n,8,Why?\r\n",
        b'"question","truth"\n"Who pays?","We [a.pdf]."\n\n"Why?"\n',
        b"\nquestion;truth\nWho pays?;We [a.pdf].\nWhy?;\n",
        b"question,messages,truth\nWho pays?,two,We [a.pdf].\nWhy?,,\n",
        b'[{"question": "Who pays?", "truth": "We [a.pdf]."}, {"question": "Why?"}]',
        BOM
        + b'\n[\r\n {\r\n  "question": "Who pays?",\r\n  "truth": "We [a.pdf]."\r\n },\r\n{"question": "Why?"}\r\n]',
        b'{\n  "question": "Who pays?",\n  "truth": "We [a.pdf]."\n}\n{\n  "question": "Why?"\n}\n',
        b"sep=;\r\nquestion;truth\r\nWho pays?;We [a.pdf].\r\nWhy?;\r\n",
        b"\tquestion\tGround truth\n0\tWho pays?\tWe [a.pdf].\n1\tWhy?\t\n",
        b"question,truth\rWho pays?,We [a.pdf].\rWhy?,\r",
        "question\ttruth\r\nWho pays?\tWe [a.pdf].\r\nWhy?\t\r\n".encode("utf-16"),
        '{"question": "Who pays?", "truth": "We [a.pdf]."}\n{"question": "Why?"}\n'.encode("utf-16-be"),
        lines(
            {"query": "Who pays?", "ground_truth": "We [a.pdf].", "response": "I."},
            {"query": "Why?", "response": "So."},
        ),
        lines({"user_input": "Who pays?", "reference": "We [a.pdf]."}, {"user_input": "Why?", "reference": None}),
        lines({"input": "Who pays?", "expected_output": "We [a.pdf]."}, {"input": "Why?", "expectedOutput": ""}),
        lines(
            {"inputs": {"question": "Who pays?"}, "outputs": {"answer": "We [a.pdf]."}}, {"inputs": {"input": "Why?"}}
        ),
        lines(
            {"inputs": {"query": "Who pays?"}, "expectations": {"expected_response": "We [a.pdf]."}},
            {"inputs": {"messages": [{"role": "user", "content": "Why?"}]}, "outputs": "So."},
        ),
        b"inputs.question,expectations.expected_response\nWho pays?,We [a.pdf].\nWhy?,\n",
        b"QUESTION;Reference-Answer\nWho pays?;We [a.pdf].\nWhy?;\n",
        b"Question,Expected response,Question type\nWho pays?,We [a.pdf].,plain\nWhy?,,plain\n",
        b"ground truth,Truth,query,Question\n,We [a.pdf].,,Who pays?\nSo.,,How?,Why?\n",
    ]  # fmt: skip
    assert [read(data, is_csv=b"{" not in data) for data in cases] == [
        [(1, "Who pays?", "We [a.pdf]."), (2, "Why?", "")]
    ] * len(cases)


def test_a_table_is_recognised_by_its_header_and_may_quote_separators():
    assert read(b"truth;question\nWe;Who pays?\n") == [(1, "Who pays?", "We")]
    assert read(b"Ground truth\tUser input\r\nWe\tWho pays?\r\n") == [(1, "Who pays?", "We")]
    for beginning in (b"", BOM, b"\r\n", b"sep=;\r\n"):
        data = beginning + b'Question\r\nWho pays for a, b; and c?\r\n"And ""d"", or e?"\r\n'
        assert read(data, is_csv=True) == [(1, "Who pays for a, b; and c?", ""), (2, 'And "d", or e?', "")], beginning
    data = b"id, of ours, or not;question;truth\n1;How much is 1,5 %?;1,5\n"
    assert read(data) == [(1, "How much is 1,5 %?", "1,5")]
    data = b'question,truth\r\n"Who\r\npays, ""really""?","We\n[a.pdf]."\r\nWhy?,\r\n'
    assert read(data) == [(1, 'Who\npays, "really"?', "We\n[a.pdf]."), (2, "Why?", "")]


def test_the_first_of_two_columns_with_the_same_name_counts(tmp_path: Path):
    file = tmp_path / "questions.csv"
    file.write_bytes(b"question,question\nWho pays?,Why?\n")
    found = read_questions(file)
    assert ([one.text for one in found.questions], found.unread) == (["Who pays?"], ("question (2)",))


def test_unicode_line_separators_stay_and_surrogates_are_removed():
    assert read(lines({"question": "Who\u2028pays?\x85"})) == [(1, "Who\u2028pays?\x85", "")]
    assert read(b'{"question": "Who \\ud83d\\ude00 \\ud83d pays\\u001b?"}') == [(1, "Who 😀 \ufffd pays?", "")]


def test_a_conversation_is_read_with_its_roles():
    said = [("system", "Be brief."), ("user", "Who pays?"), ("assistant", "We."), ("user", "Why?")]
    messages = [{"role": role, "content": content, "name": "x"} for role, content in said]
    (question,) = parse_questions(lines({"messages": messages, "question": "left alone"})).questions
    assert [(one.role, one.content) for one in question.messages] == said
    assert question.text == "Why?"


def test_an_invalid_line_is_named_by_its_number():
    cases = [
        (b"Who pays?", "is not JSON"),
        (b'{"question": "Who pays?"} {"question": "Why?"}', "is not JSON"),
        (b"[" * 100_000, "is not JSON"), (b'{"question": 1' + b"0" * 5_000 + b"}", "is not JSON"),
        (b'["Who pays?"]', "is not a JSON object"), (b"null", "is not a JSON object"),
        (b'{"question": "Who\\u0000pays?"}', "contains a NUL character"),
        (b'{"question": "Who pays?", "truth": "\\u0000"}', "contains a NUL character"),
        (b'{"ask": "Who pays?", "Truth": "We", "x": null}', "has no “question”, only “ask”, “Truth”."),
        (b'{"inputs": {"ask": "Who pays?"}, "input": 3}', "has no “question”, only “inputs.ask”, “input”."),
        (lines({f"name {number}": "x" for number in range(11)}).rstrip(), "has no “question”, only “name 0”, “name 1”"),
        (b"{}", "has no “question”."), (b'{"question": null}', "has no “question”."),
        (b'{"question": ""}', "has an empty question"), (b'{"question": " \\n\\t"}', "has an empty question"),
        (b'{"question": "\\u0007"}', "has an empty question"),
        (b'{"question": 7}', "has a “question” that is not text"),
        (b'{"question": "Who pays?", "truth": false}', "has a “truth” that is not text"),
        (b'{"messages": "Who pays?"}', "has “messages” that are not a list of messages"),
        (b'{"messages": []}', "has “messages” that are not a list of messages"),
        (b'{"messages": ["Who pays?"]}', "has a message without a role"),
        (b'{"messages": [{"content": "Who pays?"}]}', "has a message without a role"),
        (b'{"messages": [{"role": ["user"], "content": "Who pays?"}]}', "has a message without a role"),
        (b'{"messages": [{"role": "tool", "content": "Who pays?"}]}', "has a message without a role"),
        (b'{"messages": [{"role": "user", "content": ["Who pays?"]}]}', "has a message without a role"),
        (b'{"messages": [{"role": "user", "content": " "}]}', "has an empty question"),
        (
            b'{"messages": [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "We."}]}',
            "has “messages” whose last role is not user",
        ),
        (b'{"question": "' + b"a" * 1_000_001 + b'"}', "is longer than 1,000,000 characters"),
    ]  # fmt: skip
    for line, words in cases:
        assert fault(b'\n{"question": "First"}\r\n\n' + line + b"\n").startswith(f"Line 4 {words}")


def test_an_invalid_row_is_named_by_its_first_line():
    cases = [
        (b'question,truth\nWhy?,\n\n"Who pays?,We\nNext?,\n', "Line 4 is not CSV: a quotation mark"),
        (b'question,truth\n"Why\nnot?",\n"Who" pays?,We\n', "Line 4 is not CSV: a quotation mark"),
        (b'question,truth\n"Why\nnot?",\nWho, when and why?,\n', "Line 4 has more fields than the header has columns"),
        (b"question,truth\n,We\n", "Line 2 has an empty question"),
        (b"question,truth\nWho\0pays?,We\n", "Line 2 contains a NUL character"),
        (
            b"\nFrage;Antwort;\nWho pays?;We;\n",
            "Line 2, the header, has no column “question”, only “Frage”, “Antwort”,",
        ),
        (b"question,truth\n", "No questions found. Each needs a “question” field."),
    ]
    for data, words in cases:
        assert fault(data, is_csv=True).startswith(words)


def test_a_line_in_another_encoding_is_named():
    for beginning, place in ((b"", b""), (BOM, b"{"), (b"", b'{"question": "')):
        data = beginning + b'{"question": "Who pays?"}\r\n' + place + "Öl?".encode("latin-1")
        assert fault(data) == "Line 2 is not text in UTF-8. Save the file as UTF-8: in Excel, as “CSV UTF-8”."
    assert fault("question\nÖl?\n".encode("utf-16") + b"?") == (
        "This is not a text file. Use JSON Lines, or save the table as “CSV UTF-8”."
    )


def test_an_empty_file_is_refused_and_an_office_file_gets_advice():
    empty = b"", b"\n\n", BOM, b" \r\n"
    of_others = (
        b"PK\x03\x04 xl/workbook.xml", b"\xd0\xcf\x11\xe0", b"%PDF-1.7\n", b"PAR1\x15\0\xf0", b"\x89PNG\r\n\x1a\n\0",
    )  # fmt: skip
    no_text = "This is not a text file. Use JSON Lines, or save the table as “CSV UTF-8”."
    no_question = "No questions found. Each needs a “question” field."
    told = {**dict.fromkeys(empty, no_question), **dict.fromkeys(of_others, no_text)}
    for data, words in told.items():
        assert fault(data) == fault(data, is_csv=True) == words


def test_faults_in_a_list_are_named_by_line_up_to_three():
    cases = [
        (
            b'\n[\n  {"question": "Who?"},\n  {\n    "question": 1\n  },\n  7\n]',
            "Line 4 has a “question” that is not text. Line 7",
        ),
        (b'[\n  {"question": "Who?"},\n  {"question": "Why?"\n', "Line 4 is not JSON."),
        (b'[{"question": "Who?"}\n', "Line 2 is not JSON."),
        (b'[{"question": "Who?"}]\n\n[{"question": "Why?"}]', "Line 3 is not JSON."),
        (b"[" * 100_000, "Line 1 is not JSON."),
        (b'[{"question": 1' + b"0" * 5_000 + b"}]", "Line 1 is not JSON."),
        (b'{\n"question": "Who?"\n}\n{"question": }\n', "Line 4 is not JSON."),
        (b'{\n  "examples": [{"question": "Who?"}]\n}', "Line 1 has no “question”, only “examples”."),
        (b"[]", "No questions found. Each needs a “question” field."),
    ]
    for data, words in cases:
        assert fault(data).startswith(words)
    assert fault(b'{"question": 1}\n[]\n{"question": "Who?"}\n{}\n') == (
        "Line 1 has a “question” that is not text. Line 2 is not a JSON object. Line 4 has no “question”."
    )
    assert fault(b"null\n" * 4).endswith("Line 3 is not a JSON object. 1 more line has an error.")
    assert fault(b"null\n" * 9).endswith("Line 3 is not a JSON object. 6 more lines have errors.")


def test_an_unreadable_file_is_named_with_the_reason(tmp_path: Path):
    with pytest.raises(QuestionsError, match=r"none\.jsonl cannot be read: No such file"):
        read_questions(tmp_path / "none.jsonl")
    with pytest.raises(QuestionsError, match="cannot be read: Is a directory"):
        read_questions(tmp_path)


async def test_an_unusable_set_prevents_questions_and_output(tmp_path: Path):
    gone = tmp_path / "gone.csv"
    async with trial(tmp_path, SOUND, [*numbered(3), ["no"]]) as one:
        rans = [await one.run(), await evaluating(one.url, gone, one.out)]
    assert rans == [
        (2, "", f"{one.path}: Line 4 is not a JSON object.\n"),
        (2, "", f"{gone} cannot be read: No such file or directory.\n"),
    ]
    assert (one.asked, list(files(tmp_path))) == ([], ["set.jsonl"])


async def test_a_repeated_question_is_asked_each_time_and_noted_once(tmp_path: Path):
    async with trial(tmp_path, SOUND, ["Who?", "Why?", "Who?", "Who?"]) as one:
        complete = await one.run()
        once, never = [await one.run("--limit", limit, out=tmp_path / limit) for limit in ("3", "2")]
    assert sorted(one.asked[:4]) == ["Who?", "Who?", "Who?", "Why?"]
    assert [row["number"] for row in one.rows] == [1, 2, 3, 4]
    assert complete.err.count("2 duplicate questions are asked too.") == 1
    assert once.err.count("1 duplicate question is asked too.") == 1
    assert "repeat" not in never.err


async def test_a_set_in_a_table_is_asked_whole(tmp_path: Path):
    path = tmp_path / "set.csv"
    path.write_bytes(BOM + b'Truth;Question;id;Answer;\r\nWe [a.pdf];"Who\r\npays?";;;\r\n;Why?;;So.;2\r\n')
    async with trial(tmp_path, SOUND) as one:
        ran = await evaluating(one.url, path, one.out)
    assert ran.status == 0
    assert ran.err.startswith(f"{path}: fields ignored: “Answer”, “column 5”. The fields read are “question”")
    assert [(row["question"], row["truth"]) for row in one.rows] == [("Who\npays?", "We [a.pdf]"), ("Why?", None)]


async def test_a_limit_asks_the_first_three_of_many_lines(tmp_path: Path):
    async with trial(tmp_path, SOUND, 10_000) as one:
        ran = await one.run("--limit", "3")
    assert (ran.status, sorted(one.asked)) == (0, ["Who pays 1?", "Who pays 2?", "Who pays 3?"])
    assert json.loads((one.out / "run.json").read_bytes())["count"] == 10_000
