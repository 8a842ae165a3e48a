"""Plurals, numbers and dates of a language, and the choice of a person's language."""

from datetime import datetime
from pathlib import Path

import pytest

from chat_ui.languages.catalogues import chosen, language_of, offered, preferred
from chat_ui.languages.language import ENGLISH, MACHINE, Language
from chat_ui.languages.translation import gettext, gettext_html, in_day, ngettext, speaking, translated
from chat_ui.protocol.translatable import msg, plural_msg

POLISH = (
    rf"# {MACHINE}"
    + r"""
msgid ""
msgstr ""
"Language: pl\n"
"Content-Type: text/plain; charset=utf-8\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);\n"

msgid "Send <all>"
msgstr "Wyślij <wszystko>"

msgid "one source at {place}"
msgid_plural "{count} sources at {place}"
msgstr[0] "jedno źródło w {place}"
msgstr[1] "{count} źródła w {place}"
msgstr[2] "{count} źródeł w {place}"

#, fuzzy
msgid "Stop"
msgstr "Start"

msgid "nowhere"
msgstr "nigdzie"
"""
)


@pytest.fixture
def polish(tmp_path: Path) -> Language:
    (tmp_path / "pl.po").write_text(POLISH, encoding="utf-8")
    return language_of(tmp_path / "pl.po")


def test_a_count_takes_the_plural_form_of_its_language(polish: Language):
    wanted = {
        1: "jedno źródło w A", 3: "3 źródła w A", 5: "5 źródeł w A", 12: "12 źródeł w A", 22: "22 źródła w A",
        1_234_567: "1 234 567 źródeł w A",
    }  # fmt: skip
    with speaking(polish):
        said = {
            count: ngettext("one source at {place}", "{count} sources at {place}", count, place="A") for count in wanted
        }
    assert {count: words.replace("\xa0", " ") for count, words in said.items()} == wanted


def test_a_text_of_the_client_is_translated_with_its_values(polish: Language):
    text = plural_msg("one source at {place}", "{count} sources at {place}", 2, place=msg("nowhere"))
    assert text == "2 sources at nowhere"
    with speaking(polish):
        assert translated(text) == gettext(text) == "2 źródła w nigdzie"
        assert translated("nowhere") == "nowhere"
    assert translated(text) == "2 sources at nowhere"


def test_foreign_words_keep_their_order_in_right_to_left_sentences():
    text = msg("{problem} {advice}", problem=msg("The backend sent no text: {reason}.", reason="busy!"), advice="Wait.")
    with speaking(offered()["ar"]):
        assert gettext("page {page}", page="2") == "صفحة 2"
        assert translated(text) == "لم يرسل الخادم الخلفي نصًا: \u2068busy!\u2069. \u2068Wait.\u2069"
    assert text == "The backend sent no text: busy!. Wait."


def test_untranslated_fuzzy_or_invalid_messages_are_in_english(polish: Language):
    with speaking(polish):
        assert gettext("Stop") == "Stop"
        assert gettext("Unknown {thing}", thing=0.5) == "Unknown 0,5"
    numbers = [10**15, -(10**30), float("inf"), float("nan")]
    assert [polish.number(number) for number in numbers] == [ENGLISH.number(number) for number in numbers]


def test_a_message_escapes_all_html_but_that_of_its_values():
    assert gettext_html("<b> {name} & {other}", name="<i>x</i>") == "&lt;b&gt; <i>x</i> &amp; {other}"


def test_a_catalogue_says_that_a_machine_made_it(polish: Language, tmp_path: Path):
    assert polish.translations.by_machine
    (tmp_path / "nl.po").write_text(POLISH.replace(f"# {MACHINE}", ""), encoding="utf-8")
    assert not language_of(tmp_path / "nl.po").translations.by_machine


def test_a_tag_matches_a_language_also_by_script_and_region():
    cases = [
        (["de-AT"], "de"), (["DE"], "de"), (["nl", "fr-CA", "de"], "fr"), (["zh-CN"], "zh-Hans"), (["zh"], "zh-Hans"),
        (["zh-Hans-SG"], "zh-Hans"), (["zh-TW", "ja"], "ja"), (["zh-Hant"], None), (["pt-PT"], "pt"),
        (["ar-EG"], "ar"), (["x" * 1000, "*", "", "../de"], None), ([*["nl"] * 10, "de"], None),
    ]  # fmt: skip
    named = {tag: Language(tag, None) for tag in ("en", "de", "fr", "pt", "ja", "zh-Hans", "ar")}
    for wanted, found in cases:
        language = chosen(wanted, named)
        assert (language.tag if language else None) == found, wanted


def test_the_browsers_languages_are_ordered_by_preference():
    assert preferred("de-AT, en;q=0.8 ,fr;q=0.9,*;q=0.5,it;q=0,pl;q=x") == ["de-AT", "fr", "en"]
    assert preferred(",;q=,") == []


def test_a_folder_adds_languages_and_replaces_built_in_ones(tmp_path: Path, polish: Language):
    (tmp_path / "en.po").write_text('msgid "Send"\nmsgstr "Ask away"\n', encoding="utf-8")
    languages = offered(tmp_path)
    assert (next(iter(languages)), languages["en"].said("Send", {})) == ("en", "Ask away")
    assert languages["pl"].translations.messages == polish.translations.messages
    with pytest.raises(ValueError, match="does not exist"):
        offered(tmp_path / "none")
    (tmp_path / "xx_nowhere.po").write_text(POLISH, encoding="utf-8")
    with pytest.raises(ValueError, match=r"xx_nowhere\.po"):
        offered(tmp_path)


@pytest.mark.parametrize(("name", "beginning"), [("pt_BR", "\ufeff"), ("pt-BR", "")])
def test_a_catalogue_is_read_in_the_encodings_of_editors(tmp_path: Path, name: str, beginning: str):
    (tmp_path / f"{name}.po").write_text(f"{beginning}{POLISH}", encoding="utf-8")
    (tmp_path / "._pl.po").write_bytes(b"\0\1")
    (tmp_path / "nested.po").mkdir()
    assert offered(tmp_path)["pt-BR"].said("nowhere", {}) == "nigdzie"


def test_an_unreadable_catalogue_is_named(tmp_path: Path):
    head = b'msgid ""\nmsgstr "%s\\n"\n\n'
    for broken in (
        b'msgid "a"\nmsgstr "\xff"\n',
        head % b"Content-Type: text/plain; charset=none" + b'msgid "a"\nmsgstr "b"\n',
        head % b"Plural-Forms: nplurals=x; plural=y;" + b'msgid "a"\nmsgid_plural "b"\nmsgstr[9] "c"\n',
        head % b"Plural-Forms: nplurals=2; plural=(n != );",
        b"msgid Send",
        b"\0" * 100,
    ):
        (tmp_path / "nl.po").write_bytes(broken)
        with pytest.raises(ValueError, match=r"^nl\.po: "):
            offered(tmp_path)


def test_a_date_of_another_year_has_its_year():
    cases = [
        ("en", "2024-11-20T12:00:00+00:00", "20 November 2024"), ("de", "2024-11-20T12:00:00Z", "20. November 2024"),
        ("ja", "2024-11-20T12:00:00Z", "2024年11月20日"), ("en", "yesterday", ""),
    ]  # fmt: skip
    for tag, moment, said in cases:
        this_year = f"{datetime.now().astimezone().year}-03-09T12:00:00+00:00"
        with speaking(offered(None)[tag]):
            assert in_day(moment) == said, tag
            assert in_day(this_year) in {"9 March", "9. März", "3月9日"}, tag
