"""Artificial steps, from a ledger that has a table `pets (name)`; other processes take them too."""

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, text

from feedtool.ledger.migrations import add_column


def grow(db: Connection) -> None:
    """From 1 to 2: a column whose name is a word of SQL, and its values."""
    add_column(db, "pets", Column("order", Integer, nullable=False, server_default="0"))
    db.execute(text('UPDATE pets SET "order" = 7'))


def split(db: Connection) -> None:
    """From 2 to 3: a table filled from the old one."""
    made = Table("orders", MetaData(), Column("pet", Text, primary_key=True), Column("n", Integer))
    made.create(db)
    db.execute(text('INSERT INTO orders SELECT name, "order" FROM pets'))
