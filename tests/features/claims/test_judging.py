from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chat_ui.features.claims.judging import Judgement, Passage, judge
from chat_ui.rendering.citations.sentences import sentences
from tests.features.claims.measure import FLAGS, MADE, NATURAL, cases, changed, judged
from tests.growth import assert_in_proportion

SENTENCE = "In 2023 Jane Doe paid $1,200 for 40 chairs, and the lamp may not be used after 6 pm."
PASSAGE = (
    "Jane Doe bought 40 chairs in 2023 for $1,250. The lamp may be used until 18:00. "
    "“Nobody counted the chairs,” she wrote to desk@hill.example."
)


def verdicts(sentence: str, passage: str, language: str = "en") -> dict[str, str]:
    judgement = judge(sentence, {"a": passage}, dict, language)
    return {part.text: part.verdict for part in judgement.parts} if judgement else {}


def flagged(judgement: Judgement | None) -> list[str]:
    return [part.text for part in judgement.parts if part.verdict in FLAGS] if judgement else []


@pytest.mark.parametrize(("folder", "least", "most"), [(MADE, 0.53, 0.01), (NATURAL, 0.74, 0.03)])
def test_a_set_is_judged_as_well_as_measured(folder: Path, least: float, most: float):
    found = missed = true = wrong = 0
    for case in cases(folder):
        judgement = judged(case)
        if changed(case, judgement):
            hit = judgement is not None and judgement.verdict in FLAGS
            found, missed = found + hit, missed + (not hit)
        elif case["change"] != "wrong_passage":
            true += 1
            wrong += judgement is not None and judgement.verdict not in {"found", "computed"}
    assert found / (found + missed) >= least
    assert wrong / true <= most


def test_a_sentence_of_a_passage_is_not_flagged():
    texts = sorted({text for case in cases() for text in case["passages"].values()})
    for text in texts[::6]:
        passage = Passage(text)
        for line in text.splitlines():
            for sentence in [line] if line.startswith("|") else sentences(line):
                assert flagged(judge(sentence, {"a": passage}, dict, passage.reading.words.tag)) == [], sentence


def test_parts_have_their_places_in_the_sentence_and_in_the_passage():
    judgement = judge(SENTENCE, {"a": PASSAGE}, dict, "en")
    assert judgement is not None
    assert judgement.verdict == "differs"
    for part in judgement.parts:
        assert SENTENCE[part.start : part.end] == part.text
    paid = next(part for part in judgement.parts if part.text == "$1,200")
    assert paid.verdict == "differs"
    assert paid.counterpart is not None
    assert PASSAGE[slice(*paid.counterpart)] == "$1,250"


PIECES = st.lists(
    st.sampled_from(
        ["may", "not", "1", "²", "½", ".", ":", "/", "-", " ", "$", "%", "“", "|", "ال", "万", "月", "Bergen"]
    )
    | st.text(max_size=3)
    | st.sampled_from([word for case in cases() for word in case["sentence"].split()]),
    max_size=30,
).map(" ".join)


@example("In m ² half of it", "", "en")
@given(PIECES, PIECES, st.sampled_from(["ar", "de", "en", "fr", "ja", "pl", ""]))
def test_parts_of_any_text_have_their_places(sentence: str, passage: str, language: str):
    judgement = judge(sentence, {"a": f"{passage} {sentence}"}, lambda: {"b": passage}, language)
    for part in judgement.parts if judgement else ():
        assert sentence[part.start : part.end] == part.text != ""


