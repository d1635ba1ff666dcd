"""The call that a step is. Pure, but for a zip that has to be put where its address leads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from feedtool.areas.legacy.wire import read_log
from feedtool.areas.offers.wire.packages import (
    commit,
    create_package,
    read_package,
    read_results,
    upload,
)
from feedtool.areas.products.wire.submissions import read_reports, submit_products
from feedtool.delivery.decide import ALONE, Do
from feedtool.delivery.zip_call import zip_call
from feedtool.model.call import comma_lists, language_tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from feedtool.delivery.decide import Settings
    from feedtool.ledger import Awaited, Package
    from feedtool.model.call import Call


def check_sendable(package: Package, language: str) -> None:
    """A channel that no header can carry is told before anything is sent. UsageProblem."""
    if package.is_batch or package.is_zip:
        language_tag(language)
    else:
        create_package(package.channel, package.package_type, language)


def call_of(
    package: Package, do: Do, language: str, settings: Settings, bodies: Sequence[bytes] = ()
) -> Call:
    """The call of a step of a package; of an upload with its requests."""
    package_id = package.package_id or ""
    if do is Do.CREATE:
        return create_package(package.channel, package.package_type, language)
    if do is Do.UPLOAD:
        return upload(package_id, bodies, settings.upload_body)
    if do is Do.COMMIT:
        return commit(package_id)
    if do in ALONE:
        return _whole(package, language, settings, bodies)
    if do in {Do.FETCH, Do.LOG}:
        return _page(package, package_id, language, settings)
    return read_package(package_id)


def _whole(package: Package, language: str, settings: Settings, bodies: Sequence[bytes]) -> Call:
    """What stages and commits in one."""
    if package.is_zip:
        return zip_call(package, bodies, language, settings.dialect)
    return submit_products(bodies, language)


def _page(package: Package, package_id: str, language: str, settings: Settings) -> Call:
    """The next page of what the service says of the rows."""
    if package.is_zip:
        return read_log(package_id, package.pages + 1, language, settings.results_limit)
    return read_results(package_id, package.link, settings.results_limit)


def reading_of(
    package: Package, do: Do, language: str, settings: Settings, rows: Sequence[Awaited]
) -> tuple[Call, Sequence[Awaited]]:
    """The call for a page of the reports of some products, and the products that it asks for.

    A batch whose id is known is asked for by that, any other by as many GTINs as an address holds.
    """
    link, size = package.link, settings.results_limit
    if do is Do.REPORT:
        package_id = package.package_id
        call = read_reports(language, package_id=package_id, link=link, size=size)
        return call, rows
    gtins = next(comma_lists(row.product for row in rows))
    return read_reports(language, gtins=gtins, link=link, size=size), rows[: len(gtins)]
