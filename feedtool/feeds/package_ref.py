"""The facts of a package that its calls need, and the most that one package takes."""

import sys
from typing import NamedTuple

from feedtool.model.settings import AccountSettings


class PackageRef(NamedTuple):
    package_type: str
    channel: str
    language: str
    settings: AccountSettings
    package_id: str = ""
    """The service's id; empty before it has one."""
    link: str | None = None
    """The address of the next page, if the page before gave one."""
    page: int = 1
    page_size: int | None = None
    """The number of entries to request for a page; None leaves it to the service."""
    seller: str = ""
    """The SellerId, which some requests repeat."""
    state: str = ""
    """The service's word for its state, to list only packages in this state."""


class Size(NamedTuple):
    """The most requests in one call and in one package."""

    upload: int
    package: int
    content: int = sys.maxsize
    """The most bytes of their bodies; a single request may have more."""
