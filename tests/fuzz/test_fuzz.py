"""The fuzz target for its seeds; `python -m tests.fuzz` looks for inputs that break a rule for an hour."""

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


def test_the_command_tries_the_seeds(tmp_path: Path) -> None:
    """No input but the seeds, so that a red run is about the change: where a mutation leads, coverage decides, and that
    is not the same in every run.
    """
    corpus = tmp_path / "corpus"
    ran = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--inputs", str(len(SEEDS)), "--corpus", str(corpus)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert {path.name for path in corpus.iterdir()} == {f"seed-{number:03}" for number in range(len(SEEDS))}
    tried = re.search(r"number_of_executed_units: (\d+)", ran.stderr)
    assert tried is not None
    assert int(tried.group(1)) >= len(SEEDS)
