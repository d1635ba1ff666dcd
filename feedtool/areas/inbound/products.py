"""How a product is referenced: what the warehouses know of it already is never overwritten.

Specification, "Fulfillment product (reference)": the answer has the product as it is then, so that
it alone tells what differs. Sent twice it does no harm.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from feedtool.areas.inbound import wire
from feedtool.feeds.direct import Direct, Goal, Judgement, Repeat, RequestAttempt
from feedtool.feeds.judgement import own_message
from feedtool.model.call import Call, Reply
from feedtool.model.nouns import Message, Severity, Status
from feedtool.model.text import FieldName, tr
from feedtool.service.answers import amount, text

KNOWN, UNKNOWN = "known", "unknown"
"""Whether the warehouses knew a product before it was sent."""


def seller_number(act: RequestAttempt) -> int | None:
    """The seller as products name him: left out where the SellerId is no number."""
    number = act.package.settings.inbound.seller_number or act.package.seller
    return int(number) if number.isascii() and number.isdigit() else None


def is_known(act: RequestAttempt, replies: Sequence[Reply]) -> bool:
    """True if the warehouses know the product of this reference."""
    product, own = json.loads(act.body), text(act.reference)
    return any(
        text(item.get("sellerProductReference")) == own
        and wire.pair_of(item)[1] in {"", product["productCondition"]}
        for item in wire.references_of(replies[0])
    )


def judge(act: RequestAttempt, is_there: bool) -> Judgement:  # noqa: FBT001 - a state, as of every Direct
    """After a lost answer: done where the product is there now, and was not before."""
    if act.baseline == UNKNOWN and is_there:
        return Judgement(Goal.REACHED, Status.CREATED, own_message(None, tr("is referenced")))
    return Judgement(Goal.OPEN, Status.PENDING)


def answered(act: RequestAttempt, reply: Reply) -> Judgement:
    """What the warehouses know now: as it was sent, or what they had before."""
    product, sent = wire.product_of(reply), json.loads(act.body, parse_float=Decimal)
    differing = tuple(_differences(sent, product))
    if not differing and act.baseline == UNKNOWN:
        return Judgement(Goal.REACHED, Status.CREATED, own_message(None, tr("is referenced")))
    proof = tr("was referenced before, and is as the row says")
    if differing:
        proof = tr("was referenced before; what it had already stays")
    return Judgement(Goal.REACHED, Status.EXISTING, (*own_message(None, proof), *differing))


def _differences(sent: Mapping[str, Any], product: Mapping[str, Any]) -> Iterator[Message]:
    """A message for each cell that says something else than the warehouses know."""
    for key, wanted in sent.items():
        known = product.get(key)
        if known is None or _folded(key, known) == _folded(key, wanted):
            continue
        message = tr(
            "{field} is {known}, not {wanted}: not overwritten",
            field=FieldName(key),
            known=_shown(known),
            wanted=_shown(wanted),
        )
        yield Message("", message, key, Severity.WARNING)


def _folded(key: str, value: Any) -> Any:
    return str(value).zfill(14) if key == "gtin" else value


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    number = None if isinstance(value, str) else amount(value)
    return text(value) if number is None else f"{number.normalize():f}"


def _looks(act: RequestAttempt) -> Sequence[Call]:
    return [wire.read_references(act.reference)]


REFERENCING: Direct[bool] = Direct(
    call=lambda act: wire.reference_product(act.body, seller_number(act)),
    looks=_looks,
    state=is_known,
    judge=judge,
    answered=answered,
    baseline=lambda _, is_there: KNOWN if is_there else UNKNOWN,
    repeat=Repeat.SAFE,
    patience=timedelta(minutes=1),
)
"""Referencing a product: sent again where the answer was lost and nothing shows."""
