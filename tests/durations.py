"""A profile of each test and fixture in a run, shown by `tests/run --durations`.

Each pytest process writes a file of JSON Lines in the folder `TESTS_PROFILE`. The processor time includes child
processes, such as Chromium and the app.
"""

import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Record: TypeAlias = dict[str, Any]
"""`of` (a phase or a fixture), `name`, `file`, and the seconds `wall` and `processor`."""

_LONGEST = 25


def _of_phase(phase: str) -> Callable[[pytest.Item], Generator[None]]:
    @pytest.hookimpl(wrapper=True)
    def hook(item: pytest.Item) -> Generator[None]:
        yield from _recorded(phase, item.nodeid, item.nodeid)

    return hook


pytest_runtest_setup, pytest_runtest_call, pytest_runtest_teardown = map(_of_phase, ("setup", "call", "teardown"))


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    if request.fixturename in getattr(getattr(request.node, "callspec", None), "params", ()):
        return (yield)
    return (yield from _recorded("fixture", fixturedef.argname, request.node.nodeid))


def _recorded(of: str, name: str, node: str) -> Generator[None, Any, Any]:
    began, processor = time.perf_counter(), _processor()
    try:
        return (yield)
    finally:
        took = {"wall": time.perf_counter() - began, "processor": max(0, _processor() - processor)}
        record: Record = {"of": of, "name": name, "file": node.partition("::")[0], **took}
        with (Path(os.environ["TESTS_PROFILE"]) / f"{os.getpid()}.jsonl").open("a") as profile:
            profile.write(json.dumps(record) + "\n")


def _processor() -> float:
    """Processor time from /proc. `psutil` looks at all processes of the machine, which takes longer than most tests."""
    ticks, processes = 0, [os.getpid()]
    for process in processes:
        processes += map(int, " ".join(_read(f"/proc/{process}/task", "*/children")).split())
        for said in _read(f"/proc/{process}", "stat"):
            # After the name in brackets, which may have spaces: user and system time, then that of ended children.
            ticks += sum(map(int, said.rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _read(folder: str, pattern: str) -> Iterator[str]:
    """The files that still exist. Processes and threads may end meanwhile."""
    with suppress(OSError):
        for file in Path(folder).glob(pattern):
            with suppress(OSError):
                yield file.read_text()


def records(folder: Path) -> Iterator[Record]:
    """The records of all processes of a run."""
    for profile in folder.glob("*.jsonl"):
        with profile.open() as lines:
            yield from map(json.loads, lines)


def table(written: Iterable[Record]) -> list[str]:
    """The longest phases, files, fixtures and tests, each with its count, wall and processor seconds."""
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
    for record in written:
        named = [("fixture", record["name"])]
        if record["of"] != "fixture":
            named = [("phase", record["of"]), ("file", record["file"]), ("test", record["name"])]
            named.append(("room", record["file"].rpartition("/")[0]))
        for key in named:
            one = sums[key]
            one[0] += record["of"] in ("call", "fixture") or key[0] == "phase"
            one[1] += record["wall"]
            one[2] += record["processor"]
    lines = []
    for kind in ("phase", "room", "fixture", "file", "test"):
        lines += ["", f"{kind:64} number    wall  processor"]
        of_kind = sorted((-one[1], name, one) for (its, name), one in sums.items() if its == kind)[:_LONGEST]
        lines += [f"{name[-64:]:64} {one[0]:6.0f} {one[1]:7.1f} {one[2]:10.1f}" for _, name, one in of_kind]
    return lines


if __name__ == "__main__":
    print("\n".join(table(records(Path(os.environ["TESTS_PROFILE"])))))
