"""The delivery of products: batches, whose results are in the integration reports.

Specification, part "Catalog endpoints": one POST takes a batch in, and the outcome of each product
appears in the integration reports.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from feedtool.areas.products.wire import (
    batch_id,
    products_body,
    read_reports,
    reports_page,
    submit_products,
)
from feedtool.feeds.answers import ReportItem
from feedtool.feeds.delivery import Endpoint, PackageRef, Report, Size, Submitted
from feedtool.model.call import Call, comma_lists
from feedtool.model.nouns import PendingProduct, Severity, Status
from feedtool.model.settings import PackageLimits

PACKAGE_TYPE = "Products"
"""No package of offers but a batch of products; it has no channel."""

QUOTA = "quotaexceeded"
"""The code of an error that is none of the product's (source: the field), without its case."""


def product_names(reference: str, gtin: str) -> frozenset[str]:
    """The names of a product in reports and offers.

    A GTIN is the same with and without zeros in front.
    """
    return frozenset({f"r{reference}", f"g{gtin.lstrip('0')}"} - {"r", "g"})


def match(
    pending: Iterable[PendingProduct], items: Iterable[ReportItem]
) -> Iterator[tuple[PendingProduct, ReportItem]]:
    """Products and what reports say of them, by GTIN and, where both have one, reference."""
    by_gtin: defaultdict[str, list[ReportItem]] = defaultdict(list)
    for item in items:
        by_gtin[item.gtin.lstrip("0")].append(item)
    for product in pending:
        for item in by_gtin.get(product.product.lstrip("0"), ()):
            if item.reference in {None, product.reference} or product.reference == product.product:
                yield product, item


def is_quota(item: ReportItem) -> bool:
    """True if a product is refused for a quota, and nothing else."""
    messages = (message for message in item.messages if message.severity is Severity.ERROR)
    errors = {message.code.casefold() for message in messages}
    return item.status not in {None, Status.INTEGRATED} and errors == {QUOTA}


def _size(limits: PackageLimits) -> Size:
    return Size(limits.products, limits.products)


def _report(package: PackageRef) -> Call:
    return read_reports(
        package.language,
        package_id=package.package_id,
        link=package.link,
        size=package.page_size,
    )


def _find(package: PackageRef, rows: Sequence[PendingProduct]) -> tuple[Call, int]:
    """As many GTINs as an address holds."""
    gtins = next(comma_lists(row.product for row in rows))
    call = read_reports(package.language, gtins=gtins, link=package.link, size=package.page_size)
    return call, len(gtins)


DELIVERY = Submitted(
    size=_size,
    submit=lambda package, bodies: submit_products(bodies, package.language),
    submitted=batch_id,
    outcome=Report(Endpoint(_report, reports_page), _find, match, is_quota),
    names=product_names,
    document=lambda _, bodies: products_body(bodies),
    file_name="batch-{number:03}.json",
)
