from pathlib import Path

import pytest

from chat_ui import features
from chat_ui.command_line.arguments import parser
from chat_ui.errors import UnusableSettingsError
from chat_ui.feature import Feature, settings_of
from chat_ui.installed import FEATURES
from chat_ui.settings import read_settings
from tests.page.routes.running_app import person, running_app
from tests.stand_ins.stand_in import Reply, StandIn, in_thread, lines

POINTS = {
    "data_points": {"text": ["Buoys.pdf: Buoys are red."]},
    "thoughts": [{"title": "Search", "description": "buoys"}],
}
ANSWER = lines(
    {"delta": {"role": "assistant"}, "context": POINTS}, {"delta": {"content": "Buoys are red [Buoys.pdf]."}}
)


def test_each_feature_has_a_unique_name():
    names = [feature.name for feature in FEATURES]
    commands = [command.name for feature in FEATURES for command in feature.commands]
    assert len({*names}) == len(names)
    assert len({*commands}) == len(commands)
    folders = {path.parent.name for path in Path(features.__path__[0]).glob("*/feature.py")}
    assert {*names} == folders


@pytest.mark.parametrize("left_out", FEATURES, ids=lambda feature: feature.name)
def test_a_question_is_answered_without_each_feature(tmp_path: Path, left_out: Feature):
    others = [feature for feature in FEATURES if feature is not left_out]
    with in_thread(StandIn(lambda _: Reply([ANSWER]))) as backend:
        ours = f"{backend.url}/chat"
        with running_app(tmp_path, others, backend_url=ours) as url, person(url) as me:
            answer = me.post("/ask", params={"backend": ours}, content="What colour?").text
            assert "Buoys.pdf" in me.get(f"/api/answers/{answer}").text
            assert "Buoys are red." in me.get(f"/api/answers/{answer}/sources").text
            assert "Search" in me.get(f"/api/answers/{answer}/thoughts").text


@pytest.mark.parametrize(("name", "setting"), [("recordings", "record"), ("presenting", "script")])
def test_options_and_settings_are_removed_with_their_feature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, setting: str
):
    others = [feature for feature in FEATURES if feature.name != name]
    (file := tmp_path / "chat.toml").write_text(f'{setting} = "there"\n')
    monkeypatch.setenv("CHAT_UI_CONFIG", str(file))
    assert getattr(read_settings(settings_of(FEATURES)), setting) == tmp_path / "there"
    with pytest.raises(UnusableSettingsError, match=f"sets {setting}, which is not a setting"):
        read_settings(settings_of(others))
    assert getattr(parser(FEATURES).parse_args(["serve", f"--{setting}", "there"]), setting) == Path("there")
    with pytest.raises(SystemExit):
        parser(others).parse_args(["serve", f"--{setting}", "there"])
    assert f"unrecognized arguments: --{setting}" in capsys.readouterr().err
