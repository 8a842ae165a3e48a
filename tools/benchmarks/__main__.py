"""Measures the page: `python -m tools.benchmarks [PART …] [--json FILE] [--repeats N]`.

Without a part, all run in sequence. The table goes to standard output.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tools.benchmarks import answering, crowd, loading, opening, poor_network, stopping, waiting
from tools.benchmarks.bench import Bench
from tools.benchmarks.figures import Figure, table, this_machine, write_json

Part = Callable[[Bench], Iterator[Figure]]

PARTS: dict[str, Part] = {
    "answer": answering.answer,
    "react": answering.react,
    "columns": answering.columns,
    "long": answering.long_answer,
    "thread": answering.thread,
    "burst": answering.burst,
    "blocks": answering.blocks,
    "typing": loading.typing,
    "load": loading.first_load,
    "people": crowd.people,
    "workers": crowd.workers,
    "overload": crowd.overload,
    "idle": crowd.idle,
    "stop": stopping.stop,
    "opening": opening.opening,
    "waiting": waiting.waiting,
    "poor-network": poor_network.answers,
}


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m tools.benchmarks", description="Measure the page.")
    reader.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=f"of {', '.join(PARTS)}")
    reader.add_argument("--json", type=Path, default=Path("benchmarks.json"), help="where the figures are written")
    reader.add_argument("--repeats", type=int, default=5, help="how many runs a median is taken of")
    chosen = reader.parse_args()
    machine, figures = this_machine(), list[Figure]()
    with Bench(chosen.repeats) as bench:
        for name in chosen.parts or PARTS:
            for figure in PARTS[name](bench):
                figures.append(figure)
                print(f"{figure.part}: {figure.what}: {figure.value:.4g} {figure.unit}", file=sys.stderr, flush=True)
    print(table(figures, machine))
    write_json(chosen.json, figures, machine)
    return 0


if __name__ == "__main__":
    sys.exit(main())
