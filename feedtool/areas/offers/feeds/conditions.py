"""The conditions of an offer, and what they are called."""

from feedtool.feeds.columns.choice import Condition
from feedtool.feeds.words import Words
from feedtool.model.settings import CONDITION_NAMES

WORDS = Words("feedtool.areas.offers")

_LABELS = (
    *("New", "Used - like new", "Used - very good state", "Used - average state"),
    *("Refurbished - like new", "Refurbished - very good state", "Refurbished - correct state"),
)
CONDITIONS = {name: WORDS.of(label) for name, label in zip(CONDITION_NAMES, _LABELS, strict=True)}
"""Canonical value → its labels in English, French, Spanish."""
LEGACY_CONDITIONS = {
    "GoodState": WORDS.of("Used - good state"),
    "Refurbished": WORDS.of("Refurbished"),
}
"""Conditions that only a legacy zip knows; the JSON packages say them otherwise or not at all."""
_PARTS = {
    "UsedLikeNew": ("used", "like new"),
    "UsedVeryGoodState": ("used", "very good"),
    "UsedAverageState": ("used", "correct"),
    "GoodState": ("used", "good"),
    "RefurbishedLikeNew": ("refurbished", "like new"),
    "RefurbishedVeryGoodState": ("refurbished", "very good"),
    "RefurbishedCorrectState": ("refurbished", "correct"),
}
PARTS = {
    (group, state): name
    for name, (groups, states) in _PARTS.items()
    for group in WORDS.aliases(groups, "condition")
    for state in WORDS.aliases(states, "condition")
}
"""Names of a group and of a state, as in `Ocasión - Estado correcto`, → canonical value."""
CONDITION = Condition(CONDITIONS, PARTS)
