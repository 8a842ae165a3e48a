"""The language of text that others wrote is told where it is certain, and never a wrong one."""

from chat_ui.languages.catalogues import offered
from chat_ui.languages.foreign_text import (
    BEGINNING,
    FIRST_LOOK,
    StreamingLanguage,
    attributes_of,
    certain_language,
    language_of,
)
from chat_ui.languages.language import Language
from chat_ui.languages.translation import speaking
from tests.growth import assert_in_proportion
from tests.languages.short_texts import SHORT_TEXTS

GERMAN = "Bojen sind rot und schwimmen auf dem Wasser. Jedes Jahr werden sie gewartet."
HEBREW = "העובדים זכאים לעשרים וחמישה ימי חופשה בתשלום בכל שנה קלנדרית מלאה."
ARABIC = "يحق للموظفين الحصول على خمسة وعشرين يوم إجازة مدفوعة الأجر في كل سنة تقويمية."
JAPANESE = "従業員は年間二十五日の有給休暇を取得できます。毎年、会社に申請してください。"
ENGLISH = "Buoys are red and they float on the water. Every year they are looked after."
LONG_POLISH = (
    " Boje są czerwone i pływają po wodzie. Co roku przechodzą przegląd w porcie, zanim znikną lody. Kto widzi, że "
    "któraś dryfuje, dzwoni do urzędu morskiego i podaje jej numer. Latem malarze odnawiają farbę, a zimą "
    "pracownicy naprawiają łańcuchy oraz kotwice, które zużywają się szybciej niż cała reszta. Każda ma swoją kartę, "
    "na której zapisuje się dzień przeglądu, nazwisko mechanika i to, co trzeba będzie wymienić następnym razem."
)
NOWHERE = Language("eo", None)
"""A language of the page that none of the texts is in."""


def test_of_short_texts_two_thirds_are_told_and_hardly_a_wrong_one():
    with speaking(NOWHERE):
        told = [(language, language_of(text)) for language, texts in SHORT_TEXTS.items() for text in texts]
    wrong = [(language, found) for language, found in told if found and found != language]
    right = [language for language, found in told if found == language and language]
    # A text of a few words in Bulgarian is as good Macedonian.
    assert wrong == [("bg", "mk")]
    assert len(right) >= 0.66 * sum(1 for language, _ in told if language)


def test_a_text_of_some_sentences_is_told_in_each_language_and_from_its_neighbours():
    with speaking(NOWHERE):
        found = {language: language_of(" ".join(texts)) for language, texts in SHORT_TEXTS.items() if language}
    assert found == {language: language for language in found}


def test_nothing_is_told_of_the_language_of_the_page_and_names_change_nothing():
    for name in ("Northwind", "Teams", "SharePoint", "Northwind Standard"):
        for language, text in (("ar", ARABIC), ("he", HEBREW), ("ja", JAPANESE)):
            assert language_of(f"{name} {text}") == language
    assert language_of(ENGLISH) == ""
    assert language_of(GERMAN) == "de"
    with speaking(offered()["de"]):
        assert language_of(GERMAN) == ""
        assert language_of(ENGLISH) == "en"
    norwegian = "Bøyene er røde og flyter på vannet. De blir sett etter hvert år av kommunen."
    assert language_of(norwegian) == "nb"
    with speaking(Language("nn", None)):
        assert language_of(norwegian) == ""


def test_nothing_is_told_of_names_code_formulas_and_citations():
    cases = [
        "", "42", "Bonjour", "Northwind Standard", "`pip install foo`", "x = 1; y = 2", "$x^2$",
        "Leave_Policy.pdf kind=prose rate=190", f"```python\n# {GERMAN}\n```", f"[{GERMAN}]",
        "".join(f"- tent {number}\n" for number in range(100)), "\ud800\ud800 \0",
    ]  # fmt: skip
    with speaking(NOWHERE):
        assert {text: language_of(text) for text in cases} == dict.fromkeys(cases, "")


def test_the_attributes_of_html_say_its_language_and_a_direction_from_right_to_left():
    assert attributes_of(f"<p>{GERMAN}</p>") == ' lang="de" dir="auto"'
    assert attributes_of(HEBREW) == ' lang="he" dir="rtl"'
    assert attributes_of(ENGLISH) == ' dir="auto"'
    with speaking(offered()["ar"]):
        assert attributes_of(f"Northwind {ARABIC}") == ' dir="rtl"'


def test_a_growing_text_is_looked_at_some_times_only_until_its_language_is_certain():
    streaming = StreamingLanguage()
    streaming.feed("OK. ", final=False)
    assert streaming.found == ""
    streaming.feed(GERMAN, final=False)
    assert streaming.found == ""
    streaming.feed(GERMAN[: FIRST_LOOK - len(GERMAN)], final=False)
    assert streaming.found == "de"
    streaming.feed(LONG_POLISH, final=False)
    assert streaming.found == "de"
    streaming.feed("", final=True)
    assert streaming.found == "pl"


def test_a_growing_text_is_told_at_its_end_as_the_whole_of_it_is():
    for text in (GERMAN, HEBREW, ENGLISH, "OK.", f"{GERMAN} {ENGLISH}", f"{'x ' * BEGINNING}{GERMAN}"):
        streaming = StreamingLanguage()
        for start in range(0, len(text), 7):
            streaming.feed(text[start : start + 7], final=False)
        streaming.feed("", final=True)
        assert streaming.found == certain_language(text)


def test_text_that_is_made_to_be_costly_is_not():
    for piece in ("`", "```\n", "~~~ ", "$", "$$ ", "[", "<", "/", "a", "\n", " ", "[a", "ア", "ア "):
        assert_in_proportion(language_of, 10_000, made=piece.__mul__)
