"""What there is to say when no step is left to take. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from feedtool.delivery.decide import AFTER_COMMIT, waits_for_products
from feedtool.delivery.progress import GO_ON
from feedtool.ledger import Phase
from feedtool.model.errors import Interrupted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from feedtool.ledger import Package

FETCHED = AFTER_COMMIT | {Phase.SUBMITTING}
"""What is left to do is reading: of a batch whose answer was lost it is not known more."""


def check_all_committed(packages: Iterable[Package]) -> None:
    """Interrupted when one is left that is neither committed nor waits for its reports."""
    own = {package.key: package for package in packages}
    for package in own.values():
        if package.phase in FETCHED:
            continue
        if package.phase is Phase.PLANNED and package.is_batch and not package.blocked_by:
            raise Interrupted(
                f"Package {package.number} waits until it is known what became of those that were"
                " sent before it: the answers were lost, and no reports name them yet.",
                GO_ON,
            )
        if package.phase is Phase.PLANNED and waits_for_products(package, own):
            raise Interrupted(
                f"Package {package.number} ({package.package_type}) is held back: its offers'"
                " products have had no answer yet.",
                GO_ON,
            )
        if package.phase is Phase.PLANNED:
            raise Interrupted(
                f"Package {package.number} waits for another one that has the same references"
                " or products and is not integrated yet.",
                GO_ON,
            )
        said = f"the service says {package.state}" if package.state else "the service lets it wait"
        until = f", until {package.due:%Y-%m-%d %H:%M} UTC" if package.due else ""
        raise Interrupted(
            f"Package {package.number} ({package.package_type}) has made no progress since"
            f" {package.since:%H:%M:%S} UTC; {said}{until}.",
            GO_ON,
        )