@pytest.mark.parametrize(
    ("language", "sentence", "passage"),
    [
        ("en", "It lasts twenty weeks.", "A 20-week course."),
        ("de", "Es dauert 20 Wochen.", "It lasts for twenty weeks and is free."),
        ("en", "It costs $1,000.50.", "Der Preis beträgt 1.000,50 Dollar."),
        ("en", "5 % were returned.", "The rate of return was 0.05."),
        ("en", "About 3 million people live there.", "The city has 2,987,000 inhabitants."),
        ("en", "The oven works at 1,832 °F.", "The oven works at 1,000 °C."),
        ("fr", "Le train part à 19 h 30.", "The train leaves the station at half past seven."),
        ("de", "Er fährt um halb acht ab.", "Abfahrt: 07:30"),
        ("es", "Abrió el 3 de mayo de 1990.", "It opened on May 3, 1990."),
        ("ja", "1905年に開業した。", "明治38年に開業した。"),
        ("de", "Die Frist endet am 31.7. um Mitternacht.", "The time to apply ends on July 31."),
        ("ja", "営業利益は1,245百万円でした。", "営業利益は12億4,500万円となった。"),
        ("ar", "يستمر أسبوعين.", "مدته 14 يوما."),
        ("ar", "يستمر ال 14 يوما.", "مدته 14 يوما."),
        ("it", "Dura trenta giorni.", "La durata è di 30 giorni."),
        ("pl", "Bilet kosztuje 15 złotych.", "Bilet kosztuje 15 zł."),
        ("pt", "As visitas são às quintas-feiras.", "As visitas são na quinta-feira de manhã."),
        ("nl", "De trein vertrekt om half acht.", "Vertrek: 07:30"),
        ("da", "Prisen er 12 mio. kroner.", "Prisen er 12.000.000 kroner."),
        ("tr", "Kütüphanede 45 bin kitap vardır.", "Kütüphanede 45.000 kitap vardır."),
        ("zh-Hans", "藏书32万册。", "藏书320,000册。"),
    ],
)
def test_other_words_for_a_value_agree(language: str, sentence: str, passage: str):
    judgement = judge(sentence, {"a": passage}, dict, language)
    assert judgement is not None
    assert flagged(judgement) == []
    assert judgement.verdict == "found"


@pytest.mark.parametrize(
    ("language", "sentence", "passage"),
    [
        ("en", "The dose is 15 ml.", "The dose is 15 mg."),
        ("en", "Visitors may enter.", "Visitors must not enter."),
        ("de", "Hunde dürfen ins Haus.", "Hunde dürfen nicht ins Haus."),
        ("fr", "Le casque est obligatoire.", "Le casque est facultatif."),
        ("es", "Se permite comer en la sala.", "No se permite comer en la sala."),
        ("it", "Il transito è consentito ai camion.", "Il transito è vietato ai camion."),
        ("pt", "É permitido fotografar as máquinas.", "É proibido fotografar as máquinas."),
        ("nl", "Duiken is toegestaan.", "Duiken is niet toegestaan."),
        ("pl", "Fotografowanie jest dozwolone.", "Fotografowanie jest zabronione."),
        ("da", "Lastbiler må køre over broen.", "Lastbiler må ikke køre over broen."),
        ("tr", "Kütüphane 6 Mart 1916'da açıldı.", "Kütüphane 6 Mart 1961'de açıldı."),
        ("ja", "犬を連れて入ることができる。", "犬を連れて入ることはできない。"),
        ("ar", "يجوز التدخين داخل المباني.", "لا يجوز التدخين داخل المباني."),
        ("zh-Hans", "馆内可以吸烟。", "馆内不得吸烟。"),
        ("en", "Orders of less than $50 are free.", "Orders of more than $50 are free."),
        ("en", "The head is Anna Berg.", "The head is Anna Borg."),
    ],
)
def test_another_value_unit_or_permission_differs(language: str, sentence: str, passage: str):
    assert flagged(judge(sentence, {"a": passage}, dict, language))


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        (
            "The plan does not cover glasses, hearing aids, or gym fees.",
            "The plan does not cover glasses. The plan does not cover hearing aids. The plan does not cover gym fees.",
        ),
        ("This includes travel to clinical trials.", "The plan does not cover travel to clinical trials."),
        ("See a doctor who is part of the plan.", "A doctor who is not part of the plan may charge more."),
        ("Approval may be required for surgery.", "You may need to seek approval for surgery."),
        ("The Hill Plan protects you from extra bills.", "EXTRA BILLS The plan protects you from extra bills."),
        ("Ask Northfield Health first.", "Ask Northfield HealthIt is best to do so first."),
        ("You have two weeks to ask, so ask early.", "You have ten working days to ask."),
        ("A quarter of the hall is 500 m².", "The hall has 2,000 m²."),
        ("The couple has £170,000, as the limit is £85,000 for two.", "The limit is £85,000 for two."),
        ("Hearing and sight tests cost $50 and $75.", "A hearing test costs $50. A sight test costs $75."),
        ("It is 6\u200b2 metres high.", "It is 62 metres high."),
        ("In Ancient Greece it was the highest good.", "In Ancient Greek thought it was the highest good."),
    ],
)
def test_a_true_sentence_in_other_words_is_not_flagged(sentence: str, passage: str):
    assert flagged(judge(sentence, {"a": passage}, dict, "en")) == []


