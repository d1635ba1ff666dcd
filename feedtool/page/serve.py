"""The page from its start to its end."""

import socket
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from feedtool.model.errors import FeedtoolError
from feedtool.page.app import application
from feedtool.page.desk import PageSession, now
from feedtool.page.guards import Access, SharedAccess
from feedtool.page.middleware import guarded, takes_body
from feedtool.page.sweeping import SWEEP, sweep
from feedtool.serving import WebServer

PAUSE = 1.0
"""Seconds at most from the wish to stop to the stop, where no signal wakes us."""
EVERY = timedelta(days=1)
"""From one sweep to the next."""


def serve(
    session: PageSession,
    listening: socket.socket,
    access: Access,
    kept: timedelta,
    *,
    stopping: Callable[[], FeedtoolError | None],
    sleep: Callable[[float], None],
    clock: Callable[[], datetime] = now,
) -> None:
    """Answers until it is to stop, and then waits until what is being sent is parked.

    What is older than it is `kept` is swept at the beginning, and once a day.
    """
    app = guarded(application(session), access)
    proxy = access.proxy if isinstance(access, SharedAccess) else None
    try:
        with WebServer(
            listening,
            app,
            largest_body=session.body_limit,
            trusted_proxy=proxy,
            takes_body=partial(takes_body, access),
        ):
            due = clock()
            while stopping() is None:
                if (moment := clock()) >= due:
                    session.jobs.start(SWEEP, "check", partial(sweep, session, moment, kept))
                    due = moment + EVERY
                sleep(PAUSE)
    finally:
        session.jobs.close()
