"""Procrastinate, which is an extra: imported when it is needed, its own log lines silenced."""

import logging
from importlib import import_module
from types import ModuleType
from typing import Any

from sqlalchemy import Engine

from feedtool.ledger.database import CONNECTING
from feedtool.ledger.trouble import shown_as
from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr

LOGGERS = ("procrastinate", "psycopg.pool", "asyncio")
"""Their errors are reported by whoever calls them."""


def procrastinate() -> ModuleType:
    """The library; UsageProblem where it is not installed."""
    try:
        library = import_module("procrastinate")
        for name in ("procrastinate.worker", "psycopg_pool"):  # the library begins without it
            import_module(name)
    except ImportError as error:
        raise UsageProblem(
            tr("Workers need more than is installed here: {module} is missing.", module=error.name),
            tr("Install it with: pip install 'feedtool[workers]'"),
        ) from error
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
    return library


def refuse_other_ledgers(engine: Engine) -> None:
    """UsageProblem for a ledger that workers cannot share."""
    if engine.dialect.name != "postgresql":
        raise UsageProblem(
            tr(
                "Workers share a ledger on PostgreSQL; {ledger} is a file of this machine.",
                ledger=shown_as(engine.url),
            ),
            tr("Name one with --ledger postgresql://USER:PASSWORD@HOST/DATABASE."),
        )


def connect_arguments(engine: Engine) -> dict[str, Any]:
    """How the driver connects to the ledger's database."""
    url = engine.url
    usual = {name: value for name, value in CONNECTING.items() if name not in url.query}
    _, given = engine.dialect.create_connect_args(url)
    return {**usual, **given}
