"""Who uses the page, which accounts he sees, and what he may do."""

from typing import NamedTuple


class User(NamedTuple):
    """Somebody who uses the page."""

    name: str

    def sees(self, account: str) -> bool:
        """True if the files and runs of an account are shown."""
        del account
        return True

    def may(self, what: str) -> bool:
        """True if it is allowed: `check`, `send`, `release`."""
        del what
        return True
