"""Figures and their goals, and their table and file."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import psutil
import reflex

from tests.chromium import chromium


@dataclass(frozen=True)
class Figure:
    """A figure of a part; `goal` is its maximum, or with `at_least` its minimum."""

    part: str
    what: str
    value: float
    unit: str
    goal: float | None = None
    at_least: bool = False

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached, or None without a goal."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


@dataclass(frozen=True)
class Machine:
    """The machine and the time; `load` is the load average of the last minute before the first part."""

    date: str
    processor: str
    cores: int
    memory_gb: float
    system: str
    python: str
    reflex: str
    browser: str
    load: float


def this_machine() -> Machine:
    processors = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    browser = subprocess.run([chromium(), "--version"], capture_output=True, text=True, check=True).stdout
    return Machine(
        date=datetime.now().astimezone().isoformat(timespec="minutes"),
        processor=processors[0] if processors else platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        memory_gb=round(psutil.virtual_memory().total / 2**30, 1),
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        reflex=reflex.constants.Reflex.VERSION,
        browser=browser.strip(),
        load=round(os.getloadavg()[0], 2),
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that `share` (0 to 1) of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def table(figures: Sequence[Figure], machine: Machine) -> str:
    """The figures as a Markdown table, below a line on the machine."""
    rows = [
        f"{machine.date}, {machine.cores} cores of {machine.processor}, {machine.memory_gb} GB, {machine.system}, "
        f"Python {machine.python}, Reflex {machine.reflex}, {machine.browser}, load average {machine.load} before.",
        "",
        "| part | what | measured | to reach | |",
        "|---|---|---:|---:|---|",
    ]
    for figure in figures:
        goal = "" if figure.goal is None else f"{'≥' if figure.at_least else '≤'} {_number(figure.goal)} {figure.unit}"
        verdict = {True: "yes", False: "**no**", None: ""}[figure.reached]
        measured = f"{_number(figure.value)} {figure.unit}"
        rows.append(f"| {figure.part} | {figure.what} | {measured} | {goal} | {verdict} |")
    return "\n".join(rows)


def write_json(path: Path, figures: Sequence[Figure], machine: Machine) -> None:
    measured = [{**asdict(figure), "reached": figure.reached} for figure in figures]
    path.write_text(json.dumps({"machine": asdict(machine), "figures": measured}, indent=1) + "\n")


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
