"""A PgBouncer of the tests' own, whose clients share one connection of the server."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest
from sqlalchemy.engine import make_url

from tests.ledger.cluster import ways
from tests.programs import missing, program

SETTINGS = """\
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
auth_type = any
default_pool_size = 1
ignore_startup_parameters = extra_float_digits
listen_addr =
listen_port = 6432
pool_mode = transaction
unix_socket_dir = {folder}
"""


@contextmanager
def pooling(url: str) -> Iterator[str]:
    """The URL of a pooler before a server on a socket of this machine."""
    path = program("pgbouncer")
    if path is None:
        pytest.fail(missing("pgbouncer"), pytrace=False)
    server, folder = make_url(url), Path(mkdtemp(prefix="feedtool-pgbouncer-"))
    place = {"host": str(folder), "port": "6432"}
    settings = folder / "settings.ini"
    settings.write_text(SETTINGS.format(folder=folder, user=server.username, **server.query))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder)
        for way in ways():  # it refuses to run as root, too
            os.chown(folder, way.owner, -1)
            running = subprocess.Popen(  # noqa: S603  # found above
                [*way.prefix, path, str(settings)], stderr=subprocess.PIPE, text=True
            )
            stack.enter_context(running)
            stack.callback(running.terminate)
            if any("process up" in line for line in running.stderr or ()):
                break
        yield server.set(query=place).render_as_string(hide_password=False)
