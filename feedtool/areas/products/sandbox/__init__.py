"""The sandbox's products.

Reading order: `catalogue` and `categories` (what there is), `products` (the routes), `submission`,
`rules` and `integration` (the outcome of a product), `sheets` and `view`.
"""

from feedtool.areas.products.sandbox import products
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (products,)
