"""The outcome of a submitted product: part "Catalog" of the specification.

"Unknown products are created, existing ones are completed; submitted values may be ignored when
already known". Rules that need no catalogue sheet are checked first (`validate`); the product is
integrated some time later.
"""

import json
import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple

from msgspec.structs import replace

from feedtool.areas.offers.sandbox.store import gtin_product
from feedtool.areas.products.sandbox import sheets
from feedtool.areas.products.sandbox.catalogue import (
    LANGUAGES,
    CatalogueCategory,
    add_brand,
    catalogue,
    find_brand,
)
from feedtool.areas.products.sandbox.messages import Finding, is_error
from feedtool.areas.products.sandbox.sheets import CatalogueSheet, SheetValue
from feedtool.areas.products.sandbox.submission import (
    CATEGORY,
    COMMON,
    GROUP,
    PICTURES,
    ProductBehaviour,
    SubmittedProduct,
    creation_findings,
    mandatory_findings,
    property_findings,
    submission_of,
    submitted_findings,
    variant_findings,
)
from feedtool.sandbox.state import moment_of

INTEGRATED, REFUSED, VALIDATED = "Integrated", "Refused", "Validated"
CREATION, MODIFICATION, IDENTICAL = "Creation", "Modification", "Identical"


class ProductOutcome(NamedTuple):
    """The outcome of a submitted product, for its report."""

    status: str
    operation: str | None = None
    findings: tuple[Finding, ...] = ()
    reference: str | None = None
    """The product's reference in the catalogue, if any."""
    pictures: tuple[dict[str, Any], ...] = ()
    """The pictures of the sheet, once integrated."""
    completeness: int | None = None
    was_allowed_to_edit: bool | None = None
    was_allowed_to_enrich: bool | None = None
    was_marketable: bool | None = None

    def text(self) -> str:
        return json.dumps(self._asdict())


def outcome_of(text: str) -> ProductOutcome:
    kept = json.loads(text)
    return ProductOutcome(
        **{**kept, "findings": tuple(Finding(*finding) for finding in kept["findings"])}
    )


def validate(body: dict[str, Any], behaviour: ProductBehaviour) -> ProductOutcome:
    """Return the outcome of the submission alone."""
    submission = submission_of(body)
    category = catalogue().categories.get(submission.values.get(CATEGORY, ""))
    findings = (
        *submitted_findings(submission, behaviour),
        *property_findings(submission, category),
    )
    return ProductOutcome(REFUSED if any(map(is_error, findings)) else VALIDATED, None, findings)


def integrate(
    db: sqlite3.Connection,
    behaviour: ProductBehaviour,
    seller: str,
    body: dict[str, Any],
    moment: str,
) -> ProductOutcome:
    """Create or complete the product, or refuse it because of the catalogue."""
    submission = submission_of(body)
    sheet = sheets.find(db, submission.product)
    merge = SheetMerge(db, behaviour, submission, seller, sheet)
    findings = [
        *submitted_findings(submission, behaviour),
        *merge.findings,
        *_sheet_findings(db, behaviour, merge, moment),
    ]
    is_refused = any(map(is_error, findings))
    operation = CREATION if sheet is None else MODIFICATION
    if not is_refused:
        if sheet is not None and not merge.is_changed:
            operation = IDENTICAL
        sheet = merge.sheet(moment)
        brand = sheet.values.get("brand")
        if brand and find_brand(db, brand) is None:
            add_brand(db, brand, moment)
            findings.append(Finding("BrandAdded", "brand", brand))
        sheets.write(db, sheet)
        sheets.note_seller(db, seller, submission)
    return ProductOutcome(
        REFUSED if is_refused else INTEGRATED,
        operation,
        tuple(findings),
        sheet.reference if sheet else None,
        tuple(sheet.values.get(PICTURES, ())) if sheet and not is_refused else (),
        sheet.completeness if sheet else None,
        merge.may_edit,
        merge.may_enrich,
        sheet is not None and sheet.is_marketable,
    )


