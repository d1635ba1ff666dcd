"""The sandbox's products.

Reading order: `catalogue` (brands and categories), `products` (the routes and their documents),
`submission` and `integration` (the outcome of a product), `sheets`.
"""

from feedtool.areas.products.sandbox import products
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (products,)
