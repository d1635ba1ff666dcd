"""The client of the marketplace service; its endpoints belong to the areas and the catalogue.

Reading order: `answers` (pure: the meaning of an answer, and readers of its body), `pace` (pure:
the speed of calls), `calls` (several calls at a time), `fetch` (reads lists to their end), `auth`
(tokens), `client` and `network` (httpx; the only modules here that do I/O over the network).
"""
