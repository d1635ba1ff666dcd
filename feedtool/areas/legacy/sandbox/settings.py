"""Settings of the sandbox's legacy packages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LegacyBehaviour:
    """Of zips with an Offers.xml; how long they take is as of packages of offers."""

    limit: int = 40_000
    """Offers of one zip."""
