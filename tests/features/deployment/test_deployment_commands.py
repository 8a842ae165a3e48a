"""The options of a deployment in `ask` and `evaluate`."""

import json
from pathlib import Path

from tests.commands import run
from tests.features.demo.serving import serving
from tests.features.deployment.test_first_question import expected
from tests.features.evaluation.made import evaluating, numbered, question_set
from tests.stand_ins.deployment import Deployment


async def test_ask_sends_and_names_the_options_of_a_deployment_unless_plain(tmp_path: Path):
    deployment, given = Deployment(), ("--overrides", '{"top": 2}')
    with serving(deployment.app) as url:
        recorded = tmp_path / "asked.jsonl"
        told = await run("ask", url, "Does my plan cover glasses?", *given, "--record", str(recorded))
        plain = await run("ask", f"{url}/chat", "And teeth?", *given, "--plain")
        deployment.config["streamingEnabled"] = False
        await run("ask", f"{url}/chat", "And eyes?")
        deployment.raw_config = b"{"
        damaged = await run("ask", f"{url}/chat", "And ears?")
    names = ", ".join(key for key in expected(deployment.config) if key != "top")
    assert (told.status, plain.status, plain.err, damaged.status) == (0, 0, "", 0)
    assert f"Options from the deployment: {names}.\n" in told.err
    assert "left out" in damaged.err
    asked = [one for one in deployment.requests if one.method == "POST" and "messages" in one.json]
    sent = [one.json.get("context", {}).get("overrides") for one in asked]
    assert sent == [expected(deployment.config) | {"top": 2}, {"top": 2}, expected(deployment.config), None]
    assert [one.path for one in asked][1:] == ["/chat/stream", "/chat", "/chat/stream"]
    assert "/config" not in recorded.read_text()


async def test_a_run_keeps_the_options_that_were_told_at_its_beginning(tmp_path: Path):
    deployment, out = Deployment(), tmp_path / "out"
    questions = question_set(tmp_path / "set.jsonl", *numbered(2))
    with serving(deployment.app) as url:
        report = tmp_path / "report.html"
        told = await evaluating(f"{url}/chat", questions, out, "--html", str(report), "--limit", "1")
        assert told.status == 0
        other = await evaluating(f"{url}/chat", questions, out, "--plain")
        assert (other.status, "(options, options from the deployment)" in other.err) == (2, True)
        options = expected(deployment.config)
        deployment.config = {}
        assert (await evaluating(f"{url}/chat", questions, out)).status == 0
        plain = await evaluating(f"{url}/chat", questions, tmp_path / "plain", "--plain")
        assert (plain.status, _conditions(tmp_path / "plain")["told"]) == (0, [])
    assert (await evaluating(f"{url}/chat", questions, out)).status == 0, "no question is left"
    conditions = _conditions(out)
    assert (conditions["told"], conditions["shown_options"]) == ([*options], options)
    assert "Options from the deployment</th><td><bdi>top, temperature" in report.read_text()
    sent = [one.json.get("context", {}).get("overrides") for one in deployment.requests if one.method == "POST"]
    assert sent == [options] * 2 + [None] * 2


def _conditions(out: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads((out / "run.json").read_bytes())
    return found
