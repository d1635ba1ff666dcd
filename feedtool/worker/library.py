"""Import Procrastinate, an optional package, when it is needed, and silence its log lines."""

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
"""The loggers to silence; the callers report the errors."""


def procrastinate() -> ModuleType:
    """Return the library; UsageProblem if it is not installed."""
    try:
        library = import_module("procrastinate")
        for name in ("procrastinate.worker", "psycopg_pool"):  # the first import needs neither
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
    """Raise UsageProblem for a ledger that workers cannot share."""
    if engine.dialect.name != "postgresql":
        raise UsageProblem(
            tr(
                "Workers share a ledger on PostgreSQL; {ledger} is a file of this machine.",
                ledger=shown_as(engine.url),
            ),
            tr("Name one with --ledger postgresql://USER:PASSWORD@HOST/DATABASE."),
        )


def connect_arguments(engine: Engine) -> dict[str, Any]:
    """The driver's arguments to connect to the ledger's database."""
    url = engine.url
    usual = {name: value for name, value in CONNECTING.items() if name not in url.query}
    _, arguments = engine.dialect.create_connect_args(url)
    return {**usual, **arguments}
