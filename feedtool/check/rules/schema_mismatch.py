"""The finished request is not as its schema says.

Every request is checked against the JSON Schema of its type before it is sent. A row that gets
this far and fails shows a setting of the profile that contradicts the schema, or a bug.

Example: a profile that raises `bounds.highest_quantity` to 1000000000000, and a stock of
`99999999999`.

To mend it, look at the place that the message names; if it looks right, please report it.
"""

from feedtool.feeds.rule import code
from feedtool.model.nouns import Issue

CODE = code(__name__, __doc__)


def fault(place: str, reason: str) -> Issue:
    """The fault of one place in a request."""
    return Issue(
        CODE,
        f"{place or 'the request'}: {reason}",
        "look at the cell and at the profile's settings for it",
    )
