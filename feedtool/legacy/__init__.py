"""The legacy zip with its Offers.xml, written and read in constant memory; nothing is sent.

Reading order: `feedtool.offers_xml` names what an Offer says, `writer` makes the zip out of offers
(`offers.rng` is the format as it is written) and `zipped` out of requests, `reader` makes offers
out of an Offers.xml however sloppy, `source` shows them as the rows of a sheet, and `book` as a
workbook.
"""

from feedtool.legacy.book import write_book
from feedtool.legacy.reader import OffersXml
from feedtool.legacy.source import OffersSource, is_legacy
from feedtool.legacy.writer import Head, Pool, offer_of, shares, write
from feedtool.legacy.zipped import zipped

__all__ = [
    "Head",
    "OffersSource",
    "OffersXml",
    "Pool",
    "is_legacy",
    "offer_of",
    "shares",
    "write",
    "write_book",
    "zipped",
]
