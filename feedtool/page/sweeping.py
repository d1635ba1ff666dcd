"""Remove old folders: those of uploads, and those made for runs."""

import shutil
from datetime import datetime, timedelta
from functools import partial

from feedtool.page.jobs import Job
from feedtool.page.session import PageSession
from feedtool.runs.workspace import unfinished

RETENTION = "retention"
"""The key of the job."""
QUIET = timedelta(days=1)
"""Folders that changed within this time stay: another page may work on them."""


def remove_old(session: PageSession, moment: datetime, kept: timedelta, _: Job) -> None:
    """Remove folders that are older than `kept`.

    Folders of running jobs, and of runs that are not finished, stay.
    """
    old = list(session.uploads.old_folders(moment - kept, moment - QUIET))
    if not old:
        return
    with session.workspace() as workspace:
        open_runs = set(unfinished(workspace))
    for name, folder, run in old:
        if run not in open_runs:
            session.jobs.call_unless_running(
                name, partial(shutil.rmtree, folder, ignore_errors=True)
            )
