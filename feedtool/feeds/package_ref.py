"""A package as its calls need it, and how much goes into one."""

import sys
from typing import NamedTuple

from feedtool.model.settings import AccountSettings


class PackageRef(NamedTuple):
    """A package as its calls need it."""

    package_type: str
    channel: str
    language: str
    settings: AccountSettings
    package_id: str = ""
    """The service's; empty while it has none."""
    link: str | None = None
    """The address of the next page, where the page before gave one."""
    page: int = 1
    page_size: int | None = None
    """The number of entries a page is asked for; None leaves that to the service."""
    seller: str = ""
    """The SellerId, which some requests repeat."""
    state: str = ""
    """The service's word for its state, where a list is asked for such packages alone."""


class Size(NamedTuple):
    """The most requests that travel together."""

    upload: int
    package: int
    content: int = sys.maxsize
    """Bytes of their bodies; a single request may have more."""
