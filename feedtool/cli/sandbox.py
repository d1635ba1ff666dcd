"""`feedtool sandbox`."""

from pathlib import Path

import click

from feedtool.cli.options import option
from feedtool.errors import UsageProblem

WINDOW = 60.0
"""Seconds of its time that a quota is for."""


@click.command()
@option("--port", type=click.IntRange(0, 65535), default=0, help="0 picks a free one.")
@option(
    "--state",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where its state is kept; default in memory.",
)
@option(
    "--speed",
    type=click.FloatRange(min=0, min_open=True),
    default=100.0,
    show_default=True,
    help="How fast its time runs.",
)
@option(
    "--quota",
    type=click.IntRange(min=1),
    metavar="N",
    help="Requests to offer package endpoints that each seller has in a minute of its time; "
    "default no limit.",
)
def sandbox(port: int, state: Path | None, speed: float, quota: int | None) -> None:
    """Serve the embedded sandbox on this machine, until Ctrl-C.

    The first line on stdout is the base address for --base-url. The token is `sandbox`, any
    seller is known (`unopened` has no access to competing offers), the channels are PRIMARY and
    SECOND.
    """
    from feedtool.sandbox import StateUnreadableError
    from feedtool.sandbox.server import serve
    from feedtool.sandbox.settings import Quota, Settings

    settings = Settings(quota=Quota(quota, WINDOW) if quota else None)
    try:
        serve(port, state, speed, settings, announce=_print)
    except StateUnreadableError as error:
        raise UsageProblem(str(error), "name another file with --state") from error
    except OSError as error:
        reason = error.strerror or error
        raise UsageProblem(
            f"the sandbox cannot be served: {reason}",
            "choose another --port (0 picks a free one), or a --state that you may write",
        ) from error


def _print(address: str) -> None:
    print(address, flush=True)  # noqa: T201  # data
