"""`[page.users.NAME]`: the rights of each user of a shared page."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from feedtool.runs.config_tables import refuse_unknown, table_of, typed_like

ACTIONS = ("check", "send", "release")
EVERY = "*"
SANDBOX = "sandbox"
"""The name of the embedded sandbox among the profiles."""


class PageRights(Struct, frozen=True):
    """The rights of a user of a shared page."""

    profiles: tuple[str, ...] = ()
    """The profiles whose files and runs are shown to the user, or `"*"` for all; `sandbox` is the
    embedded sandbox."""
    may: tuple[str, ...] = ()
    """What the user may do with them: `check`, `send`, `release` held rows. All may look."""


def page_rights(tables: Mapping[str, Any], where: str) -> Mapping[str, PageRights]:
    """Return the rights of each user of a configuration; `where` is the name of its file."""
    page = table_of(tables, "page", where)
    refuse_unknown(page, ("users",), f"{where}, [page]")
    users = table_of(page, "users", f"{where}, [page]")
    return {
        name: _rights(table_of(users, name, f"{where}, [page.users]"), f"{where}, {name}")
        for name in users
    }


def _rights(table: Mapping[str, Any], where: str) -> PageRights:
    refuse_unknown(table, PageRights.__struct_fields__, where)
    lists = {name: [EVERY] if value == EVERY else value for name, value in table.items()}
    rights = PageRights(
        **{name: typed_like((), value, f"{where}: {name}") for name, value in lists.items()}
    )
    refuse_unknown(rights.may, ACTIONS, f"{where}: may")
    return rights
