"""SQLAlchemy's dialect of SQLite, so that a statement compiled for one file serves all others.

SQLAlchemy keeps the SQL of each statement by its dialect, of which every engine has its own. A
watcher and a page open the ledger for one account after the other, and would compile every
statement anew each time.

Partial indexes are declared for SQLite, and are the same on PostgreSQL.
"""

from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateIndex
from sqlalchemy.util import LRUCache

DRIVER = "sqlite+feedtool"
COMPILED: LRUCache[Any, Any] = LRUCache(500)
"""The statements of this process, of which there are about two hundred."""


class Dialect(SQLiteDialect_pysqlite):
    """SQLAlchemy's usual dialect; all its instances are equal, since they are made in one way."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dialect)

    def __hash__(self) -> int:
        return hash(Dialect)


registry.register(DRIVER.replace("+", "."), __name__, Dialect.__name__)


@cache
def creation(tables: sa.MetaData, dialect: sa.Dialect) -> list[str]:
    """The statements that make the tables; kept, since compiling takes longer than running them."""
    statements: list[str] = []

    def note(statement: sa.schema.ExecutableDDLElement, *_: object) -> None:
        statements.append(str(statement.compile(dialect=dialect)))

    url = f"{dialect.name}+{dialect.driver}://"
    tables.create_all(sa.create_mock_engine(url, note), checkfirst=False)
    return statements


@compiles(CreateIndex, "postgresql")
def _as_on_sqlite(create: CreateIndex, compiler: Any, **options: Any) -> str:
    """The SQL of a partial index on PostgreSQL."""
    index, sql = create.element, str(compiler.visit_create_index(create, **options))
    where = index.dialect_options["sqlite"]["where"]
    is_declared = index.dialect_options["postgresql"]["where"] is not None
    return sql if where is None or is_declared else f"{sql} WHERE {where}"
