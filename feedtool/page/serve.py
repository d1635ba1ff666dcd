"""The page from its start to its end."""

import socket
from collections.abc import Callable

from feedtool.model.errors import FeedtoolError
from feedtool.page.app import application
from feedtool.page.desk import Desk
from feedtool.page.guards import Access, SharedAccess
from feedtool.page.middleware import guarded
from feedtool.serving import WebServer

PAUSE = 1.0
"""Seconds at most from the wish to stop to the stop, where no signal wakes us."""


def serve(
    desk: Desk,
    listening: socket.socket,
    access: Access,
    *,
    stopping: Callable[[], FeedtoolError | None],
    sleep: Callable[[float], None],
) -> None:
    """Answers until it is to stop, and then waits until what is being sent is parked."""
    app = guarded(application(desk), access)
    proxy = access.proxy if isinstance(access, SharedAccess) else None
    try:
        with WebServer(listening, app, largest_body=desk.body_limit, trusted_proxy=proxy):
            while stopping() is None:
                sleep(PAUSE)
    finally:
        desk.jobs.close()
