from chat_ui.protocol.answers.answer import DataPoint
from chat_ui.rendering.streaming.work import work_of, work_of_points


def test_work_counts_characters_marks_and_sources_up_to_a_limit():
    wanted = {
        "": 0, "words": 5, "a\nb": 3 + 60, "[a] $b$": 7 + 25 + 60 + 2 * 150, "https://a": 9 + 10 + 150,
        "*a*_b_`c`": 9 + 4 * 8 + 2 * 5, "a" * 8_000: 8_000, "```" + "a" * 7_997: 2 * (8_000 + 3 * 5),
        "~~~" + "a" * 3_997: (4_000 + 15) * 3 // 2,
    }  # fmt: skip
    assert {text: work_of(text) for text in wanted} == wanted
    assert work_of("[a]" * 1_000, 2) == work_of("[a]")
    assert work_of("a" * 10, 9) > 9
    assert work_of("a" * 9, 9) == 9
    points = (DataPoint("a" * 50, "b" * 30, "text" * 100), DataPoint("c" * 9, "", url="d" * 20))
    assert work_of_points(points) == 30 + 8 + 30 + 2
