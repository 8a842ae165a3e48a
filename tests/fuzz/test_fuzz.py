"""The fuzz target for a minute, from the same seed each time; `python -m tests.fuzz` goes on for an hour."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.seeds import SEEDS
from tests.fuzz.target import check


@pytest.mark.parametrize("seed", SEEDS)
def test_every_seed_keeps_the_rules(seed: bytes) -> None:
    check(seed)


def test_a_minute_of_inputs_keeps_the_rules(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    ran = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--seconds", "60", "--seed", "1", "--corpus", str(corpus)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    broken = [path.read_bytes() for path in corpus.iterdir() if path.name.startswith(("crash-", "timeout-", "oom-"))]
    assert broken == []
    assert ran.returncode == 0, ran.stderr[-2000:]
    tried = re.search(r"number_of_executed_units: (\d+)", ran.stderr)
    assert tried is not None
    assert int(tried.group(1)) > len(SEEDS)
