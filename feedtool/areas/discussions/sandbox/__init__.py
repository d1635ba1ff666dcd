"""The sandbox's discussions.

Reading order: `discussions` and `messages` (the routes) and `filters`, `channels` (what each
channel allows), `customers` (who writes by themselves), `store`.
"""

from feedtool.areas.discussions.sandbox import channels, customers, discussions, messages, store
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (customers, channels, discussions, messages, store)
"""The behaviour of the sandbox's discussions."""
