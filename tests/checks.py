"""All checks of the project in parallel: `tests/run` prepares them and starts them here."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from tests import durations
from tests.touched import changed_files, of_files

_BIN = Path(sys.executable).parent
_FIRST = ("-m", "not thorough")
_SECOND = ("-m", "thorough", "--hypothesis-profile", "search")
_ALL = ("--hypothesis-profile", "search")
_NO_TEST_IS_CHOSEN = 5
"""The exit status of pytest for a folder without a test of the tier."""
_SUMMARY = re.compile(
    r"^=+ short test summary info.*\n(?P<listed>(?:.*\n)*?)(?=.*\d+ (?:passed|skipped))", re.MULTILINE
)


@dataclass(frozen=True)
class Check:
    """A command that begins once the checks in `after` have ended with any status."""

    name: str
    command: tuple[str, ...]
    after: tuple[str, ...] = ()
    fine: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Ended:
    """A check with its exit status, its output, and its seconds."""

    check: Check
    status: int
    output: str
    seconds: float


def still(files: Sequence[Path] | None = None) -> list[Check]:
    """Static checks."""
    checks = [
        Check("lint", (str(_BIN / "ruff"), "check", "--quiet", ".")),
        Check("format", (str(_BIN / "ruff"), "format", "--check", "--quiet", "."), ("lint",)),
        Check("contracts", (str(_BIN / "lint-imports"), "--no-logo", "--no-cache"), ("format",)),
    ]
    if files is None or any(file.suffix in (".js", ".jsx", ".ts", ".css") for file in files):
        checks.append(Check("scripts", ("tests/scripts/check",), ("contracts",)))
    return [*checks, Check("types", (str(_BIN / "mypy"),), (checks[-1].name,))]


_PAGE = Check("page", (sys.executable, "-m", "tests.app"))


def pytest_run(name: str, *options: str, workers: int, after: Sequence[str], paths: Sequence[str] = ()) -> Check:
    spread = ("--numprocesses", str(workers), "--dist", "loadfile" if "tests/browser" in str(paths) else "worksteal")
    command = (sys.executable, "-m", "pytest", "-q", "--no-header", *options, *spread, *paths)
    return Check(name, command, tuple(after))


def _some(check: Check) -> Check:
    """The same for folders or files without a test of the tier."""
    return replace(check, fine=(0, _NO_TEST_IS_CHOSEN))


# Playwright's loop cannot share a process with tests that have a loop, and waits for Chromium while others compute. So
# these are separate runs in parallel.
_APART = ("--ignore=tests/browser", "--ignore=tests/engines")
_BROWSER = ("tests/browser",)


def chosen(asked: argparse.Namespace, cores: int) -> list[Check]:
    """The checks that the options ask for."""
    if asked.changed:
        return _of_changed(changed_files(), cores)
    print("Each check has a line once it has ended. All take some seven minutes on two cores.", flush=True)
    tier = _ALL if asked.thorough else _FIRST
    checks = [
        *still(),
        _PAGE,
        pytest_run("unit tests", *tier, *_APART, workers=cores, after=("types", "page")),
        pytest_run("browser tests", *tier, workers=cores, after=("types", "page"), paths=_BROWSER),
    ]
    rooms = asked.thorough_in
    of_unit = [str(room) for room in rooms if room.name not in ("browser", "engines")]
    first = ("unit tests", "browser tests")
    if of_unit:
        checks.append(_some(pytest_run("thorough unit tests", *_SECOND, workers=cores, after=first, paths=of_unit)))
    if Path("tests/browser") in rooms:
        checks.append(_some(pytest_run("thorough browser tests", *_SECOND, workers=cores, after=first, paths=_BROWSER)))
    if asked.thorough or Path("tests/engines") in rooms:
        checks.append(
            pytest_run("engines", workers=cores, after=[one.name for one in checks], paths=("tests/engines",))
        )
    return checks


def _of_changed(files: Sequence[Path], cores: int) -> list[Check]:
    touched = of_files(files)
    checks = still(files)
    print(f"Tests of {len(files)} changed files: {' '.join(map(str, touched)) or 'none'}", flush=True)
    in_browser = [str(path) for path in touched if path.parts[:2] == ("tests", "browser")]
    of_unit = [str(path) for path in touched if str(path) not in in_browser and "engines" not in path.parts]
    if of_unit:
        checks.append(_some(pytest_run("unit tests", *_FIRST, workers=cores, after=("contracts",), paths=of_unit)))
    if in_browser:
        checks += [_PAGE, _some(pytest_run("browser tests", *_FIRST, workers=cores, after=("page",), paths=in_browser))]
    return checks


def run(check: Check, before: Sequence[Future[Ended]]) -> Ended:
    """Run a command once the checks before it have ended."""
    for one in before:
        one.result()
    began = time.monotonic()
    # A pipe would wait for leftover processes of a check.
    with tempfile.TemporaryFile() as output:
        status = subprocess.run(check.command, check=False, stdout=output, stderr=subprocess.STDOUT).returncode
        output.seek(0)
        return Ended(check, status, output.read().decode(errors="replace"), time.monotonic() - began)


def results(checks: Sequence[Check]) -> Iterator[Ended]:
    """Each result in the order of the ends."""
    with ThreadPoolExecutor(len(checks)) as pool:
        begun: dict[str, Future[Ended]] = {}
        for check in checks:
            begun[check.name] = pool.submit(run, check, [begun[name] for name in check.after])
        for ended in as_completed(begun.values()):
            yield ended.result()


def main() -> int:
    """Run the chosen checks, and report each at its end, with its output on a failure."""
    parser = argparse.ArgumentParser(prog="tests/run", description="Run the checks: lint, types, contracts, tests.")
    parser.add_argument("--thorough", action="store_true", help="also what takes long, in every engine")
    parser.add_argument(
        "--thorough-in", nargs="*", type=Path, default=[], metavar="ROOM", help="the same of these folders"
    )
    parser.add_argument("--changed", action="store_true", help="only what the changes since the last commit touch")
    parser.add_argument("--durations", action="store_true", help="as well a profile of where the time went")
    asked = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["TESTS_BUILT_IN"] = scratch
        if asked.durations:
            profile = Path(scratch, "profile")
            profile.mkdir()
            os.environ["TESTS_PROFILE"] = str(profile)
            os.environ["PYTEST_ADDOPTS"] = f"-p tests.durations {os.environ.get('PYTEST_ADDOPTS', '')}"
        for ended in results(chosen(asked, max(2, os.cpu_count() or 0))):
            is_fine = ended.status in ended.check.fine
            counted = ended.output.rstrip().rpartition("\n")[2] if "pytest" in ended.check.command else ""
            print(f"{ended.check.name:24}{ended.seconds:7.1f} s   {counted}", flush=True)
            if not is_fine:
                failed.append(ended.check.name)
                print(ended.output, flush=True)
            elif listed := _SUMMARY.search(ended.output):
                print(listed["listed"], flush=True)
        if asked.durations:
            print("\n".join(durations.table(durations.records(profile))))
    print(f"Failed: {', '.join(failed)}." if failed else "All checks are green.")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
