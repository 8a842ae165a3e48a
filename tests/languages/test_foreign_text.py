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
"""A language of the page that differs from the texts' languages."""


def test_two_thirds_of_short_texts_are_recognised_and_hardly_one_wrongly():
    with speaking(NOWHERE):
        told = [(language, language_of(text)) for language, texts in SHORT_TEXTS.items() for text in texts]
    wrong = [(language, found) for language, found in told if found and found != language]
    right = [language for language, found in told if found == language and language]
    # A few words of Bulgarian may be Macedonian.
    assert wrong == [("bg", "mk")]
    assert len(right) >= 0.66 * sum(1 for language, _ in told if language)


def test_a_longer_text_is_recognised_in_each_language():
    with speaking(NOWHERE):
        found = {language: language_of(" ".join(texts)) for language, texts in SHORT_TEXTS.items() if language}
    assert found == {language: language for language in found}


def test_the_language_of_the_page_is_not_marked_and_names_change_nothing():
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


def test_names_code_formulas_and_citations_are_not_recognised():
    cases = [
        "", "42", "Bonjour", "Northwind Standard", "`pip install foo`", "x = 1; y = 2", "$x^2$",
        "Leave_Policy.pdf kind=prose rate=190", f"```python\n# {GERMAN}\n```", f"[{GERMAN}]",
        "".join(f"- tent {number}\n" for number in range(100)), "\ud800\ud800 \0",
    ]  # fmt: skip
    with speaking(NOWHERE):
        assert {text: language_of(text) for text in cases} == dict.fromkeys(cases, "")


def test_the_html_attributes_give_language_and_right_to_left_direction():
    assert attributes_of(f"<p>{GERMAN}</p>") == ' lang="de" dir="auto"'
    assert attributes_of(HEBREW) == ' lang="he" dir="rtl"'
    assert attributes_of(ENGLISH) == ' dir="auto"'
    with speaking(offered()["ar"]):
        assert attributes_of(f"Northwind {ARABIC}") == ' dir="rtl"'


def test_a_growing_text_is_examined_a_few_times_until_it_is_certain():
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


def test_a_growing_text_ends_with_the_result_of_the_whole():
    for text in (GERMAN, HEBREW, ENGLISH, "OK.", f"{GERMAN} {ENGLISH}", f"{'x ' * BEGINNING}{GERMAN}"):
        streaming = StreamingLanguage()
        for start in range(0, len(text), 7):
            streaming.feed(text[start : start + 7], final=False)
        streaming.feed("", final=True)
        assert streaming.found == certain_language(text)


def test_a_text_made_to_be_costly_is_cheap():
    for piece in ("`", "```\n", "~~~ ", "$", "$$ ", "[", "<", "/", "a", "\n", " ", "[a", "ア", "ア "):
        assert_in_proportion(language_of, 10_000, made=piece.__mul__)
