"""The sandbox's discussions.

Reading order: `discussions` and `messages` (the routes) and `filters`, `channels` (what each
channel allows), `customers` (who writes by themselves), `store`.
"""

from feedtool.areas.discussions.sandbox import channels, customers, discussions, messages, store
from feedtool.sandbox.exchange import Part, QuietPart

PARTS: tuple[Part, ...] = (
    store.DISCUSSIONS,
    store.MESSAGES,
    QuietPart((*channels.ROUTES, *discussions.ROUTES, *messages.ROUTES), customers.TABLES),
)
"""The behaviour of the sandbox's discussions."""
