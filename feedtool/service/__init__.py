"""The marketplace service as its client sees it.

Reading order: `wire` (pure: what is asked, what came back) and `answers` (pure: what an answer
means for the call that it answers); a module for each part of the service says what the bodies and
headers of its answers say, pure too: `packages`, `offers`, `products` and `product_sheets`,
`legacy`, `catalog`, `competition`, and `result_codes`, what the codes in them mean. Then the calls:
`pace` (pure: how fast they may follow each other), `calling` (several at a time), `fetch` (reading
lists to their end), `auth` and `oauth` (tokens), `client` and `network` (httpx; the only modules
here that do I/O over the network).
"""
