"""How the cache is kept: SQLite, by SQLAlchemy Core.

There are no migrations. Whatever is in it can be had again, so a cache of another version is
made anew: to change the tables, change them and count VERSION up.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Integer, MetaData, Table, Text, UniqueConstraint

VERSION = 1
"""Of these tables, in the file's `user_version`."""

metadata = MetaData()

catalogs = Table(
    "catalogs",
    metadata,
    Column("catalog", Integer, primary_key=True),
    Column("service", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("scope", Text),  # of a sync under way: whose properties it brings, "" for all
    Column("started_at", Text),  # of a sync under way
    Column("synced_at", Text),  # the end of the last one that came to its end
    UniqueConstraint("service", "language"),
)

categories = Table(
    "categories",
    metadata,
    Column("catalog", ForeignKey(catalogs.c.catalog), primary_key=True),
    Column("reference", Text, primary_key=True),
    Column("label", Text, nullable=False),
    Column("level", Integer, nullable=False),
    Column("is_active", Boolean, nullable=False),
    Column("parent", Text),
    Column("is_brand_mandatory", Boolean, nullable=False),
    Column("is_variant", Boolean, nullable=False),
    sqlite_with_rowid=False,
)

properties = Table(
    "properties",
    metadata,
    Column("catalog", ForeignKey(catalogs.c.catalog), primary_key=True),
    Column("category", Text, primary_key=True),
    Column("etag", Text),
    Column("last_modified", Text),
    Column("checked_at", Text, nullable=False),
    Column("document", Text, nullable=False),  # last, since what stands behind it is slow to read
)

brands = Table(
    "brands",
    metadata,
    Column("catalog", ForeignKey(catalogs.c.catalog), primary_key=True),
    Column("reference", Text, primary_key=True),
    Column("name", Text, nullable=False),
    sqlite_with_rowid=False,
)
