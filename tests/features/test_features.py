"""The features of the app: each can be left out."""

from pathlib import Path

import pytest

from chat_ui import features
from chat_ui.feature import Feature
from chat_ui.installed import FEATURES
from tests.page.routes.whole import person, whole
from tests.stand_ins.stand_in import Reply, StandIn, in_thread, lines

POINTS = {
    "data_points": {"text": ["Buoys.pdf: Buoys are red."]},
    "thoughts": [{"title": "Search", "description": "buoys"}],
}
ANSWER = lines(
    {"delta": {"role": "assistant"}, "context": POINTS}, {"delta": {"content": "Buoys are red [Buoys.pdf]."}}
)


def test_each_feature_has_a_name_of_its_own():
    names = [feature.name for feature in FEATURES]
    commands = [command.name for feature in FEATURES for command in feature.commands]
    assert len({*names}) == len(names)
    assert len({*commands}) == len(commands)
    folders = {path.parent.name for path in Path(features.__path__[0]).glob("*/feature.py")}
    assert {*names} == folders


@pytest.mark.parametrize("left_out", FEATURES, ids=lambda feature: feature.name)
def test_a_question_is_answered_without_any_one_feature(tmp_path: Path, left_out: Feature):
    others = [feature for feature in FEATURES if feature is not left_out]
    with in_thread(StandIn(lambda _: Reply([ANSWER]))) as backend:
        ours = f"{backend.url}/chat"
        with whole(tmp_path, others, backend_url=ours) as url, person(url) as me:
            answer = me.post("/ask", params={"backend": ours}, content="What colour?").text
            assert "Buoys.pdf" in me.get(f"/api/answers/{answer}").text
            assert "Buoys are red." in me.get(f"/api/answers/{answer}/sources").text
            assert "Search" in me.get(f"/api/answers/{answer}/thoughts").text
