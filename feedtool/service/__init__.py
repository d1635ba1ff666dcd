"""The marketplace service as its client sees it; its endpoints are the areas'.

Reading order: `answers` (pure: what an answer means, and how its body is read), `calls` (several at
a time, and how fast they may follow each other), `fetch` (reading lists to their end), `auth`
(tokens), `client` and `network` (httpx; the only modules here that do I/O over the network).
"""
