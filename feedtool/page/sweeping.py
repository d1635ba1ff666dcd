"""What has been kept long enough is removed: files that were brought, and what was made of runs."""

import shutil
from datetime import datetime, timedelta
from functools import partial

from feedtool.page.jobs import Job
from feedtool.page.session import PageSession
from feedtool.runs.workspace import unfinished

SWEEP = "sweep shelf"
"""The key of the job."""
QUIET = timedelta(days=1)
"""What has changed within this time stays: another page may be at work on it."""


def sweep(session: PageSession, moment: datetime, kept: timedelta, _: Job) -> None:
    """Removes what is older than it is `kept`.

    What a job is at work on stays, and what belongs to a run that is not finished.
    """
    old = list(session.uploads.old_folders(moment - kept, moment - QUIET))
    if not old:
        return
    with session.workspace() as workspace:
        open_runs = set(unfinished(workspace))
    for name, folder, run in old:
        if run not in open_runs:
            session.jobs.unless_at_work(name, partial(shutil.rmtree, folder, ignore_errors=True))
