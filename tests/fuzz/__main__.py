"""Coverage-guided fuzzing of framing, dialects and the fold: `python -m tests.fuzz [--seconds S] [--corpus DIR]`.

Ends with 0 after its time or its number of inputs; with another status at the first input that breaks a rule of
`tests.fuzz.target`, which is then in the corpus folder (`crash-…`).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["chat_ui.protocol"]):
    from tests.fuzz.target import check

from tests.fuzz.seeds import DICTIONARY, SEEDS


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=int, default=3600, help="how long to go on (default: an hour)")
    parser.add_argument("--inputs", type=int, default=-1, help="how many to try at most (default: as time allows)")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers; 0: another one each time")
    parser.add_argument("--corpus", type=Path, help="where inputs are kept from one run to the next")
    options = parser.parse_args()
    folder = options.corpus or Path(tempfile.mkdtemp(prefix="fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS):
        (folder / f"seed-{number:03}").write_bytes(seed)
    words = folder.with_name(folder.name + ".dict")
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in DICTIONARY))
    arguments = [
        sys.argv[0],
        f"-max_total_time={options.seconds}",
        f"-runs={options.inputs}",
        f"-seed={options.seed}",
        f"-dict={words}",
        f"-artifact_prefix={folder}/",
        "-max_len=4096",
        "-timeout=10",
        "-print_final_stats=1",
        str(folder),
    ]
    atheris.Setup(arguments, check)
    atheris.Fuzz()


def _escaped(word: bytes) -> str:
    return "".join(chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\x{byte:02x}" for byte in word)


if __name__ == "__main__":
    main()
