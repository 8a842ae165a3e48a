"""A certified OpenID Connect provider, `tests/stand_ins/provider.mjs`."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.app import ROOT, free_port

CLIENT: Final = "public"
_BUN: Final = str(Path(sys.executable).with_name("bun"))
_PACKAGES: Final = ROOT / "tests" / "scripts"


@contextmanager
def identity_provider(*pages: str) -> Iterator[str]:
    """Run the provider for the apps at the addresses `pages`; yields its issuer."""
    subprocess.run([_BUN, "install", "--frozen-lockfile", "--silent"], cwd=_PACKAGES, check=True)
    port = free_port()
    running = subprocess.Popen(
        [_BUN, ROOT / "tests" / "stand_ins" / "provider.mjs", str(port), *pages],
        env={**os.environ, "NODE_PATH": str(_PACKAGES / "node_modules")},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert running.stdout is not None
    try:
        while line := running.stdout.readline():
            if line == b"ready\n":
                break
        else:
            raise RuntimeError("The provider did not start.")
        yield f"http://127.0.0.1:{port}"
    finally:
        running.kill()
        running.wait()
