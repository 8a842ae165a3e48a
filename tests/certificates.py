import hashlib
import ssl
import subprocess
from pathlib import Path


def self_signed(folder: Path, *names: str) -> tuple[Path, Path]:
    """A self-signed certificate for these names, such as `DNS:localhost`, and its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
         "-subj", "/CN=test", "-addext", f"subjectAltName={','.join(names)}"],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return certificate, key


class Server:
    """A certificate for 127.0.0.1 or the host of this name."""

    def __init__(self, folder: Path, name: str = "IP:127.0.0.1") -> None:
        self.certificate, key = self_signed(folder, name)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)
        self.fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(self.certificate.read_text())).hexdigest()

    @property
    def trusting(self) -> ssl.SSLContext:
        """The TLS context of a client that trusts this certificate."""
        return ssl.create_default_context(cafile=str(self.certificate))