def test_a_value_of_another_passage_is_elsewhere():
    judgement = judge("The tower is 62 metres high.", {"a": "A tower."}, lambda: {"b": "The tower is 62 m high."}, "en")
    assert judgement is not None
    assert (judgement.verdict, judgement.parts[0].passage) == ("elsewhere", "b")


def test_sums_and_differences_are_computed():
    passage = "The north hall has 120 seats and the south hall 85 seats."
    assert verdicts("Together the halls have 205 seats.", passage) == {"205": "computed"}
    assert verdicts("It costs $40 for two.", "It costs $20 a person, two may share.")["$40"] == "computed"


def test_a_quotation_is_compared_word_by_word():
    assert verdicts("She wrote: “Nobody counted the chairs”.", PASSAGE)["Nobody counted the chairs"] == "found"
    spliced = "Jane Doe bought the chairs in 2023"
    assert verdicts(f"It says “{spliced}”.", PASSAGE)[spliced] == "differs"


@pytest.mark.parametrize("text", ["", "   ", "A quiet afternoon.", "。", "|", "«", "(" * 50])
def test_text_without_checkable_parts_has_no_judgement(text: str):
    assert judge(text, {"a": PASSAGE}, dict, "en") is None


@pytest.mark.parametrize("language", ["", "tlh", "xx-Latn", "zh-Hans", "en_GB", "nb"])
def test_numbers_are_compared_in_any_language(language: str):
    assert verdicts("xyz 4711 kg", "abc 4711 kg", language).get("4711 kg") == "found"


@pytest.mark.parametrize(
    "sentence",
    [
        "9" * 10_000,
        "9" * 10_000 + "万",
        "1." + "9" * 10_000,
        "-" + "0" * 10_000 + " kg",
        "1," * 2_000,
        "٣٬٥" * 1_000,
        "5 kg " * 400,
        "\u202b12 ק״ג and 5 kg\u202c" * 40,
        "“" * 1_000,
    ],
)
def test_odd_input_is_judged(sentence: str):
    judge(sentence, {"a": sentence}, lambda: {"b": PASSAGE}, "en")


def test_a_value_that_a_cut_passage_lacks_is_not_missed():
    text = "The hall is old. " * 10
    assert verdicts("The hall weighs 17 kg.", text) == {"17 kg": "not_found"}
    assert verdicts("The hall weighs 17 kg.", text * 1_000) == {}


def test_many_sources_are_compared():
    sources = {str(number): f"Hall {number} has {number} seats." for number in range(200)}
    judgement = judge("Hall 170 has 170 seats.", sources, dict, "en")
    assert judgement is not None
    assert judgement.verdict == "found"


@pytest.mark.parametrize(
    "piece",
    [
        "12 ",
        "5 kg apples and 6 kg pears. ",
        "a-",
        "twenty-one ",
        "Anna Maria ",
        "| a | 5 kg |\n",
        "“a b c” ",
        "三千",
        "not may ",
        "an hour and a half, ",
    ],
)
def test_reading_and_judging_grow_with_the_length(piece: str):
    def made(length: int) -> str:
        return piece * (length // len(piece))

    assert_in_proportion(lambda text: judge(SENTENCE, {"a": Passage(text)}, dict, "en"), 1_000, made=made)
    assert_in_proportion(lambda text: judge(text, {"a": PASSAGE}, dict, "en"), 1_000, made=made)
