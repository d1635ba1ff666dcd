"""Functions by which a step of a migration changes tables."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from sqlalchemy.schema import CreateColumn, SchemaItem
from sqlalchemy.types import TypeEngine


def add_column(connection: sa.Connection, table: str, column: sa.Column[Any]) -> None:
    """Run `ALTER TABLE … ADD COLUMN` in the SQL of this database."""
    quote = connection.dialect.identifier_preparer.quote
    spelt = CreateColumn(column).compile(dialect=connection.dialect)
    connection.exec_driver_sql(f"ALTER TABLE {quote(table)} ADD COLUMN {spelt}")


def integer_key() -> TypeEngine[int]:
    """The type of a key that the database counts up."""
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def texts(*names: str) -> list[sa.Column[Any]]:
    """Columns of text that are NOT NULL."""
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def number(name: str, *, is_key: bool = True, **more: Any) -> sa.Column[Any]:
    """A column of whole numbers, a part of the key unless `is_key` is false."""
    return sa.Column(
        name, sa.Integer, primary_key=is_key, nullable=False, autoincrement=False, **more
    )


def creation(connection: sa.Connection) -> Callable[..., None]:
    """A function that creates tables, which may refer to runs, files, packages and each other."""
    known = sa.MetaData()
    for table, key in (("runs", "run_id"), ("files", "file"), ("packages", "package")):
        sa.Table(table, known, sa.Column(key, integer_key(), primary_key=True))

    def create(name: str, *items: SchemaItem, has_rowid: bool = False) -> None:
        sa.Table(name, known, *items, sqlite_with_rowid=has_rowid).create(connection)

    return create


def execute(connection: sa.Connection, *statements: str) -> None:
    for statement in statements:
        connection.execute(sa.text(statement))
