"""A PostgreSQL server of the distribution for tests."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import pytest

from tests.app import free_port


def programs() -> Path | None:
    """The folder of `initdb` and `pg_ctl`, or None if PostgreSQL is not installed."""
    if found := max(Path("/usr/lib/postgresql").glob("*/bin/initdb"), default=None):
        return found.parent
    elsewhere = shutil.which("initdb")
    return Path(elsewhere).resolve().parent if elsewhere else None


@dataclass
class PostgreSQL:
    """A server on loopback, which can be stopped and restarted."""

    folder: Path
    port: int
    programs: Path

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        self._run("pg_ctl", "-D", str(self.folder), "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self.folder), "-w", "-m", "immediate", "stop")

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Accept connections without answering within the context."""
        server = psutil.Process(int((self.folder / "postmaster.pid").read_text().split()[0]))
        processes = [server, *server.children(recursive=True)]
        for one in processes:
            one.suspend()
        try:
            yield
        finally:
            for one in processes:
                one.resume()

    def make(self) -> None:
        self._run("initdb", "-D", str(self.folder), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")

    def want_passwords(self) -> None:
        """Require passwords. The user lacks one, so each password is wrong."""
        (self.folder / "pg_hba.conf").write_text("host all all 127.0.0.1/32 scram-sha-256\n")
        self.stop()
        self.start()

    def want_tls(self, certificate: Path, key: Path) -> None:
        """Require TLS."""
        for file in (certificate, key):
            own = self.folder / file.name
            shutil.copyfile(file, own)
            own.chmod(0o600)
            shutil.chown(own, self.folder.owner())
        (self.folder / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 trust\n")
        with (self.folder / "postgresql.conf").open("a") as configuration:
            configuration.write(f"\nssl = on\nssl_cert_file = '{certificate.name}'\nssl_key_file = '{key.name}'\n")
        self.stop()
        self.start()

    def create_database(self, name: str) -> str:
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", name)
        return self.url(name)

    def copy_of(self, template: str, name: str = "copied") -> str:
        """The URL of a copy of an unused database, which replaces a former one of that name."""
        drop, make = f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", f"CREATE DATABASE {name} TEMPLATE {template}"
        self._run("psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", self.url(), "-c", drop, "-c", make)
        return self.url(name)

    def restore(self, name: str, dump: bytes) -> str:
        """The URL of a new database from SQL."""
        url = self.create_database(name)
        self._run("psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", url, given=dump)
        return url

    def _run(self, program: str, *arguments: str, given: bytes = b"") -> None:
        # The server refuses to run as root; the distribution made a user for it.
        user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        done = subprocess.run(
            [str(self.programs / program), *arguments],
            check=False,
            cwd="/",
            input=given,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            **user,
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode(errors="replace"))


@contextmanager
def postgresql_for_tests() -> Iterator[PostgreSQL]:
    """A new server with a new data folder. The test is skipped if tests/run could not install PostgreSQL.

    Raises:
        RuntimeError: PostgreSQL is not installed, or does not start.
    """
    if os.environ.get("TESTS_WITHOUT_POSTGRESQL"):
        pytest.skip("tests/run could not install PostgreSQL")
    found = programs()
    if found is None:
        raise RuntimeError("PostgreSQL is not installed; tests/run installs it.")
    with TemporaryDirectory(prefix="chat-ui-postgresql-") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        server = PostgreSQL(folder, free_port(), found)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()
