"""Areas of which none remembers what the service accepted."""

from feedtool.feeds.area import Areas
from feedtool.feeds.selection import EVERY_ROW
from feedtool.model.settings import AccountSettings
from feedtool.model.sheet import CheckedSheet


def test_nothing_is_compared_without_a_memory() -> None:
    areas, sheet = Areas(()), CheckedSheet("parcels.csv", "toy-parcels")
    memory = areas.memory
    memory.withdraw([sheet], None)
    memory.select([sheet], None, EVERY_ROW, AccountSettings(), lambda _: None)
    assert sheet.selected.withheld is None
    assert not areas.guards
    assert not memory.effects([], lambda: None)
    assert not [*memory.changes.rows([], lambda: None, {})]
