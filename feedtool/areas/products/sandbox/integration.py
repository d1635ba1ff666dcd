"""A submitted product comes to its outcome: part "Catalog" of the specification.

"Unknown products are created, existing ones are completed; submitted values may be ignored when
already known". First what needs no look at the catalogue is checked (`validated`), some time later
the product is integrated.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import orjson

from feedtool.areas.offers.sandbox.store import gtin_product
from feedtool.areas.products.sandbox import brands, sheets
from feedtool.areas.products.sandbox.catalogue import LANGUAGES, CatalogueCategory, catalogue
from feedtool.areas.products.sandbox.messages import Finding, is_error
from feedtool.areas.products.sandbox.rules import (
    creation_findings,
    mandatory_findings,
    property_findings,
    submitted_findings,
    variant_findings,
)
from feedtool.areas.products.sandbox.sheets import CatalogueSheet, SheetValue
from feedtool.areas.products.sandbox.submission import (
    CATEGORY,
    COMMON,
    GROUP,
    PICTURES,
    submission_of,
)
from feedtool.sandbox.state import moment_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from feedtool.areas.products.sandbox.settings import ProductBehaviour
    from feedtool.areas.products.sandbox.submission import SubmittedProduct

INTEGRATED, REFUSED, VALIDATED = "Integrated", "Refused", "Validated"
CREATION, MODIFICATION, IDENTICAL = "Creation", "Modification", "Identical"

MARKETABLE = ("title", "description", PICTURES, "brand", CATEGORY)
"""The common data of a sheet; without one of them the product cannot be sold."""


@dataclass(frozen=True, slots=True)
class ProductOutcome:
    """What became of a submitted product, as its report tells it."""

    status: str
    operation: str | None = None
    findings: list[Finding] = field(default_factory=list)
    reference: str | None = None
    """The product's reference in the catalogue, where it has one."""
    pictures: list[dict[str, Any]] = field(default_factory=list)
    """The sheet's, once integrated."""
    completeness: int | None = None
    was_allowed_to_edit: bool | None = None
    was_allowed_to_enrich: bool | None = None
    was_marketable: bool | None = None

    def text(self) -> str:
        """As it is kept."""
        findings = [tuple(finding) for finding in self.findings]
        return orjson.dumps({**asdict(self), "findings": findings}).decode()


def outcome_of(text: str) -> ProductOutcome:
    """A kept outcome as a value again."""
    kept = orjson.loads(text)
    return ProductOutcome(
        **{**kept, "findings": [Finding(*finding) for finding in kept["findings"]]}
    )


def validated(body: dict[str, Any], behaviour: ProductBehaviour) -> ProductOutcome:
    """What the submission alone tells."""
    submission = submission_of(body)
    category = catalogue().categories.get(submission.values.get(CATEGORY, ""))
    language = submission.values.get("language", LANGUAGES[0])
    findings = [
        *submitted_findings(submission, behaviour),
        *property_findings(submission, category, language),
    ]
    return ProductOutcome(REFUSED if any(map(is_error, findings)) else VALIDATED, findings=findings)


def integrated(
    db: sqlite3.Connection, behaviour: ProductBehaviour, seller: str, body: dict[str, Any], at: str
) -> ProductOutcome:
    """Create the product, complete it, or refuse it for what the catalogue says."""
    submission = submission_of(body)
    known = sheets.find(db, gtin_product(submission.gtin))
    closed = {gtin_product(gtin) for gtin in behaviour.closed}
    merge = SheetMerge(
        db,
        submission,
        seller,
        known,
        is_creator=known is None or known.creator == seller,
        is_closed=known is not None and known.product in closed,
    )
    findings = [
        *submitted_findings(submission, behaviour),
        *merge.findings,
        *_sheet_findings(db, behaviour, merge, at),
    ]
    if any(map(is_error, findings)):
        return _outcome(REFUSED, merge, findings, known)
    sheet = merge.sheet(at)
    brand = sheet.content.get("brand")
    if brand and brands.find(db, brand.value) is None:
        brands.add(db, brand.value, at)
        findings.append(Finding("BrandAdded", "brand", brand.value))
    sheets.write(db, sheet)
    sheets.note_seller(db, seller, submission, sheet.product)
    return _outcome(INTEGRATED, merge, findings, sheet)


def _sheet_findings(
    db: sqlite3.Connection, behaviour: ProductBehaviour, merge: SheetMerge, at: str
) -> Iterator[Finding]:
    """What is wrong with the sheet that the submission would lead to."""
    seller, submission = merge.seller, merge.submission
    product = gtin_product(submission.gtin)
    if other := sheets.other_gtin(db, seller, submission, product):
        yield Finding("ReferenceUsed", "sellerProductReference", other)
    values = {name: held.value for name, held in merge.content.items()}
    if merge.known is None:
        yield from creation_findings(values)
        yield from _quota_findings(db, behaviour, seller, at)
    if merge.category is None:
        return
    yield from mandatory_findings(values, merge.category, merge.language)
    yield from variant_findings(values, merge.category)
    if GROUP in values:
        yield from _family_findings(db, values, merge.category, product)


