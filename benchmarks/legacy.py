"""The legacy zip: `python benchmarks/legacy.py [--repeat N]` prints a table of medians.

40,000 offers are written and zipped, and an Offers.xml of 300 MB is read: by feedtool as a
stream, and by an lxml tree of the whole, which is the usual way. Each contender is a process of
its own; both must come to the same offers before any figure counts.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

OFFERS = 40_000
BYTES = 300 * 10**6
SPACE = (
    "{clr-namespace:Cdiscount.Service.OfferIntegration.Pivot;"
    "assembly=Cdiscount.Service.OfferIntegration}"
)
SHIPPING = ("DeliveryMode", "ShippingCharges", "AdditionalShippingCharges")
Told = tuple[Mapping[str, str], Sequence[tuple[str, ...]]]
"""Of an offer its attributes, and the values of `SHIPPING` of each mode."""


def body(number: int) -> bytes:
    """The request of an offer as the feed makes it; each is another one."""
    charges = f"{3 + number % 5}.9"
    modes = ("Standard", "Tracked", "Registered")
    return json.dumps(
        {
            "SellerProductId": f"SKU-{number:07}",
            "ProductEan": f"{3_000_000_000_000 + number}",
            "ProductCondition": str(number % 6 + 1),
            "Price": f"{10 + number % 990}.{number % 100:02}",
            "EcoPart": "0.12",
            "DeaTax": "0",
            "Vat": "20",
            "Stock": str(number % 100),
            "StrikedPrice": f"{1200 + number % 990}.5",
            "Comment": f"Very good state, with its manual & its box (no. {number})",
            "PreparationTime": str(number % 5),
            "ShippingInformation": [
                dict(zip(SHIPPING, (mode, charges, "1.5"), strict=True)) for mode in modes
            ],
        }
    ).encode()


def write(source: str, target: str, count: str) -> None:
    """Our way."""
    import orjson

    from feedtool.areas.legacy.writer import Head, offer_of
    from feedtool.areas.legacy.writer import write as write_zip

    with Path(source).open("rb") as bodies, Path(target).open("wb") as file:
        offers = (offer_of(orjson.loads(one)) for one in bodies)
        write_zip(file, Head("benchmark"), offers, int(count))


def write_tree(source: str, target: str, count: str) -> None:
    """The usual way: a tree of all, then its text, then the zip."""
    from lxml import etree

    about = {"Name": "benchmark", "PurgeAndReplace": "false", "PackageType": "Full"}
    root = etree.Element(f"{SPACE}OfferPackage", about)
    offers = etree.SubElement(root, f"{SPACE}OfferPackage.Offers")
    collection = etree.SubElement(offers, f"{SPACE}OfferCollection", {"Capacity": count})
    for one in Path(source).read_bytes().splitlines():
        attributes = json.loads(one)
        shipping = attributes.pop("ShippingInformation")
        offer = etree.SubElement(collection, f"{SPACE}Offer", attributes)
        outer = etree.SubElement(offer, f"{SPACE}Offer.ShippingInformationList")
        inner = etree.SubElement(outer, f"{SPACE}ShippingInformationList")
        for mode in shipping:
            etree.SubElement(inner, f"{SPACE}ShippingInformation", mode)
    text = etree.tostring(root, encoding="utf-8", xml_declaration=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("Content/Offers.xml", text)


def read(source: str) -> None:
    """Our way."""
    from feedtool.areas.legacy.reader import OffersXml

    found = OffersXml(Path(source)).read()
    tell((offer.attributes, offer.shipping) for _, offer in found)


def read_cells(source: str) -> None:
    """Our way up to the cells of a sheet; tells only how many there are."""
    from feedtool.areas.legacy.source import OffersSource

    blocks = OffersSource(Path(source)).sheet().blocks(1)
    print(sum(len(list(block.column(i))) for block in blocks for i in range(block.width)))


def read_tree(source: str) -> None:
    """The usual way: all of it in memory."""
    from lxml import etree

    text: str | Path = source
    if zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as package:
            text = Path(source).with_suffix(".unpacked.xml")
            text.write_bytes(package.read("Content/Offers.xml"))
    offers = etree.parse(str(text), etree.XMLParser(huge_tree=True)).iter(f"{SPACE}Offer")
    tell(
        (
            {str(name): str(value) for name, value in offer.attrib.items()},
            [
                tuple(str(mode.get(name)) for name in SHIPPING)
                for mode in offer.iter(f"{SPACE}ShippingInformation")
            ],
        )
        for offer in offers
    )


def tell(offers: Iterable[Told]) -> None:
    """How many offers there are, and a digest of all that they say."""
    digest, count = hashlib.sha256(), 0
    for attributes, shipping in offers:
        digest.update(repr((list(attributes.values()), list(map(tuple, shipping)))).encode())
        count += 1
    print(count, digest.hexdigest())


WAYS: Mapping[str, Callable[..., None]] = {
    one.__name__: one for one in (write, write_tree, read, read_cells, read_tree)
}


def command(way: Callable[..., None], *arguments: str | Path | int) -> list[str]:
    """What runs a way as a process of its own."""
    return [sys.executable, __file__, way.__name__, *map(str, arguments)]


def told(way: Callable[..., None], *arguments: Path) -> str:
    """What a way of reading tells."""
    done = subprocess.run(command(way, *arguments), check=True, capture_output=True, text=True)
    return done.stdout


def bodies(folder: Path, count: int) -> Path:
    """The requests of so many offers, a line each."""
    path = folder / f"{count}.jsonl"
    with path.open("wb") as file:
        file.writelines(body(number) + b"\n" for number in range(count))
    return path


def large(folder: Path) -> Path:
    """An Offers.xml of `BYTES`, on the disk alone."""
    sample, target = folder / "sample.zip", folder / "large.xml"
    subprocess.run(command(write, bodies(folder, OFFERS), sample, OFFERS), check=True)
    with zipfile.ZipFile(sample) as package:
        size = package.getinfo("Content/Offers.xml").file_size
    zipped, count = folder / "large.zip", BYTES * OFFERS // size
    subprocess.run(command(write, bodies(folder, count), zipped, count), check=True)
    with (
        zipfile.ZipFile(zipped) as package,
        package.open("Content/Offers.xml") as member,
        target.open("wb") as file,
    ):
        shutil.copyfileobj(member, file)
    return target


def measured(folder: Path, repeat: int) -> Iterator[str]:
    """The lines of the table; what both ways come to is compared before."""
    from benchmarks.run import Contender, Job, lines

    own, tree, path = folder / "own.zip", folder / "tree.zip", large(folder)
    requests = bodies(folder, OFFERS)
    written = [
        Contender("lxml tree", command(write_tree, requests, tree, OFFERS)),
        Contender("feedtool", command(write, requests, own, OFFERS)),
    ]
    for contender in written:
        subprocess.run(contender.command, check=True)
    if not told(read_tree, tree) == told(read_tree, own) == told(read, own):
        raise SystemExit("they do not write the same offers")
    if told(read_tree, path) != told(read, path):
        raise SystemExit("they do not read the same offers")
    cells = Contender("feedtool, as cells", command(read_cells, path))
    found = [
        Contender("lxml tree", command(read_tree, path)),
        Contender("feedtool", command(read, path)),
    ]
    size = f"{path.stat().st_size / 10**6:.0f} MB"
    for title, contenders in (
        (f"write and zip {OFFERS:,} offers", written),
        (f"read an Offers.xml of {size}", found),
        (f"the same as the rows of a sheet, {size}", [cells]),
    ):
        job = Job(title, contenders)
        yield from lines(job, repeat)


def main() -> None:
    """Runs what was asked for, or all of it."""
    from benchmarks import table

    if sys.argv[1:2] and sys.argv[1] in WAYS:
        WAYS[sys.argv[1]](*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description="Measures the legacy zip.")
    parser.add_argument("--repeat", type=int, default=3, help="rounds (default 3)")
    repeat = parser.parse_args().repeat
    with tempfile.TemporaryDirectory() as folder:
        found = list(measured(Path(folder), repeat))
    print(table.told(f"Medians of {repeat} rounds", found))


if __name__ == "__main__":
    main()
