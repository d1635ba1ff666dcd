"""The page behind its port, from its start to its end."""

import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path

from feedtool.model.errors import FeedtoolError
from feedtool.model.text import LanguageChoice
from feedtool.page.app import application
from feedtool.page.desk import Accounts, Desk, now
from feedtool.page.guards import LocalAccess, local_hosts
from feedtool.page.jobs import Jobs
from feedtool.page.middleware import guarded
from feedtool.page.shelf import Shelf
from feedtool.page.users import Users
from feedtool.runs.history import ClockOf
from feedtool.runs.workspace import Workspace
from feedtool.serving import LOOPBACK, WebServer
from feedtool.serving import listen as listen_on

BODY_LIMIT = 1 << 30
"""Bytes of a file. What is in it is limited when it is read."""
PAUSE = 1.0
"""Seconds at most from the wish to stop to the stop, where no signal wakes us."""


def listen(port: int) -> socket.socket:
    """A socket on this machine alone; OSError where the port is taken."""
    return listen_on(LOOPBACK, port)


def run(
    listening: socket.socket,
    token: str,
    users: Users,
    accounts: Accounts,
    workspace: Callable[[], AbstractContextManager[Workspace]],
    clocks: Callable[[Workspace], ClockOf],
    folder: Path,
    language: LanguageChoice,
    *,
    keep_days: int,
    report_bug: Callable[[Exception], str],
    stopping: Callable[[], FeedtoolError | None],
    sleep: Callable[[float], None],
    announce: Callable[[str], None],
) -> None:
    """Serves until it is to stop; what is under way is parked then."""
    shelf = Shelf(folder)
    shelf.sweep(now() - timedelta(days=keep_days))
    jobs = Jobs(report_bug)
    desk = Desk(accounts, users, shelf, jobs, workspace, clocks, BODY_LIMIT, language)
    port = listening.getsockname()[1]
    access = LocalAccess(local_hosts(port), token)
    server = WebServer(listening, guarded(application(desk), access), largest_body=BODY_LIMIT)
    announce(f"page: http://{LOOPBACK}:{port}/{token}/")
    with server:
        while stopping() is None:
            sleep(PAUSE)
    jobs.close()
