"""Certificates for servers of tests."""

import subprocess
from pathlib import Path


def self_signed(folder: Path, *names: str) -> tuple[Path, Path]:
    """A certificate for these names, such as `DNS:localhost`, which is its own authority, and its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
         "-subj", "/CN=test", "-addext", f"subjectAltName={','.join(names)}"],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return certificate, key
