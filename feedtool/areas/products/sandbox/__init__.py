"""The sandbox's products.

Reading order: `catalogue` (what there is), `products` (the routes, and what they show),
`submission` and `integration` (the outcome of a product), `sheets`.
"""

from feedtool.areas.products.sandbox import products
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (products,)
