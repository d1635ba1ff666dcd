"""`feedtool sandbox`."""

from pathlib import Path
from typing import Any

import click

from feedtool.cli import options
from feedtool.model.errors import UsageProblem

WINDOW, CREATIONS_WINDOW = 60.0, 3600.0
"""Seconds of its time that each quota is for."""


@click.command()
@options.count("--port", "The port on loopback; 0 picks a free one.", min=0, max=65535, default=0)
@options.path("--state", "FILE", "The file of its state.  [default: in memory]", may_be="file")
@options.option(
    "--speed",
    type=click.FloatRange(min=0, min_open=True),
    default=100.0,
    show_default=True,
    help="How fast its time runs.",
)
@options.count(
    "--quota",
    "Requests to offer package endpoints that each seller has in a minute of its time; "
    "default no limit.",
)
@options.count(
    "--creations",
    "New products that each seller may create in an hour of its time; more are refused by "
    "their report with QuotaExceeded.  [default: no limit]",
    min=0,
)
@options.count("--products-limit", "Most products of one batch.", default=10_000)
@options.count(
    "--reported-products",
    "Of a larger batch, reports show only so many products.  [default: all]",
)
@options.text(
    "--closed-products",
    "GTIN[,GTIN]",
    "Products whose sheets are archived: only their creator may add anything to them.",
)
def sandbox(port: int, state: Path | None, speed: float, **given: Any) -> None:
    """Serve the embedded sandbox on this machine, until Ctrl-C.

    The first line on stdout is the base address for --base-url. The token is `sandbox`, any
    seller is known (`unopened` has no access to competing offers), the channels are PRIMARY and
    SECOND.
    """
    from feedtool.areas.products.sandbox.settings import ProductBehaviour
    from feedtool.areas.registry import sandbox_parts
    from feedtool.sandbox import StateUnreadableError
    from feedtool.sandbox.exchange import Quota, SandboxSettings
    from feedtool.sandbox.server import serve

    quota, creations = given["quota"], given["creations"]
    closed = given["closed_products"] or ""
    products = ProductBehaviour(
        limit=given["products_limit"],
        reported=given["reported_products"],
        creations=None if creations is None else Quota(creations, CREATIONS_WINDOW),
        closed=tuple(filter(None, map(str.strip, closed.split(",")))),
    )
    settings = SandboxSettings(quota=Quota(quota, WINDOW) if quota else None, parts=(products,))
    try:
        serve(sandbox_parts(), port, state, speed, settings, announce=_print)
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
