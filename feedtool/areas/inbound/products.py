"""Referencing products: data that the warehouses have already are never overwritten.

Specification, "Fulfillment product (reference)": the answer holds the stored product, so it alone
shows the differences. Sending twice does no harm.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from feedtool.areas.inbound import wire
from feedtool.areas.inbound.settings import InboundSettings
from feedtool.feeds.direct import Direct, Goal, Judgement, Repeat, RequestAttempt
from feedtool.feeds.judgement import own_message
from feedtool.model.call import Reply
from feedtool.model.nouns import Message, Severity, Status
from feedtool.model.text import FieldName, tr
from feedtool.service.answers import amount, text

KNOWN, UNKNOWN = "known", "unknown"
"""Baseline of a request: the product was known to the warehouses before, or not."""


def seller_number(act: RequestAttempt) -> int | None:
    """The seller's number in products, or None if the SellerId is no number."""
    number = act.package.settings.of(InboundSettings).seller_number or act.package.seller
    return int(number) if number.isascii() and number.isdigit() else None


def is_known(act: RequestAttempt, replies: Sequence[Reply]) -> bool:
    """True if the warehouses know the product of this reference."""
    product, reference = json.loads(act.body), text(act.reference)
    return any(
        text(item.get("sellerProductReference")) == reference
        and wire.pair_of(item)[1] in {"", product["productCondition"]}
        for item in wire.references_of(replies[0])
    )


def judge(act: RequestAttempt, is_there: bool) -> Judgement:  # noqa: FBT001 - a state, as of every Direct
    """Judge a request without an answer: done if the product is new."""
    if act.baseline == UNKNOWN and is_there:
        return Judgement(Goal.REACHED, Status.CREATED, own_message(None, tr("is referenced")))
    return Judgement(Goal.OPEN, Status.PENDING)


def answered(act: RequestAttempt, reply: Reply) -> Judgement:
    """Judge an answer: the product was referenced as sent, or existed before."""
    product, sent = wire.product_of(reply), json.loads(act.body, parse_float=Decimal)
    differing = tuple(_differences(sent, product))
    if not differing and act.baseline == UNKNOWN:
        return Judgement(Goal.REACHED, Status.CREATED, own_message(None, tr("is referenced")))
    proof = tr("was referenced before, and is as the row says")
    if differing:
        proof = tr("was referenced before; what it had already stays")
    return Judgement(Goal.REACHED, Status.EXISTING, (*own_message(None, proof), *differing))


def _differences(sent: Mapping[str, Any], product: Mapping[str, Any]) -> Iterator[Message]:
    """A message for each cell that differs from the warehouses' data."""
    for key, value in sent.items():
        known = product.get(key)
        if known is None or _folded(key, known) == _folded(key, value):
            continue
        message = tr(
            "{field} is {known}, not {wanted}: not overwritten",
            field=FieldName(key),
            known=_shown(known),
            wanted=_shown(value),
        )
        yield Message("", message, key, Severity.WARNING)


def _folded(key: str, value: Any) -> Any:
    return str(value).zfill(14) if key == "gtin" else value


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    number = None if isinstance(value, str) else amount(value)
    return text(value) if number is None else f"{number.normalize():f}"


REFERENCING: Direct[bool] = Direct(
    call=lambda act: wire.reference_product(act.body, seller_number(act)),
    looks=lambda act: [wire.read_references(act.reference)],
    state=is_known,
    judge=judge,
    answered=answered,
    baseline=lambda _, is_there: KNOWN if is_there else UNKNOWN,
    repeat=Repeat.SAFE,
    patience=timedelta(minutes=1),
)
"""The reference of a product; sent again if the answer was lost and the product is not listed."""
