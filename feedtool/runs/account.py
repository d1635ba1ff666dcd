"""Try out accounts: token, seller and channels of each, by one harmless read each."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor
from typing import Any, NamedTuple

from feedtool.areas.plain_list import read_channels
from feedtool.areas.registry import load
from feedtool.catalog.wire import read_brands
from feedtool.model.call import Call, Reply
from feedtool.model.errors import FeedtoolError, Interrupted, UsageProblem
from feedtool.model.text import MessageText, tr
from feedtool.runs.workspace import Session
from feedtool.service.answers import AnswerKind, items_of, text
from feedtool.service.calls import Answer, ask_all, read_answer, wait_for
from feedtool.service.fetch import no_answer, not_authorised

CHANNEL_NAMES = ("salesChannelId", "salesChannel")
"""Names of a channel's identifier; the specification does not say how configurations name it."""


class AccountCheck(NamedTuple):
    """The result of one read."""

    part: str
    """`token`, `seller` or `channel`."""
    value: str
    error: FeedtoolError | None = None
    channels: tuple[str, ...] = ()
    """The channels that the answer names."""


class ProfileCheck(NamedTuple):
    """The results of all reads of an account."""

    profile: str
    checks: Sequence[AccountCheck] = ()
    error: FeedtoolError | None = None
    """The reason why there are no checks."""

    @property
    def errors(self) -> list[FeedtoolError]:
        return [*filter(None, (self.error, *(check.error for check in self.checks)))]


SIDE_BY_SIDE = 8
"""The number of accounts that are tried at a time."""


def check_profiles(
    names: Sequence[str],
    check: Callable[[str], Sequence[AccountCheck]],
    stopping: Callable[[], FeedtoolError | None],
    on_done: Callable[[int], None],
) -> list[ProfileCheck]:
    """Try several accounts side by side; an error of one stops no other.

    `on_done` gets how many are done. Accounts that were not tried before the stop are left out.
    """

    def checked(name: str) -> ProfileCheck | None:
        if stopping():
            return None
        try:
            return ProfileCheck(name, check(name))
        except FeedtoolError as error:
            return ProfileCheck(name, error=error)

    with ThreadPoolExecutor(SIDE_BY_SIDE) as threads:
        tried = [threads.submit(checked, name) for name in names]
        left = {*tried}
        while left:
            left = wait_for(left, return_when=FIRST_COMPLETED)[1]
            on_done(len(tried) - len(left))
    return [*filter(None, (future.result() for future in tried))]


def check_account(session: Session, channel: str) -> Iterator[AccountCheck]:
    """Check the token, the seller, and each channel: `channel`, and those that the service names.

    A failure ends the checks, except that of a channel. Brands need no seller, so a refusal there
    is about the token alone; a refusal of the seller's own packages is about the seller.
    """
    token = _check(session, "token", session.address, read_brands(size=1), _wrong_address)
    yield token
    calls = load().service.account_calls
    if token.error or calls is None:
        return
    seller = _check(session, "seller", session.seller, calls.seller(), _wrong_seller)
    yield seller
    if seller.error:
        return
    listed = _check(session, "channel", "", read_channels(), _wrong_seller).channels
    known = tuple(dict.fromkeys((*listed, *seller.channels)))
    for name in dict.fromkeys((channel, *known)):
        others = ", ".join(other for other in known if other != name)
        yield _check(session, "channel", name, calls.channel(name), _wrong_channel(others))


RefusalTexts = Callable[[str], tuple[MessageText, MessageText]]
"""Return the message and its hint, for the service's reason."""


def _check(
    session: Session, part: str, value: str, call: Call, refused: RefusalTexts
) -> AccountCheck:
    result = ask_all(session.client, [call])
    answer = read_answer(call, result, session.now(), _channels)
    if answer.kind is AnswerKind.DONE:
        return AccountCheck(part, value, channels=answer.value)
    return AccountCheck(part, value, _error(answer, refused))


def _channels(reply: Reply) -> tuple[str, ...]:
    items: Iterable[Any] = items_of(reply, "entries")
    names = (item.get(name) for item in items if isinstance(item, dict) for name in CHANNEL_NAMES)
    return tuple(dict.fromkeys(filter(None, map(text, names))))


def _error(answer: Answer, refused: RefusalTexts) -> FeedtoolError:
    match answer.kind:
        case AnswerKind.AUTH:
            return answer.error or not_authorised(answer)
        case AnswerKind.REFUSED:
            return UsageProblem(*refused(answer.detail))
        case AnswerKind.WAIT:
            return Interrupted(
                tr("The service asks to wait: {reason}", reason=answer.detail),
                tr("Run it again in a minute."),
            )
    hint = tr("Check base_url, your network and its proxy, and run it again.")
    return Interrupted(no_answer(answer), hint)


def _wrong_address(reason: str) -> tuple[MessageText, MessageText]:
    return (
        tr("The address does not answer as the service does: {reason}", reason=reason),
        tr("Check base_url: it ends with the version segment, as in https://host/v2."),
    )


def _wrong_seller(reason: str) -> tuple[MessageText, MessageText]:
    return (
        tr("The service refuses the seller: {reason}", reason=reason),
        tr("Check seller: it is the SellerId of your account."),
    )


def _wrong_channel(others: str) -> RefusalTexts:
    hint = (
        tr("Check channel; the service names: {others}", others=others)
        if others
        else tr("Check channel: the marketplace tells you the identifiers of your channels.")
    )
    return lambda reason: (tr("The service refuses the channel: {reason}", reason=reason), hint)
