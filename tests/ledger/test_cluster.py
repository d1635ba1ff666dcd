"""The PostgreSQL that the tests start, on machines that make it hard."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ledger.conftest import ROOT

HIDDEN = 'mount --bind "$0" /etc/passwd && exec "$@"'
"""A shell's line for a command that sees another list of users."""
TWO = ("tests/ledger/test_lock.py", "-k", "once_the_server or a_server")
"""Tests that need it."""


def tried(tmp_path: Path, *before: str | Path, **environment: str) -> str:
    """What pytest says of two tests."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(  # noqa: S603  # our own tests
        [*before, sys.executable, "-m", "pytest", "-q", *TWO],
        cwd=ROOT,
        env={**kept, "PYTEST_DEBUG_TEMPROOT": str(tmp_path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only for root it runs as somebody else")
def test_it_starts_where_only_root_may_read_the_list_of_users(tmp_path: Path) -> None:
    apart = ("unshare", "--mount", "sh", "-c", HIDDEN, shutil.copy("/etc/passwd", tmp_path))
    (tmp_path / "passwd").chmod(0o600)
    if subprocess.run([*apart, "true"], check=False).returncode:  # noqa: S603  # our own command
        pytest.skip("no folder can be seen otherwise here")
    assert re.search(r"^2 passed", tried(tmp_path, *apart), re.MULTILINE)


def test_where_it_cannot_start_one_test_says_why(tmp_path: Path) -> None:
    folder = tmp_path / ("too-long" * 12)
    folder.mkdir()
    said = tried(tmp_path, TMPDIR=str(folder))
    assert re.search(r"^no PostgreSQL starts on this machine.*is too long", said, re.MULTILINE)
    assert re.search(r"^1 skipped, .* 1 error in", said, re.MULTILINE)
