"""What the ledger keeps of each seller."""

from feedtool.ledger import Ledger

KEY = ("https://service.example/v2", "S1")


def test_the_pace_is_each_sellers_own_and_the_last_one_counts(ledger: Ledger) -> None:
    sellers, other = ledger.sellers, (KEY[0], "S2")
    assert sellers.pace(KEY) is None
    sellers.keep_pace(KEY, "slow")
    sellers.keep_pace(other, "slower")
    assert (sellers.pace(KEY), sellers.pace(other)) == ("slow", "slower")
    sellers.keep_pace(KEY, None)
    assert (sellers.pace(KEY), sellers.pace(other)) == (None, "slower")