class SheetMerge:
    """A sheet after the submission, and the ignored parts of the submission."""

    def __init__(
        self,
        db: sqlite3.Connection,
        behaviour: ProductBehaviour,
        submission: SubmittedProduct,
        seller: str,
        known: CatalogueSheet | None,
    ) -> None:
        """Merge the submission into the known sheet without writing it."""
        self.submission, self.seller, self.known = submission, seller, known
        is_closed = known and known.product in set(map(gtin_product, behaviour.closed_products))
        self.may_edit = known is None or known.creator == seller
        self.may_enrich = self.may_edit or not is_closed
        before = known.content if known else {}
        self.content = dict(before)
        self.findings: list[Finding] = []
        self._merge(_common(db, submission, is_new=known is None))
        held = self.content.get(CATEGORY)
        self.category = held and catalogue().categories.get(held.value)
        if self.category:
            self._merge_properties(self.category)
        self.is_changed = self.content != before

    def sheet(self, moment: str) -> CatalogueSheet:
        if self.known:
            updated_at = moment if self.is_changed else self.known.updated_at
            return replace(self.known, content=self.content, updated_at=updated_at)
        product, gtin = self.submission.product, self.submission.gtin
        return CatalogueSheet(product, gtin, self.seller, self.content, moment, moment)

    def _merge_properties(self, category: CatalogueCategory) -> None:
        """Merge properties of the category; remove properties of a former one."""
        self.findings += property_findings(self.submission, category)
        language = self.submission.values.get("language", LANGUAGES[0])
        for name, submitted in self.submission.properties.items():
            if use := category.use_of.get(name):
                values = use.known.translated(submitted["values"], language, LANGUAGES[0])
                self._merge({name: {**submitted, "values": values}})
        self.content = {
            name: held
            for name, held in self.content.items()
            if name in COMMON or name in category.use_of
        }

    def _merge(self, submitted: dict[str, Any]) -> None:
        for name, value in submitted.items():
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
    """Return the common fields; a known brand in the referential's spelling."""
    values = dict(submission.values)
    if name := values.get("brand"):
        brand = find_brand(db, name)
        values["brand"] = brand.name if brand else " ".join(name.split())
    if is_new:
        values.setdefault("language", LANGUAGES[0])
    return values


def _sheet_findings(
    db: sqlite3.Connection, behaviour: ProductBehaviour, merge: SheetMerge, moment: str
) -> Iterator[Finding]:
    seller, submission = merge.seller, merge.submission
    if other := sheets.other_gtin(db, seller, submission):
        yield Finding("ReferenceUsed", "sellerProductReference", other)
    values = {name: held.value for name, held in merge.content.items()}
    if merge.known is None:
        yield from creation_findings(values)
        if quota := behaviour.creations:
            since = moment_of(moment) - timedelta(seconds=quota.seconds)
            if sheets.created_since(db, seller, since) >= quota.requests:
                yield Finding("QuotaExceeded", None, str(quota.requests))
    if merge.category is None:
        return
    language = submission.values.get("language", LANGUAGES[0])
    yield from mandatory_findings(values, merge.category, language)
    yield from variant_findings(values, merge.category)
    if GROUP in values:
        yield from _family_findings(db, values, merge.category, submission.product)


def _family_findings(
    db: sqlite3.Connection, values: dict[str, Any], category: CatalogueCategory, product: str
) -> Iterator[Finding]:
    """Check that a group has one category, and that its members differ."""
    names = category.variations
    variation = [values.get(name) for name in names]
    for member in sheets.family(db, values[GROUP], product):
        if member.category is not category:
            yield Finding("VariantGroupCategory", GROUP, values[GROUP])
        elif variation == [member.values.get(name) for name in names]:
            yield Finding("VariantDouble", GROUP, member.gtin)
