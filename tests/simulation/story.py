"""A seller's acts in a world, all of them from one seed: the offers, the runs, their rows."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from feedtool.areas.offers.delivery import PackageType
from feedtool.model.nouns import Item
from tests.conftest import gtin

CHANNELS = ("PRIMARY", "SECOND")
FURTHER = 50
"""Distance of a request's further row from its first one."""
MARK = "simulation"
"""A field of every request, unknown to the service and let through by it: which row it is."""

TAXES = ("VAT", "EcoPart", "DEA")


@dataclass(frozen=True)
class Row:
    """A row of a run."""

    mark: str
    """`run/row`: one of its own for every row of a world."""
    item: Item
    document: dict[str, Any]
    is_malformed: bool = False
    """No upload with it is ever taken."""

    @property
    def key(self) -> tuple[str, str]:
        """Channel and reference, which a later row replaces."""
        return self.item.channel, self.item.reference


@dataclass(frozen=True)
class Told:
    """A run as the seller means it: one file."""

    number: int
    """The run's number from 1, in the order of their starts; 0 is the state before."""
    rows: list[Row]


@dataclass
class Story:
    """The seller's runs, oldest first."""

    random: Random
    shapes: Random
    """Decides which requests share a row, and which have several rows."""
    references: list[str] = field(default_factory=list)
    before: list[Told] = field(default_factory=list)
    """Offers already at the service, one package a channel."""
    runs: list[Told] = field(default_factory=list)

    def __post_init__(self) -> None:
        chance = self.random
        self.references = [f"R{number}" for number in range(chance.randint(3, 6))]
        if chance.random() < 0.1:
            self.references[0] += ",x"  # in no comma list
        for channel in CHANNELS:
            known = [name for name in self.references if chance.random() < 0.5]
            rows = [
                self._row(0, n, PackageType.UPSERT, channel, name) for n, name in _numbered(known)
            ]
            if rows:
                self.before.append(Told(0, rows))
        number_of_runs = chance.choice((2, 2, 2, 2, 3))
        self.runs = [self._run(number) for number in range(1, number_of_runs + 1)]

    def _run(self, number: int) -> Told:
        chance = self.random
        kinds = chance.choice(
            (
                (PackageType.UPSERT,),
                (PackageType.UPSERT,),
                (PackageType.UPDATE,),
                (PackageType.DELETE,),
                (PackageType.UPSERT, PackageType.UPDATE),
                (PackageType.UPSERT, PackageType.UPDATE, PackageType.DELETE),
            )
        )
        channels = chance.choice((CHANNELS[:1], CHANNELS[:1], CHANNELS[1:], CHANNELS))
        keys = [(channel, name) for channel in channels for name in self.references]
        chosen = chance.sample(keys, chance.randint(2, min(7, len(keys))))
        rows = [
            self._row(number, row, chance.choice(kinds), channel, name)
            for row, (channel, name) in _numbered(chosen)
        ]
        if chance.random() < 0.08:
            place = chance.randrange(len(rows))
            rows[place] = _malformed(rows[place])
        return Told(number, [*self._shaped(rows)])

    def _shaped(self, rows: list[Row]) -> Iterator[Row]:
        """Make some rows a request for each of two channels, and some requests have two rows."""
        before: Item | None = None
        for row in rows:
            item = row.item
            if before and before.channel != item.channel and self.shapes.random() < 0.4:
                item = item._replace(row=before.row, number=1)
            if self.shapes.random() < 0.3:
                item = item._replace(further_rows=(item.row + FURTHER,))
            before = None if item.number else item
            yield replace(row, item=item)

    def _row(self, run: int, row: int, kind: str, channel: str, reference: str) -> Row:
        mark = f"{run}/{row}" if run else f"0/{row} on {channel}"
        document = {"sellerExternalReference": reference, MARK: mark, **self._wish(kind, reference)}
        product = document.get("product")
        named = f"{product['gtin']}||New" if product else ""
        body = json.dumps(document).encode()
        return Row(mark, Item(row, kind, channel, reference, named, body), document)

    def _wish(self, kind: str, reference: str) -> dict[str, Any]:
        chance = self.random
        if kind == PackageType.DELETE:
            return {}
        fields = {
            "price": {
                # Sometimes what an earlier row asked for, so that nobody sees a difference.
                "price": chance.choice((10.0, 10.0, 11.0, chance.randint(1200, 9999) / 100)),
                "taxes": [{"code": code, "value": 0} for code in TAXES],
            },
            "preparationTime": chance.choice((2, 2, 3)),
            "quantity": chance.choice((0, 1, 2, 5, 7)),
        }
        if kind == PackageType.UPDATE:
            names = chance.sample(sorted(fields), chance.randint(1, 3))
            return {name: fields[name] for name in names}
        mode = {"code": "TrackedHomeDelivery", "cost": 4.9, "additionalCost": 1.5}
        product = self._product(reference)
        return {**fields, "product": product, "condition": "New", "deliveryModes": [mode]}

    def _product(self, reference: str) -> dict[str, str]:
        """The row's own product, sometimes another's, or one without a sheet, which is refused."""
        own = self.references.index(reference) if reference in self.references else 0
        chance = self.random.random()
        if chance < 0.04:
            own = self.random.randrange(len(self.references))
        return {"gtin": gtin(own, 2 if chance > 0.96 else 3)}


def _numbered(values: list[Any]) -> list[tuple[int, Any]]:
    """Values with the numbers of their rows, the first of which is 3 as in a template."""
    return list(enumerate(values, 3))


def _malformed(row: Row) -> Row:
    """A row that is refused before anybody asks what it says, with all of its upload."""
    document = {**row.document, "preparationTime": "two"}
    item = row.item._replace(body=json.dumps(document).encode())
    return Row(row.mark, item, document, is_malformed=True)