def _quota_findings(
    db: sqlite3.Connection, behaviour: ProductBehaviour, seller: str, at: str
) -> Iterator[Finding]:
    quota = behaviour.creations
    if quota is None:
        return
    since = moment_of(at) - timedelta(seconds=quota.seconds)
    if sheets.created_since(db, seller, since) >= quota.requests:
        yield Finding("QuotaExceeded", None, str(quota.requests))


def _family_findings(
    db: sqlite3.Connection, values: dict[str, Any], category: CatalogueCategory, product: str
) -> Iterator[Finding]:
    """One group is of one category, and its members differ."""
    names = [use.known.reference for use in category.uses if use.known.is_variation]
    own = [values.get(name) for name in names]
    for member in sheets.family(db, values[GROUP], product):
        if member.category is not category:
            yield Finding("VariantGroupCategory", GROUP, values[GROUP])
        elif own == [member.values.get(name) for name in names]:
            yield Finding("VariantDouble", GROUP, member.gtin)


class SheetMerge:
    """A sheet as the submission would leave it, and what is ignored of the submission."""

    def __init__(
        self,
        db: sqlite3.Connection,
        submission: SubmittedProduct,
        seller: str,
        known: CatalogueSheet | None,
        *,
        is_creator: bool,
        is_closed: bool,
    ) -> None:
        """Lay the submission over the known sheet; nothing is written."""
        self.submission = submission
        self.seller = seller
        self.known = known
        self.may_edit = is_creator
        self.may_enrich = is_creator or not is_closed
        self.content = dict(known.content) if known else {}
        self.findings: list[Finding] = []
        self.language = submission.values.get("language", LANGUAGES[0])
        self._lay(_common(db, submission, is_new=known is None))
        self.category = self._category()
        if self.category:
            self._lay_properties(self.category)
        before = known.content if known else {}
        self.is_changed = self.content != before

    def sheet(self, at: str) -> CatalogueSheet:
        """What is to be kept."""
        if self.known:
            moment = at if self.is_changed else self.known.updated_at
            return replace(self.known, content=self.content, updated_at=moment)
        gtin = self.submission.gtin
        return CatalogueSheet(gtin_product(gtin), gtin, self.seller, self.content, at, at)

    def _category(self) -> CatalogueCategory | None:
        held = self.content.get(CATEGORY)
        return held and catalogue().categories.get(held.value)

    def _lay_properties(self, category: CatalogueCategory) -> None:
        """Properties of another category are left out; those of a former one are forgotten."""
        self.findings += property_findings(self.submission, category, self.language)
        self._lay(
            {
                reference: category.use_of[reference].known.canonical(given, self.language)
                for reference, given in self.submission.properties.items()
                if reference in category.use_of
            }
        )
        self.content = {
            name: held
            for name, held in self.content.items()
            if name in COMMON or name in category.use_of
        }

    def _lay(self, given: dict[str, Any]) -> None:
        for name, value in given.items():
            held = self.content.get(name)
            if held and held.value == value:
                continue
            if held and not (self.may_edit or held.seller == self.seller):
                self.findings.append(Finding("ValueAlreadyKnown", name))
            elif not self.may_enrich:
                self.findings.append(Finding("EnrichmentDenied", name))
            else:
                self.content[name] = SheetValue(value, self.seller)


def _common(
    db: sqlite3.Connection, submission: SubmittedProduct, *, is_new: bool
) -> dict[str, Any]:
    """The common fields; a known brand as the referential writes it."""
    values = dict(submission.values)
    if name := values.get("brand"):
        brand = brands.find(db, name)
        values["brand"] = brand.name if brand else " ".join(name.split())
    if is_new:
        values.setdefault("language", LANGUAGES[0])
    return values


def _outcome(
    status: str, merge: SheetMerge, findings: list[Finding], sheet: CatalogueSheet | None
) -> ProductOutcome:
    operation = CREATION if merge.known is None else MODIFICATION
    if status == INTEGRATED and merge.known is not None and not merge.is_changed:
        operation = IDENTICAL
    return ProductOutcome(
        status,
        operation,
        findings,
        sheet.reference if sheet else None,
        sheet.values.get(PICTURES, []) if sheet and status == INTEGRATED else [],
        completeness(sheet) if sheet else None,
        merge.may_edit,
        merge.may_enrich,
        sheet is not None and is_marketable(sheet),
    )


def is_marketable(sheet: CatalogueSheet) -> bool:
    """Whether the sheet has all the common data (part "Catalog")."""
    return all(name in sheet.content for name in MARKETABLE)


def completeness(sheet: CatalogueSheet) -> int:
    """How much of what there is to be filled is filled, in percent."""
    names = [*MARKETABLE, *sheet.category.use_of]
    return 100 * sum(name in sheet.content for name in names) // len(names)
