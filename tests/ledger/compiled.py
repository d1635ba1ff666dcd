"""PostgreSQL as SQLAlchemy speaks it, with what is compiled for one engine serving all others.

As on SQLite, where feedtool does so itself: here each test has an engine of its own.
"""

from typing import Any

from sqlalchemy import Engine
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.util import LRUCache

COMPILED: LRUCache[Any, Any] = LRUCache(500)


class Dialect(PGDialect_psycopg):
    """The usual one; any two of them are equal, for their servers are of one version."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dialect)

    def __hash__(self) -> int:
        return hash(Dialect)

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        engine.update_execution_options(compiled_cache=COMPILED)


def share_compiled() -> None:
    """Let all further engines of this process use it."""
    registry.register("postgresql.psycopg", __name__, Dialect.__name__)
