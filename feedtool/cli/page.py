"""`feedtool page`."""

import os
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import click
from msgspec import Struct
from msgspec.structs import replace

from feedtool.cli.accounts import ServedAccounts, Serving, ServingCommand
from feedtool.cli.console import CONSOLE, StopSignal, bug_report, stopping
from feedtool.cli.home import home_folder, open_workspace
from feedtool.cli.next_command import typed
from feedtool.cli.options import chosen, count, language_of, option
from feedtool.cli.page_access import AccessOptions, open_listener
from feedtool.cli.page_browser import has_screen, opened_browser
from feedtool.cli.typed import command_of, read_record
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.cli.notifier import RunNotices
    from feedtool.page.jobs import Job
    from feedtool.page.session import PageSession
    from feedtool.runs.config import PageRights

MOST_BYTES = 1 << 30
"""The largest size of an uploaded file. Its content is limited when it is read."""
HINT = tr("sent requests are recorded; start the page again to go on")


class PageOptions(Struct, frozen=True, kw_only=True):
    access: AccessOptions
    keep: Annotated[
        int, count("--keep", "Time for which uploaded files are kept.", "DAYS", default=30)
    ]
    check_file: Annotated[
        str | None, option("--check-file", hidden=True, help="Check this file of the page for it.")
    ]
    serving: Serving


@command_of(PageOptions, ServingCommand)
def page(ctx: click.Context, options: PageOptions) -> None:
    """Check, send and follow files in the browser, on this machine.

    Prints the address of a page and opens it. It needs no profile: without one, files are checked,
    and sent to the embedded sandbox. Ctrl-C ends it; what is being sent is parked, and goes on at
    the press of a button once the page is started again.
    """
    from feedtool.cli.notifier import run_notices

    access, serving = options.access, options.serving
    profile, notifying = serving.configuration.profile, serving.notifying
    if options.check_file:
        _check_file(ctx, options.check_file)
        return
    with stopping(HINT) as stop, run_notices("page", profile, notifying) as notices:
        folder = home_folder(serving.common.home) / "page"
        listener = open_listener(access, chosen(ctx).config.users_of_page())
        label = CONSOLE.say.label(tr("page"))
        click.echo(f"{label} {listener.address}")
        # The import is slow; the socket listens already, and requests wait until it is done.
        from feedtool.page.app import serve

        session = page_session_of(ctx, stop, notices, listener.rights)
        is_silent = access.no_open or access.shared
        is_opened = not is_silent and has_screen(sys.platform, os.environ)
        with opened_browser(listener.address, folder) if is_opened else nullcontext():
            serve(
                session,
                listener.server_socket,
                listener.access,
                timedelta(days=options.keep),
                stopping=stop.reason,
                sleep=stop.sleep,
            )


def _check_file(ctx: click.Context, file: str) -> None:
    """Check a large file for the page, in this separate process."""
    from feedtool.cli.notifier import run_notices
    from feedtool.page.checks import check_file, check_for_another

    def check(job: "Job") -> None:
        serving = read_record(Serving, ctx.params)
        notifying = replace(serving.notifying, log=None)
        with run_notices("page", serving.configuration.profile, notifying) as notices:
            session = replace(page_session_of(ctx, StopSignal(), notices), checking=())
            check_file(session, session.uploads.file(file), job)

    check_for_another(check)


def page_session_of(
    ctx: click.Context,
    stop: StopSignal,
    notices: "RunNotices",
    rights: "Mapping[str, PageRights] | None" = None,
) -> "PageSession":
    """The page's session from the options of `ctx`."""
    from feedtool.cli.runs import service_clocks
    from feedtool.ledger.lock import who
    from feedtool.page.access import Users
    from feedtool.page.jobs import Jobs
    from feedtool.page.session import PageSession
    from feedtool.page.uploads import Uploads

    serving = read_record(Serving, ctx.params)
    home = home_folder(serving.common.home)
    # -P: import nothing from the folder in which the page was started.
    python = [sys.executable, "-P", "-m", "feedtool"]
    names = (parameter.name or "" for parameter in ctx.command.params)
    words = chain.from_iterable(typed(names).values())
    return PageSession(
        ServedAccounts(ctx, stop, notices),
        Users(who(), rights),
        Uploads(home / "page"),
        Jobs(lambda error: str(bug_report(error, ["page"]))),
        partial(open_workspace, home, serving.records),
        partial(service_clocks, home),
        MOST_BYTES,
        language_of(ctx),
        [*python, "page", *words, "--check-file"],
    )
