"""A list that changes while it is read is read without a gap."""

from datetime import datetime, timedelta
from random import Random

import pytest

from feedtool.feeds import keyset
from feedtool.feeds.keyset import CREATED, SORTS, PageRequest, following
from tests.changing import START, Service, ask, things_of

SIZE = 3


def at(*seconds: float) -> list[datetime]:
    return [START + timedelta(seconds=one) for one in seconds]


def read(service: Service, since: datetime | None = None) -> dict[str, set[datetime]]:
    """All that a reading meets: by each thing when it was changed."""
    met: dict[str, set[datetime]] = {}
    asked: PageRequest | None = keyset.first(since)
    while asked:
        things = things_of(service.send(ask(asked, SIZE)))
        for thing in things:
            met.setdefault(thing.key, set()).add(thing.changed_at)
        asked = following(asked, [thing.changed_at for thing in things], SIZE)
        assert len(service.calls) < 1000
    return met


BEGUN = keyset.first(START)
AT_FIVE = keyset.first(at(5)[0])._replace(begun=START)
SECOND = AT_FIVE._replace(number=2)
BACK = AT_FIVE._replace(is_back=True, resume=at(7)[0])
BY_CREATION = keyset.first(START, (CREATED,))
FOLLOWING = {
    "nothing": (BEGUN, at(), None),
    "a full page": (BEGUN, at(1, 2, 5), AT_FIVE),
    "a short page is not trusted": (BEGUN, at(1, 5), AT_FIVE),
    "until nothing more comes": (AT_FIVE, at(5), None),
    "a page of one time": (AT_FIVE, at(5, 5, 5), SECOND),
    "a page of a later time": (AT_FIVE, at(7, 7, 7), SECOND._replace(least=at(7)[0])),
    "its end": (AT_FIVE._replace(number=3), at(5, 7), BACK._replace(number=2)),
    "its end and that of the list": (SECOND, at(5), BACK._replace(resume=at(5.000_001)[0])),
    "its end where times are cut": (
        SECOND._replace(since=at(5.000_001)[0]),
        at(5),
        BACK._replace(since=at(5.000_001)[0], least=at(5.000_001)[0], resume=None),
    ),
    "the next time": (SECOND, at(7, 7, 7), BACK),
    "on the way back": (BACK._replace(number=2), at(5, 5, 5), BACK),
    "back again": (BACK, at(5, 5, 5), keyset.first(at(7)[0])._replace(begun=START)),
    "back again at the end": (BACK._replace(resume=None), at(5, 5, 5), None),
    "not ascending": (AT_FIVE, at(5, 7, 6), keyset.first(START, SORTS[1:])),
    "not from page to page": (
        SECOND._replace(least=at(7)[0]),
        at(5, 5, 5),
        keyset.first(START, SORTS[1:]),
    ),
    "not asked for": (AT_FIVE, at(1, 5, 6), keyset.first(START, SORTS[1:])),
    "not even then": (keyset.first(START, SORTS[1:]), at(5, 7, 6), keyset.first(START, SORTS[2:])),
    "by creation": (BY_CREATION, at(5, 7, 6), BY_CREATION._replace(number=2)),
    "the last by creation": (BY_CREATION, at(5, 1), None),
}


@pytest.mark.parametrize(("asked", "moments", "expected"), FOLLOWING.values(), ids=FOLLOWING)
def test_the_next_page(
    asked: PageRequest, moments: list[datetime], expected: PageRequest | None
) -> None:
    assert following(asked, moments, SIZE) == expected


def changing(seed: int, most_changes: int) -> Service:
    """Things, many of one time, of which some change at each call."""
    dice = Random(seed)  # noqa: S311 - it guards nothing
    service = Service()
    names = [f"T{number:02}" for number in range(dice.randint(1, 30))]
    for name in names:
        service.change(name)
        service.now += timedelta(seconds=dice.choice((0, 0, 0, 0, 1)))

    def meanwhile() -> None:
        service.now += timedelta(seconds=1)
        if len(service.calls) < 40:  # else nobody would ever come to an end
            for _ in range(dice.randint(0, most_changes)):
                service.change(dice.choice(names))

    service.meanwhile = meanwhile
    return service


SEEDS = pytest.mark.parametrize(
    "seeds", [range(25), pytest.param(range(25, 400), marks=pytest.mark.long)], ids=str
)


@SEEDS
@pytest.mark.parametrize("sorts", [SORTS, SORTS[1:], SORTS[2:]], ids=str)
@pytest.mark.parametrize("most_changes", [1, 3])
def test_no_item_is_skipped(most_changes: int, sorts: tuple[str, ...], seeds: range) -> None:
    for seed in seeds:
        service = changing(seed, most_changes)
        service.sorts = sorts
        assert read(service).keys() == service.versions.keys(), seed


@SEEDS
def test_items_come_in_their_state_at_the_start_or_later(seeds: range) -> None:
    for seed in seeds:
        service = changing(seed, 2)
        since = START + timedelta(seconds=2)
        expected = {one.key for one in service.shown() if one.at >= since}
        met = read(service, since)
        assert expected <= met.keys(), seed
        assert min((min(moments) for moments in met.values()), default=since) >= since


def test_page_numbers_would_skip_items() -> None:
    """The world is such that the trap is met in it."""
    skipped = 0
    for seed in range(50):
        service, met, asked = changing(seed, 1), set[str](), keyset.first(None)
        while things := things_of(service.send(ask(asked, SIZE))):
            met |= {thing.key for thing in things}
            asked = asked._replace(number=asked.number + 1)
        skipped += len(service.versions.keys() - met)
    assert skipped > 0


def test_a_quiet_list_is_read_with_one_call_more_than_it_has_pages() -> None:
    service = Service()
    for number in range(9):
        service.change(f"T{number}")
        service.now += timedelta(seconds=1)
    assert len(read(service)) == 9
    # A page begins with the last thing of the one before.
    assert len(service.calls) == 5
