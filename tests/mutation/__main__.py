"""Says how many small faults in a room the tests notice: `python -m tests.mutation ROOM [--sample 100] [--seed 0]`.

ROOM is a folder of chat_ui: protocol, rendering, conversations, routes or state. The mutants of its functions (see
`tests.mutation.mutants`) are sampled, and each is met by those tests of tests/ROOM that reach its statement, the
fastest first, until one fails or they have taken half a minute together. All of it happens in copies of the project,
two mutants at a time.

Tests of cost are left out, because the machine is busy, and so are tests that start the whole app: code that runs in
another process alone is reached by no test here. A mutant that hangs is noticed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Final

import pytest
from coverage import CoverageData

from tests.app import ROOT
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.plugins import Chosen, Reach

ROOMS: Final = ("protocol", "rendering", "conversations", "routes", "state")
AT_ONCE: Final = 2
TESTS_SECONDS: Final = 30.0
"""Seconds of tests that a mutant is met by at most."""
NOTICED, HANGS, SURVIVES, UNREACHED = "noticed", "noticed as it hangs", "not noticed", "reached by no test"


@dataclass
class Run:
    """A mutant under test in one copy of the project."""

    mutant: Mutant
    copy: Path
    original: bytes
    deadline: float


def main() -> None:
    reader = argparse.ArgumentParser(prog="python -m tests.mutation", description="Say which faults tests notice.")
    reader.add_argument("room", choices=ROOMS, metavar="ROOM", help=f"of {', '.join(ROOMS)}")
    reader.add_argument("--sample", type=int, default=100, help="how many mutants (default: 100)")
    reader.add_argument("--seed", type=int, default=0, help="of the sample (default: 0)")
    chosen = reader.parse_args()
    began = time.monotonic()
    os.nice(10)
    os.chdir(ROOT)
    paths = sorted(Path("chat_ui", chosen.room).rglob("*.py"))
    mutants = [mutant for path in paths for mutant in mutants_of(path)]
    sample = random.Random(chosen.seed).sample(mutants, min(chosen.sample, len(mutants)))
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        results = _results(chosen.room, sample, Path(folder))
    for mutant in sample:
        if results[mutant] in (SURVIVES, UNREACHED):
            print(f"{mutant}  ({results[mutant]})")
    counts = Counter(results.values())
    share = (counts[NOTICED] + counts[HANGS]) / max(1, len(sample))
    print(f"{chosen.room}: {len(sample)} of {len(mutants)} mutants, seed {chosen.seed}:", end=" ")
    print(", ".join(f"{counts[kind]} {kind}" for kind in (NOTICED, HANGS, SURVIVES, UNREACHED)), end=": ")
    print(f"{share:.0%} noticed, in {time.monotonic() - began:.0f} s")


def _results(room: str, sample: Sequence[Mutant], folder: Path) -> dict[Mutant, str]:
    copies = [folder / str(number) for number in range(AT_ONCE)]
    _copy_project(copies[0])
    _wait(_fork(copies[0], partial(_reach, room, folder), writes_bytecode=True))
    found = json.loads((folder / "found.json").read_text())
    for copy in copies[1:]:
        shutil.copytree(copies[0], copy)
    os.chdir(copies[0])
    for name in found["modules"]:
        with suppress(Exception):
            importlib.import_module(name)
    lines = CoverageData(str(folder / "lines"))
    lines.read()
    chosen = {mutant: _reaching(mutant, lines, found["seconds"], copies[0]) for mutant in sample}
    failed = folder / "failed.json"
    _wait(_fork(copies[0], partial(_control, {name: one[name] for one in chosen.values() for name in one}, failed)))
    for name in json.loads(failed.read_text()):
        print(f"{name} fails without a mutant, and is left out", file=sys.stderr)
        for tests in chosen.values():
            tests.pop(name, None)
    return _met(chosen, copies)


def _met(chosen: Mapping[Mutant, Mapping[str, float]], copies: Sequence[Path]) -> dict[Mutant, str]:
    results: dict[Mutant, str] = {}
    waiting, free, running = list(chosen.items()), list(copies), dict[int, Run]()
    while waiting or running:
        if waiting and free:
            mutant, tests = waiting.pop(0)
            if not tests:
                results[mutant] = UNREACHED
                continue
            copy = free.pop()
            changed = copy / mutant.path
            run = Run(mutant, copy, changed.read_bytes(), time.monotonic() + 60 + 3 * sum(tests.values()))
            changed.write_text(mutant.source)
            running[_fork(copy, partial(_meet, tests))] = run
            continue
        child, status = os.waitpid(-1, os.WNOHANG)
        late = next((pid for pid, run in running.items() if time.monotonic() > run.deadline), 0)
        if not child and not late:
            time.sleep(0.02)
            continue
        if not child:
            os.killpg(late, signal.SIGKILL)
            child, status = os.waitpid(late, 0)
        with suppress(ProcessLookupError):
            # What its tests started and did not come to end.
            os.killpg(child, signal.SIGKILL)
        run = running.pop(child)
        (run.copy / run.mutant.path).write_bytes(run.original)
        free.append(run.copy)
        code = os.waitstatus_to_exitcode(status)
        results[run.mutant] = HANGS if child == late else SURVIVES if code == pytest.ExitCode.OK else NOTICED
        print(f"{len(results)} of {len(chosen)}: {run.mutant}: {results[run.mutant]}", file=sys.stderr, flush=True)
    return results


def _reaching(mutant: Mutant, lines: CoverageData, seconds: Mapping[str, float], copy: Path) -> dict[str, float]:
    """The fastest tests that reach a mutant, and then those that reach the coroutine it is in, with their seconds."""
    reached = lines.contexts_by_lineno(str(copy / mutant.path))
    tests = dict[str, float]()
    for part in (mutant.lines, mutant.coroutine):
        found = {test for line in part for test in reached.get(line, ()) if test in seconds}
        tests |= {test: seconds[test] for test in sorted(found - tests.keys(), key=seconds.__getitem__)}
    together = accumulate(tests.values())
    return {test: tests[test] for test, taken in zip(tests, together, strict=True) if taken <= TESTS_SECONDS}


def _reach(room: str, folder: Path) -> int:
    return _pytest([f"tests/{room}"], Reach(folder, f"chat_ui/{room}"))


def _control(seconds: Mapping[str, float], failed: Path) -> int:
    """Run all tests without a mutant, and write the names of those that fail."""
    chosen = Chosen(seconds)
    code = _pytest(_files(seconds), chosen)
    failed.write_text(json.dumps(chosen.failed))
    return code


def _meet(seconds: Mapping[str, float]) -> int:
    return _pytest(["-x", *_files(seconds)], Chosen(seconds))


def _pytest(arguments: Sequence[str], plugin: object) -> int:
    always = ["-q", "-p", "no:cacheprovider", "--basetemp=.temporary", "--ignore-glob=*/test_cost*.py"]
    return pytest.main([*always, *arguments], plugins=[plugin])


def _files(tests: Mapping[str, float]) -> list[str]:
    return sorted({name.partition("::")[0] for name in tests})


def _fork(copy: Path, work: Callable[[], int], *, writes_bytecode: bool = False) -> int:
    """Do `work` in a new process that has the project from `copy`, and a group of its own; the process's id."""
    if child := os.fork():
        return child
    code = int(pytest.ExitCode.INTERNAL_ERROR)
    try:
        os.setsid()
        os.chdir(copy)
        output = os.open("output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(output, stream)
        for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "chat_ui")]:
            del sys.modules[name]
        sys.path[:] = [str(copy), *(path for path in sys.path if Path(path).absolute() not in (ROOT, Path(copy)))]
        if not writes_bytecode:
            # Of a mutant it would be taken for that of the original, which may be as long and as old.
            sys.dont_write_bytecode = True
            os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        code = work()
    finally:
        os._exit(code)


def _wait(child: int) -> None:
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError("The tests do not run without a mutant.")


def _copy_project(folder: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


if __name__ == "__main__":
    main()
