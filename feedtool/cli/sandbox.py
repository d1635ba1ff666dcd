"""`feedtool sandbox`."""

from pathlib import Path

import click

from feedtool.cli.options import option


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
def sandbox(port: int, state: Path | None, speed: float) -> None:
    """Serve the embedded sandbox on this machine, until Ctrl-C.

    The first line on stdout is the base address for --base-url. The token is `sandbox`, any
    seller is known, the channels are PRIMARY and SECOND.
    """
    from feedtool.sandbox.server import serve

    serve(port, state, speed, announce=lambda address: print(address, flush=True))  # noqa: T201  # data
