import sqlalchemy as sa
from sqlalchemy.engine.url import make_url
from sqlalchemy.schema import CreateIndex

from feedtool.ledger import tables
from feedtool.ledger.database import Dialect

POSTGRESQL: sa.Dialect = make_url("postgresql+psycopg://").get_dialect()()


def created(index: sa.Index, spoken: sa.Dialect) -> str:
    return str(CreateIndex(index).compile(dialect=spoken)).replace('"', "")


def test_an_index_is_the_same_on_both_databases() -> None:
    every = {**tables.metadata.tables, **tables.parcels.metadata.tables}
    indexes = [index for table in every.values() for index in table.indexes]
    on_sqlite = [created(index, Dialect()) for index in indexes]
    assert [created(index, POSTGRESQL) for index in indexes] == on_sqlite
    assert sum(" WHERE " in sql for sql in on_sqlite) >= 6


def test_an_index_with_both_conditions_has_one_where_clause() -> None:
    where = sa.text("a > 0")
    table = sa.Table("some", sa.MetaData(), sa.Column("a", sa.Integer))
    index = sa.Index("few", table.c.a, sqlite_where=where, postgresql_where=where)
    assert created(index, POSTGRESQL) == "CREATE INDEX few ON some (a) WHERE a > 0"
