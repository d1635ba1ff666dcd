"""Who uses the page, which accounts he sees, and what he may do there."""

from collections.abc import Mapping
from typing import NamedTuple

from feedtool.runs.page_rights import ACTIONS, EVERY, PageRights

OWNER = PageRights((EVERY,), ACTIONS)
"""The rights of whoever has started the page for himself."""
NOBODY = PageRights()


class User(NamedTuple):
    """Somebody who uses the page."""

    name: str
    rights: PageRights

    def sees(self, account: str) -> bool:
        """True if the files and runs of an account are shown."""
        return EVERY in self.rights.profiles or account in self.rights.profiles

    def may(self, what: str) -> bool:
        """True if it is allowed: one of `ACTIONS`."""
        return what in self.rights.may


class Users(NamedTuple):
    """All who use the page."""

    owner: str
    """Whoever uses a page that is not shared."""
    rights: Mapping[str, PageRights] | None = None
    """Of a shared page, by name."""

    def of(self, name: str) -> User:
        """A user by the name that the guards have found."""
        if self.rights is None:
            return User(self.owner, OWNER)
        return User(name, self.rights.get(name, NOBODY))
